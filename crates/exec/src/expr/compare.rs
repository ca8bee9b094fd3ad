//! Comparison kernels: two typed vectors, or a vector and a constant, in; Booleans out, null where either
//! side is. `None` where the types ask for the general operator.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_algebra::Op;
use trimorph_functions::{Argument, nulls_of};
use trimorph_types::number::{compare_int_float, exact_int};
use trimorph_types::{LogicalType, Value, Zone};
use trimorph_vector::{Nulls, Positions, Side, Texts, Values, Vector, map_chosen, zip};

use super::compare_lists::{equal_each, equal_lists};
use super::compare_wide::{Other, by_position, compare_wide, plain, satisfies};
use super::evaluated::Evaluated;
use super::numbers::compare_numbers;
use super::range::swapped;

pub(super) fn compare<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    match (a, b) {
        (Evaluated::Const(Value::Null), _) | (_, Evaluated::Const(Value::Null)) => {
            Some(Vector { values: Values::Bool(vec![false; at.len]), nulls: Nulls::all(at.len) })
        }
        (Evaluated::Const(a), b) => compare_constant(swapped(op)?, b.vector()?, a, at),
        (a, Evaluated::Const(b)) => compare_constant(op, a.vector()?, b, at),
        (a, b) => compare_vectors(op, a.vector()?, b.vector()?, at),
    }
    .or_else(|| compare_numbers(op, a, b, at))
    .or_else(|| compare_unlike(op, a, b, at))
}

/// The type that a side's values are compared as: numbers are of one. `None` where they are of several.
fn compared_as(side: Argument<'_, '_>) -> Option<LogicalType> {
    let ty = match side {
        Argument::Each(Vector { values: Values::Number(_), .. }) => LogicalType::Float,
        Argument::Each(vector) => vector.logical_type(),
        Argument::One(value) => value.logical_type(),
    };
    match ty {
        LogicalType::Any => None,
        LogicalType::Int | LogicalType::Decimal => Some(LogicalType::Float),
        ty => Some(ty),
    }
}

/// Values of two types that nothing is compared across are not equal, and in no order.
pub(super) fn compare_unlike<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (a, b) = (a.argument(), b.argument());
    if compared_as(a)? == compared_as(b)? {
        return None;
    }
    let is_equality = matches!(op, Op::Eq | Op::Ne);
    let nulls = if is_equality { nulls_of(&[a, b], at.len) } else { Nulls::all(at.len) };
    Some(Vector { values: same(op == Op::Ne, at), nulls })
}

/// Integers with floats, without losing a digit. NaN is unequal to all, and neither less nor greater.
fn mixed<'s>(op: Op, a: &[i64], b: Side<'_, f64>, at: Positions<'_>) -> Values<'s> {
    // An integer compares with a float that is one as with that integer.
    if let Side::One(b) = b
        && let Some(b) = exact_int(b)
    {
        return plain(op, a, Side::One(b), at);
    }
    // Up to 2^53 floats hold every integer.
    if a.iter().fold(0, |all, a| all | a.unsigned_abs()) < 1 << 53 {
        return as_floats(op, a, b, at);
    }
    let of = |a: i64, b: f64| compare_int_float(a, b).map_or(op == Op::Ne, |order| satisfies(op, order));
    Values::Bool(zip(Side::Each(a), b, at, of))
}

/// Integers that floats hold, with floats.
#[expect(clippy::cast_precision_loss, reason = "the integers are below 2^53")]
fn as_floats<'s>(op: Op, a: &[i64], b: Side<'_, f64>, at: Positions<'_>) -> Values<'s> {
    let a = Side::Each(a);
    Values::Bool(match op {
        Op::Eq => zip(a, b, at, |a, b| a as f64 == b),
        Op::Ne => zip(a, b, at, |a, b| a as f64 != b),
        Op::Lt => zip(a, b, at, |a, b| (a as f64) < b),
        Op::Le => zip(a, b, at, |a, b| a as f64 <= b),
        Op::Gt => zip(a, b, at, |a, b| a as f64 > b),
        _ => zip(a, b, at, |a, b| a as f64 >= b),
    })
}

/// What is the same for all positions.
fn same<'s>(answer: bool, at: Positions<'_>) -> Values<'s> {
    Values::Bool(vec![answer; at.len])
}

#[expect(clippy::cast_precision_loss, reason = "whether the float is the integer is asked first")]
fn compare_constant<'s>(op: Op, a: &Vector<'s>, b: &Value, at: Positions<'_>) -> Option<Vector<'s>> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    let is_equality = matches!(op, Op::Eq | Op::Ne);
    let values = match (&a.values, b) {
        (Values::Bool(a), Value::Bool(b)) => plain(op, a, Side::One(*b), at),
        (Values::Int(a), Value::Int(b)) => plain(op, a, Side::One(*b), at),
        (Values::Float(a), Value::Float(b)) => plain(op, a, Side::One(*b), at),
        (Values::Int(a), Value::Float(b)) => mixed(op, a, Side::One(*b), at),
        // Floats compare with an integer that a float holds as with that float.
        (Values::Float(a), Value::Int(b)) if exact_int(*b as f64) == Some(*b) => {
            plain(op, a, Side::One(*b as f64), at)
        }
        (Values::Float(a), Value::Int(b)) => {
            let (op, b) = (swapped(op)?, *b);
            let of = |a: f64| compare_int_float(b, a).map_or(op == Op::Ne, |order| satisfies(op, order));
            Values::Bool(map_chosen(a, at, of))
        }
        (Values::Date(a), Value::Date(b)) => match i32::try_from(b.days) {
            Ok(b) => plain(op, a, Side::One(b), at),
            Err(_) => same(satisfies(op, 0.cmp(&b.days)), at),
        },
        (Values::LocalTime(a), Value::LocalTime(b)) => plain(op, a, Side::One(b.nanos), at),
        (Values::DateTime(a), Value::DateTime(b)) if b.zone == Zone::UTC => {
            plain(op, a, Side::One(nanos(b.seconds, b.nanos)?), at)
        }
        (Values::LocalDateTime(a), Value::LocalDateTime(b)) => {
            plain(op, a, Side::One(nanos(b.seconds, b.nanos)?), at)
        }
        (Values::String(a), Value::String(b)) => compare_texts(op, a, b, at),
        (Values::List(a), Value::List(b)) => equal_lists(op, a, b, at)?,
        (Values::Node(a), Value::Node(b)) if is_equality => {
            by_position(at, |i| (a.id(i) == *b) == (op == Op::Eq))
        }
        (Values::Edge(a), Value::Relationship(b)) if is_equality => {
            by_position(at, |i| (a.id(i) == b.id) == (op == Op::Eq))
        }
        // What was not compared by a loop of its own.
        (Values::Zoned(_), _)
        | (Values::DateTime(_), Value::DateTime(_))
        | (Values::Time(_) | Values::Duration(_) | Values::Decimal(_), _)
        | (Values::Iri(_) | Values::Literal(_), _)
        | (Values::Int(_) | Values::Float(_), Value::Decimal(_)) => {
            return compare_wide(op, a, Other { vector: &Vector::constant(b, 1), is_one: true }, at);
        }
        _ => return None,
    };
    Some(Vector { values, nulls: a.nulls.clone() })
}

/// Texts with one: once for each entry of a dictionary, and without a look at letters where equal ones would
/// be as long.
fn compare_texts<'s>(op: Op, texts: &Texts<'s>, with: &str, at: Positions<'_>) -> Values<'s> {
    let answer = |text: &str| match op {
        Op::Eq => text == with,
        Op::Ne => text != with,
        _ => satisfies(op, text.cmp(with)),
    };
    match texts.codes().filter(|(_, entries)| entries.len() < at.count()) {
        Some((codes, entries)) => {
            let answers: Vec<bool> = entries.iter().map(answer).collect();
            by_position(at, |i| answers[codes[i] as usize])
        }
        None => by_position(at, |i| answer(texts.get(i))),
    }
}

/// Rows for each entry of two dictionaries from which on these are numbered. Chosen; a join's condition on
/// languages, 140 entries, took 15.7 ms in place of 18.0.
const ROWS_PER_ENTRY: usize = 8;

/// Texts of two vectors: once for each pair of entries of a dictionary that both have, where these are few;
/// of two dictionaries, entries that are equal get one number.
fn compare_text_vectors<'s>(op: Op, x: &Texts<'s>, y: &Texts<'s>, at: Positions<'_>) -> Values<'s> {
    let answer = |x: &str, y: &str| match op {
        Op::Eq => x == y,
        Op::Ne => x != y,
        _ => satisfies(op, x.cmp(y)),
    };
    if let (Some((codes, entries)), Some((others, same))) = (x.codes(), y.codes())
        && Arc::ptr_eq(entries, same)
        && entries.len().saturating_mul(entries.len()) < at.count()
    {
        let pairs = entries.iter().flat_map(|x| entries.iter().map(move |y| answer(x, y)));
        let answers: Vec<bool> = pairs.collect();
        return by_position(at, |i| answers[codes[i] as usize * entries.len() + others[i] as usize]);
    }
    if let (Op::Eq | Op::Ne, Some((x_codes, x_entries)), Some((y_codes, y_entries))) =
        (op, x.codes(), y.codes())
        && (x_entries.len() + y_entries.len()) * ROWS_PER_ENTRY <= at.count()
    {
        let mut numbers = FxHashMap::default();
        let mut number = |entry| {
            let next = numbers.len();
            *numbers.entry(entry).or_insert(next)
        };
        let x_numbers: Vec<usize> = x_entries.iter().map(&mut number).collect();
        let y_numbers: Vec<usize> = y_entries.iter().map(&mut number).collect();
        // A null's code is arbitrary.
        let same = |i: usize| x_numbers.get(x_codes[i] as usize) == y_numbers.get(y_codes[i] as usize);
        return by_position(at, |i| same(i) == (op == Op::Eq));
    }
    match op {
        Op::Eq => by_position(at, |i| x.is_same(i, y, i)),
        Op::Ne => by_position(at, |i| !x.is_same(i, y, i)),
        _ => by_position(at, |i| satisfies(op, x.get(i).cmp(y.get(i)))),
    }
}

fn compare_vectors<'s>(op: Op, a: &Vector<'s>, b: &Vector<'s>, at: Positions<'_>) -> Option<Vector<'s>> {
    let is_equality = matches!(op, Op::Eq | Op::Ne);
    let values = match (&a.values, &b.values) {
        (Values::Int(x), Values::Int(y))
        | (Values::LocalTime(x), Values::LocalTime(y))
        | (Values::LocalDateTime(x), Values::LocalDateTime(y))
        | (Values::DateTime(x), Values::DateTime(y)) => plain(op, x, Side::Each(y), at),
        (Values::Bool(x), Values::Bool(y)) => plain(op, x, Side::Each(y), at),
        (Values::Float(x), Values::Float(y)) => plain(op, x, Side::Each(y), at),
        (Values::Int(x), Values::Float(y)) => mixed(op, x, Side::Each(y), at),
        (Values::Float(x), Values::Int(y)) => mixed(swapped(op)?, y, Side::Each(x), at),
        (Values::Date(x), Values::Date(y)) => plain(op, x, Side::Each(y), at),
        (Values::String(x), Values::String(y)) => compare_text_vectors(op, x, y, at),
        (Values::Node(x), Values::Node(y)) if is_equality => {
            by_position(at, |i| (x.id(i) == y.id(i)) == (op == Op::Eq))
        }
        (Values::Edge(x), Values::Edge(y)) if is_equality => {
            by_position(at, |i| (x.id(i) == y.id(i)) == (op == Op::Eq))
        }
        (Values::List(x), Values::List(y)) if is_equality && let Some(equal) = equal_each(op, x, y, at) => {
            equal
        }
        _ => return compare_wide(op, a, Other { vector: b, is_one: false }, at),
    };
    Some(Vector { values, nulls: a.nulls.union(&b.nulls, at.len) })
}
