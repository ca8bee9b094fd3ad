//! Tests of values: a vector in, Booleans out.

use trimorph_vector::{Positions, Values, Vector, map};

use crate::context::Context;
use crate::kernel::Argument;

pub(crate) fn is_nan<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::Float(v) => map(v, at, f64::is_nan),
        Values::Int(_) => vec![false; at.len],
        _ => return None,
    };
    Some(Vector { values: Values::Bool(out), nulls: vector.nulls.clone() })
}

pub(crate) fn exists<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let mut out = vec![false; at.len];
    at.for_each(|i| out[i] = !vector.is_null(i));
    Some(Vector::new(Values::Bool(out)))
}
