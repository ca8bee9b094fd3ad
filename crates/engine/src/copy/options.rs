//! The options of a `COPY` and the name of its file in, how the file is written out.

use std::path::Path;

use trimorph_base::{Diagnostic, Span, nearest};
use trimorph_loader::Compression;

use super::text::Dialect;
use crate::copy_statement::{Given, wrong};

/// What the file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileFormat {
    Csv,
    Json,
    JsonLines,
    Parquet,
}

/// What pages of a Parquet file are compressed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Codec {
    None,
    Snappy,
    Gzip,
    Lz4,
    Zstd,
}

/// How a file is written.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) format: FileFormat,
    /// Of the file as a whole.
    pub(super) compression: Compression,
    /// Of the pages of a Parquet file.
    pub(super) codec: Codec,
    /// Rows of a row group of a Parquet file at most.
    pub(super) row_group_rows: usize,
    pub(super) dialect: Dialect,
}

/// As DuckDB's.
const ROW_GROUP_ROWS: usize = 122_880;
/// More rows than that no reader takes at once.
const ROW_GROUP_ROWS_MAX: usize = 1 << 24;

const NAMES: [&str; 13] = [
    "FORMAT",
    "HEADER",
    "DELIMITER",
    "DELIM",
    "SEP",
    "QUOTE",
    "NULL",
    "NULLSTR",
    "COMPRESSION",
    "CODEC",
    "ARRAY",
    "ROW_GROUP_SIZE",
    "OVERWRITE",
];

impl Options {
    /// What the suffix of `path`, with that of a compression behind it or not, and the options say.
    ///
    /// **Errors**: a name that says no format, where no option does; an option that there is not, that the
    /// format does not have, or whose value it does not take.
    pub(super) fn new(path: &Path, given: &[Given], target: Span) -> Result<Self, Diagnostic> {
        each_once(given, meaning)?;
        let named = given.iter().find(|one| one.name == "FORMAT");
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (stem, by_suffix) = Compression::of_name(&name);
        let (format, mut dialect) = match named {
            Some(one) => format_named(text_of(one)?, one.span)?,
            None => format_of_suffix(stem).ok_or_else(|| {
                wrong("UnknownFormat", format!("the file's name \"{name}\" says no format"), target)
                    .hint("end it with .csv, .tsv, .json, .jsonl or .parquet (and .gz, .zst or .bz2 behind it), or write (FORMAT csv)")
            })?,
        };
        let is_text = format == FileFormat::Csv;
        let mut options = Self {
            format,
            compression: by_suffix,
            codec: Codec::Zstd,
            row_group_rows: ROW_GROUP_ROWS,
            dialect: Dialect::default(),
        };
        let mut is_array = None;
        for one in given {
            let of = |is: bool, formats: &str| match is {
                true => Ok(()),
                false => Err(only_of(one, formats)),
            };
            match meaning(&one.name) {
                "FORMAT" | "OVERWRITE" => {}
                "HEADER" => {
                    of(is_text, "csv")?;
                    dialect.header = truth(one)?;
                }
                "DELIMITER" => {
                    of(is_text, "csv")?;
                    dialect.delimiter = sign(one)?.ok_or_else(|| takes(one, "one character"))?;
                }
                "QUOTE" => {
                    of(is_text, "csv")?;
                    dialect.quote = sign(one)?;
                }
                "NULL" => {
                    of(is_text, "csv")?;
                    dialect.null = text_of(one)?.to_owned();
                }
                "ARRAY" => {
                    of(matches!(format, FileFormat::Json | FileFormat::JsonLines), "json")?;
                    is_array = Some(truth(one)?);
                }
                "ROW_GROUP_SIZE" => {
                    of(format == FileFormat::Parquet, "parquet")?;
                    let rows =
                        text_of(one)?.parse().ok().filter(|rows| (1..=ROW_GROUP_ROWS_MAX).contains(rows));
                    options.row_group_rows = rows.ok_or_else(|| takes(one, "a number of rows from 1 on"))?;
                }
                "COMPRESSION" if format == FileFormat::Parquet => options.codec = codec(one)?,
                "COMPRESSION" => options.compression = compression(one, by_suffix)?,
                _ => return Err(unknown("COPY", one, &NAMES)),
            }
        }
        if dialect.quote == Some(dialect.delimiter) {
            return Err(wrong("InvalidOption", "the quote and the delimiter are the same", target));
        }
        options.format = match is_array {
            Some(true) => FileFormat::Json,
            Some(false) => FileFormat::JsonLines,
            None => format,
        };
        if format == FileFormat::Parquet {
            // Its pages are.
            options.compression = Compression::None;
        }
        options.dialect = dialect;
        Ok(options)
    }
}

/// The option of several names.
pub(super) fn meaning(name: &str) -> &str {
    match name {
        "DELIM" | "SEP" => "DELIMITER",
        "NULLSTR" => "NULL",
        "CODEC" => "COMPRESSION",
        "OVERWRITE_OR_IGNORE" => "OVERWRITE",
        other => other,
    }
}

/// **Errors**: an option that is there again, by any of its names; `meaning` gives the one of them all.
pub(super) fn each_once(given: &[Given], meaning: fn(&str) -> &str) -> Result<(), Diagnostic> {
    let is_again =
        |at: usize| given[..at].iter().any(|before| meaning(&before.name) == meaning(&given[at].name));
    match (0..given.len()).find(|at| is_again(*at)) {
        Some(at) => {
            let primary = format!("option \"{}\" is there twice", given[at].name);
            Err(wrong("InvalidOption", primary, given[at].span))
        }
        None => Ok(()),
    }
}

pub(super) fn only_of(one: &Given, formats: &str) -> Diagnostic {
    wrong("InvalidOption", format!("option \"{}\" is for {formats} only", one.name), one.span)
}

/// An option that `statement` does not have; it has `names`.
pub(super) fn unknown(statement: &str, one: &Given, names: &[&str]) -> Diagnostic {
    let primary = format!("{statement} has no option \"{}\"", one.name);
    let error = wrong("InvalidOption", primary, one.span);
    match nearest(&one.name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.hint(format!("there are {}", names.join(", "))),
    }
}

pub(super) fn takes(one: &Given, what: &str) -> Diagnostic {
    wrong("InvalidOption", format!("option \"{}\" takes {what}", one.name), one.span)
}

pub(super) fn text_of(one: &Given) -> Result<&str, Diagnostic> {
    one.value.as_deref().ok_or_else(|| takes(one, "a value"))
}

pub(super) fn truth(one: &Given) -> Result<bool, Diagnostic> {
    match one.value.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("true" | "on" | "1" | "yes") => Ok(true),
        Some("false" | "off" | "0" | "no") => Ok(false),
        Some(_) => Err(takes(one, "true or false")),
    }
}

/// One ASCII character, or none.
pub(super) fn sign(one: &Given) -> Result<Option<u8>, Diagnostic> {
    match text_of(one)?.as_bytes() {
        [] => Ok(None),
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0) => Ok(Some(*byte)),
        b"\\t" => Ok(Some(b'\t')),
        _ => Err(takes(one, "one ASCII character that is no line end")),
    }
}

fn format_of_suffix(name: &str) -> Option<(FileFormat, Dialect)> {
    let (_, suffix) = name.rsplit_once('.')?;
    format_of(suffix)
}

fn format_of(name: &str) -> Option<(FileFormat, Dialect)> {
    let plain = |format| Some((format, Dialect::default()));
    match name {
        "csv" => plain(FileFormat::Csv),
        "tsv" => Some((FileFormat::Csv, Dialect { delimiter: b'\t', ..Dialect::default() })),
        "json" => plain(FileFormat::Json),
        "jsonl" | "ndjson" => plain(FileFormat::JsonLines),
        "parquet" => plain(FileFormat::Parquet),
        _ => None,
    }
}

fn format_named(name: &str, span: Span) -> Result<(FileFormat, Dialect), Diagnostic> {
    let lower = name.to_ascii_lowercase();
    format_of(&lower).ok_or_else(|| {
        let error = wrong("UnknownFormat", format!("COPY has no format \"{name}\""), span);
        match nearest(&lower, ["csv", "tsv", "json", "jsonl", "ndjson", "parquet"]) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error.hint("there are csv, tsv, json, jsonl and parquet"),
        }
    })
}

fn compression(one: &Given, by_suffix: Compression) -> Result<Compression, Diagnostic> {
    Ok(match text_of(one)?.to_ascii_lowercase().as_str() {
        "auto" | "auto_detect" => by_suffix,
        "none" | "uncompressed" => Compression::None,
        "gzip" | "gz" => Compression::Gzip,
        "zstd" | "zst" => Compression::Zstd,
        "bzip2" | "bz2" => Compression::Bzip2,
        _ => return Err(takes(one, "none, gzip, zstd or bzip2")),
    })
}

fn codec(one: &Given) -> Result<Codec, Diagnostic> {
    Ok(match text_of(one)?.to_ascii_lowercase().as_str() {
        "none" | "uncompressed" => Codec::None,
        "snappy" => Codec::Snappy,
        "gzip" => Codec::Gzip,
        "lz4" | "lz4_raw" => Codec::Lz4,
        "zstd" | "auto" => Codec::Zstd,
        _ => return Err(takes(one, "none, snappy, gzip, lz4 or zstd")),
    })
}
