//! Arrays of dictionary entries or of runs in, arrays with a value for each row out.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, ArrayRef, RunArray, UInt64Array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;

/// The array without its outermost encoding; none if it has none.
pub(super) fn of(array: &dyn Array) -> Result<Option<ArrayRef>, String> {
    let any = array.as_any();
    let plain = match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            take(dictionary.values().as_ref(), dictionary.keys(), None)
        }
        DataType::RunEndEncoded(..) => {
            if let Some(runs) = any.downcast_ref::<RunArray<Int16Type>>() {
                of_runs(runs)
            } else if let Some(runs) = any.downcast_ref::<RunArray<Int32Type>>() {
                of_runs(runs)
            } else {
                of_runs(any.downcast_ref::<RunArray<Int64Type>>().ok_or("ends of runs are no integers")?)
            }
        }
        _ => return Ok(None),
    };
    plain.map(Some).map_err(|e| e.to_string())
}

fn of_runs<R: RunEndIndexType>(runs: &RunArray<R>) -> Result<ArrayRef, ArrowError> {
    let mut places: Vec<u64> = Vec::with_capacity(runs.len());
    for (run, end) in runs.run_ends().sliced_values().enumerate() {
        places.resize(end.as_usize(), run as u64);
    }
    take(runs.values_slice().as_ref(), &UInt64Array::from(places), None)
}
