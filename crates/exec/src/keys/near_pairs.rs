//! Pairs of words that each lie close together, as years and months do: an array of the numbers of all pairs
//! there can be. It remembers; the map of pairs knows.

use super::flat::NO_NUMBER;
use super::words::{KeyWords, Tags};

/// Pairs that the array has room for: 256 KiB.
const ROOM: u64 = 1 << 16;

/// How often the array begins again elsewhere: pairs that go on moving are not remembered.
const MOVES_MAX: u32 = 8;

/// Words of one tag from `base` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    tag: u8,
    base: u64,
    /// How many, a power of two.
    span: u64,
}

impl Range {
    /// What words lie in, as signed numbers; `None` where tags differ or they lie too far from each other.
    fn of(words: &KeyWords) -> Option<Self> {
        let Tags::All(tag) = words.tags else { return None };
        let signed = || words.bits.iter().map(|bits| bits.cast_signed());
        let (least, most) = (signed().min()?, signed().max()?);
        Some(Self { tag, base: least.cast_unsigned(), span: 1 }.with(most.cast_unsigned()))
            .filter(|range| range.span <= ROOM)
    }

    /// The same with one more word, that is not below it.
    fn with(self, word: u64) -> Self {
        let span = word.wrapping_sub(self.base).saturating_add(1).max(self.span);
        Self { span: span.checked_next_power_of_two().unwrap_or(u64::MAX), ..self }
    }

    /// Both; `None` where tags differ.
    fn and(self, other: Self) -> Option<Self> {
        let (low, high) = match self.base.cast_signed() <= other.base.cast_signed() {
            true => (self, other),
            false => (other, self),
        };
        (low.tag == high.tag).then(|| low.with(high.base.wrapping_add(high.span - 1)))
    }

    fn holds(self, other: Self) -> bool {
        let place = other.base.wrapping_sub(self.base);
        self.tag == other.tag && place < self.span && other.span <= self.span - place
    }

    #[inline(always)]
    fn place(self, word: u64) -> u64 {
        word.wrapping_sub(self.base)
    }
}

/// Numbers of pairs, by their places in both ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct NearPairs {
    ranges: (Range, Range),
    /// Numbers plus 1; empty where pairs do not lie close together.
    numbers: Vec<u32>,
    /// How often the array began again elsewhere.
    moves: u32,
}

impl NearPairs {
    /// Makes the array span the pairs of two columns. `false` where they do not lie close enough.
    pub(super) fn span(&mut self, a: &KeyWords, b: &KeyWords) -> bool {
        if self.moves > MOVES_MAX {
            return false;
        }
        let (Some(x), Some(y)) = (Range::of(a), Range::of(b)) else { return false };
        if !self.numbers.is_empty() && self.ranges.0.holds(x) && self.ranges.1.holds(y) {
            return true;
        }
        // What came before is likely to come again.
        let wider = (!self.numbers.is_empty()).then(|| Some((self.ranges.0.and(x)?, self.ranges.1.and(y)?)));
        let fits = |(x, y): &(Range, Range)| x.span.checked_mul(y.span).is_some_and(|room| room <= ROOM);
        let Some(ranges) = wider.flatten().filter(fits).or_else(|| Some((x, y)).filter(fits)) else {
            return false;
        };
        self.ranges = ranges;
        self.moves += 1;
        self.numbers.clear();
        self.numbers.resize((ranges.0.span * ranges.1.span) as usize, 0);
        true
    }

    #[inline(always)]
    fn place(&self, x: u64, y: u64) -> usize {
        // Both are within their spans.
        (self.ranges.0.place(x) * self.ranges.1.span + self.ranges.1.place(y)) as usize
    }

    /// Appends the number of each pair that has one here, [`NO_NUMBER`] for others; the pairs are those that
    /// [`Self::span`] was told of.
    pub(super) fn known(&self, a: &KeyWords, b: &KeyWords, out: &mut Vec<u32>) {
        let number = |(x, y): (&u64, &u64)| match self.numbers.get(self.place(*x, *y)) {
            // No number is 0 here.
            Some(number) => number.wrapping_sub(1),
            None => NO_NUMBER,
        };
        out.extend(a.bits.iter().zip(&b.bits).map(number));
    }

    /// The number of one pair, if it has one here.
    #[inline]
    pub(super) fn get(&self, x: u64, y: u64) -> Option<u32> {
        self.numbers.get(self.place(x, y)).and_then(|number| number.checked_sub(1))
    }

    /// Remembers a number.
    #[inline]
    pub(super) fn set(&mut self, x: u64, y: u64, number: u32) {
        let place = self.place(x, y);
        if let Some(known) = self.numbers.get_mut(place) {
            *known = number.wrapping_add(1);
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.numbers.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use trimorph_base::Random;

    use super::*;
    use crate::keys::encode::TAG_INT;

    fn words(bits: Vec<i64>) -> KeyWords {
        let bits = bits.into_iter().map(i64::cast_unsigned).collect();
        KeyWords { bits, tags: Tags::All(TAG_INT), each: Vec::new() }
    }

    /// Against a map: pairs close together, at the ends of 64 bits, and that move.
    #[test]
    fn what_is_known_is_what_was_set() {
        let mut random = Random::new(11);
        let mut spans = 0;
        for _ in 0..300 {
            let (mut near, mut map) = (NearPairs::default(), HashMap::new());
            let base = [0, -3, i64::MIN, i64::MAX - 300, 1 << 40][random.below(5)];
            for chunk in 0..6 {
                let column = |random: &mut Random, most: i64| {
                    let start = base.saturating_add(random.between(0, 200));
                    words((0..50).map(|_| start.saturating_add(random.between(0, most))).collect())
                };
                let widest = if chunk == 3 { i64::MAX / 2 } else { 60 };
                let (a, b) = (column(&mut random, 90), column(&mut random, widest));
                if !near.span(&a, &b) {
                    continue;
                }
                spans += 1;
                let mut known = Vec::new();
                near.known(&a, &b, &mut known);
                for (k, number) in known.into_iter().enumerate() {
                    let pair = (a.bits[k], b.bits[k]);
                    if number != NO_NUMBER {
                        assert_eq!(map.get(&pair), Some(&number));
                    }
                    let next = map.len() as u32;
                    let number = *map.entry(pair).or_insert(next);
                    near.set(pair.0, pair.1, number);
                    assert_eq!(near.get(pair.0, pair.1), Some(number));
                }
            }
        }
        assert!(spans > 500);
    }
}
