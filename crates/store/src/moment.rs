//! Moment: what a snapshot sees of the delta, and the lists that it has put together so far.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Pressure;
use crate::known_names::KnownNames;
use elsa::sync::FrozenMap;
use trimorph_base::{EdgeId, EdgeTableId, NodeId};
use trimorph_delta::{Delta, Direction, Topology};
use trimorph_mvcc::{AtomicStamp, Inside, Reading, Registered, Timestamp, Transactions, View};

/// What all snapshots of one database share: what was changed, and who is when.
#[derive(Debug, Default)]
pub struct Live {
    /// What was changed and is not merged.
    pub delta: Delta,
    /// The table of transactions.
    pub transactions: Transactions,
    /// How much was written since the last merge looked.
    pub pressure: Pressure,
    /// Where names of nodes are looked for first.
    names: KnownNames,
    written: AtomicBool,
    /// Transactions that may write and are not over.
    writers: Mutex<usize>,
    /// Transactions that wrote, or were about to write, what breaks facts that may become true again: how
    /// many there were, and how many of them are over.
    breaking: (AtomicU64, AtomicU64),
}

impl Live {
    fn writers(&self) -> MutexGuard<'_, usize> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A log was read: the last commit was at `last`, transactions were given `handles` handles, and there is
    /// something in the delta or nothing.
    pub fn recover(&self, last: Timestamp, handles: u64, has_written: bool) {
        self.transactions.advance(last, handles);
        self.written.fetch_or(has_written, Ordering::AcqRel);
    }

    /// A transaction begins that may write.
    pub fn begin_to_write(&self) {
        let mut writers = self.writers();
        *writers += 1;
        self.written.store(true, Ordering::Release);
    }

    /// It is over.
    pub fn end_writing(&self) {
        let mut writers = self.writers();
        *writers = writers.saturating_sub(1);
    }

    /// A transaction is about to write a value of another type than its column's, or labels, for the first
    /// time; it says so before it asks whether that was said of the data.
    pub fn begin_to_break_facts(&self) {
        self.breaking.0.fetch_add(1, Ordering::SeqCst);
    }

    /// It is over: what it wrote can be found, and has its stamp.
    pub fn end_breaking_facts(&self) {
        self.breaking.1.fetch_add(1, Ordering::SeqCst);
    }

    /// How many such transactions there were; none while one of them is not over.
    pub fn breaking_facts(&self) -> Option<u64> {
        let over = self.breaking.1.load(Ordering::SeqCst);
        // Never fewer than are over, and only that many where none of them is open.
        Some(self.breaking.0.load(Ordering::SeqCst)).filter(|begun| *begun == over)
    }

    /// Whether somebody has written what main may not have: else main is all there is.
    pub fn was_written(&self) -> bool {
        self.written.load(Ordering::Acquire)
    }

    /// If nobody is about to write, and `is_all` says that main has all that was written, main is all there
    /// is from now on; `tidy` is called while nobody can begin to write.
    pub fn rest(&self, is_all: impl FnOnce() -> bool, tidy: impl FnOnce()) -> bool {
        let writers = self.writers();
        let rests = *writers == 0 && is_all();
        if rests {
            tidy();
            self.written.store(false, Ordering::Release);
        }
        rests
    }
}

/// The delta as one snapshot sees it.
pub struct Moment {
    live: Arc<Live>,
    topology: Arc<Topology>,
    view: View,
    /// What has become of the transaction that sees this, if one does.
    outcome: Option<Arc<AtomicStamp>>,
    /// In use until the last snapshot that reads at this time is gone.
    registered: Arc<Registered>,
    /// Whether its transaction is inside for as long as somebody reads here.
    is_held: bool,
    patches: FrozenMap<PatchKey, Box<Patch>>,
    /// Whether there are any, or are about to be.
    has_patches: AtomicBool,
}

pub(crate) type PatchKey = (EdgeTableId, Direction, NodeId);

/// A list that changes touched, put together from main and the delta: sorted by neighbour, as lists are.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// The neighbours.
    pub(crate) nodes: Vec<NodeId>,
    /// The edges.
    pub(crate) edges: Vec<EdgeId>,
}

impl std::fmt::Debug for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moment").field("view", &self.view).finish_non_exhaustive()
    }
}

impl Moment {
    /// The delta of `live` at `view`, which `registered` keeps in use.
    pub fn new(live: Arc<Live>, view: View, registered: Arc<Registered>) -> Self {
        let topology = live.delta.topology();
        Self {
            live,
            topology,
            view,
            outcome: None,
            registered,
            is_held: false,
            patches: FrozenMap::new(),
            has_patches: AtomicBool::new(false),
        }
    }

    /// The same for a transaction: what it wrote is still seen when it has committed.
    pub fn of_transaction(self, outcome: Arc<AtomicStamp>) -> Self {
        Self { outcome: Some(outcome), ..self }
    }

    /// The same for readers that are gone before their transaction is, which is inside for all of them.
    pub fn held(self, is_held: bool) -> Self {
        Self { is_held, ..self }
    }

    /// A reader comes in, and is to keep what this gives; none where its transaction has done that for it.
    pub(crate) fn enter(&self) -> Option<Inside> {
        (!self.is_held).then(|| self.registered.enter())
    }

    /// Where names of nodes are looked for first.
    pub(crate) fn names(&self) -> &KnownNames {
        &self.live.names
    }

    /// The delta.
    #[inline]
    pub fn delta(&self) -> &Delta {
        &self.live.delta
    }

    /// The edges of the delta.
    #[inline]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// What is seen.
    #[inline]
    pub fn reading(&self) -> Reading<'_> {
        let committed = self.outcome.as_ref().and_then(|outcome| outcome.load().timestamp());
        Reading { view: View { committed, ..self.view }, transactions: &self.live.transactions }
    }

    /// The list of a node along an edge table, if it was put together before. **Cost**: a look-up; a load
    /// where none was.
    #[inline]
    pub(crate) fn kept_patch(&self, key: &PatchKey) -> Option<&Patch> {
        if self.has_patches.load(Ordering::Acquire) { self.patches.get(key) } else { None }
    }

    /// The list of a node along an edge table, put together by `make` if nobody has before.
    ///
    /// **Cost**: a look-up, some 50 ns; memory as long as the snapshot lives.
    pub(crate) fn patch(&self, key: PatchKey, make: impl FnOnce() -> Patch) -> &Patch {
        match self.patches.get(&key) {
            Some(patch) => patch,
            // Another thread may have been faster: then its list is taken.
            None => {
                self.has_patches.store(true, Ordering::Release);
                self.patches.insert(key, Box::new(make()))
            }
        }
    }
}
