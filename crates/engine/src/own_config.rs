//! The part of a configuration that belongs to a handle: what somebody who opens a database that is open in
//! this process already gets as he asked for it, and what he is refused.
//!
//! Memory, threads and files are the database's, as the first who opened it said. What a connection goes by
//! is its own handle's.

use std::path::Path;
use std::time::Duration;

use trimorph_log::Durability;
use trimorph_mvcc::Isolation;

use crate::{Config, Error};

/// What the connections of a handle go by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnConfig {
    /// They write nothing: others of the same database may.
    pub(crate) is_read_only: bool,
    pub(crate) isolation: Isolation,
    pub(crate) timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) file_access: bool,
}

impl OwnConfig {
    pub(crate) fn of(config: &Config) -> Self {
        Self {
            is_read_only: config.read_only,
            isolation: config.isolation,
            timeout: config.timeout,
            idle_timeout: config.idle_timeout,
            file_access: config.file_access,
        }
    }
}

/// How much a crash costs at most: nothing, what was committed within a time, or since the last checkpoint.
fn lost_at_most(durability: Durability) -> Duration {
    match durability {
        Durability::Durable => Duration::ZERO,
        Durability::Relaxed { interval } => interval.max(Duration::from_nanos(1)),
        Durability::Memory => Duration::MAX,
    }
}

fn name_of(durability: Durability) -> &'static str {
    match durability {
        Durability::Durable => "durable",
        Durability::Relaxed { .. } => "relaxed",
        Durability::Memory => "memory",
    }
}

/// Whether commits of a database that is open as `open` says last as `asked` wants them to. Who is told that
/// his commit is done must not lose it because somebody else has opened the database first.
///
/// **Errors**: they do not.
pub(crate) fn keeps_promise(path: &Path, open: &Config, asked: &Config) -> Result<(), Error> {
    if lost_at_most(open.durability) <= lost_at_most(asked.durability) {
        return Ok(());
    }
    let (path, open, asked) = (path.display(), name_of(open.durability), name_of(asked.durability));
    let why = format!(
        "this process has the database open with durability \"{open}\", which is less than \"{asked}\""
    );
    Err(Error::Storage(format!("{path}: {why}; open it with \"{open}\" here too, or close the other first")))
}
