//! Rows of a chunk that an aggregate takes in: positions, the group of each, and what it stands for.

use std::cell::{OnceCell, RefCell};

use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use crate::ExecError;

/// What the rows of a chunk stand for, row by row.
#[derive(Clone, Copy)]
pub(super) enum Weights<'a> {
    /// Each for as many tuples.
    All(u64),
    Each(&'a [u64]),
}

/// Groups up to which they are few: a power of two.
pub(super) const FEW: usize = 256;

/// The sums of few groups, where they need no more than 64 bits.
pub(super) type FewSums = Option<[i64; FEW]>;

/// What several aggregates ask of the rows of a chunk, found once.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) counts: OnceCell<[u32; FEW]>,
    /// The sums of integers that the chunk holds, known by where they lie.
    pub(super) sums: RefCell<Option<(*const i64, FewSums)>>,
}

/// Rows of a chunk: positions, the group of each, and the vectors they are positions of.
pub(super) struct Rows<'a, 's> {
    pub(super) arg: Option<&'a Vector<'s>>,
    pub(super) parameter: Option<&'a Vector<'s>>,
    /// The parameter of all rows, where it is one.
    pub(super) constant: Option<&'a Value>,
    pub(super) numbers: &'a [u32],
    pub(super) positions: &'a [u32],
    pub(super) weights: Weights<'a>,
    /// What other aggregates asked of the same rows.
    pub(super) shared: Option<&'a Shared>,
    /// Whether the argument is a vector of the chunk: it lies where it is until all aggregates have had it.
    pub(super) is_of_chunk: bool,
}

/// Rows whose nulls are looked at before any of them is taken in.
const BATCH_ROWS: usize = 64;

impl Rows<'_, '_> {
    /// Whether no row has a null for an argument.
    pub(super) fn are_plain(&self) -> bool {
        self.arg.is_none_or(|v| !v.may_have_nulls())
    }

    /// Whether all values are null in a vector of no type, as those of `OPTIONAL` are where nothing matches:
    /// they would make typed states general.
    pub(super) fn are_null(&self) -> bool {
        match self.arg.map(|arg| &arg.values) {
            Some(Values::Any(values)) if self.parameter.is_none() && self.constant.is_none() => {
                self.positions.iter().all(|p| values[*p as usize].is_null())
            }
            _ => false,
        }
    }

    /// Calls `visit` with group, position and weight of the rows whose argument is not null.
    #[inline]
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(usize, usize, u64) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let rows = self.numbers.iter().zip(self.positions).map(|(n, p)| (*n as usize, *p as usize));
        let plain = self.are_plain();
        match (self.weights, self.arg) {
            (Weights::All(weight), Some(arg)) if !plain => {
                // Which rows are null is guessed wrong too often: the others are put together first, without
                // a branch on it.
                let mut present = [(0u32, 0u32); BATCH_ROWS];
                let batches = self.numbers.chunks(BATCH_ROWS).zip(self.positions.chunks(BATCH_ROWS));
                for (numbers, positions) in batches {
                    let mut end = 0;
                    for (n, p) in numbers.iter().zip(positions) {
                        present[end] = (*n, *p);
                        end += usize::from(!arg.is_null(*p as usize));
                    }
                    for (n, p) in &present[..end] {
                        visit(*n as usize, *p as usize, weight)?;
                    }
                }
                Ok(())
            }
            (Weights::All(weight), _) => {
                for (n, p) in rows {
                    visit(n, p, weight)?;
                }
                Ok(())
            }
            (Weights::Each(weights), arg) => (rows.zip(weights))
                .filter(|((_, p), w)| **w > 0 && (plain || arg.is_none_or(|v| !v.is_null(*p))))
                .try_for_each(|((n, p), w)| visit(n, p, *w)),
        }
    }
}
