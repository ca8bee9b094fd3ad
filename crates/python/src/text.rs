//! Python values in, openCypher text out; how wide a text is.

use pyo3::prelude::*;

use crate::from_python;
use crate::shown::Shown;

/// The openCypher text form of a value: `2015-07-21T21:40:32.142+01:00`, `P1Y2M`, `(:Person {name: 'Ann'})`,
/// `[1, 'a', null]`. A string that stands alone is not quoted.
#[pyfunction]
pub(crate) fn format_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut shown = Shown::default();
    let value = from_python::for_text(value, &mut shown)?;
    Ok(trimorph_types::format_value(&value, &shown))
}

/// The same with strings and temporal values quoted even where they stand alone, as the openCypher TCK writes
/// them.
#[pyfunction]
pub(crate) fn format_literal(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut shown = Shown::default();
    let value = from_python::for_text(value, &mut shown)?;
    Ok(trimorph_types::format_literal(&value, &shown))
}

/// How many columns of a terminal a text takes: letters of Chinese and most emoji take two, accents none. The
/// caret of an error is placed by the same table.
#[pyfunction]
pub(crate) fn text_width(text: &str) -> usize {
    trimorph::text_width(text)
}
