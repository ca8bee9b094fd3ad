//! Nodes, relationships and paths as Python sees them: copies that outlive the result they came from. What
//! can be done with them is in `entity_methods.rs`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The database an entity came from, as a number that is never used twice in a process; 0 for one that a user
/// made.
pub(crate) type Source = u64;

/// A node: id, labels, properties. Two are equal when they are the same node, whatever its properties were.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Node {
    #[pyo3(get)]
    pub(crate) id: u64,
    #[pyo3(get)]
    pub(crate) labels: Py<PyTuple>,
    #[pyo3(get)]
    pub(crate) properties: Py<PyDict>,
    pub(crate) source: Source,
}

/// A relationship: id, type, the ids of the nodes it leaves and enters, properties. Equality is as for nodes.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Relationship {
    #[pyo3(get)]
    pub(crate) id: u64,
    #[pyo3(get, name = "type")]
    pub(crate) kind: String,
    #[pyo3(get)]
    pub(crate) start: u64,
    #[pyo3(get)]
    pub(crate) end: u64,
    #[pyo3(get)]
    pub(crate) properties: Py<PyDict>,
    pub(crate) source: Source,
}

/// A path: nodes and the relationships between them, in walking order.
#[pyclass(frozen, module = "trimorph")]
pub(crate) struct Path {
    #[pyo3(get)]
    pub(crate) nodes: Py<PyTuple>,
    #[pyo3(get)]
    pub(crate) relationships: Py<PyTuple>,
}
