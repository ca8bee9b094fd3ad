//! The views that are in use: how far back the oldest reads, and when what was removed may be used again.
//!
//! 1. Who reads is registered, with its read timestamp and the epoch it came in.
//! 2. Versions that only readers below [`Snapshots::oldest`] would see can be removed.
//! 3. What was removed may still be in the hands of those who found it before. [`Snapshots::retire`] ends the
//!    epoch after a removal; once all who came in it or before are gone, [`Snapshots::is_past`] says so.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Timestamp;

/// A time between two removals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Epoch(u64);

#[derive(Debug, Default)]
struct State {
    epoch: u64,
    /// How many came in each epoch and are still there.
    epochs: BTreeMap<u64, usize>,
    /// How many read at each timestamp.
    reads: BTreeMap<Timestamp, usize>,
}

/// The views that are in use.
#[derive(Debug, Default)]
pub struct Snapshots {
    state: Mutex<State>,
}

/// A view that is in use, until it is dropped.
#[derive(Debug)]
pub struct Registered {
    snapshots: Arc<Snapshots>,
    read: Timestamp,
    epoch: u64,
}

impl Registered {
    /// Its read timestamp.
    pub fn read(&self) -> Timestamp {
        self.read
    }
}

fn leave<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut state = self.snapshots.lock();
        leave(&mut state.reads, &self.read);
        leave(&mut state.epochs, &self.epoch);
    }
}

impl Snapshots {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a reader. `read` is asked for its timestamp while nobody else can ask for the oldest.
    ///
    /// **Cost**: a lock and two small maps, some 50 ns.
    pub fn register(self: &Arc<Self>, read: impl FnOnce() -> Timestamp) -> Registered {
        let mut state = self.lock();
        let (read, epoch) = (read(), state.epoch);
        *state.reads.entry(read).or_default() += 1;
        *state.epochs.entry(epoch).or_default() += 1;
        Registered { snapshots: Arc::clone(self), read, epoch }
    }

    /// The smallest read timestamp in use; `published` tells it where nobody reads.
    pub fn oldest(&self, published: impl FnOnce() -> Timestamp) -> Timestamp {
        let state = self.lock();
        let published = published();
        state.reads.first_key_value().map_or(published, |(read, _)| *read)
    }

    /// All read timestamps in use, ascending.
    pub fn reads(&self) -> Vec<Timestamp> {
        self.lock().reads.keys().copied().collect()
    }

    /// Ends the epoch in which something was removed.
    pub fn retire(&self) -> Epoch {
        let mut state = self.lock();
        state.epoch += 1;
        Epoch(state.epoch - 1)
    }

    /// Whether all who came in `epoch` or before are gone.
    pub fn is_past(&self, epoch: Epoch) -> bool {
        self.lock().epochs.first_key_value().is_none_or(|(first, _)| *first > epoch.0)
    }
}
