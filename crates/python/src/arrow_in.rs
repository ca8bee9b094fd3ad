//! Objects of the Arrow PyCapsule protocol in, readers of record batches out: buffers are shared, not copied.
//!
//! What is taken was made by another library. It says that it keeps Arrow's rules; who reads the batches
//! checks what can be checked (`trimorph_loader::frames`).

#![expect(unsafe_code, reason = "Arrow's C interface")]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A reader of record batches that any thread may use.
pub(crate) type Reader = Box<dyn RecordBatchReader + Send>;

fn raise(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What can be read of `data` as record batches; none where it has no such thing.
///
/// **Errors**: what `data` raises; a stream that is of something else than tables.
pub(crate) fn reader(data: &Bound<'_, PyAny>) -> PyResult<Option<Reader>> {
    if data.hasattr("__arrow_c_stream__")? {
        return stream(&data.call_method0("__arrow_c_stream__")?).map(Some);
    }
    if data.hasattr("__arrow_c_array__")? {
        let (schema, array) = data.call_method0("__arrow_c_array__")?.extract()?;
        return batch(&schema, &array).map(Some);
    }
    Ok(None)
}

/// One array.
///
/// **Errors**: what `data` raises.
pub(crate) fn array(data: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        data.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: as for a batch, below.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.cast().as_ptr());
        from_ffi(FFI_ArrowArray::from_raw(array.cast().as_ptr()), &schema)
    };
    Ok(make_array(data.map_err(|e| raise(&e))?))
}

fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<Reader> {
    let place = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name points to such a struct, by the protocol. It is moved out, and what is
    // left there says that it was released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(place.cast().as_ptr()) };
    let reader = ArrowArrayStreamReader::try_new(stream).map_err(|e| raise(&e))?;
    Ok(Box::new(reader))
}

fn batch(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Reader> {
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: capsules of these names point to such structs, by the protocol; both are moved out. They belong
    // together because one call gave them.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.cast().as_ptr());
        from_ffi(FFI_ArrowArray::from_raw(array.cast().as_ptr()), &schema)
    };
    let data = data.map_err(|e| raise(&e))?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        let text = format!("an Arrow array of type {} is no table", data.data_type());
        return Err(PyTypeError::new_err(text));
    }
    let batch = RecordBatch::from(StructArray::from(data));
    let schema = batch.schema();
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}
