//! A directory in; the main version, what its log says since and the log to go on with out.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use trimorph_log::{Log, LogError, LogOptions, Position, Recover};
use trimorph_store::{Checkpoint, Live, LogStart, Main, open_checkpoint};
use trimorph_vfs::{FileSystem, Pool};

use super::replay::Replay;
use crate::load_folders::LoadFolders;
use crate::value_indexes::index_all;
use crate::{Config, Error};

/// A directory that was read.
pub(crate) struct Opened {
    pub(crate) main: Main,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) live: Arc<Live>,
    /// None of a database that was never written to.
    pub(crate) log: Option<Log>,
    /// What the log names of bulk loads.
    pub(crate) loads: LoadFolders,
}

/// The folder of the log.
pub(crate) fn log_folder(dir: &Path) -> PathBuf {
    dir.join("log")
}

/// While a log is replayed the delta is merged from this part of the memory limit on. Nobody reads, so it may
/// be a larger one than while the log is written.
const MERGED_PART: usize = 4;
/// And in any case from here on, as while the log is written. A log of 5 million operations is opened with
/// 280 to 310 MB; at 256 MB it were 510 to 530, for up to 15 % less of the processor.
const MERGED_BYTES_MAX: usize = 64 << 20;
/// And never below: a merge writes segments anew, whatever changed in them. Opening a million operations
/// costs the same with 4 MB.
const MERGED_BYTES_MIN: usize = 1 << 20;

/// From so many bytes on the delta is merged while a log is replayed.
pub(crate) fn merged_from(config: &Config) -> usize {
    (config.memory_limit_bytes / MERGED_PART).clamp(MERGED_BYTES_MIN, MERGED_BYTES_MAX)
}

/// How long after a commit its log says that it lasts, if no other commit does.
const MARK_AFTER: Duration = Duration::from_millis(20);

/// How the log is written. Whoever locks the directory may have followers, who know the writer by that.
pub(crate) fn log_options(config: &Config, database: u128, has_followers: bool) -> LogOptions {
    let usual = LogOptions::default();
    let segment_bytes = config.log_segment_bytes.unwrap_or(usual.segment_bytes);
    let mark_after = has_followers.then_some(MARK_AFTER);
    LogOptions { durability: config.durability, segment_bytes, database, mark_after, ..usual }
}

/// A number that no other database has.
pub(crate) fn random_number() -> u128 {
    // Each state has keys of its own from the system.
    let half = || RandomState::new().build_hasher().finish();
    (u128::from(half()) << 64 | u128::from(half())).max(1)
}

pub(super) fn position(start: LogStart) -> Position {
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
    has_followers: bool,
) -> Result<Opened, Error> {
    let (main, checkpoint) = open_checkpoint(&**fs, dir, pool)?;
    let start = checkpoint.log_start();
    let folder = log_folder(dir);
    let replay = Replay::new(main, start, (dir, &folder), (fs, pool), config.threads);
    let mut replay = replay.merging_from(merged_from(config));
    let mut log = None;
    if start.database != 0 {
        let how = if config.recover_to_damage { Recover::ToDamage } else { Recover::Whole };
        let options = log_options(config, start.database, has_followers);
        let take = &mut |replayed: trimorph_log::Replayed<'_>| replay.take(replayed);
        let (opened, _) = Log::open(Arc::clone(fs), &folder, position(start), options, how, take)?;
        log = Some(opened);
    }
    let (mut main, live, loads) = replay.finish()?;
    index_all(&mut main, &live.delta)?;
    loads.sweep(&**fs, dir);
    Ok(Opened { main, checkpoint, live, log, loads })
}
