//! Keys of joins: a term in, what all terms that are `=` to it have in common out.
//!
//! Terms with one key need not be equal, so a join by it still asks `=` of its pairs. Most have a key of
//! their own; they share one where `=` is not transitive, or where few ever meet:
//!
//! * numbers are rounded to 32 bits, as those are that a float is compared with;
//! * moments and spans are the text of an instant or a length, of dates and times alike;
//! * triple terms are equal part by part, and all have one key.
//!
//! What is equal to nothing, such as a literal that has no value, is its own key or has none.
//!
//! Values of the store that are doubles are the same term exactly if their bits are: NaN is one term, which
//! is equal to nothing as a number, and zero and minus zero are two.

use trimorph_types::{Value, rdf};

use super::found::{Found, Miss, is_entity, of_values, term_of};
use super::meaning::Meaning;
use super::moments::utc;
use super::vectors;
use crate::context::Context;
use crate::function::{Function, result};

pub(super) const FUNCTIONS: &[Function] = &[
    of_values!("eq_key", (1, 1), result::any, eq_key, "eq_key(a): the same for all that are = to a")
        .of_graph(),
    of_values!("same_key", (1, 1), result::any, same_key, "same_key(a): the same for what is the same term")
        .of_graph(),
    of_values!(
        "double_key",
        (1, 1),
        result::int,
        double_key,
        "double_key(a): of doubles the same for what is the same term"
    )
    .typed(|_, args, at| vectors::doubles(args, at, key_of_double)),
];

fn eq_key(context: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        value if is_entity(value) && context.graph.is_literal(value) => {
            of_term(context, &term_of(context, value)?)
        }
        value if is_entity(value) && context.graph.is_triple(value) => Ok(of_triples()),
        value if is_entity(value) => Ok(value.clone()),
        value => of_term(context, value),
    }
}

fn of_term(context: &Context<'_>, term: &Value) -> Found {
    Ok(match Meaning::of(term) {
        Meaning::Number(number) => Value::Float(number.to_float().into()),
        Meaning::Text(text) if !matches!(term, Value::String(_)) => Value::string(text),
        Meaning::Bool(x) => Value::Bool(x),
        Meaning::DateTime(moment)
        | Meaning::Date(moment)
        | Meaning::Time(moment)
        | Meaning::PartOfDate(_, moment) => {
            let instant = utc(moment);
            Value::string(format!("{} {}", instant.seconds, instant.nanos))
        }
        Meaning::Span(_, span) => Value::string(format!("{} {}", span.months, span.nanos)),
        Meaning::Resource(text) if text.starts_with("<<(") => of_triples(),
        Meaning::Resource(text) => context.graph.entity_of(text)?.unwrap_or_else(|| term.clone()),
        Meaning::Other if !matches!(term, Value::Bytes(_)) => return Err(Miss::Error),
        Meaning::Text(_) | Meaning::Tagged(_) | Meaning::Opaque(_) | Meaning::Other => term.clone(),
    })
}

fn of_triples() -> Value {
    Value::string("<<(")
}

fn same_key(context: &Context<'_>, args: &[Value]) -> Found {
    Ok(match &args[0] {
        value if is_entity(value) && !context.graph.is_literal(value) => value.clone(),
        value => match rdf::normalise(term_of(context, value)?) {
            Value::Iri(iri) => context.graph.entity_of(&iri)?.unwrap_or(Value::Iri(iri)),
            term => term,
        },
    })
}

fn double_key(_: &Context<'_>, args: &[Value]) -> Found {
    match args[0] {
        Value::Float(value) => Ok(Value::Int(key_of_double(value))),
        _ => Err(Miss::Error),
    }
}

fn key_of_double(value: f64) -> i64 {
    let value = if value.is_nan() { f64::NAN } else { value };
    value.to_bits().cast_signed()
}
