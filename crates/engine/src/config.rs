//! How a database is opened.

use std::path::PathBuf;
use std::time::Duration;

pub use trimorph_log::Durability;
use trimorph_mvcc::Isolation;
pub use trimorph_store::access::Choice as AccessChoice;

use crate::machine;

/// Somebody who comes back from lunch finds his transaction; what it keeps from being cleaned is bounded.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3_600);

/// What is committed is in the files some minutes later: then a crash leaves little log to be read.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(300);

/// Who looks at a screen sees no delay; a look costs some 20 µs.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(100);

/// Long queries of public servers end after a minute.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(120);

/// How a database is opened: what is usual, and what you say otherwise.
///
/// ```
/// use trimorph::{Config, Database, Durability};
///
/// # fn main() -> Result<(), trimorph::Error> {
/// # let path = std::env::temp_dir().join(format!("trimorph-config-{}", std::process::id()));
/// let config = Config::new().memory_limit_bytes(256 << 20).threads(2).durability(Durability::Memory);
/// let database = Database::open(&path, config)?;
/// # database.close()?;
/// # let _ = std::fs::remove_dir_all(&path);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Refuse to create or change anything.
    pub read_only: bool,
    /// Open what exists and make nothing.
    pub must_exist: bool,
    /// When a commit of a database in a directory lasts: when it returns, a little later, or with the next
    /// checkpoint.
    pub durability: Durability,
    /// Length of a segment of the log, in bytes: 4 KiB to 1 GiB. Unless told, a quarter of the data, from
    /// 1 MiB to 16 MiB. A checkpoint is made when the log has four.
    pub log_segment_bytes: Option<u32>,
    /// Open a database whose log is damaged up to the damage, and lose what follows; copies of the damaged
    /// files are kept beside them.
    pub recover_to_damage: bool,
    /// Bytes that queries, loads and the data of a database in files may use, all together. Unless told, four
    /// fifths of the memory that this process may use: the machine's, or that of its control group if that
    /// has less.
    pub memory_limit_bytes: usize,
    /// Where queries put rows that memory has no room for. Unless told, the database's own directory; that of
    /// the system for one in memory or opened to be read only.
    pub temp_directory: Option<PathBuf>,
    /// Bytes that all queries together may have in files there at a time; with 0, a query that needs more
    /// memory than it may use fails. Unless told, what the disk has room for.
    pub spill_limit_bytes: u64,
    /// Whether statements may read and write files, as `COPY` and SPARQL's `LOAD <file:///…>` do. Calls such
    /// as `Database::load` are the program's own and always may. A server that runs what others ask switches
    /// it off.
    pub file_access: bool,
    /// Whether statements may ask other servers, as SPARQL's `SERVICE` and `LOAD` do. Whoever may write such
    /// a statement can then reach what this machine can reach.
    pub network_access: bool,
    /// How long another server may take to answer all of a request.
    pub network_timeout: Duration,
    /// Threads for one query.
    pub threads: usize,
    /// Ask for 2 MiB pages for topology and columns.
    pub huge_pages: bool,
    /// What transactions see of each other unless they say otherwise.
    pub isolation: Isolation,
    /// How long a transaction may be left open without a statement before it is undone; none for ever.
    pub idle_timeout: Option<Duration>,
    /// How long a query may take, from its start until its last row was fetched; none for ever.
    pub timeout: Option<Duration>,
    /// Put what was committed into the files when so long has passed since that was last done, if there is
    /// something; none never because of time.
    pub checkpoint_interval: Option<Duration>,
    /// Whether a thread of its own merges what was committed into columns, and moves nodes with IRIs to the
    /// tables of labels that came later; else `Database::merge`, checkpoints and a lack of memory merge, and
    /// `REORGANIZE` moves.
    pub background_merges: bool,
    /// How often a database that was opened read-only looks for what another process has committed; none only
    /// when it is asked to.
    pub follow_interval: Option<Duration>,
    /// Put what was committed into the files when the database is closed, so that opening it reads no log.
    pub checkpoint_on_close: bool,
    /// What only tests and measurements set.
    pub(crate) switches: Switches,
}

/// What only tests and measurements set: no promise is made about any of it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Switches {
    /// Offer `tck.register` and `tck.unregister`, by which tests make procedures of their own.
    pub test_procedures: bool,
    /// Positions a scan fills at once.
    pub vector_size: usize,
    /// Order joins by cost, count what nobody looks at, intersect cycles.
    pub optimize: bool,
    /// Keep long neighbour lists factorised.
    pub factorise: bool,
    /// Read by index or by relation as cost decides, or always one of them.
    pub access: AccessChoice,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            test_procedures: false,
            vector_size: trimorph_vector::VECTOR_SIZE,
            optimize: true,
            factorise: true,
            access: AccessChoice::Cost,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            read_only: false,
            must_exist: false,
            durability: Durability::Durable,
            log_segment_bytes: None,
            recover_to_damage: false,
            memory_limit_bytes: machine::memory_bytes().map_or(usize::MAX, |bytes| bytes / 5 * 4),
            temp_directory: None,
            spill_limit_bytes: u64::MAX,
            network_access: false,
            network_timeout: NETWORK_TIMEOUT,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            file_access: true,
            huge_pages: true,
            isolation: Isolation::default(),
            checkpoint_on_close: true,
            idle_timeout: Some(IDLE_TIMEOUT),
            timeout: None,
            checkpoint_interval: Some(CHECKPOINT_INTERVAL),
            background_merges: true,
            follow_interval: Some(FOLLOW_INTERVAL),
            switches: Switches::default(),
        }
    }
}

impl Config {
    /// What is usual.
    pub fn new() -> Self {
        Self::default()
    }

    trimorph_loader::setters! {
        /// Sets [`Self::read_only`].
        read_only: bool => read_only;
        /// Sets [`Self::must_exist`].
        must_exist: bool => must_exist;
        /// Sets [`Self::durability`].
        durability: Durability => durability;
        /// Sets [`Self::log_segment_bytes`].
        log_segment_bytes: u32 => Some(log_segment_bytes);
        /// Sets [`Self::recover_to_damage`].
        recover_to_damage: bool => recover_to_damage;
        /// Sets [`Self::memory_limit_bytes`].
        memory_limit_bytes: usize => memory_limit_bytes;
        /// Sets [`Self::temp_directory`].
        temp_directory: impl Into<PathBuf> => Some(temp_directory.into());
        /// Sets [`Self::spill_limit_bytes`].
        spill_limit_bytes: u64 => spill_limit_bytes;
        /// Sets [`Self::file_access`].
        file_access: bool => file_access;
        /// Sets [`Self::network_access`].
        network_access: bool => network_access;
        /// Sets [`Self::network_timeout`].
        network_timeout: Duration => network_timeout;
        /// Sets [`Self::threads`].
        threads: usize => threads;
        /// Sets [`Self::huge_pages`].
        huge_pages: bool => huge_pages;
        /// Sets [`Self::isolation`].
        isolation: Isolation => isolation;
        /// Sets [`Self::idle_timeout`]: a time, or none.
        idle_timeout: impl Into<Option<Duration>> => idle_timeout.into();
        /// Sets [`Self::timeout`]: a time, or none.
        timeout: impl Into<Option<Duration>> => timeout.into();
        /// Sets [`Self::checkpoint_interval`]: a time, or none.
        checkpoint_interval: impl Into<Option<Duration>> => checkpoint_interval.into();
        /// Sets [`Self::background_merges`].
        background_merges: bool => background_merges;
        /// Sets [`Self::follow_interval`]: a time, or none.
        follow_interval: impl Into<Option<Duration>> => follow_interval.into();
        /// Sets [`Self::checkpoint_on_close`].
        checkpoint_on_close: bool => checkpoint_on_close;
        #[doc(hidden)]
        switches: Switches => switches;
    }
}
