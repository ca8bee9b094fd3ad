//! A set of words, or of pairs of words, that says which are new to it. It begins as a table of them. Where
//! many lie side by side, as the rows of nodes and most numbers do, it becomes a table of blocks of 512 words
//! with a bit for each: a thirtieth of the memory, most of which then stays in a cache.
//!
//! Hot loop: the blocks of a run of keys are looked up and their bits asked for ahead, then bits are tested
//! and set. How full blocks would be is estimated from a part of them, whenever the table has grown fourfold.

use trimorph_store::prefetch_item;

use super::flat::{FlatKey, FlatMap};

/// Keys whose slots are asked for before the first of them is looked up.
const AHEAD: usize = 32;
/// Words of a block: the bits of one cache line.
const BLOCK_BITS: u32 = 9;
const BLOCK_WORDS: usize = 1 << BLOCK_BITS;
/// Keys from which on blocks are thought of: their table leaves the caches that are near.
const KEYS_MIN: usize = 1 << 16;
/// How many times as many keys there are when they are thought of again.
const CHECK_GROWTH: usize = 4;
/// Keys of a block from which on two look-ups, of the block and of the bit, take less than one among all
/// keys. On SNB's BI 6, whose likes are few of a block, they took 1.24 of the time.
const KEYS_OF_BLOCK_MIN: usize = 16;
/// One of so many blocks is counted.
const COUNTED_OF: u64 = 16;

/// A key that lies in a block.
pub(crate) trait DenseKey: FlatKey {
    /// Its block, and which of its words it is.
    fn block(self) -> (Self, usize);
    /// The key that is that word of the block `self`.
    fn of_block(self, word: usize) -> Self;
}

impl DenseKey for u64 {
    #[inline(always)]
    fn block(self) -> (Self, usize) {
        (self >> BLOCK_BITS, self as usize & (BLOCK_WORDS - 1))
    }

    fn of_block(self, word: usize) -> Self {
        self << BLOCK_BITS | word as u64
    }
}

impl DenseKey for (u64, u64) {
    #[inline(always)]
    fn block(self) -> (Self, usize) {
        let (block, word) = self.1.block();
        ((self.0, block), word)
    }

    fn of_block(self, word: usize) -> Self {
        (self.0, self.1.of_block(word))
    }
}

/// The words of a block that are there.
pub(crate) type Bits = [u64; BLOCK_WORDS / 64];

/// The block that a word lies in.
pub(crate) fn block_of(word: u64) -> u64 {
    word.block().0
}

/// The words of a block.
pub(crate) fn words_of<K: DenseKey>(block: K, bits: &Bits) -> impl Iterator<Item = K> + use<K> {
    let bits = *bits;
    let is_set = move |word: &usize| bits[word / 64] >> (word % 64) & 1 == 1;
    (0..BLOCK_WORDS).filter(is_set).map(move |word| block.of_block(word))
}

/// The set.
#[derive(Clone, Debug)]
pub(crate) struct DenseSet<K> {
    keys: FlatMap<K>,
    /// How many keys there are when blocks are thought of next.
    check_at: usize,
    /// Where there are blocks, there are no `keys`: what they are, numbered, and their bits by number.
    blocks: FlatMap<K>,
    bits: Vec<Bits>,
    /// Bits that are set.
    len: usize,
}

impl<K: DenseKey> Default for DenseSet<K> {
    fn default() -> Self {
        let (keys, blocks) = (FlatMap::default(), FlatMap::default());
        Self { keys, check_at: KEYS_MIN, blocks, bits: Vec::new(), len: 0 }
    }
}

impl<K: DenseKey> DenseSet<K> {
    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len() + self.len
    }

    /// Whether keys are bits of blocks.
    fn is_dense(&self) -> bool {
        !self.bits.is_empty()
    }

    /// Takes keys in; calls `fresh` with the place of each that is new, in their order.
    ///
    /// **Cost**: a look-up a key; at times, a look at all that are there.
    pub(crate) fn insert_all(&mut self, keys: &[K], mut fresh: impl FnMut(usize)) {
        let mut first = 0;
        while !self.is_dense() && first < keys.len() {
            let run = &keys[first..(first + AHEAD).min(keys.len())];
            if self.keys.is_far() {
                run.iter().for_each(|key| self.keys.prepare(*key));
            }
            for (k, key) in run.iter().enumerate() {
                if self.insert_key(*key) {
                    fresh(first + k);
                }
            }
            first += run.len();
            self.check();
        }
        let mut numbers = [0; AHEAD];
        for run in keys[first..].chunks(AHEAD) {
            if self.blocks.is_far() {
                run.iter().for_each(|key| self.blocks.prepare(key.block().0));
            }
            for (number, key) in numbers.iter_mut().zip(run) {
                *number = self.block(key.block().0);
                prefetch_item(&self.bits, *number as usize);
            }
            for (k, (number, key)) in numbers.iter().zip(run).enumerate() {
                if self.set(*number, key.block().1) {
                    fresh(first + k);
                }
            }
            first += run.len();
        }
    }

    /// Takes a key in; gives whether it is new.
    pub(crate) fn insert(&mut self, key: K) -> bool {
        if self.is_dense() {
            let (block, word) = key.block();
            let number = self.block(block);
            return self.set(number, word);
        }
        let is_new = self.insert_key(key);
        self.check();
        is_new
    }

    #[inline]
    fn insert_key(&mut self, key: K) -> bool {
        // Their numbers say nothing but whether they were there.
        let next = self.keys.len() as u32;
        self.keys.number(key, next) == next
    }

    /// The number of a block.
    #[inline]
    fn block(&mut self, block: K) -> u32 {
        let next = self.bits.len() as u32;
        let number = self.blocks.number(block, next);
        if number == next {
            self.bits.push(Bits::default());
        }
        number
    }

    /// Sets a bit; gives whether it was not set.
    #[inline]
    fn set(&mut self, number: u32, word: usize) -> bool {
        let bits = &mut self.bits[number as usize][word / 64];
        let bit = 1 << (word % 64);
        let is_new = *bits & bit == 0;
        *bits |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// Makes blocks, where keys have become many and lie side by side.
    #[inline]
    fn check(&mut self) {
        if self.keys.len() >= self.check_at {
            self.make_blocks();
        }
    }

    #[cold]
    fn make_blocks(&mut self) {
        self.check_at = self.keys.len() * CHECK_GROWTH;
        let mut counted = FlatMap::default();
        let mut of_counted = 0;
        for block in self.keys.iter().map(|(key, _)| key.block().0) {
            // Other bits than those that say where it stands in a table.
            if (block.hash() >> 48) % COUNTED_OF == 0 {
                of_counted += 1;
                let next = counted.len() as u32;
                counted.number(block, next);
            }
        }
        if of_counted < counted.len().max(1) * KEYS_OF_BLOCK_MIN {
            return;
        }
        for (key, _) in std::mem::take(&mut self.keys).iter() {
            let (block, word) = key.block();
            let number = self.block(block);
            self.set(number, word);
        }
    }

    /// Takes the words of a block in; gives how many are new.
    pub(crate) fn insert_block(&mut self, block: K, bits: &Bits) -> u64 {
        if !self.is_dense() {
            return words_of(block, bits).map(|key| u64::from(self.insert(key))).sum();
        }
        let number = self.block(block);
        let mut fresh = 0;
        for (own, more) in self.bits[number as usize].iter_mut().zip(bits) {
            fresh += (more & !*own).count_ones();
            *own |= more;
        }
        self.len += fresh as usize;
        fresh.into()
    }

    /// The keys that are bits of blocks: all or none. Blocks are in no order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (K, &Bits)> {
        self.blocks.iter().map(|(block, number)| (block, &self.bits[number as usize]))
    }

    /// The others.
    pub(crate) fn keys(&self) -> impl Iterator<Item = K> {
        self.keys.iter().map(|(key, _)| key)
    }

    /// The keys, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = K> {
        self.keys().chain(self.blocks().flat_map(|(block, bits)| words_of(block, bits)))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.bytes() + self.blocks.bytes() + self.bits.capacity() * size_of::<Bits>()
    }

    /// Bytes that may be allocated before `more` keys have come: what moves is given back.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        if self.is_dense() {
            return self.blocks.growth_bytes(more) + self.bits_growth_bytes(more);
        }
        let keys = self.keys.growth_bytes(more);
        let all = self.keys.len() + more;
        if all < self.check_at {
            return keys;
        }
        let blocks = all / KEYS_OF_BLOCK_MIN;
        // Twice as many: where there is room for one, it may be for as many again.
        keys + self.blocks.growth_bytes(2 * blocks) + 2 * blocks * size_of::<Bits>()
    }

    /// The same of bits.
    fn bits_growth_bytes(&self, more: usize) -> usize {
        let (needed, room) = (self.bits.len() + more, self.bits.capacity());
        if needed <= room { 0 } else { needed.max(2 * room) * size_of::<Bits>() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Sets of keys that lie side by side, far apart, and both; taken in one by one and many at once.
    #[test]
    fn what_is_new_is_new_to_a_set_of_the_standard_library() {
        let mut random = trimorph_base::Random::new(11);
        let mut dense = 0;
        for round in 0..12 {
            let (mut ours, mut theirs) = (DenseSet::default(), HashSet::new());
            for _ in 0..60 {
                let keys: Vec<(u64, u64)> = (0..3_000)
                    .map(|_| {
                        let near = (random.below(40) as u64, random.below(5_000) as u64);
                        match round % 4 {
                            0 => near,
                            1 => (near.0, random.bits()),
                            2 if random.below(3) == 0 => (near.0, u64::MAX - near.1),
                            2 => near,
                            _ => (near.0 << 40, near.1 << 52),
                        }
                    })
                    .collect();
                let expected: Vec<usize> = (0..keys.len()).filter(|k| theirs.insert(keys[*k])).collect();
                let before = ours.bytes();
                let growth = ours.growth_bytes(keys.len());
                let mut fresh = Vec::new();
                if random.below(4) == 0 {
                    fresh.extend((0..keys.len()).filter(|k| ours.insert(keys[*k])));
                } else {
                    ours.insert_all(&keys, |k| fresh.push(k));
                }
                assert_eq!(fresh, expected);
                assert_eq!(ours.len(), theirs.len());
                assert!(ours.bytes() <= before + growth, "{} > {before} + {growth}", ours.bytes());
            }
            let all: Vec<(u64, u64)> = ours.iter().collect();
            assert_eq!(all.len(), theirs.len());
            assert!(all.iter().all(|key| theirs.contains(key)));
            dense += usize::from(ours.is_dense());
            // Into an empty set, into one that has some of it, and into itself.
            for every in [0, 2, 1] {
                let mut other = DenseSet::default();
                let some: Vec<(u64, u64)> = all.iter().copied().step_by(every.max(1)).collect();
                other.insert_all(if every > 0 { &some } else { &[] }, |_| ());
                let before = other.len();
                let fresh: u64 = ours.blocks().map(|(block, bits)| other.insert_block(block, bits)).sum();
                assert_eq!(other.len(), before + fresh as usize);
                other.insert_all(&ours.keys().collect::<Vec<_>>(), |_| ());
                assert!(other.iter().all(|key| theirs.contains(&key)) && other.len() == theirs.len());
            }
        }
        assert_eq!(dense, 6, "rounds of keys side by side");
    }

    #[test]
    fn words_at_both_ends() {
        let mut set = DenseSet::<u64>::default();
        set.insert_all(&(0..100_000).collect::<Vec<_>>(), |_| ());
        assert!(set.is_dense());
        assert!(set.insert(u64::MAX) && !set.insert(u64::MAX) && !set.insert(0));
        assert_eq!(set.iter().max(), Some(u64::MAX));
        assert!(set.bytes() < 100_000);
    }
}
