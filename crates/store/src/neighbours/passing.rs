//! How many edges pass a condition on one of their properties, compared as they are encoded.
//!
//! Forward lists that are in order lie end to end in the property pages: one comparison runs over many of
//! them. Edges of other lists are found by their positions, those of a run of rows at once.

use trimorph_base::NodeId;
use trimorph_storage::adjacency::{AdjacencyView, CsrView, List};
use trimorph_storage::column::{Comparison, Condition};
use trimorph_types::Value;

use super::list::Form;
use super::{NeighbourList, Neighbours};
use crate::asked_rows::passes;
use crate::{PropertyColumn, Reader};

impl<'s> Neighbours<'_, 's> {
    /// How many edges of `count` rows from `first` on pass; `None` where they need not lie end to end or the
    /// column must be looked at otherwise.
    pub fn count_passing(
        &self,
        column: PropertyColumn<'_, '_>,
        condition: &Condition<'_>,
        first: u64,
        count: u64,
    ) -> Option<u64> {
        if !self.forward || !self.is_plain() {
            return None;
        }
        if self.are_written(first, count) {
            let mut counts = vec![0; usize::try_from(count).ok()?];
            self.add_passing(column, condition, first, &mut counts)?;
            return Some(counts.iter().sum());
        }
        match self.view? {
            AdjacencyView::Column(_) => None,
            AdjacencyView::Csr(csr) => {
                let mut comparison = Comparison::default();
                let passing = |run: List| {
                    let passing = || column.count(&mut comparison, condition, csr.slot(run), run.len);
                    csr.is_in_order(run).then(passing)?.map(|n| n as u64)
                };
                csr.runs(first, count).map(passing).sum()
            }
        }
    }

    /// Adds to `counts[i]` how many edges of row `first + i` pass. `None` where the column or the adjacency
    /// does not allow that; `counts` is of no use then.
    pub fn add_passing(
        &self,
        column: PropertyColumn<'_, '_>,
        condition: &Condition<'_>,
        first: u64,
        counts: &mut [u64],
    ) -> Option<()> {
        let csr = match self.view? {
            AdjacencyView::Column(_) => return None,
            AdjacencyView::Csr(_) if !self.is_plain() => return None,
            AdjacencyView::Csr(csr) => csr,
        };
        let count = counts.len() as u64;
        // Backwards edges are of any page.
        let is_written = if self.forward { self.are_written(first, count) } else { self.has_changes() };
        if !is_written {
            return self.add_main_passing(csr, column, condition, first, counts);
        }
        let marked = self.written.and_then(|reader| reader.marked_edges(self.edge_table()));
        // Who notes what he reads names edges, not slots.
        if self.written.is_some_and(Reader::notes_reads) || (!self.forward && marked.is_some()) {
            return None;
        }
        // Lists of which nothing was written are main's; the edges of the others are asked together.
        let (mut nodes, mut edges, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for run in Self::runs_between(first, count, |from, len| self.first_written(from, len, marked)) {
            let at = |row: u64| (row - first) as usize;
            if let Some(of_main) = counts.get_mut(at(run.start)..at(run.end)).filter(|run| !run.is_empty()) {
                self.add_main_passing(csr, column, condition, run.start, of_main)?;
            }
            if run.end < first + count {
                self.append(NodeId::new(self.from, run.end), &mut nodes, Some(&mut edges));
                rows.resize(edges.len(), at(run.end));
            }
        }
        // A batch has far fewer edges than 2^32.
        let positions: Vec<u32> = (0..edges.len() as u32).collect();
        let values = column.gather_edges(&edges, &positions, edges.len());
        for (at, row) in rows.iter().enumerate() {
            let value = values.value(at, &|_| Value::Null);
            counts[*row] += u64::from(passes(condition, &value, column.logical_type())?);
        }
        Some(())
    }

    /// The same where all lists are main's.
    fn add_main_passing(
        &self,
        csr: &CsrView<'s>,
        column: PropertyColumn<'_, '_>,
        condition: &Condition<'_>,
        first: u64,
        counts: &mut [u64],
    ) -> Option<()> {
        let run = csr.run(first, counts.len())?;
        let mut starts = vec![0; counts.len() + 1];
        csr.slots(first, &mut starts)?;
        let (start, ends) = starts.split_first()?;
        let mut comparison = Comparison::default();
        if self.forward {
            let add = || column.count_runs(&mut comparison, condition, *start, ends, counts);
            return csr.is_in_order(run).then(add)?;
        }
        self.add_passing_backward(csr, run, column, condition, (*start, ends), counts)
    }

    fn add_passing_backward(
        &self,
        csr: &CsrView<'s>,
        run: List,
        column: PropertyColumn<'_, '_>,
        condition: &Condition<'_>,
        (start, ends): (u64, &[u64]),
        counts: &mut [u64],
    ) -> Option<()> {
        let mut slots = Vec::with_capacity(run.len);
        if !self.table.append_backward_slots(csr, run, &mut slots) {
            return None;
        }
        let mut passing = Vec::new();
        // A segment has fewer than 2^32 edges.
        let places = slots.iter().enumerate().map(|(i, slot)| (i as u32, *slot));
        column.select_at(&mut Comparison::default(), condition, places, &mut passing)?;
        let mut at = 0;
        for (count, end) in counts.iter_mut().zip(ends) {
            let before = at;
            while passing.get(at).is_some_and(|p| start + u64::from(*p) < *end) {
                at += 1;
            }
            *count += (at - before) as u64;
        }
        Some(())
    }

    /// The slots at which the properties of the edges of rows `first..` start, and behind the last row's,
    /// written to `out`; `None` where they do not follow each other.
    pub fn slots(&self, first: u64, out: &mut [u64]) -> Option<()> {
        let rows = out.len().checked_sub(1)?;
        if !self.forward || self.are_written(first, rows as u64) {
            return None;
        }
        match self.view? {
            AdjacencyView::Column(_) => None,
            AdjacencyView::Csr(csr) => {
                let run = csr.run(first, rows)?;
                csr.is_in_order(run).then(|| csr.slots(first, out))?
            }
        }
    }
}

impl NeighbourList<'_, '_> {
    fn is_written(&self) -> bool {
        if self.along.forward { self.along.are_written(self.node.row(), 1) } else { self.along.has_changes() }
    }

    /// How many edges of the list pass; `None` where the column or the adjacency does not allow that.
    pub fn count_passing(&self, column: PropertyColumn<'_, '_>, condition: &Condition<'_>) -> Option<u64> {
        match self.form {
            Form::None => Some(0),
            Form::One(..) | Form::Patch(_) => None,
            Form::List(..) if !self.along.is_plain() || self.is_written() => None,
            Form::List(csr, list) => {
                let mut comparison = Comparison::default();
                if self.along.forward {
                    let count = || column.count(&mut comparison, condition, csr.slot(list), list.len);
                    return csr.is_in_order(list).then(count)?.map(|n| n as u64);
                }
                let mut total = 0;
                for i in 0..list.len {
                    let edge = self.along.table.id_at(csr.node(list, i).row(), csr.position(list, i)?);
                    let slot = self.along.table.slot(edge);
                    total += column.count(&mut comparison, condition, slot, 1)? as u64;
                }
                Some(total)
            }
        }
    }
}
