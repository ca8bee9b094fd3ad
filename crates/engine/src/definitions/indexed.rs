//! Indexes of values, made and dropped beside readers and writers.
//!
//! 1. The delta is told first: from then on it finds rows by the values that are written, and by those that
//!    are not merged yet.
//! 2. Main's index is made of its column, and published with it. Nobody merges or writes files meanwhile.

use std::sync::{Arc, PoisonError};

use trimorph_base::{CancelToken, TableId};
use trimorph_store::Snapshot;

use crate::Error;
use crate::merged_pieces::{MERGED, merge_failed};
use crate::shared::Shared;
use crate::value_indexes::{forget, index_delta, there, wanted};

impl Shared {
    /// Makes the indexes that the definitions ask for and that are not there; drops those that nobody asks
    /// for. Whoever asks holds the files' lock, so that no manifest is written meanwhile.
    pub(super) fn index_defined(&self, cancel: &CancelToken) -> Result<(), Error> {
        let _merges = self.merging.lock().unwrap_or_else(PoisonError::into_inner);
        let base = self.base();
        let main = base.main();
        let (wanted, there) = (wanted(main), there(main));
        let missing: Vec<(TableId, usize)> = wanted.difference(&there).copied().collect();
        for (table, column) in &missing {
            index_delta(&self.live.delta, main, *table, *column);
        }
        let mut made = (*main).clone();
        for (table, column) in &missing {
            if let Err(error) = made.index_values(*table, *column, MERGED, cancel) {
                missing.iter().for_each(|(table, column)| forget(&self.live.delta, *table, *column));
                return Err(merge_failed(error));
            }
        }
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        // Tables and columns may have come meanwhile; no row is in another place.
        let mut next = (**snapshot.shared_main()).clone();
        for (table, _) in &missing {
            let at = usize::from(table.0);
            let indexes = made.node_tables[at].value_indexes.clone();
            Arc::make_mut(&mut next.node_tables[at]).value_indexes = indexes;
        }
        for (table, column) in there.difference(&wanted) {
            next.drop_value_index(*table, *column);
        }
        *snapshot = Snapshot::within(Arc::new(next), self.config.memory_limit_bytes);
        drop(snapshot);
        for (table, column) in there.difference(&wanted) {
            forget(&self.live.delta, *table, *column);
        }
        Ok(())
    }
}
