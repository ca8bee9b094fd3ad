//! Shortest paths between two nodes that meet a condition on the whole: paths of one length after the other,
//! from the shortest there are, until some of a length meet it. In order of length: until the operator that
//! takes the shortest has some, where the condition takes subqueries and is asked above.
//!
//! 1. Distances to the target are found breadth first, backwards. A walk goes on only where what is left of
//!    its length suffices.
//! 2. Trails of the length are tried depth first; the condition is asked of each that ends at the target.
//! 3. The search ends with the length that has answers, or where no walk was cut off for its length: longer
//!    ones would find nothing new. In order, answers are given before the next length is begun.
//!
//! Memory is that of the distances and of one walk, however many paths there are. How many are tried has no
//! bound but their number.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_algebra::{ShortestKind, VarExtendMode};
use trimorph_base::{EdgeId, NodeId};

use super::answers::Answers;
use super::stack::Stack;
use super::steps::{Candidates, Steps};
use crate::charge::Charge;
use crate::ops::Settled;
use crate::ops::resolved::Resolved;
use crate::{Context, ExecError};

/// The state of the search for one row.
#[derive(Default)]
pub(super) struct Constrained {
    /// The target, and how far nodes are from it.
    target: Option<NodeId>,
    distances: FxHashMap<NodeId, u32>,
    distances_held: Charge,
    /// The node walked from, and the length walked now.
    from: Option<NodeId>,
    length: u32,
    frames: Vec<Frame>,
    frames_held: Charge,
    path: Stack<EdgeId>,
    candidates: Candidates,
    /// Whether the walk of no edges is still to be tried.
    at_start: bool,
    /// Whether a walk of this length was cut off, and whether one met the condition.
    is_cut: bool,
    is_found: bool,
}

/// The edges of one node. They end where the arena ends while the frame is on top.
struct Frame {
    from: usize,
    next: usize,
}

impl Constrained {
    /// Starts the search for paths from `node` to `target`; `back` takes steps against their direction.
    pub(super) fn start<'r, 's>(
        &mut self,
        (row, node): (u32, NodeId),
        target: NodeId,
        back: &mut Steps<'s>,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<(), ExecError> {
        if self.target != Some(target) {
            self.measure(row, target, back, cx)?;
        }
        self.from = None;
        let Some(distance) = self.distances.get(&node) else { return Ok(()) };
        // A shortest path never comes back to where it started.
        if *distance < steps.spec.min || *distance > steps.spec.max {
            return Ok(());
        }
        self.from = Some(node);
        self.begin(*distance, row, steps, resolved, cx)
    }

    /// Distances of all nodes to `target`.
    fn measure<'s>(
        &mut self,
        row: u32,
        target: NodeId,
        back: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        *self = Self { target: Some(target), ..Self::default() };
        let (mut level, mut next, mut distance) = (vec![target], Vec::new(), 0);
        let spec = Arc::clone(&back.spec);
        let mut resolved = Resolved::new(&spec.step);
        let mut held = Charge::default();
        self.distances_held.room_in_map(&mut self.distances, cx)?;
        self.distances.insert(target, 0);
        while !level.is_empty() && distance < back.spec.max {
            distance += 1;
            for node in level.drain(..) {
                self.candidates.truncate(0);
                back.candidates(node, row, &mut resolved, cx, &mut self.candidates)?;
                for reached in &self.candidates.nodes {
                    self.distances_held.room_in_map(&mut self.distances, cx)?;
                    if let std::collections::hash_map::Entry::Vacant(place) = self.distances.entry(*reached) {
                        place.insert(distance);
                        held.room(&mut next, 1, cx)?;
                        next.push(*reached);
                    }
                }
            }
            std::mem::swap(&mut level, &mut next);
        }
        Ok(())
    }

    /// Starts with walks of `length` edges.
    fn begin<'r, 's>(
        &mut self,
        length: u32,
        row: u32,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<(), ExecError> {
        self.frames.clear();
        self.path.clear();
        self.candidates.truncate(0);
        (self.length, self.at_start, self.is_cut, self.is_found) = (length, length == 0, false, false);
        match self.from {
            Some(node) if length > 0 => self.push(node, row, steps, resolved, cx),
            _ => Ok(()),
        }
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
        self.frames_held.room(&mut self.frames, 1, cx)?;
        self.frames.push(Frame { from, next: from });
        Ok(())
    }

    /// Gives paths until the answers are full; `true` when these were all.
    pub(super) fn fill<'r, 's>(
        &mut self,
        (row, room): (u32, usize),
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        settled: &Settled,
        answers: &mut Answers,
        cx: &'r Context<'s>,
    ) -> Result<bool, ExecError> {
        let (Some(target), Some(_)) = (self.target, self.from) else { return Ok(true) };
        let one = steps.spec.mode == VarExtendMode::Shortest(ShortestKind::One);
        let ordered = steps.spec.mode == VarExtendMode::Shortest(ShortestKind::Ordered);
        while !answers.is_full(room) {
            let ended = std::mem::take(&mut self.at_start) || self.walk_on(row, steps, resolved, cx)?;
            if ended {
                self.is_cut = true;
                let path = self.path.as_slice();
                if steps.meets(path, row, cx)? {
                    answers.push(target, path.iter().copied(), steps, cx)?;
                    self.is_found = true;
                }
                if self.length > 0 {
                    self.path.pop(None);
                }
            } else if ordered && !answers.nodes.is_empty() {
                answers.closed = true;
                return Ok(false);
            } else if (if ordered { settled.is_set() } else { self.is_found })
                || !self.is_cut
                || self.length == steps.spec.max
            {
                return Ok(true);
            } else {
                self.begin(self.length + 1, row, steps, resolved, cx)?;
            }
            if self.is_found && one {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Walks to the next trail of the length that ends at the target; `false` when there is none. Its last
    /// edge is on the path.
    fn walk_on<'r, 's>(
        &mut self,
        row: u32,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<bool, ExecError> {
        while let Some(top) = self.frames.last_mut() {
            steps.look(1, cx)?;
            let at = top.next;
            let Some(node) = self.candidates.nodes.get(at).copied() else {
                self.candidates.truncate(top.from);
                self.frames.pop();
                if !self.frames.is_empty() {
                    self.path.pop(None);
                }
                continue;
            };
            top.next += 1;
            let edge = self.candidates.edges[at];
            let left = self.length - u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
            match self.distances.get(&node) {
                // The target is not reached from there.
                None => continue,
                Some(distance) if *distance > left => {
                    self.is_cut = true;
                    continue;
                }
                Some(_) => {}
            }
            if self.path.place(edge).is_some() {
                continue;
            }
            self.path.push(edge, cx)?;
            if left == 0 {
                return Ok(true);
            }
            self.push(node, row, steps, resolved, cx)?;
        }
        Ok(false)
    }
}
