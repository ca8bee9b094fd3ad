//! Positions of new edges in the pages of one edge table: takes a page and how many positions main has there,
//! gives the next one.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// Maps that pages are spread over.
const SHARDS: usize = 16;

/// Positions that were given, by page.
#[derive(Debug, Default)]
pub struct Positions {
    next: [Mutex<FxHashMap<u64, u64>>; SHARDS],
}

impl Positions {
    /// The next position of a page in which main has positions below `first`.
    pub fn take(&self, page: u64, first: impl FnOnce() -> u64) -> u64 {
        let mut next = self.next[page as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner);
        let next = next.entry(page).or_insert_with(first);
        *next += 1;
        *next - 1
    }
}
