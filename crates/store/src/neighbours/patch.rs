//! A list that changes touched: main's, without the edges that went, and with those that came.

use std::collections::HashSet;

use trimorph_base::{EdgeId, NodeId};
use trimorph_delta::EdgeChange;

use super::Neighbours;
use super::list::{Form, NeighbourList};
use crate::Moment;
use crate::moment::{Patch, PatchKey};

/// Changes to the lists of nodes that follow each other: by row.
#[derive(Debug, Default)]
pub struct RunChanges {
    all: Vec<(u64, EdgeChange)>,
    /// The first that was not passed.
    next: usize,
    main: Main,
}

/// Room for main's part of a list.
#[derive(Debug, Default)]
pub(super) struct Main {
    nodes: Vec<NodeId>,
    edges: Vec<EdgeId>,
}

/// Changes of a run that are found together at most. Chosen: 2 MB.
const RUN_CHANGES_MAX: usize = 1 << 16;

/// Changes of a list from which on it is kept. Chosen: keeping a short one took longer than putting it
/// together again, an unmerged join of all 199 ms to 67.
pub(super) const KEPT_CHANGES: usize = 32;

impl<'r, 's> Neighbours<'r, 's> {
    /// The list of a node, as the snapshot sees it, if changes touched it or one near it.
    #[inline]
    pub(super) fn patch(&self, node: NodeId) -> Option<&'s Patch> {
        let (moment, marks) = self.changes?;
        if !marks.meet(node.row(), 1) {
            return None;
        }
        Some(moment.patch(self.patch_key(node), || self.put_together(node, &self.changes_of(node, moment))))
    }

    pub(super) fn patch_key(&self, node: NodeId) -> PatchKey {
        (self.table.id, self.direction(), node)
    }

    /// The changes to the list of a node.
    fn changes_of(&self, node: NodeId, moment: &Moment) -> Vec<EdgeChange> {
        let mut changes = Vec::with_capacity(KEPT_CHANGES);
        let (topology, reading) = (moment.topology(), moment.reading());
        topology.changes(node, self.table.id, self.direction(), &reading, &mut changes);
        changes
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
            let (topology, reading) = (moment.topology(), moment.reading());
            topology.changes_of_run((first, len), self.table.id, self.direction(), &reading, changes);
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

    /// Appends the neighbours of a node, and the ids of their edges where these are wanted: as its list does,
    /// which is kept for who asks again where changes touched it; here only one that takes long to put
    /// together.
    #[inline(always)]
    pub fn append(&self, node: NodeId, nodes: &mut Vec<NodeId>, edges: Option<&mut Vec<EdgeId>>) {
        if self.changes.is_none() {
            return self.list(node).append(nodes, edges);
        }
        self.append_written(node, nodes, edges);
    }

    #[inline(never)]
    fn append_written(&self, node: NodeId, nodes: &mut Vec<NodeId>, edges: Option<&mut Vec<EdgeId>>) {
        let Some((moment, _)) = self.changes.filter(|(_, marks)| marks.meet(node.row(), 1)) else {
            return self.list(node).append(nodes, edges);
        };
        self.note(node.row(), 1);
        let list = |form| NeighbourList { along: *self, node, form };
        let key = self.patch_key(node);
        if let Some(kept) = moment.kept_patch(&key) {
            return list(Form::Patch(kept)).append(nodes, edges);
        }
        let changes = self.changes_of(node, moment);
        if changes.is_empty() {
            return list(self.main_form(node)).append(nodes, edges);
        }
        if changes.len() >= KEPT_CHANGES {
            let patch = moment.patch(key, || self.put_together(node, &changes));
            return list(Form::Patch(patch)).append(nodes, edges);
        }
        self.append_changed(node, changes.iter(), &mut Main::default(), nodes, edges);
    }

    /// The same with the changes to the list.
    pub(super) fn append_changed<'c>(
        &self,
        node: NodeId,
        changes: impl Iterator<Item = &'c EdgeChange> + Clone,
        main: &mut Main,
        nodes: &mut Vec<NodeId>,
        mut edges: Option<&mut Vec<EdgeId>>,
    ) {
        let (first, want_edges) = (nodes.len(), edges.is_some());
        self.put(node, changes, want_edges, main, |node, edge| {
            nodes.push(node);
            if let Some(edges) = &mut edges {
                edges.push(edge);
            }
        });
        if !self.is_plain() {
            let first_edge = edges.as_ref().map_or(0, |edges| edges.len() + first - nodes.len());
            let list = NeighbourList { along: *self, node, form: Form::None };
            list.leave_out((first, first_edge), nodes, edges);
        }
    }

    /// Finds the changes to the lists of `len` nodes from `first` on together, for who goes over them in
    /// order by [`Self::append_next`]; `false` where there are none, or too many to be kept beside each
    /// other.
    pub fn find_changes(&self, first: NodeId, len: u64, found: &mut RunChanges) -> bool {
        found.all.clear();
        found.next = 0;
        let Some((moment, marks)) = self.changes else { return false };
        if !marks.meet(first.row(), len) {
            return false;
        }
        let (topology, reading) = (moment.topology(), moment.reading());
        let (run, table, direction) = ((first, len), self.table.id, self.direction());
        topology.few_changes_of_run(run, table, direction, &reading, RUN_CHANGES_MAX, &mut found.all)
    }

    /// As [`Self::append`], with changes that were found: of nodes that ascend.
    pub fn append_next(
        &self,
        node: NodeId,
        found: &mut RunChanges,
        nodes: &mut Vec<NodeId>,
        edges: Option<&mut Vec<EdgeId>>,
    ) {
        let RunChanges { all, next, main } = found;
        let row = node.row();
        while all.get(*next).is_some_and(|(of, _)| *of < row) {
            *next += 1;
        }
        let own = all[*next..].iter().take_while(|(of, _)| *of == row).map(|(_, change)| change);
        self.note(row, 1);
        match own.clone().next() {
            Some(_) => self.append_changed(node, own, main, nodes, edges),
            None => NeighbourList { along: *self, node, form: self.main_form(node) }.append(nodes, edges),
        }
    }

    /// The first of a node's edges, whether it counts or not, where changes may have touched them; `None`
    /// where they did not. Out of line: who follows one edge of each node has a short loop.
    #[inline(never)]
    pub(super) fn first_of_changed(&self, node: NodeId) -> Option<Option<(NodeId, EdgeId)>> {
        let (moment, marks) = self.changes?;
        if !marks.meet(node.row(), 1) {
            return None;
        }
        let changes = self.changes_of(node, moment);
        if changes.is_empty() {
            return None;
        }
        let mut first = None;
        self.put(node, changes.iter(), true, &mut Main::default(), |node, edge| {
            first = first.or(Some((node, edge)))
        });
        Some(first)
    }

    /// Calls `push` with the neighbours of a node, of main and of changes, in their order, and with their
    /// edges where these are wanted. `room` is used again.
    fn put<'c>(
        &self,
        node: NodeId,
        changes: impl Iterator<Item = &'c EdgeChange> + Clone,
        want_edges: bool,
        room: &mut Main,
        mut push: impl FnMut(NodeId, EdgeId),
    ) {
        let plain = Self { skip_loops: false, wanted: None, ..*self };
        let main = NeighbourList { along: plain, node, form: plain.main_form(node) };
        let mut came = changes.clone().filter(|change| change.came).peekable();
        if main.len() > 0 {
            let Main { nodes, edges } = room;
            nodes.clear();
            edges.clear();
            let gone: HashSet<EdgeId> = changes.filter(|c| !c.came).map(|c| c.edge).collect();
            // Ids of a list that leads back may have to be searched for.
            main.append(nodes, (want_edges || !gone.is_empty()).then_some(&mut *edges));
            // Both are sorted by neighbour; of parallel edges main's come first.
            for (i, node) in nodes.iter().copied().enumerate() {
                while let Some(change) = came.next_if(|change| change.neighbour < node) {
                    push(change.neighbour, change.edge);
                }
                let edge = edges.get(i).copied().unwrap_or(EdgeId(0));
                if gone.is_empty() || !gone.contains(&edge) {
                    push(node, edge);
                }
            }
        }
        came.for_each(|change| push(change.neighbour, change.edge));
    }

    fn put_together(&self, node: NodeId, changes: &[EdgeChange]) -> Patch {
        let room = changes.len();
        let mut patch = Patch { nodes: Vec::with_capacity(room), edges: Vec::with_capacity(room) };
        self.put(node, changes.iter(), true, &mut Main::default(), |node, edge| {
            patch.nodes.push(node);
            patch.edges.push(edge);
        });
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
