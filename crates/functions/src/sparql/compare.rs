//! `=`, `<` and their sisters, sameTerm, and the effective boolean value.
//!
//! Values of one type compare by value. Terms of known and different types are not equal; what is of a type
//! that is not known here is equal to itself, and otherwise nobody knows.

use std::cmp::Ordering;

use trimorph_types::rdf::{normalise, triple_parts};
use trimorph_types::{Value, equivalent};
use trimorph_vector::{Positions, Vector};

use super::by_entry::by_entry;
use super::found::{Found, answer, found, is_entity, of_terms, of_values, term_of};
use super::meaning::Meaning;
use super::moments::{compare_moments, compare_spans};
use super::number::Number;
use super::one_resource::is_one;
use super::vectors::compared;
use crate::context::Context;
use crate::function::{Function, result};
use crate::kernel::Argument;

pub(super) const FUNCTIONS: &[Function] = &[
    of_values!("eq", (2, 2), result::bool, eq, "eq(a, b): a = b").typed(|context, args, at| {
        compared(args, at, |order| order == Some(Ordering::Equal))
            .or_else(|| is_one(context, args, at, true, |values| answer(eq(context, values))))
            .or_else(|| by_entry(args, at, |values| eq(context, values)))
    }),
    of_values!("ne", (2, 2), result::bool, ne, "ne(a, b): a != b").typed(|context, args, at| {
        compared(args, at, |order| order != Some(Ordering::Equal))
            .or_else(|| is_one(context, args, at, false, |values| answer(ne(context, values))))
            .or_else(|| by_entry(args, at, |values| ne(context, values)))
    }),
    of_terms!("lt", (2, 2), result::bool, |_, a| holds(a, Ordering::is_lt), "lt(a, b): a < b")
        .typed(|_, args, at| in_order(args, at, Ordering::is_lt)),
    of_terms!("le", (2, 2), result::bool, |_, a| holds(a, Ordering::is_le), "le(a, b): a <= b")
        .typed(|_, args, at| in_order(args, at, Ordering::is_le)),
    of_terms!("gt", (2, 2), result::bool, |_, a| holds(a, Ordering::is_gt), "gt(a, b): a > b")
        .typed(|_, args, at| in_order(args, at, Ordering::is_gt)),
    of_terms!("ge", (2, 2), result::bool, |_, a| holds(a, Ordering::is_ge), "ge(a, b): a >= b")
        .typed(|_, args, at| in_order(args, at, Ordering::is_ge)),
    of_values!("same", (2, 2), result::bool, same, "same(a, b): whether both are the same term")
        .typed(|context, args, at| is_one(context, args, at, true, |values| answer(same(context, values)))),
    of_terms!("ebv", (1, 1), result::bool, ebv, "ebv(a): the effective boolean value"),
];

/// Comparisons of typed vectors.
fn in_order<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    accepts: impl Fn(Ordering) -> bool + Copy,
) -> Option<Vector<'s>> {
    // What a node means is not asked here.
    let is_node = |arg: &Argument<'_, '_>| matches!(arg, Argument::One(one) if is_entity(one));
    let is_plain = !args.iter().any(is_node);
    compared(args, at, |order| order.is_some_and(accepts))
        .or_else(|| is_plain.then(|| by_entry(args, at, |values| holds(values, accepts))).flatten())
}

fn eq(context: &Context<'_>, args: &[Value]) -> Found {
    equal_values(context, args).map(Value::Bool)
}

fn ne(context: &Context<'_>, args: &[Value]) -> Found {
    equal_values(context, args).map(|equal| Value::Bool(!equal))
}

/// `a = b` for values that may be nodes or relationships.
fn equal_values(context: &Context<'_>, args: &[Value]) -> Found<bool> {
    match (&args[0], &args[1]) {
        (Value::Int(a), Value::Int(b)) => Ok(a == b),
        (Value::String(a), Value::String(b)) => Ok(a == b),
        // Different nodes are different terms; only literals may mean the same.
        (Value::Node(a), Value::Node(b)) if a == b => Ok(true),
        (a @ Value::Node(_), b @ Value::Node(_))
            if !context.graph.is_literal(a) || !context.graph.is_literal(b) =>
        {
            Ok(false)
        }
        (Value::Relationship(a), Value::Relationship(b)) => Ok(a.id == b.id),
        (a, b) if is_entity(a) || is_entity(b) => {
            found(equal(&term_of(context, a)?, &term_of(context, b)?, TRIPLE_DEPTH_MAX))
        }
        (a, b) => found(equal(a, b, TRIPLE_DEPTH_MAX)),
    }
}

/// Triple terms within triple terms that are looked into.
const TRIPLE_DEPTH_MAX: usize = 100;

/// `a = b` for terms; `None` is the error.
fn equal(a: &Value, b: &Value, depth: usize) -> Option<bool> {
    use Meaning::{Bool, Date, DateTime, Opaque, Other, PartOfDate, Resource, Span, Tagged, Text, Time};
    Some(match (&Meaning::of(a), &Meaning::of(b)) {
        (Meaning::Number(x), Meaning::Number(y)) => x.compare(*y) == Some(Ordering::Equal),
        (Text(x), Text(y)) => x == y,
        (Bool(x), Bool(y)) => x == y,
        (Resource(x), Resource(y)) => {
            x == y || x.starts_with("<<(") && y.starts_with("<<(") && equal_triples(x, y, depth)?
        }
        (Tagged(x), Tagged(y)) => x == y,
        (DateTime(x), DateTime(y)) | (Date(x), Date(y)) | (Time(x), Time(y)) => {
            compare_moments(*x, *y)?.is_eq()
        }
        (PartOfDate(of, x), PartOfDate(also, y)) if of == also => compare_moments(*x, *y)?.is_eq(),
        (Span(_, x), Span(_, y)) => x == y,
        (Other, Other) if is_binary(a) && is_binary(b) => equivalent(a, b),
        (Other, _) | (_, Other) => return None,
        (Resource(_), _) | (_, Resource(_)) => false,
        (Opaque(x), Opaque(y)) if x == y => true,
        // A text with a language is no literal of another datatype, whatever that means.
        (Opaque(_), Tagged(_)) | (Tagged(_), Opaque(_)) => false,
        (Opaque(_), _) | (_, Opaque(_)) => return None,
        _ => false,
    })
}

const fn is_binary(value: &Value) -> bool {
    matches!(value, Value::Bytes(_))
}

/// Part by part; what is known to differ decides.
fn equal_triples(a: &str, b: &str, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let (a, b) = (triple_parts(a)?, triple_parts(b)?);
    let mut known = true;
    for (x, y) in a.iter().zip(&b) {
        match equal(x, y, depth) {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

/// A comparison; NaN compares with nothing, which is known.
fn holds(args: &[Value], accepts: impl Fn(Ordering) -> bool) -> Found {
    let order = match (&args[0], &args[1]) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (a, b) => match compare(a, b) {
            Compared::As(order) => Some(order),
            Compared::Never => None,
            Compared::Unknown => return found(None),
        },
    };
    Ok(Value::Bool(order.is_some_and(accepts)))
}

enum Compared {
    As(Ordering),
    Never,
    Unknown,
}

fn compare(a: &Value, b: &Value) -> Compared {
    use Meaning::{Bool, Date, DateTime, PartOfDate, Span, Tagged, Text, Time};
    let order = match (Meaning::of(a), Meaning::of(b)) {
        (Meaning::Number(x), Meaning::Number(y)) => {
            return x.compare(y).map_or(Compared::Never, Compared::As);
        }
        (Text(x), Text(y)) => Some(x.cmp(y)),
        (Bool(x), Bool(y)) => Some(x.cmp(&y)),
        (DateTime(x), DateTime(y)) | (Date(x), Date(y)) | (Time(x), Time(y)) => compare_moments(x, y),
        (PartOfDate(of, x), PartOfDate(also, y)) if of == also => compare_moments(x, y),
        // The standard gives no order of texts in a language, and leaves it to be added: within one language.
        (Tagged(x), Tagged(y)) if x.kind.is_same(&y.kind) => Some(x.lexical.cmp(&y.lexical)),
        (Span(_, x), Span(_, y)) => compare_spans(x, y),
        _ => None,
    };
    order.map_or(Compared::Unknown, Compared::As)
}

fn same(context: &Context<'_>, args: &[Value]) -> Found {
    Ok(Value::Bool(match (&args[0], &args[1]) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Node(a), Value::Node(b)) => a == b,
        (Value::Relationship(a), Value::Relationship(b)) => a.id == b.id,
        (a, b) => {
            let (a, b) = (normalise(term_of(context, a)?), normalise(term_of(context, b)?));
            equivalent(&a, &b)
        }
    }))
}

fn ebv(_: &Context<'_>, args: &[Value]) -> Found {
    found(match Meaning::of(&args[0]) {
        Meaning::Bool(x) => Some(Value::Bool(x)),
        Meaning::Text(text) => Some(Value::Bool(!text.is_empty())),
        Meaning::Number(x) => {
            let order = x.compare(Number::Int(0));
            Some(Value::Bool(order.is_some_and(Ordering::is_ne)))
        }
        _ => None,
    })
}
