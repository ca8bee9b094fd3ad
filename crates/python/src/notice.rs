//! `Notice`: an engine notice as a Python object.

use pyo3::prelude::*;

/// Something to know of a query that is right: a label, relationship type or property that nothing in the
/// graph has, or a column that had to become text.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Notice(pub(crate) trimorph::Notice);

#[pymethods]
impl Notice {
    /// The kind of notice: `UnknownLabel`, `UnknownRelationshipType`, `UnknownProperty` or `ColumnAsText`.
    #[getter]
    fn detail(&self) -> &'static str {
        self.0.detail
    }

    /// What is odd.
    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    #[getter]
    fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The line in the query, from 1; 0 where no place in it is to blame.
    #[getter]
    fn line(&self) -> usize {
        self.0.line
    }

    /// The column in the line, from 1; 0 where the line is.
    #[getter]
    fn column(&self) -> usize {
        self.0.column
    }

    /// The message with the line of the query and a caret, as errors have it.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let hint = self.0.hint.as_deref().map(|h| format!(", {h}")).unwrap_or_default();
        format!("<Notice {}:{} {}{hint}>", self.0.line, self.0.column, self.0.message)
    }
}
