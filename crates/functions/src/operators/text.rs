//! STARTS WITH, ENDS WITH, CONTAINS and `=~`. Operands that are not both strings give null.

use std::cell::RefCell;
use std::sync::Arc;

use regex::Regex;
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::Value;

use super::logic::ternary;
use crate::error::Answer;

fn both(a: &Value, b: &Value, test: impl FnOnce(&str, &str) -> bool) -> Value {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Value::Bool(test(a, b)),
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

/// Compiled patterns a thread keeps: enough for every `=~` of a query, few enough to search one by one.
const PATTERNS_MAX: usize = 16;

thread_local! {
    /// Most recently used last.
    static PATTERNS: RefCell<Vec<(Arc<str>, Regex)>> = const { RefCell::new(Vec::new()) };
}

/// `text =~ pattern`: whether the whole text matches. Matching takes time linear in the text; look-around and back
/// references are not supported.
///
/// **Errors**: `ArgumentError` / `InvalidArgumentValue` for a pattern that does not parse.
pub fn regex_match(text: &Value, pattern: &Value) -> Answer {
    match (text, pattern) {
        (Value::String(text), Value::String(pattern)) => matches(text, pattern).map(Value::Bool),
        _ => Ok(Value::Null),
    }
}

fn matches(text: &str, pattern: &Arc<str>) -> Result<bool, Diagnostic> {
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(at) = patterns.iter().position(|(known, _)| known == pattern) {
            let entry = patterns.remove(at);
            patterns.push(entry);
        } else {
            let compiled = Regex::new(&format!("^(?:{pattern})$")).map_err(|error| {
                let reason = error.to_string();
                let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                let primary = format!("invalid regular expression \"{pattern}\": {last}");
                Diagnostic::runtime(ErrorKind::ArgumentError, "InvalidArgumentValue", primary)
            })?;
            if patterns.len() == PATTERNS_MAX {
                patterns.remove(0);
            }
            patterns.push((pattern.clone(), compiled));
        }
        Ok(patterns.last().is_some_and(|(_, regex)| regex.is_match(text)))
    })
}
