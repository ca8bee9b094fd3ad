//! The ids of one edge table: takes page and position, gives an edge id, and the reverse.
//!
//! 1. The 44 bits of an id's place are split in page and position once, when the edge table is made. An edge
//!    at a position that fits is `page << bits | position`.
//! 2. A page with more edges than positions goes on under page numbers that no page of rows has: *overflow
//!    pages*, given from the last number downwards. There are few, and only damaged data has more of them
//!    than numbers.
//!
//! Invariant: page and position of an edge are one id and no other edge's; both never change while the edge
//! lives.
//!
//! Source: GF-CL §4.2 (page-level positional offsets); `docs/design/ids.md`.

use crate::{EdgeId, EdgeTableId};

/// Source rows of a page (GF-CL §4.2: k = 128).
pub const PAGE_ROWS: u64 = 128;

/// A part of a page whose positions do not fit an id under the page's own number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverflowPage {
    /// The page of rows.
    pub page: u64,
    /// Which part of it, from 1: positions `part << bits ..`.
    pub part: u64,
}

/// How page and position make the ids of one edge table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgePlaces {
    table: EdgeTableId,
    bits: u8,
    /// The `i`-th has the page number `last - i`.
    overflow: Vec<OverflowPage>,
}

impl EdgePlaces {
    /// Fewest and most bits of a position.
    const BITS: std::ops::RangeInclusive<u8> = 12..=20;

    /// For a new edge table out of `pages` pages, of which page `page` will soon have `edges(page)` edges.
    ///
    /// Pages may become sixteen times as many, and 2^24 at least: 2 billion source rows. Positions get the
    /// bits that are left.
    #[expect(clippy::cast_possible_truncation, reason = "within the range of bits")]
    pub fn new(table: EdgeTableId, pages: u64, edges: impl Fn(u64) -> u64) -> Self {
        let page_bits = (u64::BITS - pages.leading_zeros() + 4).max(24);
        let left = EdgeId::PLACE_BITS.saturating_sub(page_bits);
        let bits = left.clamp((*Self::BITS.start()).into(), (*Self::BITS.end()).into()) as u8;
        Self::with_bits(table, bits, pages, edges)
    }

    /// The same with the bits of a position that it was declared with.
    pub fn of_bits(table: EdgeTableId, bits: u8, pages: u64, edges: impl Fn(u64) -> u64) -> Self {
        Self::with_bits(table, bits, pages, edges)
    }

    fn with_bits(table: EdgeTableId, bits: u8, pages: u64, edges: impl Fn(u64) -> u64) -> Self {
        let mut overflow = Vec::new();
        for page in 0..pages {
            let parts = edges(page).saturating_sub(1) >> bits;
            overflow.extend((1..=parts).map(|part| OverflowPage { page, part }));
        }
        Self { table, bits, overflow }
    }

    /// As they were stored; `None` if no edge table has them.
    pub fn stored(table: EdgeTableId, bits: u8, overflow: Vec<OverflowPage>) -> Option<Self> {
        let places = Self { table, bits, overflow };
        (Self::BITS.contains(&bits) && places.overflow.len() as u64 <= places.page_last() / 2)
            .then_some(places)
    }

    /// The edge table.
    #[inline]
    pub fn table(&self) -> EdgeTableId {
        self.table
    }

    /// Bits of a position.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// The overflow pages, in the order of their numbers.
    pub fn overflow(&self) -> &[OverflowPage] {
        &self.overflow
    }

    fn page_last(&self) -> u64 {
        (1 << (EdgeId::PLACE_BITS - u32::from(self.bits))) - 1
    }

    /// The edge at `position` of `page`. Of parts that no edge has, any id.
    #[inline]
    pub fn id(&self, page: u64, position: u64) -> EdgeId {
        if position >> self.bits == 0 {
            return self.whole(page, position);
        }
        self.overflowed(page, position)
    }

    #[inline]
    fn whole(&self, number: u64, position: u64) -> EdgeId {
        EdgeId::new(self.table, ((number << self.bits) | position) & ((1 << EdgeId::PLACE_BITS) - 1))
    }

    #[cold]
    fn overflowed(&self, page: u64, position: u64) -> EdgeId {
        let wanted = OverflowPage { page, part: position >> self.bits };
        let found = self.overflow.iter().position(|o| *o == wanted).unwrap_or(self.overflow.len());
        self.whole(self.page_last() - found as u64, position & ((1 << self.bits) - 1))
    }

    /// Page and position of an edge of this table.
    #[inline]
    pub fn place(&self, edge: EdgeId) -> (u64, u64) {
        let (number, position) = (edge.place() >> self.bits, edge.place() & ((1 << self.bits) - 1));
        let from_last = self.page_last() - number;
        if from_last >= self.overflow.len() as u64 {
            return (number, position);
        }
        match usize::try_from(from_last).ok().and_then(|i| self.overflow.get(i)) {
            Some(part) => (part.page, part.part << self.bits | position),
            None => (number, position),
        }
    }

    /// Whether the ids of `len` edges at positions from `position` on follow each other.
    #[inline]
    pub fn follow_each_other(&self, position: u64, len: u64) -> bool {
        position >> self.bits == (position + len.saturating_sub(1)) >> self.bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_and_position_come_back() {
        let table = EdgeTableId(u16::MAX);
        let places = EdgePlaces::with_bits(table, 12, 1000, |page| if page % 300 == 7 { 10_000 } else { 50 });
        assert_eq!(places.overflow().len(), 4 * 2);
        let mut seen = std::collections::HashSet::new();
        for page in 0..1000 {
            let edges = if page % 300 == 7 { 10_000 } else { 50 };
            for position in 0..edges {
                let id = places.id(page, position);
                assert!(id.is_edge() && id.table() == table && seen.insert(id));
                assert_eq!(places.place(id), (page, position));
            }
        }
        assert!(places.follow_each_other(4000, 96) && !places.follow_each_other(4000, 97));
        let stored = EdgePlaces::stored(table, 12, places.overflow().to_vec());
        assert_eq!(stored, Some(places));
        assert!(EdgePlaces::stored(table, 44, Vec::new()).is_none());
    }

    #[test]
    fn tables_of_any_size_have_room() {
        for pages in [0, 1, 1 << 14, 1 << 20] {
            let places = EdgePlaces::new(EdgeTableId(3), pages, |_| 0);
            assert!(places.page_last() >= pages.saturating_mul(2).min(1 << 31), "{pages}");
        }
        // What no edge has is answered, too.
        let places = EdgePlaces::new(EdgeTableId(3), 4, |_| 0);
        places.place(EdgeId(u64::MAX));
        places.id(u64::MAX, u64::MAX);
    }
}
