//! `Shared`: what computes a result's rows, for the result itself and for its Arrow streams, on whichever
//! threads these are read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    /// The nodes and relationships of the rows that are buffered, where they are many.
    pub(crate) read: trimorph::ReadEntities,
    pub(crate) ended: bool,
    /// What all Arrow streams of this result share, from the first on.
    pub(crate) cursor: Option<trimorph::ArrowCursor>,
    /// Rows that were handed out.
    pub(crate) taken: u64,
    /// Somebody read the result to its end, and knows.
    pub(crate) was_read: bool,
    /// How long rows were computed.
    pub(crate) spent: Duration,
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

    /// Lets go of what computes the rows. Whoever reads on is told.
    pub(crate) fn close(&mut self) {
        self.engine.end();
        self.read = trimorph::ReadEntities::default();
        let text = "the result is closed: run the query again, or keep what was read".to_owned();
        self.failed.get_or_insert(trimorph::Error::Row(text));
        // So that the error is met wherever rows would be.
        self.ended = false;
    }

    /// Before somebody reads all rows that are left.
    ///
    /// **Errors**: what failed before; all rows were read, and whoever reads again would see none.
    pub(crate) fn may_be_read(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(failed) = &self.failed {
            return Err(error::from_engine(py, failed));
        }
        if !self.was_read || self.taken == 0 {
            return Ok(());
        }
        let text = "all rows of the result were read: run the query again, or keep what was read";
        Err(error::InterfaceError::new_err(text))
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
        let state = State {
            ended: engine.is_computed(),
            engine,
            read: trimorph::ReadEntities::default(),
            cursor: None,
            taken: 0,
            was_read: false,
            spent: Duration::ZERO,
            failed: None,
        };
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
        state.may_be_read(py)?;
        if let Some(cursor) = &state.cursor {
            return Ok(cursor.schema());
        }
        self.runs();
        let engine = &mut state.engine;
        match interrupt::attempt(py, &self.cancel, || trimorph::ArrowCursor::new(engine)) {
            Ok(cursor) => {
                // Rows that were there already are the stream's from now on.
                state.ended = cursor.has_ended();
                Ok(state.cursor.insert(cursor).schema())
            }
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
        let State { engine, ended, cursor, failed, taken, was_read, spent, .. } = &mut *state;
        if let Some(failed) = failed {
            return Err(raise(failed));
        }
        let Some(cursor) = cursor else { return Ok(None) };
        self.runs();
        let begun = Instant::now();
        let next = interrupt::attempt(py, &self.cancel, || cursor.next_batch(engine));
        *spent += begun.elapsed();
        match next {
            Ok(batch) => {
                *ended = cursor.has_ended();
                *taken += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
                *was_read |= batch.is_none();
                Ok(batch)
            }
            Err(error) => Err(raise(failed.insert(error))),
        }
    }
}
