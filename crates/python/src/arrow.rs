//! Record batches out through the Arrow C interfaces: buffers are shared, not copied.
//!
//! Three ways, by who reads: [`ArrowTable`] has all batches; [`stream`] computes them as a consumer in C
//! asks, with or without the GIL, and can say of an error only its text; [`ArrowBatches`] does so for an
//! iterator in Python and raises what it met.

use arrow_array::ffi::{FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use trimorph::Error;

use crate::interrupt;
use crate::shared::Shared;

/// Batches that any consumer of the Arrow PyCapsule protocol can take, more than once.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct ArrowTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ArrowTable {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// The stream. The consumer moves it out and releases it; if none does, the capsule's end releases it.
    pub(crate) fn capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = RecordBatchIterator::new(self.batches.clone().into_iter().map(Ok), self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

#[pymethods]
impl ArrowTable {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        self.capsule(py)
    }
}

/// A result's rows as a C stream, computed as they are taken.
///
/// **Errors**: an early one is raised; one in the middle is the stream's, as text, and the result raises it
/// when it is read on.
pub(crate) fn stream(py: Python<'_>, shared: Shared) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = shared.schema(py)?;
    let stream = FFI_ArrowArrayStream::new(Box::new(Reader { schema, shared }));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

struct Reader {
    schema: SchemaRef,
    shared: Shared,
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // A signal that came meanwhile stays noted: Python raises it when the consumer has returned to it.
        let next = |py: Python<'_>| self.shared.next_batch(py, arrow_error);
        let closing = || Err(ArrowError::ComputeError("the interpreter is shutting down".into()));
        Python::try_attach(next).unwrap_or_else(closing).transpose()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The kinds of errors that the C interface has numbers for, and the rest as text.
fn arrow_error(error: &Error) -> ArrowError {
    match error {
        Error::Memory(_) => ArrowError::MemoryError(error.to_string()),
        _ => ArrowError::ComputeError(error.to_string()),
    }
}

fn raise(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An iterator over a result's batches that are computed as it goes.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct ArrowBatches {
    schema: SchemaRef,
    shared: Shared,
}

impl ArrowBatches {
    pub(crate) fn new(shared: Shared, py: Python<'_>) -> PyResult<Self> {
        Ok(Self { schema: shared.schema(py)?, shared })
    }
}

#[pymethods]
impl ArrowBatches {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(|e| raise(&e))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArrowBatch>> {
        let batch = self.shared.next_batch(py, |e| interrupt::raise(py, e))?;
        py.check_signals()?;
        Ok(batch.map(ArrowBatch))
    }
}

/// One batch for any consumer of the Arrow PyCapsule protocol.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct ArrowBatch(RecordBatch);

#[pymethods]
impl ArrowBatch {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let (array, schema) = to_ffi(&StructArray::from(self.0.clone()).to_data()).map_err(|e| raise(&e))?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}
