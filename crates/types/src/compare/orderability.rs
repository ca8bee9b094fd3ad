//! Orderability: the total order over all values.
//!
//! Ascending by type: map, node, relationship, list, path, IRI, zoned date-time, local date-time, date, zoned
//! time, local time, duration, bytes, string, literal, boolean, number (NaN last), null; within a type by
//! comparability, nulls and NaNs being equal to themselves. IRIs stand before everything that is a literal in
//! RDF, as in SPARQL's ORDER BY; they are ordered by code points, literals by text, then language or
//! datatype. Values are equal here exactly if they are equivalent.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::Value;
use crate::number::{compare_decimals, compare_int_float};
use crate::value::{DateTime, Duration, Map, Path, Time, Zone};

/// The place of `a` relative to `b` in ascending `ORDER BY`.
///
/// **Nulls / order**: total; null is last.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::Float(x), Value::Float(y)) => x.partial_cmp(y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())),
        (Value::Int(x), Value::Float(y)) => compare_int_float(*x, *y).unwrap_or(Ordering::Less),
        (Value::Float(x), Value::Int(y)) => {
            compare_int_float(*y, *x).map_or(Ordering::Greater, Ordering::reverse)
        }
        (Value::String(x), Value::String(y)) | (Value::Iri(x), Value::Iri(y)) => x.cmp(y),
        (Value::Literal(x), Value::Literal(y)) => x.cmp(y),
        (Value::Bytes(x), Value::Bytes(y)) => x.cmp(y),
        (Value::List(x), Value::List(y)) => in_sequence(x.iter(), y.iter()),
        (Value::Map(x), Value::Map(y)) => {
            order_maps_by_keys(x, y).then_with(|| in_sequence(x.values(), y.values()))
        }
        (Value::Date(x), Value::Date(y)) => x.cmp(y),
        (Value::LocalTime(x), Value::LocalTime(y)) => x.cmp(y),
        (Value::Time(x), Value::Time(y)) => order_times(*x, *y),
        (Value::LocalDateTime(x), Value::LocalDateTime(y)) => x.cmp(y),
        (Value::DateTime(x), Value::DateTime(y)) => order_datetimes(x, y),
        (Value::Duration(x), Value::Duration(y)) => order_durations(x, y),
        (Value::Node(x), Value::Node(y)) => x.cmp(y),
        (Value::Relationship(x), Value::Relationship(y)) => x.id.cmp(&y.id),
        (Value::Path(x), Value::Path(y)) => order_paths(x, y),
        _ => match compare_decimals(a, b) {
            Some(Some(ordering)) => ordering,
            // NaN is the largest number.
            Some(None) if matches!(a, Value::Decimal(_)) => Ordering::Less,
            Some(None) => Ordering::Greater,
            None => rank(a).cmp(&rank(b)),
        },
    }
}

/// The place of a value's type. Numbers share one.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 0,
        Value::Node(_) => 1,
        Value::Relationship(_) => 2,
        Value::List(_) => 3,
        Value::Path(_) => 4,
        Value::Iri(_) => 5,
        Value::DateTime(_) => 6,
        Value::LocalDateTime(_) => 7,
        Value::Date(_) => 8,
        Value::Time(_) => 9,
        Value::LocalTime(_) => 10,
        Value::Duration(_) => 11,
        Value::Bytes(_) => 12,
        Value::String(_) => 13,
        Value::Literal(_) => 14,
        Value::Bool(_) => 15,
        Value::Int(_) | Value::Float(_) | Value::Decimal(_) => 16,
        Value::Null => 17,
    }
}

fn in_sequence<'a>(
    mut a: impl Iterator<Item = &'a Value>,
    mut b: impl Iterator<Item = &'a Value>,
) -> Ordering {
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => match order(x, y) {
                Ordering::Equal => {}
                other => return other,
            },
        }
    }
}

/// Smaller maps first, then by their keys in order.
pub(super) fn order_maps_by_keys(a: &Map, b: &Map) -> Ordering {
    let differ = || a.len().cmp(&b.len()).then_with(|| a.keys().cmp(b.keys()));
    if Arc::ptr_eq(a.shared_keys(), b.shared_keys()) { Ordering::Equal } else { differ() }
}

/// By instant, then by offset.
#[inline]
pub fn order_times(a: Time, b: Time) -> Ordering {
    let utc = |t: Time| i128::from(t.nanos) - i128::from(t.offset_seconds) * 1_000_000_000;
    utc(a).cmp(&utc(b)).then(a.offset_seconds.cmp(&b.offset_seconds))
}

/// By instant, then by offset, then by zone name (fixed offsets before named zones).
pub(super) fn order_datetimes(a: &DateTime, b: &DateTime) -> Ordering {
    (a.seconds, a.nanos).cmp(&(b.seconds, b.nanos)).then_with(|| order_zones(&a.zone, &b.zone))
}

/// What orders one instant shown in two zones: the offset, then the name (fixed offsets before named zones).
pub fn order_zones(a: &Zone, b: &Zone) -> Ordering {
    fn key(zone: &Zone) -> (i32, Option<&str>) {
        match zone {
            Zone::Offset(offset) => (*offset, None),
            Zone::Named { name, offset_seconds } => (*offset_seconds, Some(name)),
        }
    }
    key(a).cmp(&key(b))
}

/// By length, a month being 30.436875 days (a year of 365.2425) and a day 24 hours; then by components.
pub fn order_durations(a: &Duration, b: &Duration) -> Ordering {
    let parts = |d: &Duration| (d.months, d.days, d.seconds);
    (length(a), a.nanos).cmp(&(length(b), b.nanos)).then_with(|| parts(a).cmp(&parts(b)))
}

/// The whole seconds that durations are ordered by first.
pub fn length(d: &Duration) -> i128 {
    const SECONDS_PER_MONTH: i128 = 2_629_746;
    const SECONDS_PER_DAY: i128 = 86_400;
    i128::from(d.months) * SECONDS_PER_MONTH + i128::from(d.days) * SECONDS_PER_DAY + i128::from(d.seconds)
}

/// As the list of alternating nodes and relationships.
pub(super) fn order_paths(a: &Path, b: &Path) -> Ordering {
    let steps = |p: &Path| -> Vec<u64> {
        let mut ids = Vec::with_capacity(p.nodes.len() + p.relationships.len());
        for (i, node) in p.nodes.iter().enumerate() {
            ids.push(node.0);
            ids.extend(p.relationships.get(i).map(|r| r.id.0));
        }
        ids
    };
    steps(a).cmp(&steps(b))
}
