//! Variable-length extend: all trails of a length range, each node reachable once, or shortest paths, from
//! each row's node.
//!
//! Trails go depth first (`trails.rs`), so that a LIMIT above stops the walk; reachability and shortest paths
//! breadth first with a set of nodes seen (`breadth.rs`), level by level. Both ask [`Steps`] for the edges of
//! a node. Both charge their arenas to the budget.

mod along;
mod breadth;
mod constrained;
mod stack;
mod steps;
mod trails;

use std::sync::Arc;

use trimorph_algebra::VarExtendMode;
use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_store::access::EdgeAccess;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use crate::charge::Charge;
use crate::expr::Ex;
use crate::operator::{BoxOperator, Operator};
use crate::ops::Settled;
use crate::rows::repeat;
use crate::{Context, ExecError};
use breadth::Breadth;
use constrained::Constrained;
use steps::Steps;
use trails::Trails;

/// What a variable-length extend does.
#[derive(Clone, Debug)]
pub(crate) struct VarSpec {
    pub(crate) step: Arc<EdgeAccess>,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) mode: VarExtendMode,
    /// Condition on each edge, compiled for the input's group 0 (flat) and the edge in slot 0 of group 1.
    pub(crate) each: Option<Ex>,
    /// Condition on each node, compiled for the same and the node in slot 1 of group 1.
    pub(crate) nodes: Option<Ex>,
    /// Condition on the whole of a shortest path to the node it must end at, compiled for the same and the
    /// list of edges in slot 0 of group 1.
    pub(crate) condition: Option<Ex>,
    /// With a condition on the whole, or in order of length: the steps against their direction.
    pub(crate) back: Option<Arc<VarSpec>>,
    /// The slot of the list of relationships that is walked along.
    pub(crate) along: Option<usize>,
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
    fn ends_well(&self, node: NodeId) -> bool {
        self.to_tables.as_ref().is_none_or(|ts| ts.contains(&node.table()))
    }
}

/// Edges that the lists of a batch hold before it is full: walks may be as long as the graph is large.
const BATCH_EDGES: usize = 1 << 16;

/// Variable-length extend over rows of one group.
pub(crate) struct VarExtend<'s> {
    child: BoxOperator<'s>,
    steps: Steps<'s>,
    rest: Vec<u32>,
    cursor: usize,
    /// Whether the walk from the row at the cursor has begun.
    walking: bool,
    trails: Trails,
    breadth: Breadth,
    constrained: Constrained,
    /// Whether a search in order of length has found enough.
    settled: Settled,
    /// Steps against their direction, where the search asks for them.
    back: Option<Steps<'s>>,
    /// Holds the lists given last.
    lists: Charge,
}

/// Ends of walks, with their edges where these are wanted.
#[derive(Default)]
struct Answers {
    nodes: Vec<NodeId>,
    lists: Vec<Value>,
    /// Edges in all lists.
    edges: usize,
    /// Whether no more may come before these were looked at.
    closed: bool,
    held: Charge,
}

impl Answers {
    #[inline]
    fn is_full(&self, room: usize) -> bool {
        self.closed || self.nodes.len() >= room || self.edges >= BATCH_EDGES
    }

    #[inline]
    fn push<'s>(
        &mut self,
        node: NodeId,
        path: impl ExactSizeIterator<Item = EdgeId>,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        self.nodes.push(node);
        if !steps.spec.want_edges {
            return Ok(());
        }
        self.edges += path.len();
        self.held.at_least(self.edges.saturating_mul(size_of::<Value>()), cx)?;
        let mut list = Vec::with_capacity(path.len());
        for edge in path {
            steps.look(1, cx)?;
            list.push(cx.edge_value(edge));
        }
        if steps.spec.reversed {
            list.reverse();
        }
        self.lists.push(Value::list(list));
        Ok(())
    }
}

impl<'s> VarExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<VarSpec>, settled: Settled) -> Self {
        Self {
            child,
            settled,
            constrained: Constrained::default(),
            back: spec.back.as_ref().map(|back| Steps::new(Arc::clone(back))),
            steps: Steps::new(spec),
            rest: Vec::new(),
            cursor: 0,
            walking: false,
            trails: Trails::default(),
            breadth: Breadth::default(),
            lists: Charge::default(),
        }
    }

    /// Goes on with the walk from `row` until the answers are full; `true` when it is at its end.
    fn fill(
        &mut self,
        row: u32,
        room: usize,
        answers: &mut Answers,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        let steps = &mut self.steps;
        let vectors = &steps.inner.groups[0].vectors;
        let Some(node) = vectors[steps.spec.from].node(row as usize) else { return Ok(true) };
        let target = match steps.spec.into {
            None => None,
            Some(slot) => match vectors[slot].node(row as usize) {
                None => return Ok(true),
                target => target,
            },
        };
        if let Some(slot) = steps.spec.along {
            let list = vectors[slot].value(row as usize, &|id| cx.edge_value(id));
            if steps.passes_node(node, row, cx)? {
                along::walk_along(&list, (row, node), target, steps, answers, cx)?;
            }
            return Ok(true);
        }
        let depth_first = steps.spec.mode == VarExtendMode::Trails;
        if !self.walking {
            if !steps.passes_node(node, row, cx)? {
                return Ok(true);
            }
            if let (Some(back), Some(target)) = (&mut self.back, target) {
                self.constrained.start((row, node), target, back, steps, cx)?;
                self.walking = true;
            }
        }
        if self.back.is_some() {
            return self.constrained.fill(row, room, steps, &self.settled, answers, cx);
        }
        if !self.walking {
            if depth_first {
                self.trails.start(node, row, steps, cx)?;
            } else if target.is_none() || !self.breadth.continues(node, steps) {
                self.breadth.start(node, steps, cx)?;
            }
            self.walking = true;
        }
        match target {
            _ if depth_first => self.trails.fill(row, target, room, steps, answers, cx),
            Some(target) => self.breadth.find(row, target, room, steps, answers, cx),
            None => self.breadth.fill(row, room, steps, answers, cx),
        }
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
            let mut parents = Vec::new();
            let mut answers = Answers { held: std::mem::take(&mut self.lists), ..Answers::default() };
            while self.cursor < self.rest.len() && !answers.is_full(room) {
                let row = self.rest[self.cursor];
                if self.fill(row, room, &mut answers, cx)? {
                    self.walking = false;
                    self.cursor += 1;
                }
                parents.resize(answers.nodes.len(), row);
            }
            let Answers { nodes, lists, held, .. } = answers;
            self.lists = held;
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
}
