//! Takes the parameters of a query, gives an error where one holds an entity that the snapshot does not have:
//! operators index tables by ids, and these are the doors by which ids come in from outside. The same for
//! what procedures give.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_store::{Reader, Snapshot};
use trimorph_types::{Relationship, Value};

use crate::expr::check_extent;

/// Checks all entities within the parameters.
///
/// **Cost**: a look at each value, a binary search for each relationship.
pub(crate) fn check_entities(
    parameters: &BTreeMap<Arc<str>, Value>,
    reader: &Reader<'_>,
) -> Result<(), Diagnostic> {
    parameters.iter().try_for_each(|(name, value)| {
        check_extent(value)?;
        check_entity(name, value, reader)
    })
}

/// Checks one parameter, of which no query makes anything.
///
/// **Errors**: as a query's: it holds an entity that the snapshot does not have, or is too large.
pub fn check_parameter(
    name: &str,
    value: &Value,
    snapshot: impl FnOnce() -> Snapshot,
) -> Result<(), Diagnostic> {
    use Value as V;
    check_extent(value)?;
    match value {
        V::Node(_) | V::Relationship(_) | V::Path(_) | V::List(_) | V::Map(_) => {
            check_entity(name, value, &Reader::new(&snapshot()))
        }
        _ => Ok(()),
    }
}

fn check_entity(name: &str, value: &Value, reader: &Reader<'_>) -> Result<(), Diagnostic> {
    missing(value, reader).map_or(Ok(()), |what| {
        let text = format!("parameter \"${name}\" holds a {what} that is not in this database");
        Err(Diagnostic::runtime(ErrorKind::EntityNotFound, "EntityNotFound", text)
            .hint("pass a property that names it, and look it up with MATCH"))
    })
}

/// Checks a value that a procedure gave.
pub(crate) fn check_given(value: &Value, reader: &Reader<'_>) -> Result<(), Diagnostic> {
    missing(value, reader).map_or(Ok(()), |what| {
        let text = format!("the procedure gave a {what} that is not in this database");
        Err(Diagnostic::runtime(ErrorKind::EntityNotFound, "EntityNotFound", text))
    })
}

/// The kind of the first entity within a value that is not there. Values are at most as deep as an expression
/// may make them.
fn missing(value: &Value, reader: &Reader<'_>) -> Option<&'static str> {
    let is_there = |r: &Relationship| match reader.relationship(r.id) {
        Value::Relationship(known) => (known.start, known.end) == (r.start, r.end),
        _ => false,
    };
    match value {
        Value::Node(node) => (!reader.node_exists(*node)).then_some("node"),
        Value::Relationship(r) => (!is_there(r)).then_some("relationship"),
        Value::Path(path) => {
            let whole = path.nodes.iter().all(|n| reader.node_exists(*n))
                && path.relationships.iter().all(is_there)
                && path.nodes.len() == path.relationships.len() + 1;
            (!whole).then_some("path")
        }
        Value::List(items) => items.iter().find_map(|item| missing(item, reader)),
        Value::Map(entries) => entries.values().find_map(|item| missing(item, reader)),
        _ => None,
    }
}

/// A parameter that has no value.
pub fn missing_parameter(name: &str) -> Diagnostic {
    let text = format!("parameter \"${name}\" has no value");
    Diagnostic::compile(ErrorKind::ParameterMissing, "MissingParameter", text)
        .hint(format!("pass a value for \"{name}\" with the query"))
}
