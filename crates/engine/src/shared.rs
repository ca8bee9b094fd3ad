//! What a database and its connections share.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::time::Instant;

use trimorph_algebra::Procedure;
use trimorph_algebra::Procedures;
use trimorph_base::{MemoryBudget, Process, Reservation, Workers, forks};
use trimorph_catalog::{Catalog, Reliances};
use trimorph_exec::SpillArea;
use trimorph_log::{Durability, Log, Position, Recover};
use trimorph_mvcc::{Intent, Timestamp, View};
use trimorph_store::{Checkpoint, Live, LogStart, Main, Moment, Snapshot};
use trimorph_vfs::{FileSystem, Pool};

use crate::durable::{Journal, Registered, log_folder, log_options, random_number};
use crate::elsewhere::Regrouping;
use crate::follower::Follower;
use crate::handles::Handles;
use crate::load_folders::LoadFolders;
use crate::log_length::segment_bytes;
use crate::merges_left::Merging;
use crate::plan_cache::PlanCache;
use crate::procedures::Registry;
use crate::sessions::Sessions;
use crate::{Config, Error};

/// What connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) plans: PlanCache,
    pub(crate) budget: MemoryBudget,
    /// What is made beside pieces to find things faster is charged to this part of it.
    pub(crate) room: MemoryBudget,
    /// Where queries put rows that memory has no room for.
    pub(crate) spill: Option<Arc<SpillArea>>,
    pub(crate) handles: Arc<Handles>,
    /// Threads that queries share.
    pub(crate) workers: Workers,
    /// What brings pieces of the directory's files into memory.
    pub(crate) pool: Arc<Pool>,
    pub(crate) procedures: Arc<Registry>,
    /// What asks other servers, where that is allowed.
    pub(crate) service: Option<Arc<dyn Procedure>>,
    /// The main version, as who reads without the delta sees it.
    pub(crate) snapshot: RwLock<Snapshot>,
    /// What was changed since, and who is when: of who writes. Who follows has another one with each
    /// manifest.
    pub(crate) live: Arc<Live>,
    /// What follows the directory; none of who writes, and of a database in memory.
    pub(crate) follower: Option<Follower>,
    /// What merges have left to be cleaned.
    pub(crate) merging: Mutex<Merging>,
    /// Whether the thread that merges could be started, once it is wanted.
    pub(crate) merger: OnceLock<bool>,
    /// How much had been written when it last began to merge.
    pub(crate) merged_written: AtomicU64,
    /// Relationships of nodes with many that moved with statements that gave them classes.
    pub(crate) large_moved: AtomicU64,
    /// When a merge last freed much, if that was not given back to the system since.
    pub(crate) freed_at: Mutex<Option<Instant>>,
    /// Bytes of the delta that the last merge in the background could not clean, because somebody reads them
    /// or has not committed them.
    pub(crate) delta_left: AtomicUsize,
    /// What the delta took when it was last charged, whether it fitted or not, and what had been written by
    /// then.
    pub(crate) delta_seen: AtomicUsize,
    pub(crate) charged_at: AtomicU64,
    /// From so many bytes of the delta on writers wait, and how many do.
    pub(crate) slowed_from: AtomicUsize,
    pub(crate) waits_for_room: AtomicUsize,
    /// What the thread that merges knows of nodes that are in other tables than their labels say.
    pub(crate) regrouping: Mutex<Regrouping>,
    /// Held while it commits nodes that have moved: who begins a transaction meanwhile waits, and sees them.
    pub(crate) regrouped: RwLock<()>,
    /// What the delta holds, as far as somebody has looked.
    pub(crate) delta_held: Mutex<Reservation>,
    pub(crate) fs: Arc<dyn FileSystem>,
    /// The transactions that connections have begun.
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) dir: Option<PathBuf>,
    /// The log; none of a database in memory, one that is read only, or that was never written to.
    pub(crate) journal: OnceLock<Arc<Journal>>,
    /// A bulk load is at work: nobody may write beside it.
    pub(crate) is_loading: AtomicBool,
    /// What statements of RDF that are inserted rely on, of the catalog that they were last inserted into.
    pub(crate) names_relied: Mutex<Option<(Weak<Catalog>, Arc<Reliances>)>>,
    /// How much is written when it is next counted for estimates, and who counts it.
    pub(crate) counted_at: AtomicU64,
    pub(crate) counting: Mutex<()>,
    /// The last commit of a bulk load that a main version has, also above the version's time.
    pub(crate) loaded_at: AtomicU64,
    /// What the log names of bulk loads.
    pub(crate) loads: LoadFolders,
    /// What the directory's files hold.
    pub(crate) checkpoint: Mutex<Checkpoint>,
    /// When somebody last saw to it that they have what is committed, or tried.
    pub(crate) checkpointed: Mutex<Instant>,
    /// Who opened it.
    pub(crate) opener: Process,
    /// Held while the database is open for writing.
    pub(crate) _lock: Option<File>,
    /// Given up after the lock is.
    pub(crate) registered: Option<Registered>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A child leaves the files as they are, and waits for no thread of its parent's.
        if self.belongs_here().is_err() {
            return;
        }
        self.live.pressure.close();
        if let Some(follower) = &self.follower {
            follower.close();
        }
        // The log has all that could not be written.
        let _ = self.checkpoint_at_close();
        // Who wants to know asked before.
        let _ = self.journal.get().map(|journal| journal.close());
    }
}

impl Shared {
    /// The snapshot of a main version without what was written since.
    pub(crate) fn snapshot_of(&self, main: Arc<Main>) -> Snapshot {
        Snapshot::within(main, self.config.memory_limit_bytes, &self.room)
    }

    /// What is committed now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // Whether there is a delta is asked while nobody publishes another main version.
        let seen = |live: &Arc<Live>, merged| {
            let register = || live.transactions.snapshot(merged, Intent::Read);
            live.was_written().then(|| (Arc::clone(live), register()))
        };
        let (base, seen) = self.base_with(seen);
        let Some((live, registered)) = seen else { return base };
        let view = View::at(registered.read()).over(Timestamp(base.main().merged_at));
        base.at(Moment::new(live, view, Arc::new(registered)))
    }

    /// The main version, and what `register` gives for its time: nobody publishes another one between the
    /// two. So a time that is taken has all commits that main has, and no commit that uses what main does not
    /// declare.
    pub(crate) fn base_with<T>(&self, register: impl FnOnce(&Arc<Live>, Timestamp) -> T) -> (Snapshot, T) {
        let base = self.snapshot.read().unwrap_or_else(PoisonError::into_inner);
        let merged = Timestamp(base.main().merged_at);
        let registered = match &self.follower {
            None => register(&self.live, merged),
            Some(follower) => register(&follower.live(), merged),
        };
        (base.clone(), registered)
    }

    /// What was changed since the main version, now.
    pub(crate) fn live(&self) -> Arc<Live> {
        self.follower.as_ref().map_or_else(|| Arc::clone(&self.live), Follower::live)
    }

    /// What is found in the main version that is there now: a look that asks for nothing else, as nobody
    /// publishes another one meanwhile.
    pub(crate) fn in_newest<T>(&self, find: impl FnOnce(&Arc<Main>) -> T) -> T {
        find(self.snapshot.read().unwrap_or_else(PoisonError::into_inner).shared_main())
    }

    /// The main version without the delta.
    pub(crate) fn base(&self) -> Snapshot {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether what transactions write is logged.
    pub(crate) fn is_logged(&self) -> bool {
        self.dir.is_some() && !self.config.read_only && self.config.durability != Durability::Memory
    }

    /// Whether what the database has in memory can be looked at here.
    ///
    /// **Errors**: this process was forked while a thread of its parent was at work: what that held is held
    /// for ever.
    pub(crate) fn can_be_read_here(&self) -> Result<(), Error> {
        if !forks::is_unsure() || self.opener.is_this() {
            return Ok(());
        }
        let text = "this process was forked while another thread was at work in a database, and cannot use \
                    what was open then; open it again here, read-only, or start the process anew (spawn)";
        Err(Error::Storage(text.to_owned()))
    }

    /// Whether what is done to the files of the directory is this process's to do.
    ///
    /// **Errors**: it was forked from the one that opened them: both would write to the same places.
    pub(crate) fn belongs_here(&self) -> Result<(), Error> {
        let Some(dir) = self.dir.as_ref().filter(|_| !self.opener.is_this()) else { return Ok(()) };
        let text = format!(
            "{}: this process was forked from the one that has the database open for writing, and can only read \
             what that had; open it again here, read-only, or write there",
            dir.display()
        );
        Err(Error::Storage(text))
    }

    /// Makes what a transaction needs that is open and is about to write: the log of a directory that nobody
    /// has written to before.
    ///
    /// **Errors**: a database that is read only; a bulk load beside it; a process that was forked.
    pub(crate) fn ready_to_write(&self) -> Result<(), Error> {
        if self.config.read_only {
            return Err(Error::ReadOnly);
        }
        self.belongs_here()?;
        // Who loads looks for open transactions after it has said that it does.
        if self.is_loading.load(Ordering::SeqCst) {
            let text = "a bulk load is at work: write to the database when it is done";
            return Err(Error::Storage(text.to_owned()));
        }
        self.journal().map(drop)
    }

    /// The log, made ready if nobody has written to the directory before; none of a database in memory.
    fn journal(&self) -> Result<Option<&Arc<Journal>>, Error> {
        let Some(dir) = &self.dir else { return Ok(None) };
        if let Some(journal) = self.journal.get() {
            return Ok(Some(journal));
        }
        let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        if self.journal.get().is_none() {
            let start = self.identified(checkpoint.log_start());
            if start != checkpoint.log_start() || !checkpoint.is_written() {
                checkpoint.write_from(&*self.fs, dir, self.base().main(), start)?;
            }
            let from = Position::new(start.segment, start.offset);
            let options = log_options(&self.config, start.database, self._lock.is_some());
            let nothing = &mut |_: trimorph_log::Replayed<'_>| Ok(());
            let folder = log_folder(dir);
            let (log, _) = Log::open(Arc::clone(&self.fs), &folder, from, options, Recover::Whole, nothing)?;
            log.set_segment_bytes(segment_bytes(&self.config, self.base().main().piece_bytes()));
            let journal = Journal::new(log, self.config.durability, &self.live);
            self.journal.get_or_init(|| Arc::new(journal));
        }
        Ok(self.journal.get())
    }

    /// With a number of the database, drawn if there is none.
    pub(crate) fn identified(&self, start: LogStart) -> LogStart {
        let database = if start.database == 0 { random_number() } else { start.database };
        LogStart { database, ..start }
    }

    /// Where the log goes on from a main version that has exactly what was committed up to the `committed`
    /// that is given here, for the manifest of such a version; `before` is what the manifest says until then.
    ///
    /// The place in the log comes first: what was logged before it has a timestamp already, and is waited
    /// for. What is logged behind it and is in the version all the same is passed over by its timestamp.
    pub(crate) fn log_start(&self, before: LogStart) -> Result<LogStart, Error> {
        let position = self.journal.get().map_or(Ok(Position::default()), |journal| journal.position())?;
        let committed = self.live.transactions.settle().0;
        let handles = self.live.transactions.handles();
        let Position { segment, offset } = position;
        Ok(LogStart { segment, offset, committed, handles, ..self.identified(before) })
    }

    /// The segment of the log that is written.
    pub(crate) fn log_segment(&self) -> Result<u64, Error> {
        self.journal.get().map_or(Ok(0), |journal| journal.segment())
    }

    /// Makes all that was committed last.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.journal.get().map_or(Ok(()), |journal| journal.sync())
    }

    /// The procedures there are now.
    pub(crate) fn procedures(&self) -> Arc<Procedures> {
        self.procedures.current()
    }
}
