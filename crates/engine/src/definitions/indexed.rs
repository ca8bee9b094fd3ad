//! Indexes of values, made and dropped beside readers and writers.
//!
//! 1. The delta is told first: from then on it finds rows by the values that are written, and by those that
//!    are not merged yet.
//! 2. Main's index is made of its column, and published with it. Nobody merges or writes files meanwhile.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use trimorph_base::CancelToken;

use crate::Error;
use crate::merges_left::Merging;
use crate::shared::Shared;
use crate::value_indexes::{IndexedColumn, forget, index_delta, make, take_away, take_over, there, wanted};

impl Shared {
    /// Makes the indexes that the definitions ask for and that are not there; drops those that nobody asks
    /// for. Whoever asks holds the files' lock, so that no manifest is written meanwhile, and lets nobody
    /// merge.
    pub(super) fn index_defined(&self, _merging: &Merging, cancel: &CancelToken) -> Result<(), Error> {
        let base = self.base();
        let main = base.main();
        let (wanted, there) = (wanted(main), there(main));
        let missing: BTreeSet<IndexedColumn> = wanted.difference(&there).cloned().collect();
        missing.iter().for_each(|column| index_delta(&self.live.delta, main, column));
        let mut made = (*main).clone();
        for column in &missing {
            if let Err(error) = make(&mut made, column, cancel) {
                forget(&self.live.delta, &missing, &there);
                return Err(error);
            }
        }
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        // Tables and columns may have come meanwhile; no row is in another place.
        let mut next = (**snapshot.shared_main()).clone();
        missing.iter().for_each(|column| take_over(&mut next, &made, column));
        there.difference(&wanted).for_each(|column| take_away(&mut next, column));
        *snapshot = self.snapshot_of(Arc::new(next));
        drop(snapshot);
        forget(&self.live.delta, &there, &wanted);
        Ok(())
    }
}
