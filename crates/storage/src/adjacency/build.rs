//! From edges in file order to both directions, sorted, in the simplest way: what tests compare
//! `bulk::sorted_list` with.
//!
//! 1. Counting sort by source row, then each list by (target, file order): the forward order, whose index is
//!    the slot.
//! 2. For each target table a counting sort by target row of the forward order: stable, so lists come out
//!    sorted by source.
//! 3. Written segment by segment as CSR, or as a vertex column where no node has two edges: `write`.
//!
//! For tables of fewer than 2^32 edges.

use trimorph_base::{NodeId, PAGE_ROWS, TableId};

use super::Form;
use super::write::{SegmentLists, WrittenAdjacency};

/// Edges of one edge table in forward order.
#[derive(Debug, Default)]
pub(crate) struct EdgeList {
    /// Where each source's edges start: `rows + 1`.
    pub(crate) offsets: Vec<u64>,
    /// Targets, sorted within each source.
    pub(crate) targets: Vec<NodeId>,
    /// For each slot, the index of the edge in the input.
    pub(crate) order: Vec<u32>,
    /// The source row of each slot.
    pub(crate) sources: Vec<u32>,
}

impl EdgeList {
    /// Most edges of one source.
    pub(crate) fn degree_max(&self) -> u64 {
        self.offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// Sources with an edge.
    pub(crate) fn nonempty(&self) -> u64 {
        self.offsets.windows(2).filter(|w| w[1] > w[0]).count() as u64
    }
}

/// Sorts edges `(source row, target)` into forward order.
pub(crate) fn sort_edges(rows: u64, edges: &[(u32, NodeId)]) -> EdgeList {
    let mut offsets = vec![0u64; rows as usize + 1];
    for (source, _) in edges {
        offsets[*source as usize + 1] += 1;
    }
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut cursor = offsets.clone();
    let mut slots = vec![(NodeId(0), 0u32); edges.len()];
    for (i, (source, target)) in edges.iter().enumerate() {
        let at = &mut cursor[*source as usize];
        #[expect(clippy::cast_possible_truncation, reason = "tests have few edges")]
        let index = i as u32;
        slots[*at as usize] = (*target, index);
        *at += 1;
    }
    drop(cursor);
    for w in offsets.windows(2) {
        slots[w[0] as usize..w[1] as usize].sort_unstable();
    }
    let mut sources = Vec::with_capacity(edges.len());
    for (row, w) in offsets.windows(2).enumerate() {
        #[expect(clippy::cast_possible_truncation, reason = "loading refuses 2^32 rows in one node table")]
        sources.extend(std::iter::repeat_n(row as u32, (w[1] - w[0]) as usize));
    }
    let (targets, order) = slots.into_iter().unzip();
    EdgeList { offsets, targets, order, sources }
}

impl EdgeList {
    /// Writes the forward direction.
    pub(crate) fn write_forward(&self, targets: &[TableId], form: Form) -> WrittenAdjacency {
        write(&self.offsets, &|i| self.targets[i], None, targets, form)
    }

    /// The position of a slot in its page.
    pub(crate) fn position(&self, slot: usize) -> u64 {
        let page_row = u64::from(self.sources[slot]) / PAGE_ROWS * PAGE_ROWS;
        slot as u64 - self.offsets[page_row as usize]
    }
}

/// Writes the backward direction into node table `target` of `rows` rows.
pub(crate) fn build_backward(
    forward: &EdgeList,
    source: TableId,
    target: TableId,
    rows: u64,
    positions: bool,
    segment_edges: u64,
) -> WrittenAdjacency {
    let mut offsets = vec![0u64; rows as usize + 1];
    for node in forward.targets.iter().filter(|n| n.table() == target) {
        offsets[node.row() as usize + 1] += 1;
    }
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let edges = offsets[rows as usize];
    let mut cursor = offsets.clone();
    let mut slots = vec![0u32; edges as usize];
    for (slot, node) in forward.targets.iter().enumerate() {
        if node.table() == target {
            let at = &mut cursor[node.row() as usize];
            #[expect(clippy::cast_possible_truncation, reason = "tests have few edges")]
            {
                slots[*at as usize] = slot as u32;
            }
            *at += 1;
        }
    }
    drop(cursor);
    let degree_max = offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
    let single = degree_max <= 1;
    let neighbour = |i: usize| NodeId::new(source, forward.sources[slots[i] as usize].into());
    let position = |i: usize| forward.position(slots[i] as usize);
    let position = positions.then_some(&position as &dyn Fn(usize) -> u64);
    write(&offsets, &neighbour, position, &[source], Form::of(single, rows, edges, segment_edges))
}

fn write(
    offsets: &[u64],
    neighbour: &dyn Fn(usize) -> NodeId,
    position: Option<&dyn Fn(usize) -> u64>,
    targets: &[TableId],
    form: Form,
) -> WrittenAdjacency {
    let mut written = WrittenAdjacency::new(form);
    let (rows, step) = (offsets.len() - 1, form.segment_rows().count());
    for start in (0..rows).step_by(step) {
        let offsets = &offsets[start..=rows.min(start + step)];
        let edges = offsets[0] as usize..offsets[offsets.len() - 1] as usize;
        let local: Vec<u32> =
            offsets.iter().map(|o| u32::try_from(o - offsets[0]).unwrap_or(u32::MAX)).collect();
        let table = |i: usize| {
            let table = neighbour(i).table();
            targets.iter().position(|t| *t == table).unwrap_or(0) as i64
        };
        let neighbours: Vec<i64> = edges.clone().map(|i| neighbour(i).row().cast_signed()).collect();
        let tables: Vec<i64> = edges.clone().map(table).collect();
        let positions: Option<Vec<i64>> = position.map(|p| edges.map(|i| p(i).cast_signed()).collect());
        written.push(&SegmentLists {
            offsets: &local,
            neighbours: &neighbours,
            tables: (targets.len() > 1).then_some(&tables[..]),
            positions: positions.as_deref(),
            by_position: false,
        });
    }
    written
}
