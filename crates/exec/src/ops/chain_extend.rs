//! Chain extend: variable length along edges of which each node has one at most (replies to their posts,
//! parts to the whole). A walk has no branches: it is a loop, without a stack, and every node on it is an
//! answer once.
//!
//! A trail takes no edge twice. In one direction an edge is taken twice only where a node is left twice: the
//! walk stops there. (Without direction a walk could go back over the edge it came by.) A walk that comes to
//! a node without an edge has left none twice, since each node leads to one other: what was left is looked
//! through only where a walk is stopped by its length.
//!
//! Source: GF-CL §6.2 (column extend), repeated.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trimorph_algebra::VarExtendMode;
use trimorph_base::NodeId;
use trimorph_store::neighbours::Neighbours;
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use super::var_extend::VarSpec;
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Steps of a walk before the nodes it left are hashed.
const SHORT: usize = 16;

/// Chain extend over rows of one group.
pub(crate) struct ChainExtend<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<VarSpec>,
    rest: Vec<u32>,
    cursor: usize,
}

/// The one edge of each node, and where walks may end, by node table.
struct Chain<'a, 's> {
    edges: Vec<Option<Neighbours<'a, 's>>>,
    ends: Vec<bool>,
    min: u32,
    max: u32,
    /// Whether a node is an answer once, however often the walk comes to it.
    once: bool,
}

impl<'a, 's> Chain<'a, 's> {
    fn new(spec: &VarSpec, cx: &'a Context<'s>) -> Self {
        let tables = &spec.step.by_table;
        let edges = tables.iter().map(|refs| Some(refs.first()?.neighbours(&cx.reader)));
        let wanted = |t: usize| spec.to_tables.as_ref().is_none_or(|ts| ts.iter().any(|x| x.0 as usize == t));
        let ends = (0..tables.len()).map(wanted).collect();
        let once = spec.mode == VarExtendMode::Reachable;
        Self { edges: edges.collect(), ends, min: spec.min, max: spec.max, once }
    }

    #[inline(always)]
    fn next(&self, node: NodeId) -> Option<NodeId> {
        self.edges.get(node.table().0 as usize)?.as_ref()?.single(node)
    }

    #[inline]
    fn is_end(&self, node: NodeId, depth: u32) -> bool {
        depth >= self.min && self.ends.get(node.table().0 as usize).copied().unwrap_or(false)
    }

    /// Walks from one node; all its answers go to `nodes`.
    #[inline]
    fn walk(&self, start: NodeId, nodes: &mut Vec<NodeId>, cx: &Context<'_>) -> Result<(), ExecError> {
        let before = nodes.len();
        let mut left = [start; SHORT];
        let (mut node, mut depth) = (start, 0);
        while let Some(place) = left.get_mut(depth as usize) {
            if self.is_end(node, depth) {
                nodes.push(node);
            }
            let stopped = depth == self.max;
            *place = node;
            match if stopped { None } else { self.next(node) } {
                Some(next) => (node, depth) = (next, depth + 1),
                // The node it was stopped at is not left, but where nodes are answers once it may be one.
                None if stopped && repeats(&left[..depth as usize + usize::from(self.once)]) => break,
                None => return Ok(()),
            }
        }
        nodes.truncate(before);
        self.walk_far(start, nodes, cx)
    }

    /// As `walk`, asking of each node whether it was left before.
    fn walk_far(&self, start: NodeId, nodes: &mut Vec<NodeId>, cx: &Context<'_>) -> Result<(), ExecError> {
        let mut left = FxHashSet::default();
        let (mut node, mut depth) = (start, 0u32);
        loop {
            let is_new = left.insert(node);
            // The start was no answer yet if one step is wanted at least.
            let is_first = is_new || node == start && self.min > 0;
            if self.is_end(node, depth) && (is_first || !self.once) {
                nodes.push(node);
            }
            if depth == self.max || !is_new {
                return Ok(());
            }
            let Some(next) = self.next(node) else { return Ok(()) };
            (node, depth) = (next, depth + 1);
            if depth.is_multiple_of(4096) {
                cx.check()?;
            }
        }
    }
}

/// Whether a node comes twice.
fn repeats(nodes: &[NodeId]) -> bool {
    nodes.iter().enumerate().any(|(i, node)| nodes[..i].contains(node))
}

impl<'s> ChainExtend<'s> {
    /// Whether a variable-length extend is such a walk.
    pub(crate) fn fits(spec: &VarSpec) -> bool {
        VarSpec::is_one_way(&spec.step)
            && matches!(spec.mode, VarExtendMode::Trails | VarExtendMode::Reachable)
            && spec.each.is_none()
            && spec.nodes.is_none()
            && spec.along.is_none()
            && !spec.want_edges
            && spec.into.is_none()
            && VarSpec::has_one_each(&spec.step)
    }

    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<VarSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self { child, inner, spec, rest: Vec::new(), cursor: 0 }
    }
}

impl<'s> Operator<'s> for ChainExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        loop {
            if self.cursor >= self.rest.len() {
                cx.check()?;
                if !self.child.next(&mut self.inner, cx)? {
                    return Ok(false);
                }
                self.rest = self.inner.groups[0].positions();
                self.cursor = 0;
            }
            let chain = Chain::new(&self.spec, cx);
            let starts = &self.inner.groups[0].vectors[self.spec.from];
            let (mut parents, mut nodes) = (Vec::new(), Vec::new());
            // A walk's answers stay together: at most as many as the walk is long.
            while self.cursor < self.rest.len() && nodes.len() < cx.settings.vector_size {
                let row = self.rest[self.cursor];
                self.cursor += 1;
                if let Some(start) = starts.node(row as usize) {
                    chain.walk(start, &mut nodes, cx)?;
                    parents.resize(nodes.len(), row);
                }
            }
            if nodes.is_empty() {
                continue;
            }
            let group = &self.inner.groups[0];
            let out = &mut chunk.groups[0];
            out.reset(nodes.len());
            repeat(group, &self.spec.keep, &parents, out);
            let table = match self.spec.to_tables.as_deref() {
                Some([table]) => Some(*table),
                _ => None,
            };
            out.vectors[self.spec.keep.len()] = Vector::new(Values::Node(Nodes::Ids { table, ids: nodes }));
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        self.cursor = 0;
    }
}
