//! A database that another process writes, as this one sees it: looks for what is new, and publishes it to
//! readers. What is read is `durable::Following`'s.
//!
//! A thread looks every [`Config::follow_interval`](crate::Config::follow_interval); who asks looks at once.
//! Who opens the database or asks ([`Shared::catch_up`]) sees all that was acknowledged before: the writer
//! says in a later block how far its log lasts, some 20 ms after the last commit, and that is waited for.
//! What cannot be read is told by `SHOW DATABASE` and [`Stats`](crate::Stats); queries see what was seen
//! last, and the next look tries again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use trimorph_base::forks;
use trimorph_mvcc::Timestamp;

use crate::Error;
use crate::durable::{Following, Found};
use crate::follower::{Follower, Lag, Told, lock};
use crate::shared::Shared;

/// How long the writer may take to say how far its log lasts. It does so 20 ms after a commit, or with the
/// next one; one that is stopped, or writes a transaction that is longer, is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two looks meanwhile: each takes some 50 us.
const PAUSE: Duration = Duration::from_millis(2);

/// What `SHOW DATABASE` tells.
pub(crate) struct Standing {
    pub(crate) name: String,
    pub(crate) is_read_only: bool,
    pub(crate) last_commit: u64,
    pub(crate) lag: Option<Lag>,
}

impl Shared {
    /// Looks for what is new, and publishes it.
    ///
    /// **Errors**: what cannot be read; readers see what they saw.
    pub(crate) fn follow(&self) -> Result<(), Error> {
        let Some(follower) = &self.follower else { return Ok(()) };
        let mut following = lock(&follower.following);
        let done = self.look(follower, &mut following);
        let mut told = lock(&follower.told);
        match &done {
            Ok(()) => {
                let (last, waiting) = (following.last(), following.waiting());
                *told = Told { looked: Instant::now(), last, waiting, error: None };
            }
            Err(error) => told.error = Some(error.to_string()),
        }
        done
    }

    /// Looks for what is new, and again until all is published that was acknowledged before the call, or the
    /// writer does not say for [`PATIENCE`] that it lasts.
    ///
    /// **Errors**: as [`Self::follow`].
    pub(crate) fn catch_up(&self) -> Result<(), Error> {
        let Some(follower) = &self.follower else { return Ok(()) };
        let started = Instant::now();
        self.follow()?;
        let mut goal = lock(&follower.following).goal();
        while !lock(&follower.following).has_reached(&mut goal) && started.elapsed() < PATIENCE {
            std::thread::sleep(PAUSE);
            self.follow()?;
        }
        Ok(())
    }

    fn look(&self, follower: &Follower, following: &mut Following) -> Result<(), Error> {
        // Where there is no room for more a newer manifest helps, which has what the delta has, or reading
        // the log once more, which merges it. What had room has it still: counting what many tables hold
        // takes longer than looking.
        let charged = match follower.has_no_room.load(Ordering::Relaxed) {
            true => self.charge_log(),
            false => Ok(()),
        };
        let done = match following.look(charged.is_err())? {
            Found::Nothing => charged,
            Found::More { main, last } => {
                let live = follower.live();
                let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
                if let Some(main) = main {
                    follower.has_main(&main);
                    *snapshot = self.snapshot_of(Arc::new(main));
                }
                live.recover(Timestamp(last), 0, true);
                drop(snapshot);
                self.charge_log()
            }
            Found::Anew { main, live } => {
                follower.has_main(&main);
                let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
                *snapshot = self.snapshot_of(Arc::new(main));
                *follower.live.write().unwrap_or_else(PoisonError::into_inner) = live;
                drop(snapshot);
                self.charge_log()
            }
        };
        follower.has_no_room.store(done.is_err(), Ordering::Relaxed);
        done
    }

    /// Charges what was read of the log to the memory limit.
    ///
    /// **Errors**: it does not fit.
    fn charge_log(&self) -> Result<(), Error> {
        self.charge_delta().map(drop).map_err(|error| match error {
            Error::Memory(over) => Error::MemoryOfLog(over),
            other => other,
        })
    }

    /// Starts the thread that looks from time to time.
    pub(crate) fn start_following(self: &Arc<Self>) {
        let (Some(interval), Some(follower)) = (self.config.follow_interval, &self.follower) else { return };
        let (weak, closed) = (Arc::downgrade(self), Arc::clone(&follower.closed));
        let work = move || {
            while !closed.wait(interval)
                && let Some(shared) = Weak::upgrade(&weak)
            {
                let _at_work = forks::at_work();
                // Who asks is told.
                let _ = shared.follow();
            }
        };
        // Without the thread it is as old as who asks lets it be.
        let _ = std::thread::Builder::new().name("trimorph-follow".into()).spawn(work);
    }

    /// What `SHOW DATABASE` tells.
    pub(crate) fn standing(&self, is_read_only: bool) -> Standing {
        let name = self.dir.as_ref().map_or(":memory:".into(), |dir| dir.display().to_string());
        let lag = self.follower.as_ref().map(Follower::lag);
        let last_commit = self.live().transactions.published().0;
        Standing { name, is_read_only, last_commit, lag }
    }
}
