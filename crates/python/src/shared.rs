//! `Shared`: what computes a result's rows, for the result itself and for its Arrow streams, on whichever
//! threads these are read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use trimorph::CancelToken;

use crate::cell::Cell;
use crate::{error, interrupt};

/// How far a result was read.
pub(crate) struct State {
    pub(crate) engine: trimorph::QueryResult,
    pub(crate) ended: bool,
    /// What all Arrow streams of this result share, from the first on.
    pub(crate) cursor: Option<trimorph::ArrowCursor>,
    /// Not the exception: that would hold the frames it passed, and they this result.
    pub(crate) failed: Option<trimorph::Error>,
}

impl State {
    /// Ends the result; gives what to raise.
    pub(crate) fn fail(&mut self, py: Python<'_>, failed: trimorph::Error) -> PyErr {
        let raised = interrupt::raise(py, &failed);
        self.failed = Some(failed);
        raised
    }
}

/// What computes the rows, shared by a result and its Arrow streams, which may outlive it.
#[derive(Clone)]
pub(crate) struct Shared {
    state: Arc<Mutex<State>>,
    pub(crate) cancel: CancelToken,
    cell: Arc<Cell>,
}

impl Shared {
    /// Of a result of which nothing was read. `cancel` stops it.
    pub(crate) fn new(engine: trimorph::QueryResult, cancel: CancelToken, cell: Arc<Cell>) -> Self {
        let state = State { engine, ended: false, cursor: None, failed: None };
        Self { state: Arc::new(Mutex::new(state)), cancel, cell }
    }

    /// Notes that this is what `interrupt` is to stop.
    pub(crate) fn runs(&self) {
        self.cell.runs(&self.cancel);
    }

    /// The state, once no other thread has it.
    pub(crate) fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The schema of the Arrow streams. The first call settles it, for which it may compute some rows; they
    /// are kept.
    pub(crate) fn schema(&self, py: Python<'_>) -> PyResult<SchemaRef> {
        let mut state = self.lock(py);
        if let Some(failed) = &state.failed {
            return Err(error::from_engine(py, failed));
        }
        if let Some(cursor) = &state.cursor {
            return Ok(cursor.schema());
        }
        self.runs();
        let engine = &mut state.engine;
        match interrupt::attempt(py, &self.cancel, || trimorph::ArrowCursor::new(engine)) {
            Ok(cursor) => Ok(state.cursor.insert(cursor).schema()),
            Err(failed) => Err(state.fail(py, failed)),
        }
    }

    /// The next batch of the Arrow streams. `raise` makes an error what the caller gives on.
    pub(crate) fn next_batch<E>(
        &self,
        py: Python<'_>,
        raise: impl FnOnce(&trimorph::Error) -> E,
    ) -> Result<Option<RecordBatch>, E> {
        let mut state = self.lock(py);
        let State { engine, ended, cursor, failed } = &mut *state;
        if let Some(failed) = failed {
            return Err(raise(failed));
        }
        let Some(cursor) = cursor else { return Ok(None) };
        self.runs();
        match interrupt::attempt(py, &self.cancel, || cursor.next_batch(engine)) {
            Ok(batch) => {
                *ended = cursor.has_ended();
                Ok(batch)
            }
            Err(error) => Err(raise(failed.insert(error))),
        }
    }
}
