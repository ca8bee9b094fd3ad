//! Trails from many rows at once, level by level: what is one edge behind a level is read for all its nodes
//! before the next, where the trails of `trails.rs` go back and forth for each edge.
//!
//! 1. A batch of rows is walked to its end; what it found is given row by row, in their order.
//! 2. An edge repeats only where a node comes twice on one trail. A node that is reached is compared with
//!    those before it on its trail, which are few; the row of one that comes again is left to `trails.rs`,
//!    and so is one whose trails are long or many. Rows behind it are walked once more, later.
//! 3. Batches grow while they find little, so that a LIMIT above does not pay for what it does not need, and
//!    shrink where they find much.
//!
//! Only for walks in one direction of which nothing is asked but where they end: no conditions, no edges.
//!
//! Invariant: a batch holds [`NODES_MAX`] nodes at most, whatever the graph.

use trimorph_algebra::VarExtendMode;
use trimorph_base::NodeId;

use super::spec::VarSpec;
use super::steps::Steps;
use crate::charge::Charge;
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
    /// Nodes of all levels, the first those walked from; the place of the node before each, and the place of
    /// its row in the batch.
    nodes: Vec<NodeId>,
    parents: Vec<u32>,
    owners: Vec<u32>,
    /// Where the ends of each row's walks begin among `ends`; how many rows were walked, and how many of them
    /// given.
    starts: Vec<u32>,
    ends: Vec<NodeId>,
    done: usize,
    given: usize,
    held: Charge,
}

impl Levels {
    /// Whether walks are of the kind that is walked so.
    pub(super) fn fits(spec: &VarSpec) -> bool {
        let is_plain = spec.each.is_none() && spec.nodes.is_none() && spec.condition.is_none();
        let is_free = spec.into.is_none() && spec.along.is_none() && spec.back.is_none();
        spec.mode == VarExtendMode::Trails
            && is_plain
            && is_free
            && !spec.want_edges
            && !spec.needs_ids
            && spec.max > 0
    }

    pub(super) fn new() -> Self {
        let (nodes, parents, owners, starts, ends) = Default::default();
        let (left, pause, done, given, held) = (0, 0, 0, 0, Charge::default());
        Self { rows: ROWS_MIN, left, pause, nodes, parents, owners, starts, ends, done, given, held }
    }

    /// Whether the next row is left to `trails.rs`.
    pub(super) fn leaves_row(&mut self) -> bool {
        let leaves = self.left > 0;
        self.left -= usize::from(leaves);
        leaves
    }

    /// Walks from the first of `starts`, as many as a batch has; gives how many rows it was. None of them
    /// where the first is to be left to `trails.rs`.
    pub(super) fn walk<'r, 's>(
        &mut self,
        starts: impl Iterator<Item = Option<NodeId>>,
        steps: &mut Steps<'s>,
        resolved: &mut Resolved<'r, 's>,
        cx: &'r Context<'s>,
    ) -> Result<usize, ExecError> {
        self.nodes.clear();
        self.parents.clear();
        self.owners.clear();
        let (nodes, owners, parents) = (&mut self.nodes, &mut self.owners, &mut self.parents);
        for all in [&mut *parents, &mut *owners] {
            self.held.room(all, self.rows, cx)?;
        }
        self.held.room(nodes, self.rows, cx)?;
        let mut rows = 0;
        for start in starts.take(self.rows) {
            if let Some(node) = start {
                // A batch has few rows.
                parents.push(nodes.len() as u32);
                owners.push(rows as u32);
                nodes.push(node);
            }
            rows += 1;
        }
        let (min, max) = (steps.spec.min, steps.spec.max);
        // The first row that is not walked to its end here.
        let mut first_left = rows;
        let mut given_from = if min == 0 { 0 } else { usize::MAX };
        let (mut level, mut depth) = (0..nodes.len(), 0);
        while !level.is_empty() && depth < max {
            depth += 1;
            if depth == min {
                given_from = level.end;
            }
            for place in level.clone() {
                if owners[place] as usize >= first_left {
                    continue;
                }
                let node = nodes[place];
                for neighbours in resolved.of(node.table(), cx) {
                    let list = neighbours.list(node);
                    if list.len() == 0 {
                        continue;
                    }
                    if nodes.len() + list.len() > NODES_MAX || depth > DEPTH_MAX {
                        first_left = owners[place] as usize;
                        break;
                    }
                    self.held.room(nodes, list.len(), cx)?;
                    list.append(nodes, None);
                }
                self.held.room(parents, nodes.len() - parents.len(), cx)?;
                // Places are fewer than `NODES_MAX`.
                parents.resize(nodes.len(), place as u32);
            }
            steps.look(level.len() + nodes.len() - level.end, cx)?;
            self.held.room(owners, nodes.len() - owners.len(), cx)?;
            for place in level.end..nodes.len() {
                let (node, owner) = (nodes[place], owners[parents[place] as usize]);
                owners.push(owner);
                let mut before = parents[place] as usize;
                for _ in 0..depth {
                    if nodes[before] == node {
                        first_left = first_left.min(owner as usize);
                    }
                    before = parents[before] as usize;
                }
            }
            level = level.end..nodes.len();
        }
        self.sort(first_left, given_from, steps, cx)?;
        self.adapt(first_left, rows);
        Ok(first_left)
    }

    /// The ends of walks from the first rows of the batch, row by row.
    fn sort<'s>(
        &mut self,
        rows: usize,
        given_from: usize,
        steps: &Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        let from = given_from.min(self.nodes.len());
        let ends = self.nodes[from..].iter().zip(&self.owners[from..]);
        let all = ends.filter(|(node, owner)| (**owner as usize) < rows && steps.spec.ends_well(**node));
        self.starts.clear();
        self.held.room(&mut self.starts, rows + 2, cx)?;
        // Each row's count stands two places behind it, so that its place is where its ends go once the
        // counts are added up, and that of the next row when they are there.
        self.starts.resize(rows + 2, 0);
        for (_, owner) in all.clone() {
            self.starts[*owner as usize + 2] += 1;
        }
        for row in 2..self.starts.len() {
            self.starts[row] += self.starts[row - 1];
        }
        let count = self.starts[rows + 1] as usize;
        self.ends.clear();
        self.held.room(&mut self.ends, count, cx)?;
        self.ends.resize(count, NodeId(0));
        for (node, owner) in all {
            let place = &mut self.starts[*owner as usize + 1];
            self.ends[*place as usize] = *node;
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

    /// Appends the ends of the walks from the next row; `false` where the batch has none left.
    #[inline]
    pub(super) fn give(&mut self, out: &mut Vec<NodeId>) -> bool {
        if self.given == self.done {
            return false;
        }
        let (start, end) = (self.starts[self.given] as usize, self.starts[self.given + 1] as usize);
        out.extend_from_slice(&self.ends[start..end]);
        self.given += 1;
        true
    }

    /// Nothing is left of a batch.
    pub(super) fn clear(&mut self) {
        (self.given, self.done) = (0, 0);
    }
}
