//! How near lists of numbers are: for each position the lists of both sides, element by element.
//!
//! Sums go over eight at a time, by themselves and in kernels alike, so that both give the same.

use std::borrow::Cow;

use trimorph_types::Value;
use trimorph_vector::{Lists, Nulls, Positions, Values, Vector};

use crate::context::Context;
use crate::kernel::{Argument, nulls_of};

/// Sums that are kept side by side.
const LANES: usize = 8;

/// The sum of what `of` gives for both, number by number.
#[inline(always)]
fn sum(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| of(*a, *b)).sum();
    if a_lanes.is_empty() {
        // What sums of nothing add.
        return 0.0 + rest;
    }
    let mut sums = [0.0; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for k in 0..LANES {
            sums[k] += of(a[k], b[k]);
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// How much two lists of as many numbers point the same way, from 0 to 1; `None` where one has no direction.
pub(crate) fn cosine_of(a: &[f64], b: &[f64]) -> Option<f64> {
    let [of_a, of_b] = [sum(a, a, |a, _| a * a), sum(b, b, |b, _| b * b)];
    // One root is more exact than two, where the product has room.
    let lengths = if (of_a * of_b).is_normal() { (of_a * of_b).sqrt() } else { of_a.sqrt() * of_b.sqrt() };
    // Rounding must not lead beyond what a cosine can be.
    let cosine = (sum(a, b, |a, b| a * b) / lengths).clamp(-1.0, 1.0);
    (lengths != 0.0).then(|| f64::midpoint(1.0, cosine))
}

/// How near two lists of as many numbers are: `1 / (1 + distance²)`.
pub(crate) fn euclidean_of(a: &[f64], b: &[f64]) -> f64 {
    1.0 / (1.0 + sum(a, b, |a, b| (a - b) * (a - b)))
}

/// Lists of numbers: the same for all positions, or one for each.
enum Numbers<'a, 's> {
    One(Vec<f64>),
    Each(&'a Lists<'s>, Cow<'a, [f64]>),
}

impl<'a, 's> Numbers<'a, 's> {
    /// `None` where some are no numbers, or null.
    #[expect(clippy::cast_precision_loss, reason = "as toFloat does")]
    fn of(argument: &Argument<'a, 's>) -> Option<Self> {
        let number = |value: &Value| match value {
            Value::Float(x) => Some(*x),
            Value::Int(x) => Some(*x as f64),
            _ => None,
        };
        match argument {
            Argument::One(Value::List(items)) => {
                Some(Self::One(items.iter().map(number).collect::<Option<_>>()?))
            }
            Argument::Each(Vector { values: Values::List(lists), .. }) if lists.child().nulls.is_none() => {
                let numbers = match &lists.child().values {
                    Values::Float(all) => Cow::Borrowed(&all[..]),
                    Values::Int(all) => Cow::Owned(all.iter().map(|i| *i as f64).collect()),
                    _ => return None,
                };
                Some(Self::Each(lists, numbers))
            }
            _ => None,
        }
    }

    #[inline]
    fn at(&self, i: usize) -> &[f64] {
        match self {
            Self::One(numbers) => numbers,
            Self::Each(lists, numbers) => {
                let range = lists.elements(i);
                numbers.get(range.start as usize..range.end as usize).unwrap_or_default()
            }
        }
    }
}

/// What `of` gives for the lists of each position; `None` where it gives none, and where lists are empty or
/// not of as many numbers: the error is told by who looks at the values.
fn each<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(&[f64], &[f64]) -> Option<f64>,
) -> Option<Vector<'s>> {
    let [a, b] = args else { return None };
    let nulls: Nulls = nulls_of(args, at.len);
    let (a, b) = (Numbers::of(a)?, Numbers::of(b)?);
    let mut out = vec![0.0; at.len];
    let mut fits = true;
    at.for_each(|i| {
        if fits && !nulls.get(i) {
            let (a, b) = (a.at(i), b.at(i));
            match of(a, b).filter(|_| a.len() == b.len() && !a.is_empty()) {
                Some(near) => out[i] = near,
                None => fits = false,
            }
        }
    });
    fits.then_some(Vector { values: Values::Float(out), nulls })
}

/// `vector.similarity.cosine(a, b)`.
pub(crate) fn cosine<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    each(args, at, cosine_of)
}

/// `vector.similarity.euclidean(a, b)`.
pub(crate) fn euclidean<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    each(args, at, |a, b| Some(euclidean_of(a, b)))
}
