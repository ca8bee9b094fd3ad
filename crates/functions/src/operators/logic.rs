//! AND, OR, XOR, NOT over true, false and unknown (null), and tests for null.

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::error::{Answer, wrong_type};

/// A value as true, false or unknown; other types are an error.
///
/// **Errors**: `TypeError` / `InvalidArgumentType`.
pub fn truth(value: &Value) -> Result<Option<bool>, Diagnostic> {
    match value {
        Value::Bool(x) => Ok(Some(*x)),
        Value::Null => Ok(None),
        other => Err(wrong_type("a predicate", "a BOOLEAN", other)),
    }
}

/// `None` as null.
pub(super) fn ternary(answer: Option<bool>) -> Value {
    answer.map_or(Value::Null, Value::Bool)
}

/// `a AND b`.
pub fn and(a: &Value, b: &Value) -> Answer {
    Ok(ternary(match (truth(a)?, truth(b)?) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }))
}

/// `a OR b`.
pub fn or(a: &Value, b: &Value) -> Answer {
    Ok(ternary(match (truth(a)?, truth(b)?) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }))
}

/// `a XOR b`.
pub fn xor(a: &Value, b: &Value) -> Answer {
    Ok(ternary(truth(a)?.zip(truth(b)?).map(|(a, b)| a != b)))
}

/// `NOT a`.
pub fn not(a: &Value) -> Answer {
    Ok(ternary(truth(a)?.map(|a| !a)))
}

/// `a IS NULL`.
pub fn is_null(a: &Value) -> Value {
    Value::Bool(a.is_null())
}

/// `a IS NOT NULL`.
pub fn is_not_null(a: &Value) -> Value {
    Value::Bool(!a.is_null())
}
