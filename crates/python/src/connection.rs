//! `Connection` and `Prepared`: text and parameters in, a lazy result out.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use trimorph::{CancelToken, ScalarFunction};

use crate::cell::Cell;
use crate::forks::outside;
use crate::function::Function;
use crate::handle::{Database, Handle};
use crate::rdf::RdfText;
use crate::result::QueryResult;
use crate::transaction::{self, Transaction};
use crate::{error, execute, from_python, interrupt};

/// A connection: one per thread. Results may be read at the same time, and after it is closed.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Connection {
    handle: Arc<Handle>,
    cell: Arc<Cell>,
    /// Closing this closes the database.
    owner: bool,
}

impl Connection {
    pub(crate) fn new(handle: Arc<Handle>, cell: Arc<Cell>, owner: bool) -> Self {
        Self { handle, cell, owner }
    }
}

#[pymethods]
impl Connection {
    /// As `database.connect()`.
    #[new]
    fn of_database(database: &Database) -> PyResult<Self> {
        database.connect()
    }

    /// Runs a query, or one that this connection has prepared; `params`, or `parameters`, are the values of
    /// `$name` in it. `timeout` in seconds stops it when it takes longer until its last row was fetched: it
    /// raises `Timeout`.
    #[pyo3(signature = (text, params = None, lang = "cypher", timeout = None, *, parameters = None))]
    fn execute(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        params: Option<&Bound<'_, PyAny>>,
        lang: &str,
        timeout: Option<f64>,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<QueryResult> {
        if params.is_some() && parameters.is_some() {
            return Err(PyTypeError::new_err("params and parameters are the same: give one of them"));
        }
        let params = params.or(parameters);
        let timeout = transaction::seconds("timeout", timeout)?;
        let Ok(prepared) = text.cast::<Prepared>() else {
            let text: Cow<'_, str> = text.extract()?;
            return execute::execute(py, (&self.handle, &self.cell), &text, params, (lang, timeout));
        };
        let prepared = prepared.get();
        if !Arc::ptr_eq(&self.cell, &prepared.cell) {
            return Err(PyValueError::new_err(
                "another connection has prepared this query: execute it there",
            ));
        }
        prepared.run(py, params, timeout)
    }

    /// Runs a SPARQL query or update. Relative IRIs are relative to `base`, or else to `trimorph:`, where the
    /// names of the property graph are; `:name` is one of them. `timeout` as for `execute`.
    #[pyo3(signature = (text, params = None, base = None, timeout = None))]
    fn sparql(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        base: Option<&str>,
        timeout: Option<f64>,
    ) -> PyResult<QueryResult> {
        let timeout = transaction::seconds("timeout", timeout)?;
        execute::sparql(py, (&self.handle, &self.cell), (text, params), base, timeout)
    }

    /// Parses a SPARQL text and runs nothing; raises what is wrong with it.
    #[pyo3(signature = (text, base = None))]
    fn check_sparql(&self, py: Python<'_>, text: &str, base: Option<&str>) -> PyResult<()> {
        let engine = self.cell.engine()?;
        outside(py, || engine.check_sparql(text, base)).map_err(|e| error::from_engine(py, &e))
    }

    /// Loads files of RDF (Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD; also gzip and zstd) in one
    /// transaction; gives the number of statements. `format` is a name, suffix or media type; `base` is what
    /// relative IRIs are relative to; `graph` is the named graph that statements of no graph go into;
    /// `skip_bad` leaves out what is no statement, and warns of how much that was. `data` is a text (`str` or
    /// `bytes`) instead of files. A load into an empty database makes indexes of predicates whose literals
    /// tell subjects apart, unless `indexes` is false.
    #[expect(clippy::too_many_arguments, reason = "options of one call in Python")]
    #[pyo3(signature = (*paths, data = None, format = None, base = None, graph = None, skip_bad = false, indexes = true))]
    fn load_rdf(
        &self,
        py: Python<'_>,
        paths: &Bound<'_, PyTuple>,
        data: Option<RdfText>,
        format: Option<String>,
        base: Option<String>,
        graph: Option<String>,
        skip_bad: bool,
        indexes: bool,
    ) -> PyResult<u64> {
        let paths = paths.iter().map(|p| p.extract::<PathBuf>()).collect::<PyResult<Vec<_>>>()?;
        if paths.is_empty() == data.is_none() {
            return Err(PyTypeError::new_err("load_rdf needs either paths or data"));
        }
        let cancel = CancelToken::default();
        self.cell.runs(&cancel);
        let (without_indexes, cancel_of_load) = (!indexes, cancel.clone());
        let options =
            trimorph::RdfOptions { format, base, graph, skip_bad, without_indexes, cancel: cancel_of_load };
        let engine = self.cell.engine()?;
        let report = interrupt::run(py, &cancel, || match &data {
            Some(text) => engine.load_rdf_text(text.bytes(), &options),
            None => engine.load_rdf(&paths, &options),
        })?;
        if report.skipped > 0 {
            let first = report.errors.first().map(|reason| format!("; the first: {reason}"));
            let things = if report.skipped == 1 {
                "thing that is no statement was"
            } else {
                "things that are no statements were"
            };
            error::warn(py, &format!("{} {things} left out{}", report.skipped, first.unwrap_or_default()))?;
        }
        Ok(report.statements)
    }

    /// Writes statements of RDF to a file, by default all of them, and gives their number. The suffix says
    /// the format unless `format` does, and `.gz`, `.zst` or `.bz2` behind it how the file is compressed.
    /// `graph` is the IRI of a named graph, `query` a CONSTRUCT or DESCRIBE query: only these statements are
    /// written. `prefixes` are for Turtle and its kin. With `triple_terms=False`, for readers of RDF 1.1,
    /// triple terms and what relationships say are left out, with a warning.
    #[pyo3(signature = (path, format = None, graph = None, query = None, prefixes = None, *, triple_terms = true))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn export_rdf(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<String>,
        graph: Option<String>,
        query: Option<String>,
        prefixes: Option<std::collections::BTreeMap<String, String>>,
        triple_terms: bool,
    ) -> PyResult<u64> {
        let cancel = CancelToken::default();
        self.cell.runs(&cancel);
        let prefixes = prefixes.unwrap_or_default().into_iter().collect();
        let without_triple_terms = !triple_terms;
        let options = trimorph::ExportOptions {
            format,
            graph,
            query,
            prefixes,
            without_triple_terms,
            cancel: cancel.clone(),
        };
        let engine = self.cell.engine()?;
        let report = interrupt::run(py, &cancel, || engine.export_rdf(&path, &options, &|_| {}))?;
        for notice in &report.notices {
            error::warn(py, notice)?;
        }
        Ok(report.statements)
    }

    /// Gives queries a function: `function` is called by `name` in openCypher, for rows of all connections of
    /// the database while it is open. `parameters` and `return_type` are types (`int`, `str`, `list[float]`,
    /// `"INTEGER"`), by default those of its annotations. A `native` one is called value by value, one of
    /// `type="arrow"` with arrays of `pyarrow` for many rows at once. A row with a null gives null without a
    /// call, unless `null_handling` is `"special"`; what raises is the query's error, unless
    /// `exception_handling` is `"return_null"`. With `side_effects` it is called for each row anew, as its
    /// results may differ.
    #[expect(clippy::too_many_arguments, reason = "options of one call in Python")]
    #[pyo3(signature = (name, function, parameters = None, return_type = None, *, r#type = "native", null_handling = "default", exception_handling = "default", side_effects = false))]
    fn create_function(
        &self,
        py: Python<'_>,
        name: String,
        function: Bound<'_, PyAny>,
        parameters: Option<Bound<'_, PyAny>>,
        return_type: Option<Bound<'_, PyAny>>,
        r#type: &str,
        null_handling: &str,
        exception_handling: &str,
        side_effects: bool,
    ) -> PyResult<()> {
        let takes_arrays = one_of("type", r#type, "native", "arrow")?;
        let described = py.import("trimorph._functions")?.getattr("described")?;
        let (types, arguments, returns): (Option<Vec<String>>, (usize, usize), Option<String>) =
            described.call1((&function, parameters, return_type))?.extract()?;
        let body = Function {
            name: name.clone(),
            callable: function.unbind(),
            takes_arrays,
            null_on_error: one_of("exception_handling", exception_handling, "default", "return_null")?,
            source: self.handle.source,
        };
        let mut made =
            ScalarFunction::new(name, move |columns, rows, cancel| body.call(columns, rows, cancel));
        (made.parameters, made.arguments, made.returns) = (types, arguments, returns);
        made.sees_nulls = one_of("null_handling", null_handling, "default", "special")?;
        made.is_volatile = side_effects;
        let engine = self.cell.engine()?;
        outside(py, || engine.create_function(made)).map_err(|e| error::from_engine(py, &e))
    }

    /// Takes a function away that `create_function` gave.
    fn remove_function(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let engine = self.cell.engine()?;
        match outside(py, || engine.remove_function(name)) {
            true => Ok(()),
            false => Err(PyKeyError::new_err(format!("there is no function \"{name}\" that was created"))),
        }
    }

    /// Makes rows known to the openCypher of this connection: from now on `$name` has those of `frame`, a
    /// data frame, an Arrow table or anything else that may be a parameter, without being given it each
    /// time: `UNWIND $name AS row`. The rows are those of now; a parameter of the same name that a call
    /// gives comes first.
    fn register(&self, name: &str, frame: &Bound<'_, PyAny>) -> PyResult<()> {
        self.cell.engine()?;
        if name.is_empty() {
            return Err(PyValueError::new_err("what is registered has a name, to be used as $name"));
        }
        self.cell.register(name, from_python::parameter(name, frame, self.handle.source)?);
        Ok(())
    }

    /// Lets go of what `register` made known.
    fn unregister(&self, name: &str) -> PyResult<()> {
        self.cell.unregister(name).map_err(|known| {
            let known = match known.as_slice() {
                [] => "nothing is".to_owned(),
                known => format!("there are {}", known.join(", ")),
            };
            PyKeyError::new_err(format!("\"{name}\" is not registered: {known}"))
        })
    }

    /// Runs a SQL query.
    #[pyo3(signature = (text, params = None))]
    fn sql(&self, py: Python<'_>, text: &str, params: Option<&Bound<'_, PyAny>>) -> PyResult<QueryResult> {
        execute::execute(py, (&self.handle, &self.cell), text, params, ("sql", None))
    }

    /// Parses and plans a query that is to run more than once.
    #[pyo3(signature = (text, lang = "cypher"))]
    fn prepare(&self, py: Python<'_>, text: &str, lang: &str) -> PyResult<Prepared> {
        let engine = self.cell.engine()?;
        let cancel = CancelToken::default();
        let prepared = if lang == "sparql" {
            outside(py, || engine.check_sparql(text, None)).map_err(|e| error::from_engine(py, &e))?;
            Made::Sparql
        } else {
            execute::check_language(py, lang)?;
            let made = interrupt::run(py, &cancel, || engine.prepare_until(text, &cancel))?;
            Made::Cypher(Box::new(made))
        };
        Ok(Prepared {
            prepared,
            text: text.to_owned(),
            handle: Arc::clone(&self.handle),
            cell: Arc::clone(&self.cell),
        })
    }

    /// A transaction as a context manager: begun on entering, committed at the end, rolled back on an
    /// exception. `isolation` is "serializable", "snapshot" or "read committed", unless told what the
    /// database was opened with; `timeout` in seconds ends it when it takes longer. With `read_only` it
    /// cannot write, and what others change meanwhile is not kept for it, however long it is open.
    #[pyo3(signature = (isolation = None, timeout = None, read_only = false))]
    fn transaction(
        &self,
        isolation: Option<&str>,
        timeout: Option<f64>,
        read_only: bool,
    ) -> PyResult<Transaction> {
        let options = transaction::options(isolation, timeout, read_only)?;
        Transaction::new(Arc::clone(&self.handle), Arc::clone(&self.cell), options)
    }

    /// Begins a transaction: what is executed on this connection is part of it until `commit` or
    /// `rollback`. `isolation`, `timeout` and `read_only` as for `transaction`.
    #[pyo3(signature = (isolation = None, timeout = None, read_only = false))]
    fn begin(
        &self,
        py: Python<'_>,
        isolation: Option<&str>,
        timeout: Option<f64>,
        read_only: bool,
    ) -> PyResult<()> {
        execute::begin(py, &self.cell, transaction::options(isolation, timeout, read_only)?)
    }

    /// Commits the transaction.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        execute::commit(py, &self.cell)
    }

    /// Undoes the transaction.
    fn rollback(&self, py: Python<'_>) -> PyResult<()> {
        execute::rollback(py, &self.cell)
    }

    /// Stops what runs on this connection, from any thread, within 100 ms as a rule: it raises `Cancelled`.
    /// If nothing runs, the result read last cannot be read on.
    fn interrupt(&self) {
        self.cell.interrupt();
    }

    /// Runs an openCypher query: the same as `execute`.
    #[pyo3(signature = (text, params = None, timeout = None))]
    fn cypher(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        timeout: Option<f64>,
    ) -> PyResult<QueryResult> {
        let timeout = transaction::seconds("timeout", timeout)?;
        execute::execute(py, (&self.handle, &self.cell), text, params, ("cypher", timeout))
    }

    /// Runs a query with each of the parameters, dicts for `$name` or sequences for `?`; all of them or none,
    /// unless a transaction was begun before. One query over all of them, `UNWIND $rows AS row …`, is many
    /// times as fast.
    fn executemany<'py>(
        slf: &Bound<'py, Self>,
        text: &str,
        seq_of_parameters: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let many = slf.py().import("trimorph._dbapi")?.getattr("execute_many")?;
        many.call1((slf, text, seq_of_parameters)).map(drop)
    }

    /// A cursor of DB-API 2.0. Each of its statements is committed by itself, unless a transaction was
    /// begun; from now on `commit` and `rollback` do nothing where none was.
    #[pyo3(signature = (lang = "cypher"))]
    fn cursor<'py>(slf: &Bound<'py, Self>, lang: &str) -> PyResult<Bound<'py, PyAny>> {
        let own = slf.get();
        own.cell.engine()?;
        own.cell.be_lenient();
        slf.py().import("trimorph._dbapi")?.getattr("Cursor")?.call1((slf, lang))
    }

    /// Whether a transaction was begun on this connection and has not ended.
    #[getter]
    fn in_transaction(&self, py: Python<'_>) -> PyResult<bool> {
        self.cell.in_transaction(py)
    }

    /// The database.
    #[getter]
    fn database(&self) -> Database {
        Database { handle: Arc::clone(&self.handle) }
    }

    /// Closes the connection. Results that are open can be read on.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.cell.close(py);
        if self.owner {
            outside(py, || self.handle.close()).map_err(|e| error::from_engine(py, &e))?;
        }
        Ok(())
    }

    /// Whether this connection or its database was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.cell.engine().is_err()
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> &'static str {
        if self.closed() { "<trimorph.Connection, closed>" } else { "<trimorph.Connection>" }
    }
}

/// Whether an option has the second of its two values.
///
/// **Errors**: neither.
fn one_of(option: &str, given: &str, first: &str, second: &str) -> PyResult<bool> {
    match given {
        _ if given == first => Ok(false),
        _ if given == second => Ok(true),
        _ => Err(PyValueError::new_err(format!("{option} is \"{first}\" or \"{second}\", not \"{given}\""))),
    }
}

/// What is known of a prepared text.
enum Made {
    Cypher(Box<trimorph::Prepared>),
    /// That it parses. Its plan depends on which variables are given, and is kept by text.
    Sparql,
}

/// A query that was parsed and planned. It is planned again by itself when the data has changed.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Prepared {
    prepared: Made,
    text: String,
    handle: Arc<Handle>,
    cell: Arc<Cell>,
}

impl Prepared {
    fn run(
        &self,
        py: Python<'_>,
        params: Option<&Bound<'_, PyAny>>,
        timeout: Option<Duration>,
    ) -> PyResult<QueryResult> {
        let prepared = match &self.prepared {
            Made::Cypher(prepared) => prepared,
            Made::Sparql => {
                return execute::sparql(py, (&self.handle, &self.cell), (&self.text, params), None, timeout);
            }
        };
        let params = self.cell.parameters(from_python::parameters(params, self.handle.source)?);
        let engine = self.cell.engine()?;
        let cancel = execute::until(timeout);
        self.cell.runs(&cancel);
        let begun = Instant::now();
        let result =
            interrupt::run(py, &cancel, || engine.execute_prepared_until(prepared, params, cancel.clone()))?;
        let run = (cancel.clone(), begun);
        QueryResult::new(py, result, &self.text, run, Arc::clone(&self.cell), self.handle.source)
    }
}

#[pymethods]
impl Prepared {
    /// Runs it; `params` are the values of `$name` in its text.
    #[pyo3(signature = (params = None))]
    fn execute(&self, py: Python<'_>, params: Option<&Bound<'_, PyAny>>) -> PyResult<QueryResult> {
        self.run(py, params, None)
    }

    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<trimorph.Prepared {:?}>", self.text)
    }
}
