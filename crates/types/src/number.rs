//! Integers, floats and decimals against each other, compared without losing a digit.
//!
//! Casting either side first is wrong above 2^53; the float is split into its whole and fractional part
//! instead.

use std::cmp::Ordering;

use crate::{Decimal, Value};

/// 2^63 as a float: the first value above every `i64`.
const I64_END: f64 = 9_223_372_036_854_775_808.0;

/// Compares `a` with `b` as exact numbers; `None` if `b` is NaN.
#[expect(clippy::cast_possible_truncation, reason = "the whole part was checked to be in range")]
pub fn compare_int_float(a: i64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b >= I64_END {
        return Some(Ordering::Less);
    }
    if b < -I64_END {
        return Some(Ordering::Greater);
    }
    let whole = b.trunc();
    let fraction = b - whole;
    let rest = if fraction > 0.0 {
        Ordering::Less
    } else if fraction < 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    };
    Some(a.cmp(&(whole as i64)).then(rest))
}

/// The integer that `number` is exactly, if it is one within `i64`.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
pub fn exact_int(number: f64) -> Option<i64> {
    (number.trunc() == number && (-I64_END..I64_END).contains(&number)).then_some(number as i64)
}

/// Compares two numbers of which at least one is a decimal: the inner `None` is NaN, the outer one that this
/// is not such a pair.
#[expect(clippy::option_option, reason = "the two are told apart")]
pub(crate) fn compare_decimals(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    Some(match (a, b) {
        (Value::Decimal(x), Value::Decimal(y)) => Some(x.cmp(y)),
        (Value::Decimal(x), Value::Int(y)) => Some(x.cmp(&Decimal::from(*y))),
        (Value::Int(x), Value::Decimal(y)) => Some(Decimal::from(*x).cmp(y)),
        (Value::Decimal(x), Value::Float(y)) => x.compare_float(*y),
        (Value::Float(x), Value::Decimal(y)) => y.compare_float(*x).map(Ordering::reverse),
        _ => return None,
    })
}
