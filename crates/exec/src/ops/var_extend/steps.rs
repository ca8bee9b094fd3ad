//! The edges that a walk can take from a node, as seen from the row it started at.

use std::sync::Arc;

use trimorph_base::{Diagnostic, EdgeId, NodeId};
use trimorph_functions::operators::truth;
use trimorph_vector::{Chunk, Edges, Group, Lists, Nodes, Values, Vector};

use super::spec::VarSpec;
use crate::charge::Charge;
use crate::expr::{Ex, Row, filter};
use crate::ops::resolved::Resolved;
use crate::{Context, ExecError};

/// Edges looked at between two looks at the flag that cancels: a millisecond of the slowest of walks, and 16
/// of a condition on each edge.
const EDGES_UNCHECKED: usize = 1 << 14;

/// The rows walked from, and the edges of a node as seen from such a row.
pub(super) struct Steps<'s> {
    pub(super) inner: Chunk<'s>,
    pub(super) spec: Arc<VarSpec>,
    /// Edges looked at since the last check.
    looked: usize,
}

/// Edges to take and the nodes they lead to, side by side; no edges where ids are not needed.
#[derive(Default)]
pub(super) struct Candidates {
    pub(super) nodes: Vec<NodeId>,
    pub(super) edges: Vec<EdgeId>,
    held: Charge,
}

impl Candidates {
    fn room(&mut self, more: usize, ids: bool, cx: &Context<'_>) -> Result<(), ExecError> {
        self.held.room(&mut self.nodes, more, cx)?;
        if ids { self.held.room(&mut self.edges, more, cx) } else { Ok(()) }
    }

    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
        self.edges.truncate(len);
    }

    /// Keeps those from the `first` on that pass.
    fn keep(&mut self, first: usize, passes: impl Fn(usize, NodeId) -> bool) {
        let mut at = first;
        for i in first..self.nodes.len() {
            if passes(i, self.nodes[i]) {
                self.nodes[at] = self.nodes[i];
                if i < self.edges.len() {
                    self.edges[at] = self.edges[i];
                }
                at += 1;
            }
        }
        self.truncate(at);
    }
}

/// Leaves edges, or nodes, where conditions read them.
fn put_edges(group: &mut Group<'_>, edges: &[EdgeId]) {
    group.vectors[0] = Vector::new(Values::Edge(Edges::Ids(edges.to_vec())));
}

fn put_nodes(group: &mut Group<'_>, nodes: &[NodeId]) {
    group.vectors[1] = Vector::new(Values::Node(Nodes::Ids { table: None, ids: nodes.to_vec() }));
}

impl<'s> Steps<'s> {
    pub(super) fn new(spec: Arc<VarSpec>) -> Self {
        Self { inner: Chunk::with_slots(&[spec.slots, 2]), spec, looked: 0 }
    }

    /// Counts `edges` that are looked at, and looks now and then whether the query is cancelled.
    #[inline]
    pub(super) fn look(&mut self, edges: usize, cx: &Context<'s>) -> Result<(), ExecError> {
        self.looked += edges;
        if self.looked < EDGES_UNCHECKED {
            return Ok(());
        }
        self.looked = 0;
        cx.check()
    }

    /// Appends the edges that can be taken from `node`; `resolved` are the adjacencies of the step.
    pub(super) fn candidates<'r>(
        &mut self,
        node: NodeId,
        row: u32,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
        out: &mut Candidates,
    ) -> Result<(), ExecError> {
        let (begin, ids) = (out.nodes.len(), self.spec.needs_ids);
        for neighbours in resolved.of(node.table(), cx) {
            let list = neighbours.list(node);
            if list.len() == 0 {
                continue;
            }
            out.room(list.len(), ids, cx)?;
            list.append(&mut out.nodes, ids.then_some(&mut out.edges));
        }
        self.look(1 + out.nodes.len() - begin, cx)?;
        if (self.spec.each.is_some() || self.spec.nodes.is_some()) && out.nodes.len() > begin {
            self.keep_passing(begin, row, cx, out)?;
        }
        Ok(())
    }

    /// Keeps the candidates from the `begin` on that pass the conditions on each edge and each node.
    pub(super) fn keep_passing(
        &mut self,
        begin: usize,
        row: u32,
        cx: &Context<'s>,
        out: &mut Candidates,
    ) -> Result<(), ExecError> {
        let spec = Arc::clone(&self.spec);
        if let Some(each) = &spec.each {
            let edges = out.edges.get(begin..).unwrap_or_default();
            let passes = self.passing(each, row, edges, cx, put_edges)?;
            out.keep(begin, |i, _| passes[i - begin]);
        }
        if let Some(condition) = &spec.nodes {
            let nodes = out.nodes.get(begin..).unwrap_or_default();
            let passes = self.passing(condition, row, nodes, cx, put_nodes)?;
            out.keep(begin, |i, _| passes[i - begin]);
        }
        Ok(())
    }

    /// Which edges and the nodes that they lead to pass what each is asked, whatever the row; `None` where
    /// nothing is. `row` is one of the rows.
    pub(super) fn passing_all(
        &mut self,
        row: u32,
        nodes: &[NodeId],
        edges: &[EdgeId],
        cx: &Context<'s>,
    ) -> Result<Option<Vec<bool>>, ExecError> {
        let spec = Arc::clone(&self.spec);
        let mut passes = None;
        if let Some(each) = &spec.each {
            passes = Some(self.passing(each, row, edges, cx, put_edges)?);
        }
        if let Some(condition) = &spec.nodes {
            let Some(passes) = &mut passes else {
                return Ok(Some(self.passing(condition, row, nodes, cx, put_nodes)?));
            };
            let left: Vec<usize> = (0..nodes.len()).filter(|k| passes[*k]).collect();
            let asked: Vec<NodeId> = left.iter().map(|k| nodes[*k]).collect();
            let found = self.passing(condition, row, &asked, cx, put_nodes)?;
            left.into_iter().zip(found).for_each(|(k, found)| passes[k] = found);
        }
        Ok(passes)
    }

    /// Which of the nodes that walks start from pass the condition on each; `None` where there is none.
    pub(super) fn starting(
        &mut self,
        row: u32,
        nodes: &[NodeId],
        cx: &Context<'s>,
    ) -> Result<Option<Vec<bool>>, ExecError> {
        let spec = Arc::clone(&self.spec);
        spec.nodes.as_ref().map(|condition| self.passing(condition, row, nodes, cx, put_nodes)).transpose()
    }

    /// Which of some edges or nodes pass a condition; `put` leaves them where it reads them.
    fn passing<T>(
        &mut self,
        condition: &Ex,
        row: u32,
        all: &[T],
        cx: &Context<'s>,
        put: impl Fn(&mut Group<'s>, &[T]),
    ) -> Result<Vec<bool>, ExecError> {
        let mut passes = vec![false; all.len()];
        self.inner.groups[0].flat = Some(row as usize);
        for (part, passes) in all.chunks(EDGES_UNCHECKED).zip(passes.chunks_mut(EDGES_UNCHECKED)) {
            cx.check()?;
            let group = &mut self.inner.groups[1];
            group.reset(part.len());
            put(group, part);
            filter(condition, &mut self.inner, 1, cx)?;
            let selection = std::mem::take(&mut self.inner.groups[1].selection);
            selection.for_each(part.len(), |i| passes[i] = true);
        }
        self.inner.groups[0].flat = None;
        Ok(passes)
    }

    /// Whether the node that a walk starts at passes the condition on each.
    pub(super) fn passes_node(
        &mut self,
        node: NodeId,
        row: u32,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        if self.spec.nodes.is_none() {
            return Ok(true);
        }
        Ok(self.starting(row, &[node], cx)?.is_none_or(|passes| passes == [true]))
    }

    /// Whether a path of these edges meets the condition on the whole.
    pub(super) fn meets(&mut self, path: &[EdgeId], row: u32, cx: &Context<'s>) -> Result<bool, ExecError> {
        let Some(condition) = &self.spec.condition else { return Ok(true) };
        let mut edges = path.to_vec();
        if self.spec.reversed {
            edges.reverse();
        }
        let whole = (0, u32::try_from(edges.len()).unwrap_or(u32::MAX));
        let edges = Vector::new(Values::Edge(Edges::Ids(edges)));
        let list = Lists::new(std::iter::once(whole), edges);
        let list = list.ok_or_else(|| Diagnostic::internal("a walk of more than 2^32 relationships"))?;
        self.inner.groups[0].flat = Some(row as usize);
        let group = &mut self.inner.groups[1];
        group.reset(1);
        group.vectors[0] = Vector::new(Values::List(list));
        let value = Row::new(&self.inner, 1, 0).eval(condition, cx);
        self.inner.groups[0].flat = None;
        Ok(truth(&value?)? == Some(true))
    }
}
