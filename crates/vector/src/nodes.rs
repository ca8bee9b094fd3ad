//! Node and edge vectors: ids in a range, in a list, or read in place from adjacency.
//!
//! Source: GF-CL §6.1 (blocks that point to adjacency lists).

use trimorph_base::{EdgeId, EdgePlaces, NodeId, TableId};

/// The node ids of a vector.
#[derive(Clone, Debug)]
pub enum Nodes<'s> {
    /// `first, first + 1, …` within one table.
    Range(NodeId),
    /// One by one; `table` if all are known to be in it.
    Ids {
        /// The common table.
        table: Option<TableId>,
        /// The ids.
        ids: Vec<NodeId>,
    },
    /// Rows of one table in place: `base + code`, codes of `width` whole bytes. The slice ends with at least
    /// 8 bytes that are not part of the list, so that every code can be read with one 64-bit load.
    Packed {
        /// The table.
        table: TableId,
        /// Added to each code.
        base: u64,
        /// Bytes per code, 0..=7.
        width: u8,
        /// The codes and padding.
        bytes: &'s [u8],
    },
}

impl Nodes<'_> {
    /// The table all of them are in, if known.
    #[inline]
    pub fn table(&self) -> Option<TableId> {
        match self {
            Self::Range(first) => Some(first.table()),
            Self::Ids { table, .. } => *table,
            Self::Packed { table, .. } => Some(*table),
        }
    }

    /// The node at position `i`.
    #[inline]
    pub fn id(&self, i: usize) -> NodeId {
        match self {
            Self::Range(first) => NodeId(first.0 + i as u64),
            Self::Ids { ids, .. } => ids[i],
            Self::Packed { table, base, width, bytes } => NodeId::new(*table, base + code(bytes, *width, i)),
        }
    }

    /// Calls `visit(i, id)` for `positions`, with the form decided once.
    #[inline]
    pub fn for_each(&self, positions: impl Iterator<Item = usize>, mut visit: impl FnMut(usize, NodeId)) {
        match self {
            Self::Range(first) => positions.for_each(|i| visit(i, NodeId(first.0 + i as u64))),
            Self::Ids { ids, .. } => positions.for_each(|i| visit(i, ids[i])),
            Self::Packed { table, base, width, bytes } => {
                let first = NodeId::new(*table, *base).0;
                match width {
                    0 => positions.for_each(|i| visit(i, NodeId(first))),
                    1 => positions.for_each(|i| visit(i, NodeId(first + u64::from(bytes[i])))),
                    2 => positions.for_each(|i| visit(i, NodeId(first + code(bytes, 2, i)))),
                    3 => positions.for_each(|i| visit(i, NodeId(first + code(bytes, 3, i)))),
                    4 => positions.for_each(|i| visit(i, NodeId(first + code(bytes, 4, i)))),
                    w => positions.for_each(|i| visit(i, NodeId(first + code(bytes, *w, i)))),
                }
            }
        }
    }

    /// The first `len` ids, as a list.
    pub fn first(&self, len: usize) -> Vec<NodeId> {
        let mut out = Vec::with_capacity(len);
        self.for_each(0..len, |_, id| out.push(id));
        out
    }

    /// The nodes at the given positions, a range where they are one. Ranges cannot grow.
    pub fn at(&self, positions: &[u32]) -> Nodes<'static> {
        if let (Self::Range(first), [begin, .., end]) = (self, positions)
            && (*end as usize).checked_sub(*begin as usize) == Some(positions.len() - 1)
            && positions.is_sorted_by(|a, b| a < b)
        {
            return Nodes::Range(NodeId(first.0 + u64::from(*begin)));
        }
        Nodes::Ids { table: self.table(), ids: self.gather(positions) }
    }

    /// The ids at the given positions, as a list.
    pub fn gather(&self, positions: &[u32]) -> Vec<NodeId> {
        let mut out = Vec::with_capacity(positions.len());
        self.for_each(positions.iter().map(|p| *p as usize), |_, id| out.push(id));
        out
    }
}

#[inline(always)]
fn code(bytes: &[u8], width: u8, i: usize) -> u64 {
    let at = i * width as usize;
    let mut raw = [0u8; 8];
    raw.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(raw) & ((1u64 << (u32::from(width) * 8)) - 1)
}

/// Where each page of a segment of an edge table starts: how a slot is known as an edge. Empty where only
/// properties are read.
#[derive(Clone, Copy, Debug)]
pub struct PageStarts<'s> {
    /// What makes ids of pages and positions.
    pub places: Option<&'s EdgePlaces>,
    /// The segment's first page.
    pub first_page: u64,
    /// The segment's first slot.
    pub first_slot: u64,
    /// The slot of each page, counted from the segment's first.
    pub starts: &'s [u32],
}

impl PageStarts<'_> {
    /// No pages: slots have no ids.
    pub const NONE: Self = Self { places: None, first_page: 0, first_slot: 0, starts: &[] };

    /// The edge at a slot.
    ///
    /// **Cost**: a binary search among the 512 pages of a segment.
    #[inline]
    pub fn id(&self, slot: u64) -> EdgeId {
        let local = slot.wrapping_sub(self.first_slot);
        let page = self.starts.partition_point(|s| u64::from(*s) <= local).checked_sub(1);
        match (page, self.places) {
            (Some(page), Some(places)) => {
                let position = local - u64::from(self.starts[page]);
                places.id(self.first_page + page as u64, position)
            }
            _ => EdgeId(slot),
        }
    }
}

/// The edge ids of a vector.
#[derive(Clone, Debug)]
pub enum Edges<'s> {
    /// Consecutive positions of one page, starting here: a forward list.
    Run(EdgeId),
    /// One by one.
    Ids(Vec<EdgeId>),
    /// Consecutive slots of an edge table, across pages: a relation scan.
    Slots {
        /// The edge table.
        table: usize,
        /// The first slot.
        first: u64,
        /// What makes ids of slots.
        pages: PageStarts<'s>,
    },
}

impl Edges<'_> {
    /// The edge at position `i`. Without pages the slot is given in its place.
    #[inline]
    pub fn id(&self, i: usize) -> EdgeId {
        match self {
            Self::Run(first) => EdgeId(first.0 + i as u64),
            Self::Ids(ids) => ids[i],
            Self::Slots { first, pages, .. } => pages.id(first + i as u64),
        }
    }
}
