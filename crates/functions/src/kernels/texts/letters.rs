//! Texts made of a text: parts of it, other letter cases, replacements.

use memchr::memmem::Finder;
use memchr::memrchr;
use trimorph_types::Value;
use trimorph_vector::{Lists, Positions, Values, Vector};

use super::byte_places::BytePlaces;
use super::{make, texts_of};
use crate::context::Context;
use crate::kernel::{Argument, nulls_of};
use crate::kernels::lists::MADE_MAX;
use crate::string::byte_of;

/// Texts up to which a byte is looked for without a search of the library's. Chosen: two of its vectors.
const SHORT_TEXT_BYTES: usize = 64;

/// A count that is the same everywhere, or one for each position.
enum Counts<'a> {
    One(usize),
    Each(&'a [i64]),
}

impl<'a> Counts<'a> {
    /// `None` where one that is meant is negative: an error, which the general path tells.
    fn of(argument: &Argument<'a, '_>, at: Positions<'_>) -> Option<Self> {
        match argument {
            Argument::One(Value::Int(n)) => Some(Self::One(usize::try_from(*n).ok()?)),
            Argument::Each(Vector { values: Values::Int(v), nulls }) => {
                let mut is_count = true;
                at.for_each(|i| is_count &= nulls.get(i) || v[i] >= 0);
                is_count.then_some(Self::Each(v))
            }
            _ => None,
        }
    }

    #[inline]
    fn at(&self, i: usize) -> usize {
        match self {
            Self::One(n) => *n,
            Self::Each(v) => usize::try_from(v[i]).unwrap_or(0),
        }
    }
}

/// Whether the texts that parts are taken of are known to be ASCII.
fn are_ascii(args: &[Argument<'_, '_>]) -> bool {
    texts_of(args.first()).is_some_and(|(texts, _)| texts.is_ascii())
}

/// Where the character of number `n` starts: of ASCII, at its byte.
#[inline(always)]
fn start_of(is_ascii: bool, text: &str, n: usize) -> usize {
    if is_ascii { n.min(text.len()) } else { byte_of(text, n) }
}

/// A part of each text.
fn parts<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    part: impl for<'t> FnMut(usize, &'t str) -> &'t str,
) -> Option<Vector<'s>> {
    let (texts, _) = texts_of(args.first())?;
    let nulls = nulls_of(args, at.len);
    let parts = texts.parts(at, &nulls, part);
    Some(Vector { values: Values::String(parts), nulls })
}

/// The first n characters.
pub(crate) fn left<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (n, is_ascii) = (Counts::of(args.get(1)?, at)?, are_ascii(args));
    parts(args, at, |i, text| &text[..start_of(is_ascii, text, n.at(i))])
}

/// The last n characters.
pub(crate) fn right<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (n, is_ascii) = (Counts::of(args.get(1)?, at)?, are_ascii(args));
    parts(args, at, |i, text| {
        let letters = if is_ascii { text.len() } else { text.chars().count() };
        &text[start_of(is_ascii, text, letters.saturating_sub(n.at(i)))..]
    })
}

/// Some characters from a position on.
pub(crate) fn substring<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let start = Counts::of(args.get(1)?, at)?;
    let length = args.get(2).map_or(Some(Counts::One(usize::MAX)), |n| Counts::of(n, at))?;
    let is_ascii = are_ascii(args);
    parts(args, at, |i, text| {
        let from = &text[start_of(is_ascii, text, start.at(i))..];
        &from[..start_of(is_ascii, from, length.at(i))]
    })
}

/// Without whitespace at both ends.
pub(crate) fn trim<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    if args.len() > 1 { None } else { parts(args, at, |_, text| text.trim()) }
}

/// Without whitespace at the start.
pub(crate) fn trim_start<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    if args.len() > 1 { None } else { parts(args, at, |_, text| text.trim_start()) }
}

/// Without whitespace at the end.
pub(crate) fn trim_end<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    if args.len() > 1 { None } else { parts(args, at, |_, text| text.trim_end()) }
}

/// In another letter case: letters of ASCII many at once, where the text is put; a text with others as a
/// whole.
#[inline(always)]
fn cased<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    ascii: impl Fn(u8) -> u8,
    other: impl Fn(&str) -> String,
) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(args.first())?;
    make(texts, nulls, at, |text, out, i| match text.is_ascii() {
        true => out.set_mapped(i, text.as_bytes().iter().map(|byte| ascii(*byte))),
        false => out.set(i, &other(text)),
    })
}

/// In upper case.
pub(crate) fn to_upper<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    cased(args, at, |byte| byte.to_ascii_uppercase(), str::to_uppercase)
}

/// In lower case.
pub(crate) fn to_lower<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    cased(args, at, |byte| byte.to_ascii_lowercase(), str::to_lowercase)
}

/// Backwards.
pub(crate) fn reverse<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(args.first())?;
    let mut buffer = String::new();
    make(texts, nulls, at, |text, out, i| match text.is_ascii() {
        // Every byte is a character.
        true => out.set_mapped(i, text.as_bytes().iter().rev().copied()),
        false => {
            buffer.clear();
            buffer.extend(text.chars().rev());
            out.set(i, &buffer);
        }
    })
}

/// With all of one constant text replaced by another.
pub(crate) fn replace<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let [_, Argument::One(Value::String(search)), Argument::One(Value::String(with))] = args else {
        return None;
    };
    let (texts, nulls) = texts_of(args.first())?;
    // The empty text is between all letters.
    if search.is_empty() || with.len() > search.len().saturating_mul(64) {
        return None;
    }
    let finder = Finder::new(search.as_bytes());
    let mut buffer = String::new();
    make(texts, nulls, at, |text, out, i| {
        let bytes = text.as_bytes();
        match short_delimiter(text, search) {
            Some(byte) => put_between(text, BytePlaces::new(byte, bytes), (1, with), &mut buffer),
            None => put_between(text, finder.find_iter(bytes), (search.len(), with), &mut buffer),
        }
        out.set(i, &buffer);
    })
}

/// Makes `out` a text with `with` in place of each of the parts of `len` bytes that start at `places`. What
/// is found starts and ends between characters, as what is looked for does.
#[inline]
fn put_between(
    text: &str,
    places: impl Iterator<Item = usize>,
    (len, with): (usize, &str),
    out: &mut String,
) {
    out.clear();
    let mut end = 0;
    for found in places {
        out.push_str(&text[end..found]);
        if !with.is_empty() {
            out.push_str(with);
        }
        end = found + len;
    }
    out.push_str(&text[end..]);
}

/// `split(text, delimiter)`: the parts of each text, where they lie.
pub(crate) fn split<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [text, Argument::One(Value::String(delimiter))] = args else { return None };
    let (texts, nulls) = texts_of(Some(text))?;
    // Between all letters.
    if delimiter.is_empty() {
        return None;
    }
    let finder = Finder::new(delimiter.as_bytes());
    let (parts, counts) =
        texts.cuts(at, nulls, MADE_MAX, |text, take| match short_delimiter(text, delimiter) {
            Some(byte) => cut(text, BytePlaces::new(byte, text.as_bytes()), 1, take),
            None => cut(text, finder.find_iter(text.as_bytes()), delimiter.len(), take),
        })?;
    let mut end = 0;
    let runs = counts.into_iter().map(|count| {
        end += count;
        (end - count, count)
    });
    let lists = Lists::new(runs, Vector::new(Values::String(parts)))?;
    Some(Vector { values: Values::List(lists), nulls: nulls.clone() })
}

/// `split(text, delimiter)[index]`: one part of each text, found without making the others; null where there
/// are not so many.
pub fn split_part<'s>(
    text: Argument<'_, 's>,
    delimiter: &str,
    index: i64,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (texts, nulls) = texts_of(Some(&text))?;
    // Between all letters.
    if delimiter.is_empty() {
        return None;
    }
    let finder = Finder::new(delimiter.as_bytes());
    let mut missing = nulls.clone();
    let parts = texts.parts(at, nulls, |i, text| {
        let part = match usize::try_from(index) {
            Ok(index) => part_from_start(text, &finder, delimiter, index),
            Err(_) => part_from_end(text, delimiter, index.unsigned_abs()),
        };
        part.unwrap_or_else(|| {
            missing.set(i, at.len);
            ""
        })
    });
    Some(Vector { values: Values::String(parts), nulls: missing })
}

/// What stands before the first of one constant part in each text, nothing where it is not there.
pub(crate) fn before_part<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    around_part(args, at, |text, found| &text[..found.unwrap_or(0)])
}

/// What stands behind it.
pub(crate) fn behind_part<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [_, Argument::One(Value::String(part))] = args else { return None };
    let len = part.len();
    around_part(args, at, |text, found| &text[found.map_or(text.len(), |found| found + len)..])
}

/// `take` of each text and of where one constant part first is in it: between characters, as the part is.
fn around_part<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    take: impl for<'t> Fn(&'t str, Option<usize>) -> &'t str,
) -> Option<Vector<'s>> {
    let [_, Argument::One(Value::String(part))] = args else { return None };
    let finder = Finder::new(part.as_bytes());
    parts(args, at, |_, text| {
        let found = match short_delimiter(text, part) {
            Some(byte) => BytePlaces::new(byte, text.as_bytes()).next(),
            None => finder.find(text.as_bytes()),
        };
        take(text, found)
    })
}

/// The one byte of a delimiter, where texts are so short that starting a search takes longer than searching.
#[inline]
fn short_delimiter(text: &str, delimiter: &str) -> Option<u8> {
    match *delimiter.as_bytes() {
        [byte] if text.len() <= SHORT_TEXT_BYTES => Some(byte),
        _ => None,
    }
}

/// Calls `take` with what is between delimiters, until it has enough. What is found starts and ends between
/// characters, as the delimiter does.
#[inline]
fn cut<'t>(
    text: &'t str,
    delimiters: impl Iterator<Item = usize>,
    len: usize,
    take: &mut dyn FnMut(&'t str) -> bool,
) {
    let mut start = 0;
    for found in delimiters {
        if !take(&text[start..found]) {
            return;
        }
        start = found + len;
    }
    take(&text[start..]);
}

fn part_from_start<'t>(text: &'t str, finder: &Finder<'_>, delimiter: &str, index: usize) -> Option<&'t str> {
    let (mut left, mut part) = (index, None);
    let mut take = |found: &'t str| {
        let is_it = left == 0;
        part = is_it.then_some(found);
        left = left.saturating_sub(1);
        !is_it
    };
    match short_delimiter(text, delimiter) {
        Some(byte) => cut(text, BytePlaces::new(byte, text.as_bytes()), 1, &mut take),
        None => cut(text, finder.find_iter(text.as_bytes()), delimiter.len(), &mut take),
    }
    part
}

/// The last part is the first from the end.
fn part_from_end<'t>(text: &'t str, delimiter: &str, place: u64) -> Option<&'t str> {
    // Found from the end where delimiters cannot overlap.
    if let [byte] = *delimiter.as_bytes() {
        let mut rest = text;
        for _ in 1..place {
            rest = &rest[..memrchr(byte, rest.as_bytes())?];
        }
        return Some(memrchr(byte, rest.as_bytes()).map_or(rest, |found| &rest[found + 1..]));
    }
    let parts = text.split(delimiter).count();
    text.split(delimiter).nth(parts.checked_sub(usize::try_from(place).ok()?)?)
}
