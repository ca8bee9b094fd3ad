//! Sources without a table: one row, no row, the rows of the enclosing apply.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_vector::{Chunk, Group};

use crate::operator::Operator;
use crate::{Context, ExecError};

/// One row without variables, in flat group 0.
pub(crate) struct Unit {
    /// Whether a twin gave it.
    given: Arc<AtomicBool>,
}

impl Unit {
    pub(crate) fn new(given: Arc<AtomicBool>) -> Self {
        Self { given }
    }
}

impl<'s> Operator<'s> for Unit {
    fn next(&mut self, chunk: &mut Chunk<'s>, _cx: &Context<'s>) -> Result<bool, ExecError> {
        if self.given.swap(true, Ordering::Relaxed) {
            return Ok(false);
        }
        chunk.groups[0].reset(1);
        chunk.groups[0].flat = Some(0);
        Ok(true)
    }

    fn reset(&mut self) {
        self.given.store(false, Ordering::Relaxed);
    }
}

/// No row.
pub(crate) struct Empty;

impl<'s> Operator<'s> for Empty {
    fn next(&mut self, _chunk: &mut Chunk<'s>, _cx: &Context<'s>) -> Result<bool, ExecError> {
        Ok(false)
    }

    fn reset(&mut self) {}
}

/// Where an apply leaves the rows for its subplan. A subplan may start from them in several places (the
/// branches of a union, both sides of a join): each of its leaves gets them once.
#[derive(Clone, Default)]
pub(crate) struct ArgumentCell<'s>(Arc<Mutex<Vec<Option<Group<'s>>>>>);

impl<'s> ArgumentCell<'s> {
    fn leaves(&self) -> MutexGuard<'_, Vec<Option<Group<'s>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A leaf of the subplan that starts from the rows.
    pub(crate) fn leaf(&self) -> Argument<'s> {
        let mut leaves = self.leaves();
        leaves.push(None);
        Argument { cell: self.clone(), leaf: leaves.len() - 1 }
    }

    pub(crate) fn put(&self, group: Group<'s>) {
        let mut leaves = self.leaves();
        let Some((last, others)) = leaves.split_last_mut() else { return };
        others.iter_mut().for_each(|leaf| *leaf = Some(group.clone()));
        *last = Some(group);
    }

    fn take(&self, leaf: usize) -> Option<Group<'s>> {
        self.leaves().get_mut(leaf)?.take()
    }
}

/// The rows of the enclosing apply, in group 0.
pub(crate) struct Argument<'s> {
    cell: ArgumentCell<'s>,
    leaf: usize,
}

impl Argument<'_> {
    /// How many rows there are: once, in place of the rows.
    pub(super) fn rows(&self) -> Option<usize> {
        self.cell.take(self.leaf).map(|group| group.len).filter(|rows| *rows > 0)
    }
}

impl<'s> Operator<'s> for Argument<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, _cx: &Context<'s>) -> Result<bool, ExecError> {
        match self.cell.take(self.leaf) {
            Some(group) if group.len > 0 => {
                let slots = chunk.groups[0].vectors.len();
                chunk.groups[0] = group;
                chunk.groups[0].vectors.resize_with(slots, trimorph_vector::Vector::empty);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn reset(&mut self) {}
}
