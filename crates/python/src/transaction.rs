//! `Transaction`: what `with conn.transaction() as tx:` gives: begun on entering, committed or rolled back on
//! leaving.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cell::Cell;
use crate::handle::Handle;
use crate::result::QueryResult;
use crate::{error, execute};

/// A transaction of a connection.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Transaction {
    handle: Arc<Handle>,
    cell: Arc<Cell>,
}

/// Checks the level that is asked for.
///
/// **Errors**: one that there is not, or not yet.
fn check_isolation(py: Python<'_>, isolation: &str) -> PyResult<()> {
    match isolation {
        "snapshot" => Ok(()),
        "serializable" | "read committed" => {
            let primary = format!("isolation level \"{isolation}\" is not available in this version");
            Err(error::unsupported(py, "UnsupportedIsolation", &primary, "use \"snapshot\""))
        }
        _ => Err(PyValueError::new_err(format!(
            "there is no isolation level \"{isolation}\"; known are serializable, snapshot, read committed"
        ))),
    }
}

impl Transaction {
    pub(crate) fn new(
        py: Python<'_>,
        handle: Arc<Handle>,
        cell: Arc<Cell>,
        isolation: &str,
    ) -> PyResult<Self> {
        check_isolation(py, isolation)?;
        cell.engine()?;
        Ok(Self { handle, cell })
    }
}

#[pymethods]
impl Transaction {
    /// Runs a query within the transaction.
    #[pyo3(signature = (text, params = None, lang = "cypher"))]
    fn execute(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        lang: &str,
    ) -> PyResult<QueryResult> {
        execute::execute(py, (&self.handle, &self.cell), text, params, lang)
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
        execute::begin(py, &slf.get().cell)?;
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
        let engine = self.cell.engine()?;
        if !engine.in_transaction() {
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
