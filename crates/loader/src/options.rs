//! What a caller may choose about a load.

use std::path::{Path, PathBuf};

use trimorph_base::{CancelToken, MemoryBudget};
use trimorph_store::bulk::OnConflict;

use crate::files::files_or_pattern;

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

/// Files of one kind with one header, as `neo4j-admin database import` groups them: the first begins with the
/// header, the others have none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileGroup {
    /// Whether they hold relationships, not nodes.
    pub is_relationships: bool,
    /// Labels of all nodes, or the type of relationships whose row names none.
    pub names: Vec<String>,
    /// The files.
    pub files: Vec<PathBuf>,
}

impl FileGroup {
    /// What stands behind `--nodes` or `--relationships`: `Label:Label=header.csv,part1.csv,part2.csv`, the
    /// names and the `=` being optional. A file's name may have wildcards, or else be a regular expression.
    ///
    /// **Errors**: a clause that says what is wrong: names that are empty, a name that no file has.
    pub fn parse(text: &str, is_relationships: bool) -> Result<Self, String> {
        let (names, files) = match text.split_once('=') {
            Some((names, files)) => (names.trim_matches(':'), files),
            None => ("", text),
        };
        let names: Vec<String> = match names {
            "" => Vec::new(),
            one if is_relationships => vec![one.to_owned()],
            several => several.split([':', ';']).map(str::to_owned).collect(),
        };
        if names.iter().any(String::is_empty) {
            return Err(format!("\"{text}\" has an empty name"));
        }
        let mut paths: Vec<PathBuf> = Vec::new();
        for name in files.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            // The first stays the first: it has the header.
            let found = files_or_pattern(Path::new(""), name)?;
            paths.extend(found.into_iter().filter(|path| !paths.contains(path)).collect::<Vec<_>>());
        }
        if paths.is_empty() {
            return Err(format!("\"{text}\" names no file"));
        }
        Ok(Self { is_relationships, names, files: paths })
    }
}

/// The type of keys in neo4j-style files whose header does not say one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum IdType {
    /// Texts.
    #[default]
    String,
    /// Integers.
    Integer,
}

/// A method for each field: the options with another value there.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $of:ty => $value:expr;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $of) -> Self {
            self.$field = $value;
            self
        })*
    };
}

/// How to load: what is usual, and what you say otherwise. Each field that a program sets has a method of its
/// name: `LoadOptions::new().skip_bad_rows(true).rejects_path("bad.csv")`.
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
    /// Neo4j-style files with headers of their own, instead of paths.
    pub groups: Vec<FileGroup>,
    /// The type of keys in neo4j-style files whose header does not say one.
    pub id_type: IdType,
    /// Quote around fields of neo4j-style files (one ASCII byte).
    pub quote: u8,
    /// Delimiter between array elements in neo4j-style files (one ASCII byte).
    pub array_delimiter: u8,
}

impl LoadOptions {
    /// What is usual.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets [`Self::threads`].
        threads: usize => threads;
        /// Sets [`Self::skip_bad_rows`].
        skip_bad_rows: bool => skip_bad_rows;
        /// Sets [`Self::on_conflict`].
        on_conflict: OnConflict => on_conflict;
        /// Sets [`Self::rejects_path`].
        rejects_path: impl Into<PathBuf> => Some(rejects_path.into());
        /// Sets [`Self::cancel`].
        cancel: CancelToken => cancel;
        /// Sets [`Self::field_bytes_max`].
        field_bytes_max: usize => field_bytes_max;
        /// Sets [`Self::delimiter`].
        delimiter: u8 => delimiter;
        /// Sets [`Self::groups`].
        groups: Vec<FileGroup> => groups;
        /// Sets [`Self::id_type`].
        id_type: IdType => id_type;
        /// Sets [`Self::quote`].
        quote: u8 => quote;
        /// Sets [`Self::array_delimiter`].
        array_delimiter: u8 => array_delimiter;
    }
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
            groups: Vec::new(),
            id_type: IdType::default(),
            quote: b'"',
            array_delimiter: b';',
        }
    }
}
