//! The lists of consecutive rows, where they lie end to end: neighbours in place, edges by their slots, whole
//! vectors whatever the degrees.

use trimorph_storage::adjacency::{AdjacencyView, List};
use trimorph_vector::{Edges, Nodes};

use super::Neighbours;

/// The lists of consecutive rows of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Run(List);

impl Run {
    /// Edges in it.
    #[expect(clippy::len_without_is_empty, reason = "a run without edges is a run like any other")]
    pub fn len(&self) -> usize {
        self.0.len
    }
}

impl<'s> Neighbours<'_, 's> {
    /// The lists of `count` rows from `first` on as one; `None` where they do not lie end to end, or an edge
    /// does not count. With `want_edges`, also where their slots do not follow each other.
    pub fn run(&self, first: u64, count: usize, want_edges: bool) -> Option<Run> {
        self.note(first, count as u64);
        if self.are_changed(first, count as u64) || (want_edges && self.are_written(first, count as u64)) {
            return None;
        }
        match self.view? {
            AdjacencyView::Column(_) => None,
            AdjacencyView::Csr(csr) => {
                let list = csr.run(first, count).filter(|_| self.is_plain())?;
                let has_slots = || self.forward && csr.is_in_order(list);
                (!want_edges || has_slots()).then_some(Run(list))
            }
        }
    }

    /// The neighbours of `len` edges of a run from the `from`-th on.
    pub fn run_nodes(&self, run: Run, from: usize, len: usize) -> Nodes<'s> {
        match self.view {
            Some(AdjacencyView::Csr(csr)) => csr.nodes(run.0.part(from, len)),
            // Neither makes runs.
            Some(AdjacencyView::Column(_)) | None => Nodes::Ids { table: None, ids: Vec::new() },
        }
    }

    /// The edges of a run that was asked for with edges, from the `from`-th on.
    pub fn run_edges(&self, run: Run, from: usize) -> Edges<'s> {
        match self.view {
            Some(AdjacencyView::Csr(csr)) => Edges::Slots {
                table: self.edge_table(),
                first: csr.slot(run.0) + from as u64,
                pages: self.table.page_starts(run.0),
            },
            Some(AdjacencyView::Column(_)) | None => Edges::Ids(Vec::new()),
        }
    }
}
