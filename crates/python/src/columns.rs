//! Frames, columns and arrays of other libraries as parameters: `trimorph._params` says what they are, this
//! makes values of their buffers, or says why it cannot.
//!
//! A frame is a list of maps, a column a list.

use pyo3::prelude::*;
use trimorph::{Shape, Value, values_of_arrow};

use crate::arrow_in::{self, Reader};

/// What an object of another library stands for.
pub(crate) enum Columns<'py> {
    /// The elements of a list.
    Values(Vec<Value>),
    /// Another object of Python that says the same.
    Plain(Bound<'py, PyAny>),
}

/// What `value` stands for; none where it is nothing that we know.
pub(crate) fn of<'py>(value: &Bound<'py, PyAny>) -> Result<Option<Columns<'py>>, String> {
    let plain = value.py().import("trimorph._params").and_then(|m| m.getattr("plain")).map_err(said)?;
    let found = plain.call1((value,)).map_err(said)?;
    if found.is_none() {
        return Ok(None);
    }
    let (kind, object): (String, Bound<'py, PyAny>) = found.extract().map_err(said)?;
    if kind == "plain" {
        return Ok(Some(Columns::Plain(object)));
    }
    let Some(reader) = arrow_in::reader(&object).map_err(said)? else { return Ok(None) };
    let values = if kind == "column" { first_column(reader) } else { rows(reader) };
    values.map(|values| Some(Columns::Values(values)))
}

/// What to give in place of a `value` that is none.
pub(crate) fn instead(value: &Bound<'_, PyAny>) -> String {
    let instead = value.py().import("trimorph._params").and_then(|m| m.getattr("instead"));
    let hint = instead.and_then(|instead| instead.call1((value,))).and_then(|hint| hint.extract());
    hint.unwrap_or_else(|_| "give what it is made of".to_owned())
}

fn said(error: PyErr) -> String {
    error.to_string()
}

/// Rows as maps of what the columns have.
fn rows(reader: Reader) -> Result<Vec<Value>, String> {
    let shape =
        Shape::new(reader.schema().fields().iter().map(|field| field.name().as_str().into()).collect());
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|e| e.to_string())?;
        let columns = shape.names().iter().zip(batch.columns()).map(|(name, column)| {
            values_of_arrow(column.as_ref()).map_err(|e| format!("column \"{name}\": {e}"))
        });
        rows.extend(shape.maps(columns.collect::<Result<_, _>>()?, batch.num_rows()).map(Value::map));
    }
    Ok(rows)
}

fn first_column(reader: Reader) -> Result<Vec<Value>, String> {
    let mut all = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|e| e.to_string())?;
        if let Some(column) = batch.columns().first() {
            all.extend(values_of_arrow(column.as_ref())?);
        }
    }
    Ok(all)
}
