//! What operators did while a query ran: counters around them, shared by all twins.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use trimorph_vector::Chunk;

use crate::counters::{Counters, ProfileLine};
use crate::operator::{BoxOperator, Operator};
use crate::{Context, ExecError};

/// By place in the plan (child indices from the root).
pub type Profile = HashMap<Vec<usize>, ProfileLine>;

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
        (self.0.lock().unwrap_or_else(PoisonError::into_inner).iter())
            .map(|(path, c)| {
                let line = c.line();
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
        let before = cx.spilling.enter(&self.counters);
        let result = self.inner.next(chunk, cx);
        cx.spilling.restore(before);
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
