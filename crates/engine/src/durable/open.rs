//! A directory in; the main version, what its log says since and the log to go on with out.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_log::{Log, LogError, LogOptions, Position, Recover};
use trimorph_store::{Checkpoint, Live, LogStart, Main, open_checkpoint};
use trimorph_vfs::{FileSystem, Pool};

use super::replay::Replay;
use crate::load_folders::LoadFolders;
use crate::value_indexes::index_all;
use crate::{Config, Error};

/// How often a directory is read anew because its writer has gone on meanwhile.
const RETRIES: usize = 20;

/// A directory that was read.
pub(crate) struct Opened {
    pub(crate) main: Main,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) live: Live,
    /// None of a database that was never written to, and of one that is only read.
    pub(crate) log: Option<Log>,
    /// What the log names of bulk loads.
    pub(crate) loads: LoadFolders,
}

/// The folder of the log.
pub(crate) fn log_folder(dir: &Path) -> PathBuf {
    dir.join("log")
}

/// How the log is written.
pub(crate) fn log_options(config: &Config, database: u128) -> LogOptions {
    let Config { durability, log_segment_bytes: segment_bytes, .. } = *config;
    LogOptions { durability, segment_bytes, database, ..LogOptions::default() }
}

/// A number that no other database has.
pub(crate) fn random_number() -> u128 {
    // Each state has keys of its own from the system.
    let half = || RandomState::new().build_hasher().finish();
    (u128::from(half()) << 64 | u128::from(half())).max(1)
}

fn position(start: LogStart) -> Position {
    Position::new(start.segment, start.offset)
}

/// Reads and decodes all of a log that goes on at `start`.
///
/// **Errors**: what opening would refuse.
pub(crate) fn check(fs: &dyn FileSystem, dir: &Path, start: LogStart) -> Result<(), LogError> {
    match start.database {
        0 => Ok(()),
        database => trimorph_log::check(fs, &log_folder(dir), position(start), database).map(drop),
    }
}

/// Opens a database to be written: what was committed is there, and the log is ready.
///
/// **Errors**: what is missing or damaged, by file and offset.
pub(crate) fn open_to_write(
    fs: &Arc<dyn FileSystem>,
    dir: &Path,
    pool: &Arc<Pool>,
    config: &Config,
) -> Result<Opened, Error> {
    let (main, checkpoint) = open_checkpoint(&**fs, dir, pool)?;
    let start = checkpoint.log_start();
    let folder = log_folder(dir);
    let mut replay = Replay::new(main, start, (dir, &folder), (fs, pool), config.threads);
    let mut log = None;
    if start.database != 0 {
        let how = if config.recover_to_damage { Recover::ToDamage } else { Recover::Whole };
        let options = log_options(config, start.database);
        let take = &mut |replayed: trimorph_log::Replayed<'_>| replay.take(replayed);
        let (opened, _) = Log::open(Arc::clone(fs), &folder, position(start), options, how, take)?;
        log = Some(opened);
    }
    let (mut main, live, loads) = replay.finish()?;
    index_all(&mut main, &live.delta)?;
    loads.sweep(&**fs, dir);
    Ok(Opened { main, checkpoint, live, log, loads })
}

/// Opens a database to be read, as it is now; nothing is written, and a writer may be at it.
///
/// **Errors**: as [`open_to_write`].
pub(crate) fn open_to_read(
    fs: &Arc<dyn FileSystem>,
    dir: &Path,
    pool: &Arc<Pool>,
    config: &Config,
) -> Result<Opened, Error> {
    let mut before = String::new();
    for _ in 0..RETRIES {
        let (main, checkpoint) = open_checkpoint(&**fs, dir, pool)?;
        let start = checkpoint.log_start();
        let folder = log_folder(dir);
        let mut replay = Replay::new(main, start, (dir, &folder), (fs, pool), config.threads);
        let read = match start.database {
            0 => Ok(()),
            database => {
                let take = &mut |replayed: trimorph_log::Replayed<'_>| replay.take(replayed);
                trimorph_log::read(&**fs, &folder, position(start), database, take).map(drop)
            }
        };
        match read.and_then(|()| replay.finish()) {
            Ok((mut main, live, loads)) => {
                index_all(&mut main, &live.delta)?;
                return Ok(Opened { main, checkpoint, live, log: None, loads });
            }
            // A writer may have written on between two looks, or have let the segment go for a checkpoint.
            Err(error @ (LogError::Damaged { .. } | LogError::Missing { .. }))
                if error.to_string() != before =>
            {
                before = error.to_string();
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::Storage(format!(
        "{}: its writer goes on faster than it can be read; try again",
        dir.display()
    )))
}
