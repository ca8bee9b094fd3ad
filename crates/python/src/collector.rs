//! Python's garbage collector, which looks for objects that lead to each other: of what a result is made of
//! there are none, and looking through all of it again and again takes longer than making it.

#![expect(unsafe_code, reason = "Python's interface to its collector")]

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use trimorph::Value;

/// The collector waits while this is held, and the interpreter's lock with it: all that is made is in use.
pub(crate) struct Paused<'py> {
    /// None where it waits in any case.
    collector: Option<Bound<'py, PyModule>>,
}

impl<'py> Paused<'py> {
    pub(crate) fn new(py: Python<'py>) -> PyResult<Self> {
        let collector = py.import("gc")?;
        if !collector.call_method0("isenabled")?.is_truthy()? {
            return Ok(Self { collector: None });
        }
        collector.call_method0("disable")?;
        Ok(Self { collector: Some(collector) })
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if let Some(collector) = &self.collector {
            // It takes no arguments and cannot fail.
            drop(collector.call_method0("enable"));
        }
    }
}

/// Whether what becomes of a value leads to no other object.
pub(crate) fn leads_nowhere(value: &Value) -> bool {
    !matches!(
        value,
        Value::List(_) | Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_)
    )
}

/// Tells the collector that it need not look at a tuple all of whose items lead nowhere: what it finds out
/// itself when it looks at it for the first time.
pub(crate) fn leave_alone(tuple: &Bound<'_, PyTuple>) {
    // SAFETY: it is a tuple, which has the collector's head, and we hold a reference and the interpreter's
    // lock. A tuple that is not tracked already is left as it is.
    unsafe { pyo3::ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast()) };
}
