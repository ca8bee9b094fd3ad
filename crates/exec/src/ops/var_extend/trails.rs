//! Trails from one node, depth first: no edge twice.
//!
//! All frames' candidates stand in one arena, each frame's behind its parent's: a step allocates nothing,
//! memory is the depth times the degree, and a walk stops where its caller has enough.
//!
//! An edge repeats only where a node is left again. Walks in one direction therefore look whether a node is
//! on the path; only the lists of such nodes are compared, by place: a node's candidates always come in the
//! same order. Walks without direction meet an edge from both of its ends and compare ids.

use trimorph_base::{EdgeId, NodeId};

use super::answers::Answers;
use super::stack::Stack;
use super::steps::{Candidates, Steps};
use crate::charge::Charge;
use crate::ops::resolved::Resolved;
use crate::{Context, ExecError};

/// The state of the walk from one row.
#[derive(Default)]
pub(super) struct Trails {
    /// The node to give before the walk: the walk of no edges.
    start: Option<NodeId>,
    frames: Vec<Frame>,
    held: Charge,
    /// The node of each frame, where ids are not needed.
    left: Stack<NodeId>,
    /// The edges taken, where ids are needed.
    path: Stack<EdgeId>,
    /// Candidates of all frames.
    candidates: Candidates,
}

/// The edges of one node. They end where the arena ends while the frame is on top.
struct Frame {
    from: usize,
    next: usize,
    /// The nearest frame below that has the same node, where ids are not needed.
    same: Option<usize>,
}

impl Trails {
    /// Starts from `node`.
    pub(super) fn start<'r, 's>(
        &mut self,
        node: NodeId,
        row: u32,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<(), ExecError> {
        self.frames.clear();
        self.left.clear();
        self.path.clear();
        self.candidates.truncate(0);
        self.start = (steps.spec.min == 0).then_some(node);
        if steps.spec.max > 0 { self.push(node, row, steps, resolved, cx) } else { Ok(()) }
    }

    fn push<'r, 's>(
        &mut self,
        node: NodeId,
        row: u32,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<(), ExecError> {
        let from = self.candidates.nodes.len();
        steps.candidates(node, row, resolved, cx, &mut self.candidates)?;
        let mut same = None;
        if !steps.spec.needs_ids {
            same = self.left.place(node);
            self.left.push(node, cx)?;
        }
        self.held.room(&mut self.frames, 1, cx)?;
        self.frames.push(Frame { from, next: from, same });
        Ok(())
    }

    /// Takes the top frame off, and the edge that led to it.
    fn pop(&mut self, by_id: bool) {
        let Some(top) = self.frames.pop() else { return };
        self.candidates.truncate(top.from);
        if by_id {
            self.path.pop(None);
        } else {
            self.left.pop(top.same);
        }
    }

    /// Whether a frame below took the edge at this place of the list of the node that it has in common with
    /// the frame after it.
    fn is_taken<'s>(
        &self,
        place: usize,
        mut same: Option<usize>,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        while let Some(frame) = same.and_then(|at| self.frames.get(at)) {
            steps.look(1, cx)?;
            if frame.next - frame.from == place + 1 {
                return Ok(true);
            }
            same = frame.same;
        }
        Ok(false)
    }

    /// Walks until the answers are full; `true` when the walk is at its end.
    pub(super) fn fill<'r, 's>(
        &mut self,
        row: u32,
        (target, room): (Option<NodeId>, usize),
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        answers: &mut Answers,
        cx: &'r Context<'s>,
    ) -> Result<bool, ExecError> {
        let (min, max, by_id) = (steps.spec.min, steps.spec.max, steps.spec.needs_ids);
        if let Some(node) = self.start.take()
            && target.is_none_or(|t| t == node)
            && steps.spec.ends_well(node)
        {
            answers.push(node, std::iter::empty(), steps, cx)?;
        }
        while !answers.is_full(room) {
            let Some(top) = self.frames.last_mut() else { return Ok(true) };
            steps.look(1, cx)?;
            let at = top.next;
            let Some(node) = self.candidates.nodes.get(at).copied() else {
                self.pop(by_id);
                continue;
            };
            top.next += 1;
            let (place, same) = (at - top.from, top.same);
            if by_id {
                let edge = self.candidates.edges[at];
                if self.path.place(edge).is_some() {
                    continue;
                }
                self.path.push(edge, cx)?;
            } else if same.is_some() && self.is_taken(place, same, steps, cx)? {
                continue;
            }
            let length = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
            if length >= min && target.is_none_or(|t| t == node) && steps.spec.ends_well(node) {
                answers.push(node, self.path.as_slice().iter().copied(), steps, cx)?;
            }
            if length < max {
                self.push(node, row, steps, resolved, cx)?;
            } else if by_id {
                self.path.pop(None);
            }
        }
        Ok(false)
    }
}
