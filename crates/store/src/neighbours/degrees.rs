//! How many edges nodes have: of one row, of consecutive rows, weighted by their neighbours.

use trimorph_base::NodeId;
use trimorph_storage::adjacency::AdjacencyView;

use super::list::Form;
use super::{NeighbourList, Neighbours};
use crate::Moment;

/// Changes to a list that are counted each time somebody asks how long it is.
const CHANGES_COUNTED: usize = 64;

impl Neighbours<'_, '_> {
    /// Edges of row `row`, with those that do not count.
    #[inline]
    pub fn degree(&self, row: u64) -> u64 {
        self.note(row, 1);
        let in_main = match self.view {
            None => 0,
            Some(AdjacencyView::Csr(csr)) => csr.degree(row),
            Some(AdjacencyView::Column(column)) => u64::from(column.has(row)),
        };
        match self.changes {
            Some((moment, marks)) if marks.meet(row, 1) => self.changed_degree(moment, row, in_main),
            _ => in_main,
        }
    }

    #[inline(never)]
    fn changed_degree(&self, moment: &Moment, row: u64, in_main: u64) -> u64 {
        let node = NodeId::new(self.from, row);
        let (topology, reading) = (moment.topology(), moment.reading());
        match topology.longer_by(node, self.table.id, self.direction(), &reading, CHANGES_COUNTED) {
            Some(more) => in_main.saturating_add_signed(more),
            // A list that is asked for again is not gone through again.
            None => self.patch(node).map_or(in_main, |patch| patch.nodes.len() as u64),
        }
    }

    /// Edges of `count` rows from `first` on, with those that do not count.
    pub fn degrees(&self, first: u64, count: u64) -> u64 {
        self.note(first, count);
        let in_main = match self.view {
            None => 0,
            Some(AdjacencyView::Csr(csr)) => match csr.run(first, count as usize) {
                Some(run) => run.len as u64,
                None => csr.runs(first, count).map(|run| run.len as u64).sum(),
            },
            Some(AdjacencyView::Column(column)) => column.count(first, count),
        };
        let longer: i64 = self.longer_by(first, count as usize).iter().flatten().sum();
        in_main.saturating_add_signed(longer)
    }

    /// By how many edges changes make the lists of `count` rows from `first` on longer than main's; none
    /// where none touched them.
    fn longer_by(&self, first: u64, count: usize) -> Option<Vec<i64>> {
        let (moment, _) = self.changes.filter(|(_, marks)| marks.meet(first, count as u64))?;
        let mut longer = vec![0; count];
        let (first, reading) = (NodeId::new(self.from, first), moment.reading());
        moment.topology().longer_by_run(first, self.table.id, self.direction(), &reading, &mut longer);
        Some(longer)
    }

    /// Whether it is known without a look at each that none of `count` rows from `first` on has an edge.
    ///
    /// **Cost**: two loads, or a word for 64 rows.
    pub fn have_none(&self, first: u64, count: u64) -> bool {
        !self.are_changed(first, count) && self.degrees(first, count) == 0
    }

    /// Multiplies `out[i]` by the degree of row `first + i`; past 64 bits it stays the largest number.
    ///
    /// **Cost**: one load per row.
    pub fn multiply_degrees(&self, first: u64, out: &mut [u64]) {
        self.note(first, out.len() as u64);
        if let Some(longer) = self.longer_by(first, out.len()) {
            let mut degrees = vec![1; out.len()];
            self.multiply_main_degrees(first, &mut degrees);
            for ((o, degree), longer) in out.iter_mut().zip(degrees).zip(longer) {
                *o = o.saturating_mul(degree.saturating_add_signed(longer));
            }
            return;
        }
        self.multiply_main_degrees(first, out);
    }

    fn multiply_main_degrees(&self, first: u64, out: &mut [u64]) {
        match self.view {
            None => out.fill(0),
            Some(AdjacencyView::Csr(csr)) => csr.multiply_degrees(first, out),
            Some(AdjacencyView::Column(column)) => {
                for (row, o) in (first..).zip(out) {
                    *o *= u64::from(column.has(row));
                }
            }
        }
    }

    /// Multiplies `out[i]` by the sum of `weights` over the rows of the neighbours of row `first + i`,
    /// whatever their table; past 64 bits it stays the largest number.
    ///
    /// **Cost**: a load of the neighbour and one of the weight each.
    pub fn multiply_sums<T: Copy + Into<u64>>(&self, first: u64, weights: &[T], out: &mut [u64]) {
        self.note(first, out.len() as u64);
        if !self.are_changed(first, out.len() as u64) {
            return self.multiply_main_sums(first, weights, out);
        }
        // Lists between those that changes touched are main's.
        let mut rest = out;
        for run in Self::runs_between(first, rest.len() as u64, |from, len| self.first_changed(from, len)) {
            let (of_main, others) = std::mem::take(&mut rest).split_at_mut((run.end - run.start) as usize);
            self.multiply_main_sums(run.start, weights, of_main);
            let Some((changed, others)) = others.split_first_mut() else { return };
            let sum = self.list(NodeId::new(self.from, run.end)).sum_weights(weights);
            *changed = changed.saturating_mul(sum.unwrap_or(u64::MAX));
            rest = others;
        }
    }

    fn multiply_main_sums<T: Copy + Into<u64>>(&self, first: u64, weights: &[T], out: &mut [u64]) {
        match self.view {
            None => out.fill(0),
            Some(AdjacencyView::Csr(csr)) => csr.multiply_sums(first, weights, out),
            Some(AdjacencyView::Column(column)) => {
                let weight = |neighbour: NodeId| {
                    let row = usize::try_from(neighbour.row()).ok();
                    row.and_then(|row| weights.get(row)).map_or(u64::MAX, |weight| (*weight).into())
                };
                for (row, o) in (first..).zip(out) {
                    *o = o.saturating_mul(column.neighbour(row).map_or(0, weight));
                }
            }
        }
    }
}

impl NeighbourList<'_, '_> {
    /// The sum of `weights` over the rows of the neighbours, whatever their table; `None` past 64 bits.
    #[inline]
    pub fn sum_weights<T: Copy + Into<u64>>(&self, weights: &[T]) -> Option<u64> {
        match self.form {
            Form::None => Some(0),
            Form::List(csr, list) => csr.sum_weights(list, weights),
            Form::One(_, neighbour) => {
                usize::try_from(neighbour.row()).ok().and_then(|row| weights.get(row)).map(|w| (*w).into())
            }
            Form::Patch(patch) => patch.nodes.iter().try_fold(0u64, |sum, neighbour| {
                let weight = weights.get(usize::try_from(neighbour.row()).ok()?)?;
                sum.checked_add((*weight).into())
            }),
        }
    }
}
