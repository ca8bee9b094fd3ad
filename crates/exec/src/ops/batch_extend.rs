//! Batch extend: short lists, several adjacencies, nodes of several tables. Rows of one group in, rows of one
//! group out: each row is repeated for its neighbours, so that a vector is full whatever the degrees.
//!
//! Source: Virtuoso "Vectored Execution" (an index join over a whole vector); GF-CL's list extend is
//! `list_extend`.

use std::sync::Arc;

use trimorph_store::access::EdgeAccess;
use trimorph_store::neighbours::{ListsAhead, RunChanges};
use trimorph_vector::{Chunk, Edges, Nodes, Values, Vector};

use super::resolved::Resolved;
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Batch extend.
pub(crate) struct BatchExtend<'s> {
    child: BoxOperator<'s>,
    batch: Batch<'s>,
}

impl<'s> BatchExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<BatchExtendSpec>) -> Self {
        Self { child, batch: Batch::new(spec) }
    }
}

/// What is extended and kept. Input slots `keep` become output slots `0..`; the node reached and the edge
/// follow.
#[derive(Debug)]
pub(crate) struct BatchExtendSpec {
    pub(crate) slots: usize,
    pub(crate) from: usize,
    pub(crate) keep: Vec<usize>,
    pub(crate) want_edge: bool,
    /// Whether anything looks at the node reached: where nothing does it may be any.
    pub(crate) want_node: bool,
    pub(crate) step: EdgeAccess,
}

/// Rows of a scan that are asked together whether they have edges. Chosen: a few loads for so many rows.
const RUN: usize = 256;

/// Rows being extended, list by list.
pub(crate) struct Batch<'s> {
    inner: Chunk<'s>,
    spec: Arc<BatchExtendSpec>,
    /// Positions of the input not extended yet, and how many lists of the current one have been taken.
    rest: Vec<u32>,
    cursor: usize,
    lists: usize,
    /// Length of the vector before: room for the next one.
    last: usize,
    /// Of a scan along one adjacency: changes to the lists that are taken, where there are some.
    changes: RunChanges,
    has_changes: bool,
    /// Of other rows along one adjacency: the same, looked for some rows ahead.
    ahead: ListsAhead,
    looks_ahead: bool,
}

impl<'s> Batch<'s> {
    pub(crate) fn new(spec: Arc<BatchExtendSpec>) -> Self {
        let inner = Chunk::with_slots(&[spec.slots]);
        let (rest, changes, ahead) = Default::default();
        let (has_changes, looks_ahead) = (false, false);
        Self { inner, spec, rest, cursor: 0, lists: 0, last: 0, changes, has_changes, ahead, looks_ahead }
    }

    /// Where the rows to extend are put; `begin` then starts with them.
    pub(crate) fn rows(&mut self) -> &mut Chunk<'s> {
        &mut self.inner
    }

    /// Starts with the rows that `rows` was given.
    pub(crate) fn begin(&mut self, cx: &Context<'s>) {
        self.rest = self.inner.groups[0].positions();
        (self.cursor, self.lists) = (0, 0);
        self.leave_out_rows_without_edges(cx);
        (self.has_changes, self.looks_ahead) = (false, false);
        self.ahead.clear();
        match &self.inner.groups[0].vectors[self.spec.from].values {
            Values::Node(Nodes::Range(first)) => {
                if let Some(neighbours) = self.spec.step.one(first.table(), &cx.reader) {
                    let len = self.inner.groups[0].len as u64;
                    self.has_changes = neighbours.find_changes(*first, len, &mut self.changes);
                }
            }
            // Of one row nothing is to be found together.
            Values::Node(nodes) if self.rest.len() > 1 => {
                let neighbours = nodes.table().and_then(|table| self.spec.step.one(table, &cx.reader));
                self.looks_ahead = neighbours.is_some_and(|neighbours| neighbours.looks_ahead());
            }
            _ => {}
        }
    }

    /// Of a scan, whole runs of rows that have no edges: where nodes of all kinds are in one table most have
    /// none of a type, and those that have lie together.
    fn leave_out_rows_without_edges(&mut self, cx: &Context<'s>) {
        let group = &self.inner.groups[0];
        let Values::Node(Nodes::Range(start)) = &group.vectors[self.spec.from].values else { return };
        if group.flat.is_some() || self.rest.len() < RUN {
            return;
        }
        let mut resolved = Resolved::new(&self.spec.step);
        let lists = resolved.of(start.table(), cx);
        // The run that was asked last, and whether some row of it has edges.
        let (mut last, mut has_some) = (None, true);
        self.rest.retain(|position| {
            let run = *position as usize / RUN;
            if last != Some(run) {
                let first = start.row() + (run * RUN) as u64;
                last = Some(run);
                has_some = !lists.iter().all(|lists| lists.have_none(first, RUN as u64));
            }
            has_some
        });
    }

    pub(crate) fn reset(&mut self) {
        self.rest.clear();
        (self.cursor, self.lists) = (0, 0);
    }

    /// The next vector of edges; `false` when all rows are extended.
    pub(crate) fn extend(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> bool {
        let room = cx.settings.vector_size;
        let group = &self.inner.groups[0];
        let mut nodes = Vec::with_capacity(self.last);
        let mut edges = self.spec.want_edge.then(|| Vec::with_capacity(self.last));
        // Rows of which nothing is kept need not be found again.
        let repeats = !self.spec.keep.is_empty() || group.multiplicity.is_some();
        let mut parents = Vec::with_capacity(if repeats { self.last } else { 0 });
        let mut resolved = Resolved::new(&self.spec.step);
        while self.cursor < self.rest.len() && nodes.len() < room {
            let p = self.rest[self.cursor];
            let Some(node) = group.vectors[self.spec.from].node(p as usize) else {
                self.cursor += 1;
                continue;
            };
            // Lists are taken whole: their length is bounded by the degree, and edges by position need the
            // whole list.
            for neighbours in resolved.of(node.table(), cx).iter().skip(self.lists) {
                if self.looks_ahead {
                    if self.ahead.is_over() {
                        let rest = self.rest[self.cursor..].iter();
                        let next = rest.filter_map(|p| group.vectors[self.spec.from].node(*p as usize));
                        neighbours.look_ahead(next, &mut self.ahead);
                    }
                    neighbours.append_ahead(node, &mut self.ahead, &mut nodes, edges.as_mut());
                } else if self.has_changes {
                    neighbours.append_next(node, &mut self.changes, &mut nodes, edges.as_mut());
                } else {
                    neighbours.append(node, &mut nodes, edges.as_mut());
                }
                self.lists += 1;
                if nodes.len() >= room {
                    break;
                }
            }
            if repeats {
                parents.resize(nodes.len(), p);
            }
            // A row whose lists are all taken is looked at once more where they filled the vector.
            if nodes.len() < room {
                self.cursor += 1;
                self.lists = 0;
            }
        }
        if nodes.is_empty() {
            return false;
        }
        let out = &mut chunk.groups[0];
        self.last = nodes.len();
        out.reset(nodes.len());
        repeat(group, &self.spec.keep, &parents, out);
        let next = self.spec.keep.len();
        out.vectors[next] =
            Vector::new(Values::Node(Nodes::Ids { table: self.spec.step.target(), ids: nodes }));
        if let Some(edges) = edges {
            out.vectors[next + 1] = Vector::new(Values::Edge(Edges::Ids(edges)));
        }
        true
    }
}

impl<'s> Operator<'s> for BatchExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        while !self.batch.extend(chunk, cx) {
            cx.check()?;
            if !self.child.next(self.batch.rows(), cx)? {
                return Ok(false);
            }
            self.batch.begin(cx);
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.child.reset();
        self.batch.reset();
    }
}
