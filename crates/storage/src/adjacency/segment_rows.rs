//! How many rows a segment of a direction has: chosen by how many edges the rows have, so that a change to
//! one list writes about as many bytes whatever the degrees.
//!
//! Vertex columns are cut as property columns are, in 65,536 rows. Lists are cut in a power of two of rows,
//! 2,048 to 65,536, of 131,072 edges or fewer on average. A vector of rows never lies in two segments, and a
//! page neither.

use trimorph_base::PAGE_ROWS;

use crate::column::SEGMENT_ROWS;

/// Fewest rows are 2 to this: those of a vector.
const BITS_MIN: u8 = 11;
/// Most rows are 2 to this: those of a segment of a column.
const BITS_MAX: u8 = 16;

/// Rows of each segment of a direction but the last: a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentRows {
    bits: u8,
}

impl Default for SegmentRows {
    /// Those of a column.
    fn default() -> Self {
        Self { bits: BITS_MAX }
    }
}

impl SegmentRows {
    /// Edges of a segment, on average at most, where nobody asks for another number: half a megabyte of
    /// neighbours.
    pub(crate) const EDGES: u64 = 1 << 17;

    /// Those of lists of `edges` edges of `rows` nodes in all, `segment_edges` or fewer in each segment on
    /// average.
    pub(crate) fn of_lists(rows: u64, edges: u64, segment_edges: u64) -> Self {
        let degree = edges.div_ceil(rows.max(1));
        let fits = |bits: &u8| degree.saturating_mul(1 << *bits) <= segment_edges;
        Self { bits: (BITS_MIN..=BITS_MAX).rev().find(fits).unwrap_or(BITS_MIN) }
    }

    /// Two to the power of `bits`; `None` if lists are never cut so.
    pub(crate) fn from_bits(bits: u8) -> Option<Self> {
        (BITS_MIN..=BITS_MAX).contains(&bits).then_some(Self { bits })
    }

    pub(crate) fn bits(self) -> u8 {
        self.bits
    }

    /// How many rows those are.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        1 << self.bits
    }

    /// The segment of a row, and the row within it.
    #[inline(always)]
    pub(crate) fn locate(self, row: u64) -> (usize, usize) {
        (row as usize >> self.bits, row as usize & (self.count() - 1))
    }

    /// The first row of a segment.
    #[inline]
    pub(crate) fn first(self, segment: usize) -> u64 {
        (segment as u64) << self.bits
    }

    /// How many rows each segment of a table of `rows` rows has.
    pub(crate) fn each(self, rows: u64) -> impl Iterator<Item = usize> {
        let segments = rows.div_ceil(1 << self.bits);
        // At most a segment's rows.
        (0..segments).map(move |i| (rows - (i << self.bits)).min(1 << self.bits) as usize)
    }

    /// Pages of a whole segment.
    #[inline]
    pub(crate) fn pages(self) -> usize {
        self.count() / PAGE_ROWS as usize
    }
}

// Pages never lie in two segments, and property columns are cut as vertex columns are.
const _: () = assert!(1u64 << BITS_MIN >= PAGE_ROWS && SEGMENT_ROWS == 1 << BITS_MAX);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_have_as_many_edges_whatever_the_degrees() {
        let bits = |rows, edges| SegmentRows::of_lists(rows, edges, SegmentRows::EDGES).bits();
        assert_eq!(bits(0, 0), 16);
        assert_eq!(bits(1_000_000, 10), 16);
        assert_eq!(bits(1_000_000, 2_000_000), 16);
        assert_eq!(bits(2_000_000, 10_000_000), 14);
        assert_eq!(bits(70_000, 70_000 * 50), 11);
        assert_eq!(bits(1000, u64::MAX), 11, "no smaller than a vector");
    }

    #[test]
    fn every_row_is_in_one_segment() {
        let rows = SegmentRows::from_bits(12).unwrap();
        assert_eq!(rows.each(10_000).collect::<Vec<_>>(), [4096, 4096, 1808]);
        assert_eq!(rows.each(0).count(), 0);
        assert_eq!((rows.locate(8191), rows.locate(8192), rows.first(2)), ((1, 4095), (2, 0), 8192));
        assert_eq!(rows.pages(), 32);
        assert!(SegmentRows::from_bits(10).is_none() && SegmentRows::from_bits(17).is_none());
    }
}
