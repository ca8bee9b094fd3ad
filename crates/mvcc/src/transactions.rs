//! The table of transactions: takes who begins, commits and ends; gives handles, timestamps and conflicts.
//!
//! A commit, in five steps (`docs/design/transactions.md`, "A commit"):
//!
//! 1. it takes the next timestamp, and its changes join the recent ones;
//! 2. serializable: what it read is asked against what others changed since;
//! 3. it is logged;
//! 4. its versions get the timestamp;
//! 5. it is published once all before it are.
//!
//! Steps 2 to 4 run beside those of others. Nobody waits for a transaction that is open, so there are no
//! deadlocks; a commit waits only for those that have a timestamp already, and for who has the turn.
//!
//! Who takes the turn meets nobody who only waits for its end: transactions that end by themselves are let
//! pass first, and none begins until the turn is over ([`Transactions::pass`]).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, SmallMap};

use crate::commits::Commits;
use crate::{
    AtomicStamp, Changes, Handle, Intent, Overlap, ReadSet, Registered, Snapshots, Stamp, Timestamp,
};

/// What transactions that run at the same time may see of each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[non_exhaustive]
pub enum Isolation {
    /// Each statement sees what was committed when it began.
    ReadCommitted,
    /// The transaction sees what was committed when it began; nobody writes over what it has not seen.
    Snapshot,
    /// As if transactions had run one after the other.
    #[default]
    Serializable,
}

impl Isolation {
    /// Its name, as statements and settings have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Serializable => "serializable",
            Self::Snapshot => "snapshot",
            Self::ReadCommitted => "read committed",
        }
    }
}

/// Why a transaction cannot go on. It may be tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// Somebody has written this and has not committed.
    Open(Handle),
    /// Somebody has written this and committed since the transaction began.
    Newer(Timestamp),
    /// Somebody has changed what the transaction read.
    Read(Overlap),
}

/// Why a commit failed: all it wrote is undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failed<E> {
    /// Somebody else was first.
    Conflict(Conflict),
    /// It could not be logged.
    Log(E),
}

/// An open transaction, as the table has it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its isolation level.
    pub level: Isolation,
    /// What it reads.
    pub read: Timestamp,
    /// When it began.
    pub began: Instant,
    /// Ends it.
    pub cancel: CancelToken,
    outcome: Arc<AtomicStamp>,
}

/// An open transaction that may write. Dropped without a commit or [`Transactions::undo`], it stays in the
/// table: who holds it must end it.
#[derive(Debug)]
#[must_use]
pub struct Open {
    handle: Handle,
    level: Isolation,
    /// Whether it is asked against what others committed.
    is_validated: bool,
    read: Timestamp,
    turn: Option<u64>,
    outcome: Arc<AtomicStamp>,
}

impl Open {
    /// Its handle.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Its isolation level.
    pub fn level(&self) -> Isolation {
        self.level
    }

    /// What it reads.
    pub fn read(&self) -> Timestamp {
        self.read
    }

    /// It commits under `turn`, while others wait.
    pub fn under(&mut self, turn: &Turn<'_>) {
        self.turn = Some(turn.number);
    }

    /// It commits under the turn that `other` would have committed under, if any: it begins in its place.
    pub fn in_place_of(&mut self, other: &Self) {
        self.turn = other.turn;
    }

    /// What has become of it: its handle while it is open, then a timestamp or never.
    pub fn outcome(&self) -> &Arc<AtomicStamp> {
        &self.outcome
    }
}

#[derive(Debug)]
struct State {
    commits: Commits,
    /// How many open transactions will be asked against what was committed after these timestamps.
    validated: SmallMap<Timestamp, usize>,
    /// What bulk loads changed, and when, as long as somebody may be about to commit who began before.
    loads: Vec<(Timestamp, Arc<Changes>)>,
    /// Who has the turn.
    turn: Option<Claim>,
    turns: u64,
    /// How many wait for [`Transactions::moved`].
    waiting: usize,
}

/// A turn that somebody has.
#[derive(Clone, Copy, Debug)]
struct Claim {
    number: u64,
    /// Until when at most.
    end: Instant,
    /// Who began before may still commit.
    lets_pass: bool,
}

/// How long who takes the turn waits for those that began before and end by themselves. They are statements
/// and short functions; a long one must not hold up all others.
const LET_PASS: Duration = Duration::from_millis(100);

/// What somebody waits for a turn with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    /// To begin, or to take the turn.
    Begin,
    /// To commit, under a turn of its own or none.
    Commit(Option<u64>),
}

/// The table of transactions.
#[derive(Debug)]
pub struct Transactions {
    published: AtomicU64,
    handles: AtomicU64,
    state: Mutex<State>,
    /// Somebody was published, or the turn is over, or all have passed who began before it.
    moved: Condvar,
    /// Transactions that end by themselves, soon as a rule.
    passing: AtomicUsize,
    /// Somebody has the turn, as `state` says.
    claimed: AtomicBool,
    open: RwLock<SmallMap<Handle, Entry>>,
    snapshots: Arc<Snapshots>,
}

/// The right to commit while others wait. Over when it is dropped, or its time is.
#[derive(Debug)]
pub struct Turn<'t> {
    transactions: &'t Transactions,
    number: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.transactions.lock();
        if state.turn.is_some_and(|claim| claim.number == self.number) {
            self.transactions.claim(&mut state, None);
        }
        self.transactions.tell(&state);
    }
}

/// A transaction that ends by itself: who takes the turn lets it pass. Over when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Passing<'t> {
    transactions: &'t Transactions,
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        let all = self.transactions;
        if all.passing.fetch_sub(1, Ordering::SeqCst) == 1 && all.claimed.load(Ordering::SeqCst) {
            // Who waits has looked at the number under the lock.
            all.tell(&all.lock());
        }
    }
}

/// A commit that has its place in the order. Others wait for it, so it is finished whatever happens: where
/// what it calls panics, when it is dropped.
struct Ordered<'t, S: FnOnce(Stamp)> {
    transactions: &'t Transactions,
    open: &'t Open,
    own: Timestamp,
    /// Writes its last stamp into its versions; none once it was called.
    stamp: Option<S>,
}

impl<S: FnOnce(Stamp)> Ordered<'_, S> {
    /// Step 4. Where a version cannot be stamped it stays in the table, which tells what became of it.
    fn stamp(&mut self, last: Stamp) {
        if let Some(stamp) = self.stamp.take() {
            self.transactions.end(self.open, last, stamp);
        }
    }
}

impl<S: FnOnce(Stamp)> Drop for Ordered<'_, S> {
    fn drop(&mut self) {
        // Nobody has said that it is logged.
        self.stamp(Stamp::NEVER);
        let undone = self.open.outcome.load() == Stamp::NEVER;
        self.transactions.finish(&mut self.transactions.lock(), self.open, self.own, undone);
    }
}

impl Default for Transactions {
    fn default() -> Self {
        Self::after(Timestamp(0), 0)
    }
}

impl Transactions {
    /// The table of a database whose last commit is `last`, and that has given `handles` handles.
    pub fn after(last: Timestamp, handles: u64) -> Self {
        Self {
            published: AtomicU64::new(last.0),
            handles: AtomicU64::new(handles),
            state: Mutex::new(State {
                commits: Commits::after(last),
                validated: SmallMap::new(),
                loads: Vec::new(),
                turn: None,
                turns: 0,
                waiting: 0,
            }),
            moved: Condvar::new(),
            passing: AtomicUsize::new(0),
            claimed: AtomicBool::new(false),
            open: RwLock::default(),
            snapshots: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who wait that something moved. To tell nobody would be a system call for each commit.
    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.moved.notify_all();
        }
    }

    /// Waits until something moved, or for so long.
    fn wait<'s>(&self, mut state: MutexGuard<'s, State>, limit: Option<Duration>) -> MutexGuard<'s, State> {
        state.waiting += 1;
        let mut state = match limit {
            None => self.moved.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => self.moved.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0,
        };
        state.waiting -= 1;
        state
    }

    /// The views that are in use.
    pub fn snapshots(&self) -> &Arc<Snapshots> {
        &self.snapshots
    }

    /// The last commit that is published, and all before it.
    #[inline]
    pub fn published(&self) -> Timestamp {
        Timestamp(self.published.load(Ordering::Acquire))
    }

    /// A view of what is published now, over a main version with the commits up to `merged`, in use until it
    /// is dropped.
    pub fn snapshot(&self, merged: Timestamp, intent: Intent) -> Registered {
        self.snapshots.register(merged, intent, || self.published())
    }

    /// Handles that were given so far.
    pub fn handles(&self) -> u64 {
        self.handles.load(Ordering::Relaxed)
    }

    /// Begins a transaction that may write, or does, over a main version with the commits up to `merged`, and
    /// registers what it sees. Under `turn` it commits though others must wait.
    ///
    /// **Cost**: three locks, some 200 ns.
    pub fn begin(
        &self,
        level: Isolation,
        (merged, intent): (Timestamp, Intent),
        cancel: CancelToken,
        turn: Option<&Turn<'_>>,
    ) -> (Open, Registered) {
        let handle = Handle::new(self.handles.fetch_add(1, Ordering::Relaxed));
        let outcome = Arc::new(AtomicStamp::new(handle.into()));
        // Who does not write is serial at the time that he reads.
        let is_validated = level == Isolation::Serializable && intent != Intent::Read;
        let registered = {
            // The changes since are kept from here on: nobody may forget them between the two.
            let mut state = self.lock();
            let registered = self.snapshot(merged, intent);
            if is_validated {
                *state.validated.or_default(registered.read()) += 1;
            }
            registered
        };
        let read = registered.read();
        let entry = Entry { level, read, began: Instant::now(), cancel, outcome: Arc::clone(&outcome) };
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(handle, entry);
        let turn = turn.map(|turn| turn.number);
        (Open { handle, level, is_validated, read, turn, outcome }, registered)
    }

    /// What has become of a transaction: its handle if it is open, a timestamp, or never; none if it has left
    /// the table, and its versions have their last stamps.
    pub(crate) fn outcome(&self, handle: Handle) -> Option<Stamp> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&handle).map(|entry| entry.outcome.load())
    }

    /// The transactions that are open and may write, in the order they began.
    pub fn list(&self) -> Vec<(Handle, Entry)> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = open.iter().map(|(handle, entry)| (*handle, entry.clone())).collect();
        all.sort_by_key(|(handle, _)| *handle);
        all
    }

    /// Commits `open`, which wrote `changes`. `reads`, asked once its place in the order is known, says what
    /// it read; `log` makes it last; `stamp` writes its timestamp, or [`Stamp::NEVER`] if it fails, into all
    /// its versions.
    ///
    /// **Errors**: a conflict with what it read; what `log` fails with. Then it is undone. **Cost**: waits
    /// until commits before it are published.
    pub fn commit<E>(
        &self,
        open: Open,
        changes: Changes,
        reads: impl FnOnce() -> ReadSet,
        log: impl FnOnce(Timestamp) -> Result<(), E>,
        stamp: impl FnOnce(Stamp),
    ) -> Result<Timestamp, Failed<E>> {
        let (own, since, met) = {
            let mut state = self.wait_for_turn(About::Commit(open.turn));
            let loads = state.loads.iter().filter(|(at, _)| *at > open.read);
            let met = loads.filter_map(|(_, load)| changes.meets_load(load)).next();
            let changes = Arc::new(changes);
            let own = state.commits.order(Arc::clone(&changes));
            if changes.load.is_some() {
                // One that fails is kept, too: a conflict that need not have been.
                state.loads.push((own, changes));
            }
            (own, if open.is_validated { state.commits.between(open.read, own) } else { Vec::new() }, met)
        };
        let mut ordered = Ordered { transactions: self, open: &open, own, stamp: Some(stamp) };
        let overlap = (!since.is_empty()).then(reads);
        let overlap = overlap.and_then(|reads| since.iter().find_map(|(_, changes)| reads.overlap(changes)));
        let overlap = met.or(overlap);
        let result = match overlap {
            Some(overlap) => Err(Failed::Conflict(Conflict::Read(overlap))),
            None => log(own).map(|()| own).map_err(Failed::Log),
        };
        ordered.stamp(if result.is_ok() { Stamp::from(own) } else { Stamp::NEVER });
        drop(ordered);
        self.wait_for(own);
        result
    }

    /// Where somebody has changed what `open` has read so far and has committed since, or is about to; asked
    /// before anything is told of what it read. `reads` is asked where somebody has committed since.
    pub fn overtaken(&self, open: &Open, reads: impl FnOnce() -> ReadSet) -> Option<Overlap> {
        let since = {
            let state = self.lock();
            state.commits.between(open.read, Timestamp(state.commits.last().0 + 1))
        };
        let reads = (!since.is_empty()).then(reads)?;
        since.iter().find_map(|(_, changes)| reads.overlap(changes))
    }

    /// Undoes `open`: `stamp` writes [`Stamp::NEVER`] into all its versions.
    pub fn undo(&self, open: &Open, stamp: impl FnOnce(Stamp)) {
        self.end(open, Stamp::NEVER, stamp);
        self.forget(&mut self.lock(), open);
    }

    /// Step 4: what became of it is in the table before the first version is stamped, and leaves the table
    /// after the last one is.
    fn end(&self, open: &Open, last: Stamp, stamp: impl FnOnce(Stamp)) {
        open.outcome.store(last);
        stamp(last);
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&open.handle);
    }

    /// Step 5: it is published as soon as all before it are.
    fn finish(&self, state: &mut State, open: &Open, own: Timestamp, undone: bool) {
        let published = state.commits.finish(own, undone);
        self.published.store(published.0, Ordering::Release);
        self.forget(state, open);
        self.tell(state);
    }

    /// Waits until all up to `last` are published.
    fn wait_for(&self, last: Timestamp) {
        if self.published() >= last {
            return;
        }
        let mut state = self.lock();
        while self.published() < last {
            state = self.wait(state, None);
        }
    }

    /// It will be asked against nothing more.
    fn forget(&self, state: &mut State, open: &Open) {
        if open.is_validated
            && let Some(count) = state.validated.get_mut(&open.read)
        {
            *count -= 1;
            if *count == 0 {
                state.validated.remove(&open.read);
            }
        }
        self.forget_commits(state);
        if !state.loads.is_empty() {
            // Who has begun has a view, or stands in the table.
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            let began = open.values().map(|entry| entry.read).min().unwrap_or(Timestamp(u64::MAX));
            let oldest = began.min(self.snapshots.oldest(|| self.published()));
            state.loads.retain(|(at, _)| *at > oldest);
        }
    }

    /// Forgets the changes that nobody will be asked against.
    fn forget_commits(&self, state: &mut State) {
        let asked = |read: &&Timestamp| !self.snapshots.is_cut(**read);
        let oldest = state.validated.keys().find(asked).copied().unwrap_or(Timestamp(u64::MAX));
        state.commits.forget(oldest);
    }

    /// Who may write, has not, and reads below `read` is too old to write from now on: what was committed
    /// since is forgotten.
    pub fn cut(&self, read: Timestamp) {
        let mut state = self.lock();
        self.snapshots.cut(read);
        self.forget_commits(&mut state);
    }

    /// Begins what ends by itself: a statement with a transaction of its own, or a function that is run again
    /// where it met a conflict. Waits until nobody has the turn; who takes it waits until this is over, for a
    /// while. Not for transactions that stay open until somebody says so, nor under a turn.
    ///
    /// **Cost**: two atomics, if nobody has the turn.
    pub fn pass(&self) -> Passing<'_> {
        loop {
            self.passing.fetch_add(1, Ordering::SeqCst);
            let passing = Passing { transactions: self };
            // Of the two, who takes the turn sees the number, or this sees that it is taken.
            if !self.claimed.load(Ordering::SeqCst) {
                return passing;
            }
            drop(passing);
            drop(self.wait_for_turn(About::Begin));
        }
    }

    /// Waits until nobody else has the turn, and takes it: until it is dropped, for `limit` at most, only
    /// transactions that began under it commit. Those that [pass](Self::pass) have ended before, unless they
    /// take long: else what they wrote would be met again and again, while they wait for the turn to end.
    pub fn take_turn(&self, limit: Duration) -> Turn<'_> {
        let mut state = self.wait_for_turn(About::Begin);
        state.turns += 1;
        let (number, now) = (state.turns, Instant::now());
        self.claim(&mut state, Some(Claim { number, end: now + limit, lets_pass: true }));
        let turn = Turn { transactions: self, number };
        let passed = now + LET_PASS.min(limit);
        while self.passing.load(Ordering::SeqCst) > 0 {
            let left = passed.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.wait(state, Some(left));
        }
        if let Some(claim) = state.turn.as_mut().filter(|claim| claim.number == number) {
            claim.lets_pass = false;
        }
        drop(state);
        turn
    }

    fn claim(&self, state: &mut State, claim: Option<Claim>) {
        state.turn = claim;
        self.claimed.store(claim.is_some(), Ordering::SeqCst);
    }

    /// Waits until nobody has a turn that this has to wait for.
    fn wait_for_turn(&self, about: About) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while let Some(claim) = state.turn {
            let left = claim.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.claim(&mut state, None);
                break;
            }
            if let About::Commit(own) = about
                && (claim.lets_pass || own == Some(claim.number))
            {
                break;
            }
            state = self.wait(state, Some(left));
        }
        state
    }

    /// Waits until every commit that has a timestamp now is published, or undone; gives the last one: all
    /// that was logged before this was asked is at or before it.
    pub fn settle(&self) -> Timestamp {
        let last = self.lock().commits.last();
        self.wait_for(last);
        self.published()
    }

    /// Publishes what others have committed: all up to `last`, by who was given `handles` handles. For who
    /// reads a log, where nobody commits.
    pub fn advance(&self, last: Timestamp, handles: u64) {
        let mut state = self.lock();
        state.commits = Commits::after(last);
        self.published.store(last.0, Ordering::Release);
        self.handles.fetch_max(handles, Ordering::Relaxed);
        self.tell(&state);
    }

    /// Commits whose changes are kept for those who will be asked against them.
    pub fn commits_kept(&self) -> usize {
        self.lock().commits.kept()
    }
}
