//! RDF terms that Python has no type for: IRIs, blank nodes, and literals with a language or an unknown
//! datatype.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use trimorph::{Literal, LiteralKind, Value};
use trimorph_types::format::{IdsOnly, format_value};

/// An IRI.
#[pyclass(frozen, eq, hash, module = "trimorph", name = "IRI")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Iri(pub(crate) Arc<str>);

#[pymethods]
impl Iri {
    #[new]
    fn new(value: &str) -> Self {
        Self(value.into())
    }

    /// The IRI, without angle brackets.
    #[getter]
    fn value(&self) -> &str {
        &self.0
    }

    /// `<iri>`.
    fn __str__(&self) -> String {
        format_value(&Value::Iri(self.0.clone()), &IdsOnly)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("trimorph.IRI({})", quoted(py, &self.0)?))
    }

    fn __reduce__(&self, py: Python<'_>) -> (Py<PyAny>, (String,)) {
        (py.get_type::<Self>().into_any().unbind(), (self.0.to_string(),))
    }
}

/// A blank node: known by its label only, within one database.
#[pyclass(frozen, eq, hash, module = "trimorph")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct BlankNode(pub(crate) Arc<str>);

/// What the name of a blank node begins with.
const BLANK: &str = "_:";

impl BlankNode {
    /// The blank node that an IRI of ours stands for.
    pub(crate) fn of(iri: &Arc<str>) -> Option<Self> {
        iri.starts_with(BLANK).then(|| Self(Arc::clone(iri)))
    }
}

#[pymethods]
impl BlankNode {
    /// With or without `_:` in front.
    #[new]
    fn new(value: &str) -> PyResult<Self> {
        let label = value.strip_prefix(BLANK).unwrap_or(value);
        let is_label = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if label.is_empty() || !label.chars().all(is_label) {
            return Err(PyValueError::new_err("a blank node's label is of letters, digits and _"));
        }
        Ok(Self(format!("{BLANK}{label}").into()))
    }

    /// The label, without `_:`.
    #[getter]
    fn value(&self) -> &str {
        self.0.strip_prefix(BLANK).unwrap_or(&self.0)
    }

    /// `_:label`.
    fn __str__(&self) -> &str {
        &self.0
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("trimorph.BlankNode({})", quoted(py, self.value())?))
    }

    fn __reduce__(&self, py: Python<'_>) -> (Py<PyAny>, (String,)) {
        (py.get_type::<Self>().into_any().unbind(), (self.value().to_owned(),))
    }
}

/// A text with a language tag, or of a datatype that no other type stands for. Tags are compared without
/// regard to case.
#[pyclass(frozen, eq, hash, module = "trimorph", name = "Literal")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct RdfLiteral(pub(crate) Arc<Literal>);

#[pymethods]
impl RdfLiteral {
    /// Exactly one of `language` and `datatype` (an IRI) is given: a plain text is a `str`.
    #[new]
    #[pyo3(signature = (lexical, language = None, datatype = None))]
    fn new(lexical: &str, language: Option<&str>, datatype: Option<&str>) -> PyResult<Self> {
        match (language, datatype) {
            (Some(tag), None) => Ok(Self(Arc::new(Literal::in_language(lexical, tag)))),
            (None, Some(iri)) => Ok(Self(Arc::new(Literal::of_datatype(lexical, iri)))),
            _ => Err(PyValueError::new_err("a literal has either a language or a datatype")),
        }
    }

    /// The text.
    #[getter]
    fn lexical(&self) -> &str {
        &self.0.lexical
    }

    /// The language tag as it was written, or `None`.
    #[getter]
    fn language(&self) -> Option<&str> {
        if let LiteralKind::Language(tag) = &self.0.kind { Some(tag) } else { None }
    }

    /// The IRI of the datatype, or `None`.
    #[getter]
    fn datatype(&self) -> Option<&str> {
        if let LiteralKind::Datatype(iri) = &self.0.kind { Some(iri) } else { None }
    }

    /// `'text'@en` or `'text'^^<datatype>`.
    fn __str__(&self) -> String {
        format_value(&Value::Literal(self.0.clone()), &IdsOnly)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (name, of) = match &self.0.kind {
            LiteralKind::Language(tag) => ("language", tag),
            LiteralKind::Datatype(iri) => ("datatype", iri),
        };
        let lexical = quoted(py, &self.0.lexical)?;
        Ok(format!("trimorph.Literal({lexical}, {name}={})", quoted(py, of)?))
    }

    fn __reduce__(&self, py: Python<'_>) -> (Py<PyAny>, (String, Option<String>, Option<String>)) {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let arguments = (self.lexical().to_owned(), own(self.language()), own(self.datatype()));
        (py.get_type::<Self>().into_any().unbind(), arguments)
    }
}

/// Python's own form of a text.
fn quoted(py: Python<'_>, text: &str) -> PyResult<String> {
    Ok(pyo3::types::PyString::new(py, text).repr()?.to_string())
}

/// RDF given instead of a file.
#[derive(FromPyObject)]
pub(crate) enum RdfText {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl RdfText {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}
