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
    /// The run being read, and how far; where each of its lists ends, where that is looked at.
    run: Option<Run>,
    ends: Vec<u64>,
    /// Reads what is no run.
    lists: Batch<'s>,
}

struct Run {
    first: NodeId,
    /// All edges of the rows, and how many have been given.
    lists: neighbours::Run,
    given: usize,
    /// Those start nodes that were not filtered out, where some were.
    wanted: Option<Vec<u32>>,
    /// How many of these, or of all, have been given with all their edges.
    passed: usize,
}

impl<'s> ScanExtend<'s> {
    pub(crate) fn new(child: BoxOperator<'s>, spec: Arc<ScanExtendSpec>) -> Self {
        let (inner, lists) = (Chunk::with_slots(&[spec.lists.slots]), Batch::new(Arc::clone(&spec.lists)));
        Self { child, inner, spec, run: None, ends: Vec::new(), lists }
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
        let wanted = || (wanted < group.len).then(|| group.selection.to_vec(group.len));
        pays.then(|| Run { first: *first, lists, given: 0, wanted: wanted(), passed: 0 })
    }

    /// The next vector of the run; `false` if none of its edges is wanted.
    fn give(&mut self, neighbours: &Neighbours<'_, 's>, chunk: &mut Chunk<'s>, max: usize) -> bool {
        let Some(run) = &mut self.run else { return false };
        let group = &self.inner.groups[0];
        let (from, len) = (run.given, max.min(run.lists.len() - run.given));
        run.given += len;
        let repeats = !self.spec.lists.keep.is_empty() || group.multiplicity.is_some();
        let (mut parents, mut kept) = (vec![0; if repeats { len } else { 0 }], Vec::new());
        if repeats || run.wanted.is_some() {
            let ends = &mut self.ends;
            if from == 0 {
                ends.clear();
                ends.resize(group.len, 1);
                neighbours.multiply_degrees(run.first.row(), ends);
                let mut end = 0;
                ends.iter_mut().for_each(|degree| {
                    end += *degree;
                    *degree = end;
                });
            }
            let row_of = |place: usize| match &run.wanted {
                Some(wanted) => wanted.get(place).map(|row| *row as usize),
                None => (place < group.len).then_some(place),
            };
            while let Some(row) = row_of(run.passed) {
                let start = row.checked_sub(1).map_or(0, |before| ends[before] as usize);
                let end = ends[row] as usize;
                if start >= from + len {
                    break;
                }
                let own = start.max(from) - from..end.min(from + len).max(from) - from;
                if repeats {
                    parents[own.clone()].fill(row as u32);
                }
                if run.wanted.is_some() {
                    kept.extend(own.start as u32..own.end as u32);
                }
                if end > from + len {
                    break;
                }
                run.passed += 1;
            }
        }
        let out = &mut chunk.groups[0];
        out.reset(len);
        if run.wanted.is_some() {
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
