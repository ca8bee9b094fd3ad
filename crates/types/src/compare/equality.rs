//! Equality (`=`, ternary) and equivalence (grouping, two-valued).

use std::cmp::Ordering;

use crate::Value;
use crate::number::{compare_decimals, compare_int_float};

/// `a = b`: `None` is the unknown null.
///
/// **Nulls**: null on either side is unknown; within lists and maps of the same shape a null makes the answer
/// unknown unless another pair already differs. Different literals of datatypes are unknown, see
/// [`crate::Literal::equals`].
pub fn equals(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::List(x), Value::List(y)) => {
            if x.len() != y.len() {
                return Some(false);
            }
            all(x.iter().zip(y.iter()).map(|(a, b)| equals(a, b)))
        }
        (Value::Map(x), Value::Map(y)) => {
            if !x.has_keys_of(y) {
                return Some(false);
            }
            all(x.values().zip(y.values()).map(|(a, b)| equals(a, b)))
        }
        (Value::Literal(x), Value::Literal(y)) => x.equals(y),
        _ => Some(same_scalar(a, b)),
    }
}

/// Ternary AND: the first false decides, otherwise any unknown.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut unknown = false;
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => unknown = true,
        }
    }
    if unknown { None } else { Some(true) }
}

/// Whether `a` and `b` are the same for `DISTINCT` and grouping: equality, but null ≡ null and NaN ≡ NaN.
pub fn equivalent(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Float(x), Value::Float(y)) if x.is_nan() && y.is_nan() => true,
        (Value::List(x), Value::List(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(a, b)| equivalent(a, b))
        }
        (Value::Map(x), Value::Map(y)) => {
            x.has_keys_of(y) && x.values().zip(y.values()).all(|(a, b)| equivalent(a, b))
        }
        _ => same_scalar(a, b),
    }
}

/// Equality of everything that holds no other value; containers and null are never the same here.
#[expect(clippy::float_cmp, reason = "openCypher compares floats exactly")]
fn same_scalar(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Float(x), Value::Float(y)) => x == y,
        (Value::Int(x), Value::Float(y)) | (Value::Float(y), Value::Int(x)) => {
            compare_int_float(*x, *y) == Some(Ordering::Equal)
        }
        (Value::Decimal(_), _) | (_, Value::Decimal(_)) => {
            compare_decimals(a, b) == Some(Some(Ordering::Equal))
        }
        (Value::String(x), Value::String(y)) | (Value::Iri(x), Value::Iri(y)) => x == y,
        (Value::Literal(x), Value::Literal(y)) => x == y,
        (Value::Bytes(x), Value::Bytes(y)) => x == y,
        (Value::Date(x), Value::Date(y)) => x == y,
        (Value::LocalTime(x), Value::LocalTime(y)) => x == y,
        (Value::Time(x), Value::Time(y)) => x == y,
        (Value::LocalDateTime(x), Value::LocalDateTime(y)) => x == y,
        (Value::DateTime(x), Value::DateTime(y)) => x == y,
        (Value::Duration(x), Value::Duration(y)) => x == y,
        (Value::Node(x), Value::Node(y)) => x == y,
        (Value::Relationship(x), Value::Relationship(y)) => x.id == y.id,
        (Value::Path(x), Value::Path(y)) => {
            x.nodes == y.nodes
                && x.relationships.iter().map(|r| r.id).eq(y.relationships.iter().map(|r| r.id))
        }
        _ => false,
    }
}
