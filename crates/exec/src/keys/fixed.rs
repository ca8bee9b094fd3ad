//! Single words to numbers: those of one tag that lie close together by an array, as integers and dates
//! mostly do, others by maps, one for each tag.

use super::encode::{TAG_FLOAT, TAG_NULL, TAG_TEXT};
use super::flat::{FlatMap, NO_NUMBER};

/// Integers that an array may span whatever the rows, what it may span for each row that has come, and at
/// most: 16 MiB.
const SPAN_FREE: u64 = 1 << 12;
const SPAN_PER_KEY: u64 = 32;
const SPAN_MAX: u64 = 1 << 22;
/// Arrays begin and end at multiples of this, so that they seldom move.
const STEP: i64 = 1 << 10;

/// Keys whose slots are asked for before the first of them is looked up: their cache misses overlap.
pub(super) const AHEAD: usize = 32;

/// Words, each with a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixed {
    /// The number plus 1 of the words of one tag from `base` on.
    near: Vec<u32>,
    near_tag: u8,
    base: i64,
    /// Those that have come, without those of the array, by tag.
    far: Vec<(u8, FlatMap<u64>)>,
    /// Words that are expected in all.
    expected: usize,
}

impl Fixed {
    /// Makes the array span the words that are about to come, if they lie close enough; `count` is how many
    /// keys there are.
    pub(super) fn widen(&mut self, tag: u8, bits: &[u64], count: u32) {
        // Texts have numbers already, null is one word, the bits of floats lie far apart, and the first tag
        // has the array.
        if matches!(tag, TAG_TEXT | TAG_NULL | TAG_FLOAT) || !self.near.is_empty() && tag != self.near_tag {
            return;
        }
        let ints = || bits.iter().map(|b| b.cast_signed());
        let (Some(least), Some(most)) = (ints().min(), ints().max()) else { return };
        let end = self.base.saturating_add_unsigned(self.near.len() as u64);
        if !self.near.is_empty() && least >= self.base && most < end {
            return;
        }
        let (low, high) =
            if self.near.is_empty() { (least, most) } else { (least.min(self.base), most.max(end - 1)) };
        let Some(low) = low.div_euclid(STEP).checked_mul(STEP) else { return };
        let span = high.abs_diff(low);
        let wanted = SPAN_FREE.max(SPAN_PER_KEY * (u64::from(count) + bits.len() as u64)).min(SPAN_MAX);
        if span >= wanted {
            return;
        }
        // An array that moves gets as much room again where it grew: keys that ascend, or descend, move it a
        // few times only.
        let more =
            (self.near.len() as u64).min(wanted - 1 - span) / STEP.unsigned_abs() * STEP.unsigned_abs();
        let (low, high) = match (self.near.is_empty(), low < self.base) {
            (true, _) => (low, high),
            (false, true) => (low.saturating_sub_unsigned(more), high),
            (false, false) => (low, high.saturating_add_unsigned(more)),
        };
        let span = (high.abs_diff(low) + 1).next_multiple_of(STEP.unsigned_abs());
        let mut near = vec![0; span as usize];
        let shift = self.base.abs_diff(low) as usize;
        if let Some(place) = near.get_mut(shift..shift + self.near.len()) {
            place.copy_from_slice(&self.near);
        }
        (self.near, self.near_tag, self.base) = (near, tag, low);
    }

    /// Has the map of the words that come next made for so many.
    pub(super) fn expect(&mut self, words: usize) {
        self.expected = words;
        // Mostly there is one.
        if let [(_, map)] = &mut self.far[..] {
            map.expect(words);
        }
    }

    /// The place of a word in the array.
    #[inline(always)]
    fn place(&self, tag: u8, bits: u64) -> usize {
        let place = bits.wrapping_sub(self.base.cast_unsigned());
        if tag == self.near_tag { usize::try_from(place).unwrap_or(usize::MAX) } else { usize::MAX }
    }

    #[inline]
    fn map(&self, tag: u8) -> Option<&FlatMap<u64>> {
        self.far.iter().find(|(of, _)| *of == tag).map(|(_, map)| map)
    }

    /// Appends the number of each word that the array has one of, [`NO_NUMBER`] for others. `false`, and
    /// nothing done, where the array is of another tag.
    ///
    /// **Cost**: a load and a comparison a word.
    pub(super) fn known(&self, tag: u8, bits: &[u64], out: &mut Vec<u32>) -> bool {
        if self.near.is_empty() || tag != self.near_tag {
            return false;
        }
        let base = self.base.cast_unsigned();
        let number = |bits: &u64| {
            let place = usize::try_from(bits.wrapping_sub(base)).unwrap_or(usize::MAX);
            // No number is 0 in the array.
            self.near.get(place).map_or(NO_NUMBER, |number| number.wrapping_sub(1))
        };
        out.extend(bits.iter().map(number));
        true
    }

    /// The same of the words that no array has, by their map: those that stand where they are looked for
    /// first. `false`, and nothing done, where there is no map yet.
    pub(super) fn known_far(&self, tag: u8, bits: &[u64], out: &mut Vec<u32>) -> bool {
        let Some(map) = self.map(tag).filter(|_| self.near.is_empty() || tag != self.near_tag) else {
            return false;
        };
        if !map.is_far() {
            out.extend(bits.iter().map(|bits| map.find_near(*bits)));
            return true;
        }
        for run in bits.chunks(AHEAD) {
            run.iter().for_each(|bits| map.prepare(*bits));
            out.extend(run.iter().map(|bits| map.find_near(*bits)));
        }
        true
    }

    /// The number of a word, which is `next` if it is new.
    #[inline]
    pub(super) fn number(&mut self, (tag, bits): (u8, u64), next: u32) -> u32 {
        let place = self.place(tag, bits);
        if let Some(number) = self.near.get(place) {
            if *number != 0 {
                return *number - 1;
            }
            // It may have come before the array spanned it.
            let number = self.map(tag).and_then(|map| map.find(bits)).unwrap_or(next);
            self.near[place] = number.wrapping_add(1);
            return number;
        }
        self.far_number(tag, bits, next)
    }

    #[inline]
    fn far_number(&mut self, tag: u8, bits: u64, next: u32) -> u32 {
        if let Some((_, map)) = self.far.iter_mut().find(|(of, _)| *of == tag) {
            return map.number(bits, next);
        }
        let mut map = FlatMap::default();
        map.expect(self.expected);
        map.number(bits, next);
        self.far.push((tag, map));
        next
    }

    /// The number of a word, if it has one.
    #[inline]
    pub(super) fn find(&self, (tag, bits): (u8, u64)) -> Option<u32> {
        match self.near.get(self.place(tag, bits)) {
            Some(number) if *number != 0 => Some(*number - 1),
            _ => self.map(tag)?.find(bits),
        }
    }

    /// Whether some words of a tag are not in the array.
    pub(super) fn has_far(&self, tag: u8) -> bool {
        self.map(tag).is_some()
    }

    /// How many words are in maps that are worth asking for ahead.
    pub(super) fn len_far(&self) -> usize {
        self.far.iter().map(|(_, map)| if map.is_far() { map.len() } else { 0 }).sum()
    }

    /// The map that words of a tag are looked up in, if it pays to ask for its slots ahead.
    pub(super) fn far(&self, tag: u8) -> Option<&FlatMap<u64>> {
        self.map(tag).filter(|map| map.is_far())
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.near.capacity() * 4 + self.far.iter().map(|(_, map)| map.bytes()).sum::<usize>()
    }

    /// Bytes that may be allocated before `more` words have come.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        if self.far.is_empty() {
            let mut map = FlatMap::<u64>::default();
            map.expect(self.expected);
            return map.growth_bytes(more);
        }
        self.far.iter().map(|(_, map)| map.growth_bytes(more)).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::keys::encode::{TAG_INT, TAG_NODE};

    /// Against the standard map: integers close together, that move away, and of both ends.
    #[test]
    fn words_have_the_numbers_of_a_map() {
        let mut random = trimorph_base::Random::new(3);
        let mut random = move || random.bits() >> 12;
        for round in 0..40u64 {
            let (mut fixed, mut map) = (Fixed::default(), HashMap::new());
            for chunk in 0..30u64 {
                let words: Vec<(u8, u64)> = (0..200)
                    .map(|_| {
                        let v = random();
                        let int = match round % 5 {
                            0 => (v % 100).cast_signed() - 50,
                            1 => (v % 500 + chunk * 400).cast_signed(),
                            2 => [i64::MIN, i64::MAX, 0, -1, i64::MAX - 1023][v as usize % 5],
                            3 => (v % 3_000).cast_signed() - chunk.cast_signed() * 700,
                            _ => (v % 7).cast_signed() << (v % 60),
                        };
                        (if v % 10 == 0 && round % 2 == 0 { TAG_NODE } else { TAG_INT }, int.cast_unsigned())
                    })
                    .collect();
                let ints: Vec<u64> = words.iter().filter(|w| w.0 == TAG_INT).map(|w| w.1).collect();
                if chunk % 3 != 1 {
                    fixed.widen(TAG_INT, &ints, map.len() as u32);
                }
                for word in words {
                    assert_eq!(fixed.find(word), map.get(&word).copied(), "{word:?}");
                    let next = map.len() as u32;
                    assert_eq!(fixed.number(word, next), *map.entry(word).or_insert(next), "{word:?}");
                }
            }
            assert!(map.iter().all(|(word, number)| fixed.find(*word) == Some(*number)));
        }
    }

    /// Keys that ascend or descend chunk by chunk, with gaps: the array moves a few times only.
    #[test]
    fn keys_in_order_move_the_array_seldom() {
        for step in [7i64, -7] {
            let (mut fixed, mut moves, mut count) = (Fixed::default(), 0, 0u32);
            for chunk in 0..200 {
                let words: Vec<u64> =
                    (0..2000).map(|i| ((chunk * 2000 + i) * step).cast_unsigned()).collect();
                let before = fixed.near.len();
                fixed.widen(TAG_INT, &words, count);
                moves += usize::from(fixed.near.len() != before);
                for word in words {
                    assert_eq!(fixed.number((TAG_INT, word), count), count);
                    count += 1;
                }
            }
            assert!(moves <= 16, "{moves} moves");
            assert!(
                (0..count)
                    .all(|i| { fixed.find((TAG_INT, (i64::from(i) * step).cast_unsigned())) == Some(i) })
            );
        }
    }
}
