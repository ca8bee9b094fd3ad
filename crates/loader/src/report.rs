//! What a load did.

use std::path::PathBuf;
use std::sync::Arc;

use trimorph_types::LogicalType;

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
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// What it was read as, such as `(:Person)`, `[:KNOWS]` or both.
    pub table: String,
    /// Rows taken from it.
    pub rows: u64,
    /// Its columns that are kept.
    pub columns: Vec<ColumnReport>,
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}
