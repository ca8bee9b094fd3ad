//! The log in, a main version that knows its names and tables and a delta that has its transactions out.
//!
//! 1. Names, tables and columns go into the main version as they come.
//! 2. Transactions that the main version does not have are copied, encoded, until there are enough of them
//!    for several threads.
//! 3. Such a batch is decoded and prepared, and put into the delta on all threads.
//! 4. Where nobody reads yet the delta is merged when it has become large, as it was while the log was
//!    written: up to the last commit before which none is to come. What was merged is cleaned at once.
//!    Not before the last bulk load: while one is at work nothing is merged, so its record is for a main
//!    version without what was written beside it.
//!
//! Memory: a batch, encoded and decoded, besides what the delta takes.
//!
//! Who follows a log goes on with the same while others read: what comes has a later time than they see.
//! Commits that are read before one of an earlier time is certain to have been read wait, encoded.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_base::{CancelToken, TableId};
use trimorph_log::{Commit, LoadedPart, LogError, Operation, Place, Position, Replayed, Transaction};
use trimorph_mvcc::{Needed, Timestamp};
use trimorph_store::bulk::LoadPart;
use trimorph_store::{DatabaseError, Live, LogStart, Main, merged};
use trimorph_vfs::{FileSystem, Pool, RegionOptions};

use super::apply::apply;
use super::declare::declare;
use super::prepare::{Given, Preparer};
use crate::facts;
use crate::load_folders::{LoadFolders, load_folders, open_load, part_of};
use crate::merged_pieces::MERGED;

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
    pub(super) main: Main,
    live: Arc<Live>,
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
    /// Folders of loads whose records may come.
    loads_ahead: BTreeSet<PathBuf>,
    /// The time of the last load.
    loaded_at: u64,
    bytes: Vec<u8>,
    batch: Vec<(Commit, Position, Range<usize>)>,
    /// Commits that are not to be seen yet.
    waiting: Vec<Waiting>,
    /// The least timestamp among them.
    first_waiting: u64,
    /// The time of day of the last commit, in microseconds since 1970.
    micros: i64,
    /// Whether a bulk load has changed the main version since somebody asked.
    has_loaded: bool,
    /// All commits up to here have been read.
    certain: u64,
    /// From so many bytes on the delta is merged, and how many more are worth the next merge; none where
    /// somebody may be reading.
    merged_from: Option<(usize, usize)>,
}

/// A commit that was read before it is known that all before it were.
#[derive(Debug)]
struct Waiting {
    commit: Commit,
    at: Position,
    bytes: Vec<u8>,
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
            loads_ahead: BTreeSet::new(),
            loaded_at: 0,
            main,
            live: Arc::default(),
            given: Given::default(),
            threads,
            committed: start.committed,
            last: start.committed,
            handles: start.handles,
            has_written: false,
            bytes: Vec::new(),
            batch: Vec::new(),
            waiting: Vec::new(),
            first_waiting: u64::MAX,
            micros: 0,
            has_loaded: false,
            certain: 0,
            merged_from: None,
        }
    }

    /// The delta is merged whenever it takes so many bytes, until the first call of [`Self::stand`]: nobody
    /// reads before.
    pub(super) fn merging_from(mut self, bytes: usize) -> Self {
        self.merged_from = Some((bytes, bytes));
        self.loads_ahead = load_folders(&*self.fs, &self.dir).into_iter().collect();
        self
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
                self.put(transaction.commit, transaction.place.position(), transaction.bytes())
            }
            Replayed::Certain(timestamp) => {
                self.certain = self.certain.max(timestamp);
                Ok(())
            }
        }
    }

    /// The same of a log that is followed: commits beyond `committed` wait.
    pub(super) fn take_up_to(&mut self, replayed: Replayed<'_>, committed: u64) -> Result<(), LogError> {
        // What comes may be of the same rows, and stands behind them in the log.
        self.release(committed)?;
        match replayed {
            Replayed::Transaction(transaction) if transaction.commit.timestamp > committed => {
                let (commit, at) = (transaction.commit, transaction.place.position());
                self.wait(Waiting { commit, at, bytes: transaction.bytes().to_vec() });
                Ok(())
            }
            replayed => self.take(replayed),
        }
    }

    fn wait(&mut self, one: Waiting) {
        self.first_waiting = self.first_waiting.min(one.commit.timestamp);
        self.waiting.push(one);
    }

    /// Commits up to `committed` need not wait any more.
    pub(super) fn release(&mut self, committed: u64) -> Result<(), LogError> {
        if committed < self.first_waiting {
            return Ok(());
        }
        self.first_waiting = u64::MAX;
        for one in std::mem::take(&mut self.waiting) {
            match one.commit.timestamp <= committed {
                true => self.put(one.commit, one.at, &one.bytes)?,
                false => self.wait(one),
            }
        }
        Ok(())
    }

    fn put(&mut self, commit: Commit, at: Position, bytes: &[u8]) -> Result<(), LogError> {
        let Commit { handle, timestamp, micros } = commit;
        self.handles = self.handles.max(handle.saturating_add(1));
        if timestamp <= self.committed.max(self.main.merged_at) {
            return Ok(());
        }
        if timestamp > self.last {
            (self.last, self.micros) = (timestamp, micros);
        }
        self.has_written = true;
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.batch.push((commit, at, from..self.bytes.len()));
        if self.bytes.len() >= BATCH_BYTES { self.flush() } else { Ok(()) }
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
        let done = apply(&self.live.delta, &self.main, &prepared, self.threads);
        drop(prepared);
        if let (Err(_), Some(place)) = (done, last) {
            return Err(place.makes_no_sense("more changes of one table than are possible"));
        }
        // The next batch is as long.
        (self.bytes, self.batch) = (bytes, batch);
        self.bytes.clear();
        self.batch.clear();
        if let Some((from, step)) = self.merged_from
            && self.live.delta.bytes() >= from
        {
            self.merge();
            // What could not be merged is left alone until there is as much again.
            self.merged_from = Some((self.live.delta.bytes() + step, step));
        }
        Ok(())
    }

    /// Puts into the main version what is in the delta and certain. All that was read is in the delta, and
    /// nobody reads either of them.
    fn merge(&mut self) {
        let is_old = self.certain <= self.main.merged_at || self.certain < self.loaded_at;
        if is_old || !self.loads_ahead.is_empty() {
            return;
        }
        self.note_loaded_keys();
        let to = Timestamp(self.certain);
        // What cannot be merged stays in the delta.
        if let Ok((next, _)) = merged(&self.main, &self.live.delta, to, MERGED, &CancelToken::default()) {
            self.main = next;
            self.main.weaken_facts();
            // Nobody has an older main version.
            let cleaned = self.live.delta.clean(&Needed::new(to, std::iter::empty()));
            cleaned.rows().for_each(|(table, rows)| self.given.take_out(table, rows));
            self.live.delta.give_back_room(cleaned);
        }
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
        for part in &known {
            // Nodes that were made before the table had a key lack it.
            if let LoadPart::Nodes { table, .. } = *part
                && self.live.delta.nodes(table).is_some()
            {
                facts::let_keys_lack(&mut self.main, table);
            }
        }
        self.has_loaded = true;
        self.loads_ahead.remove(&path);
        self.loaded_at = self.loaded_at.max(at.0);
        self.loads.hold(at.0, path);
        Ok(())
    }

    /// The main version, what was changed since, and what is named of bulk loads.
    pub(super) fn finish(mut self) -> Result<(Main, Arc<Live>, LoadFolders), LogError> {
        self.stand()?;
        Ok((self.main, self.live, self.loads))
    }

    /// Gives what was changed since the main version once all that was taken is in it: what comes later comes
    /// beside readers.
    pub(super) fn stand(&mut self) -> Result<Arc<Live>, LogError> {
        self.flush()?;
        self.merged_from = None;
        self.note_loaded_keys();
        let main_rows = |table: usize| self.rows.get(table).copied().unwrap_or(0);
        let given = std::mem::take(&mut self.given);
        for (table, end, free) in given.rest(|table| main_rows(usize::from(table.0)), FREE_ROWS_MAX) {
            let rows = main_rows(usize::from(table.0));
            self.live.delta.nodes_to_write(table, rows, Vec::new()).restore_rows(end, free);
        }
        let handles = self.handles.saturating_add(HANDLES_UNLOGGED);
        // What main has was committed, too: what comes is later.
        self.last = self.last.max(self.main.merged_at);
        self.live.recover(Timestamp(self.last), handles, self.has_written);
        self.has_loaded = false;
        Ok(Arc::clone(&self.live))
    }

    /// Puts what was taken since where readers find it once they are told its time, and tells whether a bulk
    /// load is among it.
    pub(super) fn go_on(&mut self) -> Result<bool, LogError> {
        self.flush()?;
        self.note_loaded_keys();
        for (table, end, _) in std::mem::take(&mut self.given).rest(|_| 0, 0) {
            let rows = self.rows.get(usize::from(table.0)).copied().unwrap_or(0);
            self.live.delta.nodes_to_write(table, rows, Vec::new()).reach_row(end);
        }
        Ok(std::mem::take(&mut self.has_loaded))
    }

    fn note_loaded_keys(&mut self) {
        for table in std::mem::take(&mut self.loaded) {
            let key = self.main.catalog.schema.node_tables[usize::from(table.0)].key;
            if let (Some(key), Some(nodes)) = (key, self.live.delta.nodes(table)) {
                nodes.note_keys(key as u32, &self.live.delta.keys_to_write(table));
            }
        }
    }

    /// Commits that are not to be seen yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The greatest timestamp among them; 0 where there are none.
    pub(super) fn last_waiting(&self) -> u64 {
        self.waiting.iter().map(|one| one.commit.timestamp).max().unwrap_or(0)
    }

    /// The last commit that was taken, and its time of day in microseconds since 1970; 0 where that is not
    /// known.
    pub(super) fn last(&self) -> (u64, i64) {
        (self.last, self.micros)
    }
}
