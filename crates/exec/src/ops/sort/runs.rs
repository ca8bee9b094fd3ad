//! Sorted runs in files: rows of columns and their keys in, the rows of all runs in order out.
//!
//! 1. what memory has room for is sorted and written as a run
//! 2. while there are more runs than are merged at once, each so many of them become one
//! 3. the rest is merged as rows are asked for: a heap of runs, each with one batch in memory
//!
//! Of equal rows those of the earlier run come first.
//!
//! Source: Knuth, The Art of Computer Programming 3, section 5.4.1.

use std::cmp::Ordering;

use trimorph_base::Reservation;
use trimorph_vector::Vector;
use trimorph_vector::order::order_across;

use crate::rows::append;
use crate::spill::{Batch, Stored, Writer, batch_bytes, hold_buffers};
use crate::{Context, ExecError};

/// Runs that are merged at once: with a batch of each, read and decoded, in the buffers of the operator.
const RUNS_MERGED: usize = 32;
/// Rows that are merged at once while runs become one.
const ROWS_AT_ONCE: usize = 4_096;

/// What rows are ordered by: the columns from `first` on, and whether larger comes first.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) first: usize,
    pub(super) descending: Vec<bool>,
}

/// Writes runs.
pub(super) struct Runs {
    writer: Option<Writer>,
    pub(super) runs: Vec<Stored>,
}

impl Runs {
    pub(super) fn new() -> Self {
        Self { writer: None, runs: Vec::new() }
    }

    /// Writes the rows at `order` as a run.
    pub(super) fn write(
        &mut self,
        columns: &[&Vector<'_>],
        order: &[u32],
        multiplicity: &dyn Fn(usize) -> u64,
        cx: &Context<'_>,
    ) -> Result<(), ExecError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(Writer::new(batch_bytes(RUNS_MERGED, cx), cx)?),
        };
        let mut run = writer.stored();
        writer.write(columns, order, multiplicity, &mut run, cx)?;
        self.runs.push(run);
        Ok(())
    }
}

/// A run, and the batch of it that is being merged.
struct Source<'s> {
    run: Stored,
    next: usize,
    batch: Batch<'s>,
    at: usize,
}

/// The rows of some runs in order.
pub(super) struct Merge<'s> {
    keys: Keys,
    sources: Vec<Source<'s>>,
    /// Runs that have rows: each comes before the two below it.
    heap: Vec<usize>,
    /// Rows that are still wanted.
    left: usize,
    buffer: Vec<u8>,
    _held: Reservation,
}

impl<'s> Merge<'s> {
    /// The first `limit` rows of `runs`.
    pub(super) fn new(
        mut runs: Vec<Stored>,
        keys: Keys,
        limit: usize,
        cx: &Context<'s>,
    ) -> Result<Self, ExecError> {
        while runs.len() > RUNS_MERGED {
            let mut merged = Runs::new();
            for some in runs.chunks(RUNS_MERGED) {
                Self::of(some.to_vec(), keys.clone(), limit, cx)?.write_to(&mut merged, cx)?;
            }
            runs = merged.runs;
        }
        Self::of(runs, keys, limit, cx)
    }

    fn of(runs: Vec<Stored>, keys: Keys, limit: usize, cx: &Context<'s>) -> Result<Self, ExecError> {
        let mut held = cx.settings.budget.reservation();
        // Texts are views of what was read, general values are larger than their bytes.
        hold_buffers(&mut held, runs.len() * 2 * batch_bytes(RUNS_MERGED, cx));
        let source = |run| Source { run, next: 0, batch: Batch::default(), at: 0 };
        let sources = runs.into_iter().map(source).collect();
        let mut merge =
            Self { keys, sources, heap: Vec::new(), left: limit, buffer: Vec::new(), _held: held };
        for source in 0..merge.sources.len() {
            if merge.fill(source, cx)? {
                merge.heap.push(source);
                merge.sift_up();
            }
        }
        Ok(merge)
    }

    /// Reads the next batch of a run; `false` if there is none.
    fn fill(&mut self, source: usize, cx: &Context<'s>) -> Result<bool, ExecError> {
        let source = &mut self.sources[source];
        let Some(batch) = source.run.read(source.next, &mut self.buffer, cx)? else {
            source.batch = Batch::default();
            return Ok(false);
        };
        (source.batch, source.at) = (batch, 0);
        source.next += 1;
        Ok(true)
    }

    /// Whether the next row of run `a` comes before that of run `b`.
    fn is_before(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.sources[a], &self.sources[b]);
        for (k, descending) in self.keys.descending.iter().enumerate() {
            let column = self.keys.first + k;
            let (left, right) = (&x.batch.columns[column], &y.batch.columns[column]);
            match order_across(left, x.at, right, y.at) {
                Ordering::Equal => {}
                order => return order.is_lt() != *descending,
            }
        }
        a < b
    }

    /// Moves the last entry of the heap to its place.
    fn sift_up(&mut self) {
        let mut at = self.heap.len() - 1;
        while at > 0 {
            let above = (at - 1) / 2;
            if !self.is_before(self.heap[at], self.heap[above]) {
                break;
            }
            self.heap.swap(at, above);
            at = above;
        }
    }

    /// Moves the first entry of the heap to its place.
    fn sift_down(&mut self) {
        let mut at = 0;
        loop {
            let (mut best, below) = (at, 2 * at + 1);
            for child in below..(below + 2).min(self.heap.len()) {
                if self.is_before(self.heap[child], self.heap[best]) {
                    best = child;
                }
            }
            if best == at {
                return;
            }
            self.heap.swap(at, best);
            at = best;
        }
    }

    /// The next rows, at most so many; `None` after the last.
    pub(super) fn next(&mut self, most: usize, cx: &Context<'s>) -> Result<Option<Batch<'s>>, ExecError> {
        cx.check()?;
        // For each run the rows taken of it, and of each row its run and its place among those.
        let mut taken: Vec<Vec<u32>> = vec![Vec::new(); self.sources.len()];
        let mut picks: Vec<(usize, usize)> = Vec::new();
        let mut ended = None;
        while picks.len() < most.min(self.left) {
            let Some(first) = self.heap.first().copied() else { break };
            let source = &mut self.sources[first];
            picks.push((first, taken[first].len()));
            // Batches are shorter than 2^32.
            taken[first].push(source.at as u32);
            source.at += 1;
            if source.at == source.batch.len() {
                // The batch is needed until its rows are copied.
                ended = Some(first);
                break;
            }
            self.sift_down();
        }
        if picks.is_empty() {
            return Ok(None);
        }
        self.left -= picks.len();
        let batch = self.gather(&taken, &picks, cx);
        if let Some(source) = ended {
            if !self.fill(source, cx)? {
                self.heap.swap_remove(0);
            }
            if !self.heap.is_empty() {
                self.sift_down();
            }
        }
        Ok(Some(batch))
    }

    /// Rows of several batches as one: run by run, then in order.
    fn gather(&self, taken: &[Vec<u32>], picks: &[(usize, usize)], cx: &Context<'s>) -> Batch<'s> {
        let mut starts = Vec::with_capacity(taken.len());
        let mut start = 0;
        for rows in taken {
            starts.push(start);
            start += rows.len();
        }
        let order: Vec<u32> = picks.iter().map(|(run, k)| (starts[*run] + k) as u32).collect();
        let used = || self.sources.iter().zip(taken).filter(|(_, rows)| !rows.is_empty());
        let columns = used().map(|(source, _)| source.batch.columns.len()).next().unwrap_or(0);
        let column = |k: usize| {
            let mut all = Vector::empty();
            for (source, rows) in used() {
                append(&mut all, &source.batch.columns[k], rows, &|id| cx.edge_value(id));
            }
            all.gather(&order)
        };
        let weights: Vec<u64> = used()
            .flat_map(|(source, rows)| rows.iter().map(|row| source.batch.multiplicity[*row as usize]))
            .collect();
        Batch {
            columns: (0..columns).map(column).collect(),
            multiplicity: order.iter().map(|row| weights[*row as usize]).collect(),
        }
    }

    /// Writes all rows as one run.
    fn write_to(mut self, runs: &mut Runs, cx: &Context<'s>) -> Result<(), ExecError> {
        let writer = match &mut runs.writer {
            Some(writer) => writer,
            none => none.insert(Writer::new(batch_bytes(RUNS_MERGED, cx), cx)?),
        };
        let mut run = writer.stored();
        while let Some(batch) = self.next(ROWS_AT_ONCE, cx)? {
            let columns: Vec<&Vector<'s>> = batch.columns.iter().collect();
            let all: Vec<u32> = (0..u32::try_from(batch.len()).unwrap_or(u32::MAX)).collect();
            writer.write(&columns, &all, &|i| batch.multiplicity[i], &mut run, cx)?;
        }
        runs.runs.push(run);
        Ok(())
    }
}
