//! RDF out: a database, one graph of it or what a query constructs, as a file.
//!
//! The file is written beside its place and moved there when it is whole, so that no failure leaves half a
//! file or takes an old one.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use trimorph_base::CancelToken;
use trimorph_loader::Compression;
use trimorph_rdf::{Format, StatementWriter, WriteError, WriteOptions};
use trimorph_types::Value;
use trimorph_types::iri_names::{BASE, EDGE_BASE};
use trimorph_types::rdf::names::{RDF, XSD};

use crate::copy::place::Place;
use crate::rdf::of_format;
use crate::{Answer, Connection, Error, LoadError, QueryResult};

/// How often progress is told.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// Statements between looks at the clock.
const STATEMENTS_PER_LOOK: u64 = 1_024;

/// What is exported, and how. Each field has a method of its name.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// The format: its name, media type or suffix; by default what the file's suffix says.
    pub format: Option<String>,
    /// The IRI of a named graph: only its statements, which are then in no graph.
    pub graph: Option<String>,
    /// A `CONSTRUCT` or `DESCRIBE` query: only what it gives.
    pub query: Option<String>,
    /// Prefixes and what they stand for, beside `rdf`, `xsd` and the empty one, for formats that have them.
    pub prefixes: Vec<(String, String)>,
    /// Whether statements are left out that only RDF 1.2 has: those with triple terms, and what relationships
    /// say. Their number is a notice.
    pub without_triple_terms: bool,
    /// How it is stopped.
    pub cancel: CancelToken,
}

impl ExportOptions {
    /// All statements, in the format of the file's suffix.
    pub fn new() -> Self {
        Self::default()
    }

    trimorph_loader::setters! {
        /// Sets [`Self::format`].
        format: impl Into<String> => Some(format.into());
        /// Sets [`Self::graph`].
        graph: impl Into<String> => Some(graph.into());
        /// Sets [`Self::query`].
        query: impl Into<String> => Some(query.into());
        /// Sets [`Self::prefixes`].
        prefixes: Vec<(String, String)> => prefixes;
        /// Sets [`Self::without_triple_terms`].
        without_triple_terms: bool => without_triple_terms;
        /// Sets [`Self::cancel`].
        cancel: CancelToken => cancel;
    }
}

/// What was exported.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ExportReport {
    /// Statements that were written.
    pub statements: u64,
    /// What is in the database and not in the file.
    pub notices: Vec<String>,
}

impl Connection {
    /// Writes statements to a file, which is compressed by its suffix (`.gz`, `.zst`, `.bz2`), as one query
    /// sees them. `progress` hears of the number of statements, ten times a second.
    ///
    /// **Errors**: a format that is not known, or has no named graphs where there are some; a file that
    /// cannot be written; what the query fails with. Then there is no file, or the one of before.
    pub fn export_rdf(
        &self,
        path: &Path,
        options: &ExportOptions,
        progress: &dyn Fn(u64),
    ) -> Result<ExportReport, Error> {
        let format = match &options.format {
            Some(name) => named(name)?,
            None => Format::of_path(path)
                .ok_or_else(|| of_format(Some(path), "its suffix names no format of RDF".to_owned()))?,
        };
        let result = self.exported(options)?;
        let place = Place::beside(path)?;
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let compression = Compression::of_name(&name).1;
        let mut sink = place.sink(compression).map_err(|error| LoadError::io(path, "write", error))?;
        let report = write(result, format, options, &mut sink, Some(path), progress)?;
        sink.finish().map_err(|error| LoadError::io(path, "write", error))?;
        place.keep()?;
        Ok(report)
    }

    /// The same into a writer; without a format it is N-Quads, or N-Triples where there are no graphs.
    ///
    /// **Errors**: as [`Self::export_rdf`]; what was written before stays so.
    pub fn export_rdf_to(
        &self,
        out: &mut dyn Write,
        options: &ExportOptions,
        progress: &dyn Fn(u64),
    ) -> Result<ExportReport, Error> {
        let is_part = options.graph.is_some() || options.query.is_some();
        let format = match &options.format {
            Some(name) => named(name)?,
            None if is_part => Format::NTriples,
            None => Format::NQuads,
        };
        let result = self.exported(options)?;
        let report = write(result, format, options, out, None, progress)?;
        Ok(report)
    }

    /// Rows of subject, predicate and object, and of graphs where all of them are asked for.
    fn exported(&self, options: &ExportOptions) -> Result<QueryResult, Error> {
        let text = match (&options.query, &options.graph) {
            (Some(_), Some(_)) => {
                let reason = "either a graph or a query is exported, not both".to_owned();
                return Err(Error::Load(LoadError::Format { path: None, reason, hint: None }));
            }
            (Some(query), None) => query.clone(),
            (None, Some(graph)) => {
                if graph.chars().any(|c| c <= ' ' || "<>\"{}|^`\\".contains(c)) {
                    let reason = format!("\"{graph}\" is no IRI of a graph");
                    let hint = Some("write it whole, without < and >".to_owned());
                    return Err(Error::Load(LoadError::Format { path: None, reason, hint }));
                }
                format!("SELECT ?s ?p ?o {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}")
            }
            (None, None) => "SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }".to_owned(),
        };
        if options.query.is_some() {
            // What is no text at all is told before that it is the wrong kind of one.
            self.check_sparql(&text, None)?;
            if trimorph_sparql::is_update(&text) {
                return Err(no_statements());
            }
        }
        let result = self.sparql_until(&text, crate::params::Params::new(), None, options.cancel.clone())?;
        if options.query.is_some() && result.answer() != Answer::Statements {
            return Err(no_statements());
        }
        Ok(result)
    }
}

fn named(name: &str) -> Result<Format, Error> {
    Format::named(name).ok_or_else(|| of_format(None, format!("there is no format \"{name}\"")))
}

fn no_statements() -> Error {
    let reason = "only what CONSTRUCT and DESCRIBE give can be exported".to_owned();
    let hint = "write CONSTRUCT { ?s ?p ?o } WHERE { … }".to_owned();
    Error::Load(LoadError::Format { path: None, reason, hint: Some(hint) })
}

/// Writes all rows, or those that RDF 1.1 has.
fn write(
    mut result: QueryResult,
    format: Format,
    options: &ExportOptions,
    out: &mut dyn Write,
    path: Option<&Path>,
    progress: &dyn Fn(u64),
) -> Result<ExportReport, Error> {
    let failed = |error: WriteError| match error {
        WriteError::Io(error) => Error::Load(LoadError::io(path.unwrap_or(Path::new("-")), "write", error)),
        other => {
            let hint = match format.has_graphs() {
                true => "N-Quads and N-Triples have every statement; leave out those with triple terms",
                false => "export one graph, or use trig, nquads or jsonld",
            };
            let path = path.map(Path::to_owned);
            Error::Load(LoadError::Format { path, reason: other.to_string(), hint: Some(hint.to_owned()) })
        }
    };
    let known = [("rdf", RDF), ("xsd", XSD), ("", BASE)];
    let mut prefixes: Vec<(String, String)> =
        known.iter().map(|(prefix, iri)| ((*prefix).to_owned(), (*iri).to_owned())).collect();
    prefixes.retain(|(prefix, _)| !options.prefixes.iter().any(|(own, _)| own == prefix));
    prefixes.extend(options.prefixes.iter().cloned());
    let how = WriteOptions { prefixes, base: None };
    let mut writer = StatementWriter::new(out, format, &how).map_err(failed)?;
    let (mut count, mut left_out, mut told) = (0_u64, 0_u64, Instant::now());
    while let Some(row) = result.next_row()? {
        let (terms, graph) = match &row[..] {
            [subject, predicate, object] => ([subject, predicate, object], None),
            [subject, predicate, object, graph] => {
                ([subject, predicate, object], (!matches!(graph, Value::Null)).then_some(graph))
            }
            _ => return Err(no_statements()),
        };
        if options.without_triple_terms && is_of_rdf_1_2(terms) {
            left_out += 1;
        } else {
            writer.write(terms, graph).map_err(failed)?;
            count += 1;
        }
        if (count + left_out).is_multiple_of(STATEMENTS_PER_LOOK) {
            if options.cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if told.elapsed() >= TOLD_EVERY {
                progress(count);
                told = Instant::now();
            }
        }
    }
    writer.finish().map_err(failed)?;
    progress(count);
    let mut report = ExportReport { statements: count, notices: Vec::new() };
    if left_out > 0 {
        let text = format!(
            "{left_out} statements of RDF 1.2 were left out: triple terms, and what relationships say"
        );
        report.notices.push(text);
    }
    Ok(report)
}

/// Whether a statement has a triple term, or a relationship says it.
fn is_of_rdf_1_2([subject, _, object]: [&Value; 3]) -> bool {
    let begins = |value: &Value, text: &str| matches!(value, Value::Iri(iri) if iri.starts_with(text));
    begins(subject, EDGE_BASE) || [subject, object].into_iter().any(|term| begins(term, "<<("))
}
