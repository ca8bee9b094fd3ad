//! Functions of Python called from queries: columns of values in, a value for each row out.
//!
//! * A native function is called value by value with Python's objects; one over Arrow once for many rows,
//!   with `pyarrow` arrays.
//! * Queries run without the GIL, on several threads: who calls a function takes it for the call. While a
//!   function runs, its thread may not ask the database: the query that called it holds what that would wait
//!   for.
//! * What it raises is the query's error. Ctrl-C is noted again, so that it is raised where the query was
//!   asked.

use std::cell::Cell;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi::to_ffi;
use arrow_array::{Array as _, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use trimorph::{CancelToken, Diagnostic, Value, function_failed};

use crate::entity::Source;
use crate::to_python::ToPython;
use crate::{arrow_in, from_python};

/// Rows between looks at whether the query is to stop.
const ROWS_PER_LOOK: usize = 64;

thread_local! {
    /// How many functions run on this thread, one within the other.
    static RUNNING: Cell<u32> = const { Cell::new(0) };
}

/// Whether a function runs on this thread.
pub(crate) fn is_running() -> bool {
    RUNNING.get() > 0
}

/// While it lives, a function runs on this thread.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.set(RUNNING.get() + 1);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get() - 1);
    }
}

/// A function of Python.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) callable: Py<PyAny>,
    /// Called with arrays, not with values.
    pub(crate) takes_arrays: bool,
    /// What raises gives null.
    pub(crate) null_on_error: bool,
    pub(crate) source: Source,
}

impl Function {
    /// The results of some rows.
    pub(crate) fn call(
        &self,
        columns: &[Vec<Value>],
        rows: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Value>, Diagnostic> {
        let called = Python::try_attach(|py| {
            let _running = Running::new();
            match self.takes_arrays {
                true => self.call_with_arrays(py, columns, rows, cancel),
                false => self.call_with_values(py, columns, rows, cancel),
            }
        });
        called.unwrap_or_else(|| Err(function_failed(&self.name, "the interpreter is shutting down")))
    }

    fn call_with_values(
        &self,
        py: Python<'_>,
        columns: &[Vec<Value>],
        rows: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Value>, Diagnostic> {
        let callable = self.callable.bind(py);
        let to_python = ToPython::new(None, self.source);
        let mut out = Vec::with_capacity(rows);
        for row in 0..rows {
            if row % ROWS_PER_LOOK == 0 && cancel.is_cancelled() {
                return Err(*Diagnostic::cancelled());
            }
            let value = || {
                let args = columns.iter().map(|column| to_python.value(py, &column[row], 0));
                let args = PyTuple::new(py, args.collect::<PyResult<Vec<_>>>()?)?;
                callable.call1(args)
            };
            out.push(match value() {
                Ok(value) => from_python::cell(&value, self.source).map_err(|why| {
                    function_failed(&self.name, &format!("it gave what is no value: {why}"))
                })?,
                Err(raised) => self.raised(py, raised, cancel)?,
            });
        }
        Ok(out)
    }

    fn call_with_arrays(
        &self,
        py: Python<'_>,
        columns: &[Vec<Value>],
        rows: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Value>, Diagnostic> {
        if cancel.is_cancelled() {
            return Err(*Diagnostic::cancelled());
        }
        let call = || {
            let helpers = py.import("trimorph._functions")?;
            let arrays = columns.iter().map(|column| self.array(&helpers, column));
            let args = PyTuple::new(py, arrays.collect::<PyResult<Vec<_>>>()?)?;
            let answer = self.callable.bind(py).call1(args)?;
            let array = helpers.getattr("as_array")?.call1((answer, rows))?;
            let found = arrow_in::array(&array)?;
            trimorph::values_of_arrow(found.as_ref()).map_err(PyValueError::new_err)
        };
        match call() {
            Ok(values) => Ok(values),
            Err(raised) => self.raised(py, raised, cancel).map(|null| vec![null; rows]),
        }
    }

    /// A column as an array of `pyarrow`: of plain values without a detour.
    fn array<'py>(&self, helpers: &Bound<'py, PyModule>, column: &[Value]) -> PyResult<Bound<'py, PyAny>> {
        let py = helpers.py();
        let to_array = helpers.getattr("to_array")?;
        if let Some(array) = plain_array(column) {
            return to_array.call1((ArrowColumn(array),));
        }
        let to_python = ToPython::new(None, self.source);
        let values = column.iter().map(|value| to_python.value(py, value, 0));
        to_array.call1((PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?,))
    }

    /// What a query makes of what a function raised.
    fn raised(&self, py: Python<'_>, raised: PyErr, cancel: &CancelToken) -> Result<Value, Diagnostic> {
        if raised.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
            cancel.cancel();
            // As if it had come just now: whoever asked the query raises it.
            let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
            return Err(*Diagnostic::cancelled());
        }
        if self.null_on_error && raised.is_instance_of::<PyException>(py) {
            return Ok(Value::Null);
        }
        let kind = raised.get_type(py).name().map_or_else(|_| "error".to_owned(), |name| name.to_string());
        let text = raised.value(py).to_string();
        let why = if text.is_empty() { kind } else { format!("{kind}: {text}") };
        Err(function_failed(&self.name, &why))
    }
}

/// An array of values of one plain type and nulls.
fn plain_array(column: &[Value]) -> Option<ArrayRef> {
    macro_rules! array {
        ($array:ty, $($pattern:pat => $value:expr),+) => {{
            let values = column.iter().map(|value| match value {
                $($pattern => Some(Some($value)),)+
                Value::Null => Some(None),
                _ => None,
            });
            Some(Arc::new(values.collect::<Option<$array>>()?) as ArrayRef)
        }};
    }
    match column.iter().find(|value| !value.is_null())? {
        Value::Bool(_) => array!(BooleanArray, Value::Bool(x) => *x),
        Value::Int(_) => array!(Int64Array, Value::Int(x) => *x),
        Value::Float(_) => array!(Float64Array, Value::Float(x) => *x),
        Value::String(_) => array!(StringArray, Value::String(x) => x.to_string()),
        Value::Date(_) => array!(Date32Array, Value::Date(x) => i32::try_from(x.days).ok()?),
        _ => None,
    }
}

/// An array for any consumer of the Arrow PyCapsule protocol.
#[pyclass(frozen, module = "trimorph")]
struct ArrowColumn(ArrayRef);

#[pymethods]
impl ArrowColumn {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let (array, schema): (_, FFI_ArrowSchema) =
            to_ffi(&self.0.to_data()).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}
