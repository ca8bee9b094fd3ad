//! `Shown`: labels and properties of the entities within a value in, their texts out when it is written.

use trimorph::{EdgeId, Map, NodeId, Relationship};
use trimorph_types::Describe;
use trimorph_types::format::format_map;

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
