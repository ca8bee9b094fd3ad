//! Groups whose keys all follow from one node of the rows, as `p.id, p.birthday.year`: keys are computed once
//! a node, and each row's group is found by the row of its node in the table.
//!
//! Hot loop: one load a row. Not where most rows have a node of their own: that is seen after some thousand
//! rows, and keys are computed for each row from then on.

use trimorph_base::{NodeId, TableId};
use trimorph_vector::{Chunk, Group, Values, Vector};

use super::AggregateSpec;
use crate::keys::NO_NUMBER;

/// Rows of the node table up to which an array stands for a map: 16 MiB.
const NODES_MAX: u64 = 1 << 22;
/// Entries of the array for each row that has come: 128 bytes, what a row of a chunk costs anyway.
const NODES_PER_ROW: u64 = 32;
/// Rows after which it is known whether it pays: of some ten thousand nodes, most have come by then.
const ROWS_TRIED: u64 = 1 << 16;
/// It does where so much of them, in tenths, had no node of their own.
const SHARED_MIN: u64 = 1;

/// Groups by nodes.
pub(super) struct ByNode {
    /// Where the node is among the vectors of the main group.
    slot: usize,
    /// The table of the nodes that are remembered, and the groups of its rows, plus 1.
    table: Option<TableId>,
    groups: Vec<u32>,
    /// Rows that came, and those of which keys were computed.
    rows: u64,
    computed: u64,
}

impl ByNode {
    /// Nothing known.
    pub(super) fn new(slot: usize) -> Self {
        Self { slot, table: None, groups: Vec::new(), rows: 0, computed: 0 }
    }

    /// Appends the groups of the rows at `positions` as far as they are known, [`NO_NUMBER`] for others.
    /// `false`, and nothing done, where keys are to be computed for each row.
    pub(super) fn find(&mut self, group: &Group<'_>, positions: &[u32], out: &mut Vec<u32>) -> bool {
        let Some(Vector { values: Values::Node(nodes), nulls }) = group.vectors.get(self.slot) else {
            return false;
        };
        if self.rows > ROWS_TRIED && self.computed * 10 > self.rows * (10 - SHARED_MIN) {
            self.groups = Vec::new();
            return false;
        }
        self.rows += positions.len() as u64;
        let Some(table) = self.table else {
            out.resize(out.len() + positions.len(), NO_NUMBER);
            return true;
        };
        let known = |node: NodeId| match node.table() == table {
            // No group is 0 in the array.
            true => self.groups.get(node.row() as usize).map_or(NO_NUMBER, |group| group.wrapping_sub(1)),
            false => NO_NUMBER,
        };
        let positions = positions.iter().map(|p| *p as usize);
        if nulls.is_none() {
            nodes.for_each(positions, |_, node| out.push(known(node)));
        } else {
            nodes.for_each(positions, |p, node| out.push(if nulls.get(p) { NO_NUMBER } else { known(node) }));
        }
        true
    }

    /// The rows at `positions` as a chunk that has the node and nothing else: what keys are computed over.
    pub(super) fn rows_of<'s>(
        &mut self,
        spec: &AggregateSpec,
        group: &Group<'s>,
        positions: &[u32],
    ) -> Chunk<'s> {
        self.computed += positions.len() as u64;
        let mut chunk = Chunk::with_slots(&spec.slots);
        if let Some(own) = spec.main.and_then(|main| chunk.groups.get_mut(main)) {
            own.reset(positions.len());
            own.vectors[self.slot] = group.vectors[self.slot].gather(positions);
        }
        chunk
    }

    /// Remembers the groups of the rows of such a chunk.
    pub(super) fn learn(&mut self, group: &Group<'_>, groups: &[u32]) {
        let Some(vector) = group.vectors.get(self.slot) else { return };
        let nodes = || (0..groups.len()).map(|p| vector.node(p));
        let Some(table) = self.table.or_else(|| nodes().flatten().next().map(NodeId::table)) else { return };
        self.table = Some(table);
        let most = nodes().flatten().filter(|node| node.table() == table).map(NodeId::row).max();
        let wanted = most.map_or(0, |row| row.saturating_add(1).next_power_of_two());
        let room = NODES_MAX.min(self.rows.saturating_mul(NODES_PER_ROW));
        if wanted <= room && wanted as usize > self.groups.len() {
            self.groups.resize(wanted as usize, 0);
        }
        for (node, number) in nodes().zip(groups) {
            if let Some(node) = node.filter(|node| node.table() == table)
                && let Some(known) = self.groups.get_mut(node.row() as usize)
            {
                *known = number.wrapping_add(1);
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.groups.capacity() * 4
    }
}
