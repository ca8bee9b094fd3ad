//! What holds a database open: databases and connections. With the last of them it is closed, and nobody is
//! at work on its files any more: another process can open its directory at once.
//!
//! The thread that merges holds the database, too, while it is at work. So the last handle lets go of its
//! own share first, and then waits until the thread has let go as well.
//!
//! Invariant: the thread holds the database only within [`Handles::at_work`].

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::shared::Shared;

/// How many handles there are, and who is at work without one.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    count: AtomicUsize,
    at_work: Mutex<()>,
}

impl Handles {
    /// For as long as a thread holds the database without a handle.
    pub(crate) fn at_work(&self) -> MutexGuard<'_, ()> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that holds the database open.
#[derive(Debug)]
pub(crate) struct Handle {
    // Dropped in this order.
    shared: Arc<Shared>,
    _counted: Counted,
}

#[derive(Debug)]
struct Counted(Arc<Handles>);

impl Handle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let handles = Arc::clone(&shared.handles);
        handles.count.fetch_add(1, Ordering::AcqRel);
        Self { shared, _counted: Counted(handles) }
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.shared))
    }
}

impl Deref for Handle {
    type Target = Arc<Shared>;

    fn deref(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            drop(self.0.at_work());
        }
    }
}
