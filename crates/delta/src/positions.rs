//! Positions of new edges in the pages of one edge table: takes a page and how many positions main has there,
//! gives the next one.

use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// Maps that pages are spread over.
const SHARDS: usize = 16;

/// Stands at a page of which a log told positions that were given: main may have others behind them.
pub(crate) const RESTORED: u64 = 1 << 63;

/// Positions that were given, by page.
#[derive(Debug, Default)]
pub struct Positions {
    next: [Mutex<FxHashMap<u64, u64>>; SHARDS],
}

impl Positions {
    /// The next position of a page in which main has positions below `first`.
    pub fn take(&self, page: u64, first: impl FnOnce() -> u64) -> u64 {
        let mut next = self.shard(page);
        let next = match next.entry(page) {
            Entry::Vacant(new) => new.insert(first()),
            Entry::Occupied(next) => {
                let next = next.into_mut();
                if *next & RESTORED != 0 {
                    *next = (*next & !RESTORED).max(first());
                }
                next
            }
        };
        *next += 1;
        *next - 1
    }

    pub(crate) fn shard(&self, page: u64) -> MutexGuard<'_, FxHashMap<u64, u64>> {
        self.next[page as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
