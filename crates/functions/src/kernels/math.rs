//! Functions of numbers: vectors of integers or floats in, of the same or of floats out.

use trimorph_types::{Decimal, Value};
use trimorph_vector::{
    Decimals, Nulls, Positions, Values, Vector, map, map_checked, map_chosen, map_signed, zip,
};

use crate::context::Context;
use crate::kernel::{Argument, nulls_of};
use crate::round::{Mode, nearest, round_decimal, round_half_up, scale_of};

/// `of` each number, as a float.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "the functions are defined on floats")]
pub(crate) fn of_number<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(f64) -> f64,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::Int(v) => map_chosen(v, at, |n| of(n as f64)),
        Values::Float(v) => map_chosen(v, at, of),
        Values::Decimal(v) => map_chosen(&v.floats(), at, of),
        _ => return None,
    };
    Some(Vector { values: Values::Float(out), nulls: vector.nulls.clone() })
}

pub(crate) fn abs<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let values = match &vector.values {
        // Only the least integer keeps its sign.
        Values::Int(v) => {
            Values::Int(map_checked(v, &vector.nulls, at, |n| (n.wrapping_abs(), n.wrapping_abs()))?)
        }
        Values::Float(v) => Values::Float(map(v, at, f64::abs)),
        Values::Decimal(v) => Values::Decimal(match v.units() {
            Some((units, scale)) => {
                let of = |n: i64| (n.wrapping_abs(), n.wrapping_abs());
                Decimals::of_units(map_checked(units, &vector.nulls, at, of)?, scale)
            }
            None => map_chosen(&v.each(), at, |d: Decimal| d.max(d.negated())).into(),
        }),
        _ => return None,
    };
    Some(Vector { values, nulls: vector.nulls.clone() })
}

pub(crate) fn sign<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let out = match &vector.values {
        Values::Int(v) => map(v, at, i64::signum),
        Values::Float(v) => map(v, at, |x| i64::from(x > 0.0) - i64::from(x < 0.0)),
        Values::Decimal(v) => match v.units() {
            Some((units, _)) => map(units, at, i64::signum),
            None => map(&v.each(), at, |d| i64::from(d.unscaled() > 0) - i64::from(d.unscaled() < 0)),
        },
        _ => return None,
    };
    Some(Vector { values: Values::Int(out), nulls: vector.nulls.clone() })
}

/// A constant number of digits and a constant mode, if any.
pub(crate) fn round<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [_, rest @ ..] = args else { return None };
    let (digits, mode) = match rest {
        [] => return of_number(args, at, round_half_up),
        [Argument::One(Value::Int(digits))] => (*digits, Mode::HalfUp),
        [Argument::One(Value::Int(digits)), Argument::One(Value::String(mode))] => {
            (*digits, Mode::parse(mode)?)
        }
        _ => return None,
    };
    let digits = usize::try_from(digits).ok()?;
    let by_text = |x| round_decimal(x, digits, mode);
    let Some(scale) = scale_of(digits, mode) else { return of_number(args, at, by_text) };
    let Some(Argument::Each(Vector { values: Values::Float(v), nulls })) = args.first() else {
        return of_number(args, at, by_text);
    };
    // The few that are near a tie come again.
    let (mut out, are_clear) = map_signed(v, at, move |x| {
        let (rounded, is_clear) = nearest(x, scale);
        (rounded, i64::from(is_clear) - 1)
    });
    if !are_clear {
        at.for_each(|i| {
            if !nearest(v[i], scale).1 {
                out[i] = by_text(v[i]);
            }
        });
    }
    Some(Vector { values: Values::Float(out), nulls: nulls.clone() })
}

/// Another number for each position.
pub(crate) fn rand<'s>(
    context: &Context<'_>,
    _: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let mut out = vec![0.0; at.len];
    at.for_each(|i| out[i] = context.random_float());
    Some(Vector { values: Values::Float(out), nulls: Nulls::NONE })
}

#[expect(clippy::cast_precision_loss, reason = "the function is defined on floats")]
pub(crate) fn atan2<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [y, x] = args else { return None };
    let out = match (y.floats(), x.floats(), y.ints(), x.ints()) {
        (Some(y), Some(x), ..) => zip(y, x, at, f64::atan2),
        (Some(y), .., Some(x)) => zip(y, x, at, |y, x| y.atan2(x as f64)),
        (_, Some(x), Some(y), _) => zip(y, x, at, |y, x| (y as f64).atan2(x)),
        (.., Some(y), Some(x)) => zip(y, x, at, |y, x| (y as f64).atan2(x as f64)),
        _ => return None,
    };
    Some(Vector { values: Values::Float(out), nulls: nulls_of(args, at.len) })
}
