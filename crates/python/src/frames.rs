//! Frames of Python in, frames of the engine out: `trimorph._frames` sorts out what was given, this takes the
//! buffers, and converts what has none.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use trimorph::{EdgeFrame, Frame, FrameEnd, FrameRows, Frames, NodeFrame, Value};

use crate::arrow_in;
use crate::entity::Source;
use crate::error::LoadError;
use crate::from_python;

/// What `Database.load` was given as frames.
pub(crate) struct Given<'py> {
    pub(crate) nodes: Option<Bound<'py, PyAny>>,
    pub(crate) edges: Option<Bound<'py, PyAny>>,
    pub(crate) key: Option<Bound<'py, PyAny>>,
    pub(crate) source: Option<Bound<'py, PyAny>>,
    pub(crate) target: Option<Bound<'py, PyAny>>,
}

/// Values between two looks at signals.
const VALUES_BETWEEN_LOOKS: usize = 1 << 14;

/// The engine's frames of two lists that are sorted out already.
pub(crate) fn of_lists(
    nodes: &Bound<'_, PyList>,
    edges: &Bound<'_, PyList>,
    source: Source,
) -> PyResult<Frames> {
    let mut frames = Frames::default();
    for node in nodes {
        let (name, data, bytes, labels, key, hides_key, space) = node.extract()?;
        let frame = frame(name, &data, bytes, source)?;
        frames.nodes.push(NodeFrame { frame, labels, key, hides_key, space });
    }
    for edge in edges {
        let (name, data, bytes, (from, label, to), from_column, to_column) = edge.extract()?;
        frames.edges.push(EdgeFrame {
            frame: frame(name, &data, bytes, source)?,
            label,
            from: FrameEnd { label: from, column: from_column },
            to: FrameEnd { label: to, column: to_column },
        });
    }
    Ok(frames)
}

/// The engine's frames.
///
/// **Errors**: what is no frame; values that no property can hold.
pub(crate) fn frames(py: Python<'_>, given: Given<'_>, source: Source) -> PyResult<Frames> {
    let sorted = py.import("trimorph._frames")?.getattr("sorted_out")?;
    let (nodes, edges): (Bound<'_, PyList>, Bound<'_, PyList>) =
        sorted.call1((given.nodes, given.edges, given.key, given.source, given.target))?.extract()?;
    of_lists(&nodes, &edges, source)
}

fn frame(name: String, data: &Bound<'_, PyAny>, bytes: Option<u64>, source: Source) -> PyResult<Frame> {
    let rows = match data.cast::<PyDict>() {
        Ok(columns) => FrameRows::Values(values(&name, columns, source)?),
        Err(_) => match arrow_in::reader(data) {
            Ok(Some(reader)) => FrameRows::Batches(reader),
            Ok(None) => return Err(LoadError::new_err(format!("{name}: it is no frame"))),
            Err(error) => {
                let text = format!("{name}: {}", error.value(data.py()));
                let raised = LoadError::new_err(text);
                raised.set_cause(data.py(), Some(error));
                return Err(raised);
            }
        },
    };
    Ok(Frame { name, rows, bytes })
}

/// Columns of Python's objects.
fn values(name: &str, columns: &Bound<'_, PyDict>, source: Source) -> PyResult<Vec<(String, Vec<Value>)>> {
    let py = columns.py();
    let mut out = Vec::with_capacity(columns.len());
    for (column, cells) in columns {
        let column = column.cast::<PyString>()?.to_cow()?.into_owned();
        let cells = cells.cast::<PyList>()?;
        let mut values = Vec::with_capacity(cells.len());
        for (row, cell) in cells.iter().enumerate() {
            if row % VALUES_BETWEEN_LOOKS == 0 {
                py.check_signals()?;
            }
            let value = from_python::cell(&cell, source).map_err(|reason| {
                LoadError::new_err(format!("{name}, row {row}: column \"{column}\": {reason}"))
            })?;
            values.push(value);
        }
        out.push((column, values));
    }
    Ok(out)
}
