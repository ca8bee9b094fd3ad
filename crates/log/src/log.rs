//! Transactions in, positions out, and a log that lasts up to a position when asked to.
//!
//! 1. A transaction's bytes are copied into the buffer under the lock, which is held for nothing else that
//!    takes time: writing, syncing and making segments are done without it, by one thread each.
//! 2. Who waits for a position that is not synced, and finds nobody writing, becomes the writer: it takes the
//!    whole buffer, writes it with one call, syncs, and wakes the others. Who comes meanwhile fills the next
//!    buffer: group commit without a thread and without a delay.
//! 3. Segments are there before a transaction is appended: a disk without room is met before anything of it
//!    is in the log.
//! 4. A write or sync that failed poisons the log.
//!
//! Invariant: blocks are written in the order of their places, by one writer at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use trimorph_base::Process;
use trimorph_vfs::{FileSystem, WriteAt};

use crate::block::{CLOSED, CONTENT_MAX, Mark};
use crate::buffer::{Buffer, Taken};
use crate::recover::{Ready, recover};
use crate::replay::Replayed;
use crate::segment::{self, HEADER_LEN, path_of};
use crate::{DeclarationBytes, LogError, Position, Recover, Recovered, TransactionBytes};

/// When a commit lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// When [`Log::wait`] returns.
    Durable,
    /// Some time after: a thread writes and syncs every `interval`.
    Relaxed {
        /// How often.
        interval: Duration,
    },
    /// With the next checkpoint: nothing is logged.
    Memory,
}

/// How a log is written.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    /// When a commit lasts.
    pub durability: Durability,
    /// Length of a segment, in bytes: made a multiple of 64, from 4 KiB to 1 GiB. The longest there is, where
    /// [`Log::set_segment_bytes`] says others.
    pub segment_bytes: u32,
    /// Which database it is.
    pub database: u128,
    /// Who comes when so many bytes wait to be written waits too.
    pub buffer_bytes: usize,
    /// How long after a commit the log says by itself how far it lasts, if no other commit has: followers see
    /// the last one only then. None never.
    pub mark_after: Option<Duration>,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self {
            durability: Durability::Durable,
            segment_bytes: 16 << 20,
            database: 0,
            buffer_bytes: 16 << 20,
            mark_after: None,
        }
    }
}

/// Length of the shortest segment.
const SEGMENT_BYTES_MIN: u32 = 4 << 10;

/// Segments that are kept to be used again.
const FREE_MAX: usize = 2;

#[derive(Debug)]
struct State {
    buffer: Buffer,
    spare: Taken,
    /// All before it is on the disk for certain.
    synced: Position,
    /// All commits up to this one lie before that: what the last sync knew of it.
    covered: u64,
    /// The greatest timestamp of a transaction that was appended.
    appended: u64,
    /// Behind the last record that was appended: blocks without content need not be told of.
    content: Position,
    /// What the last block says that was written.
    marked: Mark,
    /// The log's thread waits for something to say.
    is_idle: bool,
    /// Segments that were written and not synced since.
    unsynced: BTreeSet<u64>,
    is_writing: bool,
    /// A transaction larger than the buffer is being appended, part by part.
    is_appending: bool,
    is_making: bool,
    is_stopping: bool,
    poison: Option<(PathBuf, Arc<io::Error>)>,
    /// Segments that are or will be written.
    ready: BTreeMap<u64, Arc<dyn WriteAt>>,
    /// The greatest segment that was made.
    last: u64,
    /// Length of those that are made from now on.
    segment_bytes: u32,
    /// Segments that are full, and those of that length that nobody needs.
    old: BTreeSet<u64>,
    free: Vec<u64>,
    holds: BTreeMap<Position, usize>,
    /// Syncs of groups since the log was opened.
    syncs: u64,
}

/// Says which commit is the last one that is published, and all before it.
type Committed = Box<dyn Fn() -> u64 + Send + Sync>;

struct Shared {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    options: LogOptions,
    committed: OnceLock<Committed>,
    state: Mutex<State>,
    /// Something that somebody waits for has changed.
    changed: Condvar,
    /// The thread of `Relaxed` is to end.
    stopping: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("dir", &self.dir)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

type Guard<'a> = MutexGuard<'a, State>;

/// What a thread does while others wait for it. Where it panics, they go on, with the log poisoned.
struct AtWork<'a> {
    shared: &'a Shared,
    is_over: fn(&mut State),
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.shared.lock();
            let error = io::Error::other("a thread was lost that wrote the log");
            self.shared.poison(&mut state, &LogError::io(&self.shared.dir, error));
            (self.is_over)(&mut state);
            self.shared.changed.notify_all();
        }
    }
}

/// A log that is open for writing. Dropped without [`Log::close`], it is as after a crash of the process.
#[derive(Debug)]
pub struct Log {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    maker: Process,
}

/// Keeps the segments from a position on; dropped, it lets them go.
#[derive(Debug)]
pub struct Hold {
    shared: Arc<Shared>,
    from: Position,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let Some(count) = state.holds.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                state.holds.remove(&self.from);
            }
        }
    }
}

impl Log {
    /// Reads the log from `from` on, gives every declaration and committed transaction in order to `apply`,
    /// and gets the log ready to be written. `from` is (0, 0), or what [`Self::position`] gave.
    ///
    /// **Errors**: what the recovery table of `docs/design/log.md` refuses, and what `apply` returns; some
    /// transactions may have been applied then.
    pub fn open(
        fs: Arc<dyn FileSystem>,
        dir: &Path,
        from: Position,
        mut options: LogOptions,
        how: Recover,
        apply: &mut dyn FnMut(Replayed<'_>) -> Result<(), LogError>,
    ) -> Result<(Self, Recovered), LogError> {
        options.segment_bytes =
            options.segment_bytes.clamp(SEGMENT_BYTES_MIN, 1 << 30).next_multiple_of(HEADER_LEN);
        options.buffer_bytes = options.buffer_bytes.max(1);
        let Ready { recovered, walked, file } = recover(&*fs, dir, from, options.database, how, apply)?;
        let end = recovered.end;
        let mut buffer = Buffer::new(end);
        if let Some(len) = walked.end_len.filter(|_| file.is_some()) {
            buffer.made(end.segment, len);
        }
        let state = State {
            buffer,
            spare: Taken::default(),
            synced: end,
            covered: 0,
            appended: 0,
            content: end,
            // What was closed says all there is to say.
            marked: Mark { synced: if walked.is_closed { end } else { walked.synced }, committed: 0 },
            is_idle: false,
            unsynced: BTreeSet::new(),
            is_writing: false,
            is_appending: false,
            is_making: false,
            is_stopping: false,
            poison: None,
            last: if file.is_some() { end.segment } else { end.segment - 1 },
            segment_bytes: options.segment_bytes,
            ready: file.map(|file| (end.segment, file)).into_iter().collect(),
            old: walked.segments.into_iter().filter(|number| *number < end.segment).collect(),
            free: Vec::new(),
            holds: BTreeMap::new(),
            syncs: 0,
        };
        let shared = Arc::new(Shared {
            fs,
            dir: dir.to_owned(),
            options,
            state: Mutex::new(state),
            changed: Condvar::new(),
            stopping: Condvar::new(),
            committed: OnceLock::new(),
        });
        let run: Option<Box<dyn FnOnce() + Send>> = match (options.durability, options.mark_after) {
            (Durability::Relaxed { interval }, _) => {
                let shared = Arc::clone(&shared);
                Some(Box::new(move || shared.sync_every(interval)))
            }
            (Durability::Durable, Some(pause)) => {
                let shared = Arc::clone(&shared);
                Some(Box::new(move || shared.mark_after(pause)))
            }
            _ => None,
        };
        let named = || std::thread::Builder::new().name("trimorph-log".into());
        let thread = run.map(|run| named().spawn(run).map_err(|error| LogError::io(dir, error)));
        let thread = thread.transpose()?;
        Ok((Self { shared, thread, maker: Process::default() }, recovered))
    }

    /// What is asked for the last commit that is published, and all before it: blocks say it to followers.
    /// All that was read when the log was opened is published by now.
    pub fn tell_committed(&self, committed: impl Fn() -> u64 + Send + Sync + 'static) {
        let now = committed();
        let mut state = self.shared.lock();
        state.covered = state.covered.max(now);
        state.appended = state.appended.max(now);
        if state.marked.synced == state.synced {
            // Nothing but what a closed log says.
            state.marked.committed = now;
        }
        drop(state);
        let _ = self.shared.committed.set(Box::new(committed));
        self.shared.stopping.notify_all();
    }

    /// Appends names and tables: they last with whatever comes next, and before it.
    ///
    /// **Errors**: as [`Self::append`].
    pub fn declare(&self, declarations: &DeclarationBytes) -> Result<(), LogError> {
        self.shared.append(declarations.as_slice(), 0).map(drop)
    }

    /// Appends a transaction; gives the position behind it, for [`Self::wait`].
    ///
    /// **Cost**: a copy of the bytes; one that is longer than the buffer is written part by part meanwhile.
    /// **Errors**: [`LogError::NoRoom`], of which nothing stays; [`LogError::Poisoned`].
    pub fn append(&self, transaction: &TransactionBytes) -> Result<Position, LogError> {
        self.shared.append(transaction.as_slice(), transaction.timestamp())
    }

    /// Waits until all before `position` lasts, where the durability is [`Durability::Durable`].
    ///
    /// **Errors**: [`LogError::Poisoned`]: it may last or not.
    pub fn wait(&self, position: Position) -> Result<(), LogError> {
        match self.shared.options.durability {
            Durability::Durable => self.shared.reach(position),
            Durability::Relaxed { .. } | Durability::Memory => Ok(()),
        }
    }

    /// Waits until all that was appended lasts, whatever the durability.
    pub fn sync(&self) -> Result<(), LogError> {
        self.shared.reach(self.position())
    }

    /// The place behind all that was appended, where a reader can begin: what comes next begins a block
    /// there.
    pub fn position(&self) -> Position {
        let state = self.shared.lock();
        let mut state = self.shared.wait_while(state, |state| state.is_appending);
        state.buffer.seal_off()
    }

    /// The segment that what comes next begins in, or the one after where it is full.
    pub fn segment(&self) -> u64 {
        self.shared.lock().buffer.end().segment
    }

    /// How far the log lasts.
    pub fn synced(&self) -> Position {
        self.shared.lock().synced
    }

    /// How often a group was synced since the log was opened.
    pub fn sync_count(&self) -> u64 {
        self.shared.lock().syncs
    }

    /// Writes a block without content that says how far the log was synced: a [`Follower`](crate::Follower)
    /// in another process sees what was committed last only then. It is not synced itself.
    pub fn mark(&self) -> Result<(), LogError> {
        self.shared.mark()
    }

    /// Segments that are made from now on are so long, within what the options allow; one for a transaction
    /// that is longer is longer.
    pub fn set_segment_bytes(&self, len: u32) {
        let len = len.clamp(SEGMENT_BYTES_MIN, self.shared.options.segment_bytes);
        let mut state = self.shared.lock();
        let len = len.next_multiple_of(HEADER_LEN);
        if state.segment_bytes != len {
            state.segment_bytes = len;
            // Those that are kept to be used again are of another length.
            let free = std::mem::take(&mut state.free);
            state.old.extend(free);
        }
    }

    /// Keeps the segments from `from` on until the hold is dropped.
    pub fn hold(&self, from: Position) -> Hold {
        *self.shared.lock().holds.entry(from).or_default() += 1;
        Hold { shared: Arc::clone(&self.shared), from }
    }

    /// Segments that lie wholly before `before`, and that nobody holds, may go: some are kept to be used
    /// again.
    ///
    /// **Errors**: the system's; the next call tries again what could not be removed.
    pub fn release(&self, before: Position) -> Result<(), LogError> {
        let shared = &*self.shared;
        loop {
            let mut state = shared.lock();
            let held = state.holds.keys().next().copied().unwrap_or(before);
            let limit = before.min(held).min(state.synced).segment;
            let Some(number) = state.old.first().copied().filter(|number| *number < limit) else {
                return Ok(());
            };
            state.old.remove(&number);
            let path = path_of(&shared.dir, number);
            if state.free.len() < FREE_MAX && shared.is_of_length(&path, state.segment_bytes) {
                state.free.push(number);
                continue;
            }
            drop(state);
            if let Err(error) = shared.fs.remove(&path) {
                shared.lock().old.insert(number);
                return Err(LogError::io(&path, error));
            }
        }
    }

    /// Makes all that was appended last, and says in the log that nothing is missing. Segments that were kept
    /// to be used again go, as far as they can be removed.
    ///
    /// **Errors**: as [`Self::sync`].
    pub fn close(mut self) -> Result<(), LogError> {
        self.stop();
        let shared = &*self.shared;
        if shared.options.durability == Durability::Memory {
            return Ok(());
        }
        // What is published by now was appended.
        let committed = shared.committed();
        self.sync()?;
        let free = std::mem::take(&mut shared.lock().free);
        for number in free {
            let _ = shared.fs.remove(&path_of(&shared.dir, number));
        }
        let mut state = shared.lock();
        state.covered = state.covered.max(committed);
        // Without a segment nothing was ever logged; without room for a new one the log ends as it is.
        if state.ready.is_empty() || state.lacks(0, &shared.options).is_some() {
            return Ok(());
        }
        state.buffer.put_empty(CLOSED);
        let end = state.buffer.end();
        drop(state);
        shared.reach(end)
    }

    fn stop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A child that was forked has no such thread.
            if !self.maker.is_this() {
                std::mem::forget(thread);
                return;
            }
            self.shared.lock().is_stopping = true;
            self.shared.stopping.notify_all();
            // It has nothing to tell.
            let _ = thread.join();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.stop();
    }
}

impl State {
    /// The length of a segment that must be made for `len` bytes of records, with all headers of blocks: as
    /// many as there are when others take the buffer between any two parts. None where those that are there
    /// have room.
    fn lacks(&self, len: usize, options: &LogOptions) -> Option<u32> {
        let shortest = self.buffer.shortest().unwrap_or(self.segment_bytes).min(self.segment_bytes);
        let part = CONTENT_MAX.min(options.buffer_bytes).min((shortest - HEADER_LEN) as usize);
        let needed = len as u64 + 128 * (3 * (len / part) as u64 + 4);
        let segment = self.buffer.end().segment;
        let here = if self.last >= segment { self.buffer.rest_of_segment() } else { 0 };
        let missing = needed.saturating_sub(here + self.buffer.bytes_behind());
        let whole = missing + u64::from(HEADER_LEN);
        // What is long anyway is cut into few.
        let whole = u32::try_from(whole).ok().and_then(u32::checked_next_power_of_two);
        let whole = whole.unwrap_or(options.segment_bytes);
        (missing > 0).then(|| whole.clamp(self.segment_bytes, options.segment_bytes))
    }

    /// Whether no block says yet how far the log lasts.
    fn has_to_say(&self) -> bool {
        self.marked.synced < self.synced.min(self.content) || self.marked.committed < self.appended
    }

    /// Whether the segment after the one that is written should be made: half of it is used.
    fn wants_segment(&self) -> bool {
        let is_half_used = || self.synced.offset > self.buffer.segment_len(self.last) / 2;
        self.synced.segment == self.last && is_half_used() && !self.is_making
    }
}

impl Shared {
    fn lock(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_changed<'a>(&self, state: Guard<'a>) -> Guard<'a> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while<'a>(&self, mut state: Guard<'a>, is_so: impl Fn(&State) -> bool) -> Guard<'a> {
        while is_so(&state) {
            state = self.wait_changed(state);
        }
        state
    }

    fn check(&self, state: &State) -> Result<(), LogError> {
        match &state.poison {
            Some((path, error)) => Err(LogError::Poisoned { path: path.clone(), error: Arc::clone(error) }),
            None => Ok(()),
        }
    }

    fn poison(&self, state: &mut State, error: &LogError) {
        if let LogError::Io { path, error } = error {
            state.poison.get_or_insert_with(|| (path.clone(), Arc::clone(error)));
        }
    }

    fn is_of_length(&self, path: &Path, len: u32) -> bool {
        let size = self.fs.open(path).and_then(|file| file.size());
        size.is_ok_and(|size| size == u64::from(len))
    }

    fn append(&self, bytes: &[u8], timestamp: u64) -> Result<Position, LogError> {
        if self.options.durability == Durability::Memory {
            return Ok(self.lock().buffer.end());
        }
        let mut state = self.lock();
        loop {
            self.check(&state)?;
            let is_full = state.buffer.len() >= self.options.buffer_bytes;
            if state.is_appending || (is_full && state.is_writing) {
                state = self.wait_changed(state);
            } else if let Some(len) = state.lacks(bytes.len(), &self.options) {
                state = self.make_segment(state, len)?;
            } else if is_full {
                state = self.write(state, true);
            } else {
                break;
            }
        }
        state.appended = state.appended.max(timestamp);
        let mut done = state.buffer.put(bytes, false, self.options.buffer_bytes);
        if done < bytes.len() {
            state.is_appending = true;
            while done < bytes.len() && state.poison.is_none() {
                state = self.wait_while(state, |state| state.is_writing);
                if state.poison.is_none() {
                    state = self.write(state, false);
                    done += state.buffer.put(&bytes[done..], true, self.options.buffer_bytes);
                }
            }
            state.is_appending = false;
            self.changed.notify_all();
            self.check(&state)?;
        }
        state.content = state.buffer.end();
        Ok(state.content)
    }

    /// The last commit that is published, and all before it; 0 where nobody says it.
    fn committed(&self) -> u64 {
        self.committed.get().map_or(0, |committed| committed())
    }

    fn mark(&self) -> Result<(), LogError> {
        let mut state = self.lock();
        // A log that was never written to has nothing to say.
        if state.ready.is_empty() || self.options.durability == Durability::Memory {
            return Ok(());
        }
        loop {
            self.check(&state)?;
            if state.is_appending || state.is_writing {
                state = self.wait_changed(state);
            } else if let Some(len) = state.lacks(0, &self.options) {
                state = self.make_segment(state, len)?;
            } else {
                state.buffer.put_empty(0);
                state = self.write(state, false);
                return self.check(&state);
            }
        }
    }

    /// Waits, or writes and syncs, until all before `position` lasts.
    fn reach(&self, position: Position) -> Result<(), LogError> {
        let mut state = self.lock();
        while state.synced < position {
            self.check(&state)?;
            state = if state.is_writing { self.wait_changed(state) } else { self.write(state, true) };
        }
        if state.wants_segment() {
            let len = state.segment_bytes;
            // What was asked for lasts. Without room the next transaction that needs the segment says so.
            drop(self.make_segment(state, len));
        }
        Ok(())
    }

    /// Writes the buffer, and syncs all that was written. Nobody else may be writing.
    fn write<'a>(&'a self, mut state: Guard<'a>, sync: bool) -> Guard<'a> {
        state.is_writing = true;
        let spare = std::mem::take(&mut state.spare);
        let mut taken = state.buffer.take(spare);
        let (end, committed) = (state.buffer.end(), self.committed());
        let mark = Mark {
            synced: state.synced,
            committed: match self.options.durability {
                // What is published was waited for: it lies before the end of what is synced.
                Durability::Durable => committed,
                Durability::Relaxed { .. } | Durability::Memory => state.covered,
            },
        };
        let says_so = !taken.is_empty();
        let ready = state.ready.clone();
        let mut unsynced = std::mem::take(&mut state.unsynced);
        drop(state);
        // A large transaction may be the writer's own.
        let is_over = |state: &mut State| (state.is_writing, state.is_appending) = (false, false);
        let at_work = AtWork { shared: self, is_over };
        taken.seal(mark);
        let written = self.write_parts(&taken, &ready, &mut unsynced, sync);
        drop(at_work);
        let mut state = self.lock();
        match written {
            Ok(()) if sync => {
                state.syncs += 1;
                state.synced = end;
                // What was published when the buffer was taken had been appended before.
                state.covered = state.covered.max(committed);
                let current = state.ready.split_off(&end.segment);
                let full = std::mem::replace(&mut state.ready, current);
                state.old.extend(full.into_keys());
            }
            Ok(()) => state.unsynced = unsynced,
            Err(error) => self.poison(&mut state, &error),
        }
        if says_so {
            state.marked = mark;
        }
        if std::mem::take(&mut state.is_idle) {
            self.stopping.notify_all();
        }
        state.spare = taken.trimmed(self.options.buffer_bytes.saturating_mul(2));
        state.is_writing = false;
        self.changed.notify_all();
        state
    }

    fn write_parts(
        &self,
        taken: &Taken,
        ready: &BTreeMap<u64, Arc<dyn WriteAt>>,
        unsynced: &mut BTreeSet<u64>,
        sync: bool,
    ) -> Result<(), LogError> {
        let file_of = |number: u64| {
            let path = path_of(&self.dir, number);
            let missing = || LogError::io(&path, io::Error::other("a segment that was not made"));
            ready.get(&number).ok_or_else(missing).map(|file| (file, path.clone()))
        };
        for (at, bytes) in taken.parts() {
            let (file, path) = file_of(at.segment)?;
            file.write_all_at(bytes, at.offset.into()).map_err(|error| LogError::io(&path, error))?;
            unsynced.insert(at.segment);
        }
        for number in unsynced.iter().filter(|_| sync) {
            let (file, path) = file_of(*number)?;
            file.sync_data().map_err(|error| LogError::io(&path, error))?;
        }
        Ok(())
    }

    /// Makes the next segment, of `len` bytes, or waits for who makes one.
    ///
    /// **Errors**: no room; anything else poisons the log, since names that could not be synced may not last.
    fn make_segment<'a>(&'a self, mut state: Guard<'a>, len: u32) -> Result<Guard<'a>, LogError> {
        if state.is_making {
            return Ok(self.wait_changed(state));
        }
        state.is_making = true;
        let number = state.last + 1;
        let old = if len == state.segment_bytes { state.free.pop() } else { None };
        drop(state);
        let database = self.options.database;
        let at_work = AtWork { shared: self, is_over: |state| state.is_making = false };
        let made = segment::make(&*self.fs, &self.dir, number, len, database, old);
        drop(at_work);
        let mut state = self.lock();
        state.is_making = false;
        self.changed.notify_all();
        match made {
            Ok(file) => {
                state.ready.insert(number, file);
                state.buffer.made(number, len);
                state.last = number;
                Ok(state)
            }
            Err(error) => {
                self.poison(&mut state, &error);
                Err(error)
            }
        }
    }

    /// What the thread of `Durable` does: where something is not said yet, it waits a moment for a commit
    /// that says it, then says it. So a follower is late by as much, and a pause costs one block.
    fn mark_after(&self, pause: Duration) {
        loop {
            let mut state = self.lock();
            while !state.is_stopping && (self.committed.get().is_none() || !state.has_to_say()) {
                state.is_idle = true;
                state = self.stopping.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let waited = self.stopping.wait_timeout_while(state, pause, |state| !state.is_stopping);
            let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.is_stopping || state.poison.is_some() {
                return;
            }
            drop(state);
            // Without room followers wait for who commits next.
            let _ = self.mark();
        }
    }

    /// What the thread of `Relaxed` does.
    fn sync_every(&self, interval: Duration) {
        loop {
            let state = self.lock();
            let waited = self.stopping.wait_timeout_while(state, interval, |state| !state.is_stopping);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.is_stopping {
                return;
            }
            let end = state.buffer.seal_off();
            drop(state);
            // Who appends next meets the poison.
            if self.reach(end).is_ok() && self.options.mark_after.is_some() && self.lock().has_to_say() {
                let _ = self.mark();
            }
        }
    }
}
