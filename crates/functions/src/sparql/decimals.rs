//! Decimals over typed vectors: numbers of which one side is decimals, or quotients of integers, in; decimals
//! or what they compare as out.
//!
//! What has no value, such as a quotient by nothing, is null, as SPARQL's errors are. Floats are others' to
//! compute (`vectors.rs`), and vectors of several types are left to the functions value by value.

use std::cmp::Ordering;

use trimorph_types::{Decimal, Value};
use trimorph_vector::{Decimals, Nulls, Positions, Values, Vector};

use crate::kernel::{Argument, nulls_of};

/// Exact numbers of one side.
#[derive(Clone, Copy)]
enum Exact<'a> {
    One(Decimal),
    Ints(&'a [i64]),
    Each(&'a Decimals),
}

impl<'a> Exact<'a> {
    /// The numbers of an argument, and whether they are decimals.
    fn of(argument: Argument<'a, '_>) -> Option<(Self, bool)> {
        Some(match argument {
            Argument::One(Value::Int(n)) => (Self::One((*n).into()), false),
            Argument::One(Value::Decimal(n)) => (Self::One(*n), true),
            Argument::Each(Vector { values: Values::Int(all), .. }) => (Self::Ints(all), false),
            Argument::Each(Vector { values: Values::Decimal(all), .. }) => (Self::Each(all), true),
            Argument::One(_) | Argument::Each(_) => return None,
        })
    }

    /// The numbers of an argument that is decimals.
    fn decimals(argument: Argument<'a, '_>) -> Option<Self> {
        Self::of(argument).filter(|(_, are)| *are).map(|(side, _)| side)
    }

    #[inline(always)]
    fn at(self, i: usize) -> Decimal {
        match self {
            Self::One(n) => n,
            Self::Ints(all) => all[i].into(),
            Self::Each(all) => all.at(i),
        }
    }
}

/// Sums and the like of exact numbers, if one side is decimals or integers give decimals too.
pub(super) fn combined<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of_integers: bool,
    of: impl Fn(Decimal, Decimal) -> Option<Decimal>,
) -> Option<Vector<'s>> {
    let [a, b] = args else { return None };
    let ((a, a_is), (b, b_is)) = (Exact::of(*a)?, Exact::of(*b)?);
    if !(a_is || b_is || of_integers) {
        return None;
    }
    Some(each(nulls_of(args, at.len), at, |i| of(a.at(i), b.at(i))))
}

/// Sums and the like of decimals with floats, which are floats.
pub(super) fn as_floats<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(f64, f64) -> f64,
) -> Option<Vector<'s>> {
    let [a, b] = args else { return None };
    let mut out = vec![0.0; at.len];
    match (a.floats(), b.floats()) {
        (Some(x), None) => {
            let y = Exact::decimals(*b)?;
            at.for_each(|i| out[i] = of(x.at(i), y.at(i).to_float()));
        }
        (None, Some(y)) => {
            let x = Exact::decimals(*a)?;
            at.for_each(|i| out[i] = of(x.at(i).to_float(), y.at(i)));
        }
        _ => return None,
    }
    Some(Vector { values: Values::Float(out), nulls: nulls_of(args, at.len) })
}

/// Whether exact numbers stand in an order, if one side is decimals.
pub(super) fn compared(
    args: &[Argument<'_, '_>],
    at: Positions<'_>,
    accepts: impl Fn(Option<Ordering>) -> bool,
) -> Option<Vec<bool>> {
    let [a, b] = args else { return None };
    let ((a, a_is), (b, b_is)) = (Exact::of(*a)?, Exact::of(*b)?);
    (a_is || b_is).then(|| {
        let mut out = vec![false; at.len];
        at.for_each(|i| out[i] = accepts(Some(a.at(i).cmp(&b.at(i)))));
        out
    })
}

/// What is made of each decimal.
pub(super) fn mapped<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(Decimal) -> Option<Decimal>,
) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let Values::Decimal(all) = &vector.values else { return None };
    Some(each(vector.nulls.clone(), at, |i| of(all.at(i))))
}

/// Numbers as decimals; floats are read by their text.
pub(super) fn cast<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let (all, _) = Exact::of(Argument::Each(vector))?;
    Some(each(vector.nulls.clone(), at, |i| Some(all.at(i))))
}

/// The integers that numbers are cut to, where all have 64 bits.
pub(super) fn integers<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let all = match &vector.values {
        Values::Int(_) => return Some((*vector).clone()),
        Values::Decimal(all) => all,
        _ => return None,
    };
    let (mut out, mut fit) = (vec![0; at.len], true);
    at.for_each(|i| {
        if !vector.nulls.get(i) {
            match i64::try_from(all.at(i).whole()) {
                Ok(n) => out[i] = n,
                Err(_) => fit = false,
            }
        }
    });
    fit.then(|| Vector { values: Values::Int(out), nulls: vector.nulls.clone() })
}

/// Numbers as doubles.
#[expect(clippy::cast_precision_loss, reason = "rounding is what promotion means")]
pub(super) fn doubles<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let Some(Argument::Each(vector)) = args.first() else { return None };
    let mut out = vec![0.0; at.len];
    match &vector.values {
        Values::Int(all) => at.for_each(|i| out[i] = all[i] as f64),
        Values::Decimal(all) => {
            return Some(Vector { values: Values::Float(all.floats()), nulls: vector.nulls.clone() });
        }
        Values::Float(_) => return Some((*vector).clone()),
        _ => return None,
    }
    Some(Vector { values: Values::Float(out), nulls: vector.nulls.clone() })
}

fn each<'s>(mut nulls: Nulls, at: Positions<'_>, of: impl Fn(usize) -> Option<Decimal>) -> Vector<'s> {
    let mut out = vec![Decimal::default(); at.len];
    at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        match of(i) {
            Some(number) => out[i] = number,
            None => nulls.set(i, at.len),
        }
    });
    Vector { values: Values::Decimal(Decimals::packed(out)), nulls }
}
