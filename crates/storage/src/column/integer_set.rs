//! A set of integers: takes them, tells whether one is among them, and whether some lie between two.
//!
//! Where they lie close together they are bits; else slots of a table, half of them taken, looked up by a
//! multiplication. They are kept in order as well, for zone maps.

/// Bits for each integer up to which a set is bits: a table takes 16 bytes for each.
const SPREAD_MAX: u64 = 256;
/// Odd; the upper bits of a product depend on all bits of the factor (Knuth, 6.4: the golden ratio).
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// A set of integers.
#[derive(Debug)]
pub struct IntegerSet {
    /// Ascending, each once.
    sorted: Box<[i64]>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// A bit for each from the smallest on.
    Bits(Box<[u64]>),
    /// Slots, as many as a power of two; `none` is not in the set and stands in empty ones.
    Slots { slots: Box<[i64]>, shift: u32, none: i64 },
}

impl IntegerSet {
    /// Of some integers, in any order, more than once or not.
    ///
    /// **Cost**: a sort, unless they come ascending.
    pub fn new(mut integers: Vec<i64>) -> Self {
        if !integers.is_sorted() {
            integers.sort_unstable();
        }
        integers.dedup();
        let sorted = integers.into_boxed_slice();
        let form = Form::of(&sorted);
        Self { sorted, form }
    }

    /// The most bytes that a set of so many takes, while it is made too.
    pub fn bytes_for(count: usize) -> usize {
        count * 8 + count.max(8).next_power_of_two() * 16 + count * SPREAD_MAX as usize / 8
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The smallest and the largest.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((*self.sorted.first()?, *self.sorted.last()?))
    }

    /// Whether some lie from `low` to `high`. **Cost**: a binary search.
    pub fn meets(&self, low: i64, high: i64) -> bool {
        let at = self.sorted.partition_point(|integer| *integer < low);
        self.sorted.get(at).is_some_and(|integer| *integer <= high)
    }

    /// Whether one is in it.
    #[inline]
    pub fn contains(&self, integer: i64) -> bool {
        match &self.form {
            Form::Bits(words) => {
                let Some(first) = self.sorted.first() else { return false };
                let bit = integer.wrapping_sub(*first).cast_unsigned();
                // Below the first is past the end.
                words.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1)
            }
            Form::Slots { slots, shift, none } => {
                let mut at = (integer.cast_unsigned().wrapping_mul(MIX) >> shift) as usize;
                loop {
                    // There are empty slots.
                    let there = slots[at];
                    if there == integer || there == *none {
                        return there == integer && integer != *none;
                    }
                    at = (at + 1) & (slots.len() - 1);
                }
            }
        }
    }
}

impl Form {
    fn of(sorted: &[i64]) -> Self {
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
            return Self::Bits(Box::default());
        };
        let spread = last.wrapping_sub(*first).cast_unsigned();
        if spread / SPREAD_MAX < sorted.len() as u64 {
            // At most 256 bits for each that there is.
            let mut words = vec![0u64; (spread / 64 + 1) as usize];
            for integer in sorted {
                let bit = integer.wrapping_sub(*first).cast_unsigned();
                words[(bit / 64) as usize] |= 1 << (bit % 64);
            }
            return Self::Bits(words.into());
        }
        let len = (sorted.len() * 2).next_power_of_two();
        let shift = u64::BITS - len.ilog2();
        let none = not_among(sorted);
        let mut slots = vec![none; len];
        for integer in sorted {
            let mut at = (integer.cast_unsigned().wrapping_mul(MIX) >> shift) as usize;
            while slots[at] != none {
                at = (at + 1) & (len - 1);
            }
            slots[at] = *integer;
        }
        Self::Slots { slots: slots.into(), shift, none }
    }
}

/// An integer that is not among those: there are fewer of them than integers.
fn not_among(sorted: &[i64]) -> i64 {
    let mut free = i64::MIN;
    for integer in sorted {
        if *integer != free {
            break;
        }
        free += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trimorph_base::Random;

    use super::IntegerSet;

    #[test]
    fn a_set_has_what_was_put_in() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let spread = [3, 1_000, 1 << 40, i64::MAX][random.below(4)];
            let base = [0, i64::MIN, i64::MAX - 2, -500][random.below(4)];
            let count = [0, 1, 2, 50, 3_000][random.below(5)];
            let extremes = [i64::MIN, i64::MAX, 0, -1];
            let mut integers: Vec<i64> =
                (0..count).map(|_| base.wrapping_add(random.between(0, spread))).collect();
            if random.below(2) == 0 {
                integers.extend(extremes);
            }
            let plain: BTreeSet<i64> = integers.iter().copied().collect();
            let set = IntegerSet::new(integers.clone());
            assert_eq!((set.len(), set.is_empty()), (plain.len(), plain.is_empty()), "seed {seed}");
            assert_eq!(set.bounds(), plain.first().copied().zip(plain.last().copied()), "seed {seed}");
            let near = integers.iter().flat_map(|i| [i.wrapping_sub(1), *i, i.wrapping_add(1)]);
            for integer in near.chain(extremes).collect::<Vec<_>>() {
                assert_eq!(set.contains(integer), plain.contains(&integer), "seed {seed}: {integer}");
                let high = integer.saturating_add(random.between(0, spread));
                let meets = plain.range(integer..=high).next().is_some();
                assert_eq!(set.meets(integer, high), meets, "seed {seed}: {integer}..={high}");
            }
        }
    }
}
