//! Nodes and relationships with their labels, types and properties.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_store::{Reader, Snapshot};
use trimorph_types::{Describe, Map, Relationship};

/// A node with what belongs to it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Its labels, in the order they are shown.
    pub labels: Vec<Arc<str>>,
    /// Its properties.
    pub properties: Map,
}

/// Reads entities of one snapshot.
#[derive(Clone, Debug)]
pub struct Entities {
    snapshot: Snapshot,
}

impl Entities {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        Self { snapshot }
    }

    /// The snapshot they are read from.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The node with its labels and properties.
    pub fn node(&self, id: NodeId) -> Node {
        let reader = Reader::new(&self.snapshot);
        Node { id, labels: reader.schema().label_names(id.table()), properties: reader.node_properties(id) }
    }

    /// The type of a relationship.
    pub fn relationship_type(&self, relationship: &Relationship) -> Arc<str> {
        self.snapshot.schema().type_name(relationship.id.table())
    }

    /// The properties of a relationship.
    pub fn relationship_properties(&self, relationship: &Relationship) -> Map {
        Reader::new(&self.snapshot).edge_properties(relationship.id)
    }
}

impl Describe for Entities {
    fn node(&self, id: NodeId) -> String {
        let node = self.node(id);
        let labels: String = node.labels.iter().map(|l| format!(":{l}")).collect();
        let properties = if node.properties.is_empty() {
            String::new()
        } else {
            trimorph_types::format::format_map(&node.properties, self)
        };
        let space = if labels.is_empty() || properties.is_empty() { "" } else { " " };
        format!("({labels}{space}{properties})")
    }

    fn relationship(&self, relationship: &Relationship) -> String {
        let properties = self.relationship_properties(relationship);
        let ty = self.relationship_type(relationship);
        if properties.is_empty() {
            format!("[:{ty}]")
        } else {
            format!("[:{ty} {}]", trimorph_types::format::format_map(&properties, self))
        }
    }
}
