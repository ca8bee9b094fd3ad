//! One general value to bytes and back, every kind and every bit of it.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};
use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LiteralKind, LocalDateTime, LocalTime, Path, Relationship,
    Time, Value, Zone,
};

use super::bytes::{Reader, put_bytes, put_u64};

fn put(out: &mut Vec<u8>, tag: u8, parts: &[i64]) {
    out.push(tag);
    parts.iter().for_each(|part| out.extend_from_slice(&part.to_le_bytes()));
}

fn put_text(out: &mut Vec<u8>, tag: u8, text: &str) {
    out.push(tag);
    put_bytes(out, text.as_bytes());
}

fn put_relationship(out: &mut Vec<u8>, relationship: &Relationship) {
    put_u64(out, relationship.id.0);
    put_u64(out, relationship.start.0);
    put_u64(out, relationship.end.0);
}

/// Appends the bytes of a value.
pub(super) fn encode(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0),
        Value::Bool(b) => out.extend_from_slice(&[1, u8::from(*b)]),
        Value::Int(i) => put(out, 2, &[*i]),
        Value::Float(f) => put(out, 3, &[f.to_bits().cast_signed()]),
        Value::String(text) => put_text(out, 4, text),
        Value::Iri(iri) => put_text(out, 5, iri),
        Value::Bytes(bytes) => {
            out.push(6);
            put_bytes(out, bytes);
        }
        Value::List(items) => {
            out.push(7);
            put_u64(out, items.len() as u64);
            items.iter().for_each(|item| encode(item, out));
        }
        Value::Map(entries) => {
            out.push(8);
            put_u64(out, entries.len() as u64);
            for (key, item) in entries.iter() {
                put_bytes(out, key.as_bytes());
                encode(item, out);
            }
        }
        Value::Date(d) => put(out, 9, &[d.days]),
        Value::LocalTime(t) => put(out, 10, &[t.nanos]),
        Value::Time(t) => put(out, 11, &[t.nanos, t.offset_seconds.into()]),
        Value::LocalDateTime(t) => put(out, 12, &[t.seconds, t.nanos.into()]),
        Value::DateTime(t) => match &t.zone {
            Zone::Offset(offset) => put(out, 13, &[t.seconds, t.nanos.into(), (*offset).into()]),
            Zone::Named { name, offset_seconds } => {
                put(out, 14, &[t.seconds, t.nanos.into(), (*offset_seconds).into()]);
                put_bytes(out, name.as_bytes());
            }
        },
        Value::Duration(d) => put(out, 15, &[d.months, d.days, d.seconds, d.nanos.into()]),
        Value::Decimal(d) => {
            out.extend_from_slice(&[16, d.scale()]);
            out.extend_from_slice(&d.unscaled().to_le_bytes());
        }
        Value::Node(node) => put(out, 17, &[node.0.cast_signed()]),
        Value::Relationship(relationship) => {
            out.push(18);
            put_relationship(out, relationship);
        }
        Value::Path(path) => {
            out.push(19);
            put_u64(out, path.nodes.len() as u64);
            path.nodes.iter().for_each(|node| put_u64(out, node.0));
            put_u64(out, path.relationships.len() as u64);
            path.relationships.iter().for_each(|r| put_relationship(out, r));
        }
        Value::Literal(literal) => {
            let (tag, of) = match &literal.kind {
                LiteralKind::Language(tag) => (20, tag),
                LiteralKind::Datatype(iri) => (21, iri),
            };
            put_text(out, tag, &literal.lexical);
            put_bytes(out, of.as_bytes());
        }
    }
}

/// Reads one value; `None` where the bytes are none.
pub(super) fn decode(from: &mut Reader<'_>) -> Option<Value> {
    let small = |n: i64| i32::try_from(n).ok();
    let nanos = |n: i64| u32::try_from(n).ok();
    Some(match from.u8()? {
        0 => Value::Null,
        1 => Value::Bool(from.u8()? != 0),
        2 => Value::Int(from.i64()?),
        3 => Value::Float(f64::from_bits(from.u64()?)),
        4 => Value::string(from.text()?),
        5 => Value::iri(from.text()?),
        6 => Value::Bytes(Arc::from(from.bytes()?)),
        7 => {
            let len = from.count(1)?;
            let mut items = Vec::with_capacity(len);
            for _ in 0..len {
                items.push(decode(from)?);
            }
            Value::list(items)
        }
        8 => {
            let mut entries = Vec::new();
            for _ in 0..from.count(1)? {
                entries.push((Arc::from(from.text()?), decode(from)?));
            }
            Value::map(entries.into_iter().collect())
        }
        9 => Value::Date(Date { days: from.i64()? }),
        10 => Value::LocalTime(LocalTime { nanos: from.i64()? }),
        11 => Value::Time(Time { nanos: from.i64()?, offset_seconds: small(from.i64()?)? }),
        12 => Value::LocalDateTime(LocalDateTime { seconds: from.i64()?, nanos: nanos(from.i64()?)? }),
        tag @ (13 | 14) => {
            let (seconds, nanos) = (from.i64()?, nanos(from.i64()?)?);
            let offset_seconds = small(from.i64()?)?;
            let zone = match tag {
                13 => Zone::Offset(offset_seconds),
                _ => Zone::Named { name: from.text()?.into(), offset_seconds },
            };
            Value::DateTime(DateTime { seconds, nanos, zone })
        }
        15 => Value::Duration(Duration {
            months: from.i64()?,
            days: from.i64()?,
            seconds: from.i64()?,
            nanos: small(from.i64()?)?,
        }),
        16 => {
            let scale = from.u8()?;
            Value::Decimal(Decimal::new(i128::from_le_bytes(from.array()?), scale)?)
        }
        17 => Value::Node(NodeId(from.u64()?)),
        18 => Value::Relationship(relationship(from)?),
        19 => {
            let count = from.count(8)?;
            let nodes = (0..count).map(|_| from.u64().map(NodeId)).collect::<Option<_>>()?;
            let count = from.count(24)?;
            let relationships = (0..count).map(|_| relationship(from)).collect::<Option<_>>()?;
            Value::Path(Arc::new(Path { nodes, relationships }))
        }
        20 => Value::Literal(Arc::new(Literal::in_language(from.text()?, from.text()?))),
        21 => Value::Literal(Arc::new(Literal::of_datatype(from.text()?, from.text()?))),
        _ => return None,
    })
}

fn relationship(from: &mut Reader<'_>) -> Option<Relationship> {
    let (id, start, end) = (EdgeId(from.u64()?), NodeId(from.u64()?), NodeId(from.u64()?));
    Some(Relationship { id, start, end })
}
