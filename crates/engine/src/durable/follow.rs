//! A directory that another process may write to: takes it as it is, and what is new each time somebody
//! looks; gives a main version, a delta, and the last commit that may be seen.
//!
//! 1. Opening takes the manifest, opens all files that it names, and reads the log from there on.
//! 2. A look asks whether there is a newer manifest. If so it is opened as at first, beside the old state,
//!    which goes when its last reader does: what the newer manifest has is dropped from the delta.
//! 3. Otherwise what the log has more goes into the delta, beside readers, who are told its time when all of
//!    it is there.
//!
//! Invariants: what is seen is what was committed up to some timestamp, all of it synced; it never goes back.
//! A commit is seen once a later block says that it is synced and that all before it are.
//!
//! Nobody may be left to say so of the last ones: where the lock of the directory is free, all that is there
//! counts, as it does for who opens the directory to write.
//!
//! Source: `docs/design/log.md`, "Followers"; design `live.md` §5.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trimorph_log::{Follower, LogError, Position, Replayed};
use trimorph_store::{Live, Main, manifest_number, open_checkpoint};
use trimorph_vfs::{FileSystem, Pool};

use super::open::{log_folder, position};
use super::replay::Replay;
use crate::Error;
use crate::value_indexes::index_all;

/// How often a directory is read anew because its writer has gone on meanwhile.
const RETRIES: usize = 20;
/// How long the end of the log is as it is before somebody looks whether it is damaged.
const QUIET: Duration = Duration::from_millis(500);
/// The longest time between two looks for damage: each is a pass over the rest of a segment.
const DAMAGE_LOOK_MAX: Duration = Duration::from_secs(60);

/// Where the files are that are followed.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) dir: PathBuf,
    pub(crate) pool: Arc<Pool>,
    pub(crate) threads: usize,
    /// From so many bytes on what is read of the log at first is merged.
    pub(crate) merged_from: usize,
    /// The file that a writer has locked; none where nobody writes.
    pub(crate) lock: Option<PathBuf>,
}

impl Source {
    /// Whether no process has the directory open to write. What cannot be told is no.
    fn is_abandoned(&self) -> bool {
        let Some(path) = &self.lock else { return true };
        match File::open(path) {
            // Let go at once: a writer that is opening the directory asks again.
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
            },
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }
}

impl Source {
    /// Whether somebody who could not read the directory of that manifest may try once more: its writer may
    /// be faster than who reads. Then there is a newer manifest, or something else is wrong the next time.
    ///
    /// **Errors**: what was wrong, where that helps nobody.
    fn may_go_on(&self, failed: Failed, number: u64, before: &mut String, tries: usize) -> Result<(), Error> {
        let is_newer = manifest_number(&*self.fs, &self.dir)? != number;
        let error = match failed {
            Failed::Log(error @ (LogError::Damaged { .. } | LogError::Missing { .. })) => Error::from(error),
            Failed::Log(error) if !is_newer => return Err(error.into()),
            Failed::Other(error) if !is_newer => return Err(error),
            Failed::Log(error) => error.into(),
            Failed::Other(error) => error,
        };
        let text = error.to_string();
        if !is_newer && text == *before {
            return Err(error);
        }
        if tries >= RETRIES {
            let text =
                format!("{}: its writer goes on faster than it can be read; try again", self.dir.display());
            return Err(Error::Storage(text));
        }
        *before = text;
        Ok(())
    }
}

/// What a look has found.
pub(crate) enum Found {
    /// Nothing new.
    Nothing,
    /// Commits up to `last`, which are in the delta now; a main version that knows more names, or rows that
    /// were loaded.
    More { main: Option<Main>, last: u64 },
    /// A newer manifest: another main version, and a delta of its own.
    Anew { main: Main, live: Arc<Live> },
}

/// A directory that is followed.
pub(crate) struct Following {
    source: Source,
    state: State,
    /// Where the end of the log was.
    end: Position,
    /// When to look for damage, and how long after that again.
    damage: (Instant, Duration),
    /// What looked like damage the last time.
    suspected: Option<String>,
    /// Why the log cannot be gone on with: only a newer manifest helps.
    broken: Option<LogError>,
}

/// What must be seen of a log for all to be seen that was acknowledged before somebody looked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Behind what was written then. What was acknowledged had been written.
    end: Position,
    /// Once all that is read: the greatest timestamp in it that is not seen then.
    last: Option<u64>,
}

/// One manifest and what was read since.
struct State {
    /// The number of the manifest.
    number: u64,
    database: u128,
    /// None of a database that was never written to.
    log: Option<Follower>,
    replay: Replay,
    live: Arc<Live>,
    /// Whether the log had more than what was read at first, which was merged.
    has_grown: bool,
}

impl std::fmt::Debug for Following {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Following").field("dir", &self.source.dir).finish_non_exhaustive()
    }
}

/// Why a directory could not be read.
enum Failed {
    Log(LogError),
    Other(Error),
}

impl<E: Into<Error>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl State {
    /// Reads a directory as it is now.
    fn read(source: &Source) -> Result<Self, Failed> {
        let Source { fs, dir, pool, threads, merged_from, .. } = source;
        let (main, checkpoint) = open_checkpoint(&**fs, dir, pool)?;
        let start = checkpoint.log_start();
        let folder = log_folder(dir);
        let replay = Replay::new(main, start, (dir, &folder), (fs, pool), *threads);
        let mut replay = replay.merging_from(*merged_from);
        let mut log = None;
        if start.database != 0 {
            let mut follower = Follower::new(Arc::clone(fs), &folder, position(start), start.database);
            let mut read = || {
                follower.poll(None, &mut |replayed, committed| replay.take_up_to(replayed, committed))?;
                replay.release(follower.committed())?;
                let mut take = |replayed: Replayed<'_>, committed| replay.take_up_to(replayed, committed);
                if follower.give_rest(&mut || source.is_abandoned(), &mut take)? {
                    replay.release(u64::MAX)?;
                }
                follower.damage()
            };
            // What looks like damage may be what its writer has written since it was read.
            let (mut before, mut tries) = (None, 0);
            while let Some(damage) = read().map_err(Failed::Log)? {
                let text = damage.to_string();
                tries += 1;
                if before.replace(text.clone()) == Some(text) || tries == RETRIES {
                    return Err(Failed::Log(damage));
                }
            }
            log = Some(follower);
        }
        let live = replay.stand().map_err(Failed::Log)?;
        index_all(&mut replay.main, &live.delta)?;
        let (number, database) = (checkpoint.number(), start.database);
        Ok(Self { number, database, log, replay, live, has_grown: false })
    }
}

impl Following {
    /// Opens a directory, as it is now.
    ///
    /// **Errors**: what is missing or damaged, by file and offset.
    pub(crate) fn open(source: Source) -> Result<Self, Error> {
        let (mut before, mut tries) = (String::new(), 0);
        loop {
            let number = manifest_number(&*source.fs, &source.dir)?;
            let failed = match State::read(&source) {
                Ok(state) => {
                    let at = state.log.as_ref().map(Follower::position).unwrap_or_default();
                    let now = Instant::now();
                    let (end, damage) = (at, (now + QUIET, QUIET));
                    return Ok(Self { source, state, end, damage, suspected: None, broken: None });
                }
                Err(failed) => failed,
            };
            tries += 1;
            source.may_go_on(failed, number, &mut before, tries)?;
        }
    }

    /// The main version and the delta as they are now.
    pub(crate) fn seen(&self) -> (Main, Arc<Live>) {
        (self.state.replay.main.clone(), Arc::clone(&self.state.live))
    }

    /// The last commit that may be seen, and its time of day in microseconds since 1970, 0 if the log does
    /// not tell.
    pub(crate) fn last(&self) -> (u64, i64) {
        self.state.replay.last()
    }

    /// Commits that were read and may not be seen yet.
    pub(crate) fn waiting(&self) -> usize {
        self.state.replay.waiting()
    }

    /// What there was to be seen at the last look.
    pub(crate) fn goal(&self) -> Goal {
        Goal { end: self.state.log.as_ref().map(Follower::content).unwrap_or_default(), last: None }
    }

    /// Whether all of it is seen.
    pub(crate) fn has_reached(&self, goal: &mut Goal) -> bool {
        let State { log, replay, .. } = &self.state;
        if log.as_ref().map(Follower::position).unwrap_or_default() < goal.end {
            return false;
        }
        replay.last().0 >= *goal.last.get_or_insert_with(|| replay.last_waiting())
    }

    /// Looks for what is new. With `no_room`, only for a newer manifest; without one what there is is read
    /// once more, which merges it.
    ///
    /// **Errors**: what cannot be read; then what was seen is seen on, and a later look may help.
    pub(crate) fn look(&mut self, no_room: bool) -> Result<Found, Error> {
        let (mut before, mut tries) = (String::new(), 0);
        loop {
            let number = manifest_number(&*self.source.fs, &self.source.dir)?;
            let taken = match number != self.state.number || no_room && self.state.has_grown {
                true => self.take_over()?,
                false => Err(None),
            };
            let failed = match (taken, self.broken.clone()) {
                (Ok(found), _) => return Ok(found),
                (Err(failed), Some(broken)) => failed.unwrap_or(Failed::Log(broken)),
                (Err(_), None) if no_room => return Ok(Found::Nothing),
                // The newer manifest is being written beside: the log is there as long as not.
                (Err(failed), None) => match self.read_on() {
                    Err(missing @ LogError::Missing { .. }) => failed.unwrap_or(Failed::Log(missing)),
                    found => return Ok(found?),
                },
            };
            tries += 1;
            self.source.may_go_on(failed, number, &mut before, tries)?;
        }
    }

    /// Takes what a newer manifest has, or tells why that is not there as the manifest says.
    fn take_over(&mut self) -> Result<Result<Found, Option<Failed>>, Error> {
        let state = match State::read(&self.source) {
            Ok(state) => state,
            Err(failed) => return Ok(Err(Some(failed))),
        };
        let dir = self.source.dir.display();
        if self.state.database != 0 && state.database != self.state.database {
            let text =
                format!("{dir}: another database is in the place of the one that was opened; open it again");
            return Err(Error::Storage(text));
        }
        if state.replay.last().0 < self.state.replay.last().0 {
            if state.number == self.state.number {
                // Who writes now has not said yet what the last writer left, and will.
                return Ok(Err(None));
            }
            let text = format!("{dir}: the database was put back to an earlier state; open it again");
            return Err(Error::Storage(text));
        }
        let found = Found::Anew { main: state.replay.main.clone(), live: Arc::clone(&state.live) };
        self.state = state;
        self.broken = None;
        self.moved();
        Ok(Ok(found))
    }

    /// The end of the log is another one now.
    fn moved(&mut self) {
        let at = self.state.log.as_ref().map(Follower::seen).unwrap_or_default();
        let now = Instant::now();
        self.end = at;
        self.damage = (now + QUIET, QUIET);
        self.suspected = None;
    }

    /// Reads what the log has more.
    fn read_on(&mut self) -> Result<Found, LogError> {
        let State { log, replay, live, has_grown, .. } = &mut self.state;
        let Some(follower) = log else { return Ok(Found::Nothing) };
        // From here on readers of an earlier time are beside.
        live.delta.topology().keep_older();
        let (before, at) = (replay.last().0, follower.position());
        let (main_before, mut wrong) = (Arc::clone(&replay.main.catalog), false);
        let mut take = |replay: &mut Replay, replayed: Replayed<'_>, committed: u64| {
            let taken = replay.take_up_to(replayed, committed);
            wrong |= taken.is_err();
            taken
        };
        let mut done = follower.poll(None, &mut |replayed, committed| take(replay, replayed, committed));
        let is_left = follower.seen() > follower.position() || replay.waiting() > 0;
        let mut committed = follower.committed();
        if done.is_ok() && is_left {
            let source = &self.source;
            let rest = follower.give_rest(&mut || source.is_abandoned(), &mut |replayed, committed| {
                take(replay, replayed, committed)
            });
            done = rest.map(|has_all| committed = if has_all { u64::MAX } else { follower.committed() });
        }
        let done = done.and_then(|()| replay.release(committed).inspect_err(|_| wrong = true));
        let done = done.and_then(|()| replay.go_on().inspect_err(|_| wrong = true));
        let has_loaded = match done {
            Ok(has_loaded) => has_loaded,
            Err(error) => {
                // Part of it may be in the delta: it is not put there again.
                if wrong {
                    self.broken = Some(error.clone());
                }
                return Err(error);
            }
        };
        let (last, is_idle) = (replay.last().0, follower.position() == at);
        *has_grown |= !is_idle;
        if follower.seen() != self.end {
            self.moved();
        } else if is_idle && Instant::now() >= self.damage.0 {
            let damage = follower.damage()?;
            self.damage.1 = (self.damage.1 * 2).min(DAMAGE_LOOK_MAX);
            self.damage.0 = Instant::now() + self.damage.1;
            let text = damage.as_ref().map(LogError::to_string);
            let is_sure = text.is_some() && self.suspected == text;
            self.suspected = text;
            if let Some(damage) = damage {
                // The block may have been written between two looks: then the next one passes it.
                self.damage = (Instant::now(), QUIET);
                if is_sure {
                    return Err(damage);
                }
            }
        }
        let replay = &mut self.state.replay;
        let is_new = has_loaded || !Arc::ptr_eq(&main_before, &replay.main.catalog);
        if is_new {
            // What cannot be indexed now is found by scans.
            let _ = index_all(&mut replay.main, &self.state.live.delta);
        }
        if !is_new && last == before {
            return Ok(Found::Nothing);
        }
        Ok(Found::More { main: is_new.then(|| replay.main.clone()), last })
    }
}
