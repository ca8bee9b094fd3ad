//! Comparability: `<`, `<=`, `>`, `>=` between values of one type.

use std::cmp::Ordering;

use super::equality::equals;
use super::orderability::{order_datetimes, order_maps_by_keys, order_paths, order_times};
use crate::Value;
use crate::number::{compare_decimals, compare_int_float};

/// What comparing two values can come to.
enum Outcome {
    /// Both have a place on one line.
    Ordered(Ordering),
    /// NaN is involved: no comparison holds.
    Unordered,
    /// Unknown: null is involved, or the types differ.
    Unknown,
}

/// How `a` compares with `b`; `None` if the two are incomparable (different types, null, NaN, durations,
/// IRIs, literals: SPARQL has no `<` for the last two either).
///
/// NaN is not told apart from null here: use [`less`] and its sisters to evaluate an operator.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match outcome(a, b) {
        Outcome::Ordered(ordering) => Some(ordering),
        Outcome::Unordered | Outcome::Unknown => None,
    }
}

/// `a < b`; `None` is null.
pub fn less(a: &Value, b: &Value) -> Option<bool> {
    holds(a, b, Ordering::is_lt)
}

/// `a <= b`; `None` is null.
pub fn less_or_equal(a: &Value, b: &Value) -> Option<bool> {
    holds(a, b, Ordering::is_le)
}

/// `a > b`; `None` is null.
pub fn greater(a: &Value, b: &Value) -> Option<bool> {
    holds(a, b, Ordering::is_gt)
}

/// `a >= b`; `None` is null.
pub fn greater_or_equal(a: &Value, b: &Value) -> Option<bool> {
    holds(a, b, Ordering::is_ge)
}

fn holds(a: &Value, b: &Value, accepts: fn(Ordering) -> bool) -> Option<bool> {
    match outcome(a, b) {
        Outcome::Ordered(ordering) => Some(accepts(ordering)),
        Outcome::Unordered => Some(false),
        Outcome::Unknown => None,
    }
}

fn outcome(a: &Value, b: &Value) -> Outcome {
    let ordering = match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::Float(x), Value::Float(y)) => return numbers(x.partial_cmp(y)),
        (Value::Int(x), Value::Float(y)) => return numbers(compare_int_float(*x, *y)),
        (Value::Float(x), Value::Int(y)) => return numbers(compare_int_float(*y, *x).map(Ordering::reverse)),
        (Value::Decimal(_), _) | (_, Value::Decimal(_)) => {
            return compare_decimals(a, b).map_or(Outcome::Unknown, numbers);
        }
        (Value::String(x), Value::String(y)) => x.cmp(y),
        (Value::Bytes(x), Value::Bytes(y)) => x.cmp(y),
        (Value::List(x), Value::List(y)) => return in_sequence(x.iter(), y.iter()),
        // A null that a map has somewhere may be anything, and with it the map.
        (Value::Map(x), Value::Map(y)) if x.values().chain(y.values()).any(Value::is_null) => {
            return Outcome::Unknown;
        }
        (Value::Map(x), Value::Map(y)) => match order_maps_by_keys(x, y) {
            Ordering::Equal => return in_sequence(x.values(), y.values()),
            other => other,
        },
        (Value::Date(x), Value::Date(y)) => x.cmp(y),
        (Value::LocalTime(x), Value::LocalTime(y)) => x.cmp(y),
        (Value::Time(x), Value::Time(y)) => order_times(*x, *y),
        (Value::LocalDateTime(x), Value::LocalDateTime(y)) => x.cmp(y),
        (Value::DateTime(x), Value::DateTime(y)) => order_datetimes(x, y),
        (Value::Node(x), Value::Node(y)) => x.cmp(y),
        (Value::Relationship(x), Value::Relationship(y)) => x.id.cmp(&y.id),
        (Value::Path(x), Value::Path(y)) => order_paths(x, y),
        _ => return Outcome::Unknown,
    };
    Outcome::Ordered(ordering)
}

fn numbers(ordering: Option<Ordering>) -> Outcome {
    ordering.map_or(Outcome::Unordered, Outcome::Ordered)
}

/// Dictionary order: the first pair that is not equal decides; a missing element is less than any.
fn in_sequence<'a>(
    mut a: impl Iterator<Item = &'a Value>,
    mut b: impl Iterator<Item = &'a Value>,
) -> Outcome {
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Outcome::Ordered(Ordering::Equal),
            (None, Some(_)) => return Outcome::Ordered(Ordering::Less),
            (Some(_), None) => return Outcome::Ordered(Ordering::Greater),
            (Some(x), Some(y)) => match equals(x, y) {
                Some(true) => {}
                Some(false) => return outcome(x, y),
                None => return Outcome::Unknown,
            },
        }
    }
}
