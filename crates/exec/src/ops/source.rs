//! Sources without a table: one row, no row, the rows of the enclosing apply.

use std::sync::{Arc, Mutex, PoisonError};

use trimorph_vector::{Chunk, Group};

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// One row without variables, in flat group 0.
pub(crate) struct Unit {
    done: bool,
}

impl Unit {
    pub(crate) fn new() -> Self {
        Self { done: false }
    }
}

impl<'s> Operator<'s> for Unit {
    fn next(&mut self, chunk: &mut Chunk<'s>, _cx: &Context<'s>) -> Result<bool, ExecError> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        chunk.groups[0].reset(1);
        chunk.groups[0].flat = Some(0);
        Ok(true)
    }

    fn reset(&mut self) {
        self.done = false;
    }

    fn fork(&self) -> BoxOperator<'s> {
        // The one row is the first twin's.
        Box::new(Self { done: true })
    }
}

/// No row.
pub(crate) struct Empty;

impl<'s> Operator<'s> for Empty {
    fn next(&mut self, _chunk: &mut Chunk<'s>, _cx: &Context<'s>) -> Result<bool, ExecError> {
        Ok(false)
    }

    fn reset(&mut self) {}

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self)
    }
}

/// Where an apply leaves the rows for its subplan.
#[derive(Clone, Default)]
pub(crate) struct ArgumentCell<'s>(Arc<Mutex<Option<Group<'s>>>>);

impl<'s> ArgumentCell<'s> {
    pub(crate) fn put(&self, group: Group<'s>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(group);
    }

    fn take(&self) -> Option<Group<'s>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The rows of the enclosing apply, in group 0.
pub(crate) struct Argument<'s> {
    pub(crate) cell: ArgumentCell<'s>,
}

impl<'s> Operator<'s> for Argument<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, _cx: &Context<'s>) -> Result<bool, ExecError> {
        match self.cell.take() {
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

    fn fork(&self) -> BoxOperator<'s> {
        Box::new(Self { cell: self.cell.clone() })
    }
}
