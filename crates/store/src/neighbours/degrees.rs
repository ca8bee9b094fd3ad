//! How many edges nodes have: of one row, of consecutive rows, weighted by their neighbours.

use trimorph_storage::adjacency::AdjacencyView;

use super::list::Form;
use super::{NeighbourList, Neighbours};

impl Neighbours<'_, '_> {
    /// Edges of row `row`, with those that do not count.
    #[inline]
    pub fn degree(&self, row: u64) -> u64 {
        match self.view {
            None => 0,
            Some(AdjacencyView::Csr(csr)) => csr.degree(row),
            Some(AdjacencyView::Column(column)) => u64::from(column.has(row)),
        }
    }

    /// Edges of `count` rows from `first` on, with those that do not count.
    pub fn degrees(&self, first: u64, count: u64) -> u64 {
        match self.view {
            None => 0,
            Some(AdjacencyView::Csr(csr)) => csr.runs(first, count).map(|run| run.len as u64).sum(),
            Some(AdjacencyView::Column(column)) => {
                (first..first.saturating_add(count)).map(|row| u64::from(column.has(row))).sum()
            }
        }
    }

    /// Multiplies `out[i]` by the degree of row `first + i`; past 64 bits it stays the largest number.
    ///
    /// **Cost**: one load per row, and no branch where the numbers are below 2^32.
    pub fn multiply_degrees(&self, first: u64, out: &mut [u64]) {
        match self.view {
            None => out.fill(0),
            Some(AdjacencyView::Csr(csr)) => {
                // Degrees are below 2^32 too.
                if out.iter().all(|o| *o <= u64::from(u32::MAX)) && csr.multiply_degrees(first, out).is_some()
                {
                    return;
                }
                for (row, o) in (first..).zip(out) {
                    *o = o.saturating_mul(csr.degree(row));
                }
            }
            Some(AdjacencyView::Column(column)) => {
                for (row, o) in (first..).zip(out) {
                    *o *= u64::from(column.has(row));
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
        }
    }
}
