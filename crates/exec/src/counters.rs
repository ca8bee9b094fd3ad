//! What is counted of one operator while a query runs.

use std::sync::atomic::{AtomicU64, Ordering};

/// What one operator did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileLine {
    /// Tuples its chunks stood for.
    pub tuples: u64,
    /// Positions in its chunks' selections, summed over groups: what was materialised.
    pub positions: u64,
    /// Chunks.
    pub chunks: u64,
    /// Nanoseconds inside it and its inputs.
    pub nanos: u64,
    /// Of a look-up: most rows that were looked up together.
    pub vector_rows: u64,
    /// Of what is asked for the keys of a join: rows that came, and that passed.
    pub asked: (u64, u64),
    /// Bytes that it put into temporary files.
    pub spilled_bytes: u64,
}

/// What is counted for one operator of the algebra plan, by all twins.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) tuples: AtomicU64,
    pub(crate) positions: AtomicU64,
    pub(crate) chunks: AtomicU64,
    pub(crate) nanos: AtomicU64,
    vector_rows: AtomicU64,
    asked: AtomicU64,
    passed: AtomicU64,
    spilled_bytes: AtomicU64,
}

impl Counters {
    /// So many rows were looked up together.
    pub(crate) fn looked_up_together(&self, rows: usize) {
        self.vector_rows.fetch_max(rows as u64, Ordering::Relaxed);
    }

    /// So many bytes were put into a temporary file.
    pub(crate) fn spilled(&self, bytes: u64) {
        self.spilled_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many rows were asked for the keys of a join, and so many passed.
    pub(crate) fn asked(&self, came: usize, passed: usize) {
        self.asked.fetch_add(came as u64, Ordering::Relaxed);
        self.passed.fetch_add(passed as u64, Ordering::Relaxed);
    }

    /// What was counted so far.
    pub(crate) fn line(&self) -> ProfileLine {
        let get = |a: &AtomicU64| a.load(Ordering::Relaxed);
        ProfileLine {
            tuples: get(&self.tuples),
            positions: get(&self.positions),
            chunks: get(&self.chunks),
            nanos: get(&self.nanos),
            vector_rows: get(&self.vector_rows),
            asked: (get(&self.asked), get(&self.passed)),
            spilled_bytes: get(&self.spilled_bytes),
        }
    }
}
