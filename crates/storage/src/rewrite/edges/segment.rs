//! A segment of sources as it will be: its edges, and where its pages lie.

use trimorph_base::PAGE_ROWS;

use super::placed::PlacedEdge;

/// A segment of sources as it will be.
pub(super) struct Sources {
    pub(super) segment: usize,
    /// Rows of it.
    pub(super) rows: usize,
    /// By source, then target, then position; and whether the edge is new.
    pub(super) edges: Vec<(PlacedEdge, bool)>,
    /// One past the last position of each page that an edge has.
    pub(super) ends: Vec<u64>,
    /// Where its pages start, and the end.
    pub(super) starts: Vec<u32>,
}

impl Sources {
    /// Its edges by slot, and whether each is new. By row if `by_row`, counted from the `first` one.
    pub(super) fn by_slot(&self, by_row: bool, first: u64) -> Vec<(usize, PlacedEdge, bool)> {
        let slot = |(edge, is_new): &(PlacedEdge, bool)| {
            let row = edge.source - first;
            let start = self.starts.get((row / PAGE_ROWS) as usize).copied().unwrap_or(0);
            let slot = if by_row { row } else { u64::from(start) + edge.position };
            (slot as usize, *edge, *is_new)
        };
        let mut slots: Vec<_> = self.edges.iter().map(slot).collect();
        slots.sort_unstable();
        slots
    }

    /// Slots of it, by row or by page.
    pub(super) fn slots(&self, by_row: bool) -> usize {
        if by_row { self.rows } else { self.starts.last().copied().unwrap_or(0) as usize }
    }
}
