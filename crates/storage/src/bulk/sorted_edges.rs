//! The edges of one edge table in forward order: one face for all ways to hold them.

use trimorph_base::TableId;

use super::BulkError;
use super::sorted_list::{Backward, SortedList, TakeBlock, Targets, degrees};
use crate::adjacency::{Form, WrittenAdjacency};

/// Edges in forward order.
pub(super) enum SortedEdges {
    /// Without properties: their place in the input is not kept.
    Plain(SortedList<u32>),
    /// With properties.
    Indexed(SortedList<u64>),
    /// 2^32 or more, with properties.
    Huge(SortedList<(u32, u64)>),
}

impl SortedEdges {
    /// Sorts `count` edges that `edges` gives in blocks each time it is called. `indexed` keeps their place
    /// in the input.
    pub(super) fn new(
        source_rows: u64,
        count: usize,
        targets: &[TableId],
        table_rows: &[u64],
        indexed: bool,
        edges: impl Fn(&mut TakeBlock<'_>),
    ) -> Result<Self, BulkError> {
        let (rows, targets) = (source_rows as usize, Targets::new(targets, table_rows)?);
        Ok(match (indexed, u32::try_from(count)) {
            (false, _) => Self::Plain(SortedList::new(rows, count, targets, edges)),
            (true, Ok(_)) => Self::Indexed(SortedList::new(rows, count, targets, edges)),
            (true, Err(_)) => Self::Huge(SortedList::new(rows, count, targets, edges)),
        })
    }

    /// Leaves one of several edges with the same ends. Only of lists without properties.
    pub(super) fn keep_one_each(&mut self) {
        if let Self::Plain(list) = self {
            list.keep_one_each();
        }
    }

    /// Source rows.
    pub(super) fn rows(&self) -> u64 {
        let offsets = match self {
            Self::Plain(list) => list.offsets.len(),
            Self::Indexed(list) => list.offsets.len(),
            Self::Huge(list) => list.offsets.len(),
        };
        offsets as u64 - 1
    }

    /// Where the edges of a source row start; of one past the last, where they end.
    #[inline]
    pub(super) fn offset(&self, row: u64) -> u64 {
        match self {
            Self::Plain(list) => list.offsets[row as usize],
            Self::Indexed(list) => list.offsets[row as usize],
            Self::Huge(list) => list.offsets[row as usize],
        }
    }

    /// The place in the input of the edge in a slot. Only of lists that keep it.
    #[inline]
    pub(super) fn index(&self, slot: usize) -> usize {
        match self {
            Self::Plain(list) => list.index(slot),
            Self::Indexed(list) => list.index(slot),
            Self::Huge(list) => list.index(slot),
        }
    }

    /// Most edges of one source, and sources with an edge.
    pub(super) fn degrees(&self) -> (u64, u64) {
        match self {
            Self::Plain(list) => degrees(&list.offsets),
            Self::Indexed(list) => degrees(&list.offsets),
            Self::Huge(list) => degrees(&list.offsets),
        }
    }

    /// Edges from a node to itself.
    pub(super) fn self_loops(&self, source: TableId) -> u64 {
        match self {
            Self::Plain(list) => list.self_loops(source),
            Self::Indexed(list) => list.self_loops(source),
            Self::Huge(list) => list.self_loops(source),
        }
    }

    /// Writes the forward direction. This is where too many edges of one segment are refused.
    pub(super) fn write_forward(&self, form: Form) -> Result<WrittenAdjacency, BulkError> {
        match self {
            Self::Plain(list) => list.write_forward(form),
            Self::Indexed(list) => list.write_forward(form),
            Self::Huge(list) => list.write_forward(form),
        }
    }

    /// Writes the backward direction into one target table.
    pub(super) fn write_backward(
        &self,
        target: TableId,
        rows: u64,
        positions: bool,
        segment_edges: u64,
    ) -> Result<Backward, BulkError> {
        match self {
            Self::Plain(list) => list.write_backward(target, rows as usize, positions, segment_edges),
            Self::Indexed(list) => list.write_backward(target, rows as usize, positions, segment_edges),
            Self::Huge(list) => list.write_backward(target, rows as usize, positions, segment_edges),
        }
    }
}
