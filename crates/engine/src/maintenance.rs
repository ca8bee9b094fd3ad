//! The thread that merges: told when much was written, it looks how large the delta is, merges what is too
//! large and cleans what readers have let go.
//!
//! 1. What the delta holds is charged to the memory limit, each time somebody looks: the thread, and a
//!    statement where it, or all of them together, have written much. What does not fit ends the statement
//!    that asked, with the memory error; the thread is told, and makes room. Before it comes to that, who
//!    begins to write is held up while the thread is behind.
//! 2. From a part of the limit on, and never below a floor, the delta is merged; from an eighth of what main
//!    has, too, and in a pause of the writers from a sixteenth: what is merged is read faster. The thread
//!    rests as long as the last merge took: queries have the other half of its core, and changes come
//!    together. It does not rest where as much was written meanwhile. It cleans while it rests: whoever was
//!    at work when a main version was published keeps all that went into it until he has gone.
//! 3. A checkpoint is made when the log is long, or the last one long ago.
//! 4. In pauses, nodes with IRIs whose labels came later move to the tables of these; in pauses, and one
//!    after each merge, literals get their indexes (`regrouping.rs`).
//! 5. What large merges free is given back to the system a while after the last of them.
//! 6. As long as something waits for readers to go, it looks again from time to time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use trimorph_base::{CancelToken, forks, much_was_freed, return_spare_memory};
use trimorph_store::Waited;
use trimorph_types::iri_names::ID;

use crate::handles::Handles;
use crate::shared::Shared;
use crate::update::Writing;
use crate::{Config, Error};

/// The delta is merged from this part of the memory limit on.
const MERGED_PART: usize = 16;
/// It is merged in any case from here on: a larger one makes merges rarer, and reads slower in between.
const MERGED_BYTES_MAX: usize = 64 << 20;
/// And never below: a merge writes segments anew, whatever changed in them.
const MERGED_BYTES_MIN: usize = 1 << 20;
/// It is merged from this part of main's nodes and edges on, so that a merge of all of main is paid for by
/// so many changes.
const MERGED_SHARE: u64 = 8;
/// And in a pause from this one on.
const PAUSED_SHARE: u64 = 16;
/// Less is not worth a merge in a pause.
const PAUSED_BYTES_MIN: usize = 64 << 10;
/// How long nobody has written in a pause.
pub(crate) const PAUSE: Duration = Duration::from_millis(200);
/// How long what large merges free is kept for the next writes.
const FREED_KEPT: Duration = Duration::from_secs(1);
/// Versions and edges that may be written before somebody charges what the delta holds.
const UNCHARGED_MAX: u64 = 1 << 14;
/// Who wrote so many versions and edges with his last transaction makes the delta large; who wrote fewer does
/// not wait for what others write, as long as there is room.
const MUCH_WRITTEN: u64 = 1_000;
/// What a version or an edge takes in the delta, roughly.
const VERSION_BYTES: usize = 100;
/// Writers wait before they begin from this part of the memory limit on: it is four times what is merged, so
/// they are faster than merges are.
const SLOWED_PART: usize = 4;
/// And where what is not merged has become as large as main's pieces, but never below this: a database under
/// writers without a pause is to take little more than one at rest.
const SLOWED_BYTES_MIN: usize = 32 << 20;
/// How long one waits at most: if there is no room then, it is refused by what it writes.
const SLOWED_MAX: Duration = Duration::from_secs(1);
/// How long it waits between two looks.
const ROOM_AGAIN: Duration = Duration::from_millis(1);
/// How long until the thread looks again whether readers have gone.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The same for the first time after a merge; then twice as long each time.
const CLEAN_AGAIN: Duration = Duration::from_millis(2);
/// How long it sleeps where nothing waits.
const LONG: Duration = Duration::from_secs(3600);

/// From so many bytes of the delta on writers wait, where main's pieces have `pieces` bytes.
pub(crate) fn slowed_from(config: &Config, pieces: usize) -> usize {
    pieces.max(SLOWED_BYTES_MIN).min(config.memory_limit_bytes / SLOWED_PART)
}

impl Shared {
    /// Starts the thread, if nobody has yet.
    pub(crate) fn start_merging(self: &Arc<Self>) {
        self.merger.get_or_init(|| {
            let (weak, live) = (Arc::downgrade(self), Arc::clone(&self.live));
            let handles = Arc::clone(&self.handles);
            // Who is about to write makes the log, if there is none yet.
            let first = self.config.checkpoint_interval.unwrap_or(LONG).min(LONG);
            // Nodes that an earlier process left elsewhere move in the first pause.
            let first = if self.base().schema().property_id(ID).is_some() { PAUSE } else { first };
            let work = move || {
                let (mut time, mut written) = (first, 0);
                loop {
                    let waited = live.pressure.wait(time);
                    if waited == Waited::Closed {
                        return;
                    }
                    let before = std::mem::replace(&mut written, live.pressure.written());
                    match maintain(&handles, &weak, before == written) {
                        Some(next) => time = next,
                        None => return,
                    }
                }
            };
            // Without the thread the delta grows until somebody asks for a merge.
            std::thread::Builder::new().name("trimorph-merge".into()).spawn(work).is_ok()
        });
    }

    /// From so many bytes on the delta is merged.
    fn merged_bytes(&self) -> usize {
        let part = self.config.memory_limit_bytes / MERGED_PART;
        part.clamp(MERGED_BYTES_MIN, MERGED_BYTES_MAX)
    }

    /// A transaction has committed that told others of so many versions and edges while it was open: merges
    /// that had to leave them need not any more.
    pub(crate) fn is_committed(&self, versions: u64) {
        if versions > 0 {
            let bytes = usize::try_from(versions).unwrap_or(usize::MAX).saturating_mul(VERSION_BYTES);
            let left = self.delta_left.load(Ordering::Relaxed);
            self.delta_left.store(left.saturating_sub(bytes), Ordering::Relaxed);
        }
    }

    /// Says anew from how many bytes of the delta on writers wait. **Cost**: a look at each piece.
    fn measure_room(&self) {
        let bytes = slowed_from(&self.config, self.base().main().piece_bytes());
        self.slowed_from.store(bytes, Ordering::Relaxed);
    }

    /// Has what merges freed given back to the system, if the last of them is a while ago; whether there is
    /// something to be given back later.
    fn has_spare_memory(&self) -> bool {
        let mut freed_at = self.freed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if freed_at.is_some_and(|at| at.elapsed() >= FREED_KEPT) {
            *freed_at = None;
            much_was_freed();
        }
        freed_at.is_some()
    }

    /// Charges what the delta holds to the memory limit, and of who follows what was merged out of it; gives
    /// how much of the delta is in use.
    ///
    /// **Errors**: it does not fit.
    pub(crate) fn charge_delta(&self) -> Result<usize, Error> {
        self.charged_at.store(self.live.pressure.written(), Ordering::Relaxed);
        // Who follows has another one with each newer manifest.
        let live = self.live();
        let bytes = live.delta.bytes();
        self.delta_seen.store(bytes, Ordering::Relaxed);
        let mut held = self.delta_held.lock().unwrap_or_else(PoisonError::into_inner);
        let merged = self.follower.as_ref().map_or(0, |own| own.unstored.load(Ordering::Relaxed));
        held.resize(bytes + live.delta.spare_bytes() + merged).map_err(Error::Memory)?;
        Ok(bytes)
    }

    /// A clause has written: what the delta holds must fit the memory limit, and what is to be logged.
    ///
    /// **Errors**: the memory limit.
    pub(crate) fn charge_clause(&self, writing: &mut Writing, cancel: &CancelToken) -> Result<(), Error> {
        writing.charge_log(&self.budget)?;
        if !writing.has_written_much() && !self.is_charge_due() {
            return Ok(());
        }
        if self.charge_delta().is_ok() {
            return Ok(());
        }
        // What others have left may make room; what this transaction wrote cannot.
        let _ = self.merge(cancel);
        let charged = self.charge_delta().map(drop);
        if charged.is_err() {
            self.live.pressure.tell();
        }
        charged
    }
}

impl Shared {
    /// Whether so much was written since the delta was last charged, by whomever, that it may have grown.
    fn is_charge_due(&self) -> bool {
        let written = self.live.pressure.written();
        written.saturating_sub(self.charged_at.load(Ordering::Relaxed)) >= UNCHARGED_MAX
    }

    /// Holds up who is about to begin to write, `expected` versions and edges if as many as the last time,
    /// while the thread that merges is behind: until it has made room, for a while at most. Who waits has
    /// no snapshot yet, which would keep what is merged from being cleaned.
    pub(crate) fn wait_for_room(&self, expected: u64, cancel: &CancelToken) {
        if expected == 0 {
            return;
        }
        if self.is_charge_due() {
            // What does not fit is told to who writes it.
            let _ = self.charge_delta();
        }
        let most = match expected >= MUCH_WRITTEN {
            true => self.slowed_from.load(Ordering::Relaxed),
            false => self.config.memory_limit_bytes / SLOWED_PART,
        };
        let is_large = || {
            // What readers keep from being cleaned no waiting makes less.
            let left = self.delta_left.load(Ordering::Relaxed);
            self.delta_seen.load(Ordering::Relaxed).saturating_sub(left) > most
        };
        if !is_large() || !self.config.background_merges || !self.opener.is_this() {
            return;
        }
        let end = Instant::now() + SLOWED_MAX;
        self.waits_for_room.fetch_add(1, Ordering::Relaxed);
        while is_large() && !cancel.is_cancelled() && Instant::now() < end {
            self.live.pressure.tell();
            std::thread::sleep(ROOM_AGAIN);
        }
        self.waits_for_room.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Rests for `time`, and cleans meanwhile as readers go: the statements that were at work when a main version
/// was published keep all that went into it. With `is_short`, or where somebody waits for room, only until
/// they are gone. Whether something still waits for readers; none if the database is gone.
fn rest(
    handles: &Handles,
    shared: &Weak<Shared>,
    time: Duration,
    mut waits: bool,
    is_short: bool,
) -> Option<bool> {
    let (end, mut again) = (Instant::now() + time, CLEAN_AGAIN);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || is_short && !waits {
            return Some(waits);
        }
        std::thread::sleep(left.min(if waits { again } else { LOOK_AGAIN }));
        again = (again * 2).min(LOOK_AGAIN);
        let _at_work = (forks::at_work(), handles.at_work());
        let shared = shared.upgrade()?;
        if waits {
            waits = shared.clean_up();
        }
        if !waits && shared.waits_for_room.load(Ordering::Relaxed) > 0 {
            return Some(waits);
        }
    }
}

/// Merges and cleans once, with `is_paused` where nobody has written for a while; how long to wait before the
/// next time, or none if the database is gone.
fn maintain(handles: &Handles, weak: &Weak<Shared>, is_paused: bool) -> Option<Duration> {
    let at_work = (forks::at_work(), handles.at_work());
    let shared = weak.upgrade()?;
    let began = Instant::now();
    let written = shared.live.pressure.written();
    let changes = written.saturating_sub(shared.merged_written.load(Ordering::Relaxed));
    let (mut too_large, mut may_pause) = (true, false);
    let has_news = shared.is_to_be_merged();
    if let Ok(held) = shared.charge_delta() {
        let main = shared.base().catalog().statistics.size();
        if !has_news {
            // All of it is of who has not committed: no merge makes it less, and nobody is to wait for one.
            shared.delta_left.store(held, Ordering::Relaxed);
        }
        // What the last merge had to leave, for readers or as not committed, is not merged again.
        let left = shared.delta_left.fetch_min(held, Ordering::Relaxed).min(held);
        let bytes = held - left;
        may_pause = has_news && bytes >= PAUSED_BYTES_MIN && changes >= main / PAUSED_SHARE;
        too_large = shared.config.background_merges
            && (bytes >= shared.merged_bytes()
                || bytes >= MERGED_BYTES_MIN && changes >= main / MERGED_SHARE
                || is_paused && may_pause
                || shared.waits_for_room.load(Ordering::Relaxed) > 0);
    }
    // Where nothing was committed, as beside a transaction that writes much, a merge would look at all of it
    // for nothing.
    too_large &= has_news;
    if too_large {
        shared.merged_written.store(written, Ordering::Relaxed);
        // What cannot be merged now stays; who asks for a merge is told why.
        let _ = shared.merge(&CancelToken::default());
        let held = shared.charge_delta().unwrap_or_default();
        // What was written meanwhile is merged the next time.
        let left = held.saturating_sub(shared.merging().grown);
        shared.delta_left.store(left, Ordering::Relaxed);
        shared.measure_room();
    }
    shared.count_written();
    // Likewise: the log that a checkpoint would let go is longer to read, and no more.
    let _ = shared.checkpoint_if_due();
    let regrouped_after = if too_large {
        shared.index_beside();
        Some(PAUSE)
    } else {
        shared.regroup()
    };
    let mut waits = shared.clean_up();
    // Who writes faster than it merges is not waited for.
    let changes = shared.live.pressure.written() - written;
    let is_outrun = changes >= shared.base().catalog().statistics.size() / MERGED_SHARE;
    let mut due = shared.until_checkpoint().unwrap_or(LONG).clamp(LOOK_AGAIN, LONG);
    if may_pause && !too_large {
        due = due.min(PAUSE);
    }
    if let Some(after) = regrouped_after {
        due = due.min(after);
    }
    if let Some(after) = shared.restore_facts_in_time() {
        due = due.min(after);
    }
    if shared.has_spare_memory() {
        due = due.min(FREED_KEPT);
    }
    drop(shared);
    drop(at_work);
    return_spare_memory();
    if too_large {
        waits = rest(handles, weak, began.elapsed(), waits, is_outrun)?;
    }
    Some(if waits { LOOK_AGAIN } else { due })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::{Duration, Instant};

    use crate::{Config, Database};

    /// Small statements count together, and who writes them is held up while nothing is merged; one by one
    /// they would write any number of times the limit.
    #[test]
    fn who_writes_little_at_a_time_waits_while_merges_are_behind() {
        const LIMIT: usize = 32 << 20;
        let db = Database::in_memory(Config::new().threads(1).memory_limit_bytes(LIMIT));
        let end = Instant::now() + Duration::from_millis(700);
        let text =
            "UNWIND range(1, 500) AS i CREATE (:A {i: i, text: 'a text of some length ' + toString(i)})";
        let merging = db.shared.merging();
        let written = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let c = db.connect();
                    scope.spawn(move || {
                        let mut written = 0;
                        while Instant::now() < end && c.query(text, &[]).is_ok() {
                            written += 500;
                        }
                        written
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum::<i64>()
        });
        let held = db.stats().delta_bytes;
        assert!(written >= 500 && held < LIMIT / 2, "{written} nodes, {held} bytes");
        // Whose last transaction only read is not held up; the first time nobody knows.
        let c = db.connect();
        let read = || {
            let began = Instant::now();
            c.begin()
                .and_then(|()| c.query("MATCH (b:B) RETURN b", &[]).map(drop))
                .and_then(|()| c.commit())?;
            Ok::<_, crate::Error>(began.elapsed() < super::SLOWED_MAX)
        };
        assert!(read().is_ok());
        assert!((0..5).any(|_| read().is_ok_and(|is_quick| is_quick)));
        drop(merging);
        let c = db.connect();
        let count = |text: &str| c.query(text, &[]).and_then(|rows| rows.one::<i64>());
        for _ in 0..100 {
            assert!(c.query(text, &[]).is_ok());
        }
        assert!(count("MATCH (a:A) RETURN count(a)").is_ok_and(|count| count >= written + 50_000));
    }

    /// A small database does not become many times as large by what is not merged; a large one may hold more,
    /// and none more than the memory limit allows.
    #[test]
    fn writers_wait_from_the_size_of_the_data_on() {
        let of = |pieces: usize, limit: usize| {
            super::slowed_from(&Config::new().memory_limit_bytes(limit << 20), pieces << 20) >> 20
        };
        assert_eq!([of(0, 1024), of(100, 1024), of(900, 1024), of(100, 64)], [32, 100, 256, 16]);
        let db = Database::in_memory(Config::new().background_merges(false));
        assert_eq!(db.shared.slowed_from.load(Ordering::Relaxed), super::SLOWED_BYTES_MIN);
    }

    /// What an open transaction has written no merge makes less: who else writes does not wait for that.
    #[test]
    fn nobody_waits_for_what_is_not_committed() {
        const ROOM: usize = 1 << 20;
        let db = Database::in_memory(Config::new().threads(1));
        db.shared.slowed_from.store(ROOM, Ordering::Relaxed);
        let (writer, other) = (db.connect(), db.connect());
        let is_room_found = || {
            let end = Instant::now() + Duration::from_secs(60);
            let is_large = || {
                let left = db.shared.delta_left.load(Ordering::Relaxed);
                db.shared.delta_seen.load(Ordering::Relaxed).saturating_sub(left) > ROOM
            };
            while is_large() && Instant::now() < end {
                db.shared.live.pressure.tell();
                std::thread::sleep(Duration::from_millis(5));
                db.shared.slowed_from.store(ROOM, Ordering::Relaxed);
            }
            !is_large()
        };
        let text = "UNWIND range(1, 40000) AS i CREATE (:A {i: i, text: 'a text ' + toString(i)})";
        assert!(writer.begin().is_ok() && writer.query(text, &[]).is_ok());
        assert!(db.shared.delta_seen.load(Ordering::Relaxed) > ROOM && is_room_found());
        for _ in 0..3 {
            assert!(other.query("UNWIND range(1, 2000) AS i CREATE (:B {i: i})", &[]).is_ok());
            assert!(is_room_found());
        }
        assert!(writer.commit().is_ok() && is_room_found());
        // All of it is merged.
        assert!(db.shared.base().main().merged_at > 0);
    }

    /// The thread may have slept long, and is told.
    #[test]
    fn what_a_program_merges_is_given_back_though_nothing_else_happens() {
        let db = Database::in_memory(Config::new().background_merges(false));
        let write = || {
            let c = db.connect();
            c.query("CREATE (:A)", &[])?;
            c.query("MATCH (a:A) UNWIND range(1, 200000) AS i CREATE (a)-[:R]->(a)", &[])?;
            db.merge(&trimorph_base::CancelToken::default()).map(drop)
        };
        assert!(write().is_ok());
        let is_kept = || db.shared.freed_at.lock().is_ok_and(|at| at.is_some());
        let end = Instant::now() + Duration::from_secs(120);
        while is_kept() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(!is_kept());
    }
}
