//! Tuples of words that each lie close together, as years, months and codes do: an array of the numbers of
//! all tuples there can be. It remembers; the map of tuples knows.
//!
//! Hot loop: a multiplication and an addition a word, and one load a tuple. A null is one more word.

use super::encode::TAG_NULL;
use super::flat::NO_NUMBER;
use super::words::{KeyWords, Tags};

/// Tuples that the array has room for: 256 KiB; for each tuple that is known, as a map of many lies no
/// nearer; and at most: 4 MiB.
const ROOM: u64 = 1 << 16;
const ROOM_OF_KNOWN: u64 = 32;
const ROOM_MAX: u64 = 1 << 20;

/// How often the array begins again elsewhere: tuples that go on moving are not remembered.
const MOVES_MAX: u32 = 8;

/// Words of one tag from `base` on, and nulls. Of the tag of nulls where there is no word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    tag: u8,
    base: u64,
    /// How many words.
    span: u64,
    /// Whether there are nulls, too: they come before the words.
    has_null: bool,
}

impl Range {
    /// What words lie in, as signed numbers; `None` where tags differ or they lie too far from each other.
    fn of(words: &KeyWords) -> Option<Self> {
        let (tag, has_null) = match words.tags {
            Tags::All(tag) => (tag, false),
            Tags::Each => {
                let tag = words.each.iter().copied().find(|tag| *tag != TAG_NULL).unwrap_or(TAG_NULL);
                (words.each.iter().all(|own| *own == tag || *own == TAG_NULL)).then_some((tag, true))?
            }
        };
        if tag == TAG_NULL {
            return Some(Self { tag, base: 0, span: 0, has_null: true });
        }
        let signed = words.bits.iter().map(|bits| bits.cast_signed());
        let (least, most) = match has_null {
            false => (signed.clone().min()?, signed.max()?),
            true => {
                let signed =
                    signed.zip(&words.each).filter(|(_, tag)| **tag != TAG_NULL).map(|(bits, _)| bits);
                (signed.clone().min()?, signed.max()?)
            }
        };
        Some(Self::between(tag, least, most, has_null)).filter(|range| range.span <= ROOM_MAX)
    }

    /// What holds two words and all between, begun and ended at multiples of an eighth: words that come a
    /// little below or above move nothing.
    fn between(tag: u8, least: i64, most: i64, has_null: bool) -> Self {
        let width = most.abs_diff(least).saturating_add(1);
        let step = i128::from((width.checked_next_power_of_two().unwrap_or(1 << 63) / 8).max(1));
        let (first, last) = (i128::from(least).div_euclid(step), i128::from(most).div_euclid(step));
        // A step is a power of two: multiples of it begin no earlier than integers do.
        let base = (first * step) as i64;
        let span = u64::try_from((last + 1 - first) * step).unwrap_or(u64::MAX);
        Self { tag, base: base.cast_unsigned(), span, has_null }
    }

    /// Both; `None` where tags differ.
    fn and(self, other: Self) -> Option<Self> {
        match (self.tag, other.tag) {
            (_, TAG_NULL) => return Some(Self { has_null: true, ..self }),
            (TAG_NULL, _) => return Some(Self { has_null: true, ..other }),
            _ => {}
        }
        if self.tag != other.tag {
            return None;
        }
        let least = self.base.cast_signed().min(other.base.cast_signed());
        let most = self.last().max(other.last());
        Some(Self::between(self.tag, least, most, self.has_null || other.has_null))
    }

    /// The last of its words; the largest integer where it would be beyond.
    fn last(self) -> i64 {
        self.base.cast_signed().saturating_add_unsigned(self.span - 1)
    }

    /// Places that it takes.
    fn places(self) -> u64 {
        self.span.saturating_add(self.has_null.into())
    }

    /// Puts each word's place behind those of the words before it, if there are some. `false` where some lie
    /// outside: places are arbitrary then.
    #[inline(always)]
    fn put_places(self, words: &KeyWords, is_first: bool, places: &mut [u32]) -> bool {
        // Places are fewer than `ROOM_MAX`.
        let (first, count, mut is_outside) = (u64::from(self.has_null), self.places() as u32, false);
        let before = |place: u32| if is_first { 0 } else { place.wrapping_mul(count) };
        let mut put = |place: &mut u32, bits: u64| {
            let own = bits.wrapping_sub(self.base);
            is_outside |= own >= self.span;
            *place = before(*place).wrapping_add(own.wrapping_add(first) as u32);
        };
        match words.tags {
            Tags::All(TAG_NULL) => {
                is_outside = !self.has_null;
                places.iter_mut().for_each(|place| *place = before(*place));
            }
            Tags::All(tag) => {
                places.iter_mut().zip(&words.bits).for_each(|(place, bits)| put(place, *bits));
                is_outside |= tag != self.tag;
            }
            Tags::Each => {
                let mut is_other = false;
                for (place, (bits, tag)) in places.iter_mut().zip(words.bits.iter().zip(&words.each)) {
                    if *tag == TAG_NULL {
                        is_other |= !self.has_null;
                        *place = before(*place);
                    } else {
                        is_other |= *tag != self.tag;
                        put(place, *bits);
                    }
                }
                is_outside |= is_other;
            }
        }
        !is_outside
    }
}

/// Numbers of tuples, by their places in all ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct NearTuples {
    ranges: Vec<Range>,
    /// Numbers plus 1; empty where tuples do not lie close together.
    numbers: Vec<u32>,
    /// How often the array began again elsewhere, in the room that it has.
    moves: u32,
    room: u64,
    /// Of the rows at hand.
    places: Vec<u32>,
}

impl NearTuples {
    /// Makes the array span the tuples of some columns; `known` is how many tuples have a number. `false`
    /// where they do not lie close enough.
    pub(super) fn span(&mut self, columns: &[KeyWords], known: u32) -> bool {
        let most = (u64::from(known) * ROOM_OF_KNOWN).next_power_of_two().clamp(ROOM, ROOM_MAX);
        if most != self.room {
            (self.room, self.moves) = (most, 0);
        }
        if self.moves > MOVES_MAX {
            return false;
        }
        let is_there = self.ranges.len() == columns.len() && !self.numbers.is_empty();
        if is_there && self.put_places(columns) {
            return true;
        }
        let Some(own) = columns.iter().map(Range::of).collect::<Option<Vec<Range>>>() else { return false };
        // What came before is likely to come again.
        let both = || self.ranges.iter().zip(&own).map(|(range, own)| range.and(*own)).collect();
        let wider: Option<Vec<Range>> = if is_there { both() } else { None };
        let fits = |ranges: &Vec<Range>| {
            ranges
                .iter()
                .try_fold(1, |all: u64, range| all.checked_mul(range.places()))
                .is_some_and(|all| all <= most)
        };
        let Some(ranges) = wider.filter(fits).or_else(|| Some(own).filter(fits)) else { return false };
        let room = ranges.iter().map(|range| range.places()).product::<u64>();
        self.ranges = ranges;
        self.moves += 1;
        self.numbers.clear();
        self.numbers.resize(room as usize, 0);
        self.put_places(columns)
    }

    /// Puts the place of each tuple; `false` where some lie outside.
    fn put_places(&mut self, columns: &[KeyWords]) -> bool {
        let places = &mut self.places;
        places.clear();
        places.resize(columns.first().map_or(0, |words| words.bits.len()), 0);
        let mut all = self.ranges.iter().zip(columns).enumerate();
        all.all(|(at, (range, words))| range.put_places(words, at == 0, places))
    }

    /// Appends the number of each tuple that has one here, [`NO_NUMBER`] for others: of the columns that
    /// [`Self::span`] was told of last.
    pub(super) fn known(&self, out: &mut Vec<u32>) {
        // No number is 0 here.
        let number = |place: &u32| self.numbers.get(*place as usize).map_or(NO_NUMBER, |n| n.wrapping_sub(1));
        out.extend(self.places.iter().map(number));
    }

    /// The number of the tuple in row `k`, if it has one now.
    #[inline]
    pub(super) fn get(&self, k: usize) -> Option<u32> {
        self.numbers.get(*self.places.get(k)? as usize).and_then(|number| number.checked_sub(1))
    }

    /// Remembers its number.
    #[inline]
    pub(super) fn set(&mut self, k: usize, number: u32) {
        if let Some(known) = self.places.get(k).and_then(|place| self.numbers.get_mut(*place as usize)) {
            *known = number.wrapping_add(1);
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        (self.numbers.capacity() + self.places.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use trimorph_base::Random;

    use super::*;
    use crate::keys::encode::TAG_INT;

    /// Words, some of them null where that is wanted.
    fn words(random: &mut Random, bits: Vec<i64>, with_nulls: bool) -> KeyWords {
        let bits: Vec<u64> = bits.into_iter().map(i64::cast_unsigned).collect();
        if !with_nulls {
            return KeyWords { bits, tags: Tags::All(TAG_INT), each: Vec::new() };
        }
        let each: Vec<u8> =
            bits.iter().map(|_| if random.below(3) == 0 { TAG_NULL } else { TAG_INT }).collect();
        let bits = bits.into_iter().zip(&each).map(|(bits, tag)| if *tag == TAG_NULL { 0 } else { bits });
        KeyWords { bits: bits.collect(), tags: Tags::Each, each }
    }

    /// Against a map: tuples of words close together, at the ends of 64 bits, and that move, nulls among
    /// them.
    #[test]
    fn what_is_known_is_what_was_set() {
        let mut random = Random::new(11);
        let mut spans = [0; 5];
        for round in 0..600 {
            let (mut near, mut map) = (NearTuples::default(), HashMap::new());
            let base = [0, -3, i64::MIN, i64::MAX - 300, 1 << 40][random.below(5)];
            let width = 2 + round % 3;
            for chunk in 0..6 {
                let most = [90, 15, 6][round % 3];
                let columns: Vec<KeyWords> = (0..width)
                    .map(|at| {
                        let start = base.saturating_add(random.between(0, most * 2));
                        let most = if chunk == 3 && at == 1 { i64::MAX / 2 } else { most };
                        let bits = (0..50).map(|_| start.saturating_add(random.between(0, most))).collect();
                        let with_nulls = random.below(4) == 0;
                        words(&mut random, bits, with_nulls)
                    })
                    .collect();
                if !near.span(&columns, [0, 1 << 12, 1 << 20][random.below(3)]) {
                    continue;
                }
                spans[width] += 1;
                let mut known = Vec::new();
                near.known(&mut known);
                for (k, number) in known.into_iter().enumerate() {
                    let tuple: Vec<(u8, u64)> = columns.iter().map(|column| column.get(k)).collect();
                    if number != NO_NUMBER {
                        assert_eq!(map.get(&tuple), Some(&number));
                    }
                    let next = map.len() as u32;
                    let number = *map.entry(tuple).or_insert(next);
                    near.set(k, number);
                    assert_eq!(near.get(k), Some(number));
                }
            }
        }
        assert!(spans[2..].iter().all(|spans| *spans > 200), "{spans:?}");
    }
}
