//! Arithmetic of durations and decimals, of which each value is more than a word: vectors or constants in, a
//! vector out. What does not fit, and what is divided by zero, is left to the scalar evaluator, which has the
//! message.

use trimorph_algebra::Op;
use trimorph_functions::{Argument, nulls_of};
use trimorph_types::temporal::Ratio;
use trimorph_types::{Decimal, Duration, Value};
use trimorph_vector::{
    Decimals, Nulls, Positions, SCALE_MAX, Side, Values, Vector, map_checked, zip_checked,
};

use super::arithmetic_floats::floats;
use super::evaluated::Evaluated;

/// `a op b` where one of them is durations or decimals.
pub(super) fn arithmetic_wide<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (x, y) = (a.argument(), b.argument());
    let nulls = nulls_of(&[x, y], at.len);
    let values = match (durations(x), durations(y)) {
        (Some(x), Some(y)) => Values::Duration(match op {
            Op::Add => each(at, &nulls, |i| x.at(i).plus(y.at(i)).ok())?,
            Op::Sub => each(at, &nulls, |i| x.at(i).minus(y.at(i)).ok())?,
            _ => return None,
        }),
        (Some(x), None) => Values::Duration(scaled(op, x, y, &nulls, at)?),
        (None, Some(y)) if op == Op::Mul => Values::Duration(scaled(op, y, x, &nulls, at)?),
        (None, Some(_)) => return None,
        (None, None) => match with_floats(op, x, y, at) {
            Some(floats) => Values::Float(floats),
            None => Values::Decimal(match units(op, x, y, &nulls, at) {
                Some(units) => units,
                None => decimals(op, x, y, &nulls, at)?.into(),
            }),
        },
    };
    Some(Vector { values, nulls })
}

/// `of` each position; `None` where one that is meant and not null has none.
fn each<T: Clone + Default>(
    at: Positions<'_>,
    nulls: &Nulls,
    of: impl Fn(usize) -> Option<T>,
) -> Option<Vec<T>> {
    let (mut out, mut ok) = (vec![T::default(); at.len], true);
    at.for_each(|i| {
        if !nulls.get(i) {
            match of(i) {
                Some(value) => out[i] = value,
                None => ok = false,
            }
        }
    });
    ok.then_some(out)
}

fn durations<'a>(argument: Argument<'a, '_>) -> Option<Side<'a, Duration>> {
    match argument {
        Argument::One(Value::Duration(d)) => Some(Side::One(*d)),
        Argument::Each(Vector { values: Values::Duration(v), .. }) => Some(Side::Each(v)),
        _ => None,
    }
}

/// Durations times a number, or divided by one.
fn scaled(
    op: Op,
    x: Side<'_, Duration>,
    by: Argument<'_, '_>,
    nulls: &Nulls,
    at: Positions<'_>,
) -> Option<Vec<Duration>> {
    let of = |d: Duration, factor: Ratio| match op {
        Op::Mul => d.times(factor).ok(),
        Op::Div if !factor.is_zero() => d.divided(factor).ok(),
        _ => None,
    };
    if let Some(by) = by.ints() {
        if op == Op::Mul
            && let Some(out) = each(at, nulls, |i| times_whole(x.at(i), by.at(i)))
        {
            return Some(out);
        }
        return each(at, nulls, |i| of(x.at(i), Ratio::whole(by.at(i))));
    }
    match by.floats()? {
        Side::One(by) => {
            let by = Ratio::from_float(by)?;
            each(at, nulls, |i| of(x.at(i), by))
        }
        by => each(at, nulls, |i| of(x.at(i), Ratio::from_float(by.at(i))?)),
    }
}

/// So many times a duration; `None` where a part of it has no place, or only what parts carry has.
fn times_whole(d: Duration, by: i64) -> Option<Duration> {
    let nanos = i64::from(d.nanos).checked_mul(by)?;
    let part = |part: i64| part.checked_mul(by);
    Duration::normalized(part(d.months)?, part(d.days)?, part(d.seconds)?, nanos)
}

/// Decimals, and integers with them.
enum Numbers<'a> {
    One(Decimal),
    Each(&'a Decimals),
    Integers(Side<'a, i64>),
}

impl<'a> Numbers<'a> {
    fn of(argument: Argument<'a, '_>) -> Option<Self> {
        match argument {
            Argument::One(Value::Decimal(d)) => Some(Self::One(*d)),
            Argument::Each(Vector { values: Values::Decimal(v), .. }) => Some(Self::Each(v)),
            other => other.ints().map(Self::Integers),
        }
    }

    #[inline(always)]
    fn at(&self, i: usize) -> Decimal {
        match self {
            Self::One(d) => *d,
            Self::Each(v) => v.at(i),
            Self::Integers(side) => Decimal::from(side.at(i)),
        }
    }
}

/// Decimals beside floats, which count as such.
fn with_floats(op: Op, x: Argument<'_, '_>, y: Argument<'_, '_>, at: Positions<'_>) -> Option<Vec<f64>> {
    let own = |v: &Decimals| v.floats();
    let (each_x, each_y) = match (Numbers::of(x), Numbers::of(y)) {
        (Some(Numbers::Each(v)), None) => (own(v), Vec::new()),
        (None, Some(Numbers::Each(v))) => (Vec::new(), own(v)),
        _ => (Vec::new(), Vec::new()),
    };
    let side = |argument, each| match Numbers::of(argument) {
        Some(Numbers::One(d)) => Some(Side::One(d.to_float())),
        Some(Numbers::Each(_)) => Some(Side::Each(each)),
        _ => None,
    };
    match (side(x, &each_x[..]), side(y, &each_y[..]), x.floats(), y.floats()) {
        (Some(x), None, _, Some(y)) | (None, Some(y), Some(x), _) => floats(op, x, y, |x| x, |y| y, at),
        _ => None,
    }
}

/// Sums, differences and products of integers of one scale each, where they fit 64 bits.
fn units(
    op: Op,
    x: Argument<'_, '_>,
    y: Argument<'_, '_>,
    nulls: &Nulls,
    at: Positions<'_>,
) -> Option<Decimals> {
    let of = |argument| match Numbers::of(argument)? {
        Numbers::One(d) => Some((Side::One(d.units(d.scale())?), d.scale())),
        Numbers::Each(v) => v.units().map(|(units, scale)| (Side::Each(units), scale)),
        Numbers::Integers(side) => Some((side, 0)),
    };
    let ((x, of_x), (y, of_y)) = (of(x)?, of(y)?);
    let wrong = |is: bool| -i64::from(is);
    let (units, scale) = match op {
        Op::Add | Op::Sub => {
            let scale = of_x.max(of_y);
            let (a, b) = (Decimal::power(scale - of_x)?, Decimal::power(scale - of_y)?);
            let units = zip_checked(x, y, nulls, at, |x: i64, y: i64| {
                let ((x, far_x), (y, far_y)) = (x.overflowing_mul(a), y.overflowing_mul(b));
                let (sum, far) = if op == Op::Add { x.overflowing_add(y) } else { x.overflowing_sub(y) };
                (sum, wrong(far | far_x | far_y))
            });
            (units?, scale)
        }
        Op::Mul if of_x + of_y <= SCALE_MAX => {
            let units = zip_checked(x, y, nulls, at, |x: i64, y: i64| {
                let (product, far) = x.overflowing_mul(y);
                (product, wrong(far))
            });
            (units?, of_x + of_y)
        }
        _ => return None,
    };
    Some(Decimals::of_units(units, scale))
}

fn decimals(
    op: Op,
    x: Argument<'_, '_>,
    y: Argument<'_, '_>,
    nulls: &Nulls,
    at: Positions<'_>,
) -> Option<Vec<Decimal>> {
    let (x, y) = (Numbers::of(x)?, Numbers::of(y)?);
    if matches!((&x, &y), (Numbers::Integers(_), Numbers::Integers(_))) {
        return None;
    }
    let is_zero = |d: Decimal| d.unscaled() == 0;
    match op {
        Op::Add => each(at, nulls, |i| x.at(i).plus(y.at(i))),
        Op::Sub => each(at, nulls, |i| x.at(i).plus(y.at(i).negated())),
        Op::Mul => each(at, nulls, |i| x.at(i).times(y.at(i))),
        Op::Div => each(at, nulls, |i| x.at(i).divided(y.at(i)).filter(|_| !is_zero(y.at(i)))),
        Op::Mod => each(at, nulls, |i| x.at(i).remainder(y.at(i)).filter(|_| !is_zero(y.at(i)))),
        _ => None,
    }
}

/// `-a`.
pub(super) fn negated_wide<'s>(vector: &Vector<'s>, at: Positions<'_>) -> Option<Vector<'s>> {
    let nulls = vector.nulls.clone();
    let values = match &vector.values {
        Values::Duration(v) => Values::Duration(each(at, &nulls, |i| v[i].negated().ok())?),
        Values::Decimal(v) => Values::Decimal(match v.units() {
            Some((units, scale)) => {
                let of = |n: i64| {
                    let (negated, is_over) = n.overflowing_neg();
                    (negated, -i64::from(is_over))
                };
                Decimals::of_units(map_checked(units, &nulls, at, of)?, scale)
            }
            None => each(at, &nulls, |i| Some(v.at(i).negated()))?.into(),
        }),
        _ => return None,
    };
    Some(Vector { values, nulls })
}
