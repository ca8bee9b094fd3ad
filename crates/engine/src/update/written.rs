//! A statement that is to be written, and what its literal is to the property that it becomes.

use std::sync::Arc;

use trimorph_types::{Value, equivalent, rdf};

/// A statement to be written: terms, the predicate and the graph as IRIs.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) subject: Value,
    pub(super) predicate: Arc<str>,
    pub(super) object: Value,
    pub(super) graph: Option<Arc<str>>,
}

/// Whether a property is a literal, or is a list with it.
pub(super) fn holds(value: &Value, literal: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| equivalent(&rdf::normalise(item.clone()), literal)),
        other => equivalent(&rdf::normalise(other.clone()), literal),
    }
}

/// A property without a literal.
pub(super) fn without(value: &Value, literal: &Value) -> Value {
    match value {
        Value::List(items) => {
            let left: Vec<Value> = items
                .iter()
                .filter(|item| !equivalent(&rdf::normalise((*item).clone()), literal))
                .cloned()
                .collect();
            if left.is_empty() { Value::Null } else { Value::list(left) }
        }
        _ => Value::Null,
    }
}
