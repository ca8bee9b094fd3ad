//! STARTS WITH, ENDS WITH and CONTAINS. Operands that are not both strings give null.

use trimorph_types::Value;

use super::logic::ternary;

fn both(a: &Value, b: &Value, holds: impl FnOnce(&str, &str) -> bool) -> Value {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Value::Bool(holds(a, b)),
        _ => ternary(None),
    }
}

/// `text STARTS WITH prefix`.
pub fn starts_with(text: &Value, prefix: &Value) -> Value {
    both(text, prefix, |text, prefix| text.starts_with(prefix))
}

/// `text ENDS WITH suffix`.
pub fn ends_with(text: &Value, suffix: &Value) -> Value {
    both(text, suffix, |text, suffix| text.ends_with(suffix))
}

/// `text CONTAINS part`.
pub fn contains(text: &Value, part: &Value) -> Value {
    both(text, part, |text, part| text.contains(part))
}
