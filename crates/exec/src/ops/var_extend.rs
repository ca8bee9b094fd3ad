//! Variable-length extend: all trails of a length range, each node reachable once, or shortest paths, from each row's node.
//!
//! Trails are walked depth first with an explicit stack, one frame an edge, so that memory is the depth times the degree and a
//! LIMIT above stops the walk. Reachability and shortest paths go breadth first with a visited set.
//!
//! Invariant: `path` holds the edges of the frames below the top; an edge is taken only if it is not in it.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_algebra::{ShortestKind, VarExtendMode};
use trimorph_base::{EdgeId, NodeId};
use trimorph_store::AdjacencyView;
use trimorph_store::access::EdgeAccess;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Edges, Nodes, Selection, Values, Vector};

use crate::expr::{Ex, filter};
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

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
    /// Edges are given from the last walked to the first.
    pub(crate) reversed: bool,
    pub(crate) from: usize,
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    /// Tables the last node may be in; none for all.
    pub(crate) to_tables: Option<Vec<trimorph_base::TableId>>,
}

/// A frame: edges that can be taken from one node, and the next to try.
struct Frame {
    candidates: Vec<(EdgeId, NodeId)>,
    next: usize,
}

/// Variable-length extend over rows of one group.
pub(crate) struct VarExtend<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<VarSpec>,
    rest: Vec<u32>,
    cursor: usize,
    walk: Option<Walk>,
}

/// For each node seen, its distance and the edges by which shortest paths reach it.
type Seen = FxHashMap<NodeId, (u32, Vec<(EdgeId, NodeId)>)>;

/// The state of the walk from one row.
enum Walk {
    Trails { stack: Vec<Frame>, path: Vec<EdgeId>, start: Option<NodeId> },
    Found(VecDeque<(NodeId, Vec<EdgeId>)>),
}

impl<'s> VarExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<VarSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots, 1]);
        Self { child, inner, spec, rest: Vec::new(), cursor: 0, walk: None }
    }

    /// The edges that can be taken from `node`, with the nodes they lead to.
    fn candidates(
        &mut self,
        node: NodeId,
        row: u32,
        cx: &Context<'s>,
    ) -> Result<Vec<(EdgeId, NodeId)>, ExecError> {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for adjacency in &self.spec.step.by_table[node.table().0 as usize] {
            let view = adjacency.view(&cx.reader);
            let first = nodes.len();
            match view {
                Some(AdjacencyView::Csr(csr)) => {
                    let list = csr.list(node.row());
                    csr.append_nodes(list, &mut nodes);
                    adjacency.list_ids(&cx.reader, csr, node, list, &mut edges);
                }
                Some(AdjacencyView::Column(_)) => {
                    if let Some((neighbour, edge)) = adjacency.follow(&cx.reader, node, true) {
                        nodes.push(neighbour);
                        edges.push(edge);
                    }
                }
                None => {}
            }
            if adjacency.skip_loops {
                let mut at = first;
                for i in first..nodes.len() {
                    if nodes[i] != node {
                        (nodes[at], edges[at]) = (nodes[i], edges[i]);
                        at += 1;
                    }
                }
                nodes.truncate(at);
                edges.truncate(at);
            }
        }
        let mut selection = Selection::All;
        if let Some(each) = &self.spec.each
            && !edges.is_empty()
        {
            self.inner.groups[0].flat = Some(row as usize);
            let group = &mut self.inner.groups[1];
            group.reset(edges.len());
            group.vectors[0] = Vector::new(Values::Edge(Edges::Ids(edges.clone())));
            filter(each, &mut self.inner, 1, cx)?;
            selection = std::mem::take(&mut self.inner.groups[1].selection);
            self.inner.groups[0].flat = None;
        }
        let mut out = Vec::with_capacity(edges.len());
        selection.for_each(edges.len(), |i| out.push((edges[i], nodes[i])));
        Ok(out)
    }

    fn node(&self, slot: usize, row: u32) -> Option<NodeId> {
        self.inner.groups[0].vectors[slot].node(row as usize)
    }

    fn ends_well(&self, node: NodeId, target: Option<NodeId>) -> bool {
        target.is_none_or(|t| t == node)
            && self.spec.to_tables.as_ref().is_none_or(|ts| ts.contains(&node.table()))
    }

    fn start(
        &mut self,
        row: u32,
        target: Option<NodeId>,
        cx: &Context<'s>,
    ) -> Result<Option<Walk>, ExecError> {
        let Some(node) = self.node(self.spec.from, row) else { return Ok(None) };
        if self.spec.into.is_some() && target.is_none() {
            return Ok(None);
        }
        Ok(Some(match self.spec.mode {
            VarExtendMode::Trails => {
                let stack = if self.spec.max == 0 {
                    Vec::new()
                } else {
                    vec![Frame { candidates: self.candidates(node, row, cx)?, next: 0 }]
                };
                Walk::Trails { stack, path: Vec::new(), start: (self.spec.min == 0).then_some(node) }
            }
            VarExtendMode::Reachable => Walk::Found(self.reach(node, row, target, cx)?),
            VarExtendMode::Shortest(kind) => Walk::Found(self.shortest(node, row, target, kind, cx)?),
        }))
    }

    /// Each node reached by at least `min` (0 or 1) and at most `max` edges, once.
    fn reach(
        &mut self,
        start: NodeId,
        row: u32,
        target: Option<NodeId>,
        cx: &Context<'s>,
    ) -> Result<VecDeque<(NodeId, Vec<EdgeId>)>, ExecError> {
        let mut found = VecDeque::new();
        let mut seen: FxHashMap<NodeId, ()> = FxHashMap::default();
        let mut frontier = vec![start];
        if self.spec.min == 0 {
            seen.insert(start, ());
            if self.ends_well(start, target) {
                found.push_back((start, Vec::new()));
            }
        }
        let mut depth = 0;
        while !frontier.is_empty() && depth < self.spec.max {
            cx.check()?;
            depth += 1;
            let mut next = Vec::new();
            for node in frontier {
                for (_, neighbour) in self.candidates(node, row, cx)? {
                    if seen.insert(neighbour, ()).is_none() {
                        next.push(neighbour);
                        if self.ends_well(neighbour, target) {
                            found.push_back((neighbour, Vec::new()));
                        }
                    }
                }
            }
            frontier = next;
        }
        Ok(found)
    }

    /// Shortest paths from `start` to `target`, or to every node where there is no target.
    fn shortest(
        &mut self,
        start: NodeId,
        row: u32,
        target: Option<NodeId>,
        kind: ShortestKind,
        cx: &Context<'s>,
    ) -> Result<VecDeque<(NodeId, Vec<EdgeId>)>, ExecError> {
        let mut found = VecDeque::new();
        // Distance of each node seen, and the edges by which it is reached on shortest paths.
        let mut seen: Seen = FxHashMap::default();
        seen.insert(start, (0, Vec::new()));
        if self.spec.min == 0 && self.ends_well(start, target) {
            found.push_back((start, Vec::new()));
            if target.is_some() {
                return Ok(found);
            }
        }
        let mut frontier = vec![start];
        let mut depth = 0;
        while !frontier.is_empty() && depth < self.spec.max {
            cx.check()?;
            depth += 1;
            let mut next = Vec::new();
            for node in frontier {
                for (edge, neighbour) in self.candidates(node, row, cx)? {
                    match seen.get_mut(&neighbour) {
                        None => {
                            seen.insert(neighbour, (depth, vec![(edge, node)]));
                            next.push(neighbour);
                        }
                        Some((at, parents)) if *at == depth && kind == ShortestKind::All => {
                            parents.push((edge, node))
                        }
                        Some(_) => {}
                    }
                }
            }
            for node in &next {
                if self.ends_well(*node, target) && depth >= self.spec.min {
                    trace(&seen, *node, start, &mut Vec::new(), &mut |path| found.push_back((*node, path)));
                }
            }
            if target.is_some_and(|t| seen.contains_key(&t)) {
                break;
            }
            frontier = next;
        }
        Ok(found)
    }

    /// The next end of the walk from `row`, with its edges.
    fn step(
        &mut self,
        row: u32,
        target: Option<NodeId>,
        cx: &Context<'s>,
    ) -> Result<Option<(NodeId, Vec<EdgeId>)>, ExecError> {
        let Some(walk) = self.walk.take() else { return Ok(None) };
        let (mut stack, mut path, start) = match walk {
            Walk::Found(mut found) => {
                let next = found.pop_front();
                self.walk = Some(Walk::Found(found));
                return Ok(next);
            }
            Walk::Trails { stack, path, start } => (stack, path, start),
        };
        if let Some(node) = start
            && self.ends_well(node, target)
        {
            self.walk = Some(Walk::Trails { stack, path, start: None });
            return Ok(Some((node, Vec::new())));
        }
        let mut looked = 0usize;
        while let Some(top) = stack.last_mut() {
            looked += 1;
            if looked.is_multiple_of(1024) {
                cx.check()?;
            }
            let Some((edge, node)) = top.candidates.get(top.next).copied() else {
                stack.pop();
                path.pop();
                continue;
            };
            top.next += 1;
            if path.contains(&edge) {
                continue;
            }
            path.push(edge);
            let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
            let found =
                (length >= self.spec.min && self.ends_well(node, target)).then(|| (node, path.clone()));
            if length < self.spec.max {
                stack.push(Frame { candidates: self.candidates(node, row, cx)?, next: 0 });
            } else {
                path.pop();
            }
            if found.is_some() {
                self.walk = Some(Walk::Trails { stack, path, start: None });
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// All ways back from `node` to `start`, as edges from the start on.
fn trace(
    seen: &Seen,
    node: NodeId,
    start: NodeId,
    tail: &mut Vec<EdgeId>,
    give: &mut dyn FnMut(Vec<EdgeId>),
) {
    if node == start {
        give(tail.iter().rev().copied().collect());
        return;
    }
    for (edge, parent) in seen.get(&node).map_or(&[][..], |(_, parents)| parents) {
        tail.push(*edge);
        trace(seen, *parent, start, tail, give);
        tail.pop();
    }
}

impl<'s> Operator<'s> for VarExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size;
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                self.inner.groups[0].flat = None;
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                self.cursor = 0;
                self.walk = None;
            }
            let (mut parents, mut nodes, mut lists) = (Vec::new(), Vec::new(), Vec::new());
            while self.cursor < self.rest.len() && nodes.len() < room {
                let row = self.rest[self.cursor];
                let target = self.spec.into.and_then(|slot| self.node(slot, row));
                if self.walk.is_none() {
                    self.walk = self.start(row, target, cx)?;
                }
                match self.step(row, target, cx)? {
                    Some((node, edges)) => {
                        parents.push(row);
                        nodes.push(node);
                        if self.spec.want_edges {
                            let mut list: Vec<Value> = edges.into_iter().map(|e| cx.edge_value(e)).collect();
                            if self.spec.reversed {
                                list.reverse();
                            }
                            lists.push(Value::list(list));
                        }
                    }
                    None => {
                        self.walk = None;
                        self.cursor += 1;
                    }
                }
            }
            if nodes.is_empty() {
                continue;
            }
            let group = &self.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(nodes.len());
            repeat(group, &self.spec.keep, &parents, out);
            let mut next = self.spec.keep.len();
            if self.spec.into.is_none() {
                out.vectors[next] = Vector::new(Values::Node(Nodes::Ids { table: None, ids: nodes }));
                next += 1;
            }
            if self.spec.want_edges {
                out.vectors[next] = Vector::new(Values::Any(lists));
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        self.cursor = 0;
        self.walk = None;
    }

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), Arc::clone(&self.spec)))
    }
}
