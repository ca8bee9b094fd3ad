//! Nodes and relationships with their labels, types and properties.

use std::sync::{Arc, OnceLock};

use trimorph_base::NodeId;
use trimorph_store::{Reader, Snapshot};
use trimorph_types::{Describe, Map, Relationship};

use crate::Error;

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
    /// The first that could not be read while it was shown as text.
    failure: Arc<OnceLock<Error>>,
}

impl Entities {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        Self { snapshot, failure: Arc::default() }
    }

    /// Why an entity could not be read that was shown as text, if one could not: text has no other way to
    /// tell.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.get()
    }

    /// What stands for an entity that cannot be read.
    fn unreadable(&self, error: Error) -> String {
        let text = format!("cannot be read: {error}");
        self.failure.get_or_init(|| error);
        text
    }

    /// The snapshot they are read from.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The node with its labels and properties.
    ///
    /// **Errors**: a part of the database that cannot be read.
    pub fn node(&self, id: NodeId) -> Result<Node, Error> {
        let reader = Reader::new(&self.snapshot);
        let (labels, properties) = (reader.labels(id), reader.node_properties(id));
        settled(&reader, Node { id, labels, properties })
    }

    /// The type of a relationship.
    pub fn relationship_type(&self, relationship: &Relationship) -> Arc<str> {
        self.snapshot.schema().type_name(relationship.id.table())
    }

    /// The properties of a relationship.
    ///
    /// **Errors**: a part of the database that cannot be read.
    pub fn relationship_properties(&self, relationship: &Relationship) -> Result<Map, Error> {
        let reader = Reader::new(&self.snapshot);
        let properties = reader.edge_properties(relationship.id);
        settled(&reader, properties)
    }
}

/// What was read, if all could be.
fn settled<T>(reader: &Reader<'_>, read: T) -> Result<T, Error> {
    reader.failure().map_or(Ok(read), |error| Err(error.into()))
}

impl Describe for Entities {
    fn node(&self, id: NodeId) -> String {
        let node = match self.node(id) {
            Ok(node) => node,
            Err(error) => return format!("({})", self.unreadable(error)),
        };
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
        let ty = self.relationship_type(relationship);
        let properties = match self.relationship_properties(relationship) {
            Ok(properties) => properties,
            Err(error) => return format!("[:{ty} {}]", self.unreadable(error)),
        };
        if properties.is_empty() {
            format!("[:{ty}]")
        } else {
            format!("[:{ty} {}]", trimorph_types::format::format_map(&properties, self))
        }
    }
}
