//! Who holds a database: counts its handles, and tells when somebody without one is at work on it.
//!
//! Invariant: the thread that merges holds the database only within [`Handles::at_work`].

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use trimorph_base::Process;

/// How many handles there are, and who is at work without one.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    count: AtomicUsize,
    at_work: Mutex<()>,
    maker: Process,
}

impl Handles {
    /// One more.
    pub(crate) fn come(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// One less, which has let go of the database; the last one waits until nobody is at work. In a child
    /// that was forked nobody is, though it may look so.
    pub(crate) fn go(&self) {
        if self.count.fetch_sub(1, Ordering::AcqRel) == 1 && self.maker.is_this() {
            drop(self.at_work());
        }
    }

    /// For as long as a thread holds the database without a handle.
    pub(crate) fn at_work(&self) -> MutexGuard<'_, ()> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
