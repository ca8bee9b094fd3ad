//! Chain extend: variable length along edges of which each node has one at most (replies to their posts, parts to the whole). A walk has
//! no branches: it is a loop, without a stack, and every node on it is an answer once.
//!
//! A trail takes no edge twice. In one direction an edge is taken twice only where a node is left twice: the walk stops there. (Without
//! direction a walk could go back over the edge it came by.)
//!
//! Source: GF-CL §6.2 (column extend), repeated.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trimorph_base::NodeId;
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use super::var_extend::VarSpec;
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Nodes left so far that are looked through one by one; a longer walk hashes them.
const SHORT: usize = 16;

/// Chain extend over rows of one group.
pub(crate) struct ChainExtend<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<VarSpec>,
    rest: Vec<u32>,
    cursor: usize,
    walk: Walk,
}

/// Nodes left on the walk so far.
#[derive(Default)]
struct Walk {
    few: Vec<NodeId>,
    many: FxHashSet<NodeId>,
}

impl Walk {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Notes that `node` is left; `false` if it was before.
    fn leave(&mut self, node: NodeId) -> bool {
        if self.few.len() < SHORT {
            let fresh = !self.few.contains(&node);
            self.few.push(node);
            return fresh;
        }
        if self.many.is_empty() {
            self.many.extend(&self.few);
        }
        self.many.insert(node)
    }
}

impl<'s> ChainExtend<'s> {
    /// Whether a variable-length extend is such a walk.
    pub(crate) fn fits(spec: &VarSpec) -> bool {
        let single = |refs: &Vec<trimorph_store::access::AdjacencyRef>| {
            refs.len() <= 1 && refs.iter().all(|r| r.single && !r.skip_loops)
        };
        VarSpec::is_one_way(&spec.step)
            && spec.mode == trimorph_algebra::VarExtendMode::Trails
            && spec.each.is_none()
            && !spec.want_edges
            && spec.into.is_none()
            && spec.step.by_table.iter().all(single)
    }

    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<VarSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        Self { child, inner, spec, rest: Vec::new(), cursor: 0, walk: Walk::default() }
    }

    /// Walks from one node; all its answers go to `nodes`.
    fn walk(&mut self, start: NodeId, nodes: &mut Vec<NodeId>, cx: &Context<'s>) -> Result<(), ExecError> {
        let (spec, walk) = (&self.spec, &mut self.walk);
        walk.clear();
        let (mut node, mut depth) = (start, 0);
        loop {
            if depth >= spec.min && spec.to_tables.as_ref().is_none_or(|ts| ts.contains(&node.table())) {
                nodes.push(node);
            }
            if depth == spec.max || !walk.leave(node) {
                return Ok(());
            }
            let Some(adjacency) = spec.step.by_table[node.table().0 as usize].first() else { return Ok(()) };
            let Some((next, _)) = adjacency.follow(&cx.reader, node, false) else { return Ok(()) };
            (node, depth) = (next, depth + 1);
            if depth.is_multiple_of(4096) {
                cx.check()?;
            }
        }
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
            let (mut parents, mut nodes) = (Vec::new(), Vec::new());
            // A walk's answers stay together: at most as many as the walk is long.
            while self.cursor < self.rest.len() && nodes.len() < cx.settings.vector_size {
                let row = self.rest[self.cursor];
                self.cursor += 1;
                if let Some(start) = self.inner.groups[0].vectors[self.spec.from].node(row as usize) {
                    self.walk(start, &mut nodes, cx)?;
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

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self::new(self.child.fork(), Arc::clone(&self.spec)))
    }
}
