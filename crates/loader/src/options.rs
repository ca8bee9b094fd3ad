//! What a caller may choose about a load.

use std::path::PathBuf;

use trimorph_base::{CancelToken, MemoryBudget};
use trimorph_store::bulk::OnConflict;

/// The kind of files a load reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// A directory in the layout of the LDBC Social Network Benchmark (`composite-merged-fk` or
    /// `composite-projected-fk`).
    LdbcSnb,
    /// CSV files described by a mapping file.
    Csv,
    /// CSV files whose header fields say what they hold, as `neo4j-admin database import` reads them.
    Neo4jCsv,
    /// Parquet files described by a mapping file.
    Parquet,
    /// No files: frames that the caller hands over, see [`crate::load_frames`].
    Frames,
}

impl Format {
    /// All formats of files, in the order users see them.
    pub const ALL: [Self; 4] = [Self::LdbcSnb, Self::Csv, Self::Neo4jCsv, Self::Parquet];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LdbcSnb => "ldbc-snb",
            Self::Csv => "csv",
            Self::Neo4jCsv => "neo4j-csv",
            Self::Parquet => "parquet",
            Self::Frames => "frames",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// How to load.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Threads that read, parse and append, at least 1. The calling one only waits.
    pub threads: usize,
    /// Leave bad rows out and go on, instead of giving up at the first.
    pub skip_bad_rows: bool,
    /// What to do with rows whose key a node of the database has already.
    pub on_conflict: OnConflict,
    /// Where to write refused rows, as CSV with the columns `file,line,reason,row`.
    pub rejects_path: Option<PathBuf>,
    /// What chunks in flight are charged to.
    pub budget: MemoryBudget,
    /// Stops the load from outside.
    pub cancel: CancelToken,
    /// Decompressed bytes per unit of parallel work.
    pub chunk_bytes: usize,
    /// Longest field accepted.
    pub field_bytes_max: usize,
    /// Field delimiter of neo4j-style files (one ASCII byte); mapping files name their own, LDBC's is `|`.
    pub delimiter: u8,
    /// Quote around fields of neo4j-style files (one ASCII byte).
    pub quote: u8,
    /// Delimiter between array elements in neo4j-style files (one ASCII byte).
    pub array_delimiter: u8,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            skip_bad_rows: false,
            on_conflict: OnConflict::Error,
            rejects_path: None,
            budget: MemoryBudget::unlimited(),
            cancel: CancelToken::default(),
            chunk_bytes: 1 << 20,
            field_bytes_max: 16 << 20,
            delimiter: b',',
            quote: b'"',
            array_delimiter: b';',
        }
    }
}
