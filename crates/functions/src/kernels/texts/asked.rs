//! What is asked of texts: whether they contain, start or end with a text, or match a pattern.

use memchr::memmem::Finder;
use trimorph_vector::{Nulls, Positions, Texts, Values, Vector};

use super::byte_places::BytePlaces;
use super::{Side, map};
use crate::kernel::{Argument, nulls_of};
use crate::operators::regex_matches;

/// A question with a text for its second operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextTest {
    /// Whether it is somewhere in the first.
    Contains,
    /// Whether the first starts with it.
    StartsWith,
    /// Whether the first ends with it.
    EndsWith,
    /// Whether the first matches it as a pattern.
    Matches,
}

/// Asks each text that is meant; null where one operand is.
pub fn test_texts<'s>(
    test: TextTest,
    text: Argument<'_, 's>,
    of: Argument<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let nulls = nulls_of(&[text, of], at.len);
    let answers = match (Side::of(text)?, Side::of(of)?) {
        (Side::Each(texts), Side::One(of)) => constant(test, texts, of, &nulls, at)?,
        (text, of) => {
            let holds = |text: &str, of: &str| match test {
                TextTest::Contains => has(text.as_bytes(), of.as_bytes()),
                TextTest::StartsWith => text.starts_with(of),
                _ => text.ends_with(of),
            };
            if test == TextTest::Matches {
                return None;
            }
            let mut out = vec![false; at.len];
            at.for_each(|i| {
                if !nulls.get(i) {
                    out[i] = holds(text.at(i), of.at(i));
                }
            });
            out
        }
    };
    Some(Vector { values: Values::Bool(answers), nulls })
}

/// Bytes up to which a text is searched by its bytes that are the first of what is searched for: a searcher
/// is not worth its making there.
const SHORT_MAX: usize = 256;

/// Whether a text has another one in it, both of them looked at once. Quadratic in short texts only.
#[inline]
fn has(text: &[u8], of: &[u8]) -> bool {
    let Some((first, rest)) = of.split_first() else { return true };
    if text.len() > SHORT_MAX {
        return memchr::memmem::find(text, of).is_some();
    }
    let Some(last) = text.len().checked_sub(of.len()) else { return false };
    let mut places = BytePlaces::new(*first, &text[..=last]);
    // Mostly the second byte tells.
    places.any(|at| match (&text[at + 1..at + of.len()], rest) {
        ([second, ..], [wanted, ..]) if second != wanted => false,
        (found, rest) => found == rest,
    })
}

/// `of` each pair of texts; `None` where one side has none.
#[inline(always)]
pub(crate) fn zip_texts<'s>(
    a: Argument<'_, 's>,
    b: Argument<'_, 's>,
    at: Positions<'_>,
    of: impl Fn(&str, &str) -> bool,
) -> Option<Vec<bool>> {
    let nulls = nulls_of(&[a, b], at.len);
    match (Side::of(a)?, Side::of(b)?) {
        (Side::Each(texts), Side::One(other)) => Some(map(texts, &nulls, at, |text| of(text, other))),
        (Side::One(other), Side::Each(texts)) => Some(map(texts, &nulls, at, |text| of(other, text))),
        (a, b) => {
            let mut out = vec![false; at.len];
            at.for_each(|i| {
                if !nulls.get(i) {
                    out[i] = of(a.at(i), b.at(i));
                }
            });
            Some(out)
        }
    }
}

/// Up to eight bytes that texts are to start or end with, as a word: a call of the library for each text
/// takes four times as long.
struct Edge {
    word: u64,
    mask: u64,
}

impl Edge {
    /// The first of some bytes.
    fn new<'b>(bytes: impl Iterator<Item = &'b u8>) -> Self {
        let none = Self { word: 0, mask: 0 };
        bytes.take(8).enumerate().fold(none, |Self { word, mask }, (i, byte)| Self {
            word: word | u64::from(*byte) << (8 * i),
            mask: mask | 0xff << (8 * i),
        })
    }

    /// Whether eight bytes of a text begin so.
    #[inline]
    fn is_in(&self, bytes: [u8; 8]) -> bool {
        u64::from_le_bytes(bytes) & self.mask == self.word
    }
}

/// The second operand is the same for all: it is prepared once.
fn constant(
    test: TextTest,
    texts: &Texts<'_>,
    of: &str,
    nulls: &Nulls,
    at: Positions<'_>,
) -> Option<Vec<bool>> {
    Some(match test {
        TextTest::Contains => {
            let finder = Finder::new(of.as_bytes());
            map(texts, nulls, at, |text| finder.find(text.as_bytes()).is_some())
        }
        TextTest::StartsWith => {
            let start = Edge::new(of.as_bytes().iter());
            map(texts, nulls, at, |text| match text.as_bytes().first_chunk() {
                Some(word) => start.is_in(*word) && (of.len() <= 8 || text.starts_with(of)),
                None => text.starts_with(of),
            })
        }
        TextTest::EndsWith => {
            // From the last byte on, as the bytes of the texts.
            let end = Edge::new(of.as_bytes().iter().rev());
            map(texts, nulls, at, |text| match text.as_bytes().last_chunk::<8>() {
                Some(word) => {
                    let mut word = *word;
                    word.reverse();
                    end.is_in(word) && (of.len() <= 8 || text.ends_with(of))
                }
                None => text.ends_with(of),
            })
        }
        TextTest::Matches => {
            let mut known = true;
            let answers = regex_matches(of, |matches| {
                map(texts, nulls, at, |text| {
                    matches(text).unwrap_or_else(|| {
                        known = false;
                        false
                    })
                })
            })?;
            if !known {
                return None;
            }
            answers
        }
    })
}
