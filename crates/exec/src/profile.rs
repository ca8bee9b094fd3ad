//! What operators did while a query ran: counters around them, shared by all twins.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use trimorph_vector::Chunk;

use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

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
}

/// By place in the plan (child indices from the root).
pub type Profile = HashMap<Vec<usize>, ProfileLine>;

/// What is counted for one operator of the algebra plan, by all twins.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    tuples: AtomicU64,
    positions: AtomicU64,
    chunks: AtomicU64,
    nanos: AtomicU64,
    vector_rows: AtomicU64,
    asked: AtomicU64,
    passed: AtomicU64,
}

impl Counters {
    /// So many rows were looked up together.
    pub(crate) fn looked_up_together(&self, rows: usize) {
        self.vector_rows.fetch_max(rows as u64, Ordering::Relaxed);
    }

    /// So many rows were asked for the keys of a join, and so many passed.
    pub(crate) fn asked(&self, came: usize, passed: usize) {
        self.asked.fetch_add(came as u64, Ordering::Relaxed);
        self.passed.fetch_add(passed as u64, Ordering::Relaxed);
    }
}

/// Counters shared by all twins of all operators.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProfileCell(Arc<Mutex<HashMap<Vec<usize>, Arc<Counters>>>>);

impl ProfileCell {
    /// `groups` is how many groups the operator's chunks have; those after are filled further up.
    pub(crate) fn wrap<'s>(
        &self,
        path: Vec<usize>,
        groups: usize,
        inner: BoxOperator<'s>,
    ) -> BoxOperator<'s> {
        Box::new(Profiled { inner, groups, counters: self.counters(path) })
    }

    /// The counters of an operator.
    pub(crate) fn counters(&self, path: Vec<usize>) -> Arc<Counters> {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(path).or_default())
    }

    pub(crate) fn read(&self) -> Profile {
        let get = |a: &AtomicU64| a.load(Ordering::Relaxed);
        (self.0.lock().unwrap_or_else(PoisonError::into_inner).iter())
            .map(|(path, c)| {
                let line = ProfileLine {
                    tuples: get(&c.tuples),
                    positions: get(&c.positions),
                    chunks: get(&c.chunks),
                    nanos: get(&c.nanos),
                    vector_rows: get(&c.vector_rows),
                    asked: (get(&c.asked), get(&c.passed)),
                };
                (path.clone(), line)
            })
            .collect()
    }
}

struct Profiled<'s> {
    inner: BoxOperator<'s>,
    groups: usize,
    counters: Arc<Counters>,
}

impl<'s> Operator<'s> for Profiled<'s> {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        let start = Instant::now();
        let result = self.inner.next(chunk, cx);
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counters.nanos.fetch_add(nanos, Ordering::Relaxed);
        if matches!(result, Ok(true)) {
            let tuples = chunk
                .groups
                .iter()
                .take(self.groups)
                .filter_map(|g| g.tuples())
                .fold(1u64, u64::saturating_mul);
            let positions: usize = chunk.groups.iter().take(self.groups).map(|g| g.positions().len()).sum();
            self.counters.tuples.fetch_add(tuples, Ordering::Relaxed);
            self.counters.positions.fetch_add(positions as u64, Ordering::Relaxed);
            self.counters.chunks.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    fn reset(&mut self) {
        self.inner.reset();
    }
}
