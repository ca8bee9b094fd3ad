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
        TextTest::StartsWith => map(texts, nulls, at, |text| text.starts_with(of)),
        TextTest::EndsWith => map(texts, nulls, at, |text| text.ends_with(of)),
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
