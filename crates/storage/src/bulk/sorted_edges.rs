//! The edges of one edge table in forward order, small or large: one face for both ways to make and hold
//! them.

use trimorph_base::{NodeId, TableId};

use super::BulkError;
use super::large_list::{Backward, EDGES_MIN, LargeList, Targets, degrees};
use crate::adjacency::{EdgeList, Form, WrittenAdjacency, build_backward, sort_edges};

/// Edges in forward order.
pub(super) enum SortedEdges {
    /// Fewer than [`EDGES_MIN`].
    Small(EdgeList),
    /// More, without properties: their place in the input is not kept.
    Plain(LargeList<u32>),
    /// More, with properties.
    Indexed(LargeList<u64>),
    /// 2^32 or more, with properties.
    Huge(LargeList<(u32, u64)>),
}

impl SortedEdges {
    /// Sorts `count` edges that `edges` gives each time it is called. `indexed` keeps their place in the
    /// input.
    pub(super) fn new<I: Iterator<Item = (u32, NodeId)>>(
        source_rows: u64,
        count: usize,
        targets: &[TableId],
        table_rows: &[u64],
        indexed: bool,
        edges: impl Fn() -> I,
    ) -> Result<Self, BulkError> {
        let rows = source_rows as usize;
        Ok(match (count >= EDGES_MIN, indexed) {
            (false, _) => {
                let all: Vec<(u32, NodeId)> = edges().collect();
                Self::Small(sort_edges(source_rows, &all))
            }
            (true, false) => {
                Self::Plain(LargeList::new(rows, count, Targets::new(targets, table_rows)?, edges))
            }
            (true, true) if u32::try_from(count).is_err() => {
                Self::Huge(LargeList::new(rows, count, Targets::new(targets, table_rows)?, edges))
            }
            (true, true) => {
                Self::Indexed(LargeList::new(rows, count, Targets::new(targets, table_rows)?, edges))
            }
        })
    }

    /// Source rows.
    pub(super) fn rows(&self) -> u64 {
        let offsets = match self {
            Self::Small(list) => list.offsets.len(),
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
            Self::Small(list) => list.offsets[row as usize],
            Self::Plain(list) => list.offsets[row as usize],
            Self::Indexed(list) => list.offsets[row as usize],
            Self::Huge(list) => list.offsets[row as usize],
        }
    }

    /// The place in the input of the edge in a slot. Only of lists that keep it.
    #[inline]
    pub(super) fn index(&self, slot: usize) -> usize {
        match self {
            Self::Small(list) => list.order[slot] as usize,
            Self::Plain(list) => list.index(slot),
            Self::Indexed(list) => list.index(slot),
            Self::Huge(list) => list.index(slot),
        }
    }

    /// Most edges of one source, and sources with an edge.
    pub(super) fn degrees(&self) -> (u64, u64) {
        match self {
            Self::Small(list) => (list.degree_max(), list.nonempty()),
            Self::Plain(list) => degrees(&list.offsets),
            Self::Indexed(list) => degrees(&list.offsets),
            Self::Huge(list) => degrees(&list.offsets),
        }
    }

    /// Edges from a node to itself.
    pub(super) fn self_loops(&self, source: TableId) -> u64 {
        match self {
            Self::Small(list) => (list.targets.iter().zip(&list.sources))
                .filter(|(target, row)| **target == NodeId::new(source, u64::from(**row)))
                .count() as u64,
            Self::Plain(list) => list.self_loops(source),
            Self::Indexed(list) => list.self_loops(source),
            Self::Huge(list) => list.self_loops(source),
        }
    }

    /// Writes the forward direction. This is where too many edges of one segment are refused.
    pub(super) fn write_forward(
        &self,
        targets: &[TableId],
        form: Form,
    ) -> Result<WrittenAdjacency, BulkError> {
        match self {
            Self::Small(list) => Ok(list.write_forward(targets, form)),
            Self::Plain(list) => list.write_forward(form),
            Self::Indexed(list) => list.write_forward(form),
            Self::Huge(list) => list.write_forward(form),
        }
    }

    /// Writes the backward direction into one target table.
    pub(super) fn write_backward(
        &self,
        source: TableId,
        target: TableId,
        rows: u64,
        positions: bool,
        segment_edges: u64,
    ) -> Result<Backward, BulkError> {
        match self {
            Self::Small(list) => {
                let built = build_backward(list, source, target, rows, positions, segment_edges);
                Ok(Backward {
                    edges: built.edges,
                    single: built.single,
                    degree_max: built.degree_max,
                    nonempty: built.nonempty,
                    written: built.written,
                })
            }
            Self::Plain(list) => list.write_backward(source, target, rows as usize, positions, segment_edges),
            Self::Indexed(list) => {
                list.write_backward(source, target, rows as usize, positions, segment_edges)
            }
            Self::Huge(list) => list.write_backward(source, target, rows as usize, positions, segment_edges),
        }
    }
}
