//! Counts of all nodes of a table: takes one for each row, gives those of rows, and of the neighbours in
//! lists.

use trimorph_store::neighbours::{NeighbourList, Neighbours};

/// Counts of all nodes of a table, as narrow as the largest allows: they are gathered at random, and stay in
/// a cache half the size.
pub(super) enum Counts {
    Bits16(Vec<u16>),
    Bits32(Vec<u32>),
    Bits64(Vec<u64>),
}

impl Counts {
    #[expect(clippy::cast_possible_truncation, reason = "the largest fits")]
    pub(super) fn new(counts: Vec<u64>) -> Self {
        match counts.iter().copied().max().unwrap_or(0) {
            0..=0xffff => Self::Bits16(counts.iter().map(|count| *count as u16).collect()),
            0x1_0000..=0xffff_ffff => Self::Bits32(counts.iter().map(|count| *count as u32).collect()),
            _ => Self::Bits64(counts),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bits16(counts) => counts.len() * 2,
            Self::Bits32(counts) => counts.len() * 4,
            Self::Bits64(counts) => counts.len() * 8,
        }
    }

    /// The count of row `row`.
    #[inline]
    pub(super) fn get(&self, row: u64) -> u64 {
        match self {
            Self::Bits16(counts) => counts[row as usize].into(),
            Self::Bits32(counts) => counts[row as usize].into(),
            Self::Bits64(counts) => counts[row as usize],
        }
    }

    /// Multiplies `out[i]` by the sum of the counts of the neighbours of row `first + i`.
    pub(super) fn multiply_sums(&self, neighbours: &Neighbours<'_, '_>, first: u64, out: &mut [u64]) {
        match self {
            Self::Bits16(counts) => neighbours.multiply_sums(first, counts, out),
            Self::Bits32(counts) => neighbours.multiply_sums(first, counts, out),
            Self::Bits64(counts) => neighbours.multiply_sums(first, counts, out),
        }
    }

    /// The sum of the counts of a list's neighbours; `None` past 64 bits.
    #[inline]
    pub(super) fn sum(&self, list: &NeighbourList<'_, '_>) -> Option<u64> {
        match self {
            Self::Bits16(counts) => list.sum_weights(counts),
            Self::Bits32(counts) => list.sum_weights(counts),
            Self::Bits64(counts) => list.sum_weights(counts),
        }
    }
}
