//! ORDER BY: a term in, keys out whose order in openCypher is the order that SPARQL wants.
//!
//! Nothing, then blank nodes, IRIs, literals, triple terms. The key of nothing is an empty list, that of a
//! blank node a list of its label: lists stand before IRIs, and these before literals. Numbers are ordered by
//! value across types, moments in UTC. Nothing that is no null stands behind numbers, so triple terms have
//! the null as their key, and a second key that tells them apart.
//!
//! Source: SPARQL 1.1, §15.1; SPARQL 1.2 for triple terms.

use std::cmp::Ordering;

use trimorph_types::rdf::lexical::Span;
use trimorph_types::rdf::{normalise, triple_parts};
use trimorph_types::{Duration, Value, order};
use trimorph_vector::{Values, Vector};

use super::found::of_terms;
use super::meaning::Meaning;
use super::moments::{NANOS_PER_SECOND, utc};
use super::number::Number;
use crate::function::{Function, result};
use crate::kernel::Argument;

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!(
        "order",
        (1, 1),
        result::any,
        |_, args| Ok(key(&args[0])),
        "order(a): the first key of SPARQL's order; null for triple terms, which are the last"
    )
    .sees_null()
    .typed(|_, args, _| plain(args).cloned()),
    of_terms!(
        "order_triple",
        (1, 1),
        result::any,
        |_, args| Ok(triple_key(&args[0], DEPTH_MAX)),
        "order_triple(a): the second key of SPARQL's order: null but for triple terms"
    )
    .sees_null()
    .typed(|_, args, at| plain(args).map(|_| Vector::constant(&Value::Null, at.len))),
];

/// Values that are their own first key and have no second.
fn plain<'a, 's>(args: &[Argument<'a, 's>]) -> Option<&'a Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let is_plain =
        matches!(vector.values, Values::Int(_) | Values::Float(_) | Values::String(_) | Values::Bool(_));
    (is_plain && vector.nulls.is_none()).then_some(vector)
}

/// Triple terms within triple terms that are told apart.
const DEPTH_MAX: usize = 100;

/// The first key.
fn key(term: &Value) -> Value {
    match term {
        Value::Null => return Value::list(Vec::new()),
        Value::String(_) | Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Decimal(_) => {
            return term.clone();
        }
        Value::Iri(iri) if iri.starts_with("_:") => return Value::list(vec![term.clone()]),
        Value::Iri(iri) if iri.starts_with("<<(") => return Value::Null,
        _ => {}
    }
    match Meaning::of(term) {
        Meaning::Number(number) => match number {
            Number::Int(n) => Value::Int(n),
            Number::Big(n) | Number::Decimal(n) => Value::Decimal(n),
            Number::Float(x) => Value::Float(x.into()),
            Number::Double(x) => Value::Float(x),
        },
        Meaning::Bool(x) => Value::Bool(x),
        Meaning::Text(text) => Value::string(text),
        Meaning::DateTime(x) | Meaning::Date(x) | Meaning::Time(x) | Meaning::PartOfDate(_, x) => {
            Value::LocalDateTime(utc(x))
        }
        Meaning::Span(_, x) => length(x).map_or_else(|| term.clone(), Value::Duration),
        _ => term.clone(),
    }
}

/// The duration without days, so that equal ones are equal.
fn length(span: Span) -> Option<Duration> {
    let seconds = i64::try_from(span.nanos.div_euclid(NANOS_PER_SECOND)).ok()?;
    let nanos = i64::try_from(span.nanos.rem_euclid(NANOS_PER_SECOND)).ok()?;
    Duration::normalized(span.months, 0, seconds, nanos)
}

/// Both keys of each part, one after the other.
fn triple_key(term: &Value, depth: usize) -> Value {
    let Value::Iri(text) = term else { return Value::Null };
    let parts = triple_parts(text).filter(|_| depth > 0 && text.starts_with("<<("));
    let Some(parts) = parts else { return Value::Null };
    Value::list(parts.iter().flat_map(|part| [key(part), triple_key(part, depth - 1)]).collect())
}

/// Where a term stands: its keys, and what tells it from other terms of the same keys, so that the first does
/// not depend on what came first.
pub(super) struct Place {
    keys: [Value; 3],
}

/// The place of a term.
pub(super) fn place(term: &Value) -> Place {
    Place { keys: [key(term), triple_key(term, DEPTH_MAX), normalise(term.clone())] }
}

impl Place {
    /// Which stands first.
    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        let orders = self.keys.iter().zip(&other.keys).map(|(a, b)| order(a, b));
        orders.fold(Ordering::Equal, Ordering::then)
    }
}
