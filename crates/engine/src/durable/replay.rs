//! The log in, a main version that knows its names and tables and a delta that has its transactions out.
//!
//! 1. Names, tables and columns go into the main version as they come.
//! 2. Transactions that the main version does not have are copied, encoded, until there are enough of them
//!    for several threads.
//! 3. Such a batch is decoded and prepared, and put into the delta on all threads.
//!
//! Memory: a batch, encoded and decoded, besides what the delta takes.

use std::ops::Range;
use std::path::PathBuf;

use trimorph_delta::Delta;
use trimorph_log::{Commit, LogError, Place, Position, Replayed, Transaction};
use trimorph_mvcc::Timestamp;
use trimorph_store::{Live, LogStart, Main};

use super::apply::apply;
use super::declare::declare;
use super::prepare::{Given, Preparer};

/// Bytes of a batch: enough for several threads, little beside the delta that they become.
const BATCH_BYTES: usize = 1 << 20;
/// Rows that nobody has, of each table, that are remembered to be given again.
const FREE_ROWS_MAX: u64 = 1 << 20;
/// Handles that are passed over: those of transactions that were begun since the last one that was logged.
const HANDLES_UNLOGGED: u64 = 1 << 20;

/// What has been read of a log.
pub(super) struct Replay {
    main: Main,
    delta: Delta,
    given: Given,
    threads: usize,
    committed: u64,
    /// The last commit so far.
    last: u64,
    handles: u64,
    has_written: bool,
    log: PathBuf,
    bytes: Vec<u8>,
    batch: Vec<(Commit, Position, Range<usize>)>,
}

impl Replay {
    /// Of a log in folder `log`, from `start` on, which completes `main`.
    pub(super) fn new(main: Main, start: LogStart, log: PathBuf, threads: usize) -> Self {
        Self {
            main,
            delta: Delta::default(),
            given: Given::default(),
            threads,
            committed: start.committed,
            last: start.committed,
            handles: start.handles,
            has_written: false,
            log,
            bytes: Vec::new(),
            batch: Vec::new(),
        }
    }

    /// Takes what was read next.
    ///
    /// **Errors**: what makes no sense, with its place.
    pub(super) fn take(&mut self, replayed: Replayed<'_>) -> Result<(), LogError> {
        match replayed {
            Replayed::Declaration(declaration, place) => {
                declare(&mut self.main, &declaration).map_err(|what| place.makes_no_sense(what))
            }
            Replayed::Transaction(transaction) => {
                let Commit { handle, timestamp, .. } = transaction.commit;
                self.handles = self.handles.max(handle.saturating_add(1));
                if timestamp <= self.committed {
                    return Ok(());
                }
                self.last = self.last.max(timestamp);
                self.has_written = true;
                let from = self.bytes.len();
                self.bytes.extend_from_slice(transaction.bytes());
                let at = transaction.place.position();
                self.batch.push((transaction.commit, at, from..self.bytes.len()));
                if self.bytes.len() >= BATCH_BYTES { self.flush() } else { Ok(()) }
            }
        }
    }

    fn flush(&mut self) -> Result<(), LogError> {
        let (bytes, batch) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.batch));
        let mut prepared = Vec::with_capacity(batch.len());
        let mut preparer = Preparer { main: &mut self.main, given: &mut self.given };
        let mut last = None;
        for (commit, at, range) in &batch {
            let place = Place::new(&self.log, *at);
            let timestamp = Timestamp(commit.timestamp);
            for operation in Transaction::new(*commit, place, &bytes[range.clone()]).operations() {
                let made = preparer.prepare(operation?, &mut |one| prepared.push((timestamp, one)));
                made.map_err(|what| place.makes_no_sense(what))?;
            }
            last = Some(place);
        }
        let done = apply(&self.delta, &self.main, &prepared, self.threads);
        drop(prepared);
        if let (Err(_), Some(place)) = (done, last) {
            return Err(place.makes_no_sense("more changes of one table than are possible"));
        }
        // The next batch is as long.
        (self.bytes, self.batch) = (bytes, batch);
        self.bytes.clear();
        self.batch.clear();
        Ok(())
    }

    /// The main version, and what was changed since.
    pub(super) fn finish(mut self) -> Result<(Main, Live), LogError> {
        self.flush()?;
        let main_rows = |table: usize| self.main.node_tables.get(table).map_or(0, |table| table.rows);
        for (table, end, free) in self.given.rest(|table| main_rows(usize::from(table.0)), FREE_ROWS_MAX) {
            let rows = main_rows(usize::from(table.0));
            self.delta.nodes_to_write(table, rows).restore_rows(end, free);
        }
        let handles = self.handles.saturating_add(HANDLES_UNLOGGED);
        let live = Live::recovered(self.delta, Timestamp(self.last), handles, self.has_written);
        Ok((self.main, live))
    }
}
