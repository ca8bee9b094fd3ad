//! A database: one main version at a time, in a directory or in memory, and what its connections share.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::Instant;

use trimorph_algebra::Procedure;
use trimorph_base::{CancelToken, MemoryBudget, Process, Workers};
use trimorph_exec::{SpillArea, TemporaryDirectory};
#[cfg(feature = "arrow")]
use trimorph_loader::frames::Frames;
use trimorph_loader::{Format, LoadError, LoadOptions, LoadReport, NoProgress, Progress};
use trimorph_store::bulk::BulkBuilder;
use trimorph_store::{
    Checkpoint, DatabaseError, Load, LogStart, Main, MergeReport, Snapshot, check_main, open_checkpoint,
};
use trimorph_vfs::{FileSystem, OsFileSystem, Pool, RegionOptions};

use crate::directory;
use crate::durable::{self, Claimed, Following, Journal, Opened, Registered, Source};
use crate::follower::Follower;
use crate::handle::Handle;
use crate::load_folders::{LoadFolders, load_folders};
use crate::log_length::segment_bytes;
use crate::maintenance::slowed_from;
use crate::merged_pieces::{MERGED, merge_failed};
use crate::own_config::{OwnConfig, keeps_promise};
use crate::plan_cache::PlanCache;
use crate::procedures;
use crate::shared::Shared;
use crate::{Config, Connection, Error, Stats};

/// A database. Cloning shares it.
#[derive(Clone)]
pub struct Database {
    pub(crate) shared: Handle,
    /// What this handle, and its connections, go by: others of the same database may go by something else.
    own: OwnConfig,
}

/// Where it is, and not what is in it.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Database");
        match &self.shared.dir {
            Some(dir) => shown.field("dir", dir),
            None => shown.field("dir", &":memory:"),
        };
        shown.field("read_only", &self.own.is_read_only).finish_non_exhaustive()
    }
}

impl Database {
    /// An empty database that lives as long as this handle and its connections.
    pub fn in_memory(config: Config) -> Self {
        Self::with(Memory::of(&config), config, Place::memory(), nothing(), None)
    }

    fn with(
        Memory { budget, pool }: Memory,
        config: Config,
        Place { fs, dir, lock, registered }: Place,
        Opened { main, checkpoint, live, log, loads }: Opened,
        follower: Option<Follower>,
    ) -> Self {
        let journal = OnceLock::new();
        if let Some(log) = log {
            log.set_segment_bytes(segment_bytes(&config, main.piece_bytes()));
            journal.get_or_init(|| Arc::new(Journal::new(log, config.durability, &live)));
        }
        let own = OwnConfig::of(&config);
        let room = MemoryBudget::new(config.memory_limit_bytes / ROOM_PART, Some(budget.clone()));
        let slowed = AtomicUsize::new(slowed_from(&config, main.piece_bytes()));
        let shared = Shared {
            plans: PlanCache::default(),
            procedures: procedures::registry(config.switches.test_procedures, &budget),
            service: service_of(&config, &budget),
            snapshot: RwLock::new(Snapshot::within(Arc::new(main), config.memory_limit_bytes, &room)),
            live,
            follower,
            merging: Mutex::default(),
            merger: OnceLock::new(),
            merged_written: AtomicU64::new(0),
            large_moved: AtomicU64::new(0),
            freed_at: Mutex::default(),
            delta_left: AtomicUsize::new(0),
            delta_seen: AtomicUsize::new(0),
            charged_at: AtomicU64::new(0),
            slowed_from: slowed,
            waits_for_room: AtomicUsize::default(),
            regrouping: Mutex::default(),
            regrouped: RwLock::default(),
            delta_held: Mutex::new(budget.reservation()),
            sessions: Arc::default(),
            spill: spill_area(&config, dir.as_deref()),
            config,
            budget,
            room,
            handles: Arc::default(),
            workers: Workers::default(),
            pool,
            fs,
            dir,
            journal,
            is_loading: AtomicBool::new(false),
            counted_at: AtomicU64::new(0),
            counting: Mutex::default(),
            names_relied: Mutex::default(),
            loaded_at: AtomicU64::new(0),
            loads,
            checkpoint: Mutex::new(checkpoint),
            checkpointed: Mutex::new(Instant::now()),
            opener: Process::default(),
            _lock: lock,
            registered,
        };
        let shared = Arc::new(shared);
        procedures::tell_about(&shared);
        if let Some(registered) = &shared.registered {
            registered.publish(Arc::clone(&shared) as Arc<_>);
        }
        Self { shared: Handle::new(shared), own }
    }

    /// Opens the database in directory `path` (`:memory:` for none), making an empty one if there is none and
    /// the configuration allows it. What the manifest names must be there; data are read, and their checksums
    /// verified, when a query touches them first.
    ///
    /// What was committed since the last checkpoint is read from the log: the database is as it was left,
    /// however it was left. A directory that this process has open for writing already is the same database,
    /// whose memory limit, threads and durability stay; isolation, timeouts, access to files and whether it
    /// writes are each handle's own.
    ///
    /// Read-only, a directory that another process may write to is followed: what is seen is what was
    /// committed up to some moment, never half of a commit and never less than before. It is as fresh as
    /// [`Config::follow_interval`] says, and [`Self::refresh`] asks at once. Nothing is written, so the
    /// directory need not be writable.
    ///
    /// **Errors**: the file that is missing or damaged, by name; another process that has it open for
    /// writing; this one with less [`Config::durability`]. **Cost**: the manifest and the directories of
    /// pieces, some 30 bytes for each 65,536 values; the log, about a second for each million of changes.
    pub fn open(path: impl AsRef<Path>, config: Config) -> Result<Self, Error> {
        let path = path.as_ref();
        if path == Path::new(":memory:") {
            return Ok(Self::in_memory(config));
        }
        let fs: Arc<dyn FileSystem> = Arc::new(OsFileSystem);
        let failed = |e| Error::io(path, e);
        let other = |_| DatabaseError::internal("a path is registered for something else");
        if config.read_only {
            directory::find(&*fs, path)?;
            let dir = path.canonicalize().map_err(failed)?;
            if let Some(open) = durable::find(&dir) {
                let shared = Handle::new(open.downcast().map_err(other)?);
                return Ok(Self { shared, own: OwnConfig::of(&config) });
            }
            let lock = dir.join(directory::LOCK);
            let database = Self::follow(fs, dir, Some(lock), config)?;
            database.shared.start_following();
            return Ok(database);
        }
        directory::make(&*fs, path, config.must_exist)?;
        match durable::claim(path.canonicalize().map_err(failed)?) {
            Claimed::Open(open) => {
                let shared: Handle = Handle::new(open.downcast().map_err(other)?);
                keeps_promise(path, &shared.config, &config)?;
                Ok(Self { shared, own: OwnConfig::of(&config) })
            }
            Claimed::New(registered) => {
                let lock = directory::lock(path)?;
                let (lock, registered) = (Some(lock), Some(registered));
                Self::open_place(Place { fs, dir: Some(path.to_owned()), lock, registered }, config)
            }
        }
    }

    /// Follows a directory.
    fn follow(
        fs: Arc<dyn FileSystem>,
        dir: PathBuf,
        lock: Option<PathBuf>,
        config: Config,
    ) -> Result<Self, Error> {
        let memory = Memory::of(&config);
        let (pool, threads) = (Arc::clone(&memory.pool), config.threads);
        let merged_from = durable::merged_from(&config);
        let source = Source { fs: Arc::clone(&fs), dir: dir.clone(), pool, threads, merged_from, lock };
        let following = Following::open(source)?;
        let (main, live) = following.seen();
        let place = Place { fs, dir: Some(dir), lock: None, registered: None };
        let follower = Follower::new(following, &main, Arc::clone(&live));
        let database = Self::with(memory, config, place, Opened { main, live, ..nothing() }, Some(follower));
        database.shared.catch_up()?;
        Ok(database)
    }

    /// Opens the database in directory `path` of a file system, without a lock: for tests.
    #[doc(hidden)]
    pub fn open_on(fs: Arc<dyn FileSystem>, path: impl AsRef<Path>, config: Config) -> Result<Self, Error> {
        let path = path.as_ref();
        if config.read_only {
            directory::find(&*fs, path)?;
            return Self::follow(fs, path.to_owned(), None, config);
        }
        directory::make(&*fs, path, config.must_exist)?;
        Self::open_place(Place { fs, dir: Some(path.to_owned()), lock: None, registered: None }, config)
    }

    /// A database in memory of a main version, to ask it something: with the memory of `shared`.
    pub(crate) fn of_main(shared: &Shared, main: Main) -> Self {
        let config = shared.config.clone().read_only(true);
        let memory = Memory { budget: shared.budget.clone(), pool: Arc::clone(&shared.pool) };
        Self::with(memory, config, Place::memory(), Opened { main, ..nothing() }, None)
    }

    fn open_place(place: Place, config: Config) -> Result<Self, Error> {
        let (fs, memory) = (&place.fs, Memory::of(&config));
        let opened = match &place.dir {
            Some(dir) if directory::exists(&**fs, dir)? => {
                durable::open_to_write(fs, dir, &memory.pool, &config, place.lock.is_some())?
            }
            _ => nothing(),
        };
        Ok(Self::with(memory, config, place, opened, None))
    }

    /// Puts all that is committed now into the files of the database, and lets the log before it go; in
    /// memory merges only. Readers and writers go on.
    ///
    /// **Errors**: what writing fails with, and the files are as they were then; [`Error::Cancelled`].
    /// **Cost**: what was changed since the last checkpoint, by segments of 65,536 rows.
    pub fn checkpoint(&self, cancel: &CancelToken) -> Result<(), Error> {
        if self.own.is_read_only {
            return Err(Error::ReadOnly);
        }
        self.shared.checkpoint_and_tidy(cancel)
    }

    /// Makes all that was committed last, in the files, and lets the database go: once its connections and
    /// what else shares it are gone too, it is closed, nobody is at work on its files, and its directory can
    /// be opened by others.
    ///
    /// **Errors**: what writing fails with: then the log has what the files have not. A database that is
    /// dropped is closed as well, but nobody is told.
    pub fn close(self) -> Result<(), Error> {
        // The files are those of the process that this one was forked from.
        if self.shared.belongs_here().is_err() {
            return Ok(());
        }
        let synced = self.shared.sync();
        let written = self.shared.checkpoint_at_close();
        drop(self);
        synced.and(written)
    }

    /// Verifies every checksum and invariant of the database in directory `path`, its log included: every
    /// record of it is decoded. A log whose end was torn by a crash is sound.
    ///
    /// **Errors**: every file that is missing or damaged, a line each, by name, with what is wrong and where.
    pub fn check(path: impl AsRef<Path>) -> Result<Stats, Error> {
        let path = path.as_ref();
        directory::find(&OsFileSystem, path)?;
        // Each piece is looked at once: what was is dropped for what comes.
        let budget = MemoryBudget::new(CHECK_BYTES, None);
        let pool = Pool::new(&budget, RegionOptions { huge_pages: false });
        let (main, mut lines) = match check_main(&OsFileSystem, path, &pool) {
            Ok(main) => (Some(main), Vec::new()),
            Err(found) => (None, found.iter().map(ToString::to_string).collect()),
        };
        for folder in load_folders(&OsFileSystem, path) {
            if let Err(found) = check_main(&OsFileSystem, &folder, &pool) {
                lines.extend(found.iter().map(ToString::to_string));
            }
        }
        // Without a manifest nothing tells where the log begins.
        if let Ok((_, checkpoint)) = open_checkpoint(&OsFileSystem, path, &pool)
            && let Err(error) = durable::check(&OsFileSystem, path, checkpoint.log_start())
        {
            lines.push(error.to_string());
        }
        match main {
            Some(main) if lines.is_empty() => Ok(Stats::of(&main, pool.counts())),
            _ => Err(Error::Storage(lines.join("\n"))),
        }
    }

    /// Writes the database, as it is now, into the new or empty directory `dir`; one in memory is kept that
    /// way.
    ///
    /// **Errors**: a directory with files in it; what writing fails with.
    pub fn backup(&self, dir: impl AsRef<Path>) -> Result<(), Error> {
        let dir = dir.as_ref();
        let failed = |e| Error::io(dir, e);
        std::fs::create_dir_all(dir).map_err(failed)?;
        if dir.read_dir().map_err(failed)?.next().is_some() {
            return Err(Error::Storage(format!("{}: not empty; give another directory", dir.display())));
        }
        let mut main = self.shared.merged_now()?;
        main.complete(MERGED).map_err(merge_failed)?;
        let start = self.shared.identified(LogStart::default());
        Checkpoint::default().write_from(&OsFileSystem, dir, &main, start)?;
        Ok(())
    }

    /// Puts everything that is committed now into the main version, which is read without detours, and gives
    /// back the memory of what nobody needs any more.
    ///
    /// **Errors**: data that cannot be read; [`Error::Cancelled`]. Then nothing has changed. **Cost**: the
    /// parts of the data that were changed, 65,536 rows at a time, are written anew. Readers and writers go
    /// on.
    pub fn merge(&self, cancel: &CancelToken) -> Result<MergeReport, Error> {
        if self.own.is_read_only {
            return Err(Error::ReadOnly);
        }
        let report = self.shared.merge(cancel)?;
        // The thread gives back what was freed, a while after.
        self.shared.start_merging();
        self.shared.live.pressure.tell();
        Ok(report)
    }

    /// Looks at once for what another process has committed to a database that was opened read-only, so that
    /// statements from now on see it; tells the last commit that is seen, as a number that only grows. All
    /// is seen that lasted before the call, as after opening: where its writer has not said so yet, that is
    /// waited for, some 20 ms, and a second at most. A database that this process writes has nothing to look
    /// for.
    ///
    /// **Errors**: what cannot be read; what was seen before is seen on.
    pub fn refresh(&self) -> Result<u64, Error> {
        if self.shared.follower.is_some() {
            self.shared.catch_up()?;
        }
        Ok(self.shared.live().transactions.published().0)
    }

    /// A connection. Cheap; one per thread.
    pub fn connect(&self) -> Connection {
        Connection::new(self.shared.clone(), self.own)
    }

    /// Tables, rows, encodings, bytes by component.
    pub fn stats(&self) -> Stats {
        let main = Stats::of(self.shared.base().main(), self.shared.pool.counts());
        let following = self.shared.follower.as_ref().map(Follower::lag);
        Stats { delta_bytes: self.shared.live().delta.bytes(), following, ..main }
    }

    /// Brings tables into memory, those of all labels and relationship types named, or all; on the threads of
    /// the configuration. What does not fit the memory limit is not kept.
    ///
    /// **Errors**: a name that nothing has; the first part that cannot be read; [`Error::Cancelled`].
    /// **Cost**: a pass over what is not in memory yet.
    pub fn preload(&self, names: Option<&[&str]>, cancel: &CancelToken) -> Result<(), Error> {
        let snapshot = self.shared.snapshot();
        let (main, schema) = (snapshot.main(), &snapshot.catalog().schema);
        for name in names.unwrap_or_default() {
            if schema.labels.id(name).is_none() && schema.types.id(name).is_none() {
                let text = format!("there is no label and no relationship type \"{name}\" to be preloaded");
                return Err(Error::Storage(text));
            }
        }
        let wanted = |labels: &[Arc<str>]| {
            names.is_none_or(|names| labels.iter().any(|label| names.contains(&&**label)))
        };
        let nodes = schema.table_ids().zip(&main.node_tables);
        let nodes = nodes.filter(|(id, _)| wanted(&schema.label_names(*id))).flat_map(|(_, t)| t.slots());
        let edges = schema.edge_table_ids().zip(&main.edge_tables);
        let edges = edges.filter(|(id, _)| wanted(&[schema.type_name(*id)])).flat_map(|(_, t)| t.slots());
        let slots: Vec<&dyn Load> = nodes.chain(edges).collect();
        let next = AtomicUsize::new(0);
        let work = || loop {
            match slots.get(next.fetch_add(1, Ordering::Relaxed)) {
                None => return Ok(()),
                Some(_) if cancel.is_cancelled() => return Err(Error::Cancelled),
                Some(slot) => slot.load().map_err(DatabaseError::from)?,
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.shared.config.threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let lost = || Err(DatabaseError::internal("a thread that preloads was lost").into());
            others.into_iter().map(|other| other.join().unwrap_or_else(|_| lost())).fold(own, Result::and)
        })
    }

    /// Loads files: all or nothing unless bad rows may be skipped. Readers and writers go on beside it; what
    /// is loaded is there for them at one commit.
    ///
    /// **Errors**: a refused row with file, line and reason, such as one with the key of a node that is
    /// there, unless the options say otherwise; [`Error::Conflict`] where somebody has written the same
    /// meanwhile. Then nothing has changed.
    pub fn load(
        &self,
        paths: &[PathBuf],
        format: Option<Format>,
        options: &LoadOptions,
        progress: &dyn Progress,
    ) -> Result<LoadReport, Error> {
        self.fill(options, progress, |sink, options| {
            trimorph_loader::load(paths, format, options, sink, progress)
        })
    }

    /// Loads frames, that is tables which the caller has in memory or computes, as [`Database::load`] loads
    /// files.
    #[cfg(feature = "arrow")]
    pub fn load_frames(
        &self,
        frames: Frames,
        options: &LoadOptions,
        progress: &dyn Progress,
    ) -> Result<LoadReport, Error> {
        self.fill(options, progress, |sink, options| {
            trimorph_loader::load_frames(frames, options, sink, progress)
        })
    }

    /// Makes a social network of `scale` with the built-in generator and loads it.
    pub fn generate_snb(&self, scale: f64, seed: u64) -> Result<LoadReport, Error> {
        self.generate_snb_with(scale, seed, &self.load_options(), &NoProgress)
    }

    /// The same with options and progress.
    pub fn generate_snb_with(
        &self,
        scale: f64,
        seed: u64,
        options: &LoadOptions,
        progress: &dyn Progress,
    ) -> Result<LoadReport, Error> {
        self.fill(options, progress, |sink, options| {
            trimorph_loader::generate::load_generated_snb(scale, seed, options, sink, progress)
        })
    }

    /// Load options that follow the database's configuration.
    pub fn load_options(&self) -> LoadOptions {
        self.shared.load_options()
    }

    fn fill(
        &self,
        options: &LoadOptions,
        progress: &dyn Progress,
        read: impl FnOnce(&BulkBuilder<'_>, &LoadOptions) -> Result<LoadReport, LoadError>,
    ) -> Result<LoadReport, Error> {
        if self.own.is_read_only {
            return Err(Error::ReadOnly);
        }
        self.shared.fill(options, progress, read)
    }
}

/// Where a database is.
struct Place {
    fs: Arc<dyn FileSystem>,
    dir: Option<PathBuf>,
    lock: Option<File>,
    registered: Option<Registered>,
}

impl Place {
    fn memory() -> Self {
        Self { fs: Arc::new(OsFileSystem), dir: None, lock: None, registered: None }
    }
}

/// A database that has nothing.
fn nothing() -> Opened {
    let (main, checkpoint) = (Main::default(), Checkpoint::default());
    Opened { main, checkpoint, live: Arc::default(), log: None, loads: LoadFolders::default() }
}

/// Where the queries of a database in `dir` may spill to.
fn spill_area(config: &Config, dir: Option<&Path>) -> Option<Arc<SpillArea>> {
    if config.spill_limit_bytes == 0 {
        return None;
    }
    let own = dir.filter(|_| !config.read_only).map(Path::to_owned);
    let place = config.temp_directory.clone().or(own).unwrap_or_else(std::env::temp_dir);
    Some(Arc::new(SpillArea::new(Box::new(TemporaryDirectory(place)), config.spill_limit_bytes)))
}

/// The memory that `check` reads pieces into.
const CHECK_BYTES: usize = 256 << 20;

/// The part of the memory limit that may hold what is made beside pieces to find things faster: all but the
/// characteristic sets of rows stays when memory is short. Chosen.
const ROOM_PART: usize = 8;

/// What bounds a database's memory.
struct Memory {
    budget: MemoryBudget,
    pool: Arc<Pool>,
}

impl Memory {
    fn of(config: &Config) -> Self {
        let budget = MemoryBudget::new(config.memory_limit_bytes, None);
        let pool = Pool::new(&budget, RegionOptions { huge_pages: config.huge_pages });
        Self { budget, pool }
    }
}

/// What asks other servers, where that is allowed.
#[cfg(feature = "service")]
fn service_of(config: &Config, budget: &MemoryBudget) -> Option<Arc<dyn Procedure>> {
    let service = || Arc::new(crate::web::Service::new(config, budget.clone())) as Arc<dyn Procedure>;
    config.network_access.then(service)
}

#[cfg(not(feature = "service"))]
fn service_of(_: &Config, _: &MemoryBudget) -> Option<Arc<dyn Procedure>> {
    None
}
