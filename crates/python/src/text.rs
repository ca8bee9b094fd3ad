//! Python values in, openCypher text out.

use pyo3::prelude::*;
use trimorph::{EdgeId, Map, NodeId, Relationship};
use trimorph_types::Describe;
use trimorph_types::format::format_map;

use crate::from_python;

/// Texts of the entities within a value; their ids are places in these lists.
#[derive(Default)]
pub(crate) struct Shown {
    nodes: Vec<String>,
    relationships: Vec<String>,
}

impl Shown {
    pub(crate) fn node(&mut self, labels: &[String], properties: &Map) -> NodeId {
        let labels: String = labels.iter().map(|l| format!(":{l}")).collect();
        let space = if labels.is_empty() || properties.is_empty() { "" } else { " " };
        let text = format!("({labels}{space}{})", self.properties(properties));
        self.nodes.push(text);
        NodeId(self.nodes.len() as u64 - 1)
    }

    pub(crate) fn relationship(&mut self, kind: &str, properties: &Map) -> EdgeId {
        let space = if properties.is_empty() { "" } else { " " };
        let text = format!("[:{kind}{space}{}]", self.properties(properties));
        self.relationships.push(text);
        EdgeId(self.relationships.len() as u64 - 1)
    }

    fn properties(&self, properties: &Map) -> String {
        if properties.is_empty() { String::new() } else { format_map(properties, self) }
    }
}

fn at(texts: &[String], id: u64) -> String {
    usize::try_from(id).ok().and_then(|i| texts.get(i)).cloned().unwrap_or_default()
}

impl Describe for Shown {
    fn node(&self, node: NodeId) -> String {
        at(&self.nodes, node.0)
    }

    fn relationship(&self, relationship: &Relationship) -> String {
        at(&self.relationships, relationship.id.0)
    }
}

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
