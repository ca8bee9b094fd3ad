//! Rows that a plan starts from and that somebody else has made: those that a statement's last update left.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trimorph_algebra::VarId;
use trimorph_vector::{Chunk, Positions, Vector};

use crate::operator::Operator;
use crate::{Context, ExecError, GivenRows};

/// The rows, in group 0.
pub(crate) struct Given {
    rows: Arc<GivenRows>,
    /// The column of each slot.
    slots: Vec<usize>,
    /// The next row, for all twins.
    next: Arc<AtomicUsize>,
}

impl Given {
    /// Gives the columns of `vars`, in this order; `None` where one is not among the rows.
    pub(crate) fn new(rows: Arc<GivenRows>, vars: &[VarId], next: Arc<AtomicUsize>) -> Option<Self> {
        let slots = vars.iter().map(|var| rows.vars.iter().position(|own| own == var));
        Some(Self { slots: slots.collect::<Option<_>>()?, rows, next })
    }
}

impl<'s> Operator<'s> for Given {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        let size = cx.settings.vector_size;
        let first = self.next.fetch_add(size, Ordering::Relaxed).min(self.rows.len);
        let end = (first + size).min(self.rows.len);
        if first == end {
            return Ok(false);
        }
        let group = &mut chunk.groups[0];
        group.reset(end - first);
        for (vector, column) in group.vectors.iter_mut().zip(&self.slots) {
            let values = self.rows.columns[*column][first..end].to_vec();
            *vector = Vector::of_values(values, Positions::all(end - first));
        }
        Ok(true)
    }

    fn reset(&mut self) {
        self.next.store(0, Ordering::Relaxed);
    }
}
