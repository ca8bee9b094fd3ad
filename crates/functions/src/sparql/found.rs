//! What SPARQL's functions give: a value, SPARQL's error (null to whoever asked), or a failure of the query.

use trimorph_base::Diagnostic;
use trimorph_types::Value;

use crate::context::Context;
use crate::error::Answer;

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Miss {
    /// SPARQL's error.
    Error,
    /// The query fails: it was cancelled, or the graph could not be read.
    Failed(Box<Diagnostic>),
}

impl From<Diagnostic> for Miss {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Failed(Box::new(diagnostic))
    }
}

/// What a function gives.
pub(super) type Found<T = Value> = Result<T, Miss>;

/// SPARQL's error where there is nothing.
pub(super) fn found<T>(value: Option<T>) -> Found<T> {
    value.ok_or(Miss::Error)
}

/// The answer to whoever called.
pub(super) fn answer(found: Found) -> Answer {
    match found {
        Ok(value) => Ok(value),
        Err(Miss::Error) => Ok(Value::Null),
        Err(Miss::Failed(diagnostic)) => Err(*diagnostic),
    }
}

/// Whether the value is of the graph, which knows its term.
pub(super) const fn is_entity(value: &Value) -> bool {
    matches!(value, Value::Node(_) | Value::Relationship(_))
}

/// The term of a value: that of a node or relationship is the graph's to tell.
pub(super) fn term_of(context: &Context<'_>, value: &Value) -> Result<Value, Diagnostic> {
    if is_entity(value) { context.graph.resource(value) } else { Ok(value.clone()) }
}

/// Calls `of` with the terms of the arguments.
pub(super) fn by_terms(
    context: &Context<'_>,
    args: &[Value],
    of: fn(&Context<'_>, &[Value]) -> Found,
) -> Answer {
    if args.iter().any(is_entity) {
        let terms = args.iter().map(|arg| term_of(context, arg)).collect::<Result<Vec<_>, _>>()?;
        return answer(of(context, &terms));
    }
    answer(of(context, args))
}

/// A function that takes terms: its name without the prefix, how many arguments, the type of its result, what
/// computes it, and its line of documentation.
macro_rules! of_terms {
    ($name:literal, $arity:expr, $result:expr, $call:expr, $doc:literal) => {
        crate::function::Function::new(
            concat!("sparql.", $name),
            $arity,
            $result,
            |context, args| crate::sparql::found::by_terms(context, args, $call),
            concat!("sparql.", $doc),
        )
    };
}

/// The same, taking nodes and relationships as they are.
macro_rules! of_values {
    ($name:literal, $arity:expr, $result:expr, $call:expr, $doc:literal) => {
        crate::function::Function::new(
            concat!("sparql.", $name),
            $arity,
            $result,
            |context, args| crate::sparql::found::answer($call(context, args)),
            concat!("sparql.", $doc),
        )
    };
}

pub(super) use {of_terms, of_values};
