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

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Config {
    /// Refuse to create or change anything.
    pub read_only: bool,
    /// Open what exists and make nothing.
    pub must_exist: bool,
    /// When a commit of a database in a directory lasts: when it returns, a little later, or with the next
    /// checkpoint.
    pub durability: Durability,
    /// Length of a segment of the log, in bytes: 4 KiB to 1 GiB.
    pub log_segment_bytes: u32,
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
    /// Whether statements may read and write files, as `COPY` and SPARQL's `LOAD <file:///…>` do. Calls such as `Database::load` are the
    /// program's own and always may. A server that runs what others ask switches it off.
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
    /// Offer `tck.register` and `tck.unregister`, by which tests make procedures of their own. Otherwise
    /// there are none.
    pub test_procedures: bool,
    /// What transactions see of each other unless they say otherwise.
    pub isolation: Isolation,
    /// How long a transaction may be left open without a statement before it is undone; none for ever.
    pub idle_timeout: Option<Duration>,
    /// How long a query may take, from its start until its last row was fetched; none for ever.
    pub timeout: Option<Duration>,
    /// Put what was committed into the files when so long has passed since that was last done, if there is
    /// something; none never because of time.
    pub checkpoint_interval: Option<Duration>,
    /// Whether a thread of its own merges what was committed into columns; else `Database::merge`,
    /// checkpoints and a lack of memory do.
    pub background_merges: bool,
    /// How often a database that was opened read-only looks for what another process has committed; none only
    /// when it is asked to.
    pub follow_interval: Option<Duration>,
    /// Put what was committed into the files when the database is closed, so that opening it reads no log.
    pub checkpoint_on_close: bool,
    /// Positions a scan fills at once.
    pub vector_size: usize,
    /// Order joins by cost, count what nobody looks at, intersect cycles. Off only for tests and
    /// measurements.
    pub optimize: bool,
    /// Keep long neighbour lists factorised. Off only for tests and measurements.
    pub factorise: bool,
    /// Read by index or by relation as cost decides. Anything else only for tests and measurements.
    pub access: AccessChoice,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            read_only: false,
            must_exist: false,
            durability: Durability::Durable,
            log_segment_bytes: 16 << 20,
            recover_to_damage: false,
            memory_limit_bytes: machine::memory_bytes().map_or(usize::MAX, |bytes| bytes / 5 * 4),
            temp_directory: None,
            spill_limit_bytes: u64::MAX,
            network_access: false,
            network_timeout: NETWORK_TIMEOUT,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            file_access: true,
            huge_pages: true,
            test_procedures: false,
            isolation: Isolation::default(),
            checkpoint_on_close: true,
            idle_timeout: Some(IDLE_TIMEOUT),
            timeout: None,
            checkpoint_interval: Some(CHECKPOINT_INTERVAL),
            background_merges: true,
            follow_interval: Some(FOLLOW_INTERVAL),
            vector_size: trimorph_vector::VECTOR_SIZE,
            optimize: true,
            factorise: true,
            access: AccessChoice::Cost,
        }
    }
}
