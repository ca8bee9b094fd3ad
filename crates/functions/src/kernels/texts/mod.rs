//! Kernels of strings: vectors of texts in, a typed vector out.
//!
//! ```text
//! asked      what is asked of texts: CONTAINS, STARTS WITH, ENDS WITH, =~
//! numbers    lengths, and numbers read from texts
//! letters    texts made of a text
//! concat     texts one after the other
//! parts      whether texts contain one of several
//! ```
//!
//! 1. What depends on one text only is computed once for each entry of a dictionary, where there are fewer
//!    entries than positions. It cannot fail, so that an entry that no position has does no harm.
//! 2. A part of a text lies where the text lies; only what is new is written.
//! 3. Long texts, and vectors that would make much, are left to the general path, which holds what it makes
//!    from the budget and can be stopped.

mod asked;
mod byte_places;
mod concat;
mod letters;
mod numbers;
mod parts;

use std::sync::Arc;

use trimorph_types::Value;
use trimorph_vector::{Dictionary, Entries, Nulls, Positions, Room, Texts, Values, Vector};

use crate::kernel::Argument;

pub(crate) use asked::zip_texts;
pub use asked::{TextTest, test_texts};
pub(crate) use concat::concat_each;
pub use concat::{concat_all_texts, concat_texts, concat_written};
pub use letters::split_part;
pub(crate) use letters::{
    before_part, behind_part, left, replace, reverse, right, split, substring, to_lower, to_upper, trim,
    trim_end, trim_start,
};
pub(crate) use numbers::{is_empty, length, to_boolean, to_float, to_integer};
pub use parts::TextParts;

/// Bytes of a text from which it is long.
const LONG_TEXT_BYTES: usize = 1 << 20;
/// Bytes that a kernel makes at most.
const MADE_BYTES_MAX: usize = 16 << 20;

/// Texts of an argument: the same for all positions, or one for each.
#[derive(Clone, Copy)]
enum Side<'a, 's> {
    One(&'a str),
    Each(&'a Texts<'s>),
}

impl<'a, 's> Side<'a, 's> {
    fn of(argument: Argument<'a, 's>) -> Option<Self> {
        match argument {
            Argument::One(Value::String(text)) => Some(Self::One(text)),
            Argument::Each(Vector { values: Values::String(texts), .. }) => Some(Self::Each(texts)),
            _ => None,
        }
    }

    #[inline]
    fn at(&self, i: usize) -> &str {
        match self {
            Self::One(text) => text,
            Self::Each(texts) => texts.get(i),
        }
    }
}

/// The texts of an argument that has one for each position.
pub(crate) fn texts_of<'a, 's>(argument: Option<&Argument<'a, 's>>) -> Option<(&'a Texts<'s>, &'a Nulls)> {
    match argument {
        Some(Argument::Each(Vector { values: Values::String(texts), nulls })) => Some((texts, nulls)),
        _ => None,
    }
}

/// The codes and entries of texts that have fewer entries than there are positions.
fn few_entries<'a, 's>(texts: &'a Texts<'s>, at: Positions<'_>) -> Option<(&'a [u32], &'a Entries<'s>)> {
    texts.codes().filter(|(_, entries)| entries.len() < at.count())
}

/// The positions that are meant and not null.
fn present(nulls: &Nulls, at: Positions<'_>) -> Vec<u32> {
    if nulls.is_none() { at.to_vec() } else { at.filter(|i| !nulls.get(i)) }
}

/// `of` each text that is meant.
#[inline]
pub(crate) fn map<T: Copy + Default>(
    texts: &Texts<'_>,
    nulls: &Nulls,
    at: Positions<'_>,
    mut of: impl FnMut(&str) -> T,
) -> Vec<T> {
    if at.is_all()
        && nulls.is_none()
        && let Some(viewed) = texts.viewed_texts(at.len)
    {
        let mut out: Vec<T> = viewed.map(of).collect();
        out.resize(at.len, T::default());
        return out;
    }
    let mut out = vec![T::default(); at.len];
    if let Some((codes, entries)) = few_entries(texts, at) {
        let entries: Vec<T> = entries.iter().map(&mut of).collect();
        at.for_each(|i| out[i] = entries[codes[i] as usize]);
    } else if nulls.is_none() {
        at.for_each(|i| out[i] = of(texts.get(i)));
    } else {
        at.for_each(|i| {
            if !nulls.get(i) {
                out[i] = of(texts.get(i));
            }
        });
    }
    out
}

/// The texts that `write` puts at the positions of those that are meant; `None` where that is too much.
fn make<'s>(
    texts: &Texts<'s>,
    nulls: &Nulls,
    at: Positions<'_>,
    mut write: impl FnMut(&str, &mut Texts<'s>, usize),
) -> Option<Vector<'s>> {
    let mut fits = true;
    let mut step = |text: &str, out: &mut Texts<'s>, i: usize| {
        fits &= text.len() < LONG_TEXT_BYTES && out.block_bytes() <= MADE_BYTES_MAX;
        if fits {
            write(text, out, i);
        }
    };
    let made = if let Some((codes, entries)) = few_entries(texts, at) {
        let mut out = Texts::blank(entries.len());
        entries.iter().enumerate().for_each(|(i, entry)| step(entry, &mut out, i));
        // Whoever comes next may look at entries, too. Codes of positions that are not meant are codes as
        // well.
        Texts::coded(codes.to_vec(), &Arc::new(Dictionary::new(out)))
    } else {
        let mut out = Texts::blank(at.len);
        at.for_each(|i| {
            if !nulls.get(i) {
                step(texts.get(i), &mut out, i);
            }
        });
        out
    };
    fits.then(|| Vector { values: Values::String(made), nulls: nulls.clone() })
}

/// The same of texts that are known to be ASCII and become others of as many bytes: they are written end to
/// end. `None` also of other texts.
fn make_ascii<'s>(
    texts: &Texts<'s>,
    nulls: &Nulls,
    at: Positions<'_>,
    write: impl FnMut(&str, &mut Room<'_>),
) -> Option<Vector<'s>> {
    if !texts.is_ascii() {
        return None;
    }
    let positions = present(nulls, at);
    let lengths = || positions.iter().map(|i| texts.get(*i as usize).len());
    let bytes: usize = lengths().sum();
    if bytes > MADE_BYTES_MAX || lengths().any(|len| len >= LONG_TEXT_BYTES) {
        return None;
    }
    let mut out = Texts::blank_with_room(at.len, bytes);
    let each = positions.iter().map(|i| *i as usize).map(|i| (i, texts.get(i).len(), texts.get(i)));
    out.set_many(each, write);
    Some(Vector { values: Values::String(out), nulls: nulls.clone() })
}
