//! The form in which a value is compared as a key: a tag and 64 bits where its size is fixed, else bytes.
//! Values that are equivalent have equal forms, whatever vectors they come in.

use std::borrow::Cow;

use trimorph_types::number::exact_int;
use trimorph_types::{Decimal, LiteralKind, Time, Value, Zone};
use trimorph_vector::{Number, Values, Vector, by_id};

pub(super) const TAG_NULL: u8 = 0;
pub(super) const TAG_BOOL: u8 = 1;
pub(super) const TAG_INT: u8 = 2;
pub(super) const TAG_FLOAT: u8 = 3;
pub(super) const TAG_NODE: u8 = 4;
pub(super) const TAG_EDGE: u8 = 5;
pub(super) const TAG_DATE: u8 = 6;
pub(super) const TAG_UTC: u8 = 7;
pub(super) const TAG_TEXT: u8 = 8;
pub(super) const TAG_OTHER: u8 = 9;
pub(super) const TAG_LOCAL_TIME: u8 = 10;
pub(super) const TAG_LOCAL_DATE_TIME: u8 = 11;
pub(super) const TAG_TIME: u8 = 13;
/// An IRI by the number of its text.
pub(super) const TAG_IRI: u8 = 14;
/// A decimal that is neither an integer nor a float.
pub(super) const TAG_DECIMAL: u8 = 15;
/// An instant of another offset than UTC's, to the millisecond.
pub(super) const TAG_ZONED: u8 = 16;
/// What no key has: a value that was never numbered.
pub(super) const TAG_MISSING: u8 = 12;

pub(super) fn float_key(f: f64) -> (u8, u64) {
    match exact_int(f) {
        Some(i) => (TAG_INT, i.cast_unsigned()),
        None if f.is_nan() => (TAG_FLOAT, f64::NAN.to_bits()),
        None => (TAG_FLOAT, f.to_bits()),
    }
}

/// The tag and bits of a value of fixed size.
#[inline]
pub(super) fn fixed_key(vector: &Vector<'_>, i: usize) -> Option<(u8, u64)> {
    if vector.is_null(i) {
        return Some((TAG_NULL, 0));
    }
    Some(match &vector.values {
        Values::Int(v) => (TAG_INT, v[i].cast_unsigned()),
        Values::Node(v) => (TAG_NODE, v.id(i).0),
        Values::Edge(v) => (TAG_EDGE, v.id(i).0),
        Values::Bool(v) => (TAG_BOOL, v[i].into()),
        Values::Date(v) => (TAG_DATE, i64::from(v[i]).cast_unsigned()),
        Values::DateTime(v) => (TAG_UTC, v[i].cast_unsigned()),
        Values::LocalTime(v) => (TAG_LOCAL_TIME, v[i].cast_unsigned()),
        Values::LocalDateTime(v) => (TAG_LOCAL_DATE_TIME, v[i].cast_unsigned()),
        Values::Float(v) => float_key(v[i]),
        Values::Number(v) => match v.get(i) {
            Number::Int(n) => (TAG_INT, n.cast_unsigned()),
            Number::Float(f) => float_key(f),
        },
        Values::Time(v) => (TAG_TIME, time_bits(v[i])?),
        Values::Zoned(v) => return zoned_key(v.values()[i], v.tag(i)?),
        Values::Decimal(v) => return decimal_key(v.at(i)),
        Values::Any(v) => return fixed_value_key(&v[i]),
        _ => return None,
    })
}

/// A time of day and its offset, which is below 18 hours and some: 47 bits and 17.
fn time_bits(t: Time) -> Option<u64> {
    const OFFSETS: u64 = 1 << 17;
    let nanos = u64::try_from(t.nanos).ok().filter(|n| *n < 1 << 47)?;
    let offset = u64::try_from(i64::from(t.offset_seconds) + (1 << 16)).ok().filter(|o| *o < OFFSETS)?;
    Some(nanos * OFFSETS + offset)
}

/// The integer or float that a decimal is, or, of few digits, these and the scale, which is below 64.
fn decimal_key(d: Decimal) -> Option<(u8, u64)> {
    const FEW: i128 = 1 << 57;
    if let Some(i) = d.exact_int() {
        return Some((TAG_INT, i.cast_unsigned()));
    }
    if let Some(float) = d.exact_float() {
        return Some(float_key(float));
    }
    let unscaled = i64::try_from(d.unscaled()).ok().filter(|n| (-FEW..FEW).contains(&i128::from(*n)))?;
    Some((TAG_DECIMAL, (unscaled << 6).cast_unsigned() | u64::from(d.scale())))
}

/// An instant of UTC in nanoseconds, or one of another offset in milliseconds: 64 bits of nanoseconds are 45
/// bits of these, and offsets are below 18 hours and some.
fn zoned_key(nanos: i64, zone: &Zone) -> Option<(u8, u64)> {
    const MILLIS: i64 = 1_000_000;
    const OFFSETS: u64 = 1 << 18;
    let Zone::Offset(offset) = zone else { return None };
    if *offset == 0 {
        return Some((TAG_UTC, nanos.cast_unsigned()));
    }
    let offset = u64::try_from(i64::from(*offset) + (1 << 17)).ok().filter(|offset| *offset < OFFSETS)?;
    (nanos % MILLIS == 0).then(|| (TAG_ZONED, (nanos / MILLIS).cast_unsigned() << 18 | offset))
}

/// Nanoseconds since the epoch, as vectors keep them, where they fit.
fn nanos(seconds: i64, nanos: u32) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())
}

pub(super) fn fixed_value_key(value: &Value) -> Option<(u8, u64)> {
    Some(match value {
        Value::Null => (TAG_NULL, 0),
        Value::Bool(b) => (TAG_BOOL, (*b).into()),
        Value::Int(i) => (TAG_INT, i.cast_unsigned()),
        Value::Float(f) => float_key(*f),
        Value::Decimal(d) => return decimal_key(*d),
        Value::Time(t) => (TAG_TIME, time_bits(*t)?),
        Value::Node(n) => (TAG_NODE, n.0),
        Value::Relationship(r) => (TAG_EDGE, r.id.0),
        Value::Date(d) => (TAG_DATE, d.days.cast_unsigned()),
        Value::DateTime(t) => return zoned_key(nanos(t.seconds, t.nanos)?, &t.zone),
        Value::LocalTime(t) => (TAG_LOCAL_TIME, t.nanos.cast_unsigned()),
        Value::LocalDateTime(t) => (TAG_LOCAL_DATE_TIME, nanos(t.seconds, t.nanos)?.cast_unsigned()),
        _ => return None,
    })
}

/// As `fixed_key`, for other modules: with `fixed_key` itself open to them, the loops here were compiled
/// differently and grouping by 3 M values took 1.19 times as long.
pub(crate) fn cell_key(vector: &Vector<'_>, i: usize) -> Option<(u8, u64)> {
    fixed_key(vector, i)
}

/// The bits of the values of a vector at `positions`, if all have the same tag; the same bits as
/// `fixed_key`'s.
pub(crate) fn fixed_bits(vector: &Vector<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<u8> {
    let is_plain = vector.nulls.is_none() || !positions.iter().any(|p| vector.nulls.get(*p as usize));
    if is_plain { value_bits(&vector.values, positions, out) } else { None }
}

/// The same of values whatever is null; what stands there for nulls is taken as well.
pub(super) fn value_bits(values: &Values<'_>, positions: &[u32], out: &mut Vec<u64>) -> Option<u8> {
    out.clear();
    let at = positions.iter().map(|p| *p as usize);
    Some(match values {
        Values::Int(v) => {
            out.extend(at.map(|i| v[i].cast_unsigned()));
            TAG_INT
        }
        Values::Node(v) => {
            v.for_each(at, |_, id| out.push(id.0));
            TAG_NODE
        }
        Values::Edge(v) => {
            out.extend(at.map(|i| v.id(i).0));
            TAG_EDGE
        }
        Values::Date(v) => {
            out.extend(at.map(|i| i64::from(v[i]).cast_unsigned()));
            TAG_DATE
        }
        Values::DateTime(v) => {
            out.extend(at.map(|i| v[i].cast_unsigned()));
            TAG_UTC
        }
        Values::LocalTime(v) => {
            out.extend(at.map(|i| v[i].cast_unsigned()));
            TAG_LOCAL_TIME
        }
        Values::LocalDateTime(v) => {
            out.extend(at.map(|i| v[i].cast_unsigned()));
            TAG_LOCAL_DATE_TIME
        }
        Values::Bool(v) => {
            out.extend(at.map(|i| u64::from(v[i])));
            TAG_BOOL
        }
        // Floats that are all whole numbers, as those of `floor` are.
        Values::Float(v) => {
            let whole = |f: f64| exact_int(f).map(i64::cast_unsigned);
            if !at.clone().all(|i| whole(v[i]).is_some()) {
                return None;
            }
            out.extend(at.map(|i| whole(v[i]).unwrap_or(0)));
            TAG_INT
        }
        _ => return None,
    })
}

/// Appends the encoded form of the value at `i`.
pub(crate) fn encode(vector: &Vector<'_>, i: usize, out: &mut Vec<u8>) {
    if let Some((tag, bits)) = fixed_key(vector, i) {
        out.push(tag);
        out.extend_from_slice(&bits.to_le_bytes());
        return;
    }
    match &vector.values {
        Values::String(v) => encode_text(v.get(i), out),
        Values::Iri(v) => encode_iri(v.get(i), out),
        Values::Duration(v) => encode_value(&Value::Duration(v[i]), out),
        Values::Literal(v) if let Some(kind) = v.tag(i) => encode_literal(v.values().get(i), kind, out),
        Values::List(lists) => {
            encode_header(LIST, lists.count(i), out);
            lists.elements(i).for_each(|e| encode(lists.child(), e as usize, out));
        }
        Values::Map(maps) => {
            encode_header(MAP, maps.keys().len(), out);
            for (key, field) in maps.keys().iter().zip(maps.fields()) {
                encode_text(key, out);
                encode(field, i, out);
            }
        }
        Values::Tuple(tuples) => {
            encode_header(LIST, tuples.fields().len(), out);
            tuples.fields().iter().for_each(|part| encode(part, i, out));
        }
        Values::Any(values) => encode_value(&values[i], out),
        _ => encode_value(&vector.value(i, &by_id), out),
    }
}

const LIST: u8 = 1;
const MAP: u8 = 2;

/// What the encoded form of a list or map begins with.
fn encode_header(kind: u8, len: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&[TAG_OTHER, kind]);
    out.extend_from_slice(&(len as u64).to_le_bytes());
}

/// Appends the encoded form of a text.
pub(crate) fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.push(TAG_TEXT);
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// The text that this is the encoded form of, if it is one.
pub(crate) fn decode_text(bytes: &[u8]) -> Option<&str> {
    let text = bytes.strip_prefix(&[TAG_TEXT])?.get(size_of::<u64>()..)?;
    std::str::from_utf8(text).ok()
}

fn encode_iri(iri: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&[TAG_OTHER, 11]);
    encode_text(iri, out);
}

fn encode_literal(lexical: &str, kind: &LiteralKind, out: &mut Vec<u8>) {
    let (kind, of) = match kind {
        LiteralKind::Language(tag) => (12, Cow::Owned(tag.to_ascii_lowercase())),
        LiteralKind::Datatype(iri) => (13, Cow::Borrowed(&**iri)),
    };
    out.extend_from_slice(&[TAG_OTHER, kind]);
    encode_text(lexical, out);
    encode_text(&of, out);
}

pub(super) fn encode_value(value: &Value, out: &mut Vec<u8>) {
    if let Some((tag, bits)) = fixed_value_key(value) {
        out.push(tag);
        out.extend_from_slice(&bits.to_le_bytes());
        return;
    }
    let mut other = |kind: u8, parts: &[i64]| {
        out.extend_from_slice(&[TAG_OTHER, kind]);
        parts.iter().for_each(|p| out.extend_from_slice(&p.to_le_bytes()));
    };
    match value {
        Value::String(s) => encode_text(s, out),
        Value::Bytes(b) => {
            other(0, &[b.len() as i64]);
            out.extend_from_slice(b);
        }
        Value::List(items) => {
            encode_header(LIST, items.len(), out);
            items.iter().for_each(|v| encode_value(v, out));
        }
        Value::Map(map) => {
            encode_header(MAP, map.len(), out);
            for (k, v) in map.iter() {
                encode_text(k, out);
                encode_value(v, out);
            }
        }
        Value::LocalTime(t) => other(3, &[t.nanos]),
        Value::Time(t) => other(4, &[t.nanos, t.offset_seconds.into()]),
        Value::LocalDateTime(t) => other(5, &[t.seconds, t.nanos.into()]),
        Value::DateTime(t) => match &t.zone {
            Zone::Offset(offset) => other(6, &[t.seconds, t.nanos.into(), (*offset).into()]),
            Zone::Named { name, offset_seconds } => {
                other(7, &[t.seconds, t.nanos.into(), (*offset_seconds).into()]);
                encode_text(name, out);
            }
        },
        Value::Duration(d) => other(8, &[d.months, d.days, d.seconds, d.nanos.into()]),
        Value::Path(p) => {
            other(9, &[p.nodes.len() as i64]);
            p.nodes.iter().for_each(|n| out.extend_from_slice(&n.0.to_le_bytes()));
            p.relationships.iter().for_each(|r| out.extend_from_slice(&r.id.0.to_le_bytes()));
        }
        Value::Decimal(d) => {
            other(10, &[d.scale().into()]);
            out.extend_from_slice(&d.unscaled().to_le_bytes());
        }
        Value::Iri(iri) => encode_iri(iri, out),
        Value::Literal(literal) => encode_literal(&literal.lexical, &literal.kind, out),
        // Of fixed size.
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Date(_)
        | Value::Node(_)
        | Value::Relationship(_) => {}
    }
}
