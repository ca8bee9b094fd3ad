//! `Handle`: what a database and its connections share, and closing it; the class `Database` over it, whose
//! methods are in `database.rs`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use pyo3::prelude::*;

use crate::cell::Cell;
use crate::entity::Source;
use crate::error;

/// What a `Database` and its connections share.
pub(crate) struct Handle {
    pub(crate) source: Source,
    pub(crate) path: PathBuf,
    engine: RwLock<Option<trimorph::Database>>,
    /// Emptied when the database is closed, so that its lock is given back although connections are still
    /// referred to.
    cells: Mutex<Vec<Weak<Cell>>>,
}

impl Handle {
    /// Of a database that was opened at `path`.
    pub(crate) fn new(path: PathBuf, engine: trimorph::Database) -> Self {
        static SOURCES: AtomicU64 = AtomicU64::new(1);
        let source = SOURCES.fetch_add(1, Ordering::Relaxed);
        Self { source, path, engine: RwLock::new(Some(engine)), cells: Mutex::default() }
    }

    /// The engine's database.
    ///
    /// **Errors**: closed.
    pub(crate) fn engine(&self) -> PyResult<trimorph::Database> {
        let engine = self.engine.read().unwrap_or_else(PoisonError::into_inner).clone();
        engine.ok_or_else(|| error::InterfaceError::new_err("the database is closed"))
    }

    /// A connection of the engine's, which closing the database closes.
    pub(crate) fn connect(&self) -> PyResult<Arc<Cell>> {
        let cell = Arc::new(Cell::new(self.engine()?.connect()));
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        if cells.len() == cells.capacity() {
            cells.retain(|c| c.strong_count() > 0);
        }
        cells.push(Arc::downgrade(&cell));
        Ok(cell)
    }

    /// Closes the database and its connections; without the GIL.
    ///
    /// **Errors**: what was committed may not last.
    pub(crate) fn close(&self) -> Result<(), trimorph::Error> {
        let engine = self.engine.write().unwrap_or_else(PoisonError::into_inner).take();
        let cells = std::mem::take(&mut *self.cells.lock().unwrap_or_else(PoisonError::into_inner));
        // What they have open is undone while nothing is locked here.
        cells.iter().filter_map(Weak::upgrade).for_each(|cell| drop(cell.take()));
        engine.map_or(Ok(()), trimorph::Database::close)
    }
}

/// A graph database in a directory, or in memory (`":memory:"`).
///
/// `test_procedures` offers `tck.register` and `tck.unregister`, by which tests make procedures of their own.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Database {
    pub(crate) handle: Arc<Handle>,
}
