//! Results out: one format per file, the `match` is the index.

mod arrow;
mod csv;
mod json;
mod line;
mod markdown;
mod table;

use std::io::Write;

use trimorph::QueryResult;

use crate::failure::Failure;

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
    /// Whether it is no text.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Self::Arrow | Self::Parquet)
    }
}

/// How much of a table is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Rows of a table; all if `None`.
    pub(crate) rows: Option<usize>,
    /// What to do to see the others.
    pub(crate) rows_hint: &'static str,
    /// Columns of the terminal; unlimited if `None`.
    pub(crate) width: Option<usize>,
    /// Whether Arrow goes to a file, which has a footer, instead of a stream.
    pub(crate) is_file: bool,
    /// Whether headers may be coloured.
    pub(crate) color: bool,
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

/// A cell's text on one line, without characters that would move the cursor.
pub(crate) fn one_line(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
