//! Variable-length extend: all trails of a length range, each node reachable once, or shortest paths, from
//! each row's node.
//!
//! Trails, and what is reached where each node is reached by one way, go level by level for many rows at
//! once where they are short and few (`levels.rs`), else depth first (`trails.rs`), so that a LIMIT above
//! stops the walk; reachability and shortest paths breadth first with a set of nodes seen (`breadth.rs`),
//! level by level. They ask [`Steps`] for the edges of a node, and charge their arenas to the budget.

mod along;
mod answers;
mod breadth;
mod constrained;
mod levels;
mod spec;
mod stack;
mod steps;
mod trails;

use std::sync::Arc;

use trimorph_algebra::VarExtendMode;
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use crate::charge::Charge;
use crate::operator::{BoxOperator, Operator};
use crate::ops::Settled;
use crate::ops::resolved::Resolved;
use crate::rows::repeat;
use crate::{Context, ExecError};
use answers::Answers;
use breadth::Breadth;
use constrained::Constrained;
use levels::Levels;
use steps::Steps;
use trails::Trails;

pub(crate) use spec::VarSpec;

/// Variable-length extend over rows of one group.
pub(crate) struct VarExtend<'s> {
    child: BoxOperator<'s>,
    steps: Steps<'s>,
    rest: Vec<u32>,
    cursor: usize,
    /// Whether the walk from the row at the cursor has begun.
    walking: bool,
    trails: Trails,
    /// Where trails are of the kind that is walked so.
    levels: Option<Levels>,
    breadth: Breadth,
    constrained: Constrained,
    /// Whether a search in order of length has found enough.
    settled: Settled,
    /// Steps against their direction, where the search asks for them.
    back: Option<Steps<'s>>,
    /// Holds the lists given last.
    lists: Charge,
}

impl<'s> VarExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<VarSpec>, settled: Settled) -> Self {
        Self {
            child,
            settled,
            constrained: Constrained::default(),
            back: spec.back.as_ref().map(|back| Steps::new(Arc::clone(back))),
            levels: Levels::fits(&spec).then(Levels::new),
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
    fn fill<'r>(
        &mut self,
        row: u32,
        room: usize,
        resolved: &mut Resolved<'r, 's>,
        answers: &mut Answers,
        cx: &'r Context<'s>,
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
                self.constrained.start((row, node), target, back, steps, resolved, cx)?;
                self.walking = true;
            }
        }
        if self.back.is_some() {
            return self.constrained.fill((row, room), steps, resolved, &self.settled, answers, cx);
        }
        if !self.walking {
            if depth_first {
                self.trails.start(node, row, steps, resolved, cx)?;
            } else if target.is_none() || !self.breadth.continues(node, steps) {
                self.breadth.start(node, steps, cx)?;
            }
            self.walking = true;
        }
        match target {
            _ if depth_first => self.trails.fill(row, (target, room), steps, resolved, answers, cx),
            Some(target) => self.breadth.find(row, target, room, steps, answers, cx),
            None => self.breadth.fill(row, room, steps, answers, cx),
        }
    }

    /// Gives what a batch found for the row at the cursor, if it was walked with others; `false` if it is to
    /// be walked by itself.
    fn fill_of_batch<'r>(
        &mut self,
        resolved: &mut Resolved<'r, 's>,
        answers: &mut Answers,
        cx: &'r Context<'s>,
    ) -> Result<bool, ExecError> {
        let Some(levels) = self.levels.as_mut().filter(|_| !self.walking) else { return Ok(false) };
        if levels.give(answers, &mut self.steps, cx)? {
            return Ok(true);
        }
        if levels.leaves_row() {
            return Ok(false);
        }
        let from =
            std::mem::replace(&mut self.steps.inner.groups[0].vectors[self.steps.spec.from], Vector::empty());
        let starts = self.rest[self.cursor..].iter().map(|row| from.node(*row as usize));
        let walked = levels.walk(starts, self.rest[self.cursor], &mut self.steps, resolved, cx);
        self.steps.inner.groups[0].vectors[self.steps.spec.from] = from;
        Ok(walked? > 0 && levels.give(answers, &mut self.steps, cx)?)
    }
}

impl<'s> Operator<'s> for VarExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let room = cx.settings.vector_size;
        let spec = Arc::clone(&self.steps.spec);
        let mut resolved = Resolved::new(&spec.step);
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
            let mut answers = Answers::holding(std::mem::take(&mut self.lists));
            while self.cursor < self.rest.len() && !answers.is_full(room) {
                let row = self.rest[self.cursor];
                if self.fill_of_batch(&mut resolved, &mut answers, cx)?
                    || self.fill(row, room, &mut resolved, &mut answers, cx)?
                {
                    self.walking = false;
                    self.cursor += 1;
                }
                parents.resize(answers.nodes.len(), row);
            }
            let lists = answers.take_lists();
            let Answers { nodes, held, .. } = answers;
            self.lists = held;
            if nodes.is_empty() {
                continue;
            }
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
                out.vectors[next] = lists;
            }
            return Ok(true);
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.rest.clear();
        self.cursor = 0;
        self.walking = false;
        self.levels.iter_mut().for_each(Levels::clear);
    }
}
