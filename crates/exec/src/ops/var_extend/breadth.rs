//! Breadth first from one node: each node reachable once, or the shortest paths.
//!
//! 1. Nodes stand in one arena in the order they are reached, level after level; a map finds a node's place.
//! 2. Where paths are asked for, a node has links: the edges by which shortest paths reach it, each with the
//!    place of the node it comes from. One for `One`, a list of all for `All`.
//! 3. A level is walked when those before it have been given, and paths are read off the links one by one as
//!    they are asked for: memory is that of the nodes reached and of their links, however many paths there
//!    are.
//! 4. Where trails are asked for that may go both ways, a walk comes back to its start only if it left it by
//!    one edge and comes back by another. Each node has the edge by which the walk left the start for it, its
//!    branch; an edge between two branches closes a trail through the start, and the shortest such trail has
//!    one that is found so: its length is the distances of both nodes and one.
//! 5. A walk to a target stops where it has the target, and goes on from there when the next row wants
//!    another target from the same node: a product of starts and targets costs one walk a start.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trimorph_algebra::{ShortestKind, VarExtendMode};
use trimorph_base::{EdgeId, NodeId};

use super::answers::Answers;
use super::steps::{Candidates, Steps};
use crate::charge::Charge;
use crate::ops::resolved::Resolved;
use crate::{Context, ExecError};

/// No link: the start, and nodes to which no path is asked for.
const NONE: usize = usize::MAX;

struct Reached {
    node: NodeId,
    /// The first of the links.
    link: usize,
}

/// How a node was reached first.
struct Branch {
    /// Another one for each edge that leaves the start.
    first: usize,
    depth: u32,
}

struct Link {
    edge: EdgeId,
    /// The place of the node that the edge comes from.
    parent: usize,
    /// The next link of the same node.
    next: usize,
}

/// The state of the walk from one row.
#[derive(Default)]
pub(super) struct Breadth {
    reached: Vec<Reached>,
    links: Vec<Link>,
    /// Those of `reached`, where trails may go both ways.
    branches: Vec<Branch>,
    /// Whether a trail came back to the start.
    closed: bool,
    places: FxHashMap<NodeId, usize>,
    /// The node walked from.
    from: Option<NodeId>,
    /// The place of the next node to walk on from, the end of its level, and the level's distance from the
    /// start.
    level: usize,
    end: usize,
    depth: u32,
    /// How many of the nodes reached are done with.
    given: usize,
    /// The links of a path to the node after those, from its last edge to its first.
    path: Vec<usize>,
    /// Whether `path` is to be given next.
    pending: bool,
    candidates: Candidates,
    held: Charge,
    places_held: Charge,
}

impl Breadth {
    /// Starts a new walk from `node`.
    pub(super) fn start<'s>(
        &mut self,
        node: NodeId,
        steps: &Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        // What the last walk held is given back first.
        *self = Self { from: Some(node), ..Self::default() };
        self.held.room(&mut self.reached, 1, cx)?;
        self.reached.push(Reached { node, link: NONE });
        // Reachability by one edge or more may come back to the start; a shortest path never does.
        if steps.spec.min == 0 || steps.spec.mode != VarExtendMode::Reachable {
            self.places_held.room_in_map(&mut self.places, cx)?;
            self.places.insert(node, 0);
        }
        if steps.spec.mode == VarExtendMode::ReachableByTrail {
            self.held.room(&mut self.branches, 1, cx)?;
            self.branches.push(Branch { first: NONE, depth: 0 });
        }
        Ok(())
    }

    /// Whether a walk to a target from `node` may go on with what was reached for the row before. A condition
    /// on each edge may look at the row.
    pub(super) fn continues(&self, node: NodeId, steps: &Steps<'_>) -> bool {
        self.from == Some(node) && steps.spec.each.is_none() && steps.spec.nodes.is_none()
    }

    /// Walks until `target` is reached and gives the paths to it, until the answers are full; `true` when
    /// these were all.
    pub(super) fn find<'s>(
        &mut self,
        row: u32,
        target: NodeId,
        room: usize,
        steps: &mut Steps<'s>,
        answers: &mut Answers,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        if steps.spec.mode == VarExtendMode::ReachableByTrail && self.from == Some(target) {
            while !self.closed && !self.is_at_end(steps) {
                self.walk_level(row, None, steps, cx)?;
            }
            return self.give_start(room, steps, answers, cx);
        }
        let place = loop {
            if let Some(place) = self.places.get(&target) {
                break *place;
            }
            if self.is_at_end(steps) {
                return Ok(true);
            }
            self.walk_level(row, Some(target), steps, cx)?;
        };
        if !self.pending {
            self.trace(self.reached[place].link, steps, cx)?;
            let is_path = matches!(steps.spec.mode, VarExtendMode::Shortest(_));
            if is_path && self.path.len() < steps.spec.min as usize || !steps.spec.ends_well(target) {
                self.path.clear();
                return Ok(true);
            }
            self.pending = true;
        }
        while self.pending {
            if answers.is_full(room) {
                return Ok(false);
            }
            let links = &self.links;
            answers.push(target, self.path.iter().rev().map(|l| links[*l].edge), steps, cx)?;
            self.pending = self.turn(steps, cx)?;
        }
        Ok(true)
    }

    /// Whether there is no other node to reach.
    fn is_at_end(&self, steps: &Steps<'_>) -> bool {
        self.level == self.reached.len() || (self.level == self.end && self.depth == steps.spec.max)
    }

    /// Walks to all nodes until the answers are full; `true` when the walk is at its end.
    pub(super) fn fill<'s>(
        &mut self,
        row: u32,
        room: usize,
        steps: &mut Steps<'s>,
        answers: &mut Answers,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        loop {
            while let Some(Reached { node, link }) = self.reached.get(self.given) {
                let (node, link) = (*node, *link);
                if !self.pending {
                    steps.look(1, cx)?;
                    if self.depth < steps.spec.min || !steps.spec.ends_well(node) {
                        self.given += 1;
                        continue;
                    }
                    self.pending = true;
                    self.trace(link, steps, cx)?;
                }
                if answers.is_full(room) {
                    return Ok(false);
                }
                let links = &self.links;
                answers.push(node, self.path.iter().rev().map(|l| links[*l].edge), steps, cx)?;
                self.pending = self.turn(steps, cx)?;
                self.given += usize::from(!self.pending);
            }
            if self.is_at_end(steps) {
                return self.give_start(room, steps, answers, cx);
            }
            self.walk_level(row, None, steps, cx)?;
        }
    }

    /// Gives the start if a trail came back to it; `false` where there is no room for it.
    fn give_start<'s>(
        &mut self,
        room: usize,
        steps: &mut Steps<'s>,
        answers: &mut Answers,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        if let Some(start) = self.from.filter(|start| self.closed && steps.spec.ends_well(*start)) {
            if answers.is_full(room) {
                return Ok(false);
            }
            answers.push(start, std::iter::empty(), steps, cx)?;
        }
        Ok(true)
    }

    /// Notes the branch of a node that was reached from `parent`: one that is new, or was at `place` before.
    fn branch<'s>(
        &mut self,
        parent: usize,
        place: Option<usize>,
        max: u32,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let Some(from) = self.branches.get(parent) else { return Ok(()) };
        let Some(place) = place else {
            let first = if parent == 0 { self.branches.len() } else { from.first };
            self.held.room(&mut self.branches, 1, cx)?;
            self.branches.push(Branch { first, depth: self.depth + 1 });
            return Ok(());
        };
        let length = match (parent, place) {
            // A loop at the start; a second edge from there to a node.
            (0, 0) => 1,
            (0, _) => 2,
            // Back by the edge it came by: if by another, that was seen at the start.
            (_, 0) => return Ok(()),
            _ if self.branches[place].first == from.first => return Ok(()),
            _ => from.depth.saturating_add(self.branches[place].depth).saturating_add(1),
        };
        self.closed |= length <= max;
        Ok(())
    }

    /// Reaches the nodes that are one edge behind the last level, or some with the target if it needs no
    /// other path; then the next call goes on with the level.
    fn walk_level<'s>(
        &mut self,
        row: u32,
        target: Option<NodeId>,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let all = steps.spec.mode == VarExtendMode::Shortest(ShortestKind::All);
        if self.level == self.end {
            self.end = self.reached.len();
        }
        let end = self.end;
        let linked = matches!(steps.spec.mode, VarExtendMode::Shortest(_));
        let by_trail = steps.spec.mode == VarExtendMode::ReachableByTrail;
        let spec = Arc::clone(&steps.spec);
        let mut resolved = Resolved::new(&spec.step);
        for parent in self.level..end {
            self.candidates.truncate(0);
            steps.candidates(self.reached[parent].node, row, &mut resolved, cx, &mut self.candidates)?;
            for i in 0..self.candidates.nodes.len() {
                steps.look(1, cx)?;
                let node = self.candidates.nodes[i];
                self.places_held.room_in_map(&mut self.places, cx)?;
                let link = if linked { self.links.len() } else { NONE };
                if by_trail {
                    let place = self.places.get(&node).copied();
                    self.branch(parent, place, steps.spec.max, cx)?;
                }
                let next = match self.places.entry(node) {
                    Entry::Vacant(place) => {
                        place.insert(self.reached.len());
                        self.held.room(&mut self.reached, 1, cx)?;
                        self.reached.push(Reached { node, link });
                        NONE
                    }
                    // The first link stays the first, so that the first path is that of `One`.
                    Entry::Occupied(place) if all && *place.get() >= end => {
                        let first = self.reached[*place.get()].link;
                        std::mem::replace(&mut self.links[first].next, link)
                    }
                    Entry::Occupied(_) => continue,
                };
                if linked {
                    self.held.room(&mut self.links, 1, cx)?;
                    self.links.push(Link { edge: self.candidates.edges[i], parent, next });
                }
                // A node that is looked at again would seem to close a trail.
                if !all && !by_trail && target == Some(node) {
                    // Looked at again, this node gives the others; those it gave are known.
                    self.level = parent;
                    return Ok(());
                }
            }
        }
        self.level = end;
        self.depth += 1;
        Ok(())
    }

    /// Goes on with the path from `link`, by first links, to the start.
    fn trace<'s>(
        &mut self,
        mut link: usize,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        while let Some(Link { parent, .. }) = self.links.get(link) {
            steps.look(1, cx)?;
            self.held.room(&mut self.path, 1, cx)?;
            self.path.push(link);
            link = self.reached[*parent].link;
        }
        Ok(())
    }

    /// Turns to the next path to the same node: back from the start to the first link that has another after
    /// it, and by that one to the start again. `false` where there is no other path.
    fn turn<'s>(&mut self, steps: &mut Steps<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while let Some(link) = self.path.pop() {
            steps.look(1, cx)?;
            let next = self.links[link].next;
            if next != NONE {
                self.trace(next, steps, cx)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
