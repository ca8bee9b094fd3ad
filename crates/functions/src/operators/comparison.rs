//! `=`, `<>`, `<`, `<=`, `>`, `>=` and `IN`, with unknown as null.

use trimorph_base::CancelToken;
use trimorph_types::{Value, compare, equals};

use super::logic::ternary;
use crate::error::{Answer, wrong_type};
use crate::steps::Steps;

/// `a = b`.
pub fn equal(a: &Value, b: &Value) -> Value {
    ternary(equals(a, b))
}

/// `a <> b`.
pub fn not_equal(a: &Value, b: &Value) -> Value {
    ternary(equals(a, b).map(|same| !same))
}

/// `a <> b AND a <> c AND …`: whether the first of some values is none of the others.
pub fn differs(values: &[Value]) -> Value {
    let Some((first, others)) = values.split_first() else { return Value::Bool(true) };
    let mut unknown = false;
    for other in others {
        match equals(first, other) {
            Some(true) => return Value::Bool(false),
            Some(false) => {}
            None => unknown = true,
        }
    }
    if unknown { Value::Null } else { Value::Bool(true) }
}

/// `a < b`.
pub fn less(a: &Value, b: &Value) -> Value {
    ternary(compare::less(a, b))
}

/// `a <= b`.
pub fn less_or_equal(a: &Value, b: &Value) -> Value {
    ternary(compare::less_or_equal(a, b))
}

/// `a > b`.
pub fn greater(a: &Value, b: &Value) -> Value {
    ternary(compare::greater(a, b))
}

/// `a >= b`.
pub fn greater_or_equal(a: &Value, b: &Value) -> Value {
    ternary(compare::greater_or_equal(a, b))
}

/// `value IN list`: true if an element equals it, unknown if one might, else false.
pub fn in_list(value: &Value, list: &Value) -> Answer {
    in_list_until(value, list, None)
}

/// The same, until `cancel` says stop.
pub fn in_list_until(value: &Value, list: &Value, cancel: Option<&CancelToken>) -> Answer {
    let items = match list {
        Value::Null => return Ok(Value::Null),
        Value::List(items) => items,
        other => return Err(wrong_type("IN", "a LIST", other)),
    };
    let (mut unknown, mut steps) = (false, Steps::new(cancel));
    for item in items.iter() {
        steps.step()?;
        match equals(value, item) {
            Some(true) => return Ok(Value::Bool(true)),
            Some(false) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(false) })
}
