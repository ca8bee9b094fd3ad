//! The log in, a main version that knows its names and tables and a delta that has its transactions out.
//!
//! 1. Names, tables and columns go into the main version as they come.
//! 2. Transactions that the main version does not have are copied, encoded, until there are enough of them
//!    for several threads.
//! 3. Such a batch is decoded and prepared, and put into the delta on all threads.
//!
//! Memory: a batch, encoded and decoded, besides what the delta takes.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_base::{CancelToken, TableId};
use trimorph_delta::Delta;
use trimorph_log::{Commit, LoadedPart, LogError, Operation, Place, Position, Replayed, Transaction};
use trimorph_mvcc::Timestamp;
use trimorph_store::bulk::LoadPart;
use trimorph_store::{DatabaseError, Live, LogStart, Main};
use trimorph_vfs::{FileSystem, Pool, RegionOptions};

use super::apply::apply;
use super::declare::declare;
use super::prepare::{Given, Preparer};
use crate::load_folders::{LoadFolders, open_load, part_of};

/// Where the pieces lie that a load's rows and edges are put into: each by itself.
const PUT: RegionOptions = RegionOptions { huge_pages: false };
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
    dir: PathBuf,
    fs: Arc<dyn FileSystem>,
    pool: Arc<Pool>,
    /// Rows of node tables before any load.
    rows: Vec<u64>,
    loads: LoadFolders,
    /// Node tables that loads put rows in.
    loaded: BTreeSet<TableId>,
    bytes: Vec<u8>,
    batch: Vec<(Commit, Position, Range<usize>)>,
}

impl Replay {
    /// Of the log of the database in a directory, from `start` on, which completes `main`.
    pub(super) fn new(
        main: Main,
        start: LogStart,
        (dir, log): (&Path, &Path),
        (fs, pool): (&Arc<dyn FileSystem>, &Arc<Pool>),
        threads: usize,
    ) -> Self {
        Self {
            rows: main.node_tables.iter().map(|table| table.rows).collect(),
            log: log.to_owned(),
            dir: dir.to_owned(),
            fs: Arc::clone(fs),
            pool: Arc::clone(pool),
            loads: LoadFolders::default(),
            loaded: BTreeSet::new(),
            main,
            delta: Delta::default(),
            given: Given::default(),
            threads,
            committed: start.committed,
            last: start.committed,
            handles: start.handles,
            has_written: false,
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
                if timestamp <= self.committed.max(self.main.merged_at) {
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
        let (mut last, log) = (None, self.log.clone());
        for (commit, at, range) in &batch {
            let place = Place::new(&log, *at);
            let timestamp = Timestamp(commit.timestamp);
            for operation in Transaction::new(*commit, place, &bytes[range.clone()]).operations() {
                let operation = operation?;
                if let Operation::Load { directory, checksum, parts } = &operation {
                    self.load(directory, *checksum, parts, timestamp, place)?;
                    continue;
                }
                let mut preparer = Preparer { main: &mut self.main, given: &mut self.given };
                let made = preparer.prepare(operation, &mut |one| prepared.push((timestamp, one)));
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

    /// Puts what a bulk load made into the main version.
    fn load(
        &mut self,
        name: &str,
        checksum: u64,
        parts: &[LoadedPart],
        at: Timestamp,
        place: Place<'_>,
    ) -> Result<(), LogError> {
        let missing = || LogError::Missing { path: self.dir.join("loads").join(name) };
        let opened = open_load(&*self.fs, &self.dir, name, checksum, &self.pool);
        let (new, path) = opened.map_err(|error| match error {
            DatabaseError::Io { error, .. } if error.kind() == ErrorKind::NotFound => missing(),
            other => place.makes_no_sense(format!("a bulk load that cannot be read: {other}")),
        })?;
        let known: Option<Vec<LoadPart>> = parts.iter().map(part_of).collect();
        let known = known.ok_or_else(|| place.makes_no_sense("a part of a bulk load of an unknown kind"))?;
        let put = self.main.put_load(&new, &known, PUT, &CancelToken::default());
        put.map_err(|error| place.makes_no_sense(format!("a bulk load that does not fit: {error}")))?;
        for (part, nodes) in known.iter().zip(&new.node_tables) {
            if let LoadPart::Nodes { table, first } = *part {
                self.given.add_run(table, first..first + nodes.rows);
                self.loaded.insert(table);
            }
        }
        self.main.weaken_facts();
        self.loads.hold(at.0, path);
        Ok(())
    }

    /// The main version, what was changed since, and what is named of bulk loads.
    pub(super) fn finish(mut self) -> Result<(Main, Live, LoadFolders), LogError> {
        self.flush()?;
        let main_rows = |table: usize| self.rows.get(table).copied().unwrap_or(0);
        for table in &self.loaded {
            let key = self.main.catalog.schema.node_tables[usize::from(table.0)].key;
            if let (Some(key), Some(nodes)) = (key, self.delta.nodes(*table)) {
                nodes.note_keys(key as u32, &self.delta.keys_to_write(*table));
            }
        }
        for (table, end, free) in self.given.rest(|table| main_rows(usize::from(table.0)), FREE_ROWS_MAX) {
            let rows = main_rows(usize::from(table.0));
            self.delta.nodes_to_write(table, rows, Vec::new()).restore_rows(end, free);
        }
        let handles = self.handles.saturating_add(HANDLES_UNLOGGED);
        // What main has was committed, too: what comes is later.
        let last = Timestamp(self.last.max(self.main.merged_at));
        let live = Live::recovered(self.delta, last, handles, self.has_written);
        Ok((self.main, live, self.loads))
    }
}
