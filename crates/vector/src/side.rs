//! Loops of kernels: a function of one or two plain values over slices.
//!
//! Where all positions are meant, or many, the loops run over slices side by side, without bounds checks, so
//! that the compiler vectorises them; else they visit the positions. What a function gives for values at
//! positions that are not meant is thrown away, so it must be total.

use crate::{Nulls, Positions};

/// One value for all positions, or one for each.
#[derive(Clone, Copy, Debug)]
pub enum Side<'a, T> {
    /// One for all.
    One(T),
    /// One for each.
    Each(&'a [T]),
}

impl<T: Copy> Side<'_, T> {
    /// The value at position `i`.
    #[inline(always)]
    pub fn at(&self, i: usize) -> T {
        match self {
            Self::One(v) => *v,
            Self::Each(v) => v[i],
        }
    }
}

/// The values that positions may be of.
#[inline(always)]
fn head<A>(a: &[A], len: usize) -> &[A] {
    a.get(..len).unwrap_or(a)
}

/// `of` each value.
#[inline(always)]
pub fn map<A: Copy, T: Copy + Default>(a: &[A], at: Positions<'_>, of: impl Fn(A) -> T) -> Vec<T> {
    if at.is_dense() {
        let mut out: Vec<T> = head(a, at.len).iter().map(|a| of(*a)).collect();
        out.resize(at.len, T::default());
        return out;
    }
    map_chosen(a, at, of)
}

/// `of` each value that is meant and no other: for functions that cost more than a few instructions.
#[inline(always)]
pub fn map_chosen<A: Copy, T: Copy + Default>(a: &[A], at: Positions<'_>, of: impl Fn(A) -> T) -> Vec<T> {
    if at.is_all() {
        return map(a, at, of);
    }
    let mut out = vec![T::default(); at.len];
    at.for_each(|i| out[i] = of(a[i]));
    out
}

/// `of` each position that is meant, for values that are in no slice.
#[inline(always)]
pub fn each<T: Copy + Default>(at: Positions<'_>, mut of: impl FnMut(usize) -> T) -> Vec<T> {
    if at.is_all() {
        return (0..at.len).map(of).collect();
    }
    let mut out = vec![T::default(); at.len];
    at.for_each(|i| out[i] = of(i));
    out
}

/// `of` each pair of values.
#[inline(always)]
pub fn zip<A: Copy, B: Copy, T: Copy + Default>(
    a: Side<'_, A>,
    b: Side<'_, B>,
    at: Positions<'_>,
    of: impl Fn(A, B) -> T,
) -> Vec<T> {
    match (a, b) {
        (Side::Each(a), Side::One(b)) => map(a, at, |a| of(a, b)),
        (Side::One(a), Side::Each(b)) => map(b, at, |b| of(a, b)),
        (Side::Each(a), Side::Each(b)) if at.is_dense() => {
            let (a, b) = (head(a, at.len), head(b, at.len));
            let mut out: Vec<T> = a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect();
            out.resize(at.len, T::default());
            out
        }
        (a, b) => {
            let mut out = vec![T::default(); at.len];
            at.for_each(|i| out[i] = of(a.at(i), b.at(i)));
            out
        }
    }
}

/// `of` each value, where the second of what it gives is negative if it does not hold; and whether it holds
/// for all, those that are not meant among them. Results are gathered as they come: zeros to be written over
/// would be a pass of their own.
#[inline(always)]
pub fn map_signed<A: Copy, T: Copy + Default>(
    a: &[A],
    at: Positions<'_>,
    of: impl Fn(A) -> (T, i64),
) -> (Vec<T>, bool) {
    let mut signs = 0;
    let values = head(a, at.len).iter().map(|a| {
        let (value, sign) = of(*a);
        signs |= sign;
        value
    });
    let mut out: Vec<T> = values.collect();
    out.resize(at.len, T::default());
    (out, signs >= 0)
}

/// As [`zip_checked`], of one value each.
#[inline(always)]
pub fn map_checked<A: Copy, T: Copy + Default>(
    a: &[A],
    nulls: &Nulls,
    at: Positions<'_>,
    of: impl Fn(A) -> (T, i64) + Copy,
) -> Option<Vec<T>> {
    if at.is_all()
        && let (out, true) = map_signed(a, at, of)
    {
        return Some(out);
    }
    zip_checked(Side::Each(a), Side::One(()), nulls, at, |a, ()| of(a))
}

/// `of` each pair of values; `None` where one that is meant and not null is beyond what it holds for: the
/// second of what `of` gives is negative there. A sign and not a Boolean, so that the loop stays one of plain
/// integers.
#[inline(always)]
pub fn zip_checked<A: Copy, B: Copy, T: Copy + Default>(
    a: Side<'_, A>,
    b: Side<'_, B>,
    nulls: &Nulls,
    at: Positions<'_>,
    of: impl Fn(A, B) -> (T, i64),
) -> Option<Vec<T>> {
    let (mut out, mut wrong) = (vec![T::default(); at.len], 0i64);
    match (a, b) {
        (Side::Each(a), Side::One(b)) if at.is_all() => {
            for (out, a) in out.iter_mut().zip(a) {
                let (value, sign) = of(*a, b);
                *out = value;
                wrong |= sign;
            }
        }
        (Side::One(a), Side::Each(b)) if at.is_all() => {
            for (out, b) in out.iter_mut().zip(b) {
                let (value, sign) = of(a, *b);
                *out = value;
                wrong |= sign;
            }
        }
        (Side::Each(a), Side::Each(b)) if at.is_all() => {
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                let (value, sign) = of(*a, *b);
                *out = value;
                wrong |= sign;
            }
        }
        (a, b) => at.for_each(|i| {
            let (value, sign) = of(a.at(i), b.at(i));
            out[i] = value;
            wrong |= sign;
        }),
    }
    if wrong < 0 {
        // What is null is no error.
        let mut is_wrong = nulls.is_none();
        at.for_each(|i| is_wrong |= !nulls.get(i) && of(a.at(i), b.at(i)).1 < 0);
        if is_wrong {
            return None;
        }
    }
    Some(out)
}
