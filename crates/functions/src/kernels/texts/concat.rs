//! Texts one after the other.

use std::sync::Arc;

use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_value};
use trimorph_vector::{Dictionary, Nulls, Positions, Texts, Values, Vector};

use super::{LONG_TEXT_BYTES, MADE_BYTES_MAX, Side, few_entries, make, present};
use crate::kernel::{Argument, nulls_of};
use crate::kernels::conversion::written_each;

/// `a + b + …` of several texts, each of them written once; null where one of them is. `None` where they are
/// not all texts, and where fewer are written two by two: some have few entries of a dictionary.
pub fn concat_all_texts<'s>(texts: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let sides = texts.iter().map(|text| Side::of(*text)).collect::<Option<Vec<_>>>()?;
    if sides.iter().any(|side| has_few(side, at)) {
        return None;
    }
    end_to_end(&sides, nulls_of(texts, at.len), at)
}

/// Whether a side has fewer entries of a dictionary than there are positions.
fn has_few(side: &Side<'_, '_>, at: Positions<'_>) -> bool {
    match side {
        Side::One(_) => false,
        Side::Each(texts) => few_entries(texts, at).is_some(),
    }
}

/// The texts of all sides at each position; `None` where one is long, or they are too much.
fn end_to_end<'s>(sides: &[Side<'_, 's>], nulls: Nulls, at: Positions<'_>) -> Option<Vector<'s>> {
    let positions = present(&nulls, at);
    let length = |i: &u32| sides.iter().map(|side| side.at(*i as usize).len()).sum::<usize>();
    let (mut bytes, mut longest) = (0, 0);
    for len in positions.iter().map(length) {
        bytes += len;
        longest = longest.max(len);
    }
    if bytes > MADE_BYTES_MAX || longest >= LONG_TEXT_BYTES {
        return None;
    }
    let mut out = Texts::blank_with_room(at.len, bytes);
    out.set_joined(&positions, bytes, |i, joined| sides.iter().for_each(|side| joined.push(side.at(i))));
    Some(Vector { values: Values::String(out), nulls })
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

/// `a + b` of texts and what is written as `toString` writes it: numbers and truth values.
pub fn concat_written<'s>(a: Argument<'_, 's>, b: Argument<'_, 's>, at: Positions<'_>) -> Option<Vector<'s>> {
    let is_text = |argument| Side::of(argument).is_some();
    if is_text(a) == is_text(b) {
        return None;
    }
    let other = if is_text(a) { b } else { a };
    let (vector, value);
    let other = match other {
        Argument::Each(
            each @ Vector {
                values: Values::Int(_) | Values::Float(_) | Values::Decimal(_) | Values::Bool(_),
                ..
            },
        ) => {
            vector = written_each(each, at)?;
            Argument::Each(&vector)
        }
        Argument::One(one @ (Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Bool(_))) => {
            value = Value::string(format_value(one, &IdsOnly));
            Argument::One(&value)
        }
        _ => return None,
    };
    if is_text(a) { concat_texts(a, other, at) } else { concat_texts(other, b, at) }
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
        (Side::Each(texts), Side::One(end)) if has_few(&a, at) && end.len() < LONG_TEXT_BYTES => {
            return make(texts, &nulls, at, |text, out, i| put(text, end, out, i));
        }
        (Side::One(start), Side::Each(texts)) if has_few(&b, at) && start.len() < LONG_TEXT_BYTES => {
            return make(texts, &nulls, at, |text, out, i| put(start, text, out, i));
        }
        _ => {}
    }
    if let (Side::Each(a), Side::Each(b)) = (a, b)
        && let (Some((a_codes, a)), Some((b_codes, b))) = (a.codes(), b.codes())
        && a.len().saturating_mul(b.len()) <= at.count() / 2
    {
        // Each entry with each, whether they meet or not.
        let (mut all, mut fits) = (Texts::blank(a.len() * b.len()), true);
        for (x, start) in a.iter().enumerate() {
            for (y, end) in b.iter().enumerate() {
                fits &= start.len() + end.len() < LONG_TEXT_BYTES && all.block_bytes() <= MADE_BYTES_MAX;
                if fits {
                    put(start, end, &mut all, x * b.len() + y);
                }
            }
        }
        let count = u32::try_from(b.len()).ok()?;
        let codes = a_codes.iter().zip(b_codes).map(|(x, y)| x * count + y).collect();
        let out = Texts::coded(codes, &Arc::new(Dictionary::new(all)));
        return fits.then_some(Vector { values: Values::String(out), nulls });
    }
    end_to_end(&[a, b], nulls, at)
}
