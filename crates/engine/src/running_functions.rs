//! Which threads run functions of the program: a query waits for these.

use std::cell::Cell;

thread_local! {
    /// How many functions run on this thread, one within the other.
    static RUNNING: Cell<u32> = const { Cell::new(0) };
}

/// While it lives, a function runs on this thread.
pub(crate) struct Running;

impl Running {
    pub(crate) fn new() -> Self {
        RUNNING.set(RUNNING.get() + 1);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get() - 1);
    }
}

/// Whether a query waits for a function on this thread: who is called here must not wait for the query.
pub(crate) fn is_running() -> bool {
    RUNNING.get() > 0
}
