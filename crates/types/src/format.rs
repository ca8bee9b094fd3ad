//! A value's text: takes a value and a describer of nodes and relationships, gives openCypher text.
//!
//! [`format_literal`] is the form of the TCK's tables: strings and temporal values in single quotes at every
//! depth. [`format_value`] is the form for people and `toString`: the same, but a string or temporal value
//! that stands alone is bare. RDF terms look the same in both: `<iri>`, `'text'@en`, `'text'^^<datatype>`;
//! decimals are their digits.

use std::fmt::Write as _;

use trimorph_base::NodeId;

use crate::value::{Path, Relationship};
use crate::{Map, Value};

/// What nodes and relationships look like; only whoever holds the snapshot knows.
pub trait Describe {
    /// Text of a node, such as `(:Person {name: 'Ann'})`.
    fn node(&self, node: NodeId) -> String;
    /// Text of a relationship, such as `[:KNOWS {since: 2010}]`.
    fn relationship(&self, relationship: &Relationship) -> String;
}

/// Shows nodes and relationships by id only, for messages and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdsOnly;

impl Describe for IdsOnly {
    fn node(&self, node: NodeId) -> String {
        format!("(#{})", node.0)
    }

    fn relationship(&self, relationship: &Relationship) -> String {
        format!("[#{}]", relationship.id.0)
    }
}

/// Text of `value` with strings and temporal values quoted: `'a'`, `['1984-10-11', 1.0, null]`, `{k: true}`.
pub fn format_literal(value: &Value, describe: &dyn Describe) -> String {
    let mut out = String::new();
    write_literal(&mut out, value, describe);
    out
}

/// Text of `value` as `toString` and result tables show it: a lone string or temporal value is not quoted.
pub fn format_value(value: &Value, describe: &dyn Describe) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Float(x) if x.is_infinite() => String::from(if *x > 0.0 { "Infinity" } else { "-Infinity" }),
        _ => temporal_text(value).unwrap_or_else(|| format_literal(value, describe)),
    }
}

/// ISO 8601 text of a temporal value or duration, `None` for any other value.
pub fn temporal_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Date(x) => x.to_string(),
        Value::LocalTime(x) => x.to_string(),
        Value::Time(x) => x.to_string(),
        Value::LocalDateTime(x) => x.to_string(),
        Value::DateTime(x) => x.to_string(),
        Value::Duration(x) => x.to_string(),
        _ => return None,
    })
}

/// Text of a float: shortest digits that read back the same, plain from 1e-6 up to 1e21, else with an
/// exponent.
pub fn format_float(number: f64) -> String {
    let magnitude = number.abs();
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        (if number > 0.0 { "Inf" } else { "-Inf" }).into()
    } else if number == 0.0 {
        // Both zeros are equal, and each reads back as itself.
        (if number.is_sign_negative() { "-0.0" } else { "0.0" }).into()
    } else if (1e-6..1e21).contains(&magnitude) {
        let mut text = number.to_string();
        if !text.contains('.') {
            text.push_str(".0");
        }
        text
    } else {
        format!("{number:e}")
    }
}

fn write_literal(out: &mut String, value: &Value, describe: &dyn Describe) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(x) => out.push_str(if *x { "true" } else { "false" }),
        Value::Int(x) => _ = write!(out, "{x}"),
        Value::Float(x) => out.push_str(&format_float(*x)),
        Value::Decimal(x) => _ = write!(out, "{x}"),
        Value::String(text) => write_quoted(out, text),
        // A blank node and a triple term have marks of their own.
        Value::Iri(term) if term.starts_with("_:") || term.starts_with("<<(") => out.push_str(term),
        Value::Iri(iri) => _ = write!(out, "<{iri}>"),
        Value::Literal(literal) => {
            write_quoted(out, &literal.lexical);
            _ = write!(out, "{}", literal.kind);
        }
        Value::Bytes(bytes) => {
            out.push_str("0x");
            bytes.iter().for_each(|byte| _ = write!(out, "{byte:02x}"));
        }
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_literal(out, item, describe);
            }
            out.push(']');
        }
        Value::Map(entries) => write_map(out, entries, describe),
        Value::Node(node) => out.push_str(&describe.node(*node)),
        Value::Relationship(relationship) => out.push_str(&describe.relationship(relationship)),
        Value::Path(path) => write_path(out, path, describe),
        Value::Date(_)
        | Value::LocalTime(_)
        | Value::Time(_)
        | Value::LocalDateTime(_)
        | Value::DateTime(_)
        | Value::Duration(_) => {
            out.push('\'');
            out.push_str(&temporal_text(value).unwrap_or_default());
            out.push('\'');
        }
    }
}

/// Writes `{key: value, …}`, keys in order, quoting with backticks what is not an identifier.
fn write_map(out: &mut String, entries: &Map, describe: &dyn Describe) {
    out.push('{');
    for (i, (key, value)) in entries.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        write_name(out, key);
        out.push_str(": ");
        write_literal(out, value, describe);
    }
    out.push('}');
}

/// A property map as a describer shows it within a node or relationship: `{name: 'Ann'}`.
pub fn format_map(entries: &Map, describe: &dyn Describe) -> String {
    let mut out = String::new();
    write_map(&mut out, entries, describe);
    out
}

fn write_name(out: &mut String, name: &str) {
    let mut letters = name.chars();
    let plain = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        out.push_str(name);
    } else {
        out.push('`');
        out.push_str(&name.replace('`', "``"));
        out.push('`');
    }
}

fn write_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => out.push(c),
        }
    }
    out.push('\'');
}

/// Writes `<(a)-[r]->(b)<-[s]-(c)>`; the arrow shows the stored direction against the walk.
fn write_path(out: &mut String, path: &Path, describe: &dyn Describe) {
    out.push('<');
    for (i, node) in path.nodes.iter().enumerate() {
        out.push_str(&describe.node(*node));
        if let Some(relationship) = path.relationships.get(i) {
            let forward = relationship.start == *node;
            out.push_str(if forward { "-" } else { "<-" });
            out.push_str(&describe.relationship(relationship));
            out.push_str(if forward { "->" } else { "-" });
        }
    }
    out.push('>');
}
