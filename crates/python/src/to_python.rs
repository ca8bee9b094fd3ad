//! Engine values in, Python objects out. Temporal values become Python's own types where those hold them
//! exactly.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use trimorph::{Entities, NodeId, ReadEntities, Value, Zone};

use crate::collector::{leads_nowhere, leave_alone};
use crate::entity::{self, Source};
use crate::error::from_engine;
use crate::native::{date, datetime, fixed_offset, time};
use crate::{rdf, temporal};

/// Deepest nesting that is handed over; deeper values would overflow the C stack of their readers too.
const DEPTH_MAX: usize = 500;

/// Makes Python objects of the values of one result.
pub(crate) struct ToPython<'a> {
    /// None where there are no nodes and relationships: values that are some are refused then.
    pub(crate) entities: Option<&'a Entities>,
    /// Those that were read beforehand.
    pub(crate) read: Option<&'a ReadEntities>,
    pub(crate) source: Source,
    pub(crate) names: RefCell<Names>,
}

/// The strings of Python that names of properties have become: mostly the next one is that behind the last.
#[derive(Default)]
pub(crate) struct Names {
    known: Vec<(Arc<str>, Py<PyString>)>,
    next: usize,
    /// Labels, which are mostly those of the node before.
    labels: Option<(Vec<Arc<str>>, Py<PyTuple>)>,
}

/// Names that are kept; further ones are made each time.
const NAMES_MAX: usize = 64;

impl Names {
    fn get<'py>(&mut self, py: Python<'py>, name: &Arc<str>) -> Bound<'py, PyString> {
        let is_it = |(known, _): &(Arc<str>, _)| Arc::ptr_eq(known, name);
        let place = match self.known.get(self.next) {
            Some(known) if is_it(known) => Some(self.next),
            _ => self.known.iter().position(is_it),
        };
        if let Some(place) = place {
            self.next = place + 1;
            return self.known[place].1.bind(py).clone();
        }
        let made = PyString::new(py, name);
        if self.known.len() < NAMES_MAX {
            self.known.push((Arc::clone(name), made.clone().unbind()));
            self.next = self.known.len();
        }
        made
    }

    fn labels(&mut self, py: Python<'_>, labels: &[Arc<str>]) -> PyResult<Py<PyTuple>> {
        if let Some((known, tuple)) = &self.labels
            && known == labels
        {
            return Ok(tuple.clone_ref(py));
        }
        let tuple = PyTuple::new(py, labels.iter().map(|label| &**label))?.unbind();
        self.labels = Some((labels.to_vec(), tuple.clone_ref(py)));
        Ok(tuple)
    }
}

impl<'a> ToPython<'a> {
    pub(crate) fn new(entities: Option<&'a Entities>, source: Source) -> Self {
        Self { entities, read: None, source, names: RefCell::default() }
    }
}

impl ToPython<'_> {
    fn entities(&self) -> PyResult<&Entities> {
        self.entities.ok_or_else(|| {
            PyTypeError::new_err(
                "a function takes values, no nodes, relationships or paths: give it their properties",
            )
        })
    }

    /// A row as a tuple. `cells` is scratch space.
    pub(crate) fn row<'py>(
        &self,
        py: Python<'py>,
        row: &[Value],
        cells: &mut Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        cells.clear();
        for value in row {
            cells.push(self.value(py, value, 0)?);
        }
        let tuple = PyTuple::new(py, cells.drain(..))?;
        if row.iter().all(leads_nowhere) {
            leave_alone(&tuple);
        }
        Ok(tuple)
    }

    /// A value.
    pub(crate) fn value<'py>(
        &self,
        py: Python<'py>,
        value: &Value,
        depth: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if depth > DEPTH_MAX {
            return Err(PyRecursionError::new_err(format!(
                "a value is nested deeper than {DEPTH_MAX} levels"
            )));
        }
        Ok(match value {
            Value::Null => py.None().into_bound(py),
            Value::Bool(x) => pyo3::types::PyBool::new(py, *x).to_owned().into_any(),
            Value::Int(x) => PyInt::new(py, *x).into_any(),
            Value::Float(x) => PyFloat::new(py, *x).into_any(),
            Value::Decimal(x) => py.import("decimal")?.getattr("Decimal")?.call1((x.to_string(),))?,
            Value::String(x) => PyString::new(py, x).into_any(),
            Value::Iri(x) => match rdf::BlankNode::of(x) {
                Some(blank) => Bound::new(py, blank)?.into_any(),
                None => Bound::new(py, rdf::Iri(x.clone()))?.into_any(),
            },
            Value::Literal(x) => Bound::new(py, rdf::RdfLiteral(x.clone()))?.into_any(),
            Value::Bytes(x) => PyBytes::new(py, x).into_any(),
            Value::List(items) => self.list(py, items, depth)?.into_any(),
            Value::Map(entries) => self.map(py, entries, depth)?.into_any(),
            Value::Node(id) => self.node(py, *id, depth)?.into_any(),
            Value::Relationship(r) => self.relationship(py, r, depth)?.into_any(),
            Value::Path(path) => {
                let nodes: Vec<_> =
                    path.nodes.iter().map(|n| self.node(py, *n, depth)).collect::<PyResult<_>>()?;
                let relationships: Vec<_> = path
                    .relationships
                    .iter()
                    .map(|r| self.relationship(py, r, depth))
                    .collect::<PyResult<_>>()?;
                let nodes = PyTuple::new(py, nodes)?.unbind();
                Bound::new(
                    py,
                    entity::Path { nodes, relationships: PyTuple::new(py, relationships)?.unbind() },
                )?
                .into_any()
            }
            _ => temporal_value(py, value)?,
        })
    }

    /// A list, whose items are put where they stay: there is none beside it.
    fn list<'py>(&self, py: Python<'py>, items: &[Value], depth: usize) -> PyResult<Bound<'py, PyList>> {
        let mut failed = None;
        let made = items.iter().map(|item| match failed {
            None => self.value(py, item, depth + 1).unwrap_or_else(|error| {
                failed = Some(error);
                py.None().into_bound(py)
            }),
            Some(_) => py.None().into_bound(py),
        });
        let list = PyList::new(py, made)?;
        failed.map_or(Ok(list), Err)
    }

    fn map<'py>(
        &self,
        py: Python<'py>,
        entries: &trimorph::Map,
        depth: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (key, value) in entries {
            let value = self.value(py, value, depth + 1)?;
            dict.set_item(self.names.borrow_mut().get(py, key), value)?;
        }
        Ok(dict)
    }

    fn node<'py>(&self, py: Python<'py>, id: NodeId, depth: usize) -> PyResult<Bound<'py, entity::Node>> {
        let entities = self.entities()?;
        let node = match self.read.and_then(|read| read.node(id)) {
            Some(node) => Cow::Borrowed(node),
            None => Cow::Owned(entities.node(id).map_err(|e| from_engine(py, &e))?),
        };
        let labels = self.names.borrow_mut().labels(py, &node.labels)?;
        let properties = self.map(py, &node.properties, depth)?.unbind();
        Bound::new(py, entity::Node { id: id.0, labels, properties, source: self.source })
    }

    fn relationship<'py>(
        &self,
        py: Python<'py>,
        r: &trimorph::Relationship,
        depth: usize,
    ) -> PyResult<Bound<'py, entity::Relationship>> {
        let entities = self.entities()?;
        let properties = match self.read.and_then(|read| read.relationship_properties(r.id)) {
            Some(properties) => Cow::Borrowed(properties),
            None => Cow::Owned(entities.relationship_properties(r).map_err(|e| from_engine(py, &e))?),
        };
        let properties = self.map(py, &properties, depth)?.unbind();
        let kind = self.entities()?.relationship_type(r).to_string();
        let made = entity::Relationship {
            id: r.id.0,
            kind,
            start: r.start.0,
            end: r.end.0,
            properties,
            source: self.source,
        };
        Bound::new(py, made)
    }
}

fn temporal_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let exact = |nanos: i64| nanos % 1000 == 0;
    Ok(match value {
        Value::Date(x) => match date(py, *x)? {
            Some(native) => native.into_any(),
            None => Bound::new(py, temporal::Date(*x))?.into_any(),
        },
        Value::LocalTime(x) if exact(x.nanos) => time(py, *x, None)?.into_any(),
        Value::LocalTime(x) => Bound::new(py, temporal::LocalTime(*x))?.into_any(),
        Value::Time(x) if exact(x.nanos) => time(py, x.local(), Some(x.offset_seconds))?.into_any(),
        Value::Time(x) => Bound::new(py, temporal::Time(*x))?.into_any(),
        Value::LocalDateTime(x) => {
            let native = if exact(i64::from(x.nanos)) { datetime(py, *x, None)? } else { None };
            match native {
                Some(native) => native.into_any(),
                None => Bound::new(py, temporal::LocalDateTime(*x))?.into_any(),
            }
        }
        Value::DateTime(x) => {
            let native = match &x.zone {
                Zone::Offset(seconds) if exact(i64::from(x.nanos)) => {
                    datetime(py, x.local(), Some(&fixed_offset(py, *seconds)?))?
                }
                _ => None,
            };
            match native {
                Some(native) => native.into_any(),
                None => Bound::new(py, temporal::DateTime(x.clone()))?.into_any(),
            }
        }
        Value::Duration(x) => Bound::new(py, temporal::Duration(*x))?.into_any(),
        _ => py.None().into_bound(py),
    })
}
