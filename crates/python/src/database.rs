//! `Database`: opening, loading, what it holds, closing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use trimorph::{CancelToken, Config, Durability, Stats, Switches};

use crate::connection::Connection;
use crate::forks::outside;
use crate::frames::Given;
use crate::handle::{Database, Handle};
use crate::load::{self, LoadReport};
use crate::transaction::{self, Transaction};
use crate::{error, frames, interrupt};

/// The path of a database without a directory.
const MEMORY: &str = ":memory:";

impl Database {
    /// A connection; closing an `owner` closes the database.
    fn connection(&self, owner: bool) -> PyResult<Connection> {
        Ok(Connection::new(Arc::clone(&self.handle), self.handle.connect()?, owner))
    }
}

#[pymethods]
impl Database {
    #[new]
    #[pyo3(
    signature = (path = PathBuf::from(MEMORY), read_only = false, memory_limit = None, threads = None, huge_pages = true, test_procedures = false, temp_directory = None, spill_limit = None, isolation = None, idle_timeout = None, durability = "durable", relaxed_interval = 0.1, must_exist = false, recover_to_damage = false, timeout = None, checkpoint_interval = 300.0, follow_interval = 0.1, file_access = true, network_access = false, network_timeout = 120.0),
    text_signature = "(path=':memory:', read_only=False, memory_limit=None, threads=None, huge_pages=True, test_procedures=False, temp_directory=None, spill_limit=None, isolation='serializable', idle_timeout=3600, durability='durable', relaxed_interval=0.1, must_exist=False, recover_to_damage=False, timeout=None, checkpoint_interval=300, follow_interval=0.1, file_access=True, network_access=False, network_timeout=120)"
)]
    #[expect(clippy::too_many_arguments, reason = "options of one call in Python")]
    pub(crate) fn new(
        py: Python<'_>,
        path: PathBuf,
        read_only: bool,
        memory_limit: Option<Bound<'_, PyAny>>,
        threads: Option<usize>,
        huge_pages: bool,
        test_procedures: bool,
        temp_directory: Option<PathBuf>,
        spill_limit: Option<Bound<'_, PyAny>>,
        isolation: Option<&str>,
        idle_timeout: Option<f64>,
        durability: &str,
        relaxed_interval: f64,
        must_exist: bool,
        recover_to_damage: bool,
        timeout: Option<f64>,
        checkpoint_interval: Option<f64>,
        follow_interval: Option<f64>,
        file_access: bool,
        network_access: bool,
        network_timeout: f64,
    ) -> PyResult<Self> {
        let durability = durability_of(durability, relaxed_interval)?;
        let mut config = Config::new()
            .read_only(read_only)
            .huge_pages(huge_pages)
            .switches(Switches { test_procedures, ..Switches::default() })
            .durability(durability)
            .must_exist(must_exist)
            .recover_to_damage(recover_to_damage)
            .file_access(file_access)
            .network_access(network_access);
        if let Some(limit) = memory_limit {
            config.memory_limit_bytes = bytes_of("memory_limit", &limit)?;
        }
        config.temp_directory = temp_directory;
        let options = transaction::options(isolation, idle_timeout, false)?;
        config.isolation = options.isolation.unwrap_or_default();
        config.idle_timeout = options.timeout.or(config.idle_timeout);
        config.timeout = transaction::seconds("timeout", timeout)?;
        config.checkpoint_interval = transaction::seconds("checkpoint_interval", checkpoint_interval)?;
        config.follow_interval = transaction::seconds("follow_interval", follow_interval)?;
        let network_timeout = transaction::seconds("network_timeout", Some(network_timeout))?;
        config.network_timeout = network_timeout.unwrap_or(config.network_timeout);
        if let Some(limit) = spill_limit {
            config.spill_limit_bytes = bytes_of("spill_limit", &limit)? as u64;
        }
        if let Some(threads) = threads {
            if threads == 0 {
                return Err(PyValueError::new_err("threads must be 1 or more"));
            }
            config.threads = threads;
        }
        let engine = interrupt::run(py, &CancelToken::default(), || trimorph::Database::open(&path, config))?;
        Ok(Self { handle: Arc::new(Handle::new(path, engine)) })
    }

    /// A connection. Cheap; one per thread.
    pub(crate) fn connect(&self) -> PyResult<Connection> {
        self.connection(false)
    }

    /// Calls `work` with a transaction, and commits what it did; what it returns is returned. If that ends in
    /// a conflict `work` is called again, after a wait that grows from try to try, so it must do nothing else
    /// that cannot be done twice. `isolation` and `timeout` as for `Connection.transaction`.
    #[pyo3(signature = (work, isolation = None, timeout = None))]
    fn run(
        &self,
        py: Python<'_>,
        work: Py<PyAny>,
        isolation: Option<&str>,
        timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let options = transaction::options(isolation, timeout, false)?;
        let cell = self.handle.connect()?;
        let engine = cell.engine()?;
        let call = |_: &trimorph::Connection| {
            Python::attach(|py| {
                let own = Transaction::new(Arc::clone(&self.handle), Arc::clone(&cell), options)?;
                work.call1(py, (own,))
            })
            .map_err(error::Raised)
        };
        let done = py.detach(|| engine.transact_as(options, error::Raised::is_conflict, call));
        done.map_err(|raised| raised.0)
    }

    /// Loads files or directories, all or nothing unless `skip_bad_rows`; beside whoever reads and writes.
    ///
    /// Or frames: `nodes={"Person": people}`, `edges={("Person", "KNOWS", "Person"): friends}`. A frame is
    /// anything of the Arrow PyCapsule protocol (Polars, pyarrow, DuckDB, …), a pandas.DataFrame, a list of
    /// dicts, or a dict of columns. Several labels are a tuple. `key` names the column by which edges find
    /// nodes (a str, or a dict by label; `id` unless told); `source` and `target` name the columns with the
    /// keys of the ends (a str, or a dict by what `edges` has; `source` and `target` if there are both, else
    /// the first two).
    ///
    /// `on_conflict` says what to do with a row whose key a node of the database has already: `error` refuses
    /// it, `skip` leaves it out, `merge` gives its properties to that node.
    ///
    /// `format` is one of `ldbc-snb`, `csv`, `neo4j-csv`, `parquet`, found out where it is not given. Refused
    /// rows go to the file `rejects`, as CSV. `progress` is a callable that gets a `LoadProgress` several
    /// times a second, or `True` for a line on stderr.
    #[expect(clippy::too_many_arguments, reason = "options of one call in Python")]
    #[pyo3(signature = (*paths, nodes = None, edges = None, key = None, source = None, target = None, format = None, skip_bad_rows = false, rejects = None, progress = None, on_conflict = "error"))]
    fn load<'py>(
        &self,
        py: Python<'py>,
        paths: &Bound<'py, PyTuple>,
        nodes: Option<Bound<'py, PyAny>>,
        edges: Option<Bound<'py, PyAny>>,
        key: Option<Bound<'py, PyAny>>,
        source: Option<Bound<'py, PyAny>>,
        target: Option<Bound<'py, PyAny>>,
        format: Option<&str>,
        skip_bad_rows: bool,
        rejects: Option<PathBuf>,
        progress: Option<Bound<'py, PyAny>>,
        on_conflict: &str,
    ) -> PyResult<LoadReport> {
        let engine = self.handle.engine()?;
        let mut options = engine.load_options();
        options.skip_bad_rows = skip_bad_rows;
        options.rejects_path = rejects;
        options.on_conflict = load::on_conflict_of(on_conflict)?;
        let given = Given { nodes, edges, key, source, target };
        if given.nodes.is_some() || given.edges.is_some() {
            if !paths.is_empty() || format.is_some() {
                return Err(PyTypeError::new_err("load takes either paths or frames, not both"));
            }
            let frames = frames::frames(py, given, self.handle.source)?;
            return load::run(py, progress, &options.cancel.clone(), |progress| {
                engine.load_frames(frames, &options, progress)
            });
        }
        if given.key.is_some() || given.source.is_some() || given.target.is_some() {
            let text = "key, source and target are about frames: give them as nodes= and edges=";
            return Err(PyTypeError::new_err(text));
        }
        let paths = load::paths_of(paths)?;
        let format = format.map(load::format_of).transpose()?;
        load::run(py, progress, &options.cancel.clone(), |progress| {
            engine.load(&paths, format, &options, progress)
        })
    }

    /// Loads frames that are sorted out, as `trimorph._frames` does.
    fn _load_frames(
        &self,
        py: Python<'_>,
        nodes: Bound<'_, PyList>,
        edges: Bound<'_, PyList>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<LoadReport> {
        let engine = self.handle.engine()?;
        let options = engine.load_options();
        let frames = frames::of_lists(&nodes, &edges, self.handle.source)?;
        load::run(py, progress, &options.cancel.clone(), |progress| {
            engine.load_frames(frames, &options, progress)
        })
    }

    /// All nodes and relationships as a `networkx.MultiDiGraph`, or another of its graphs. `key` names the
    /// property that is a node's name in it; unless told that is Trimorph's id.
    #[pyo3(signature = (key = None, directed = true, multigraph = true))]
    fn to_networkx<'py>(
        slf: &Bound<'py, Self>,
        key: Option<&str>,
        directed: bool,
        multigraph: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("trimorph._networkx")?;
        module.getattr("of_database")?.call1((slf, key, directed, multigraph))
    }

    /// A sparse matrix with a row and a column for each node, and the nodes' keys in that order. See
    /// `trimorph.from_scipy`.
    #[pyo3(signature = (r#type = None, weight = None, label = None, key = None))]
    fn to_scipy<'py>(
        slf: &Bound<'py, Self>,
        r#type: Option<&str>,
        weight: Option<&str>,
        label: Option<&str>,
        key: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("trimorph._matrices")?.getattr("to_scipy")?.call1((slf, r#type, weight, label, key))
    }

    /// A `torch_geometric.data.HeteroData` of all nodes and relationships: by label and by type, the numeric
    /// properties in `x` and `edge_attr`, their names in `x_names` and `edge_attr_names`.
    fn to_torch_geometric<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("trimorph._matrices")?.getattr("to_torch_geometric")?.call1((slf,))
    }

    /// Makes a social network in the shape of LDBC SNB with the built-in generator, and loads it.
    #[pyo3(signature = (scale, seed = 42, progress = None))]
    fn generate_snb(
        &self,
        py: Python<'_>,
        scale: f64,
        seed: u64,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<LoadReport> {
        if !scale.is_finite() || scale < 0.0 {
            return Err(PyValueError::new_err("scale must be a number from 0"));
        }
        let engine = self.handle.engine()?;
        let options = engine.load_options();
        load::run(py, progress, &options.cancel, |progress| {
            engine.generate_snb_with(scale, seed, &options, progress)
        })
    }

    /// Tables, rows, encodings, bytes by component.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.handle.engine()?;
        let stats = outside(py, || engine.stats());
        stats_dict(py, &stats)
    }

    /// Verifies every checksum and invariant of the database in directory `path`; gives what `stats` does.
    ///
    /// Raises `StorageError` that names the first file which is missing or damaged.
    #[staticmethod]
    fn check<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
        let stats = interrupt::run(py, &CancelToken::default(), || trimorph::Database::check(&path))?;
        stats_dict(py, &stats)
    }

    /// Puts all that is committed now into the database's files, and lets the log before it go. Closing does
    /// so, too.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<()> {
        let (engine, cancel) = (self.handle.engine()?, CancelToken::default());
        interrupt::run(py, &cancel, || engine.checkpoint(&cancel))
    }

    /// Looks at once for what another process has committed to a database that was opened `read_only`, so
    /// that queries from now on see it. Gives the last commit that is seen, as a number that only grows. All
    /// is seen that lasted before the call, as after opening; if it was just committed, that can take some
    /// 20 ms.
    fn refresh(&self, py: Python<'_>) -> PyResult<u64> {
        let engine = self.handle.engine()?;
        interrupt::run(py, &CancelToken::default(), || engine.refresh())
    }

    /// Copies the database, as it is now, to the new or empty directory `dir`. Keeps a database in memory,
    /// too.
    fn backup(&self, py: Python<'_>, dir: PathBuf) -> PyResult<()> {
        let engine = self.handle.engine()?;
        interrupt::run(py, &CancelToken::default(), || engine.backup(&dir))
    }

    /// Brings the nodes of these labels and the relationships of these types into memory, or all, so that the
    /// first queries need not. What does not fit `memory_limit` is not kept.
    #[pyo3(signature = (*names))]
    fn preload(&self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        let (engine, cancel) = (self.handle.engine()?, CancelToken::default());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let names = (!names.is_empty()).then_some(&names[..]);
        interrupt::run(py, &cancel, || engine.preload(names, &cancel))
    }

    /// Closes the database and its connections: all that was committed lasts then. Results that are open keep
    /// their data and can be read on.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        outside(py, || self.handle.close()).map_err(|e| error::from_engine(py, &e))
    }

    /// Whether `close` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.handle.engine().is_err()
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> String {
        self.handle.path.display().to_string()
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        let state = if self.closed() { ", closed" } else { "" };
        format!("<trimorph.Database {:?}{state}>", self.path())
    }
}

/// What `connect` does where there is no database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Open,
    Create,
    Read,
}

fn mode_of(name: Option<&str>, path: &Path, read_only: bool) -> PyResult<Mode> {
    if path == Path::new(MEMORY) && name != Some("read") && !read_only {
        return Ok(Mode::Create);
    }
    match name {
        Some("read") => Ok(Mode::Read),
        None | Some("open") if read_only => Ok(Mode::Read),
        None | Some("open") => Ok(Mode::Open),
        Some("create") if read_only => {
            Err(PyValueError::new_err("mode=\"create\" writes, read_only does not"))
        }
        Some("create") => Ok(Mode::Create),
        Some(name) => {
            Err(PyValueError::new_err(format!("mode is one of open, create, read, not \"{name}\"")))
        }
    }
}

/// Whether there is anything at `path`.
///
/// **Errors**: there is not; what has nearly its name, and how to make a database.
fn is_there(py: Python<'_>, path: &Path) -> PyResult<()> {
    if path.exists() {
        return Ok(());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = std::fs::read_dir(directory.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let names: Vec<String> =
        entries.filter(|e| e.path().is_dir()).filter_map(|e| e.file_name().into_string().ok()).collect();
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let near: Vec<String> =
        py.import("difflib")?.getattr("get_close_matches")?.call1((own, names, 1))?.extract()?;
    let near = near.first().map(|name| format!("did you mean \"{}\"? ", path.with_file_name(name).display()));
    let (near, path) = (near.unwrap_or_default(), path.display());
    let text = format!(
        "there is no database at \"{path}\"\n hint: {near}to make one, trimorph.connect(\"{path}\", mode=\"create\")"
    );
    Err(error::StorageError::new_err(text))
}

/// Opens a database and connects to it; closing the connection closes the database.
///
/// `mode` says what is done where `path` has no database: `"open"`, unless told, refuses, so that a
/// misspelt path makes no directory; `"create"` makes one. `"read"` is `read_only=True`. The other
/// options are those of `Database`, which makes what is not there.
#[pyfunction]
#[pyo3(
    signature = (path = PathBuf::from(MEMORY), read_only = false, memory_limit = None, threads = None, huge_pages = true, test_procedures = false, temp_directory = None, spill_limit = None, isolation = None, idle_timeout = None, durability = "durable", relaxed_interval = 0.1, must_exist = false, recover_to_damage = false, timeout = None, checkpoint_interval = 300.0, follow_interval = 0.1, file_access = true, network_access = false, network_timeout = 120.0, mode = None),
    text_signature = "(path=':memory:', read_only=False, memory_limit=None, threads=None, huge_pages=True, test_procedures=False, temp_directory=None, spill_limit=None, isolation='serializable', idle_timeout=3600, durability='durable', relaxed_interval=0.1, must_exist=False, recover_to_damage=False, timeout=None, checkpoint_interval=300, follow_interval=0.1, file_access=True, network_access=False, network_timeout=120, mode='open')"
)]
#[expect(clippy::too_many_arguments, reason = "options of one call in Python")]
pub(crate) fn connect(
    py: Python<'_>,
    path: PathBuf,
    read_only: bool,
    memory_limit: Option<Bound<'_, PyAny>>,
    threads: Option<usize>,
    huge_pages: bool,
    test_procedures: bool,
    temp_directory: Option<PathBuf>,
    spill_limit: Option<Bound<'_, PyAny>>,
    isolation: Option<&str>,
    idle_timeout: Option<f64>,
    durability: &str,
    relaxed_interval: f64,
    must_exist: bool,
    recover_to_damage: bool,
    timeout: Option<f64>,
    checkpoint_interval: Option<f64>,
    follow_interval: Option<f64>,
    file_access: bool,
    network_access: bool,
    network_timeout: f64,
    mode: Option<&str>,
) -> PyResult<Connection> {
    let mode = mode_of(mode, &path, read_only)?;
    if mode == Mode::Open {
        is_there(py, &path)?;
    }
    let database = Database::new(
        py,
        path,
        mode == Mode::Read,
        memory_limit,
        threads,
        huge_pages,
        test_procedures,
        temp_directory,
        spill_limit,
        isolation,
        idle_timeout,
        durability,
        relaxed_interval,
        must_exist,
        recover_to_damage,
        timeout,
        checkpoint_interval,
        follow_interval,
        file_access,
        network_access,
        network_timeout,
    )?;
    database.connection(true)
}

/// When commits last.
fn durability_of(name: &str, relaxed_interval: f64) -> PyResult<Durability> {
    match name {
        "durable" => Ok(Durability::Durable),
        "memory" => Ok(Durability::Memory),
        "relaxed" => match Duration::try_from_secs_f64(relaxed_interval) {
            Ok(interval) if !interval.is_zero() => Ok(Durability::Relaxed { interval }),
            _ => Err(PyValueError::new_err("relaxed_interval must be a number of seconds above 0")),
        },
        _ => {
            let text = format!("durability must be \"durable\", \"relaxed\" or \"memory\", not {name:?}");
            Err(PyValueError::new_err(text))
        }
    }
}

/// Bytes of `8_000_000_000`, `"8GB"`, `"512 MiB"`.
fn bytes_of(name: &str, limit: &Bound<'_, PyAny>) -> PyResult<usize> {
    let bad = || {
        PyValueError::new_err(format!(
            "{name} must be a number of bytes or a text such as \"8GB\" or \"512MiB\", not {limit}"
        ))
    };
    let Ok(text) = limit.extract::<String>() else { return limit.extract().map_err(|_| bad()) };
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..at].parse().map_err(|_| bad())?;
    let unit = match text[at..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(bad()),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0; saturates")]
    Ok((number * unit) as usize)
}

type ColumnStats = (String, trimorph::LogicalType, Vec<(&'static str, usize)>);

fn columns_list<'py>(py: Python<'py>, columns: &[ColumnStats]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (name, ty, encodings) in columns {
        let column = PyDict::new(py);
        column.set_item("name", name)?;
        column.set_item("type", ty.name())?;
        let counts = PyDict::new(py);
        for (encoding, count) in encodings {
            counts.set_item(*encoding, count)?;
        }
        column.set_item("encodings", counts)?;
        list.append(column)?;
    }
    Ok(list)
}

fn stats_dict<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("nodes", stats.nodes())?;
    out.set_item("relationships", stats.edges())?;
    let nodes = PyList::empty(py);
    for table in &stats.node_tables {
        let dict = PyDict::new(py);
        dict.set_item("labels", &table.labels)?;
        dict.set_item("rows", table.rows)?;
        dict.set_item("key", &table.key)?;
        dict.set_item("columns", columns_list(py, &table.columns)?)?;
        nodes.append(dict)?;
    }
    out.set_item("node_tables", nodes)?;
    let edges = PyList::empty(py);
    for table in &stats.edge_tables {
        let dict = PyDict::new(py);
        dict.set_item("type", &table.label)?;
        dict.set_item("source", &table.source)?;
        let targets = PyList::empty(py);
        for (labels, count) in &table.targets {
            let target = PyDict::new(py);
            target.set_item("labels", labels)?;
            target.set_item("relationships", count)?;
            targets.append(target)?;
        }
        dict.set_item("targets", targets)?;
        dict.set_item("rows", table.edges)?;
        dict.set_item("single_forward", table.single_forward)?;
        dict.set_item("columns", columns_list(py, &table.columns)?)?;
        edges.append(dict)?;
    }
    out.set_item("edge_tables", edges)?;
    let components = PyDict::new(py);
    for (name, bytes) in &stats.components {
        components.set_item(*name, bytes)?;
    }
    out.set_item("components", components)?;
    out.set_item("total_bytes", stats.total_bytes)?;
    out.set_item("piece_bytes", stats.piece_bytes)?;
    out.set_item("delta_bytes", stats.delta_bytes)?;
    out.set_item("resident_bytes", stats.resident_bytes)?;
    out.set_item("pieces_read", stats.pieces_read)?;
    out.set_item("bytes_read", stats.bytes_read)?;
    out.set_item("pieces_dropped", stats.pieces_dropped)?;
    let following = stats.following.as_ref().map(|lag| {
        let dict = PyDict::new(py);
        dict.set_item("last_commit", lag.last_commit)?;
        dict.set_item("last_commit_at", lag.last_commit_at.map(|micros| micros as f64 / 1e6))?;
        dict.set_item("since_look", lag.since_look.as_secs_f64())?;
        dict.set_item("waiting", lag.waiting)?;
        dict.set_item("error", lag.error.as_deref())?;
        PyResult::Ok(dict)
    });
    out.set_item("following", following.transpose()?)?;
    Ok(out)
}
