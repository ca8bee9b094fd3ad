//! What connections and transactions do alike: text and parameters in, a lazy result out; begin, commit, roll
//! back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use trimorph::{CancelToken, TransactionOptions};

use crate::cell::Cell;
use crate::forks::outside;
use crate::handle::Handle;
use crate::result::QueryResult;
use crate::{error, from_python, interrupt};

/// Runs a query; `params` are the values of `$name` in it.
pub(crate) fn execute(
    py: Python<'_>,
    (handle, cell): (&Handle, &Arc<Cell>),
    text: &str,
    params: Option<&Bound<'_, PyAny>>,
    (lang, timeout): (&str, Option<Duration>),
) -> PyResult<QueryResult> {
    if lang == "sparql" {
        return sparql(py, (handle, cell), (text, params), None, timeout);
    }
    check_language(py, lang)?;
    let params = cell.parameters(from_python::parameters(params, handle.source)?);
    let engine = cell.engine()?;
    let cancel = until(timeout);
    cell.runs(&cancel);
    let begun = Instant::now();
    // Ctrl-C finds it done.
    let result = match outside(py, || engine.execute_small(text, &params, &cancel)) {
        Some(done) => done.map_err(|e| interrupt::raise(py, &e))?,
        None => interrupt::run(py, &cancel, || engine.execute_until(text, params, cancel.clone()))?,
    };
    QueryResult::new(py, result, text, (cancel.clone(), begun), Arc::clone(cell), handle.source)
}

/// What stops a query, also by itself after some time.
pub(crate) fn until(timeout: Option<Duration>) -> CancelToken {
    let cancel = CancelToken::default();
    // What is beyond the clock's end is never.
    let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    end.map_or(cancel.clone(), |end| cancel.until(end))
}

/// Runs a SPARQL text, some of whose variables have values; relative IRIs are relative to `base`.
pub(crate) fn sparql(
    py: Python<'_>,
    (handle, cell): (&Handle, &Arc<Cell>),
    (text, params): (&str, Option<&Bound<'_, PyAny>>),
    base: Option<&str>,
    timeout: Option<Duration>,
) -> PyResult<QueryResult> {
    let params = from_python::parameters(params, handle.source)?;
    let engine = cell.engine()?;
    let cancel = until(timeout);
    cell.runs(&cancel);
    let begun = Instant::now();
    let result = interrupt::run(py, &cancel, || engine.sparql_until(text, params, base, cancel.clone()))?;
    QueryResult::new(py, result, text, (cancel.clone(), begun), Arc::clone(cell), handle.source)
}

/// Begins a transaction of the connection.
pub(crate) fn begin(py: Python<'_>, cell: &Cell, options: TransactionOptions) -> PyResult<()> {
    let engine = cell.engine()?;
    outside(py, || engine.begin_with(options)).map_err(|e| error::from_engine(py, &e))
}

/// Commits it.
pub(crate) fn commit(py: Python<'_>, cell: &Cell) -> PyResult<()> {
    let engine = cell.engine()?;
    if cell.is_lenient() && !cell.in_transaction(py)? {
        return Ok(());
    }
    outside(py, || engine.commit()).map_err(|e| error::from_engine(py, &e))
}

/// Undoes it.
pub(crate) fn rollback(py: Python<'_>, cell: &Cell) -> PyResult<()> {
    let engine = cell.engine()?;
    if cell.is_lenient() && !cell.in_transaction(py)? {
        return Ok(());
    }
    outside(py, || engine.rollback()).map_err(|e| error::from_engine(py, &e))
}

pub(crate) fn check_language(py: Python<'_>, lang: &str) -> PyResult<()> {
    match lang {
        "cypher" => Ok(()),
        "sql" => {
            let primary = "SQL is not available in this version";
            Err(error::unsupported(py, "UnsupportedLanguage", primary, "ask in openCypher or SPARQL"))
        }
        _ => Err(PyValueError::new_err(format!(
            "there is no language \"{lang}\"; known are cypher, sparql, sql"
        ))),
    }
}
