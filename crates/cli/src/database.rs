//! Options of every command that opens a database, and how it is opened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use trimorph::{Config, Database, Durability};

use crate::failure::Failure;
use crate::text::near::nearest;
use crate::text::quantity;

/// How often what is not durable at once is made so.
const RELAXED_INTERVAL: Duration = Duration::from_millis(100);

/// How many resources a command may use.
#[derive(Args, Clone, Debug)]
pub(crate) struct Resources {
    /// Threads for one query or load [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Bytes that queries, loads and data read from files may use, such as 4GB or 512MiB
    #[arg(long, value_name = "BYTES", value_parser = quantity::parse_bytes)]
    memory_limit: Option<usize>,
    /// Where queries put rows that the memory limit has no room for [default: the database's directory; the
    /// system's for :memory: and for reading]
    #[arg(long, value_name = "DIR")]
    temp_directory: Option<PathBuf>,
    /// Bytes that queries may have in files there, such as 20GB; 0 for none [default: what the disk has room
    /// for]
    #[arg(long, value_name = "BYTES", value_parser = quantity::parse_bytes)]
    spill_limit: Option<usize>,
    /// Seconds that a query may take until its last row was read, such as 2.5
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Let statements ask other servers: SERVICE and LOAD of SPARQL
    #[arg(long)]
    network_access: bool,
    /// When what is written to a database in a directory lasts
    #[arg(long, value_enum, default_value_t = Lasting::Durable)]
    durability: Lasting,
}

/// A time in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("\"{text}\" is no number of seconds, 0 or more");
    let seconds: f64 = text.trim().parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// When a commit lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Lasting {
    /// When it is answered
    Durable,
    /// A tenth of a second later
    Relaxed,
    /// With the next checkpoint
    Memory,
}

impl Resources {
    /// The engine's configuration.
    pub(crate) fn config(&self, read_only: bool) -> Config {
        let durability = match self.durability {
            Lasting::Durable => Durability::Durable,
            Lasting::Relaxed => Durability::Relaxed { interval: RELAXED_INTERVAL },
            Lasting::Memory => Durability::Memory,
        };
        let mut config = Config::new().read_only(read_only).durability(durability).timeout(self.timeout);
        if let Some(threads) = self.threads {
            config.threads = threads.into();
        }
        if let Some(bytes) = self.memory_limit {
            config.memory_limit_bytes = bytes;
        }
        config.network_access = self.network_access;
        config.temp_directory.clone_from(&self.temp_directory);
        if let Some(bytes) = self.spill_limit {
            config.spill_limit_bytes = bytes as u64;
        }
        config
    }
}

/// Whether `path` stands for a database in memory.
pub(crate) fn is_memory(path: &Path) -> bool {
    path == Path::new(":memory:")
}

/// Opens what is there, without a lock, so that many may read at once.
pub(crate) fn open_to_read(path: &Path, resources: &Resources) -> Result<Database, Failure> {
    must_be_there(path)?;
    Ok(Database::open(path, resources.config(!is_memory(path)))?)
}

/// Whether there is anything at `path`.
///
/// **Errors**: there is not, and which database beside it has nearly its name.
pub(crate) fn must_be_there(path: &Path) -> Result<(), Failure> {
    if is_memory(path) || path.exists() {
        return Ok(());
    }
    let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = std::fs::read_dir(beside.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .filter(|entry| entry.path().join("MANIFEST").exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let near = nearest(&own, names.iter().map(String::as_str));
    let near = near.map(|name| format!("; did you mean \"{}\"?", path.with_file_name(name).display()));
    let text = format!("{}: there is no database here{}", path.display(), near.unwrap_or_default());
    Err(Failure::message(text))
}

/// Opens or makes a database. If the work then fails, [`NewDirectory`] takes back what was made.
pub(crate) fn open_to_write(path: &Path, resources: &Resources) -> Result<(Database, NewDirectory), Failure> {
    let is_new = !is_memory(path) && !path.exists();
    let made = NewDirectory(is_new.then(|| path.to_owned()));
    Ok((Database::open(path, resources.config(false))?, made))
}

/// A directory that this command made; an unfinished one is removed again.
#[derive(Debug)]
pub(crate) struct NewDirectory(Option<PathBuf>);

impl NewDirectory {
    /// Nothing was made.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Removes the directory if there is no database in it.
    pub(crate) fn discard(self) {
        let Some(path) = self.0 else { return };
        if !path.join("MANIFEST").exists() {
            // Best effort: a lock file that stays behind disturbs nobody.
            let _ = std::fs::remove_file(path.join("LOCK"));
            let _ = std::fs::remove_dir(&path);
        }
    }
}
