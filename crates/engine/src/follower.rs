//! What a database has that follows a directory: what was found there last, and how far behind it may be.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use trimorph_store::{Live, Main};

use crate::durable::Following;

/// How far behind its writer a database is that was opened read-only.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lag {
    /// The last commit that is seen.
    pub last_commit: u64,
    /// When it was committed, in microseconds since 1970, by its writer's clock; none of what was in the
    /// files already.
    pub last_commit_at: Option<i64>,
    /// How long ago the log was last looked at with success: what was committed since may be missing.
    pub since_look: Duration,
    /// Commits that were read and are not seen yet, since it is not certain that all before them were.
    pub waiting: usize,
    /// Why the last look failed.
    pub error: Option<String>,
}

/// What follows a directory.
#[derive(Debug)]
pub(crate) struct Follower {
    pub(crate) following: Mutex<Following>,
    /// Changed under the lock of the main version, with it.
    pub(crate) live: RwLock<Arc<Live>>,
    pub(crate) told: Mutex<Told>,
    pub(crate) closed: Arc<Closed>,
    /// Whether what was read last did not fit the memory limit.
    pub(crate) has_no_room: AtomicBool,
    /// Bytes of pieces that are in no file: what was merged while the log was read, or loaded.
    pub(crate) unstored: AtomicUsize,
}

/// Says to the thread that there is nothing to look for any more.
#[derive(Debug, Default)]
pub(crate) struct Closed {
    is: Mutex<bool>,
    changed: Condvar,
}

impl Closed {
    /// Waits for so long, or until it is closed, and tells which.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(lock(&self.is), time, |is| !*is);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// What the last look found.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) looked: Instant,
    pub(crate) last: (u64, i64),
    pub(crate) waiting: usize,
    pub(crate) error: Option<String>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of the pieces that are only in memory.
fn unstored(main: &Main) -> usize {
    main.piece_bytes().saturating_sub(main.stored_bytes())
}

impl Follower {
    pub(crate) fn new(following: Following, main: &Main, live: Arc<Live>) -> Self {
        let (last, waiting) = (following.last(), following.waiting());
        Self {
            following: Mutex::new(following),
            live: RwLock::new(live),
            told: Mutex::new(Told { looked: Instant::now(), last, waiting, error: None }),
            closed: Arc::default(),
            // Not known yet.
            has_no_room: AtomicBool::new(true),
            unstored: AtomicUsize::new(unstored(main)),
        }
    }

    /// Another main version is read.
    pub(crate) fn has_main(&self, main: &Main) {
        self.unstored.store(unstored(main), Ordering::Relaxed);
    }

    /// What was changed since the main version.
    pub(crate) fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How far it is behind.
    pub(crate) fn lag(&self) -> Lag {
        let told = lock(&self.told);
        Lag {
            last_commit: told.last.0,
            last_commit_at: (told.last.1 != 0).then_some(told.last.1),
            since_look: told.looked.elapsed(),
            waiting: told.waiting,
            error: told.error.clone(),
        }
    }

    /// The thread ends.
    pub(crate) fn close(&self) {
        *lock(&self.closed.is) = true;
        self.closed.changed.notify_all();
    }
}
