//! What a load did.

use std::path::PathBuf;
use std::sync::Arc;

use trimorph_types::LogicalType;

use crate::json::is_json;
use crate::{FellToText, Format, Rejects};

/// A file for reports.
pub(crate) struct Described {
    pub(crate) path: PathBuf,
    /// What it is read as.
    pub(crate) table: String,
    /// Around its fields.
    pub(crate) quote: u8,
}

/// One file of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// What it was read as, such as `(:Person)`, `[:KNOWS]`, `(:Person)-[:KNOWS]->(:Person)` or both.
    pub table: String,
    /// Rows taken from it.
    pub rows: u64,
    /// Its columns that are kept.
    pub columns: Vec<ColumnReport>,
}

impl FileReport {
    fn is_csv(&self) -> bool {
        let path = self.path.to_string_lossy().to_lowercase();
        !path.ends_with(".parquet") && !is_json(&path)
    }
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnReport {
    /// Its name in the file.
    pub name: String,
    /// What it is read as.
    pub ty: LogicalType,
    /// Why it is text, if it looked like something else.
    pub fell: Option<FellToText>,
}

/// What a load did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadReport {
    /// What the files were read as.
    pub format: Format,
    /// Every file, in the loader's own order: `Rejected::file` is an index into it.
    pub files: Vec<FileReport>,
    /// Rows taken from all files.
    pub rows: u64,
    /// Rows refused.
    pub rejected: u64,
    /// Nodes made; appended to the sink, until it is finished.
    pub nodes: u64,
    /// Edges made, in the same way.
    pub edges: u64,
    /// Rows of files of edges that have no edge, because an end is null or empty.
    pub without_end: u64,
    /// Fields of accepted rows that were parsed (nulls too; skipped columns not).
    pub values: u64,
    /// Decompressed bytes read.
    pub bytes: u64,
    /// Wall time.
    pub seconds: f64,
    /// Takes in what the sink refuses when it finishes.
    pub rejects: Arc<Rejects>,
    /// The directory without a mapping whose files were read as [`guess_mapping`](crate::guess_mapping)
    /// proposes.
    pub guessed: Option<PathBuf>,
}

/// A name that is a number: nobody calls a column so, and the line that it is from may be a row.
pub(crate) fn odd_name<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names.find(|name| name.trim().parse::<f64>().is_ok_and(f64::is_finite))
}

impl LoadReport {
    /// The first file of CSV with a column that is called by a number, and that name: the first line of the
    /// file may be a row.
    pub fn odd_header(&self) -> Option<(&FileReport, &str)> {
        self.files.iter().filter(|file| file.is_csv()).find_map(|file| {
            let name = odd_name(file.columns.iter().map(|column| column.name.as_str()))?;
            Some((file, name))
        })
    }
}
