//! `COPY`: the rows of a query, a label or a relationship type in, a file out; and the other way.
//!
//! ```text
//! options     what the options and the file's name say together
//! tables      a label or a relationship type as the query that asks for it, and what the catalog knows of it
//! from        files in, by a load
//! place       a file that is written beside its place and moved there when it is whole
//! text, json, parquet   the formats
//! ```
//!
//! The text is read by `copy_statement`.
//!
//! 1. The query within is planned and must only read; blanks stand for what is around it, so that its errors
//!    have their places in the whole text.
//! 2. Its rows are written as they are computed, under the snapshot that the query has, so memory is that of
//!    the query, and of one row group for Parquet.
//! 3. The file is made last, and moved into its place. Whatever fails before leaves the old file, if there is
//!    one, and nothing else.

mod failure;
mod from;
pub(crate) mod json;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
pub(crate) mod place;
mod tables;
pub(crate) mod text;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind, Span};
use trimorph_cypher::ast::Mode;
use trimorph_types::{LogicalType, Value};

use self::failure::WriteError;
use self::options::{FileFormat, Options};
use self::place::Place;
use crate::commands::Answer;
use crate::copy_statement::{Copy, Language, Statement, Target, What, files_forbidden, parse, wrong};
use crate::params::Params;
use crate::plan_cache::Made;
use crate::result::Origin;
use crate::{Connection, Error, LoadError, QueryResult};

/// Rows between looks at whether the statement is to stop.
const ROWS_PER_LOOK: u64 = 1_024;

/// The text with blanks where the query within is not: places in it are places in the text.
fn padded(text: &str, query: Span) -> String {
    let (start, end) = (query.start as usize, query.end as usize);
    let blank = |part: &str| part.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect::<Vec<char>>();
    // A character of several bytes is as many blanks: spans count bytes.
    let mut out = String::with_capacity(end);
    for (c, letter) in blank(&text[..start]).into_iter().zip(text[..start].chars()) {
        (0..letter.len_utf8()).for_each(|_| out.push(c));
    }
    out.push_str(&text[start..end]);
    out
}

/// An error of the query within, shown in the whole text.
fn within(text: &str) -> impl Fn(Error) -> Error + '_ {
    move |error| match error {
        Error::Query { diagnostic, .. } => Error::Query { diagnostic, text: text.to_owned() },
        other => other,
    }
}

impl Connection {
    /// Runs a `COPY`.
    ///
    /// **Errors**: a text that does not parse; file access that is forbidden; a query that writes; a file
    /// that cannot be written; what the query fails with. Then there is no file, or the one of before.
    pub(crate) fn copy(
        &self,
        text: &str,
        language: Language,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let of_text = |d: Diagnostic| Error::query(d, text);
        match parse(text, language).map_err(of_text)? {
            Statement::To(copy) => self.copy_to(text, &copy, language, params, cancel),
            Statement::From(from) => self.copy_from(text, &from, &params, cancel),
        }
    }

    /// **Errors**: statements may not touch files here.
    fn may_access_files(&self, text: &str, span: Span) -> Result<(), Error> {
        if self.may_use_files() {
            return Ok(());
        }
        Err(Error::query(files_forbidden().at(span), text))
    }

    fn copy_to(
        &self,
        text: &str,
        copy: &Copy,
        language: Language,
        params: Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let of_text = |d: Diagnostic| Error::query(d, text);
        let query = match &copy.what {
            What::Query(span) => padded(text, *span),
            What::Table { name, columns, span } => {
                let base = self.shared().base();
                tables::query(base.catalog(), name, columns.as_deref(), *span).map_err(of_text)?
            }
        };
        if copy.explain {
            let asked = format!("EXPLAIN {}", query.trim_start());
            return self.execute_until(&asked, params, cancel);
        }
        self.may_access_files(text, copy.target.span())?;
        let path = path_of(&copy.target, &params).map_err(of_text)?;
        let options = Options::new(&path, &copy.options, copy.target.span()).map_err(of_text)?;
        let run = || self.rows_of(&query, copy, language, &params, &cancel).map_err(within(text));
        // Within a transaction it sees the same anyhow.
        let again = |origin: &Origin| match self.in_transaction() {
            true => run(),
            false => {
                let Origin { text, planned, params, snapshot } = origin;
                self.run(text, planned, Arc::clone(params), snapshot.clone(), cancel.clone())
            }
        };
        let place = Place::beside(&path)?;
        let rows = match options.format {
            FileFormat::Parquet => {
                parquet::write(run()?, &again, &options, place, &self.shared().budget, &cancel)?
            }
            _ => write_text(run()?, &options, language, place, &cancel)?,
        };
        let columns = [("file", LogicalType::String), ("rows", LogicalType::Int)];
        let row = vec![
            Value::string(path.to_string_lossy().as_ref()),
            Value::Int(i64::try_from(rows).unwrap_or(i64::MAX)),
        ];
        self.tell(text, Answer::table(&columns, vec![row]), params, cancel)
    }

    /// The rows that are copied.
    ///
    /// **Errors**: a query that writes, or gives no rows.
    fn rows_of(
        &self,
        query: &str,
        copy: &Copy,
        language: Language,
        params: &Arc<Params>,
        cancel: &CancelToken,
    ) -> Result<QueryResult, Error> {
        let span = copy.what.span();
        let refused = |detail, primary: &str| Error::query(wrong(detail, primary, span), query);
        let writes = || {
            let error = wrong("InvalidCopy", "the query of COPY may not write", span);
            Error::query(error.hint("write first, and copy what is there then"), query)
        };
        let result = match language {
            #[cfg(not(feature = "rdf"))]
            Language::Sparql => return Err(refused("InvalidCopy", "this build has no SPARQL")),
            #[cfg(feature = "rdf")]
            Language::Sparql => {
                if trimorph_sparql::is_update(query) {
                    return Err(writes());
                }
                self.sparql_until(query, Arc::clone(params), None, cancel.clone())?
            }
            Language::Cypher => {
                // Before anything of it runs.
                match self.planned_for_copy(query, params, cancel)? {
                    Made::Write(_) => return Err(writes()),
                    made if made.mode() != Mode::Normal => {
                        let primary = "COPY writes the rows of a query, not its plan";
                        return Err(refused("InvalidCopy", primary));
                    }
                    Made::Read(_) => {}
                }
                self.execute_until(query, Arc::clone(params), cancel.clone())?
            }
        };
        if result.columns().is_empty() {
            return Err(refused("InvalidCopy", "the query of COPY returns nothing"));
        }
        Ok(result)
    }
}

/// The path that a target names.
fn path_of(target: &Target, params: &Params) -> Result<PathBuf, Diagnostic> {
    let path = match target {
        Target::Path(path, _) => path.clone(),
        Target::Parameter(name, span) => match params.get(name.as_str()) {
            Some(Value::String(path)) => path.to_string(),
            Some(other) => {
                let primary = format!("a file's name is a string, not {}", other.logical_type());
                return Err(
                    Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", primary).at(*span)
                );
            }
            None => {
                let primary = format!("parameter \"${name}\" has no value");
                let kind = ErrorKind::ParameterMissing;
                return Err(Diagnostic::compile(kind, "MissingParameter", primary).at(*span));
            }
        },
    };
    if path.is_empty() {
        return Err(wrong("InvalidCopy", "the file has no name", target.span()));
    }
    Ok(PathBuf::from(path))
}

/// Writes rows as text into a place.
fn write_text(
    mut result: QueryResult,
    options: &Options,
    language: Language,
    place: Place,
    cancel: &CancelToken,
) -> Result<u64, Error> {
    let path = place.path().to_owned();
    let failed = |error| Error::Load(LoadError::io(&path, "write", error));
    let mut sink = place.sink(options.compression).map_err(failed)?;
    let rows = match options.format {
        FileFormat::Json => json::write_array(&mut result, &mut Watched::new(&mut sink, cancel)),
        FileFormat::JsonLines => json::write_lines(&mut result, &mut Watched::new(&mut sink, cancel)),
        _ => {
            let dialect =
                text::Dialect { is_sparql: language == Language::Sparql, ..options.dialect.clone() };
            text::write(&mut result, &dialect, &mut Watched::new(&mut sink, cancel))
        }
    };
    let rows = rows.map_err(|error| match error {
        _ if cancel.is_cancelled() => Error::Cancelled.stopped_by(cancel),
        WriteError::Query(error) => error,
        WriteError::Io(error) => failed(error),
    })?;
    if let Some(error) = result.entities().failure() {
        return Err(Error::Storage(error.to_string()));
    }
    sink.finish().map_err(failed)?;
    place.keep()?;
    Ok(rows)
}

impl QueryResult {
    /// Writes the rows not fetched yet as one JSON array of objects; gives their number. What JSON has no
    /// type for is a string in openCypher's form.
    ///
    /// **Errors**: those of the query; what the writer fails with, as [`LoadError::Io`].
    pub fn write_json(&mut self, out: &mut dyn Write) -> Result<u64, Error> {
        json::write_array(self, out).map_err(WriteError::of_writer)
    }

    /// The same with one object on each line.
    pub fn write_json_lines(&mut self, out: &mut dyn Write) -> Result<u64, Error> {
        json::write_lines(self, out).map_err(WriteError::of_writer)
    }
}

/// A writer that stops when the statement is to stop: rows that are there already are written without a look
/// at anything else.
struct Watched<'a> {
    out: &'a mut dyn Write,
    cancel: &'a CancelToken,
    writes: u64,
}

impl<'a> Watched<'a> {
    fn new(out: &'a mut dyn Write, cancel: &'a CancelToken) -> Self {
        Self { out, cancel, writes: 0 }
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writes += 1;
        if self.writes.is_multiple_of(ROWS_PER_LOOK) && self.cancel.is_cancelled() {
            return Err(std::io::Error::other("cancelled"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
