//! `QueryResult`: rows computed as they are fetched.
//!
//! The engine's result is behind a mutex, so threads may share one; whoever waits for it has let go of the
//! GIL. An error ends the result: it is raised again by every later fetch, so that rows cannot go missing
//! unseen. For the same reason a result that is being read as an Arrow stream has no rows to fetch otherwise
//! until the stream has ended.

use std::cell::RefCell;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyAttributeError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};
use trimorph::{CancelToken, Entities, PlanForm, ReadEntities, Row};

use crate::cell::Cell;
use crate::collector::Paused;
use crate::entity::Source;
use crate::forks::outside;
use crate::notice::Notice;
use crate::shared::{Shared, State};
use crate::to_python::{Names, ToPython};
use crate::{arrow, error, interrupt};

/// Rows shown by `repr`, as by `show` unless told otherwise.
const SHOWN_ROWS: usize = 20;

/// Rows from which on Python's garbage collector waits until they are made.
const PAUSE_ROWS: usize = 64;

/// A lazy result: iterate over it, or fetch. It stays readable when its connection or database is closed.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct QueryResult {
    shared: Shared,
    entities: Entities,
    columns: Arc<[String]>,
    source: Source,
    profile: Option<String>,
    /// Its rows are the lines of a plan.
    is_plan: bool,
    /// How long it took until rows could be asked for.
    compiling: Duration,
}

impl QueryResult {
    pub(crate) fn new(
        py: Python<'_>,
        engine: trimorph::QueryResult,
        text: &str,
        (cancel, begun): (CancelToken, Instant),
        cell: Arc<Cell>,
        source: Source,
    ) -> PyResult<Self> {
        let compiling = begun.elapsed();
        let columns = engine.names();
        let entities = engine.entities().clone();
        let shared = Shared::new(engine, cancel, cell);
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_profile = first.eq_ignore_ascii_case("PROFILE");
        let is_plan = (is_profile || first.eq_ignore_ascii_case("EXPLAIN")) && columns.len() == 1;
        let mut result = Self { shared, entities, columns, source, profile: None, is_plan, compiling };
        if is_profile {
            let mut state = result.lock(py);
            result.fill(py, &mut state, usize::MAX)?;
            let lines: Vec<String> =
                state.engine.buffered().iter().flatten().map(|v| result.text_of(v)).collect();
            drop(state);
            result.profile = Some(lines.join("\n"));
        }
        Ok(result)
    }

    fn text_of(&self, value: &trimorph::Value) -> String {
        trimorph_types::format_value(value, &self.entities)
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.shared.lock(py)
    }

    /// Computes until `rows` rows are buffered or there are no more.
    fn fill(&self, py: Python<'_>, state: &mut State, rows: usize) -> PyResult<()> {
        while !state.ended && state.engine.buffered().len() < rows {
            if let Some(failed) = &state.failed {
                return Err(error::from_engine(py, failed));
            }
            if state.cursor.is_some() {
                let text = "the result is being read as an Arrow stream; its rows come from there";
                return Err(error::Error::new_err(text));
            }
            self.shared.runs();
            let (engine, begun) = (&mut state.engine, Instant::now());
            // Batches of few rows are computed in one go: to leave Python and come back takes as long.
            let compute = || loop {
                let more = engine.buffer_batch()?;
                let buffered = engine.buffered();
                if !more || buffered.len() >= rows.min(PAUSE_ROWS) {
                    // What cannot be read is told of by the row that has it.
                    break Ok((more, self.entities.read(buffered.iter().flatten()).unwrap_or_default()));
                }
            };
            let done = interrupt::attempt(py, &self.shared.cancel, compute);
            state.spent += begun.elapsed();
            match done {
                Ok((more, read)) => {
                    state.ended = !more;
                    state.read = read;
                }
                Err(failed) => return Err(state.fail(py, failed)),
            }
            // Nothing else looks at signals while a long result is fetched as a whole.
            py.check_signals()?;
        }
        Ok(())
    }

    /// Takes up to `rows` rows.
    fn take<'py>(&self, py: Python<'py>, rows: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let (mut cells, mut left) = (Vec::new(), rows);
        let mut names = Names::default();
        while left > 0 {
            let (batch, read): (Vec<Row>, _) = {
                let mut state = self.lock(py);
                self.fill(py, &mut state, left.min(PAUSE_ROWS))?;
                let buffered = state.engine.buffered();
                let count = buffered.len().min(left);
                let batch = buffered.drain(..count).collect();
                state.taken += count as u64;
                (batch, state.read.clone())
            };
            if batch.is_empty() {
                break;
            }
            left -= batch.len();
            let maker = ToPython { names: RefCell::new(names), ..self.maker(&read) };
            let paused = if batch.len() < PAUSE_ROWS { None } else { Some(Paused::new(py)?) };
            for row in &batch {
                list.append(maker.row(py, row, &mut cells)?)?;
            }
            drop(paused);
            names = maker.names.into_inner();
        }
        Ok(list)
    }

    fn maker<'a>(&'a self, read: &'a ReadEntities) -> ToPython<'a> {
        ToPython { read: Some(read), ..ToPython::new(Some(&self.entities), self.source) }
    }

    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let (row, read) = {
            let mut state = self.lock(py);
            if state.engine.buffered().is_empty() {
                self.fill(py, &mut state, 1)?;
            }
            let row = state.engine.buffered().pop_front();
            state.taken += u64::from(row.is_some());
            (row, state.read.clone())
        };
        row.map(|row| self.maker(&read).row(py, &row, &mut Vec::with_capacity(row.len()))).transpose()
    }

    /// All rows that were not fetched yet.
    fn whole<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.lock(py).may_be_read(py)?;
        let rows = self.take(py, usize::MAX)?;
        self.lock(py).was_read = true;
        Ok(rows)
    }

    fn columnar(&self, py: Python<'_>) -> PyResult<arrow::ArrowTable> {
        let mut state = self.lock(py);
        state.may_be_read(py)?;
        self.shared.runs();
        let begun = Instant::now();
        let State { engine, cursor, .. } = &mut *state;
        let whole = || match cursor {
            None => engine.arrow(),
            Some(cursor) => {
                let mut batches = Vec::new();
                while let Some(batch) = cursor.next_batch(engine)? {
                    batches.push(batch);
                }
                Ok((cursor.schema(), batches))
            }
        };
        match interrupt::attempt(py, &self.shared.cancel, whole) {
            Ok((schema, batches)) => {
                state.ended = true;
                state.was_read = true;
                state.taken += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
                state.spent += begun.elapsed();
                Ok(arrow::ArrowTable::new(schema, batches))
            }
            Err(failed) => Err(state.fail(py, failed)),
        }
    }

    fn present<'py>(
        slf: &Bound<'py, Self>,
        function: &str,
        arguments: impl pyo3::call::PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("trimorph._present")?.getattr(function)?.call1(arguments)
    }
}

#[pymethods]
impl QueryResult {
    /// The column names.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.to_vec()
    }

    /// The column types by their openCypher names, `ANY` where a type is not known before the rows are; once
    /// a table, a frame or a stream was made of the rows, what their values are: `LIST<INTEGER>`.
    #[getter]
    fn types(&self, py: Python<'_>) -> Vec<String> {
        self.lock(py).engine.type_names()
    }

    /// What the rows are: `solutions`, `boolean` (one row with one) or `statements` (of CONSTRUCT and
    /// DESCRIBE).
    #[getter]
    fn form(&self, py: Python<'_>) -> &'static str {
        match self.lock(py).engine.answer() {
            trimorph::Answer::Rows => "solutions",
            trimorph::Answer::Boolean => "boolean",
            trimorph::Answer::Statements => "statements",
        }
    }

    /// The rows that were not fetched yet as a text: SPARQL results as `json`, `xml`, `csv` or `tsv`;
    /// statements as `ntriples`, `turtle`, `rdfxml` or `jsonld`.
    fn serialize<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.lock(py);
        state.may_be_read(py)?;
        self.fill(py, &mut state, 1)?;
        let has_rows = !state.engine.buffered().is_empty();
        let mut out = Vec::new();
        let engine = &mut state.engine;
        outside(py, || engine.write_as(format, &mut out)).map_err(|e| error::from_engine(py, &e))?;
        state.was_read = true;
        state.taken += u64::from(has_rows);
        Ok(PyBytes::new(py, &out))
    }

    fn __iter__(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        slf.get().lock(py).may_be_read(py)?;
        Ok(slf)
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let row = self.next(py)?;
        if row.is_none() {
            self.lock(py).was_read = true;
        }
        Ok(row)
    }

    /// Lets go of the rows that were not fetched, and of what computes them; who reads on gets an
    /// `InterfaceError`. A result that nobody refers to is closed by itself.
    fn close(&self, py: Python<'_>) {
        self.lock(py).close();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    /// The next row, `None` at the end.
    fn fetchone<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.next(py)
    }

    /// The next rows, at most `size`.
    #[pyo3(signature = (size = 1))]
    fn fetchmany<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyList>> {
        self.take(py, size)
    }

    /// All rows that were not fetched yet. Raises `InterfaceError` where all were read before, as do the
    /// other ways to read a result as a whole.
    fn fetchall<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.whole(py)
    }

    /// The same, and no rows where all were read before.
    fn _rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.take(py, usize::MAX)
    }

    /// All rows that were not fetched yet, as dicts by column name.
    fn rows_as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let out = PyList::empty(py);
        for row in self.whole(py)? {
            let row = row.cast_into::<PyTuple>()?;
            let dict = PyDict::new(py);
            for (name, value) in self.columns.iter().zip(row.iter()) {
                dict.set_item(name, value)?;
            }
            out.append(dict)?;
        }
        Ok(out)
    }

    /// All rows that were not fetched yet as a `pyarrow.Table` that shares the engine's buffers.
    fn arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pyarrow = py.import("pyarrow")?;
        let table = Bound::new(py, self.columnar(py)?)?;
        pyarrow.call_method1("table", (table,))
    }

    /// The rows that were not fetched yet as a `pyarrow.RecordBatchReader`, computed as they are read.
    fn fetch_record_batch<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let batches = arrow::ArrowBatches::new(slf.get().shared.clone(), slf.py())?;
        Self::present(slf, "record_batches", (batches,))
    }

    /// The Arrow PyCapsule protocol, by which DuckDB, pyarrow and others take the rows that were not fetched
    /// yet, computed as they are taken. Several streams of one result share its rows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        arrow::stream(py, self.shared.clone())
    }

    /// All rows that were not fetched yet, computed, as an object of the Arrow PyCapsule protocol.
    fn _table(&self, py: Python<'_>) -> PyResult<arrow::ArrowTable> {
        self.columnar(py)
    }

    /// All rows that were not fetched yet as a `pandas.DataFrame`. `dtype_backend` is "numpy_nullable" or
    /// "pyarrow" for columns of pandas' types that know null, as in pandas' own readers.
    #[pyo3(signature = (dtype_backend = None))]
    fn df<'py>(slf: &Bound<'py, Self>, dtype_backend: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        Self::present(slf, "df", (slf, dtype_backend))
    }

    /// All rows that were not fetched yet as a `polars.DataFrame`.
    fn pl<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::present(slf, "pl", (slf,))
    }

    /// The nodes and relationships in all rows that were not fetched yet as a `networkx.MultiDiGraph`. `key`
    /// names the property that is the name of a node in it; unless told that is Trimorph's id.
    #[pyo3(signature = (key = None))]
    fn networkx<'py>(slf: &Bound<'py, Self>, key: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("trimorph._networkx")?.getattr("of_rows")?.call1((slf, key))
    }

    /// The nodes and relationships in all rows that were not fetched yet as a
    /// `torch_geometric.data.HeteroData`, of which the rows have both ends of each relationship.
    fn torch_geometric<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("trimorph._matrices")?.getattr("torch_geometric_of_rows")?.call1((slf,))
    }

    /// The statements of CONSTRUCT or DESCRIBE that were not fetched yet as an `rdflib.Graph`.
    fn rdflib<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::present(slf, "rdflib", (slf,))
    }

    /// What the query changed, which is done before any row is fetched, and the bytes that it put into
    /// temporary files, as far as its rows have been computed.
    #[getter]
    fn stats(&self, py: Python<'_>) -> QueryStats {
        let state = self.lock(py);
        QueryStats { effects: state.engine.side_effects(), spilled_bytes: state.engine.spilled_bytes() }
    }

    /// Labels, relationship types and properties of the query that nothing in the graph has.
    #[getter]
    fn notices(&self, py: Python<'_>) -> Vec<Notice> {
        self.lock(py).engine.notices().into_iter().map(Notice).collect()
    }

    /// The plan with estimated rows, and after `PROFILE` with what each operator did; in the form that the
    /// statement asked for, or as text.
    #[getter]
    fn plan(&self, py: Python<'_>) -> String {
        self.lock(py).engine.plan()
    }

    /// The plan in a form: "text", "codes" (with access patterns), "json" or "html" (a whole page).
    fn plan_as(&self, py: Python<'_>, form: &str) -> PyResult<String> {
        let form = match form {
            "text" => PlanForm::Text,
            "codes" => PlanForm::Codes,
            "json" => PlanForm::Json,
            "html" => PlanForm::Html,
            other => {
                let text = format!("a plan has no form {other:?}; it has text, codes, json, html");
                return Err(PyValueError::new_err(text));
            }
        };
        Ok(self.lock(py).engine.plan_tree().write(form))
    }

    /// The plan for a notebook, if the query began with `EXPLAIN` or `PROFILE`.
    fn _plan_html(&self, py: Python<'_>) -> Option<String> {
        self.is_plan.then(|| self.lock(py).engine.plan_tree().html_part())
    }

    /// What each operator did, if the query began with `PROFILE`.
    #[getter]
    fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// The first rows that were not fetched yet, as texts; they stay to be fetched. The second of the pair
    /// says whether there are more.
    fn _peek(&self, py: Python<'_>, rows: usize) -> PyResult<(Vec<Vec<String>>, bool)> {
        let mut state = self.lock(py);
        state.may_be_read(py)?;
        self.fill(py, &mut state, rows.saturating_add(1))?;
        let buffered = state.engine.buffered();
        let shown =
            buffered.iter().take(rows).map(|row| row.iter().map(|v| self.text_of(v)).collect()).collect();
        Ok((shown, buffered.len() > rows))
    }

    /// The lines of the plan, if the query began with `EXPLAIN` or `PROFILE`.
    fn _drawn(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if !self.is_plan || self.profile.is_some() {
            return Ok(self.profile.clone());
        }
        let mut state = self.lock(py);
        state.may_be_read(py)?;
        self.fill(py, &mut state, usize::MAX)?;
        let lines: Vec<String> = state.engine.buffered().iter().flatten().map(|v| self.text_of(v)).collect();
        Ok(Some(lines.join("\n")))
    }

    /// Prints the first rows that were not fetched yet; they stay to be fetched.
    #[pyo3(signature = (rows = 20))]
    fn show(slf: &Bound<'_, Self>, rows: usize) -> PyResult<()> {
        Self::present(slf, "show", (slf, rows)).map(drop)
    }

    /// Whether there is a row that was not fetched yet.
    ///
    /// This and the next ones have the names that Kuzu gives them.
    fn has_next(&self, py: Python<'_>) -> PyResult<bool> {
        let mut state = self.lock(py);
        self.fill(py, &mut state, 1)?;
        Ok(!state.engine.buffered().is_empty())
    }

    /// The next row. Raises `InterfaceError` where there is none.
    fn get_next<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.next(py)?.ok_or_else(|| error::InterfaceError::new_err("there are no more rows"))
    }

    /// `fetchall`.
    fn get_all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.whole(py)
    }

    /// `fetchmany`.
    fn get_n<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        self.take(py, count)
    }

    /// `columns`.
    fn get_column_names(&self) -> Vec<String> {
        self.columns.to_vec()
    }

    /// `types`.
    fn get_column_data_types(&self, py: Python<'_>) -> Vec<String> {
        self.types(py)
    }

    /// The number of rows, fetched or not, for which all are computed.
    fn get_num_tuples(&self, py: Python<'_>) -> PyResult<u64> {
        let mut state = self.lock(py);
        if !state.was_read {
            self.fill(py, &mut state, usize::MAX)?;
        }
        Ok(state.taken + state.engine.buffered().len() as u64)
    }

    /// `df`.
    fn get_as_df<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::df(slf, None)
    }

    /// `pl`.
    fn get_as_pl<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::pl(slf)
    }

    /// `arrow`. The engine chooses how long chunks are.
    #[pyo3(signature = (chunk_size = None))]
    fn get_as_arrow<'py>(&self, py: Python<'py>, chunk_size: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        let _ = chunk_size;
        self.arrow(py)
    }

    /// `networkx`, as a graph of directed relationships or not.
    #[pyo3(signature = (directed = true))]
    fn get_as_networkx<'py>(slf: &Bound<'py, Self>, directed: bool) -> PyResult<Bound<'py, PyAny>> {
        let graph = Self::networkx(slf, None)?;
        if directed { Ok(graph) } else { graph.call_method0("to_undirected") }
    }

    /// `torch_geometric`.
    fn get_as_torch_geometric<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::torch_geometric(slf)
    }

    /// Milliseconds in which rows were computed so far.
    fn get_execution_time(&self, py: Python<'_>) -> f64 {
        self.lock(py).spent.as_secs_f64() * 1000.0
    }

    /// Milliseconds until rows could be asked for: the query was parsed and planned, and what it writes was
    /// written.
    fn get_compiling_time(&self) -> f64 {
        self.compiling.as_secs_f64() * 1000.0
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::present(slf, "table", (slf, SHOWN_ROWS))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::present(slf, "html", (slf, SHOWN_ROWS))
    }
}

/// What a query changed, and what it put into temporary files, by name: as attributes, or like a dict.
#[pyclass(frozen, module = "trimorph")]
#[derive(Clone, Copy, Default)]
pub(crate) struct QueryStats {
    effects: trimorph::SideEffects,
    spilled_bytes: u64,
}

impl QueryStats {
    fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        self.effects.rows().into_iter().chain([("spilled_bytes", self.spilled_bytes)])
    }
}

#[pymethods]
impl QueryStats {
    /// Whether anything changed.
    #[getter]
    fn contains_updates(&self) -> bool {
        !self.effects.is_empty()
    }

    fn __getattr__(&self, name: &str) -> PyResult<u64> {
        let found = self.rows().find(|(n, _)| *n == name);
        found.map(|(_, count)| count).ok_or_else(|| {
            PyAttributeError::new_err(format!("'QueryStats' object has no attribute '{name}'"))
        })
    }

    fn keys(&self) -> Vec<&'static str> {
        self.rows().map(|(name, _)| name).collect()
    }

    fn items(&self) -> Vec<(&'static str, u64)> {
        self.rows().collect()
    }

    /// What was done, in words.
    fn __str__(&self) -> String {
        if self.effects.is_empty() { "nothing changed".to_owned() } else { self.effects.to_string() }
    }

    fn __getitem__(&self, name: &str) -> PyResult<u64> {
        let found = self.rows().find(|(n, _)| *n == name);
        found.map(|(_, count)| count).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __repr__(&self) -> String {
        let some: Vec<String> =
            self.rows().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name}={n}")).collect();
        format!("QueryStats({})", some.join(", "))
    }
}
