//! Texts one after the other.

use std::sync::Arc;

use trimorph_vector::{Dictionary, Positions, Texts, Values, Vector};

use super::{LONG_TEXT_BYTES, MADE_BYTES_MAX, Side, make};
use crate::kernel::{Argument, nulls_of};

/// `a + b + …` of several texts, each of them written once; null where one of them is. `None` where they are
/// not all texts, and where fewer are written two by two: some have few entries of a dictionary.
pub fn concat_all_texts<'s>(texts: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let sides = texts.iter().map(|text| Side::of(*text)).collect::<Option<Vec<_>>>()?;
    let has_few = |side: &Side<'_, 's>| match side {
        Side::One(_) => false,
        Side::Each(texts) => texts.codes().is_some_and(|(_, entries)| entries.len() < at.count()),
    };
    if sides.iter().any(has_few) {
        return None;
    }
    let nulls = nulls_of(texts, at.len);
    let (mut buffer, mut out, mut fits) = (String::new(), Texts::blank(at.len), true);
    at.for_each(|i| {
        if nulls.get(i) || !fits {
            return;
        }
        let len: usize = sides.iter().map(|side| side.at(i).len()).sum();
        fits = len < LONG_TEXT_BYTES && out.block_bytes() <= MADE_BYTES_MAX;
        if fits {
            buffer.clear();
            sides.iter().for_each(|side| buffer.push_str(side.at(i)));
            out.set(i, &buffer);
        }
    });
    fits.then_some(Vector { values: Values::String(out), nulls })
}

/// Several texts, one after the other, in whichever of the two ways writes less.
pub(crate) fn concat_each<'s>(texts: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [first, second, rest @ ..] = texts else { return None };
    if !rest.is_empty()
        && let Some(all) = concat_all_texts(texts, at)
    {
        return Some(all);
    }
    let two = concat_texts(*first, *second, at);
    rest.iter().fold(two, |made, next| concat_texts(Argument::Each(&made?), *next, at))
}

/// `a + b` of texts; null where one of them is.
pub fn concat_texts<'s>(a: Argument<'_, 's>, b: Argument<'_, 's>, at: Positions<'_>) -> Option<Vector<'s>> {
    let nulls = nulls_of(&[a, b], at.len);
    let (a, b) = (Side::of(a)?, Side::of(b)?);
    let mut buffer = String::new();
    // What is text already is not checked again, as bytes in a room would be.
    let mut put = |a: &str, b: &str, out: &mut Texts<'s>, i: usize| {
        buffer.clear();
        buffer.push_str(a);
        buffer.push_str(b);
        out.set(i, &buffer);
    };
    match (a, b) {
        (Side::Each(texts), Side::One(end)) if end.len() < LONG_TEXT_BYTES => {
            return make(texts, &nulls, at, |text, out, i| put(text, end, out, i));
        }
        (Side::One(start), Side::Each(texts)) if start.len() < LONG_TEXT_BYTES => {
            return make(texts, &nulls, at, |text, out, i| put(start, text, out, i));
        }
        _ => {}
    }
    let mut fits = true;
    let mut step = |a: &str, b: &str, out: &mut Texts<'s>, i: usize| {
        fits &= a.len() + b.len() < LONG_TEXT_BYTES && out.block_bytes() <= MADE_BYTES_MAX;
        if fits {
            put(a, b, out, i);
        }
    };
    let out = if let (Side::Each(a), Side::Each(b)) = (a, b)
        && let (Some((a_codes, a)), Some((b_codes, b))) = (a.codes(), b.codes())
        && a.len().saturating_mul(b.len()) <= at.count() / 2
    {
        // Each entry with each, whether they meet or not.
        let mut all = Texts::blank(a.len() * b.len());
        for (x, start) in a.iter().enumerate() {
            b.iter().enumerate().for_each(|(y, end)| step(start, end, &mut all, x * b.len() + y));
        }
        let count = u32::try_from(b.len()).ok()?;
        let codes = a_codes.iter().zip(b_codes).map(|(x, y)| x * count + y).collect();
        Texts::coded(codes, &Arc::new(Dictionary::new(all)))
    } else {
        let mut out = Texts::blank(at.len);
        at.for_each(|i| {
            if !nulls.get(i) {
                step(a.at(i), b.at(i), &mut out, i);
            }
        });
        out
    };
    fits.then_some(Vector { values: Values::String(out), nulls })
}
