//! `+ - * / % ^` and the unary signs, on numbers, strings, lists, temporal values and durations.
//!
//! Two integers give an integer (division towards zero) or an overflow error; with a float the result is a float.

use std::sync::Arc;

use trimorph_base::Diagnostic;
use trimorph_types::temporal::{Decimal, TemporalError};
use trimorph_types::{Duration, Value};

use crate::conversion::to_string;
use crate::error::{Answer, division_by_zero, overflow, temporal, wrong_operands, wrong_type};

/// The two operands as floats, if both are numbers.
#[expect(clippy::cast_precision_loss, reason = "an integer beside a float counts as a float")]
fn floats(a: &Value, b: &Value) -> Option<(f64, f64)> {
    let float = |value: &Value| match value {
        Value::Int(n) => Some(*n as f64),
        Value::Float(x) => Some(*x),
        _ => None,
    };
    Some((float(a)?, float(b)?))
}

fn any_null(a: &Value, b: &Value) -> bool {
    a.is_null() || b.is_null()
}

/// `a + b`: sum, concatenation of strings or lists, a list with an element more, a moment a duration later.
pub fn add(a: &Value, b: &Value) -> Answer {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            x.checked_add(*y).map(Value::Int).ok_or_else(|| overflow("addition"))
        }
        (Value::List(x), Value::List(y)) => Ok(Value::list(x.iter().chain(y.iter()).cloned().collect())),
        _ if any_null(a, b) => Ok(Value::Null),
        (Value::List(x), one) => Ok(Value::list(x.iter().chain([one]).cloned().collect())),
        (one, Value::List(y)) => Ok(Value::list([one].into_iter().chain(y.iter()).cloned().collect())),
        (Value::String(x), Value::String(y)) => Ok(Value::String(Arc::from([&**x, &**y].concat()))),
        (Value::String(x), Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
            joined(x, b, |x, y| [x, y].concat())
        }
        (Value::Int(_) | Value::Float(_) | Value::Bool(_), Value::String(y)) => {
            joined(y, a, |y, x| [x, y].concat())
        }
        (Value::Duration(x), Value::Duration(y)) => made(x.plus(*y).map(Value::Duration)),
        (Value::Duration(duration), moment) => {
            shifted(moment, *duration).unwrap_or_else(|| Err(wrong_operands("+", a, b)))
        }
        (moment, Value::Duration(duration)) => {
            shifted(moment, *duration).unwrap_or_else(|| Err(wrong_operands("+", a, b)))
        }
        _ => match floats(a, b) {
            Some((x, y)) => Ok(Value::Float(x + y)),
            None => Err(wrong_operands("+", a, b)),
        },
    }
}

fn joined(text: &str, other: &Value, join: fn(&str, &str) -> String) -> Answer {
    match to_string(other)? {
        Value::String(other) => Ok(Value::string(join(text, &other))),
        _ => Ok(Value::Null),
    }
}

fn made(result: Result<Value, TemporalError>) -> Answer {
    result.map_err(|error| temporal(&error))
}

/// A moment moved by a duration; `None` if the value is no moment.
fn shifted(moment: &Value, by: Duration) -> Option<Answer> {
    Some(made(match moment {
        Value::Date(x) => x.plus(by).map(Value::Date),
        Value::LocalTime(x) => Ok(Value::LocalTime(x.plus_duration(by))),
        Value::Time(x) => Ok(Value::Time(x.plus_duration(by))),
        Value::LocalDateTime(x) => x.plus(by).map(Value::LocalDateTime),
        Value::DateTime(x) => x.plus(by).map(Value::DateTime),
        _ => return None,
    }))
}

/// `a - b`: difference, or a moment a duration earlier.
pub fn subtract(a: &Value, b: &Value) -> Answer {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            x.checked_sub(*y).map(Value::Int).ok_or_else(|| overflow("subtraction"))
        }
        _ if any_null(a, b) => Ok(Value::Null),
        (Value::Duration(x), Value::Duration(y)) => made(x.minus(*y).map(Value::Duration)),
        (moment, Value::Duration(duration)) => {
            let by = duration.negated().map_err(|error| temporal(&error))?;
            shifted(moment, by).unwrap_or_else(|| Err(wrong_operands("-", a, b)))
        }
        _ => match floats(a, b) {
            Some((x, y)) => Ok(Value::Float(x - y)),
            None if a.logical_type() == b.logical_type() && shifted(a, Duration::default()).is_some() => {
                Err(wrong_operands("-", a, b).hint("use duration.between(b, a)"))
            }
            None => Err(wrong_operands("-", a, b)),
        },
    }
}

/// `a * b`: product, or a duration so many times as long.
pub fn multiply(a: &Value, b: &Value) -> Answer {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            x.checked_mul(*y).map(Value::Int).ok_or_else(|| overflow("multiplication"))
        }
        _ if any_null(a, b) => Ok(Value::Null),
        (Value::Duration(duration), factor) | (factor, Value::Duration(duration)) => {
            let factor = decimal(factor).ok_or_else(|| wrong_operands("*", a, b))??;
            made(duration.times(factor).map(Value::Duration))
        }
        _ => match floats(a, b) {
            Some((x, y)) => Ok(Value::Float(x * y)),
            None => Err(wrong_operands("*", a, b)),
        },
    }
}

/// A number as an exact decimal; `None` if it is no number, an error if it has no decimal.
fn decimal(value: &Value) -> Option<Result<Decimal, Diagnostic>> {
    match value {
        Value::Int(n) => Some(Ok(Decimal::whole(*n))),
        Value::Float(x) => {
            Some(Decimal::from_float(*x).ok_or_else(|| temporal(&TemporalError::Overflow("duration"))))
        }
        _ => None,
    }
}

/// `a / b`: quotient, or a part of a duration.
pub fn divide(a: &Value, b: &Value) -> Answer {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) => Err(division_by_zero()),
        (Value::Int(x), Value::Int(y)) => {
            x.checked_div(*y).map(Value::Int).ok_or_else(|| overflow("division"))
        }
        _ if any_null(a, b) => Ok(Value::Null),
        (Value::Duration(duration), divisor) => {
            let divisor = decimal(divisor).ok_or_else(|| wrong_operands("/", a, b))??;
            if divisor == Decimal::ZERO {
                return Err(division_by_zero());
            }
            made(duration.divided(divisor).map(Value::Duration))
        }
        _ => match floats(a, b) {
            Some((x, y)) => Ok(Value::Float(x / y)),
            None => Err(wrong_operands("/", a, b)),
        },
    }
}

/// `a % b`: the remainder, with the sign of `a`.
pub fn modulo(a: &Value, b: &Value) -> Answer {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) => Err(division_by_zero()),
        // i64::MIN % -1 is 0 though the division overflows.
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.wrapping_rem(*y))),
        _ if any_null(a, b) => Ok(Value::Null),
        _ => match floats(a, b) {
            Some((x, y)) => Ok(Value::Float(x % y)),
            None => Err(wrong_operands("%", a, b)),
        },
    }
}

/// `a ^ b`, always a float.
pub fn power(a: &Value, b: &Value) -> Answer {
    if any_null(a, b) {
        return Ok(Value::Null);
    }
    match floats(a, b) {
        Some((x, y)) => Ok(Value::Float(x.powf(y))),
        None => Err(wrong_operands("^", a, b)),
    }
}

/// `-a`.
pub fn negate(a: &Value) -> Answer {
    match a {
        Value::Null => Ok(Value::Null),
        Value::Int(n) => n.checked_neg().map(Value::Int).ok_or_else(|| overflow("negation")),
        Value::Float(x) => Ok(Value::Float(-x)),
        Value::Duration(x) => made(x.negated().map(Value::Duration)),
        other => Err(wrong_type("-", "a number or DURATION", other)),
    }
}

/// `+a`.
pub fn plus(a: &Value) -> Answer {
    match a {
        Value::Null | Value::Int(_) | Value::Float(_) | Value::Duration(_) => Ok(a.clone()),
        other => Err(wrong_type("+", "a number or DURATION", other)),
    }
}
