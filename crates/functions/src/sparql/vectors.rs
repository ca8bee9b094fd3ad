//! SPARQL's functions over typed vectors: where both sides are numbers, texts or moments of one type, the
//! answers are those of the functions value by value. Everything else is left to these.

use std::cmp::Ordering;

use trimorph_types::number::compare_int_float;
use trimorph_vector::{Positions, Values, Vector, map, map_chosen, zip, zip_checked};

use super::{decimals, moment_vectors};
use crate::kernel::{Argument, nulls_of};
use crate::kernels::component::component;
use crate::kernels::texts::zip_texts;

/// Whether the two stand in an order; NaN stands in none.
#[inline(always)]
pub(super) fn compared<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    accepts: impl Fn(Option<Ordering>) -> bool + Copy,
) -> Option<Vector<'s>> {
    let [a, b] = args else { return None };
    let out = match (a.ints(), b.ints(), a.floats(), b.floats()) {
        (Some(a), Some(b), ..) => zip(a, b, at, |x, y| accepts(Some(x.cmp(&y)))),
        (.., Some(a), Some(b)) => zip(a, b, at, |x, y| accepts(x.partial_cmp(&y))),
        (Some(a), .., Some(b)) => zip(a, b, at, |x, y| accepts(compare_int_float(x, y))),
        (_, Some(b), Some(a), _) => {
            zip(a, b, at, |x, y| accepts(compare_int_float(y, x).map(Ordering::reverse)))
        }
        _ => match (a.instants(), b.instants()) {
            (Some(a), Some(b)) => zip(a, b, at, |x, y| accepts(Some(x.cmp(&y)))),
            _ => match decimals::compared(args, at, accepts) {
                Some(out) => out,
                None => match zip_texts(*a, *b, at, |x, y| accepts(Some(x.cmp(y)))) {
                    Some(out) => out,
                    None => return moment_vectors::compared(args, at, |order| accepts(Some(order))),
                },
            },
        },
    };
    Some(Vector { values: Values::Bool(out), nulls: nulls_of(args, at.len) })
}

/// Sums and the like: integers that do not overflow, and floats.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "rounding is what promotion means")]
pub(super) fn combined<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    ints: impl Fn(i64, i64) -> (i64, bool),
    floats: impl Fn(f64, f64) -> f64,
) -> Option<Vector<'s>> {
    let [a, b] = args else { return None };
    let nulls = nulls_of(args, at.len);
    let values = match (a.ints(), b.ints(), a.floats(), b.floats()) {
        (Some(a), Some(b), ..) => Values::Int(zip_checked(a, b, &nulls, at, |x, y| {
            let (result, overflows) = ints(x, y);
            (result, -i64::from(overflows))
        })?),
        (.., Some(a), Some(b)) => Values::Float(zip(a, b, at, floats)),
        (Some(a), .., Some(b)) => Values::Float(zip(a, b, at, |x, y| floats(x as f64, y))),
        (_, Some(b), Some(a), _) => Values::Float(zip(a, b, at, |x, y| floats(x, y as f64))),
        _ => return None,
    };
    Some(Vector { values, nulls })
}

/// Floats rounded; integers as they are.
#[inline(always)]
pub(super) fn rounded<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(f64) -> f64,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let values = match &vector.values {
        Values::Int(v) => Values::Int(map(v, at, |n| n)),
        Values::Float(v) => Values::Float(map_chosen(v, at, of)),
        _ => return None,
    };
    Some(Vector { values, nulls: vector.nulls.clone() })
}

/// Integers made of floats.
#[inline(always)]
pub(super) fn doubles<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(f64) -> i64,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let Values::Float(values) = &vector.values else { return None };
    Some(Vector { values: Values::Int(map(values, at, of)), nulls: vector.nulls.clone() })
}

/// A part of dates and of moments.
pub(super) fn date_part<'s>(args: &[Argument<'_, 's>], at: Positions<'_>, name: &str) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let has_date = matches!(
        vector.values,
        Values::Date(_) | Values::LocalDateTime(_) | Values::DateTime(_) | Values::Zoned(_)
    );
    if has_date { component(vector, name, at) } else { None }
}

/// A part of times and of moments.
pub(super) fn time_part<'s>(args: &[Argument<'_, 's>], at: Positions<'_>, name: &str) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let has_time = matches!(
        vector.values,
        Values::LocalTime(_)
            | Values::Time(_)
            | Values::LocalDateTime(_)
            | Values::DateTime(_)
            | Values::Zoned(_)
    );
    if has_time { component(vector, name, at) } else { None }
}
