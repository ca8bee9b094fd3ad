//! Trails from many rows at once, level by level: what is one edge behind a level is read for all its nodes
//! before the next, where the trails of `trails.rs` go back and forth for each edge.
//!
//! 1. A batch of rows is walked to its end; what it found is given row by row, in their order.
//! 2. Where ids of edges are known an edge is compared with those before it on its trail. Where they are not,
//!    walks go in one direction, and an edge repeats only where a node comes twice on one trail: a node that
//!    is reached is compared with those before it, and the row of one that comes again is left to
//!    `trails.rs`.
//!    So are nodes that are reached, once each, where each has one edge at most that leads to it: a row whose
//!    walk comes back to a node on it is left to `breadth.rs`.
//! 3. What each edge or each node is asked is asked of a level at once, where it does not depend on the row.
//! 4. A row whose trails are long or many is left to `trails.rs`. Rows behind it are walked once more, later.
//! 5. Batches grow while they find little, so that a LIMIT above does not pay for what it does not need, and
//!    shrink where they find much.
//!
//! Invariant: a batch holds [`NODES_MAX`] nodes at most, whatever the graph.

use std::ops::Range;

use trimorph_algebra::VarExtendMode;
use trimorph_base::{EdgeId, NodeId};

use super::answers::Answers;
use super::spec::VarSpec;
use super::steps::Steps;
use crate::charge::Charge;
use crate::expr::{Ex, reads_group};
use crate::ops::resolved::Resolved;
use crate::{Context, ExecError};

/// Nodes of all levels of a batch: half a MiB.
const NODES_MAX: usize = 1 << 15;
/// Edges of a trail from which on it is left to `trails.rs`: there a node is found by hash.
const DEPTH_MAX: u32 = 64;
/// Rows of the first batch, and of one at most.
const ROWS_MIN: usize = 8;
const ROWS_MAX: usize = 1 << 10;
/// Rows that are left to `trails.rs` at most before a batch is tried again.
const PAUSE_MAX: usize = 1 << 16;

/// A batch.
pub(super) struct Levels {
    /// Rows of the next batch.
    rows: usize,
    /// Rows that `trails.rs` walks before there is one, and how many it was told of last.
    left: usize,
    pause: usize,
    /// Nodes of all levels, the first those walked from; the edge that led to each, where ids are needed; the
    /// place of the node before it, and the place of its row in the batch.
    nodes: Vec<NodeId>,
    edges: Vec<EdgeId>,
    parents: Vec<u32>,
    owners: Vec<u32>,
    /// Where the ends of each row's walks begin among `ends`; how many rows were walked, and how many of them
    /// given. Beside the ends their places among the nodes, where lists of edges are wanted.
    starts: Vec<u32>,
    ends: Vec<NodeId>,
    places: Vec<u32>,
    done: usize,
    given: usize,
    held: Charge,
}

impl Levels {
    /// Whether walks are of the kind that is walked so.
    pub(super) fn fits(spec: &VarSpec) -> bool {
        let is_of_row = |condition: &Option<Ex>| condition.as_ref().is_some_and(|ex| reads_group(ex, 0));
        let is_free = spec.into.is_none() && spec.along.is_none() && spec.back.is_none();
        let is_trail = match spec.mode {
            VarExtendMode::Trails => true,
            // A trail that comes to no node twice.
            VarExtendMode::Reachable => spec.reached_once && spec.min <= 1,
            VarExtendMode::ReachableByTrail | VarExtendMode::Shortest(_) => false,
        };
        is_trail
            && is_free
            && spec.condition.is_none()
            && !is_of_row(&spec.each)
            && !is_of_row(&spec.nodes)
            && spec.max > 0
    }

    pub(super) fn new() -> Self {
        let (nodes, edges, parents, owners) = Default::default();
        let (starts, ends, places) = Default::default();
        let (left, pause, done, given, held) = (0, 0, 0, 0, Charge::default());
        Self {
            rows: ROWS_MIN,
            left,
            pause,
            nodes,
            edges,
            parents,
            owners,
            starts,
            ends,
            places,
            done,
            given,
            held,
        }
    }

    /// Whether the next row is left to `trails.rs`.
    pub(super) fn leaves_row(&mut self) -> bool {
        let leaves = self.left > 0;
        self.left -= usize::from(leaves);
        leaves
    }

    /// Walks from the first of `starts`, as many as a batch has; gives how many rows it was. None of them
    /// where the first is to be left to `trails.rs`. `row` is one of the rows.
    pub(super) fn walk<'r, 's>(
        &mut self,
        starts: impl Iterator<Item = Option<NodeId>>,
        row: u32,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<usize, ExecError> {
        let rows = self.begin(starts, row, steps, cx)?;
        let (min, max) = (steps.spec.min, steps.spec.max);
        // The first row that is not walked to its end here.
        let mut first_left = rows;
        let mut given_from = if min == 0 { 0 } else { usize::MAX };
        let (mut level, mut depth) = (0..self.nodes.len(), 0);
        while !level.is_empty() && depth < max {
            depth += 1;
            if depth == min {
                given_from = level.end;
            }
            self.step(level.clone(), depth, &mut first_left, steps, resolved, cx)?;
            let next = level.end;
            self.tell_apart(next, depth, &mut first_left, steps);
            if let Some(passes) =
                steps.passing_all(row, &self.nodes[next..], self.edges.get(next..).unwrap_or_default(), cx)?
            {
                self.keep(next, &passes);
            }
            level = next..self.nodes.len();
        }
        if steps.spec.want_edges {
            self.sort::<true>(first_left, given_from, steps, cx)?;
        } else {
            self.sort::<false>(first_left, given_from, steps, cx)?;
        }
        self.adapt(first_left, rows);
        Ok(first_left)
    }

    /// Takes in the first rows and the nodes that they start from; gives how many rows.
    fn begin<'s>(
        &mut self,
        starts: impl Iterator<Item = Option<NodeId>>,
        row: u32,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<usize, ExecError> {
        let by_id = steps.spec.needs_ids;
        let Self { nodes, edges, parents, owners, held, .. } = self;
        nodes.clear();
        edges.clear();
        parents.clear();
        owners.clear();
        for all in [&mut *parents, &mut *owners] {
            held.room(all, self.rows, cx)?;
        }
        held.room(nodes, self.rows, cx)?;
        held.room(edges, self.rows, cx)?;
        let mut rows = 0;
        for start in starts.take(self.rows) {
            if let Some(node) = start {
                owners.push(rows as u32);
                nodes.push(node);
            }
            rows += 1;
        }
        if by_id {
            // No edge leads to the first.
            edges.resize(nodes.len(), EdgeId(0));
        }
        // A batch has few rows.
        parents.extend(0..nodes.len() as u32);
        if let Some(passes) = steps.starting(row, &self.nodes, cx)? {
            self.keep(0, &passes);
            self.parents.iter_mut().zip(0..).for_each(|(parent, place)| *parent = place);
        }
        Ok(rows)
    }

    /// Appends what is one edge behind the nodes of a level.
    fn step<'r, 's>(
        &mut self,
        level: Range<usize>,
        depth: u32,
        first_left: &mut usize,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<(), ExecError> {
        let by_id = steps.spec.needs_ids;
        let Self { nodes, edges, parents, owners, held, .. } = self;
        for place in level.clone() {
            if owners[place] as usize >= *first_left {
                continue;
            }
            let node = nodes[place];
            for neighbours in resolved.of(node.table(), cx) {
                let list = neighbours.list(node);
                if list.len() == 0 {
                    continue;
                }
                if nodes.len() + list.len() > NODES_MAX || depth > DEPTH_MAX {
                    *first_left = owners[place] as usize;
                    break;
                }
                held.room(nodes, list.len(), cx)?;
                if by_id {
                    held.room(edges, list.len(), cx)?;
                }
                list.append(nodes, by_id.then_some(&mut *edges));
            }
            held.room(parents, nodes.len() - parents.len(), cx)?;
            // Places are fewer than `NODES_MAX`.
            parents.resize(nodes.len(), place as u32);
        }
        steps.look(level.len() + nodes.len() - level.end, cx)?;
        held.room(owners, nodes.len() - owners.len(), cx)
    }

    /// Gives those from `next` on their rows; takes those away whose edge is on their trail already, or
    /// leaves the rows whose trails meet a node twice.
    fn tell_apart(&mut self, next: usize, depth: u32, first_left: &mut usize, steps: &Steps<'_>) {
        let Self { nodes, edges, parents, owners, .. } = self;
        if !steps.spec.needs_ids {
            for place in next..nodes.len() {
                let (node, owner) = (nodes[place], owners[parents[place] as usize]);
                owners.push(owner);
                let mut before = parents[place] as usize;
                for _ in 0..depth {
                    if nodes[before] == node {
                        *first_left = (*first_left).min(owner as usize);
                    }
                    before = parents[before] as usize;
                }
            }
            return;
        }
        for parent in &parents[next..] {
            owners.push(owners[*parent as usize]);
        }
        if depth == 1 {
            return;
        }
        let is_new = |place: usize| {
            let (mut before, mut is_new) = (parents[place] as usize, true);
            for _ in 1..depth {
                is_new &= edges[before] != edges[place];
                before = parents[before] as usize;
            }
            is_new
        };
        let passes: Vec<bool> = (next..nodes.len()).map(is_new).collect();
        if passes.contains(&false) {
            self.keep(next, &passes);
        }
    }

    /// Keeps those from `first` on that pass. None of them has any behind it.
    fn keep(&mut self, first: usize, passes: &[bool]) {
        fn keep<T: Copy>(all: &mut Vec<T>, first: usize, passes: &[bool]) {
            let mut at = first;
            for (k, passes) in passes.iter().enumerate() {
                all[at] = all[first + k];
                at += usize::from(*passes);
            }
            all.truncate(at);
        }
        keep(&mut self.nodes, first, passes);
        keep(&mut self.parents, first, passes);
        keep(&mut self.owners, first, passes);
        if !self.edges.is_empty() {
            keep(&mut self.edges, first, passes);
        }
    }

    /// The ends of walks from the first rows of the batch, row by row, with their places if these are wanted.
    fn sort<'s, const PLACES: bool>(
        &mut self,
        rows: usize,
        given_from: usize,
        steps: &Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let from = given_from.min(self.nodes.len());
        let ends = self.nodes[from..].iter().zip(&self.owners[from..]);
        // Places are fewer than `NODES_MAX`.
        let all = ends.zip(from as u32..);
        let all = all.filter(|((node, owner), _)| (**owner as usize) < rows && steps.spec.ends_well(**node));
        self.starts.clear();
        self.held.room(&mut self.starts, rows + 2, cx)?;
        // Each row's count stands two places behind it, so that its place is where its ends go once the
        // counts are added up, and that of the next row when they are there.
        self.starts.resize(rows + 2, 0);
        for ((_, owner), _) in all.clone() {
            self.starts[*owner as usize + 2] += 1;
        }
        for row in 2..self.starts.len() {
            self.starts[row] += self.starts[row - 1];
        }
        let count = self.starts[rows + 1] as usize;
        self.ends.clear();
        self.places.clear();
        self.held.room(&mut self.ends, count, cx)?;
        self.ends.resize(count, NodeId(0));
        if PLACES {
            self.held.room(&mut self.places, count, cx)?;
            self.places.resize(count, 0);
        }
        for ((node, owner), from) in all {
            let place = &mut self.starts[*owner as usize + 1];
            self.ends[*place as usize] = *node;
            if PLACES {
                self.places[*place as usize] = from;
            }
            *place += 1;
        }
        (self.done, self.given) = (rows, 0);
        Ok(())
    }

    /// Makes the next batch larger or smaller, as this one asks for.
    fn adapt(&mut self, done: usize, rows: usize) {
        if done == 0 && rows > 0 {
            self.pause = (self.pause * 2).clamp(1, PAUSE_MAX);
            (self.left, self.rows) = (self.pause, ROWS_MIN);
        } else if done < rows {
            self.rows = done;
        } else {
            self.pause = 0;
            if self.nodes.len() < NODES_MAX / 4 {
                self.rows = (self.rows * 2).min(ROWS_MAX);
            }
        }
    }

    /// Gives the walks from the next row; `false` where the batch has none left.
    pub(super) fn give<'s>(
        &mut self,
        answers: &mut Answers,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<bool, ExecError> {
        if self.given == self.done {
            return Ok(false);
        }
        let (start, end) = (self.starts[self.given] as usize, self.starts[self.given + 1] as usize);
        let ends = &self.ends[start..end];
        self.given += 1;
        if !steps.spec.want_edges {
            answers.nodes.extend_from_slice(ends);
            return Ok(true);
        }
        let mut walk = Vec::new();
        for (node, place) in ends.iter().zip(&self.places[start..end]) {
            walk.clear();
            let mut place = *place as usize;
            // A node that is walked from stands for its own parent.
            while self.parents[place] as usize != place {
                walk.push(self.edges[place]);
                place = self.parents[place] as usize;
            }
            answers.push(*node, walk.iter().rev().copied(), steps, cx)?;
        }
        Ok(true)
    }

    /// Nothing is left of a batch.
    pub(super) fn clear(&mut self) {
        (self.given, self.done) = (0, 0);
    }
}
