//! `+ - * / % ^` and the unary signs, on numbers, strings, lists, temporal values and durations.
//!
//! Two integers give an integer (division towards zero) or an overflow error; with a float the result is a
//! float, else with a decimal a decimal, or an error if that needs too many digits.

use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic};
use trimorph_types::temporal::{Ratio, TemporalError};
use trimorph_types::{Decimal, Duration, Value};

use crate::conversion::to_string;
use crate::error::{
    Answer, decimal_overflow, division_by_zero, overflow, temporal, wrong_operands, wrong_type,
};
use crate::list::list_of;
use crate::steps::Steps;

/// The two operands as floats, if both are numbers.
#[expect(clippy::cast_precision_loss, reason = "an integer with a float counts as a float")]
fn floats(a: &Value, b: &Value) -> Option<(f64, f64)> {
    let float = |value: &Value| match value {
        Value::Int(n) => Some(*n as f64),
        Value::Float(x) => Some(*x),
        Value::Decimal(x) => Some(x.to_float()),
        _ => None,
    };
    Some((float(a)?, float(b)?))
}

/// The two operands as decimals, if one is a decimal and the other a decimal or an integer.
fn decimals(a: &Value, b: &Value) -> Option<(Decimal, Decimal)> {
    match (a, b) {
        (Value::Decimal(x), Value::Decimal(y)) => Some((*x, *y)),
        (Value::Decimal(x), Value::Int(y)) => Some((*x, Decimal::from(*y))),
        (Value::Int(x), Value::Decimal(y)) => Some((Decimal::from(*x), *y)),
        _ => None,
    }
}

/// The operands as numbers through the operation of their kind, decimals before floats; `operator` is for the
/// message.
fn numbers(
    (operator, what): (&str, &str),
    (a, b): (&Value, &Value),
    exact: fn(Decimal, Decimal) -> Option<Decimal>,
    float: fn(f64, f64) -> f64,
) -> Answer {
    if let Some((x, y)) = decimals(a, b) {
        return exact(x, y).map(Value::Decimal).ok_or_else(|| decimal_overflow(what));
    }
    match floats(a, b) {
        Some((x, y)) => Ok(Value::Float(float(x, y))),
        None => Err(no_numbers(operator, a, b)),
    }
}

/// Operands that are no numbers. Elsewhere a date and a number of days have a sum.
fn no_numbers(operator: &str, a: &Value, b: &Value) -> Diagnostic {
    let error = wrong_operands(operator, a, b);
    let moment = match (a, b) {
        (moment, Value::Int(_) | Value::Float(_) | Value::Decimal(_)) => moment,
        (Value::Int(_) | Value::Float(_) | Value::Decimal(_), moment) => moment,
        _ => return error,
    };
    match moment {
        Value::Time(_) | Value::LocalTime(_) => error.hint("write duration({hours: 1}) instead of a number"),
        moment if shifted(moment, Duration::default()).is_some() => {
            error.hint("write duration({days: 1}) instead of a number")
        }
        _ => error,
    }
}

fn any_null(a: &Value, b: &Value) -> bool {
    a.is_null() || b.is_null()
}

/// `a + b`: sum, concatenation of strings or lists, a list with an element more, a moment a duration later.
pub fn add(a: &Value, b: &Value) -> Answer {
    add_until(a, b, None)
}

/// The same; a long list that is being made stops when `cancel` says so.
pub fn add_until(a: &Value, b: &Value, cancel: Option<&CancelToken>) -> Answer {
    let joined_lists = |x: &[Value], y: &[Value]| list_of(x.iter().chain(y), Steps::new(cancel));
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            x.checked_add(*y).map(Value::Int).ok_or_else(|| overflow("addition"))
        }
        (Value::List(x), Value::List(y)) => joined_lists(x, y),
        _ if any_null(a, b) => Ok(Value::Null),
        (Value::List(x), one) => joined_lists(x, std::slice::from_ref(one)),
        (one, Value::List(y)) => joined_lists(std::slice::from_ref(one), y),
        (Value::String(x), Value::String(y)) => Ok(Value::String(Arc::from([&**x, &**y].concat()))),
        (Value::String(x), Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Bool(_)) => {
            joined(x, b, |x, y| [x, y].concat())
        }
        (Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Bool(_), Value::String(y)) => {
            joined(y, a, |y, x| [x, y].concat())
        }
        (Value::Duration(x), Value::Duration(y)) => made(x.plus(*y).map(Value::Duration)),
        (Value::Duration(duration), moment) => {
            shifted(moment, *duration).unwrap_or_else(|| Err(wrong_operands("+", a, b)))
        }
        (moment, Value::Duration(duration)) => {
            shifted(moment, *duration).unwrap_or_else(|| Err(wrong_operands("+", a, b)))
        }
        _ => numbers(("+", "addition"), (a, b), Decimal::plus, |x, y| x + y),
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
        _ if a.logical_type() == b.logical_type() && shifted(a, Duration::default()).is_some() => {
            Err(wrong_operands("-", a, b).hint("use duration.between(b, a)"))
        }
        _ => numbers(("-", "subtraction"), (a, b), |x, y| x.plus(y.negated()), |x, y| x - y),
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
            let factor = ratio(factor).ok_or_else(|| wrong_operands("*", a, b))??;
            made(duration.times(factor).map(Value::Duration))
        }
        _ => numbers(("*", "multiplication"), (a, b), Decimal::times, |x, y| x * y),
    }
}

/// A number as a factor of a duration; `None` if it is no number, an error if it is not finite.
fn ratio(value: &Value) -> Option<Result<Ratio, Diagnostic>> {
    match value {
        Value::Int(n) => Some(Ok(Ratio::whole(*n))),
        Value::Float(x) => {
            Some(Ratio::from_float(*x).ok_or_else(|| temporal(&TemporalError::Overflow("duration"))))
        }
        Value::Decimal(x) => Some(Ok(Ratio::from(*x))),
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
            let divisor = ratio(divisor).ok_or_else(|| wrong_operands("/", a, b))??;
            if divisor.is_zero() {
                return Err(division_by_zero());
            }
            made(duration.divided(divisor).map(Value::Duration))
        }
        _ if by_exact_zero(a, b) => Err(division_by_zero()),
        _ => numbers(("/", "division"), (a, b), Decimal::divided, |x, y| x / y),
    }
}

/// `a % b`: the remainder, with the sign of `a`.
pub fn modulo(a: &Value, b: &Value) -> Answer {
    match (a, b) {
        (Value::Int(_), Value::Int(0)) => Err(division_by_zero()),
        // i64::MIN % -1 is 0 though the division overflows.
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int(x.wrapping_rem(*y))),
        _ if any_null(a, b) => Ok(Value::Null),
        _ if by_exact_zero(a, b) => Err(division_by_zero()),
        _ => numbers(("%", "remainder"), (a, b), Decimal::remainder, |x, y| x % y),
    }
}

/// Whether this is a division of decimals by zero, which has no infinity to give.
fn by_exact_zero(a: &Value, b: &Value) -> bool {
    decimals(a, b).is_some_and(|(_, divisor)| divisor == Decimal::default())
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
        Value::Decimal(x) => Ok(Value::Decimal(x.negated())),
        Value::Duration(x) => made(x.negated().map(Value::Duration)),
        other => Err(wrong_type("-", "a number or DURATION", other)),
    }
}

/// `+a`.
pub fn plus(a: &Value) -> Answer {
    match a {
        Value::Null | Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Duration(_) => {
            Ok(a.clone())
        }
        other => Err(wrong_type("+", "a number or DURATION", other)),
    }
}
