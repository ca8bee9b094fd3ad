//! `coll.max(list)` and `coll.min(list)` over vectors of lists: which element is the best, and then these are
//! picked. Of equal ones, such as both zeros, the last is the greatest and the first the least.

use std::cmp::Ordering;

use trimorph_vector::{Lists, Nulls, Positions, Values, Vector};

use crate::context::Context;
use crate::kernel::Argument;

pub(crate) fn max<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    best(args, at, |order| order != Ordering::Less)
}

pub(crate) fn min<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    best(args, at, |order| order == Ordering::Less)
}

/// `is_better` tells it of an element from how it orders to the best of those before it.
#[inline(always)]
fn best<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    is_better: impl Fn(Ordering) -> bool + Copy,
) -> Option<Vector<'s>> {
    let [Argument::Each(Vector { values: Values::List(lists), nulls })] = args else { return None };
    let by_float = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    let (places, nulls) = match &lists.child().values {
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            places((lists, nulls), at, |e| v[e], |a: i64, b: i64| is_better(a.cmp(&b)))
        }
        Values::Date(v) => places((lists, nulls), at, |e| v[e], |a: i32, b: i32| is_better(a.cmp(&b))),
        Values::Float(v) => places((lists, nulls), at, |e| v[e], |a, b| is_better(by_float(a, b))),
        Values::Bool(v) => places((lists, nulls), at, |e| v[e], |a: bool, b: bool| is_better(a.cmp(&b))),
        Values::String(v) => places((lists, nulls), at, |e| v.get(e), |a: &str, b: &str| is_better(a.cmp(b))),
        _ => return None,
    };
    // Nothing can be picked where there is no element at all.
    if lists.child().listed() == 0 {
        return Some(Vector::nulls(at.len));
    }
    let mut out = lists.child().gather(&places);
    out.nulls = out.nulls.union(&nulls, at.len);
    Some(out)
}

/// The place in the child of the best element of each list, and which lists have none that is not null.
#[inline(always)]
fn places<T: Copy>(
    (lists, nulls): (&Lists<'_>, &Nulls),
    at: Positions<'_>,
    get: impl Fn(usize) -> T,
    is_better: impl Fn(T, T) -> bool,
) -> (Vec<u32>, Nulls) {
    let missing = &lists.child().nulls;
    let (mut places, mut nulls) = (vec![0; at.len], nulls.clone());
    at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        let mut present = lists.elements(i).filter(|e| missing.is_none() || !missing.get(*e as usize));
        let Some(mut place) = present.next() else {
            nulls.set(i, at.len);
            return;
        };
        let mut best = get(place as usize);
        for e in present {
            let value = get(e as usize);
            if is_better(value, best) {
                (best, place) = (value, e);
            }
        }
        places[i] = place;
    });
    (places, nulls)
}
