//! JSON: rows in, objects out, as they are computed.
//!
//! Numbers, strings, booleans, null, lists and maps are what they are in JSON; floats that JSON does not have
//! and temporal values are strings in openCypher's text form; decimals are numbers with all their digits;
//! IRIs and RDF literals are strings such as `"<http://a>"` and `"'text'@en"`; bytes are hexadecimal. A node
//! is `{"id", "labels", "properties"}`, a relationship `{"id", "type", "start", "end", "properties"}`, a path
//! `{"nodes", "relationships"}`; ids are strings, because they pass 2^53.

use std::io::{self, Write};

use trimorph_base::NodeId;
use trimorph_types::{Map, Relationship, Value, format_value};

use super::failure::WriteError;
use crate::{Entities, QueryResult};

pub(crate) fn write_array(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, WriteError> {
    out.write_all(b"[")?;
    let rows = objects(result, out, b",\n ")?;
    out.write_all(b"]\n")?;
    Ok(rows)
}

pub(crate) fn write_lines(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, WriteError> {
    let rows = objects(result, out, b"\n")?;
    if rows > 0 {
        out.write_all(b"\n")?;
    }
    Ok(rows)
}

fn objects(result: &mut QueryResult, out: &mut dyn Write, between: &[u8]) -> Result<u64, WriteError> {
    let columns = result.columns().to_vec();
    let entities = result.entities().clone();
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        if rows > 0 {
            out.write_all(between)?;
        }
        object(columns.iter().map(String::as_str).zip(&row), &entities, out)?;
        rows += 1;
    }
    Ok(rows)
}

fn object<'a>(
    fields: impl Iterator<Item = (&'a str, &'a Value)>,
    entities: &Entities,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (i, (name, item)) in fields.enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        string(name, out)?;
        out.write_all(b": ")?;
        value(item, entities, out)?;
    }
    out.write_all(b"}")
}

fn map(entries: &Map, entities: &Entities, out: &mut dyn Write) -> io::Result<()> {
    object(entries.iter().map(|(k, v)| (&**k, v)), entities, out)
}

fn array<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut dyn Write,
    mut each: impl FnMut(T, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (i, item) in items.into_iter().enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        each(item, out)?;
    }
    out.write_all(b"]")
}

fn value(value: &Value, entities: &Entities, out: &mut dyn Write) -> io::Result<()> {
    match value {
        Value::Null => out.write_all(b"null"),
        Value::Bool(b) => write!(out, "{b}"),
        Value::Int(i) => write!(out, "{i}"),
        Value::Float(f) if f.is_finite() => write!(out, "{f:?}"),
        Value::Decimal(x) => write!(out, "{x}"),
        Value::String(text) => string(text, out),
        Value::Iri(_) | Value::Literal(_) => string(&format_value(value, entities), out),
        Value::List(items) => array(items.iter(), out, |v, out| self::value(v, entities, out)),
        Value::Map(entries) => map(entries, entities, out),
        Value::Node(id) => node(*id, entities, out),
        Value::Relationship(r) => relationship(r, entities, out),
        Value::Path(path) => {
            out.write_all(b"{\"nodes\": ")?;
            array(&path.nodes, out, |id, out| node(*id, entities, out))?;
            out.write_all(b", \"relationships\": ")?;
            array(&path.relationships, out, |r, out| relationship(r, entities, out))?;
            out.write_all(b"}")
        }
        Value::Float(f) => string(
            if f.is_nan() {
                "NaN"
            } else if *f > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            },
            out,
        ),
        Value::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            string(&hex, out)
        }
        Value::Date(x) => string(&x.to_string(), out),
        Value::LocalTime(x) => string(&x.to_string(), out),
        Value::Time(x) => string(&x.to_string(), out),
        Value::LocalDateTime(x) => string(&x.to_string(), out),
        Value::DateTime(x) => string(&x.to_string(), out),
        Value::Duration(x) => string(&x.to_string(), out),
    }
}

fn node(id: NodeId, entities: &Entities, out: &mut dyn Write) -> io::Result<()> {
    let node = entities.node(id).map_err(io::Error::other)?;
    write!(out, "{{\"id\": \"{}\", \"labels\": ", id.0)?;
    array(&node.labels, out, |l, out| string(l, out))?;
    out.write_all(b", \"properties\": ")?;
    map(&node.properties, entities, out)?;
    out.write_all(b"}")
}

fn relationship(r: &Relationship, entities: &Entities, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"id\": \"{}\", \"type\": ", r.id.0)?;
    string(&entities.relationship_type(r), out)?;
    write!(out, ", \"start\": \"{}\", \"end\": \"{}\", \"properties\": ", r.start.0, r.end.0)?;
    map(&entities.relationship_properties(r).map_err(io::Error::other)?, entities, out)?;
    out.write_all(b"}")
}

fn string(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if u32::from(c) < 0x20 => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    out.write_all(quoted.as_bytes())
}
