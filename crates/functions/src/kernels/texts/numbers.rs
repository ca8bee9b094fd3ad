//! Lengths of texts, and numbers read from them.

use trimorph_vector::{Nulls, Positions, Values, Vector};

use super::{map, texts_of};
use crate::context::Context;
use crate::conversion::{read_boolean, read_float, read_integer};
use crate::kernel::Argument;

/// The number of characters.
pub(crate) fn length<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(args.first())?;
    let length = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let lengths = if texts.is_ascii() {
        map(texts, nulls, at, |text| length(text.len()))
    } else {
        // Most are ASCII nevertheless: to find that out costs less than to count.
        map(texts, nulls, at, |text| length(if text.is_ascii() { text.len() } else { text.chars().count() }))
    };
    Some(Vector { values: Values::Int(lengths), nulls: nulls.clone() })
}

/// Which texts have nothing in them.
pub(crate) fn is_empty<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(args.first())?;
    Some(Vector { values: Values::Bool(map(texts, nulls, at, str::is_empty)), nulls: nulls.clone() })
}

/// What `read` reads from each text; null where it reads nothing.
fn read<'s, T: Copy + Default>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    read: impl Fn(&str) -> Option<T>,
    wrap: impl FnOnce(Vec<T>) -> Values<'s>,
) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(args.first())?;
    // Each with whether nothing was read, which is not said of those that are not looked at.
    let read = map(texts, nulls, at, |text| read(text).map_or((T::default(), true), |v| (v, false)));
    let bits = |some: &[(T, bool)]| some.iter().rev().fold(0u64, |bits, (_, no)| bits << 1 | u64::from(*no));
    let unread = Nulls::of_words(read.chunks(64).map(bits).collect());
    let values = wrap(read.into_iter().map(|(v, _)| v).collect());
    Some(Vector { values, nulls: nulls.union(&unread, at.len) })
}

/// `toInteger` of texts.
pub(crate) fn to_integer<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    read(args, at, read_integer, Values::Int)
}

/// `toFloat` of texts.
pub(crate) fn to_float<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    read(args, at, read_float, Values::Float)
}

/// `toBoolean` of texts.
pub(crate) fn to_boolean<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    read(args, at, read_boolean, Values::Bool)
}
