//! A set of integers: takes them, tells whether one is among them, and whether some lie between two.
//!
//! Where they lie close together they are bits; else slots of a table, half of them taken, looked up by a
//! multiplication. They are kept in order as well, for zone maps.
//!
//! A set *about* some integers takes no order and less room, and may say that it has one that it has not:
//! 16 bits for each, of which four in one word are set (a Bloom filter, blocked by words: Putze, Sanders and
//! Singler, Cache-, hash- and space-efficient Bloom filters, 2007).

/// Bits for each integer up to which a set is bits: a table takes 16 bytes for each.
const SPREAD_MAX: u64 = 256;
/// Odd; the upper bits of a product depend on all bits of the factor (Knuth, 6.4: the golden ratio).
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// A set of integers.
#[derive(Debug)]
pub struct IntegerSet {
    /// Ascending, each once; of a set about some, only the smallest and the largest.
    sorted: Box<[i64]>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// A bit for each from the smallest on.
    Bits(Box<[u64]>),
    /// Slots, as many as a power of two; `none` is not in the set and stands in empty ones.
    Slots { slots: Box<[i64]>, shift: u32, none: i64 },
    /// Words, as many as a power of two, four bits for each integer in one of them.
    About { words: Box<[u64]>, shift: u32 },
}

/// The word's bits for an integer, from the product that also tells the word.
#[inline]
fn four_bits(mixed: u64) -> u64 {
    1 << (mixed & 63) | 1 << (mixed >> 6 & 63) | 1 << (mixed >> 12 & 63) | 1 << (mixed >> 18 & 63)
}

/// All bits of the result depend on all of the integer's (MurmurHash3's finalizer).
#[inline]
fn mixed(integer: i64) -> u64 {
    let h = integer.cast_unsigned();
    let h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
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

    /// About some integers: it may say that it has others, too, some 3 in 100.
    ///
    /// **Cost**: two passes.
    pub fn about(integers: &[i64]) -> Self {
        let bounds = integers.iter().copied().min().zip(integers.iter().copied().max());
        let Some((low, high)) = bounds else { return Self::new(Vec::new()) };
        let sorted = if low == high { Box::from([low]) } else { Box::from([low, high]) };
        let spread = high.wrapping_sub(low).cast_unsigned();
        if spread / SPREAD_MAX < integers.len() as u64 {
            return Self { sorted, form: Form::bits(low, spread, integers) };
        }
        let len = (integers.len() / 4).next_power_of_two().max(2);
        let shift = u64::BITS - len.ilog2();
        let mut words = vec![0u64; len];
        for integer in integers {
            let mixed = mixed(*integer);
            words[(mixed >> shift) as usize] |= four_bits(mixed);
        }
        Self { sorted, form: Form::About { words: words.into(), shift } }
    }

    /// The most bytes that a set of so many takes, while it is made too.
    pub fn bytes_for(count: usize) -> usize {
        count * 8 + count.max(8).next_power_of_two() * 16 + count * SPREAD_MAX as usize / 8
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let form = match &self.form {
            Form::Bits(words) | Form::About { words, .. } => words.len(),
            Form::Slots { slots, .. } => slots.len(),
        };
        (self.sorted.len() + form) * 8
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The smallest and the largest.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((*self.sorted.first()?, *self.sorted.last()?))
    }

    /// Whether some lie from `low` to `high`, or may. **Cost**: a binary search.
    pub fn meets(&self, low: i64, high: i64) -> bool {
        // Of a set about some, only the ends are known.
        if self.sorted.len() <= 2 {
            return self.bounds().is_some_and(|(least, most)| least <= high && low <= most);
        }
        let at = self.sorted.partition_point(|integer| *integer < low);
        self.sorted.get(at).is_some_and(|integer| *integer <= high)
    }

    /// Appends `first + i` for each of `integers` that is in it, or may be, without a branch on it.
    pub(super) fn select(&self, integers: &[i64], first: u32, out: &mut Vec<u32>) {
        let mut end = out.len();
        out.resize(end + integers.len(), 0);
        let mut put = |i: usize, is: bool| {
            // A block of a segment is shorter than 2^32.
            out[end] = first + i as u32;
            end += usize::from(is);
        };
        match (&self.form, self.sorted.first()) {
            (Form::Bits(words), Some(low)) => {
                for (i, integer) in integers.iter().enumerate() {
                    let bit = integer.wrapping_sub(*low).cast_unsigned();
                    let word = words.get((bit / 64) as usize).copied().unwrap_or(0);
                    put(i, word >> (bit % 64) & 1 == 1);
                }
            }
            (Form::About { words, shift }, _) => {
                for (i, integer) in integers.iter().enumerate() {
                    let mixed = mixed(*integer);
                    let bits = four_bits(mixed);
                    put(i, words[(mixed >> shift) as usize] & bits == bits);
                }
            }
            (Form::Slots { .. }, _) => {
                integers.iter().enumerate().for_each(|(i, integer)| put(i, self.contains(*integer)));
            }
            (Form::Bits(_), None) => {}
        }
        out.truncate(end);
    }

    /// Whether one is in it, or may be.
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
            Form::About { words, shift } => {
                let mixed = mixed(integer);
                let bits = four_bits(mixed);
                words[(mixed >> shift) as usize] & bits == bits
            }
        }
    }
}

impl Form {
    /// A bit for each from `first` on; at most 256 for each that there is.
    fn bits(first: i64, spread: u64, integers: &[i64]) -> Self {
        let mut words = vec![0u64; (spread / 64 + 1) as usize];
        for integer in integers {
            let bit = integer.wrapping_sub(first).cast_unsigned();
            words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        Self::Bits(words.into())
    }

    fn of(sorted: &[i64]) -> Self {
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
            return Self::Bits(Box::default());
        };
        let spread = last.wrapping_sub(*first).cast_unsigned();
        if spread / SPREAD_MAX < sorted.len() as u64 {
            return Self::bits(*first, spread, sorted);
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
            let about = IntegerSet::about(&integers);
            let near: Vec<i64> = integers.iter().map(|i| i.wrapping_add(random.between(-1, 1))).collect();
            for set in [&set, &about] {
                let mut out = vec![9];
                set.select(&near, 5, &mut out);
                let wanted = (5..).zip(&near).filter(|(_, i)| set.contains(**i)).map(|(at, _)| at);
                assert_eq!(out, std::iter::once(9).chain(wanted).collect::<Vec<u32>>(), "seed {seed}");
            }
            assert_eq!(
                (set.is_empty(), about.is_empty()),
                (plain.is_empty(), plain.is_empty()),
                "seed {seed}"
            );
            assert!(integers.iter().all(|integer| about.contains(*integer)), "seed {seed}");
            assert_eq!(about.bounds(), set.bounds(), "seed {seed}");
            assert_eq!(set.bounds(), plain.first().copied().zip(plain.last().copied()), "seed {seed}");
            let near = integers.iter().flat_map(|i| [i.wrapping_sub(1), *i, i.wrapping_add(1)]);
            for integer in near.chain(extremes).collect::<Vec<_>>() {
                assert_eq!(set.contains(integer), plain.contains(&integer), "seed {seed}: {integer}");
                let high = integer.saturating_add(random.between(0, spread));
                let meets = plain.range(integer..=high).next().is_some();
                let found = set.meets(integer, high);
                assert!(found == meets || (found && plain.len() == 2), "seed {seed}: {integer}..={high}");
                assert!(about.meets(integer, high) || !meets, "seed {seed}: {integer}..={high}");
            }
        }
    }

    #[test]
    fn a_set_about_integers_has_few_others() {
        let mut random = Random::new(7);
        let integers: Vec<i64> = (0..50_000).map(|_| random.bits().cast_signed()).collect();
        let about = IntegerSet::about(&integers);
        let others = (0..100_000).filter(|_| about.contains(random.bits().cast_signed())).count();
        assert!(others < 6_000, "{others} of 100,000");
    }
}
