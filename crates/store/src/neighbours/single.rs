//! The neighbour along an adjacency in which nodes have one at most: of one node, or of a vector of nodes.

use trimorph_base::{EdgeId, NodeId};
use trimorph_storage::adjacency::{AdjacencyView, CsrView};
use trimorph_vector::Nodes;

use super::Neighbours;
use super::list::Form;
use crate::Reader;

impl Neighbours<'_, '_> {
    /// Whether no node has more than one edge, as the form of the adjacency has it.
    #[inline]
    pub fn is_single(&self) -> bool {
        match self.view {
            _ if self.changes.is_some() => false,
            None | Some(AdjacencyView::Column(_)) => true,
            Some(AdjacencyView::Csr(_)) => false,
        }
    }

    /// The neighbour of `node`, whatever its table; the first if there are several.
    #[inline(always)]
    pub fn single(&self, node: NodeId) -> Option<NodeId> {
        if self.written.is_some() {
            self.note(node.row(), 1);
            if let Some(first) = self.first_of_changed(node) {
                return first.map(|(neighbour, _)| neighbour);
            }
        }
        match self.view? {
            AdjacencyView::Column(column) => column.neighbour(node.row()),
            AdjacencyView::Csr(csr) => first_of(csr, node.row()),
        }
    }

    /// The neighbour of `node`, if it counts.
    #[inline]
    pub fn single_node(&self, node: NodeId) -> Option<NodeId> {
        self.single(node).filter(|neighbour| self.counts(node, *neighbour))
    }

    /// The neighbour of `node` and the edge that leads there, if it counts.
    #[inline]
    pub fn single_edge(&self, node: NodeId) -> Option<(NodeId, EdgeId)> {
        if self.written.is_some()
            && let Some(first) = self.first_of_changed(node)
        {
            self.note(node.row(), 1);
            return first.filter(|(neighbour, _)| self.counts(node, *neighbour));
        }
        let list = self.list(node);
        let (neighbour, edge) = match list.form {
            Form::None => return None,
            Form::One(column, neighbour) => (neighbour, list.id_of_one(column, neighbour)),
            Form::List(_, places) if places.len == 0 => return None,
            Form::List(csr, places) => (csr.node(places, 0), list.id_in_list(csr, places, 0, 0)),
            Form::Patch(patch) => (*patch.nodes.first()?, *patch.edges.first()?),
        };
        self.counts(node, neighbour).then_some((neighbour, edge))
    }

    /// The neighbours that count of the nodes at `positions`, ascending, all of the table walked from,
    /// written to `out` at the same positions; gives the positions that have one.
    ///
    /// **Cost**: the forms of the adjacency and of `nodes` are decided once; where something was written, a
    /// look whether it was at the node, some 2 ns each.
    pub fn singles(&self, nodes: &Nodes<'_>, positions: &[u32], out: &mut [NodeId]) -> Vec<u32> {
        if self.is_plain()
            && let Some(AdjacencyView::Column(column)) = self.view
        {
            if self.written.is_some_and(Reader::notes_reads) {
                nodes.for_each(positions.iter().map(|p| *p as usize), |_, node| self.note(node.row(), 1));
            }
            let changed = self.changed_at(nodes, positions);
            if changed.is_empty() {
                return column.follow(nodes, positions, out);
            }
            return self.singles_beside(&changed, nodes, positions, out);
        }
        let mut kept = Vec::with_capacity(positions.len());
        self.singles_each(nodes, positions, out, &mut kept);
        kept
    }

    /// Those of `positions` at which changes touched the node's edges.
    fn changed_at(&self, nodes: &Nodes<'_>, positions: &[u32]) -> Vec<u32> {
        let (Some((_, marks)), Some(last)) = (self.changes, positions.last()) else { return Vec::new() };
        if let Nodes::Range(first) = nodes
            && !marks.meet(first.row(), u64::from(*last) + 1)
        {
            return Vec::new();
        }
        let mut changed = Vec::new();
        nodes.for_each(positions.iter().map(|p| *p as usize), |i, node| {
            if marks.meet(node.row(), 1) {
                // Positions came from 32 bits.
                changed.push(i as u32);
            }
        });
        changed
    }

    /// The neighbours where changes touched the edges of the nodes at some positions: all others are main's.
    #[inline(never)]
    fn singles_beside(
        &self,
        changed: &[u32],
        nodes: &Nodes<'_>,
        positions: &[u32],
        out: &mut [NodeId],
    ) -> Vec<u32> {
        let Some(AdjacencyView::Column(column)) = self.view else { return Vec::new() };
        let mut next = changed.iter().peekable();
        let clean: Vec<u32> = positions.iter().copied().filter(|p| next.next_if_eq(&p).is_none()).collect();
        let mut kept = column.follow(nodes, &clean, out);
        self.singles_each(nodes, changed, out, &mut kept);
        kept.sort_unstable();
        kept
    }

    fn singles_each(&self, nodes: &Nodes<'_>, positions: &[u32], out: &mut [NodeId], kept: &mut Vec<u32>) {
        nodes.for_each(positions.iter().map(|p| *p as usize), |i, node| {
            if let Some(neighbour) = self.single_node(node)
                && let Some(o) = out.get_mut(i)
            {
                *o = neighbour;
                // Positions came from 32 bits.
                kept.push(i as u32);
            }
        });
    }
}

/// Out of line: where nodes have one neighbour at most, lists are rare.
#[inline(never)]
fn first_of(csr: &CsrView<'_>, row: u64) -> Option<NodeId> {
    let list = csr.list(row);
    (list.len > 0).then(|| csr.node(list, 0))
}
