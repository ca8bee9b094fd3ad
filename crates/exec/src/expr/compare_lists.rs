//! Whether lists equal one list: numbers of elements first, then element by element, all of one type.

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
