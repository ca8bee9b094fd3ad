//! Results out: one format per file, the `match` is the index.

#[cfg_attr(not(feature = "parquet"), path = "arrow_absent.rs")]
mod arrow;
mod frame;
mod json;
mod limits;
mod line;
mod markdown;
mod markup;
mod quote;
mod separated;
mod table;
mod trash;

use std::io::Write;
use std::path::Path;

use clap::ValueEnum as _;
use trimorph::{Answer, QueryResult};

use crate::failure::Failure;

pub(crate) use frame::Frame;
pub(crate) use limits::{Limits, one_line};
use markup::Markup;
pub(crate) use quote::literal;
use separated::Separator;
pub(crate) use table::Table;

/// How a result is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// A table for people.
    #[value(alias = "box")]
    Table,
    /// The same with a frame of plain characters.
    Ascii,
    /// Aligned columns without a frame.
    Column,
    /// Comma-separated values with a header; null is empty, the empty string is "".
    Csv,
    /// One array of objects.
    Json,
    /// One object per line.
    #[value(alias = "jsonlines", alias = "ndjson")]
    Jsonl,
    /// Arrow IPC: a file with --output, a stream on stdout.
    Arrow,
    /// Parquet.
    Parquet,
    /// One value per line, for rows too wide to read.
    Line,
    /// A Markdown table.
    #[value(alias = "md")]
    Markdown,
    /// Values with bars between them.
    List,
    /// Literals of openCypher.
    Quote,
    /// An HTML table.
    Html,
    /// A LaTeX table.
    #[value(alias = "tex")]
    Latex,
    /// Nothing: rows are computed and forgotten.
    #[value(alias = "none")]
    Trash,
    /// Tab-separated values with a header; of SPARQL its own terms.
    Tsv,
    /// SPARQL results as XML; SPARQL only.
    Xml,
    /// Statements as Turtle; CONSTRUCT and DESCRIBE only, as the formats below.
    Turtle,
    /// Statements as TriG.
    Trig,
    /// Statements as N-Triples.
    Ntriples,
    /// Statements as N-Quads.
    Nquads,
    /// Statements as RDF/XML.
    Rdfxml,
    /// Statements as JSON-LD.
    Jsonld,
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
            "html" | "htm" => Self::Html,
            "tex" => Self::Latex,
            "xml" | "srx" => Self::Xml,
            "tsv" => Self::Tsv,
            "srj" => Self::Json,
            "ttl" => Self::Turtle,
            "trig" => Self::Trig,
            "nt" => Self::Ntriples,
            "nq" => Self::Nquads,
            "rdf" | "owl" => Self::Rdfxml,
            "jsonld" => Self::Jsonld,
            _ => return None,
        })
    }

    /// The format of a file that is to be written.
    pub(crate) fn of_output(path: &Path) -> Result<Self, Failure> {
        Self::of_suffix(path).ok_or_else(|| {
            let name = path.display();
            let packed = path.extension().is_some_and(|end| ["gz", "zst", "bz2"].iter().any(|p| end == *p));
            let plain = path.with_extension("");
            let instead = match Self::of_suffix(&plain).filter(|_| packed) {
                Some(Self::Csv | Self::Tsv | Self::Json | Self::Jsonl | Self::Parquet) => {
                    Some(format!("write COPY (QUERY) TO '{name}' instead"))
                }
                Some(_) => Some(format!("name it {}", plain.display())),
                None => None,
            };
            if let Some(instead) = instead {
                return Failure::message(format!("what -o writes is not compressed; {instead}"));
            }
            Failure::message(format!(
                "the name \"{name}\" does not say a format: it ends with none of .csv, .tsv, .json, .jsonl, .arrow, \
                 .parquet, .md, .html, .tex, .txt; of SPARQL also .xml, .ttl, .trig, .nt, .nq, .rdf, .jsonld"
            ))
        })
    }

    /// The name that the standards' formats of results and statements have, as far as this is one.
    fn of_standard(self) -> Option<&'static str> {
        Some(match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Xml => "xml",
            Self::Tsv => "tsv",
            Self::Turtle => "turtle",
            Self::Trig => "trig",
            Self::Ntriples => "ntriples",
            Self::Nquads => "nquads",
            Self::Rdfxml => "rdfxml",
            Self::Jsonld => "jsonld",
            _ => return None,
        })
    }

    /// Whether only SPARQL's answers have it.
    fn is_of_sparql(self) -> bool {
        self.of_standard().is_some() && !matches!(self, Self::Csv | Self::Json | Self::Tsv)
    }

    /// Whether it is a table or the like, with a line below that says how many rows there are.
    pub(crate) fn has_footer(self) -> bool {
        matches!(self, Self::Table | Self::Ascii | Self::Column | Self::Trash)
    }

    /// Whether people read it, so that a plan is its lines.
    pub(crate) fn is_for_people(self) -> bool {
        self.has_footer() || self == Self::Line
    }

    /// The name that people write.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
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
    if let Some(name) = format.of_standard()
        && limits.is_sparql
    {
        return standard(result, name, limits, out);
    }
    let written = match format {
        other if other.is_of_sparql() => {
            return Err(Failure::message("only answers of SPARQL have this format (--lang sparql)"));
        }
        Format::Table => table::write(result, Frame::Round, limits, out),
        Format::Ascii => table::write(result, Frame::Ascii, limits, out),
        Format::Column => table::write(result, Frame::Plain, limits, out),
        Format::Csv => separated::write(result, Separator::Comma, limits, out),
        Format::Tsv => separated::write(result, Separator::Tab, limits, out),
        Format::List => separated::write(result, Separator::Bar, limits, out),
        Format::Quote => quote::write(result, out),
        Format::Html => markup::write(result, Markup::Html, limits, out),
        Format::Latex => markup::write(result, Markup::Latex, limits, out),
        Format::Trash => trash::write(result),
        Format::Json => json::write_array(result, out),
        Format::Jsonl => json::write_lines(result, out),
        Format::Arrow if limits.is_file => arrow::write_file(result, out),
        Format::Arrow => arrow::write_stream(result, out),
        Format::Parquet => arrow::write_parquet(result, out),
        Format::Line => line::write(result, limits, out),
        // What is left was answered above.
        _ => markdown::write(result, limits, out),
    }?;
    match result.entities().failure() {
        None => Ok(written),
        Some(error) => Err(Failure::message(error.to_string())),
    }
}

/// Writes an answer of SPARQL in one of the standards' formats. Gives the number of rows, where it is known.
fn standard(
    result: &mut QueryResult,
    name: &str,
    limits: &Limits,
    out: &mut (dyn Write + Send),
) -> Result<u64, Failure> {
    if result.columns().is_empty() {
        // An update answers nothing.
        return Ok(0);
    }
    let is_of_rows = matches!(name, "json" | "xml" | "csv" | "tsv");
    let is_of_statements = result.answer() == Answer::Statements;
    let (what, formats) = match is_of_statements {
        true => ("statements have", "turtle, trig, ntriples, nquads, rdfxml, jsonld"),
        false => ("rows have", "json, xml, csv, tsv"),
    };
    // Statements are rows of three terms as well.
    if is_of_statements == is_of_rows && !(is_of_statements && matches!(name, "json" | "csv")) {
        return Err(Failure::message(format!("{what} no format {name}; they have {formats}")));
    }
    if is_of_statements && is_of_rows {
        return match name {
            "json" => json::write_array(result, out),
            _ => separated::write(result, Separator::Comma, limits, out),
        };
    }
    crate::rdf::write(result, name, out)?;
    Ok(0)
}
