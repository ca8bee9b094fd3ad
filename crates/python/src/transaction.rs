//! `Transaction`: what `with conn.transaction() as tx:` gives: begun on entering, committed or rolled back on
//! leaving.

use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use trimorph::{Isolation, TransactionOptions};

use crate::cell::Cell;
use crate::error;
use crate::execute;
use crate::handle::Handle;
use crate::result::QueryResult;

/// A transaction of a connection.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Transaction {
    handle: Arc<Handle>,
    cell: Arc<Cell>,
    options: TransactionOptions,
}

/// The level of a name.
///
/// **Errors**: one that there is not.
pub(crate) fn isolation(name: Option<&str>) -> PyResult<Option<Isolation>> {
    match name {
        None => Ok(None),
        Some("serializable") => Ok(Some(Isolation::Serializable)),
        Some("snapshot") => Ok(Some(Isolation::Snapshot)),
        Some("read committed" | "read_committed") => Ok(Some(Isolation::ReadCommitted)),
        Some(name) => Err(PyValueError::new_err(format!(
            "there is no isolation level \"{name}\"; known are serializable, snapshot, read committed"
        ))),
    }
}

/// How a transaction is to be run; `timeout` in seconds.
///
/// **Errors**: a level that there is not; a timeout that is no time.
pub(crate) fn options(
    level: Option<&str>,
    timeout: Option<f64>,
    read_only: bool,
) -> PyResult<TransactionOptions> {
    Ok(TransactionOptions { isolation: isolation(level)?, timeout: seconds("timeout", timeout)?, read_only })
}

/// A time that a call was given, in seconds.
pub(crate) fn seconds(name: &str, given: Option<f64>) -> PyResult<Option<Duration>> {
    let wrong = |seconds| format!("{name} is a number of seconds, 0 or more, not {seconds}");
    let time =
        |seconds| Duration::try_from_secs_f64(seconds).map_err(|_| PyValueError::new_err(wrong(seconds)));
    given.map(time).transpose()
}

impl Transaction {
    pub(crate) fn new(handle: Arc<Handle>, cell: Arc<Cell>, options: TransactionOptions) -> PyResult<Self> {
        cell.engine()?;
        Ok(Self { handle, cell, options })
    }

    /// **Errors**: it was not begun, or is over. What is asked would be a transaction of its own.
    fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        if self.cell.in_transaction(py)? {
            return Ok(());
        }
        let text = "the transaction is not open; \"with conn.transaction() as tx:\" begins it, and ends it";
        Err(error::Error::new_err(text))
    }
}

#[pymethods]
impl Transaction {
    /// Runs a query within the transaction.
    #[pyo3(signature = (text, params = None, lang = "cypher", timeout = None))]
    fn execute(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        lang: &str,
        timeout: Option<f64>,
    ) -> PyResult<QueryResult> {
        self.check_open(py)?;
        let timeout = seconds("timeout", timeout)?;
        execute::execute(py, (&self.handle, &self.cell), text, params, (lang, timeout))
    }

    /// Runs a SPARQL query or update within the transaction, as `Connection.sparql` does.
    #[pyo3(signature = (text, params = None, base = None, timeout = None))]
    fn sparql(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        base: Option<&str>,
        timeout: Option<f64>,
    ) -> PyResult<QueryResult> {
        self.check_open(py)?;
        let timeout = seconds("timeout", timeout)?;
        match base {
            None => execute::execute(py, (&self.handle, &self.cell), text, params, ("sparql", timeout)),
            Some(base) => {
                execute::sparql(py, (&self.handle, &self.cell), (text, params), Some(base), timeout)
            }
        }
    }

    /// Commits; what was written is seen by others from now on.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        execute::commit(py, &self.cell)
    }

    /// Undoes all that was written.
    fn rollback(&self, py: Python<'_>) -> PyResult<()> {
        execute::rollback(py, &self.cell)
    }

    fn __enter__(slf: Py<Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        let own = slf.get();
        execute::begin(py, &own.cell, own.options)?;
        Ok(slf)
    }

    /// Commits, or rolls back where an exception is on its way; nothing where it was ended already.
    #[pyo3(signature = (kind, _value, _traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        _value: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        if !self.cell.in_transaction(py)? {
            return Ok(false);
        }
        if kind.is_none() {
            execute::commit(py, &self.cell)?;
        } else {
            execute::rollback(py, &self.cell)?;
        }
        Ok(false)
    }

    fn __repr__(&self) -> &'static str {
        "<trimorph.Transaction>"
    }
}
