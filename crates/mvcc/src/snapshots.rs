//! The views that are in use: which commits somebody still needs as versions, and when what was removed may
//! be used again.
//!
//! 1. Who reads is registered: the commits from those that his main version has up to his read timestamp are
//!    seen as versions by him, and no others. [`Snapshots::needed`] tells all these ranges.
//! 2. Who may write needs what is committed later, too: it tells him that somebody was faster. If that
//!    becomes too much he loses the right, as long as he has not written ([`Snapshots::cut`]).
//! 3. What was removed may still be in the hands of those who found it before. They are *inside*
//!    ([`Registered::enter`]). [`Snapshots::retire`] ends the epoch after a removal; once all who came in in
//!    it or before are out, [`Snapshots::is_past`] says so. Who is registered and not inside holds nothing
//!    up.
//!
//! Source: `docs/design/transactions.md`, "Merge".

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_base::SmallMap;

use crate::Timestamp;
use crate::needed::Needed;

/// A time between two removals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Epoch(u64);

/// What who is registered may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// He reads.
    Read,
    /// He may write, and has not.
    MayWrite,
    /// He writes.
    Write,
}

/// The view is too old to write: what was committed since is not known any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooOld;

/// What main has, and what is read.
type Range = (Timestamp, Timestamp);

#[derive(Debug, Default)]
struct State {
    epoch: u64,
    /// How many came in in each epoch and are still inside.
    epochs: SmallMap<u64, usize>,
    /// How many read each range, by what they may do.
    views: [SmallMap<Range, usize>; 3],
    /// Who may write, has not, and reads below this is too old to.
    cut: Timestamp,
}

impl State {
    fn of(&mut self, intent: u8) -> Option<&mut SmallMap<Range, usize>> {
        self.views.get_mut(usize::from(intent))
    }

    fn of_intent(&self, intent: Intent) -> &SmallMap<Range, usize> {
        &self.views[intent as usize]
    }
}

/// The views that are in use.
#[derive(Debug, Default)]
pub struct Snapshots {
    state: Mutex<State>,
}

/// A view that is in use, until it is dropped.
#[derive(Debug)]
pub struct Registered {
    snapshots: Arc<Snapshots>,
    merged: Timestamp,
    read: Timestamp,
    /// The last commit that is seen: its own, once it has committed. Changes while the state is locked.
    last: AtomicU64,
    /// An [`Intent`]; likewise.
    intent: AtomicU8,
}

/// Somebody who may have versions in his hands, until he is dropped.
#[derive(Debug)]
pub struct Inside {
    snapshots: Arc<Snapshots>,
    epoch: u64,
}

fn leave<K: Ord>(counts: &mut SmallMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl Registered {
    /// Its read timestamp.
    pub fn read(&self) -> Timestamp {
        self.read
    }

    /// To be called, and what it gives kept, by who looks at versions.
    ///
    /// **Cost**: a lock and a small map, some 30 ns; the same when it is dropped.
    pub fn enter(&self) -> Inside {
        let mut state = self.snapshots.lock();
        let epoch = state.epoch;
        *state.epochs.or_default(epoch) += 1;
        Inside { snapshots: Arc::clone(&self.snapshots), epoch }
    }

    /// It writes from now on.
    ///
    /// **Errors**: it is too old.
    pub fn begin_to_write(&self) -> Result<(), TooOld> {
        let mut state = self.snapshots.lock();
        let intent = self.intent.load(Ordering::Relaxed);
        if intent == Intent::Write as u8 {
            return Ok(());
        }
        if intent == Intent::Read as u8 || self.read < state.cut {
            return Err(TooOld);
        }
        self.become_now(&mut state, Intent::Write, self.read);
        Ok(())
    }

    /// Its transaction is over, and committed at `at`, or was undone: who has results of it reads, what it
    /// wrote too.
    pub fn end(&self, at: Option<Timestamp>) {
        self.become_now(&mut self.snapshots.lock(), Intent::Read, at.unwrap_or(self.read));
    }

    fn become_now(&self, state: &mut State, intent: Intent, last: Timestamp) {
        self.leave(state);
        *state.views[intent as usize].or_default((self.merged, last)) += 1;
        self.intent.store(intent as u8, Ordering::Relaxed);
        self.last.store(last.0, Ordering::Relaxed);
    }

    fn leave(&self, state: &mut State) {
        let range = (self.merged, Timestamp(self.last.load(Ordering::Relaxed)));
        if let Some(views) = state.of(self.intent.load(Ordering::Relaxed)) {
            leave(views, &range);
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.leave(&mut self.snapshots.lock());
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        leave(&mut self.snapshots.lock().epochs, &self.epoch);
    }
}

impl Snapshots {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a reader of a main version that has the commits up to `merged`. `read` is asked for its
    /// timestamp while nobody else can ask for the oldest.
    ///
    /// **Cost**: a lock and a small map, some 50 ns.
    pub fn register(
        self: &Arc<Self>,
        merged: Timestamp,
        intent: Intent,
        read: impl FnOnce() -> Timestamp,
    ) -> Registered {
        let mut state = self.lock();
        let read = read();
        *state.views[intent as usize].or_default((merged, read)) += 1;
        Registered {
            snapshots: Arc::clone(self),
            merged,
            read,
            last: AtomicU64::new(read.0),
            intent: AtomicU8::new(intent as u8),
        }
    }

    /// The smallest read timestamp in use; `published` tells it where nobody reads.
    pub fn oldest(&self, published: impl FnOnce() -> Timestamp) -> Timestamp {
        let state = self.lock();
        let published = published();
        let reads = state.views.iter().flat_map(SmallMap::keys).map(|(_, read)| *read);
        reads.min().unwrap_or(published)
    }

    /// The commits up to `merged` that somebody sees as versions, or must meet when he writes. Who comes from
    /// now on has a main version with all of these.
    pub fn needed(&self, merged: Timestamp) -> Needed {
        let state = self.lock();
        let (read, may_write, write) = (
            state.of_intent(Intent::Read).keys().copied(),
            state.of_intent(Intent::MayWrite).keys().copied(),
            state.of_intent(Intent::Write).keys().copied(),
        );
        let cut = state.cut;
        let later = |(main, read): Range| (main, if read < cut { read } else { merged });
        Needed::new(merged, read.chain(may_write.map(later)).chain(write.map(|(main, _)| (main, merged))))
    }

    /// What the oldest reads for whom more is kept than he sees, so that he can write: none where others
    /// write for whom as much is kept.
    pub fn oldest_waiting(&self) -> Option<Timestamp> {
        let state = self.lock();
        let waits = |(_, read): &&Range| *read >= state.cut;
        let (merged, read) = state.of_intent(Intent::MayWrite).keys().find(waits)?;
        let writes = state.of_intent(Intent::Write).first().map(|((merged, _), _)| merged);
        writes.is_none_or(|writes| merged < writes).then_some(*read)
    }

    /// Who may write, has not, and reads below `read` is too old to write from now on.
    pub fn cut(&self, read: Timestamp) {
        let mut state = self.lock();
        state.cut = state.cut.max(read);
    }

    /// Whether nobody who reads at `read` can write.
    pub fn is_cut(&self, read: Timestamp) -> bool {
        let state = self.lock();
        read < state.cut && !state.of_intent(Intent::Write).keys().any(|(_, own)| *own == read)
    }

    /// Ends the epoch in which something was removed.
    pub fn retire(&self) -> Epoch {
        let mut state = self.lock();
        state.epoch += 1;
        Epoch(state.epoch - 1)
    }

    /// Whether all who came in in `epoch` or before are out.
    pub fn is_past(&self, epoch: Epoch) -> bool {
        self.lock().epochs.first().is_none_or(|(first, _)| *first > epoch.0)
    }
}
