//! What Python can do with nodes, relationships and paths: make them, read them, compare them, show them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::entity::{Node, Path, Relationship};
use crate::text;

fn hash_of(kind: u8, id: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, id).hash(&mut hasher);
    hasher.finish()
}

fn property<'py>(py: Python<'py>, properties: &Py<PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    properties.bind(py).get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
}

/// The methods by which an entity reads like a mapping of its properties, and its text.
macro_rules! entity_methods {
    ($name:ident, $kind:literal, { $($body:tt)* }) => {
        #[pymethods]
        impl $name {
            $($body)*

            fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
                property(py, &self.properties, key)
            }

            fn __contains__(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
                self.properties.bind(py).contains(key)
            }

            /// The property of that name, or `default`.
            #[pyo3(signature = (key, default = None))]
            fn get<'py>(&self, py: Python<'py>, key: &str, default: Option<Bound<'py, PyAny>>) -> PyResult<Option<Bound<'py, PyAny>>> {
                Ok(self.properties.bind(py).get_item(key)?.or(default))
            }

            /// The names of the properties.
            fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.properties.bind(py).call_method0("keys")
            }

            /// Names and values of the properties.
            fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.properties.bind(py).call_method0("items")
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<Self>().is_ok_and(|o| o.get().id == self.id)
            }

            fn __hash__(&self) -> u64 {
                hash_of($kind, self.id)
            }

            fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
                text::format_value(slf.as_any())
            }
        }
    };
}

entity_methods!(Node, 0, {
    #[new]
    #[pyo3(signature = (id, labels = None, properties = None))]
    fn new(
        py: Python<'_>,
        id: u64,
        labels: Option<Vec<String>>,
        properties: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let labels = PyTuple::new(py, labels.unwrap_or_default())?.unbind();
        let properties = properties.unwrap_or_else(|| PyDict::new(py)).unbind();
        Ok(Self { id, labels, properties, source: 0 })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Node(id={}, labels={}, properties={})",
            self.id,
            self.labels.bind(py).repr()?,
            self.properties.bind(py).repr()?
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (u64, Py<PyTuple>, Py<PyDict>)) {
        (
            py.get_type::<Self>().into_any(),
            (self.id, self.labels.clone_ref(py), self.properties.clone_ref(py)),
        )
    }
});

entity_methods!(Relationship, 1, {
    #[new]
    #[pyo3(signature = (id, r#type, start, end, properties = None))]
    fn new(
        py: Python<'_>,
        id: u64,
        r#type: String,
        start: u64,
        end: u64,
        properties: Option<Bound<'_, PyDict>>,
    ) -> Self {
        let properties = properties.unwrap_or_else(|| PyDict::new(py)).unbind();
        Self { id, kind: r#type, start, end, properties, source: 0 }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Relationship(id={}, type={:?}, start={}, end={}, properties={})",
            self.id,
            self.kind,
            self.start,
            self.end,
            self.properties.bind(py).repr()?
        ))
    }

    #[expect(clippy::type_complexity, reason = "a class and its arguments")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (u64, String, u64, u64, Py<PyDict>)) {
        let arguments = (self.id, self.kind.clone(), self.start, self.end, self.properties.clone_ref(py));
        (py.get_type::<Self>().into_any(), arguments)
    }
});

#[pymethods]
impl Path {
    #[new]
    #[pyo3(signature = (nodes, relationships = None))]
    fn new(
        py: Python<'_>,
        nodes: Vec<Bound<'_, Node>>,
        relationships: Option<Vec<Bound<'_, Relationship>>>,
    ) -> PyResult<Self> {
        let relationships = relationships.unwrap_or_default();
        if nodes.len() != relationships.len() + 1 {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "a path has one node more than relationships",
            ));
        }
        Ok(Self {
            nodes: PyTuple::new(py, nodes)?.unbind(),
            relationships: PyTuple::new(py, relationships)?.unbind(),
        })
    }

    /// The first node.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.nodes.bind(py).get_item(0)
    }

    /// The last node.
    #[getter]
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nodes = self.nodes.bind(py);
        nodes.get_item(nodes.len() - 1)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        Ok(self.nodes.bind(py).eq(&other.nodes)? && self.relationships.bind(py).eq(&other.relationships)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.nodes.bind(py), self.relationships.bind(py)).into_pyobject(py)?.hash()
    }

    fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
        text::format_value(slf.as_any())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Path(nodes={}, relationships={})",
            self.nodes.bind(py).repr()?,
            self.relationships.bind(py).repr()?
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Py<PyTuple>, Py<PyTuple>)) {
        (py.get_type::<Self>().into_any(), (self.nodes.clone_ref(py), self.relationships.clone_ref(py)))
    }
}
