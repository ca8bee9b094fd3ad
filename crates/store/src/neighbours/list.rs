//! The edges of one node along one adjacency: appended to a batch of nodes and edges, or as vectors that lie
//! in the adjacency.

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_storage::adjacency::{CsrView, List, VertexColumnView};
use trimorph_vector::{Edges, Nodes, Selection};

use super::Neighbours;
use crate::moment::Patch;

/// The edges of one node along one adjacency, sorted by neighbour.
#[derive(Clone, Copy)]
pub struct NeighbourList<'r, 's> {
    pub(super) along: Neighbours<'r, 's>,
    pub(super) node: NodeId,
    pub(super) form: Form<'r, 's>,
}

#[derive(Clone, Copy)]
pub(super) enum Form<'r, 's> {
    /// No edges.
    None,
    /// A list.
    List(&'r CsrView<'s>, List),
    /// A row of a vertex column, and the neighbour there.
    One(&'r VertexColumnView<'s>, NodeId),
    /// A list that changes touched.
    Patch(&'s Patch),
}

/// A list as vectors of one length.
pub struct InPlace<'s> {
    /// Their length.
    pub len: usize,
    /// The neighbours.
    pub nodes: Nodes<'s>,
    /// The edges, where they were asked for.
    pub edges: Option<Edges<'s>>,
    /// The edges that count.
    pub selection: Selection,
}

impl<'r, 's> Neighbours<'r, 's> {
    /// The list of `node`, a node of the table walked from.
    #[inline(always)]
    pub fn list(&self, node: NodeId) -> NeighbourList<'r, 's> {
        let form = if self.written.is_none() { self.main_form(node) } else { self.written_form(node) };
        NeighbourList { along: *self, node, form }
    }
}

impl<'s> NeighbourList<'_, 's> {
    /// Edges in it, with those that do not count.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a list without edges is a list like any other")]
    pub fn len(&self) -> usize {
        match self.form {
            Form::None => 0,
            Form::List(_, list) => list.len,
            Form::One(..) => 1,
            Form::Patch(patch) => patch.nodes.len(),
        }
    }

    /// Edges in it that count.
    pub fn count(&self) -> usize {
        let counts = |neighbour| self.along.counts(self.node, neighbour);
        match self.form {
            _ if self.along.is_plain() => self.len(),
            Form::None => 0,
            Form::List(csr, list) => (0..list.len).filter(|i| counts(csr.node(list, *i))).count(),
            Form::One(_, neighbour) => usize::from(counts(neighbour)),
            Form::Patch(patch) => patch.nodes.iter().filter(|node| counts(**node)).count(),
        }
    }

    /// The table that all neighbours are in, if it is known to be one.
    #[inline]
    pub fn target(&self) -> Option<TableId> {
        self.along.target
    }

    /// Appends the neighbours, and the ids of their edges where these are wanted.
    #[inline(always)]
    pub fn append(&self, nodes: &mut Vec<NodeId>, edges: Option<&mut Vec<EdgeId>>) {
        match self.form {
            Form::None => {}
            // Many nodes have no edges.
            Form::List(_, list) if list.len == 0 => {}
            Form::List(csr, list) if edges.is_none() && self.along.is_plain() => {
                csr.append_nodes(list, nodes)
            }
            Form::List(..) | Form::One(..) | Form::Patch(_) => self.append_each(nodes, edges),
        }
    }

    #[inline(never)]
    fn append_each(&self, nodes: &mut Vec<NodeId>, mut edges: Option<&mut Vec<EdgeId>>) {
        let first = (nodes.len(), edges.as_ref().map_or(0, |edges| edges.len()));
        match self.form {
            Form::None => {}
            Form::List(csr, list) => {
                csr.append_nodes(list, nodes);
                if let Some(edges) = &mut edges {
                    self.append_ids(csr, list, edges);
                }
            }
            Form::One(column, neighbour) => {
                nodes.push(neighbour);
                if let Some(edges) = &mut edges {
                    edges.push(self.id_of_one(column, neighbour));
                }
            }
            Form::Patch(patch) => {
                nodes.extend_from_slice(&patch.nodes);
                if let Some(edges) = &mut edges {
                    edges.extend_from_slice(&patch.edges);
                }
            }
        }
        if !self.along.is_plain() {
            self.leave_out(first, nodes, edges);
        }
    }

    /// Takes out what was appended from the `first` on and does not count.
    pub(super) fn leave_out(
        &self,
        first: (usize, usize),
        nodes: &mut Vec<NodeId>,
        mut edges: Option<&mut Vec<EdgeId>>,
    ) {
        let (mut node_end, mut edge_end) = first;
        for i in 0..nodes.len() - first.0 {
            let neighbour = nodes[first.0 + i];
            if !self.along.counts(self.node, neighbour) {
                continue;
            }
            nodes[node_end] = neighbour;
            node_end += 1;
            if let Some(edges) = &mut edges {
                edges[edge_end] = edges[first.1 + i];
                edge_end += 1;
            }
        }
        nodes.truncate(node_end);
        if let Some(edges) = edges {
            edges.truncate(edge_end);
        }
    }

    /// The list as vectors, in place where its form allows.
    pub fn in_place(&self, want_edges: bool) -> InPlace<'s> {
        let len = self.len();
        let nodes = match self.form {
            Form::None => Nodes::Ids { table: self.along.target, ids: Vec::new() },
            Form::List(csr, list) => csr.nodes(list),
            Form::One(_, neighbour) => Nodes::Ids { table: Some(neighbour.table()), ids: vec![neighbour] },
            Form::Patch(patch) => Nodes::Ids { table: self.along.target, ids: patch.nodes.clone() },
        };
        let mut selection = Selection::All;
        if !self.along.is_plain() {
            selection.retain(len, |i| self.along.counts(self.node, nodes.id(i)));
        }
        InPlace { len, nodes, edges: want_edges.then(|| self.edges()), selection }
    }

    fn edges(&self) -> Edges<'s> {
        match self.form {
            Form::None => Edges::Ids(Vec::new()),
            Form::List(csr, list) => {
                let run = || self.along.table.forward_run(self.node.row(), list);
                match self.along.forward.then(run).flatten() {
                    Some(first) => Edges::Run(first),
                    None => {
                        let mut ids = Vec::with_capacity(list.len);
                        self.append_ids(csr, list, &mut ids);
                        Edges::Ids(ids)
                    }
                }
            }
            Form::One(column, neighbour) => Edges::Ids(vec![self.id_of_one(column, neighbour)]),
            Form::Patch(patch) => Edges::Ids(patch.edges.clone()),
        }
    }

    /// The ids of a forward list are made from its source's page; those of a backward list from positions, or
    /// searched where none are stored.
    fn append_ids(&self, csr: &CsrView<'s>, list: List, out: &mut Vec<EdgeId>) {
        let table = self.along.table;
        if self.along.forward {
            return table.append_forward_ids(self.node.row(), list, out);
        }
        if table.append_backward_ids(csr, list, out) {
            return;
        }
        let (mut previous, mut ordinal) = (None, 0);
        for i in 0..list.len {
            let source = csr.node(list, i);
            ordinal = if previous == Some(source) { ordinal + 1 } else { 0 };
            previous = Some(source);
            out.push(self.backward_id(source, csr.position(list, i), ordinal));
        }
    }

    /// The id of a row of a vertex column.
    #[inline]
    pub(super) fn id_of_one(&self, column: &VertexColumnView<'_>, neighbour: NodeId) -> EdgeId {
        if self.along.forward {
            self.along.table.single_id(self.node.row())
        } else {
            self.backward_id(neighbour, column.position(self.node.row()), 0)
        }
    }

    /// The id of the edge at place `i` of a list, the `ordinal`-th of those to the same neighbour.
    #[inline]
    pub(super) fn id_in_list(&self, csr: &CsrView<'_>, list: List, i: usize, ordinal: usize) -> EdgeId {
        if self.along.forward {
            self.along.table.forward_id_at(self.node.row(), list, i)
        } else {
            self.backward_id(csr.node(list, i), csr.position(list, i), ordinal)
        }
    }

    /// The id of an edge found from its target: by its stored position, or where none is stored, by a search
    /// in its source's list.
    #[inline]
    fn backward_id(&self, source: NodeId, position: Option<u64>, ordinal: usize) -> EdgeId {
        match position {
            Some(position) => self.along.table.id_at(source.row(), position),
            None => self.along.table.search_id(source.row(), self.node, ordinal),
        }
    }
}
