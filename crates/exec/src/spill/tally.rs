//! How many bytes a query put into files, and which of its operators did: each file knows whose it is.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::counters::Counters;

/// What counts the bytes of one query, for one thread: the same counters for all threads, and the operator
/// that runs here, where operators are counted.
#[derive(Debug, Default)]
pub(crate) struct Spilling {
    query_bytes: Arc<AtomicU64>,
    operator: RefCell<Option<Arc<Counters>>>,
    /// Bytes that this thread read from files, and will read again for other rows.
    read_again_bytes: Cell<u64>,
}

/// The same for one file, or for a thread that begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileTally {
    query_bytes: Arc<AtomicU64>,
    operator: Option<Arc<Counters>>,
}

impl Spilling {
    /// For a thread that works for the operator of `tally`.
    pub(crate) fn of(tally: &FileTally) -> Self {
        let FileTally { query_bytes, operator } = tally.clone();
        Self { query_bytes, operator: RefCell::new(operator), ..Self::default() }
    }

    /// Bytes that the query has written so far.
    pub(crate) fn query_bytes(&self) -> u64 {
        self.query_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that this thread has read from files so far, of what is read again for other rows.
    pub(crate) fn read_again_bytes(&self) -> u64 {
        self.read_again_bytes.get()
    }

    /// So many more were.
    pub(crate) fn read_again(&self, bytes: usize) {
        self.read_again_bytes.set(self.read_again_bytes.get() + bytes as u64);
    }

    /// An operator runs from now on; gives the one that ran before, which is to be [put back](Self::restore).
    pub(crate) fn enter(&self, operator: &Arc<Counters>) -> Option<Arc<Counters>> {
        self.operator.replace(Some(Arc::clone(operator)))
    }

    /// The operator that ran before goes on.
    pub(crate) fn restore(&self, before: Option<Arc<Counters>>) {
        self.operator.replace(before);
    }

    /// For a file that the operator makes now.
    pub(crate) fn of_file(&self) -> FileTally {
        FileTally { query_bytes: Arc::clone(&self.query_bytes), operator: self.operator.borrow().clone() }
    }
}

impl FileTally {
    /// So many bytes were written.
    pub(crate) fn add(&self, bytes: u64) {
        self.query_bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(operator) = &self.operator {
            operator.spilled(bytes);
        }
    }
}
