//! Variable-length extend: all trails of a length range, each node reachable once, or shortest paths, from each row's node.
//!
//! Trails go depth first (`trails.rs`), so that a LIMIT above stops the walk; reachability and shortest paths breadth first with a set of
//! nodes seen (`breadth.rs`). Both ask [`Steps`] for the edges of a node.

mod breadth;
mod trails;

use std::sync::Arc;

use trimorph_algebra::VarExtendMode;
use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_store::AdjacencyView;
use trimorph_store::access::EdgeAccess;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Edges, Nodes, Values, Vector};

use crate::expr::{Ex, filter};
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};
use trails::Trails;

/// What a variable-length extend does.
pub(crate) struct VarSpec {
    pub(crate) step: EdgeAccess,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) mode: VarExtendMode,
    /// Condition on each edge, compiled for the input's group 0 (flat) and the edge in slot 0 of group 1.
    pub(crate) each: Option<Ex>,
    /// The slot of the node the walk must end at.
    pub(crate) into: Option<usize>,
    pub(crate) want_edges: bool,
    /// Whether the walk must know the ids of edges.
    pub(crate) needs_ids: bool,
    /// Edges are given from the last walked to the first.
    pub(crate) reversed: bool,
    pub(crate) from: usize,
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    /// Tables the last node may be in; none for all.
    pub(crate) to_tables: Option<Vec<TableId>>,
}

impl VarSpec {
    /// Whether every edge is walked in the same direction, from source to target or back.
    pub(crate) fn is_one_way(step: &EdgeAccess) -> bool {
        let mut all = step.by_table.iter().flatten();
        all.next().is_none_or(|first| all.all(|r| r.forward == first.forward))
    }

    #[inline]
    fn ends_well(&self, node: NodeId, target: Option<NodeId>) -> bool {
        target.is_none_or(|t| t == node)
            && self.to_tables.as_ref().is_none_or(|ts| ts.contains(&node.table()))
    }
}

/// Variable-length extend over rows of one group.
pub(crate) struct VarExtend<'s> {
    child: BoxOperator<'s>,
    steps: Steps<'s>,
    rest: Vec<u32>,
    cursor: usize,
    /// Whether the walk from the row at the cursor has begun.
    walking: bool,
    trails: Trails,
    found: breadth::Found,
}

/// The rows walked from, and the edges of a node as seen from such a row.
struct Steps<'s> {
    inner: Chunk<'s>,
    spec: Arc<VarSpec>,
}

/// Ends of walks, with their edges where these are wanted.
#[derive(Default)]
struct Answers {
    nodes: Vec<NodeId>,
    lists: Vec<Value>,
}

impl Answers {
    #[inline]
    fn push(&mut self, node: NodeId, path: &[EdgeId], spec: &VarSpec, cx: &Context<'_>) {
        self.nodes.push(node);
        if spec.want_edges {
            let mut list: Vec<Value> = path.iter().map(|e| cx.edge_value(*e)).collect();
            if spec.reversed {
                list.reverse();
            }
            self.lists.push(Value::list(list));
        }
    }
}

impl<'s> Steps<'s> {
    /// Appends the edges that can be taken from `node`, and the nodes they lead to; no edges where ids are not needed.
    fn candidates(
        &mut self,
        node: NodeId,
        row: u32,
        cx: &Context<'s>,
        nodes: &mut Vec<NodeId>,
        edges: &mut Vec<EdgeId>,
    ) -> Result<(), ExecError> {
        let (begin, ids) = (nodes.len(), self.spec.needs_ids);
        for adjacency in &self.spec.step.by_table[node.table().0 as usize] {
            let first = nodes.len();
            match adjacency.view(&cx.reader) {
                Some(AdjacencyView::Csr(csr)) => {
                    let list = csr.list(node.row());
                    csr.append_nodes(list, nodes);
                    if ids {
                        adjacency.list_ids(&cx.reader, csr, node, list, edges);
                    }
                }
                Some(AdjacencyView::Column(_)) => {
                    if let Some((neighbour, edge)) = adjacency.follow(&cx.reader, node, ids) {
                        nodes.push(neighbour);
                        if ids {
                            edges.push(edge);
                        }
                    }
                }
                None => {}
            }
            if adjacency.skip_loops {
                keep(first, nodes, edges, ids, |_, n| n != node);
            }
        }
        match &self.spec.each {
            Some(each) if edges.len() > begin => {
                let len = edges.len() - begin;
                self.inner.groups[0].flat = Some(row as usize);
                let group = &mut self.inner.groups[1];
                group.reset(len);
                group.vectors[0] = Vector::new(Values::Edge(Edges::Ids(edges[begin..].to_vec())));
                filter(each, &mut self.inner, 1, cx)?;
                let selection = std::mem::take(&mut self.inner.groups[1].selection);
                self.inner.groups[0].flat = None;
                let mut passes = vec![false; len];
                selection.for_each(len, |i| passes[i] = true);
                keep(begin, nodes, edges, ids, |i, _| passes[i - begin]);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Keeps the candidates from the `first` on that pass.
fn keep(
    first: usize,
    nodes: &mut Vec<NodeId>,
    edges: &mut Vec<EdgeId>,
    ids: bool,
    passes: impl Fn(usize, NodeId) -> bool,
) {
    let mut at = first;
    for i in first..nodes.len() {
        if passes(i, nodes[i]) {
            nodes[at] = nodes[i];
            if ids {
                edges[at] = edges[i];
            }
            at += 1;
        }
    }
    nodes.truncate(at);
    edges.truncate(at);
}

impl<'s> VarExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<VarSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots, 1]);
        Self {
            child,
            steps: Steps { inner, spec },
            rest: Vec::new(),
            cursor: 0,
            walking: false,
            trails: Trails::default(),
            found: breadth::Found::new(),
        }
    }

    /// Starts the walk from `row`.
    fn start(
        &mut self,
        node: NodeId,
        row: u32,
        target: Option<NodeId>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let steps = &mut self.steps;
        match steps.spec.mode {
            VarExtendMode::Trails => return self.trails.start(node, row, steps, cx),
            VarExtendMode::Reachable => self.found = breadth::reach(node, row, target, steps, cx)?,
            VarExtendMode::Shortest(kind) => {
                self.found = breadth::shortest(node, row, target, kind, steps, cx)?
            }
        }
        Ok(())
    }

    /// Goes on with the walk from `row` until there are `room` answers; `true` when it is at its end.
    fn fill(
        &mut self,
        row: u32,
        room: usize,
        answers: &mut Answers,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        let vectors = &self.steps.inner.groups[0].vectors;
        let Some(node) = vectors[self.steps.spec.from].node(row as usize) else { return Ok(true) };
        let target = match self.steps.spec.into {
            None => None,
            Some(slot) => match vectors[slot].node(row as usize) {
                None => return Ok(true),
                target => target,
            },
        };
        if !self.walking {
            self.start(node, row, target, cx)?;
            self.walking = true;
        }
        if self.steps.spec.mode == VarExtendMode::Trails {
            return self.trails.fill(row, target, room, &mut self.steps, answers, cx);
        }
        while answers.nodes.len() < room {
            let Some((node, path)) = self.found.pop_front() else { return Ok(true) };
            answers.push(node, &path, &self.steps.spec, cx);
        }
        Ok(false)
    }
}

impl<'s> Operator<'s> for VarExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size;
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                self.steps.inner.groups[0].flat = None;
                if !self.child.next(&mut self.steps.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.steps.inner.groups[0].positions();
                self.cursor = 0;
                self.walking = false;
            }
            let (mut parents, mut answers) = (Vec::new(), Answers::default());
            while self.cursor < self.rest.len() && answers.nodes.len() < room {
                let row = self.rest[self.cursor];
                if self.fill(row, room, &mut answers, cx)? {
                    self.walking = false;
                    self.cursor += 1;
                }
                parents.resize(answers.nodes.len(), row);
            }
            let Answers { nodes, lists } = answers;
            if nodes.is_empty() {
                continue;
            }
            let spec = &self.steps.spec;
            let group = &self.steps.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(nodes.len());
            repeat(group, &spec.keep, &parents, out);
            let mut next = spec.keep.len();
            if spec.into.is_none() {
                out.vectors[next] = Vector::new(Values::Node(Nodes::Ids { table: None, ids: nodes }));
                next += 1;
            }
            if spec.want_edges {
                out.vectors[next] = Vector::new(Values::Any(lists));
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        self.cursor = 0;
        self.walking = false;
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), Arc::clone(&self.steps.spec)))
    }
}
