//! A bulk load with progress handed to Python.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::time::Instant;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use trimorph::{CancelToken, Error, Format, LoadPhase, OnConflict, Progress, ProgressState, Rates};

use crate::error::from_engine;
use crate::forks::outside;
use crate::from_python::type_name;
use crate::interrupt;

/// The format of that name.
pub(crate) fn format_of(name: &str) -> PyResult<Format> {
    Format::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
        PyValueError::new_err(format!("there is no format \"{name}\"; known are {}", known.join(", ")))
    })
}

/// The text of a mapping for the CSV, JSON and Parquet files of a directory, to look at, change, write to a
/// file there and load.
#[pyfunction]
pub(crate) fn guess_mapping(py: Python<'_>, directory: PathBuf) -> PyResult<String> {
    let guessed = outside(py, || trimorph::guess_mapping(&directory));
    Ok(guessed.map_err(|error| from_engine(py, &error.into()))?.text)
}

/// The paths of a call: at least one.
pub(crate) fn paths_of(given: &Bound<'_, PyTuple>) -> PyResult<Vec<PathBuf>> {
    let path = |p: Bound<'_, PyAny>| {
        p.extract::<PathBuf>().map_err(|_| {
            let text = format!("a path is a str or an os.PathLike, not {}", type_name(&p));
            PyTypeError::new_err(format!("{text}; frames are given as nodes= and edges="))
        })
    };
    let paths = given.iter().map(path).collect::<PyResult<Vec<_>>>()?;
    if paths.is_empty() {
        return Err(PyTypeError::new_err("load needs at least one path, or frames as nodes= and edges="));
    }
    Ok(paths)
}

/// What `on_conflict` names.
pub(crate) fn on_conflict_of(name: &str) -> PyResult<OnConflict> {
    OnConflict::from_name(name).ok_or_else(|| {
        let known: Vec<_> = OnConflict::ALL.iter().map(|of| of.name()).collect();
        PyValueError::new_err(format!("on_conflict is one of {}, not \"{name}\"", known.join(", ")))
    })
}

/// How far a load is.
#[pyclass(frozen, get_all, module = "trimorph")]
pub(crate) struct LoadProgress {
    /// `scanning`, `loading`, `building` or `generating`.
    phase: &'static str,
    /// Bytes of the files read so far.
    bytes_done: u64,
    /// Bytes there are; 0 when unknown.
    bytes_total: u64,
    /// Rows taken so far.
    rows: u64,
    /// Rows refused so far.
    rejected: u64,
    /// 0 to 100, `None` when unknown.
    percent: Option<f64>,
    /// Rows per second since the load began.
    rows_per_second: f64,
    /// Seconds left in this phase if it goes on like this.
    seconds_left: Option<f64>,
}

#[pymethods]
impl LoadProgress {
    fn __repr__(&self) -> String {
        let percent = self.percent.map_or_else(String::new, |p| format!(" {p:.0} %"));
        format!("<{}{percent}, {} rows, {:.0} rows/s>", self.phase, self.rows, self.rows_per_second)
    }
}

/// What a load did.
#[pyclass(frozen, get_all, module = "trimorph")]
pub(crate) struct LoadReport {
    /// What the files were read as.
    format: &'static str,
    /// Path, table and rows of every file.
    files: Vec<(String, String, u64)>,
    /// For every file: names of its columns, their types, and the first value that made it text of a column
    /// that looked like something else, or None.
    columns: Vec<Vec<(String, &'static str, Option<String>)>>,
    /// Rows taken from all files.
    rows: u64,
    /// Rows refused.
    rejected: u64,
    /// Nodes.
    nodes: u64,
    /// Relationships.
    relationships: u64,
    /// Rows of files of relationships that have none, because an end is empty.
    without_end: u64,
    /// Values parsed.
    values: u64,
    /// Decompressed bytes read.
    bytes: u64,
    /// Wall time.
    seconds: f64,
    /// The directory without a mapping whose files were read as `guess_mapping` proposes, or None.
    guessed: Option<String>,
}

#[pymethods]
impl LoadReport {
    fn __repr__(&self) -> String {
        let Self { nodes, relationships, rejected, seconds, .. } = self;
        format!(
            "<loaded {nodes} nodes, {relationships} relationships, {rejected} rows refused, in {seconds:.2} s>"
        )
    }
}

/// Hands states to Python; what that raises stops the load.
struct ToPython {
    callback: Py<PyAny>,
    cancel: CancelToken,
    started: Cell<(Option<LoadPhase>, Instant)>,
    raised: RefCell<Option<PyErr>>,
}

impl Progress for ToPython {
    fn update(&self, state: &ProgressState) {
        let (phase, mut since) = self.started.get();
        if phase != Some(state.phase) {
            since = Instant::now();
            self.started.set((Some(state.phase), since));
        }
        let rates = Rates::of(state, since.elapsed());
        let progress = LoadProgress {
            phase: state.phase.name(),
            bytes_done: state.bytes_done,
            bytes_total: state.bytes_total,
            rows: state.rows,
            rejected: state.rejected,
            percent: rates.percent,
            rows_per_second: rates.rows_per_second,
            seconds_left: rates.seconds_left,
        };
        Python::attach(|py| {
            if self.raised.borrow().is_none()
                && let Err(error) = py.check_signals().and_then(|()| self.callback.call1(py, (progress,)))
            {
                *self.raised.borrow_mut() = Some(error);
                self.cancel.cancel();
            }
        });
    }
}

/// Runs a load with the GIL released, and gives back what it freed.
pub(crate) fn run(
    py: Python<'_>,
    progress: Option<Bound<'_, PyAny>>,
    cancel: &CancelToken,
    work: impl FnOnce(&dyn Progress) -> Result<trimorph::LoadReport, Error> + Send,
) -> PyResult<LoadReport> {
    let work = |progress: &dyn Progress| {
        let answer = work(progress);
        trimorph_allocator::give_back();
        answer
    };
    let callback = match progress {
        None => None,
        Some(p) => match p.cast::<PyBool>() {
            Ok(on) if on.is_true() => Some(py.import("trimorph._present")?.getattr("ProgressLine")?.call0()?),
            Ok(_) => None,
            Err(_) if p.is_callable() => Some(p),
            Err(_) => return Err(PyTypeError::new_err("progress must be a bool or a callable")),
        },
    };
    let Some(callback) = callback else {
        return interrupt::run(py, cancel, || work(&trimorph::NoProgress)).map(|r| report(&r));
    };
    let callback = callback.unbind();
    let done = callback.bind(py).getattr("done").ok().filter(|d| d.is_callable()).map(Bound::unbind);
    let (answer, raised) = {
        let mut raised = None;
        let slot = &mut raised;
        let answer = interrupt::run(py, cancel, move || {
            let started = Cell::new((None, Instant::now()));
            let progress = ToPython { callback, cancel: cancel.clone(), started, raised: RefCell::default() };
            let answer = work(&progress);
            *slot = progress.raised.into_inner();
            answer
        });
        (answer, raised)
    };
    if let Some(done) = done {
        done.call0(py)?;
    }
    match raised {
        Some(error) => Err(error),
        None => answer.map(|r| report(&r)),
    }
}

fn report(r: &trimorph::LoadReport) -> LoadReport {
    LoadReport {
        format: r.format.name(),
        files: r.files.iter().map(|f| (f.path.display().to_string(), f.table.clone(), f.rows)).collect(),
        columns: r
            .files
            .iter()
            .map(|f| {
                let column = |c: &trimorph::ColumnReport| {
                    (c.name.clone(), c.ty.name(), c.fell.as_ref().map(|fell| fell.value.clone()))
                };
                f.columns.iter().map(column).collect()
            })
            .collect(),
        rows: r.rows,
        rejected: r.rejected,
        nodes: r.nodes,
        relationships: r.edges,
        without_end: r.without_end,
        values: r.values,
        bytes: r.bytes,
        seconds: r.seconds,
        guessed: r.guessed.as_ref().map(|directory| directory.display().to_string()),
    }
}
