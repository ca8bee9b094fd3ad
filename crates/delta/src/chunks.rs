//! Things by number, in chunks that are made when they are first asked for, and never move.
//!
//! Each power of two of numbers is eight chunks of one length: so at most an eighth of what is there was made
//! for numbers to come, where chunks that double are half empty at worst, and a number's place is still told
//! by its highest bits.
//!
//! Chunks of some megabytes ask for huge pages before they are filled: things are looked up at random, and
//! with pages of 4 KB each look waited for the page table, too.

use std::sync::OnceLock;

use trimorph_vfs::{ask_for_huge_pages, prefetch_item};

/// Chunks of a power of two: 2 to this.
const PARTS_BITS: u32 = 3;
/// Chunks for all numbers of 32 bits, where the first eight have one thing each.
const CHUNKS: usize = (30 << PARTS_BITS) as usize;

/// Things by number; the first eight chunks have `FIRST` of them, a power of two from 8 on.
#[derive(Debug)]
pub(crate) struct Chunks<T, const FIRST: u32> {
    chunks: [OnceLock<Box<[T]>>; CHUNKS],
}

impl<T, const FIRST: u32> Default for Chunks<T, FIRST> {
    fn default() -> Self {
        const { assert!(FIRST.is_power_of_two() && FIRST >= 1 << PARTS_BITS) };
        Self { chunks: std::array::from_fn(|_| OnceLock::new()) }
    }
}

impl<T: Default, const FIRST: u32> Chunks<T, FIRST> {
    /// The chunk of a number, its length as a power of two, and the number's place in it.
    #[inline]
    fn place(number: u32) -> (usize, u32, usize) {
        let shifted = u64::from(number) + u64::from(FIRST);
        let highest = shifted.ilog2();
        let len_bits = highest - PARTS_BITS;
        // What is left above the place is 8 to 15.
        let part = (shifted >> len_bits) as usize & ((1 << PARTS_BITS) - 1);
        let chunk = ((highest - FIRST.ilog2()) << PARTS_BITS) as usize + part;
        (chunk, len_bits, (shifted & ((1 << len_bits) - 1)) as usize)
    }

    /// What has a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &T {
        let (chunk, _, at) = Self::place(number);
        // What makes a chunk is a call of its own: with it in line, the loads of a loop over numbers waited
        // for each other (2 million records of 48 bytes, at random: 376 ns each instead of 34).
        match self.chunks[chunk].get() {
            Some(things) => &things[at],
            None => &self.make(chunk)[at],
        }
    }

    /// Hints that the beginning of what has a number will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        let (chunk, _, at) = Self::place(number);
        if let Some(things) = self.chunks[chunk].get() {
            prefetch_item(things, at);
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&self, chunk: usize) -> &[T] {
        let len = FIRST as usize >> PARTS_BITS << (chunk >> PARTS_BITS);
        self.chunks[chunk].get_or_init(|| {
            let mut things = Vec::with_capacity(len);
            ask_for_huge_pages(things.spare_capacity_mut());
            things.extend((0..len).map(|_| T::default()));
            things.into_boxed_slice()
        })
    }

    /// Things that were made.
    #[cfg(test)]
    fn made(&self) -> usize {
        self.chunks.iter().filter_map(|chunk| chunk.get()).map(|chunk| chunk.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_each_other_and_little_is_made_for_later() {
        let mut next = (0, 0);
        for number in 0..100_000 {
            let (chunk, len_bits, at) = Chunks::<u8, 16>::place(number);
            assert_eq!((chunk, at), next, "{number}");
            next = if at + 1 == 1 << len_bits { (chunk + 1, 0) } else { (chunk, at + 1) };
        }
        let chunks = Chunks::<usize, 64>::default();
        for number in 0..20_000_u32 {
            assert_eq!(*chunks.get(number), 0);
            let wanted = number as usize + 1;
            let made = chunks.made();
            assert!(made >= wanted && made <= wanted + wanted / 8 + 8, "{made} for {wanted}");
        }
        // The last number of all has a place.
        let (chunk, len_bits, at) = Chunks::<u8, 8>::place(u32::MAX);
        assert!(chunk < CHUNKS && at < 1 << len_bits);
    }
}
