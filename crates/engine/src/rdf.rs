//! RDF in and out: files of statements into a database, at one commit; results and graphs as texts.
//!
//! A database that has nothing is built of the statements (`trimorph_loader::statements`). Into others they
//! are inserted as `INSERT DATA` inserts them, some thousands at a time. A file that fails leaves nothing.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use trimorph_base::{CancelToken, Diagnostic, ErrorKind, LabelId};
use trimorph_catalog::{Definition, Rule, Subject};
use trimorph_loader::statements::{Refused, StatementLoad};
use trimorph_rdf::{
    BadStatements, Failure, Format, ParseOptions, ReadError, ResultFormat, SolutionWriter, Statement,
    StatementWriter, TermRef, WriteError, WriteOptions, parse, write_boolean,
};
use trimorph_store::Main;
use trimorph_store::bulk::NumberedOptions;
use trimorph_types::Value;
use trimorph_types::iri_names::ANY_LABEL;
#[cfg(feature = "service")]
use trimorph_web::WebError;

use crate::blank_nodes::blank_prefix;
use crate::copy_statement::files_forbidden;
use crate::definitions::DEFINITIONS_MAX;
use crate::first_load::Loading;
use crate::literal_indexes::literal_indexes;
use crate::params::Params;
use crate::update::{Program, Writing};
#[cfg(feature = "service")]
use crate::web;
use crate::{Answer, Connection, Error, LoadError, QueryResult, SideEffects};

/// Statements that are inserted at once.
const STATEMENTS: usize = 50_000;

/// How files of RDF are read. Each field has a method of its name.
#[derive(Clone, Debug, Default)]
pub struct RdfOptions {
    /// The format: its name, media type or suffix; by default what each file's suffix says.
    pub format: Option<String>,
    /// What relative IRIs are relative to; by default the file's own place, as `file:` IRI.
    pub base: Option<String>,
    /// The named graph that statements of no graph go into; by default the default graph.
    pub graph: Option<String>,
    /// Whether what is no statement is counted and left out; else the first one is an error.
    pub skip_bad: bool,
    /// Whether a load into an empty database leaves out the indexes of literals: statements are then found
    /// by subject and by objects that are no literals, and literals by looking at all of their predicate.
    pub without_indexes: bool,
    /// How it is stopped.
    pub cancel: CancelToken,
}

impl RdfOptions {
    /// What is usual.
    pub fn new() -> Self {
        Self::default()
    }

    trimorph_loader::setters! {
        /// Sets [`Self::format`].
        format: impl Into<String> => Some(format.into());
        /// Sets [`Self::base`].
        base: impl Into<String> => Some(base.into());
        /// Sets [`Self::graph`].
        graph: impl Into<String> => Some(graph.into());
        /// Sets [`Self::skip_bad`].
        skip_bad: bool => skip_bad;
        /// Sets [`Self::without_indexes`].
        without_indexes: bool => without_indexes;
        /// Sets [`Self::cancel`].
        cancel: CancelToken => cancel;
    }
}

/// What was read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RdfReport {
    /// Statements that were read; those that were there already count, too.
    pub statements: u64,
    /// What was no statement and was left out.
    pub skipped: u64,
    /// Why, for the first ones.
    pub errors: Vec<String>,
    /// What became of them.
    pub effects: SideEffects,
}

pub(crate) fn of_format(path: Option<&Path>, reason: String) -> Error {
    let hint = "formats are turtle, trig, ntriples, nquads, rdfxml and jsonld";
    Error::Load(LoadError::Format { path: path.map(Path::to_owned), reason, hint: Some(hint.to_owned()) })
}

/// Whether a file's name says that it holds RDF.
pub fn is_rdf_file(path: &Path) -> bool {
    Format::of_path(path).is_some_and(|format| {
        // Any file may be called `.xml` or `.json`.
        let name = path.to_string_lossy().to_ascii_lowercase();
        format != Format::RdfXml || !name.contains(".xml")
    })
}

impl Connection {
    /// Loads files of RDF statements in one transaction, or in the connection's own if one is open. Files may
    /// be compressed (gzip, zstd, bzip2).
    ///
    /// **Errors**: a format that is not known, a file that cannot be read, a line that is no statement (with
    /// file and line); then nothing is loaded.
    pub fn load_rdf(&self, paths: &[PathBuf], options: &RdfOptions) -> Result<RdfReport, Error> {
        let formats = paths.iter().map(|path| match &options.format {
            Some(name) => {
                Format::named(name).ok_or_else(|| of_format(None, format!("there is no format \"{name}\"")))
            }
            None => Format::of_path(path)
                .ok_or_else(|| of_format(Some(path), "its suffix names no format of RDF".to_owned())),
        });
        let formats = formats.collect::<Result<Vec<_>, _>>()?;
        self.load_statements(options, &|take| {
            let mut report = RdfReport::default();
            for (path, format) in paths.iter().zip(&formats) {
                let file = trimorph_loader::open_file(path)?;
                let base = options.base.clone().or_else(|| file_iri(path));
                read(file, (*format, base, Some(path)), options, &mut report, take)?;
            }
            Ok(report)
        })
    }

    /// The same from a text in memory.
    ///
    /// **Errors**: as [`Self::load_rdf`].
    pub fn load_rdf_text(&self, text: &[u8], options: &RdfOptions) -> Result<RdfReport, Error> {
        let name = options.format.as_deref().unwrap_or("turtle");
        let format =
            Format::named(name).ok_or_else(|| of_format(None, format!("there is no format \"{name}\"")))?;
        self.load_statements(options, &|take| {
            let mut report = RdfReport::default();
            read(text, (format, options.base.clone(), None), options, &mut report, take)?;
            Ok(report)
        })
    }

    /// Loads what `read` hands over: builds a database of it, or inserts it.
    fn load_statements(&self, options: &RdfOptions, read: &ReadAll<'_>) -> Result<RdfReport, Error> {
        if !self.in_transaction()
            && !self.is_read_only()
            && let Some(loading) = Loading::begin(self.shared())?
        {
            if let Some(report) = self.build(options, read)? {
                return Ok(report);
            }
            drop(loading);
        }
        self.insert_all(options, read)
    }

    /// Builds the database, which has nothing, of statements. None where they are to be inserted.
    fn build(&self, options: &RdfOptions, read: &ReadAll<'_>) -> Result<Option<RdfReport>, Error> {
        let shared = self.shared();
        let mut load = StatementLoad::new(&shared.budget, options.cancel.clone());
        let mut unfit = false;
        let graph = options.graph.as_deref().map(TermRef::Resource);
        let read = read(&mut |one| {
            let Statement { subject, predicate, object, graph: own } = one;
            let one = Statement { subject, predicate, object, graph: own.or(graph) };
            load.take(&one).map_err(|refused| match refused {
                Refused::Failed(error) => error.into(),
                Refused::Unfit => {
                    unfit = true;
                    Error::Cancelled
                }
            })
        });
        if unfit {
            return Ok(None);
        }
        let mut report = read?;
        let how = NumberedOptions {
            regions: shared.regions_of_load(),
            budget: &shared.budget,
            cancel: options.cancel.clone(),
            threads: shared.config.threads,
        };
        let (mut main, counts) = match load.build(&how) {
            Ok(built) => built,
            Err(Refused::Unfit) => return Ok(None),
            Err(Refused::Failed(error)) => return Err(error.into()),
        };
        if !options.without_indexes {
            index_literals(&mut main);
        }
        // What a load leaves out is not made in the next pause.
        let left_out = literal_indexes(&main.catalog).into_iter().map(|one| one.property);
        shared.regrouping.lock().unwrap_or_else(PoisonError::into_inner).had.extend(left_out);
        shared.publish_first(main, &options.cancel)?;
        report.effects = SideEffects {
            nodes_created: counts.nodes,
            relationships_created: counts.edges,
            properties_set: counts.properties,
            labels_added: counts.labels,
            ..SideEffects::default()
        };
        Ok(Some(report))
    }

    fn insert_all(&self, options: &RdfOptions, read: &ReadAll<'_>) -> Result<RdfReport, Error> {
        let shared = self.shared();
        let program = self.program_of_nothing();
        let work = |writing: &mut Writing| {
            let mut insert = Insert {
                connection: self,
                writing,
                program: &program,
                options,
                rows: Vec::new(),
                effects: SideEffects::default(),
            };
            let mut report = read(&mut |one| insert.take(&one))?;
            insert.flush()?;
            report.effects = insert.effects;
            Ok(report)
        };
        if self.in_transaction() {
            let mut report = RdfReport::default();
            let params: Arc<Params> = Arc::default();
            self.within("", params, options.cancel.clone(), |running| {
                let writing = &mut running.writing;
                writing.begin_statement(shared);
                self.ready_to_write()?;
                writing.begin_to_write()?;
                let mark = writing.mark();
                match work(writing) {
                    Ok(done) => report = done,
                    Err(error) => {
                        writing.undo_to(&mark);
                        return Err(error);
                    }
                }
                Ok((Arc::clone(&program), Default::default()))
            })?;
            return Ok(report);
        }
        self.committed(&options.cancel, work)
    }
}

impl Connection {
    /// Inserts the statements of a document elsewhere, in a graph: SPARQL's `LOAD`. Where it is to be silent,
    /// one that cannot be read is one without statements.
    ///
    /// **Errors**: a place that may not be read or does not answer, what is no statement.
    pub(crate) fn load_from(
        &self,
        writing: &mut Writing,
        place: &str,
        graph: Option<&str>,
        silent: bool,
        cancel: &CancelToken,
    ) -> Result<SideEffects, Error> {
        let mark = writing.mark();
        let options =
            RdfOptions { graph: graph.map(str::to_owned), cancel: cancel.clone(), ..RdfOptions::default() };
        match self.insert_document(writing, place, &options) {
            Ok(effects) => Ok(effects),
            Err(Error::Load(_) | Error::Query { .. }) if silent => {
                writing.undo_to(&mark);
                Ok(SideEffects::default())
            }
            Err(error) => Err(error),
        }
    }

    fn insert_document(
        &self,
        writing: &mut Writing,
        place: &str,
        options: &RdfOptions,
    ) -> Result<SideEffects, Error> {
        let failed = |reason: String| Error::Load(LoadError::Format { path: None, reason, hint: None });
        let name = Path::new(place.split(['?', '#']).next().unwrap_or_default());
        let of_suffix = || Format::of_path(name);
        let (reader, format): (Box<dyn Read + Send>, Option<Format>) = match place.strip_prefix("file://") {
            Some(_) if !self.may_use_files() => {
                return Err(Error::query(files_forbidden(), ""));
            }
            Some(path) => {
                let path = unescaped(path).ok_or_else(|| failed(format!("<{place}> names no file")))?;
                (trimorph_loader::open_file(Path::new(&path))?, None)
            }
            None => self.fetched(place, &options.cancel)?,
        };
        let format = format.or_else(of_suffix);
        let format = format.ok_or_else(|| {
            of_format(None, format!("neither its suffix nor its server says in which format <{place}> is"))
        })?;
        let program = self.program_of_nothing();
        let (rows, effects) = (Vec::new(), SideEffects::default());
        let mut insert = Insert { connection: self, writing, program: &program, options, rows, effects };
        let mut report = RdfReport::default();
        let how = (format, Some(place.to_owned()), None);
        let done = read(reader, how, options, &mut report, &mut |one| insert.take(&one));
        match done {
            Err(_) if options.cancel.is_cancelled() => return Err(Error::Cancelled),
            done => done?,
        }
        insert.flush()?;
        Ok(insert.effects)
    }
}

impl Connection {
    /// A document of another server, and the format that it says.
    #[cfg(feature = "service")]
    fn fetched(&self, place: &str, cancel: &CancelToken) -> Result<Fetched, Error> {
        let failed = |reason: String| Error::Load(LoadError::Format { path: None, reason, hint: None });
        let config = &self.shared().config;
        if !config.network_access {
            return Err(not_allowed("network_access (command line: --network-access)"));
        }
        let answer = web::document(place, config, cancel).map_err(|error| match error {
            WebError::Cancelled => Error::Cancelled,
            other => failed(other.to_string()),
        })?;
        let told = answer.content_type().and_then(Format::named);
        let unpacked = trimorph_loader::decompress(answer).map_err(|error| failed(error.to_string()))?;
        Ok((unpacked, told))
    }

    #[cfg(not(feature = "service"))]
    fn fetched(&self, _: &str, _: &CancelToken) -> Result<Fetched, Error> {
        Err(not_allowed("a build that has the feature \"service\""))
    }
}

/// A document as it comes, and the format that is said of it.
type Fetched = (Box<dyn Read + Send>, Option<Format>);

/// Why `LOAD` reads nothing from the network.
fn not_allowed(with: &str) -> Error {
    let primary = "LOAD reads from the network, and this database was opened without access to it";
    let error = Diagnostic::runtime(ErrorKind::ArgumentError, "AccessNotAllowed", primary);
    Error::query(error.hint(format!("open it with {with}")), "")
}

/// The path that a `file:` IRI names, without its percents.
fn unescaped(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Asks for an index of each predicate whose literals tell few subjects apart.
fn index_literals(main: &mut Main) {
    let catalog = Arc::make_mut(&mut main.catalog);
    let Ok(any) = u16::try_from(catalog.schema.labels.intern(ANY_LABEL)) else { return };
    for one in literal_indexes(catalog) {
        if catalog.definitions.iter().len() >= DEFINITIONS_MAX {
            return;
        }
        let (subject, properties) = (Subject::Label(LabelId(any)), vec![one.property]);
        catalog.definitions.add(Definition { name: one.name, subject, properties, rule: Rule::Index });
    }
}

/// A file's place as an IRI.
fn file_iri(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let mut iri = String::from("file://");
    for c in path.to_str()?.chars() {
        match c {
            ' ' => iri.push_str("%20"),
            '%' => iri.push_str("%25"),
            c if c < ' ' || "<>\"{}|\\^`".contains(c) => return None,
            c => iri.push(c),
        }
    }
    Some(iri)
}

/// Takes a statement.
type Take<'t> = dyn FnMut(Statement<'_>) -> Result<(), Error> + 't;

/// Hands statements over, from the first one on each time it is called.
type ReadAll<'r> = dyn Fn(&mut Take<'_>) -> Result<RdfReport, Error> + 'r;

/// Reads a text of statements.
fn read(
    reader: impl Read + Send,
    (format, base, path): (Format, Option<String>, Option<&Path>),
    options: &RdfOptions,
    report: &mut RdfReport,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    let bad = if options.skip_bad { BadStatements::Skip } else { BadStatements::Refuse };
    let how = ParseOptions { format, base, blank_prefix: blank_prefix(), bad };
    match parse(reader, &how, take) {
        Ok(done) => {
            report.statements += done.statements;
            report.skipped += done.skipped;
            report.errors.extend(done.errors.iter().map(|error| told(path, error)));
            Ok(())
        }
        Err(Failure::Taker(error)) => Err(error),
        Err(Failure::Read(error)) => {
            Err(Error::Load(LoadError::Format { path: None, reason: told(path, &error), hint: None }))
        }
    }
}

/// Statements on their way into a transaction.
struct Insert<'a, 'w> {
    connection: &'a Connection,
    writing: &'w mut Writing,
    program: &'a Arc<Program>,
    options: &'a RdfOptions,
    rows: Vec<[Value; 4]>,
    effects: SideEffects,
}

impl Insert<'_, '_> {
    fn take(&mut self, one: &Statement<'_>) -> Result<(), Error> {
        let graph = match (one.graph, &self.options.graph) {
            (Some(graph), _) => graph.value(),
            (None, Some(graph)) => Value::iri(&**graph),
            (None, None) => Value::Null,
        };
        self.rows.push([one.subject.value(), one.predicate.value(), one.object.value(), graph]);
        if self.rows.len() >= STATEMENTS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.options.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let rows = std::mem::take(&mut self.rows);
        let params: Arc<Params> = Arc::default();
        let settings = Arc::new(self.connection.settings(&params, self.options.cancel.clone()));
        let statement = self.connection.statement("", self.program, &params, &settings);
        self.effects = self.effects.plus(statement.run_data(self.writing, true, rows)?);
        Ok(())
    }
}

fn told(path: Option<&Path>, error: &ReadError) -> String {
    match path {
        Some(path) => format!("file \"{}\": {error}", path.display()),
        None => error.to_string(),
    }
}

impl QueryResult {
    /// Writes the rows that are left as a text of a SPARQL result (`json`, `xml`, `csv`, `tsv`), or of
    /// statements (`ntriples`, `turtle`, `rdfxml`, `jsonld`, …) where the rows are statements.
    ///
    /// **Errors**: a format that the answer cannot have; a value that is no term; what the query fails with.
    pub fn write_as(&mut self, format: &str, out: &mut dyn Write) -> Result<(), Error> {
        let failed = |error: WriteError| Error::Storage(format!("could not write the result: {error}"));
        if self.answer() == Answer::Statements {
            let format = Format::named(format)
                .ok_or_else(|| of_format(None, format!("statements cannot be written as \"{format}\"")))?;
            let mut writer = StatementWriter::new(out, format, &WriteOptions::default()).map_err(failed)?;
            while let Some(row) = self.next_row()? {
                if let [subject, predicate, object] = &row[..] {
                    writer.write([subject, predicate, object], None).map_err(failed)?;
                }
            }
            return writer.finish().map(|_| ()).map_err(failed);
        }
        let format = ResultFormat::named(format)
            .ok_or_else(|| of_format(None, format!("rows cannot be written as \"{format}\"")))?;
        if self.answer() == Answer::Boolean {
            let row = self.next_row()?;
            let answer = matches!(row.as_deref(), Some([Value::Bool(true)]));
            return write_boolean(out, format, answer).map(|_| ()).map_err(failed);
        }
        let columns = self.columns().to_vec();
        let names = columns.iter().map(String::as_str).filter(|name| !name.is_empty());
        let mut writer = SolutionWriter::new(out, format, names).map_err(failed)?;
        while let Some(row) = self.next_row()? {
            writer.write(&row).map_err(failed)?;
        }
        writer.finish().map(|_| ()).map_err(failed)
    }
}
