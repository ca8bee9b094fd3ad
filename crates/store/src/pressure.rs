//! How much was written since somebody looked, and who waits to be told: the thread that merges.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Versions and edges after which who waits is told.
const TOLD_AFTER: u64 = 1 << 10;

/// Why somebody stopped waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// Much was written.
    Written,
    /// Time is up.
    TimeUp,
    /// The database is closed.
    Closed,
}

#[derive(Debug, Default)]
struct State {
    told: bool,
    closed: bool,
}

/// What was written since somebody looked.
#[derive(Debug, Default)]
pub struct Pressure {
    written: AtomicU64,
    undone: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
}

impl Pressure {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many versions and edges were written, whatever became of them. **Cost**: an addition, as a rule.
    pub fn add(&self, count: u64) {
        let before = self.written.fetch_add(count, Ordering::Relaxed);
        if (before + count) / TOLD_AFTER > before / TOLD_AFTER {
            self.tell();
        }
    }

    /// How many versions and edges were ever written.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Versions or edges were undone, and say so by now.
    pub fn add_undone(&self) {
        self.undone.fetch_add(1, Ordering::Release);
    }

    /// How often something was undone: as long as it is the same there is nothing of it to be cleaned that
    /// was not there before.
    pub fn undone(&self) -> u64 {
        self.undone.load(Ordering::Acquire)
    }

    /// Tells who waits.
    pub fn tell(&self) {
        self.lock().told = true;
        self.changed.notify_all();
    }

    /// Tells who waits that there is nothing to wait for any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits until much was written, or for `time`, or until the database is closed.
    pub fn wait(&self, time: Duration) -> Waited {
        let idle = |state: &mut State| !state.told && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), time, idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let told = std::mem::take(&mut state.told);
        match (state.closed, told) {
            (true, _) => Waited::Closed,
            (_, true) => Waited::Written,
            _ => Waited::TimeUp,
        }
    }
}
