//! Merges: what was committed goes into a new main version, which is published; what nobody needs any more is
//! cleaned out of the delta.
//!
//! 1. The time is the last commit that is published; the main version is made beside readers and writers.
//! 2. It is published under the lock of the snapshot, with what was declared meanwhile: who comes from then
//!    on has it, who came before keeps the older one and finds all of what he sees in the delta.
//! 3. The delta is cleaned of what the version has. What somebody with an older version sees stays; what came
//!    later than that goes.
//! 4. When everybody is out who was looking at the delta then, pages, records, rows and positions are used
//!    again.
//!
//! Steps 3 and 4 are taken whenever somebody looks. A forgotten reader stops neither merges nor cleaning:
//! what he sees stays, and if he may write, what he would have to meet, until that becomes too much.
//!
//! Source: `docs/design/transactions.md`, "Merge".

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

use trimorph_base::{CancelToken, EdgeId};
use trimorph_mvcc::{Intent, Timestamp};
use trimorph_store::{MergeError, MergeReport, merged};

use crate::Error;
use crate::merged_pieces::{MERGED, merge_failed};
use crate::merges_left::Merging;
use crate::shared::Shared;
use crate::value_indexes::index_all;
use crate::waiting::lock_until;

/// Others may change this part of what main has while a transaction may still begin to write that only reads.
const KEPT_SHARE: usize = 4;
/// And so much in any case, in bytes.
const KEPT_BYTES_MIN: usize = 16 << 20;
/// And so many commits.
const KEPT_COMMITS_MAX: usize = 1 << 17;
/// Cleaning for readers who come and go, while others stay, takes one part in so many of the time.
const CLEANED_PART: u32 = 8;
/// What is freed with a delta of so many bytes is worth being given back to the system.
const MUCH_HELD: usize = 16 << 20;

impl Shared {
    pub(crate) fn merging(&self) -> MutexGuard<'_, Merging> {
        self.merging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Merges what is committed now, and cleans as far as readers let it.
    pub(crate) fn merge(&self, cancel: &CancelToken) -> Result<MergeReport, Error> {
        self.merge_within(&mut *lock_until(&self.merging, cancel)?, cancel)
    }

    /// The same for who goes on to hold off merges.
    pub(crate) fn merge_within(
        &self,
        merging: &mut Merging,
        cancel: &CancelToken,
    ) -> Result<MergeReport, Error> {
        let to = self.live.transactions.published();
        // After the time: it has every table and column that commits up to then use.
        let base = self.base();
        let mut report = MergeReport::default();
        let before = self.live.delta.bytes();
        if to.0 > base.main().merged_at {
            let done = merged(base.main(), &self.live.delta, to, MERGED, cancel);
            let (next, made) = done.map_err(|error| match error {
                MergeError::Cancelled => Error::Cancelled,
                MergeError::Rewrite(error) => merge_failed(error),
            })?;
            report = made;
            self.publish(next);
        }
        drop(base);
        let held = self.live.delta.held_bytes();
        merging.grown = self.live.delta.bytes().saturating_sub(before);
        self.clean(merging, true);
        self.restore_facts(merging);
        if held >= MUCH_HELD {
            *self.freed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        Ok(report)
    }

    /// Merges what is committed now, and writes edge tables anew that nodes have left: see
    /// [`trimorph_store::Main::compact`]. Nothing is different to who reads.
    pub(crate) fn compact(&self, cancel: &CancelToken) -> Result<(), Error> {
        let mut merging = lock_until(&self.merging, cancel)?;
        self.merge_within(&mut merging, cancel)?;
        let mut next = self.base().main().clone();
        if next.compact(MERGED, cancel).map_err(merge_failed)? {
            self.publish(next);
            self.clean(&mut merging, true);
        }
        Ok(())
    }

    /// A main version that has all that is committed now; beside it nothing changes where it is only read.
    pub(crate) fn merged_now(&self) -> Result<trimorph_store::Main, Error> {
        if self.follower.is_none() {
            self.merge(&CancelToken::default())?;
            return Ok(self.base().main().clone());
        }
        let (base, (live, registered)) =
            self.base_with(|live, at| (Arc::clone(live), live.transactions.snapshot(at, Intent::Read)));
        let cancel = CancelToken::default();
        let done = merged(base.main(), &live.delta, registered.read(), MERGED, &cancel);
        done.map(|(main, _)| main).map_err(|error| match error {
            MergeError::Cancelled => Error::Cancelled,
            MergeError::Rewrite(error) => merge_failed(error),
        })
    }

    /// Whether a merge would do something: something was committed, or undone, that none has seen.
    pub(crate) fn is_to_be_merged(&self) -> bool {
        let merged_at = self.base().main().merged_at;
        self.live.transactions.published().0 > merged_at
            || self.live.pressure.undone() != self.merging().undone
    }

    /// Cleans what readers have let go; tells whether something still waits for them.
    pub(crate) fn clean_up(&self) -> bool {
        let mut merging = self.merging();
        let before = self.live.delta.bytes();
        self.clean(&mut merging, false);
        let cleaned = before.saturating_sub(self.live.delta.bytes());
        let left = self.delta_left.load(Ordering::Relaxed);
        self.delta_left.store(left.saturating_sub(cleaned), Ordering::Relaxed);
        merging.waits()
    }

    /// Makes `next` the main version, with what was declared since it was begun.
    fn publish(&self, next: trimorph_store::Main) {
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = next.grown_like(snapshot.main());
        next.weaken_facts();
        // Of what was declared while the merge was at work. What cannot be indexed now is found by scans.
        let _ = index_all(&mut next, &self.live.delta);
        *snapshot = self.snapshot_of(Arc::new(next));
        drop(snapshot);
        // It has counted what it has.
        self.counted_at.store(self.live.pressure.written(), Ordering::Relaxed);
    }

    /// Cleans the delta of what nobody needs, and lets what was cleaned before be used again, as far as
    /// readers let it. It looks at everything in the delta only where something of it may have gone: an open
    /// transaction may have written much, and who merges comes by again and again. Without `now` it leaves it
    /// where the last look was a moment ago and some readers stay.
    fn clean(&self, merging: &mut Merging, now: bool) {
        self.clean_unneeded(merging, now);
        let snapshots = self.live.transactions.snapshots();
        while self.keeps_much(merging)
            && let Some(read) = snapshots.oldest_waiting()
            && read < merging.needed.merged()
        {
            self.live.transactions.cut(Timestamp(read.0 + 1));
            self.clean_unneeded(merging, true);
        }
        while let Some((epoch, _)) = merging.cleaned.front()
            && snapshots.is_past(*epoch)
        {
            if let Some((_, cleaned)) = merging.cleaned.pop_front() {
                let main = self.base();
                let tables = &main.main().edge_tables;
                let place = |edge: EdgeId| tables[usize::from(edge.table().0)].place(edge);
                self.live.delta.give_back(cleaned, place);
            }
        }
        // What is not held any more is others' to use. Growth is charged by who writes.
        let _ = self.charge_delta();
        if !merging.waits() {
            self.rest();
        }
    }

    /// Takes out of the delta what nobody needs; `now` as for [`Self::clean`]. Nobody publishes another main
    /// version meanwhile.
    fn clean_unneeded(&self, merging: &mut Merging, now: bool) {
        let (snapshots, delta) = (self.live.transactions.snapshots(), &self.live.delta);
        // Before the look: what is undone meanwhile is looked at the next time.
        let undone = self.live.pressure.undone();
        let needed = snapshots.needed(Timestamp(self.base().main().merged_at));
        if undone == merging.undone && needed == merging.needed {
            return;
        }
        let began = Instant::now();
        if !now && merging.is_looked_at(&needed, began) {
            return;
        }
        merging.undone = undone;
        let cleaned = delta.clean(&needed);
        merging.look_again = Some(began + began.elapsed() * CLEANED_PART);
        merging.needed = needed;
        if !cleaned.is_empty() {
            merging.cleaned.push_back((snapshots.retire(), cleaned));
        }
    }

    /// Whether much is kept for those who are open: more than a part of what main has, or the changes of very
    /// many commits.
    fn keeps_much(&self, merging: &Merging) -> bool {
        let transactions = &self.live.transactions;
        if transactions.commits_kept() > KEPT_COMMITS_MAX {
            return true;
        }
        let kept_max = (self.base().main().stored_bytes() / KEPT_SHARE).max(KEPT_BYTES_MIN);
        !merging.needed.is_newest_only() && self.live.delta.bytes() > kept_max
    }

    /// Where main has all there is and nobody is about to write, readers take no look at the delta any more,
    /// and plans may rely on what is true of the data.
    fn rest(&self) {
        if !self.live.was_written() {
            return;
        }
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let main = snapshot.main();
        let has_all = || self.live.delta.is_empty() && self.live.transactions.published().0 == main.merged_at;
        if self.live.rest(has_all, || self.live.delta.renew_edges()) {
            let mut main = main.clone();
            main.restore_facts();
            *snapshot = self.snapshot_of(Arc::new(main));
        }
    }
}

#[cfg(test)]
mod tests {
    use trimorph_base::CancelToken;

    use crate::{Config, Database};

    /// A merge looks at the whole delta: it is worth it where something was committed, or undone.
    #[test]
    fn there_is_something_to_merge_after_commits_and_rollbacks_only() {
        let db = Database::in_memory(Config::new().background_merges(false));
        let (writer, other) = (db.connect(), db.connect());
        let is_to_be_merged = || db.shared.is_to_be_merged();
        // Of what was undone the maintenance thread may have had its look before we have ours.
        let undone = || db.shared.live.pressure.undone();
        let merge = || db.merge(&CancelToken::default()).map(drop);
        let run = |c: &crate::Connection, text: &str| c.query(text, &[]).map(drop);
        let all = || -> Result<(), crate::Error> {
            assert!(!is_to_be_merged());
            writer.begin()?;
            run(&writer, "UNWIND range(1, 5000) AS i CREATE (:A {i: i})-[:R {i: i}]->(:B)")?;
            assert!(!is_to_be_merged(), "only an open transaction has written");
            run(&other, "CREATE (:C)")?;
            assert!(is_to_be_merged());
            merge()?;
            assert!(!is_to_be_merged());
            let before = undone();
            assert!(run(&writer, "CREATE (:E) WITH 1 AS one UNWIND [1, 0] AS d RETURN one / d").is_err());
            assert_eq!(undone(), before + 1, "a statement was undone");
            merge()?;
            assert!(!is_to_be_merged());
            writer.rollback()?;
            assert_eq!(undone(), before + 2, "a transaction was undone");
            merge()?;
            assert!(!is_to_be_merged());
            run(&writer, "MATCH (c:C) SET c.x = 1")?;
            assert!(is_to_be_merged());
            merge()?;
            // What nobody sees any more is gone: also what was undone while nothing was committed.
            writer.begin()?;
            run(&writer, "MATCH (c:C) CREATE (c)-[:R]->(:D)")?;
            writer.rollback()?;
            merge()?;
            merge()?;
            assert!(db.shared.live.delta.is_empty());
            Ok(())
        };
        assert!(all().is_ok());
    }
}
