//! `Cell`: what a connection and its results share. Calls in; the engine's connection out, until it is
//! closed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use trimorph::{CancelToken, Params, Value};

use crate::forks::outside;
use crate::{error, function};

/// The engine's connection, until it is closed, and the flag of what runs on it.
pub(crate) struct Cell {
    engine: Mutex<Option<Arc<trimorph::Connection>>>,
    running: Mutex<CancelToken>,
    /// Committing and rolling back where nothing was begun is nothing, and no error: set by cursors, which
    /// callers of DB-API 2.0 end in this way.
    lenient: AtomicBool,
    /// Parameters that openCypher has without being given them: what was registered.
    registered: Mutex<Arc<Params>>,
}

impl Cell {
    pub(crate) fn new(engine: trimorph::Connection) -> Self {
        Self {
            engine: Mutex::new(Some(Arc::new(engine))),
            running: Mutex::default(),
            lenient: AtomicBool::new(false),
            registered: Mutex::default(),
        }
    }

    /// Closes it; an open transaction is undone, without the GIL.
    pub(crate) fn close(&self, py: Python<'_>) {
        let closed = self.take();
        outside(py, || drop(closed));
    }

    /// Takes the engine's connection, to be dropped where nothing is locked.
    pub(crate) fn take(&self) -> Option<Arc<trimorph::Connection>> {
        drop(self.swap_registered(|_| Arc::default()));
        self.engine.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether a transaction was begun and has not ended. A statement of it that is at work is waited for,
    /// and may wait for the GIL: so this waits without it.
    pub(crate) fn in_transaction(&self, py: Python<'_>) -> PyResult<bool> {
        let engine = self.engine()?;
        Ok(outside(py, || engine.in_transaction()))
    }

    /// The engine's connection.
    ///
    /// **Errors**: closed; the call of a function by a query, which holds what this would wait for.
    pub(crate) fn engine(&self) -> PyResult<Arc<trimorph::Connection>> {
        if function::is_running() {
            let text = "a function that a query calls cannot ask the database itself";
            return Err(error::InterfaceError::new_err(text));
        }
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner).clone();
        engine.ok_or_else(|| error::InterfaceError::new_err("the connection is closed"))
    }

    /// From now on `name` is a parameter that has this value unless a call gives it another.
    pub(crate) fn register(&self, name: &str, value: Value) {
        drop(self.swap_registered(|registered| {
            let mut all = Params::clone(registered);
            all.insert(name.into(), value);
            Arc::new(all)
        }));
    }

    /// Takes a parameter back; else gives the names of those there are.
    pub(crate) fn unregister(&self, name: &str) -> Result<(), Vec<Arc<str>>> {
        let before = self.swap_registered(|registered| {
            let mut left = Params::clone(registered);
            left.remove(name);
            Arc::new(left)
        });
        match before.contains_key(name) {
            true => Ok(()),
            false => Err(before.keys().cloned().collect()),
        }
    }

    /// The parameters of a call, `given` ones before those that were registered.
    pub(crate) fn parameters(&self, given: Arc<Params>) -> Arc<Params> {
        let registered = Arc::clone(&self.registered.lock().unwrap_or_else(PoisonError::into_inner));
        if registered.is_empty() {
            return given;
        }
        let mut all = Arc::unwrap_or_clone(registered);
        all.extend(given.iter().map(|(name, value)| (Arc::clone(name), value.clone())));
        Arc::new(all)
    }

    /// Puts others in place of what was registered; gives what was, to be dropped where nothing is locked.
    fn swap_registered(&self, make: impl FnOnce(&Params) -> Arc<Params>) -> Arc<Params> {
        let mut registered = self.registered.lock().unwrap_or_else(PoisonError::into_inner);
        let next = make(&registered);
        std::mem::replace(&mut *registered, next)
    }

    /// Notes what `interrupt` is to stop.
    pub(crate) fn runs(&self, cancel: &CancelToken) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
    }

    /// From now on an end of nothing is no error.
    pub(crate) fn be_lenient(&self) {
        self.lenient.store(true, Ordering::Relaxed);
    }

    /// Whether an end of nothing is no error.
    pub(crate) fn is_lenient(&self) -> bool {
        self.lenient.load(Ordering::Relaxed)
    }

    /// Stops what was noted last.
    pub(crate) fn interrupt(&self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}
