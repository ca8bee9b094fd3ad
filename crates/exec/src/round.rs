//! Rounds: the next rows of a query, worked on by all its threads at once; for who makes something of rows
//! that takes as long as computing them.
//!
//! 1. the query is pulled on the caller's thread, its operators on all threads, until there are rows enough
//!    for a run a thread, or no memory for more, or no more
//! 2. the batches are cut into runs, in their order
//! 3. each run is one thread's; the caller takes up those that nobody else does
//!
//! Few rows are one run, which is the caller's.

use trimorph_vector::{Values, Vector};

use crate::parallel::on_each;
use crate::rows::cell_bytes;
use crate::running::Running;
use crate::stack::Stack;
use crate::{Context, ExecError};

/// Rows that are not worth a thread of their own: waking one costs some microseconds, and what is made of
/// them would be small.
const RUN_ROWS_MIN: usize = 1 << 14;

/// What the rows of a round may take: of the memory that the query may use, and at all.
const ROUND_SHARE: usize = 8;
const ROUND_BYTES_MAX: usize = 64 << 20;

/// A batch that was moved out of the query.
struct Taken<'s> {
    columns: Vec<Vector<'s>>,
    positions: Vec<u32>,
}

/// Batches that follow each other.
pub struct Run<'r, 's> {
    batches: Vec<Taken<'s>>,
    slots: &'r [usize],
    is_last: bool,
}

impl Run<'_, '_> {
    /// Whether it is the last of its round.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(|taken| taken.positions.len()).sum()
    }

    /// Hands each batch to `take`: the columns and the positions that are rows. Batches are gone when they
    /// have been taken.
    ///
    /// **Errors**: of `take`, which ends it.
    pub fn each<E>(self, mut take: impl FnMut(&[&Vector<'_>], &[u32]) -> Result<(), E>) -> Result<(), E> {
        for Taken { columns, positions } in self.batches {
            let columns: Vec<&Vector<'_>> = self.slots.iter().map(|slot| &columns[*slot]).collect();
            take(&columns, &positions)?;
        }
        Ok(())
    }
}

impl<'s> Running<'s> {
    /// The batch that the query has pulled.
    fn take(&mut self) -> Taken<'s> {
        let positions = self.batch();
        let is_free = self.root.fills_anew();
        let group = &mut self.chunk.groups[0];
        let mut columns: Vec<Vector<'s>> = if is_free && group.multiplicity.is_none() {
            group.vectors.iter_mut().map(|column| std::mem::replace(column, Vector::empty())).collect()
        } else {
            let copied = |(slot, column): (usize, &Vector<'s>)| match self.slots.contains(&slot) {
                true => column.clone(),
                false => Vector::empty(),
            };
            group.vectors.iter().enumerate().map(copied).collect()
        };
        // As `Execution::next` gives them.
        for column in columns.iter_mut().filter(|column| matches!(column.values, Values::Number(_))) {
            *column = std::mem::replace(column, Vector::empty()).without_numbers();
        }
        Taken { columns, positions }
    }
}

/// One round; see [`crate::Execution::next_round`].
pub(crate) fn round<'s, S: Send, T: Send + 'static>(
    running: &mut Running<'s>,
    stack: Stack,
    run_rows: usize,
    first: &mut Option<S>,
    make: impl Fn(Option<S>, Run<'_, '_>, &Context<'_>) -> T + Sync,
) -> Result<Option<Vec<T>>, ExecError> {
    let threads = running.context.settings.threads.max(1);
    let (mut batches, mut rows, mut bytes) = (Vec::new(), 0, 0);
    let budget = &running.context.settings.budget;
    let (mut held, bytes_max) =
        (budget.reservation(), (budget.limit_bytes() / ROUND_SHARE).min(ROUND_BYTES_MAX));
    let rows_max = run_rows.saturating_mul(threads);
    while rows < rows_max && running.pull(stack)? {
        let taken = running.take();
        let size: usize = taken.columns.iter().map(cell_bytes).sum();
        (rows, bytes) = (rows + taken.positions.len(), bytes + size);
        batches.push(taken);
        if bytes > bytes_max || held.grow(size).is_err() {
            break;
        }
    }
    if batches.is_empty() {
        return Ok(None);
    }
    let rows_min = if running.context.settings.patient { RUN_ROWS_MIN } else { 1 };
    let runs = (rows / rows_min).clamp(1, threads);
    let slots = running.slots.as_slice();
    let mut cut: Vec<Run<'_, 's>> = Vec::with_capacity(runs);
    let mut passed = 0;
    for taken in batches {
        // The run in whose part of all rows it begins.
        let is_next = passed * runs >= cut.len() * rows;
        passed += taken.positions.len();
        match cut.last_mut() {
            Some(run) if !is_next => run.batches.push(taken),
            _ => cut.push(Run { batches: vec![taken], slots, is_last: false }),
        }
    }
    if let Some(run) = cut.last_mut() {
        run.is_last = true;
    }
    let cx = &running.context;
    let items = cut.into_iter().map(|run| (first.take(), run)).collect();
    let made = on_each(items, cx, |(first, run), cx| Ok(make(first, run, cx)));
    // Entities are read when they are taken.
    cx.settle(made).map(Some)
}
