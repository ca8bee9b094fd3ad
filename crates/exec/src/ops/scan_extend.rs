//! Scan extend: edges of start nodes that come in the order of the scan. Where most of them are wanted, the
//! lists of a run of rows are read as one, end to end: neighbours in place, edges by slot, whole vectors
//! whatever the degrees. Where few are, list by list.
//!
//! 1. the child gives rows whose start nodes are a range of one table
//! 2. the run of their lists is cut in vectors; positions of start nodes that were filtered out leave the
//!    selection
//! 3. input slots that are kept are repeated for each edge
//!
//! Source: Poseidon §5 (relation scan against index scan), §6.2 (chosen by how much of a partition the
//! frontier holds).

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::access::{Choice, scan_pays};
use trimorph_store::neighbours::{self, Neighbours};
use trimorph_vector::{Chunk, Nodes, Selection, Values, Vector};

use super::batch_extend::{Batch, BatchExtendSpec};
use crate::operator::{BoxOperator, Operator};
use crate::rows::repeat;
use crate::{Context, ExecError};

/// Edges of a vector: as many as fit the first cache with what is computed of them.
const EDGES_MAX: usize = 2048;

/// What is read, and how what is no run is read: nodes of each table have lists in one adjacency, or in none.
#[derive(Debug)]
pub(crate) struct ScanExtendSpec {
    pub(crate) choice: Choice,
    pub(crate) lists: Arc<BatchExtendSpec>,
}

/// Scan extend.
pub(crate) struct ScanExtend<'s> {
    child: BoxOperator<'s>,
    inner: Chunk<'s>,
    spec: Arc<ScanExtendSpec>,
    /// The run being read, and how far; the length of each of its lists where they are looked at.
    run: Option<Run>,
    degrees: Vec<u64>,
    /// Reads what is no run.
    lists: Batch<'s>,
}

struct Run {
    first: NodeId,
    /// All edges of the rows, and how many have been given.
    lists: neighbours::Run,
    given: usize,
    /// The row the next edge belongs to, and how many of its edges have been given.
    row: usize,
    within: usize,
    /// Whether start nodes were filtered out.
    partial: bool,
}

impl<'s> ScanExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ScanExtendSpec>) -> Self {
        let (inner, lists) = (Chunk::with_slots(&[spec.lists.slots]), Batch::new(Arc::clone(&spec.lists)));
        Self { child, inner, spec, run: None, degrees: Vec::new(), lists }
    }

    /// The run of the child's rows, if their lists are to be read as one.
    fn start(&self, cx: &Context<'s>) -> Option<Run> {
        let group = &self.inner.groups[0];
        let Vector { values: Values::Node(Nodes::Range(first)), nulls } =
            &group.vectors[self.spec.lists.from]
        else {
            return None;
        };
        if !nulls.is_none() || group.flat.is_some() {
            return None;
        }
        let neighbours = self.spec.lists.step.one(first.table(), &cx.reader)?;
        let lists = neighbours.run(first.row(), group.len, self.spec.lists.want_edge)?;
        let wanted = group.selection.count(group.len);
        let pays = match self.spec.choice {
            Choice::Relation => true,
            Choice::Index => false,
            Choice::Cost => scan_pays(wanted, group.len, lists.len()),
        };
        pays.then_some(Run { first: *first, lists, given: 0, row: 0, within: 0, partial: wanted < group.len })
    }

    /// The next vector of the run; `false` if none of its edges is wanted.
    fn give(&mut self, neighbours: &Neighbours<'_, 's>, chunk: &mut Chunk<'s>, max: usize) -> bool {
        let Some(run) = &mut self.run else { return false };
        let group = &self.inner.groups[0];
        let (from, len) = (run.given, max.min(run.lists.len() - run.given));
        run.given += len;
        let mut parents: Vec<u32> = Vec::new();
        let parents_wanted = run.partial || !self.spec.lists.keep.is_empty() || group.multiplicity.is_some();
        if parents_wanted {
            let degrees = &mut self.degrees;
            if from == 0 {
                degrees.clear();
                degrees.resize(group.len, 1);
                neighbours.multiply_degrees(run.first.row(), degrees);
            }
            parents.resize(len, 0);
            let mut left = &mut parents[..];
            while let Some(degree) = degrees.get(run.row).filter(|_| !left.is_empty()) {
                let n = (*degree as usize - run.within).min(left.len());
                let (own, others) = left.split_at_mut(n);
                // Most lists are short.
                own.iter_mut().for_each(|parent| *parent = run.row as u32);
                left = others;
                run.within += n;
                if run.within == *degree as usize {
                    (run.row, run.within) = (run.row + 1, 0);
                }
            }
        }
        let out = &mut chunk.groups[0];
        out.reset(len);
        if run.partial {
            let mut selected = vec![false; group.len];
            group.selection.for_each(group.len, |i| selected[i] = true);
            let kept: Vec<u32> =
                (0u32..).zip(&parents).filter(|(_, p)| selected[**p as usize]).map(|(i, _)| i).collect();
            if kept.is_empty() {
                return false;
            }
            if kept.len() < len {
                out.selection = Selection::List(kept);
            }
        }
        repeat(group, &self.spec.lists.keep, &parents, out);
        let next = self.spec.lists.keep.len();
        let nodes = match self.spec.lists.want_node {
            true => neighbours.run_nodes(run.lists, from, len),
            false => Nodes::Range(run.first),
        };
        out.vectors[next] = Vector::new(Values::Node(nodes));
        if self.spec.lists.want_edge {
            out.vectors[next + 1] = Vector::new(Values::Edge(neighbours.run_edges(run.lists, from)));
        }
        true
    }
}

impl<'s> Operator<'s> for ScanExtend<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let spec = Arc::clone(&self.spec);
        // A small vector size is for tests: runs keep to it.
        let max = if cx.settings.vector_size < 1024 { cx.settings.vector_size } else { EDGES_MAX };
        loop {
            while let Some(run) = &self.run {
                cx.check()?;
                if run.given == run.lists.len() {
                    self.run = None;
                } else if let Some(neighbours) = spec.lists.step.one(run.first.table(), &cx.reader)
                    && self.give(&neighbours, chunk, max)
                {
                    return Ok(true);
                }
            }
            if self.lists.extend(chunk, cx) {
                return Ok(true);
            }
            cx.check()?;
            if !self.child.next(&mut self.inner, cx)? {
                return Ok(false);
            }
            self.run = self.start(cx);
            if self.run.is_none() {
                std::mem::swap(&mut self.inner, self.lists.rows());
                self.lists.begin(cx);
            }
        }
    }

    fn reset(&mut self) {
        self.child.reset();
        self.lists.reset();
        self.run = None;
    }
}
