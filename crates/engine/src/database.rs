//! A database: one main version at a time, in a directory or in memory, and what its connections share.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use trimorph_algebra::Procedures;
use trimorph_base::MemoryBudget;
use trimorph_loader::{
    Format, LoadError, LoadOptions, LoadReport, NoProgress, Phase, Progress, ProgressState,
};
use trimorph_store::bulk::{BulkBuilder, Rejected, Verdict};
use trimorph_store::{Checkpoint, Main, Snapshot, check_main, read_checkpoint, write_main};
use trimorph_vfs::{OsFileSystem, RegionOptions};

use crate::plan_cache::PlanCache;
use crate::procedures::Registry;
use crate::{Config, Connection, Error, Stats};

/// What connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) plans: PlanCache,
    pub(crate) budget: MemoryBudget,
    procedures: Arc<Registry>,
    snapshot: RwLock<Snapshot>,
    dir: Option<PathBuf>,
    /// What the directory's files hold.
    checkpoint: Mutex<Checkpoint>,
    /// Held while the database is open for writing.
    _lock: Option<File>,
}

impl Shared {
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The procedures there are now.
    pub(crate) fn procedures(&self) -> Arc<Procedures> {
        self.procedures.current()
    }
}

/// A database. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) shared: Arc<Shared>,
}

impl Database {
    /// An empty database that lives as long as this handle and its connections.
    pub fn in_memory(config: Config) -> Self {
        Self::with(config, None, None, (Main::default(), Checkpoint::default()))
    }

    fn with(
        config: Config,
        dir: Option<PathBuf>,
        lock: Option<File>,
        (main, checkpoint): (Main, Checkpoint),
    ) -> Self {
        let budget = MemoryBudget::new(config.memory_limit_bytes, None);
        let shared = Shared {
            config,
            plans: PlanCache::default(),
            procedures: Registry::new(config.test_procedures, &budget),
            budget,
            snapshot: RwLock::new(Snapshot::new(Arc::new(main))),
            dir,
            checkpoint: Mutex::new(checkpoint),
            _lock: lock,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Opens the database in directory `path` (`:memory:` for none), making an empty one if there is none and
    /// the configuration allows it. Every checksum is verified.
    ///
    /// **Errors**: the file that is missing or damaged, by name; another process that has it open for
    /// writing.
    pub fn open(path: impl AsRef<Path>, config: Config) -> Result<Self, Error> {
        let path = path.as_ref();
        if path == Path::new(":memory:") {
            return Ok(Self::in_memory(config));
        }
        if path.is_file() {
            let text = format!("{}: this is a file, and a database is a directory", path.display());
            return Err(Error::Storage(text));
        }
        let exists = path.join("MANIFEST").exists();
        if !exists {
            if config.read_only {
                return Err(Error::Storage(format!("{}: there is no database here", path.display())));
            }
            if !has_only_remains(path) {
                let text = format!(
                    "{}: not a Trimorph database, and not empty; give another directory",
                    path.display()
                );
                return Err(Error::Storage(text));
            }
            std::fs::create_dir_all(path).map_err(|e| Error::Storage(format!("{}: {e}", path.display())))?;
        }
        let lock = if config.read_only { None } else { Some(take_lock(path)?) };
        let options = RegionOptions { huge_pages: config.huge_pages };
        let main = if exists { read_checkpoint(&OsFileSystem, path, options)? } else { Default::default() };
        Ok(Self::with(config, Some(path.to_owned()), lock, main))
    }

    /// Verifies every checksum and invariant of the database in directory `path`.
    ///
    /// **Errors**: every file that is missing or damaged, a line each, by name, with what is wrong and where.
    pub fn check(path: impl AsRef<Path>) -> Result<Stats, Error> {
        let path = path.as_ref();
        if !path.join("MANIFEST").exists() && !path.join("checkpoint").exists() {
            return Err(Error::Storage(format!("{}: there is no database here", path.display())));
        }
        match check_main(&OsFileSystem, path, RegionOptions::default()) {
            Ok(main) => Ok(Stats::of(&main)),
            Err(found) => {
                let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
                Err(Error::Storage(lines.join("\n")))
            }
        }
    }

    /// Writes the database, as it is now, into the new or empty directory `dir`; one in memory is kept that
    /// way.
    ///
    /// **Errors**: a directory with files in it; what writing fails with.
    pub fn backup(&self, dir: impl AsRef<Path>) -> Result<(), Error> {
        let dir = dir.as_ref();
        let failed = |e| Error::Storage(format!("{}: {e}", dir.display()));
        std::fs::create_dir_all(dir).map_err(failed)?;
        if dir.read_dir().map_err(failed)?.next().is_some() {
            return Err(Error::Storage(format!("{}: not empty; give another directory", dir.display())));
        }
        Ok(write_main(&OsFileSystem, dir, self.shared.snapshot().main())?)
    }

    /// A connection. Cheap; one per thread.
    pub fn connect(&self) -> Connection {
        Connection::new(Arc::clone(&self.shared))
    }

    /// Tables, rows, encodings, bytes by component.
    pub fn stats(&self) -> Stats {
        Stats::of(self.shared.snapshot().main())
    }

    /// Loads files into an empty database: all or nothing unless bad rows may be skipped.
    ///
    /// **Errors**: a refused row with file, line and reason; a database that already has data.
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
        LoadOptions {
            threads: self.shared.config.threads,
            budget: self.shared.budget.clone(),
            ..LoadOptions::default()
        }
    }

    fn fill(
        &self,
        options: &LoadOptions,
        progress: &dyn Progress,
        read: impl FnOnce(&BulkBuilder<'_>, &LoadOptions) -> Result<LoadReport, LoadError>,
    ) -> Result<LoadReport, Error> {
        if self.shared.config.read_only {
            return Err(Error::ReadOnly);
        }
        if !self.shared.snapshot().main().node_tables.is_empty() {
            let text = "the database has data already; bulk loading fills an empty one".to_owned();
            return Err(Error::Storage(text));
        }
        let refused: Arc<Mutex<Vec<Rejected>>> = Arc::default();
        let (list, skip) = (Arc::clone(&refused), options.skip_bad_rows);
        let reject = Box::new(move |row: Rejected| {
            if skip {
                list.lock().unwrap_or_else(PoisonError::into_inner).push(row);
                Verdict::Skip
            } else {
                Verdict::Abort
            }
        });
        let regions = RegionOptions { huge_pages: self.shared.config.huge_pages };
        let builder = BulkBuilder::new(regions, options.cancel.clone(), reject).with_budget(&options.budget);
        let mut report = read(&builder, options)?;
        progress.update(&ProgressState {
            bytes_done: report.bytes,
            bytes_total: report.bytes,
            rows: report.rows,
            rejected: report.rejected,
            phase: Phase::Build,
        });
        let main = builder.finish(options.threads).map_err(|e| report.rejects.explain(e))?;
        let late = std::mem::take(&mut *refused.lock().unwrap_or_else(PoisonError::into_inner));
        report.rejects.refuse_late(late);
        report.rejects.flush()?;
        report.rejected = report.rejects.count();
        if let Some(dir) = &self.shared.dir {
            let mut checkpoint = self.shared.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
            checkpoint.write(&OsFileSystem, dir, &main)?;
        }
        *self.shared.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Snapshot::new(Arc::new(main));
        Ok(report)
    }
}

/// Whether a directory has nothing but what a first load leaves that did not finish: nobody's data, which the
/// next one takes over.
fn has_only_remains(path: &Path) -> bool {
    let names = |dir: &Path| {
        let entries = dir.read_dir().into_iter().flatten().flatten();
        entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let is_remains = |name: &String| match name.as_str() {
        "LOCK" | "MANIFEST.tmp" => true,
        "checkpoint" => names(&path.join(name)).iter().all(|file| file.ends_with(".pieces")),
        _ => false,
    };
    names(path).iter().all(is_remains)
}

fn take_lock(path: &Path) -> Result<File, Error> {
    let name = path.join("LOCK");
    let file = File::options().create(true).truncate(false).read(true).write(true).open(&name);
    let file = file.map_err(|e| Error::Storage(format!("{}: {e}", name.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => Err(Error::Storage(format!(
            "{}: another process has this database open for writing; open it read-only or close the other",
            path.display()
        ))),
    }
}
