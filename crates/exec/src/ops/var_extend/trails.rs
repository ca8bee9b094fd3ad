//! Trails from one node, depth first: no edge twice.
//!
//! All frames' candidates stand in one arena, each frame's behind its parent's: a step allocates nothing, memory is the depth times the
//! degree, and a walk stops where its caller has enough.
//!
//! An edge repeats only where a node is left again. Walks in one direction therefore look whether a node is on the path; only the lists
//! of such nodes are compared, by place: a node's candidates always come in the same order. Walks without direction meet an edge from
//! both of its ends and compare ids.

use trimorph_base::{EdgeId, NodeId};

use super::{Answers, Steps};
use crate::{Context, ExecError};

/// The state of the walk from one row.
#[derive(Default)]
pub(super) struct Trails {
    /// The node to give before the walk: the walk of no edges.
    start: Option<NodeId>,
    frames: Vec<Frame>,
    /// The node of each frame.
    left: Vec<NodeId>,
    /// Candidates of all frames; ids only where they are needed.
    nodes: Vec<NodeId>,
    edges: Vec<EdgeId>,
    /// The edges taken, where ids are needed.
    path: Vec<EdgeId>,
}

/// The edges of one node. They end where the arena ends while the frame is on top.
struct Frame {
    from: usize,
    next: usize,
    /// Whether a frame below has the same node.
    again: bool,
}

impl Trails {
    /// Starts from `node`.
    pub(super) fn start<'s>(
        &mut self,
        node: NodeId,
        row: u32,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        self.frames.clear();
        self.left.clear();
        self.nodes.clear();
        self.edges.clear();
        self.path.clear();
        self.start = (steps.spec.min == 0).then_some(node);
        if steps.spec.max > 0 { self.push(node, row, steps, cx) } else { Ok(()) }
    }

    fn push<'s>(
        &mut self,
        node: NodeId,
        row: u32,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let from = self.nodes.len();
        steps.candidates(node, row, cx, &mut self.nodes, &mut self.edges)?;
        let again = !steps.spec.needs_ids && self.left.contains(&node);
        self.frames.push(Frame { from, next: from, again });
        self.left.push(node);
        Ok(())
    }

    /// Whether the `at`-th candidate of the top frame was taken by a frame below.
    fn is_taken(&self, at: usize, by_id: bool) -> bool {
        if by_id {
            return self.path.contains(&self.edges[at]);
        }
        let Some((top, below)) = self.frames.split_last() else { return false };
        let node = self.left[below.len()];
        top.again
            && below.iter().zip(&self.left).any(|(f, n)| *n == node && f.next - f.from == at + 1 - top.from)
    }

    /// Walks until there are `room` answers; `true` when the walk is at its end.
    pub(super) fn fill<'s>(
        &mut self,
        row: u32,
        target: Option<NodeId>,
        room: usize,
        steps: &mut Steps<'s>,
        answers: &mut Answers,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        let (min, max, by_id) = (steps.spec.min, steps.spec.max, steps.spec.needs_ids);
        if let Some(node) = self.start.take()
            && steps.spec.ends_well(node, target)
        {
            answers.push(node, &[], &steps.spec, cx);
        }
        let mut looked = 0usize;
        while answers.nodes.len() < room {
            let Some(top) = self.frames.last_mut() else { return Ok(true) };
            looked += 1;
            if looked.is_multiple_of(1024) {
                cx.check()?;
            }
            let at = top.next;
            let Some(node) = self.nodes.get(at).copied() else {
                self.nodes.truncate(top.from);
                self.edges.truncate(top.from);
                self.frames.pop();
                self.left.pop();
                self.path.pop();
                continue;
            };
            if (by_id || top.again) && self.is_taken(at, by_id) {
                self.step_over();
                continue;
            }
            self.step_over();
            if by_id {
                self.path.push(self.edges[at]);
            }
            let length = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
            if length >= min && steps.spec.ends_well(node, target) {
                answers.push(node, &self.path, &steps.spec, cx);
            }
            if length < max {
                self.push(node, row, steps, cx)?;
            } else {
                self.path.pop();
            }
        }
        Ok(false)
    }

    fn step_over(&mut self) {
        if let Some(top) = self.frames.last_mut() {
            top.next += 1;
        }
    }
}
