//! A list that changes touched: main's, without the edges that went, and with those that came.

use std::collections::HashSet;

use trimorph_base::{EdgeId, NodeId};
use trimorph_delta::{Direction, EdgeChange};

use super::Neighbours;
use super::list::{Form, NeighbourList};
use crate::moment::Patch;

impl<'r, 's> Neighbours<'r, 's> {
    /// The list of a node, as the snapshot sees it, if changes touched it or one near it.
    #[inline]
    pub(super) fn patch(&self, node: NodeId) -> Option<&'s Patch> {
        let (moment, marks) = self.changes?;
        if !marks.meet(node.row(), 1) {
            return None;
        }
        let direction = if self.forward { Direction::Forward } else { Direction::Backward };
        let table = self.table.id;
        Some(moment.patch((table, direction, node), || {
            let mut changes = Vec::new();
            moment.topology().changes(node, table, direction, &moment.reading(), &mut changes);
            self.put_together(node, &changes)
        }))
    }

    /// Gives the edges of `len` nodes from `first` on, all of them, each with its node and the other end, in
    /// no order, and keeps nothing of them: for who goes over many nodes once. `changes` is room that is used
    /// again.
    ///
    /// **Cost**: one look for changes; without an allocation where lists are short.
    pub fn each_of_run(
        &self,
        first: NodeId,
        len: u64,
        changes: &mut Vec<(u64, EdgeChange)>,
        mut each: impl FnMut(NodeId, NodeId, EdgeId),
    ) {
        self.note(first.row(), len);
        changes.clear();
        if let Some((moment, marks)) = self.changes
            && marks.meet(first.row(), len)
        {
            let direction = if self.forward { Direction::Forward } else { Direction::Backward };
            let (topology, reading) = (moment.topology(), moment.reading());
            topology.changes_of_run((first, len), self.table.id, direction, &reading, changes);
        }
        let gone: HashSet<EdgeId> =
            changes.iter().filter(|(_, change)| !change.came).map(|(_, change)| change.edge).collect();
        for (row, change) in changes.iter().filter(|(_, change)| change.came) {
            each(NodeId::new(first.table(), *row), change.neighbour, change.edge);
        }
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for row in first.row()..first.row() + len {
            let node = NodeId::new(first.table(), row);
            let main = NeighbourList { along: *self, node, form: self.main_form(node) };
            if main.len() == 0 {
                continue;
            }
            nodes.clear();
            edges.clear();
            main.append(&mut nodes, Some(&mut edges));
            let all = nodes.iter().zip(&edges).filter(|(_, edge)| gone.is_empty() || !gone.contains(edge));
            all.for_each(|(other, edge)| each(node, *other, *edge));
        }
    }

    fn put_together(&self, node: NodeId, changes: &[EdgeChange]) -> Patch {
        let plain = Self { skip_loops: false, wanted: None, ..*self };
        let main = NeighbourList { along: plain, node, form: plain.main_form(node) };
        let (mut nodes, mut edges): (Vec<NodeId>, Vec<EdgeId>) = Default::default();
        main.append(&mut nodes, Some(&mut edges));
        if changes.is_empty() {
            return Patch { nodes, edges };
        }
        let gone: HashSet<EdgeId> = changes.iter().filter(|c| !c.came).map(|c| c.edge).collect();
        let mut came = changes.iter().filter(|change| change.came).peekable();
        let mut patch = Patch::default();
        let room = nodes.len() + changes.len();
        patch.nodes.reserve(room);
        patch.edges.reserve(room);
        let mut push = |node: NodeId, edge: EdgeId| {
            patch.nodes.push(node);
            patch.edges.push(edge);
        };
        // Both are sorted by neighbour; of parallel edges main's come first.
        for (node, edge) in nodes.into_iter().zip(edges) {
            while let Some(change) = came.next_if(|change| change.neighbour < node) {
                push(change.neighbour, change.edge);
            }
            if !gone.contains(&edge) {
                push(node, edge);
            }
        }
        came.for_each(|change| push(change.neighbour, change.edge));
        patch
    }

    /// The list of a node where changes may have touched it, or what is read is noted.
    #[inline(never)]
    pub(super) fn written_form(&self, node: NodeId) -> Form<'r, 's> {
        self.note(node.row(), 1);
        match self.patch(node) {
            Some(patch) => Form::Patch(patch),
            None => self.main_form(node),
        }
    }

    /// The list of a node as main has it.
    #[inline(always)]
    pub(super) fn main_form(&self, node: NodeId) -> Form<'r, 's> {
        use trimorph_storage::adjacency::AdjacencyView;
        match self.view {
            None => Form::None,
            Some(AdjacencyView::Csr(csr)) => Form::List(csr, csr.list(node.row())),
            Some(AdjacencyView::Column(column)) => match column.neighbour(node.row()) {
                Some(neighbour) => Form::One(column, neighbour),
                None => Form::None,
            },
        }
    }
}
