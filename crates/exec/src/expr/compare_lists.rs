//! Whether lists equal one list, or each another: numbers of elements first, then element by element, all of
//! one type.

use trimorph_algebra::Op;
use trimorph_types::Value;
use trimorph_vector::{Lists, Positions, Values};

use super::compare_wide::by_position;

/// `lists = items`, or `<>`; `None` where elements are null, or of several types or of those that hold
/// others.
pub(super) fn equal_lists<'s>(
    op: Op,
    lists: &Lists<'s>,
    items: &[Value],
    at: Positions<'_>,
) -> Option<Values<'s>> {
    let child = lists.child();
    if !matches!(op, Op::Eq | Op::Ne) || !child.nulls.is_none() {
        return None;
    }
    match &child.values {
        _ if items.is_empty() => Some(equal(op, lists, &[], at, |(), _| true)),
        Values::Int(v) => {
            let items = all(items, |item| if let Value::Int(int) = item { Some(*int) } else { None })?;
            Some(equal(op, lists, &items, at, |item, e| v[e] == item))
        }
        Values::Bool(v) => {
            let items = all(items, |item| if let Value::Bool(b) = item { Some(*b) } else { None })?;
            Some(equal(op, lists, &items, at, |item, e| v[e] == item))
        }
        Values::String(v) => {
            let items = all(items, |item| if let Value::String(text) = item { Some(&**text) } else { None })?;
            Some(equal(op, lists, &items, at, |item, e| v.get(e) == item))
        }
        _ => None,
    }
}

/// `lists = others`, or `<>`, each with the one at its position; `None` as above, and where the elements of
/// both are not of the same type.
pub(super) fn equal_each<'s>(
    op: Op,
    lists: &Lists<'s>,
    others: &Lists<'s>,
    at: Positions<'_>,
) -> Option<Values<'s>> {
    let (child, other) = (lists.child(), others.child());
    if !child.nulls.is_none() || !other.nulls.is_none() {
        return None;
    }
    match (&child.values, &other.values) {
        (Values::Int(v), Values::Int(w))
        | (Values::LocalTime(v), Values::LocalTime(w))
        | (Values::LocalDateTime(v), Values::LocalDateTime(w))
        | (Values::DateTime(v), Values::DateTime(w)) => {
            Some(pairs(op, lists, others, at, |i, j| v[i] == w[j]))
        }
        (Values::Date(v), Values::Date(w)) => Some(pairs(op, lists, others, at, |i, j| v[i] == w[j])),
        (Values::Bool(v), Values::Bool(w)) => Some(pairs(op, lists, others, at, |i, j| v[i] == w[j])),
        // NaN equals nothing, within lists too.
        (Values::Float(v), Values::Float(w)) => Some(pairs(op, lists, others, at, |i, j| v[i] == w[j])),
        (Values::String(v), Values::String(w)) => {
            Some(pairs(op, lists, others, at, |i, j| v.is_same(i, w, j)))
        }
        _ => None,
    }
}

fn pairs<'s>(
    op: Op,
    lists: &Lists<'s>,
    others: &Lists<'s>,
    at: Positions<'_>,
    is_equal: impl Fn(usize, usize) -> bool,
) -> Values<'s> {
    by_position(at, |i| {
        let (elements, of_other) = (lists.elements(i), others.elements(i));
        let are_equal = elements.len() == of_other.len()
            && elements.zip(of_other).all(|(e, f)| is_equal(e as usize, f as usize));
        are_equal == (op == Op::Eq)
    })
}

/// The items as values of one type.
fn all<'v, T>(items: &'v [Value], of: impl Fn(&'v Value) -> Option<T>) -> Option<Vec<T>> {
    items.iter().map(of).collect()
}

fn equal<'s, T: Copy>(
    op: Op,
    lists: &Lists<'s>,
    items: &[T],
    at: Positions<'_>,
    is_equal: impl Fn(T, usize) -> bool,
) -> Values<'s> {
    by_position(at, |i| {
        let elements = lists.elements(i);
        let are_equal = elements.len() == items.len()
            && items.iter().zip(elements).all(|(item, e)| is_equal(*item, e as usize));
        are_equal == (op == Op::Eq)
    })
}
