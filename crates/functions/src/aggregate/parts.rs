//! Parts of the lists that accumulators are as values, and how they are read.

use trimorph_types::Value;

/// A number of 128 bits as two of 64, the upper first.
#[expect(clippy::cast_possible_truncation, reason = "the number is cut in halves")]
pub(crate) fn halves(number: i128) -> [Value; 2] {
    [Value::Int((number >> 64) as i64), Value::Int(number as i64)]
}

/// The other way.
pub(crate) fn whole(high: &Value, low: &Value) -> Option<i128> {
    Some(i128::from(integer(high)?) << 64 | i128::from(integer(low)?.cast_unsigned()))
}

pub(crate) fn integer(value: &Value) -> Option<i64> {
    if let Value::Int(n) = value { Some(*n) } else { None }
}

pub(crate) fn float(value: &Value) -> Option<f64> {
    if let Value::Float(x) = value { Some(*x) } else { None }
}

pub(crate) fn boolean(value: &Value) -> Option<bool> {
    if let Value::Bool(b) = value { Some(*b) } else { None }
}
