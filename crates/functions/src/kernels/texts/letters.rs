//! Texts made of a text: parts of it, other letter cases, replacements.

use memchr::memmem::Finder;
use memchr::memrchr;
use trimorph_types::Value;
use trimorph_vector::{Lists, Positions, Values, Vector};

use super::byte_places::BytePlaces;
use super::{LONG_TEXT_BYTES, MADE_BYTES_MAX, few_entries, make, make_ascii, texts_of};
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

/// A part of each text: of ASCII from a byte to another, which `ascii` gives by position and length, without
/// a look at the text; of other texts as `part` says.
#[inline(always)]
fn parts_by_place<'s>(
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    ascii: impl Fn(usize, usize) -> (usize, usize),
    part: impl for<'t> FnMut(usize, &'t str) -> &'t str,
) -> Option<Vector<'s>> {
    let (texts, _) = texts_of(args.first())?;
    let nulls = nulls_of(args, at.len);
    match texts.ascii_parts(at, &nulls, ascii) {
        Some(parts) => Some(Vector { values: Values::String(parts), nulls }),
        None => parts(args, at, part),
    }
}

/// The first n characters.
pub(crate) fn left<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let n = Counts::of(args.get(1)?, at)?;
    parts_by_place(args, at, |i, _| (0, n.at(i)), |i, text| &text[..byte_of(text, n.at(i))])
}

/// The last n characters.
pub(crate) fn right<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let n = Counts::of(args.get(1)?, at)?;
    let behind = |i: usize, letters: usize| letters.saturating_sub(n.at(i));
    parts_by_place(
        args,
        at,
        |i, len| (behind(i, len), len),
        |i, text| &text[byte_of(text, behind(i, text.chars().count()))..],
    )
}

/// Some characters from a position on.
pub(crate) fn substring<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let start = Counts::of(args.get(1)?, at)?;
    let length = args.get(2).map_or(Some(Counts::One(usize::MAX)), |n| Counts::of(n, at))?;
    parts_by_place(
        args,
        at,
        |i, _| (start.at(i), start.at(i).saturating_add(length.at(i))),
        |i, text| {
            let from = &text[byte_of(text, start.at(i))..];
            &from[..byte_of(from, length.at(i))]
        },
    )
}

/// Whether a text may have whitespace at a place: whether the byte there is anything but a sign of ASCII.
#[inline]
fn may_be_space(byte: Option<&u8>) -> bool {
    !byte.is_some_and(u8::is_ascii_graphic)
}

/// What `cut` leaves of a text, where it may cut anything.
#[inline]
fn trimmed<'t>(text: &'t str, (start, end): (bool, bool), cut: impl Fn(&'t str) -> &'t str) -> &'t str {
    let bytes = text.as_bytes();
    let is_asked = start && may_be_space(bytes.first()) || end && may_be_space(bytes.last());
    if is_asked { cut(text) } else { text }
}

/// Without whitespace at both ends.
pub(crate) fn trim<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    if args.len() > 1 { None } else { parts(args, at, |_, text| trimmed(text, (true, true), str::trim)) }
}

/// Without whitespace at the start.
pub(crate) fn trim_start<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    if args.len() > 1 {
        None
    } else {
        parts(args, at, |_, text| trimmed(text, (true, false), str::trim_start))
    }
}

/// Without whitespace at the end.
pub(crate) fn trim_end<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    if args.len() > 1 { None } else { parts(args, at, |_, text| trimmed(text, (false, true), str::trim_end)) }
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
    let mapped = make_ascii(texts, nulls, at, |text, room| {
        room.extend_mapped(text.as_bytes(), &ascii);
    });
    mapped.or_else(|| {
        make(texts, nulls, at, |text, out, i| {
            if !out.set_mapped(i, text, &ascii) {
                out.set(i, &other(text));
            }
        })
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
    // Of ASCII every byte is a character.
    let turned = make_ascii(texts, nulls, at, |text, room| {
        room.extend_reversed(text.as_bytes());
    });
    turned.or_else(|| {
        let mut buffer = String::new();
        make(texts, nulls, at, |text, out, i| {
            if !out.set_reversed(i, text) {
                buffer.clear();
                buffer.extend(text.chars().rev());
                out.set(i, &buffer);
            }
        })
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
    // Whether something is replaced in a text, which then is in the buffer.
    let replaced = |text: &str, buffer: &mut String| {
        let bytes = text.as_bytes();
        if let Some(byte) = short_delimiter(text, search) {
            return put_between(text, BytePlaces::new(byte, bytes), (1, with), buffer);
        }
        // Starting an iterator takes longer than finding nothing.
        let Some(first) = finder.find(bytes) else { return false };
        let behind = first + search.len();
        let more = finder.find_iter(&bytes[behind..]).map(|found| behind + found);
        put_between(text, std::iter::once(first).chain(more), (search.len(), with), buffer)
    };
    let mut buffer = String::new();
    if few_entries(texts, at).is_some() {
        return make(texts, nulls, at, |text, out, i| {
            let is_other = replaced(text, &mut buffer);
            out.set(i, if is_other { &buffer } else { text });
        });
    }
    // Texts that nothing is replaced in stay where they lie.
    let (mut out, mut fits) = (texts.clone(), true);
    let kept = out.block_bytes();
    at.for_each(|i| {
        if fits && !nulls.get(i) {
            let text = texts.get(i);
            fits = text.len() < LONG_TEXT_BYTES && out.block_bytes() - kept <= MADE_BYTES_MAX;
            if fits && replaced(text, &mut buffer) {
                out.set(i, &buffer);
            }
        }
    });
    fits.then(|| Vector { values: Values::String(out), nulls: nulls.clone() })
}

/// Makes `out` a text with `with` in place of each of the parts of `len` bytes that start at `places`;
/// `false` where there are none. What is found starts and ends between characters, as what is looked for
/// does.
#[inline]
fn put_between(
    text: &str,
    places: impl Iterator<Item = usize>,
    (len, with): (usize, &str),
    out: &mut String,
) -> bool {
    out.clear();
    let (mut end, mut is_any) = (0, false);
    for found in places {
        is_any = true;
        out.push_str(&text[end..found]);
        if !with.is_empty() {
            out.push_str(with);
        }
        end = found + len;
    }
    if is_any {
        out.push_str(&text[end..]);
    }
    is_any
}

/// `split(text, delimiter)`: the parts of each text, where they lie.
pub(crate) fn split<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [text, Argument::One(Value::String(delimiter))] = args else { return None };
    let (texts, nulls) = texts_of(Some(text))?;
    let (parts, counts) = if delimiter.is_empty() {
        texts.cuts(at, nulls, MADE_MAX, into_letters)?
    } else {
        let finder = Finder::new(delimiter.as_bytes());
        texts.cuts(at, nulls, MADE_MAX, |text, take| match short_delimiter(text, delimiter) {
            Some(byte) => cut(text, BytePlaces::new(byte, text.as_bytes()), 1, take),
            None => cut(text, finder.find_iter(text.as_bytes()), delimiter.len(), take),
        })?
    };
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

/// Calls `take` with each letter, until it has enough.
#[inline]
fn into_letters<'t>(text: &'t str, take: &mut dyn FnMut(&'t str) -> bool) {
    let mut start = 0;
    for letter in text.chars() {
        let end = start + letter.len_utf8();
        if !take(&text[start..end]) {
            return;
        }
        start = end;
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
