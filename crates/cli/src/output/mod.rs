//! Results out: one format per file, the `match` is the index.

mod arrow;
mod csv;
mod json;
mod limits;
mod line;
mod markdown;
mod table;

use std::io::Write;
use std::path::Path;

use trimorph::QueryResult;

use crate::failure::Failure;

pub(crate) use limits::{Limits, one_line};
pub(crate) use table::Table;

/// How a result is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// A table for people.
    Table,
    /// Comma-separated values with a header; null is empty, the empty string is "".
    Csv,
    /// One array of objects.
    Json,
    /// One object per line.
    Jsonl,
    /// Arrow IPC: a file with --output, a stream on stdout.
    Arrow,
    /// Parquet.
    Parquet,
    /// One value per line, for rows too wide to read.
    Line,
    /// A Markdown table.
    Markdown,
}

impl Format {
    /// The format that the suffix of a file's name stands for.
    pub(crate) fn of_suffix(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Self::Csv,
            "json" => Self::Json,
            "jsonl" | "ndjson" => Self::Jsonl,
            "arrow" | "feather" => Self::Arrow,
            "parquet" => Self::Parquet,
            "md" => Self::Markdown,
            "txt" => Self::Table,
            _ => return None,
        })
    }

    /// Whether it is no text.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Self::Arrow | Self::Parquet)
    }
}

/// Writes all rows of `result` and gives their number.
pub(crate) fn write(
    result: &mut QueryResult,
    format: Format,
    limits: &Limits,
    out: &mut (dyn Write + Send),
) -> Result<u64, Failure> {
    let written = match format {
        Format::Table => table::write(result, limits, out),
        Format::Csv => csv::write(result, out),
        Format::Json => json::write_array(result, out),
        Format::Jsonl => json::write_lines(result, out),
        Format::Arrow if limits.is_file => arrow::write_file(result, out),
        Format::Arrow => arrow::write_stream(result, out),
        Format::Parquet => arrow::write_parquet(result, out),
        Format::Line => line::write(result, out),
        Format::Markdown => markdown::write(result, limits, out),
    }?;
    match result.entities().failure() {
        None => Ok(written),
        Some(error) => Err(Failure::message(error.to_string())),
    }
}
