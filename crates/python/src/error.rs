//! Engine errors in, Python exceptions out.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use trimorph::{Error as EngineError, LoadError as EngineLoadError, Phase};

pyo3::create_exception!(trimorph, Error, PyException, "Anything Trimorph can say no with.");
pyo3::create_exception!(
    trimorph,
    InterfaceError,
    Error,
    "A call that this door does not have an answer for: something closed, a result read twice."
);
pyo3::create_exception!(trimorph, DatabaseError, Error, "What the database says no to.");
pyo3::create_exception!(
    trimorph,
    OperationalError,
    DatabaseError,
    "What is about memory, files, other transactions or time, and not about the query."
);
pyo3::create_exception!(
    trimorph,
    QueryError,
    DatabaseError,
    "A query that is wrong, or met a value it cannot work with: kind, phase, detail, line, column, hint."
);
pyo3::create_exception!(
    trimorph,
    ProgrammingError,
    QueryError,
    "A query that is wrong: its syntax, a name, a parameter that is missing."
);
pyo3::create_exception!(trimorph, DataError, QueryError, "A query that met a value it cannot work with.");
pyo3::create_exception!(trimorph, IntegrityError, QueryError, "A statement that breaks a constraint.");
pyo3::create_exception!(trimorph, NotSupportedError, QueryError, "What this version cannot do.");
pyo3::create_exception!(trimorph, InternalError, QueryError, "A bug of Trimorph: please report it.");
pyo3::create_exception!(
    trimorph,
    TransactionConflict,
    OperationalError,
    "Another transaction changed the same data; try again."
);
pyo3::create_exception!(
    trimorph,
    LoadError,
    DatabaseError,
    "A bulk load that gave up; nothing of it is visible."
);
pyo3::create_exception!(
    trimorph,
    StorageError,
    OperationalError,
    "A database directory that is missing, damaged, locked or read-only."
);
pyo3::create_exception!(
    trimorph,
    MemoryLimitExceeded,
    OperationalError,
    "More memory was needed than memory_limit allows."
);
pyo3::create_exception!(
    trimorph,
    SpillError,
    MemoryLimitExceeded,
    "More memory was needed than memory_limit allows, and rows could not be put into temporary files: spill_limit, a full disk."
);
pyo3::create_exception!(trimorph, Cancelled, OperationalError, "Somebody asked the running query to stop.");
pyo3::create_exception!(trimorph, Timeout, Cancelled, "The query took longer than its timeout.");

/// All of them, for the module: those of DB-API 2.0, and ours below them.
pub(crate) fn add_to(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    for class in [
        py.get_type::<Error>(),
        py.get_type::<InterfaceError>(),
        py.get_type::<DatabaseError>(),
        py.get_type::<OperationalError>(),
        py.get_type::<QueryError>(),
        py.get_type::<ProgrammingError>(),
        py.get_type::<DataError>(),
        py.get_type::<IntegrityError>(),
        py.get_type::<NotSupportedError>(),
        py.get_type::<InternalError>(),
        py.get_type::<TransactionConflict>(),
        py.get_type::<LoadError>(),
        py.get_type::<StorageError>(),
        py.get_type::<MemoryLimitExceeded>(),
        py.get_type::<SpillError>(),
        py.get_type::<Cancelled>(),
        py.get_type::<Timeout>(),
    ] {
        m.add(class.name()?, &class)?;
    }
    Ok(())
}

const BAD_ROW: &str = "skip_bad_rows=True leaves bad rows out and goes on";
const CONFLICT: &str = "on_conflict=\"skip\" leaves nodes that are there as they are, on_conflict=\"merge\" sets their properties";

/// The exception of an engine error.
pub(crate) fn from_engine(py: Python<'_>, error: &EngineError) -> PyErr {
    let text = error.to_string();
    match error {
        EngineError::Query { diagnostic, .. } => {
            let phase = if diagnostic.phase == Phase::Compile { "compile" } else { "runtime" };
            let about = About {
                kind: diagnostic.kind.name(),
                phase,
                detail: diagnostic.detail,
                position: error.position(),
                hint: diagnostic.hint.as_deref(),
            };
            query_error(py, text, &about)
        }
        EngineError::Load(EngineLoadError::Memory(_))
        | EngineError::Memory(_)
        | EngineError::MemoryOfLog(_) => MemoryLimitExceeded::new_err(text),
        EngineError::Spill(_) => SpillError::new_err(text),
        EngineError::Load(EngineLoadError::Cancelled) => Cancelled::new_err("the load was cancelled"),
        EngineError::Load(EngineLoadError::Rejected { rejected, hint: None, .. }) => {
            let hint = if rejected.is_of_known_node() { CONFLICT } else { BAD_ROW };
            LoadError::new_err(format!("{text}\n hint: {hint}"))
        }
        EngineError::Load(_) => LoadError::new_err(text),
        EngineError::Storage(_)
        | EngineError::Io { .. }
        | EngineError::Damaged { .. }
        | EngineError::Locked { .. }
        | EngineError::ReadOnly => StorageError::new_err(text),
        EngineError::Conflict(_) => TransactionConflict::new_err(text),
        // Of a result that was closed: rows as types of their own are Rust's.
        EngineError::Row(_) => InterfaceError::new_err(text),
        EngineError::Cancelled => Cancelled::new_err(text),
        EngineError::Timeout => Timeout::new_err(text),
        _ => Error::new_err(text),
    }
}

/// Whether somebody asked for this.
pub(crate) fn is_cancelled(error: &EngineError) -> bool {
    matches!(error, EngineError::Cancelled | EngineError::Load(EngineLoadError::Cancelled))
}

/// What cannot be done in this version.
pub(crate) fn unsupported(py: Python<'_>, detail: &str, primary: &str, hint: &str) -> PyErr {
    let about = About { kind: "Unsupported", phase: "compile", detail, position: None, hint: Some(hint) };
    query_error(py, format!("Unsupported: {primary}\n hint: {hint}"), &about)
}

struct About<'a> {
    kind: &'a str,
    phase: &'a str,
    detail: &'a str,
    position: Option<(usize, usize)>,
    hint: Option<&'a str>,
}

fn query_error(py: Python<'_>, text: String, about: &About<'_>) -> PyErr {
    let error = match (about.kind, about.phase) {
        ("InternalError", _) => InternalError::new_err(text),
        ("Unsupported", _) => NotSupportedError::new_err(text),
        ("ConstraintValidationFailed" | "ConstraintVerificationFailed", _) => IntegrityError::new_err(text),
        ("ParameterMissing" | "ProcedureError", _) | (_, "compile") => ProgrammingError::new_err(text),
        _ => DataError::new_err(text),
    };
    let value = error.value(py);
    let set = || {
        value.setattr("kind", about.kind)?;
        value.setattr("phase", about.phase)?;
        value.setattr("detail", about.detail)?;
        value.setattr("line", about.position.map(|p| p.0))?;
        value.setattr("column", about.position.map(|p| p.1))?;
        value.setattr("hint", about.hint)
    };
    match set() {
        Ok(()) => error,
        Err(e) => e,
    }
}

/// An exception, as the engine hands it through.
pub(crate) struct Raised(pub(crate) PyErr);

impl Raised {
    /// Whether the transaction it came from may be tried again.
    pub(crate) fn is_conflict(&self) -> bool {
        Python::attach(|py| self.0.is_instance_of::<TransactionConflict>(py))
    }
}

impl From<EngineError> for Raised {
    fn from(error: EngineError) -> Self {
        Python::attach(|py| Self(from_engine(py, &error)))
    }
}

/// Shows a warning where Python calls from.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let warning = py.get_type::<pyo3::exceptions::PyUserWarning>();
    PyErr::warn(py, &warning, &std::ffi::CString::new(text.replace('\0', " "))?, 1)
}
