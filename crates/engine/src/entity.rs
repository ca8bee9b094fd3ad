//! Nodes and relationships with their labels, types and properties.

use std::sync::{Arc, OnceLock};

use trimorph_base::{EdgeId, NodeId};
use trimorph_store::{Reader, Snapshot};
use trimorph_types::{Describe, Map, Relationship, Value};

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

/// Reads entities of one snapshot. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Entities(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    snapshot: Snapshot,
    /// The first that could not be read while it was shown as text.
    failure: OnceLock<Error>,
}

impl Entities {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        Self(Arc::new(Parts { snapshot, failure: OnceLock::new() }))
    }

    /// Why an entity could not be read that was shown as text, if one could not: text has no other way to
    /// tell.
    pub fn failure(&self) -> Option<&Error> {
        self.0.failure.get()
    }

    /// What stands for an entity that cannot be read.
    fn unreadable(&self, error: Error) -> String {
        let text = format!("cannot be read: {error}");
        self.0.failure.get_or_init(|| error);
        text
    }

    /// The snapshot they are read from.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.0.snapshot
    }

    /// The node with its labels and properties.
    ///
    /// **Errors**: a part of the database that cannot be read.
    pub fn node(&self, id: NodeId) -> Result<Node, Error> {
        let reader = Reader::new(&self.0.snapshot);
        let (labels, properties) = (reader.labels(id), reader.node_properties(id));
        settled(&reader, Node { id, labels, properties })
    }

    /// The type of a relationship.
    pub fn relationship_type(&self, relationship: &Relationship) -> Arc<str> {
        self.0.snapshot.schema().type_name(relationship.id.table())
    }

    /// The properties of a relationship.
    ///
    /// **Errors**: a part of the database that cannot be read.
    pub fn relationship_properties(&self, relationship: &Relationship) -> Result<Map, Error> {
        let reader = Reader::new(&self.0.snapshot);
        let properties = reader.edge_properties(relationship.id);
        settled(&reader, properties)
    }
}

/// Nodes and relationships that were read together, column by column: those in rows that are handed out.
#[derive(Clone, Debug, Default)]
pub struct ReadEntities(Option<Arc<Read>>);

#[derive(Debug, Default)]
struct Read {
    /// In the order of ids, as what follows.
    nodes: Vec<Node>,
    relationships: Vec<(EdgeId, Map)>,
}

impl ReadEntities {
    /// A node, if it was read.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        let Self(Some(read)) = self else { return None };
        let place = read.nodes.binary_search_by_key(&id, |node| node.id).ok()?;
        read.nodes.get(place)
    }

    /// The properties of a relationship, if it was read.
    pub fn relationship_properties(&self, id: EdgeId) -> Option<&Map> {
        let Self(Some(read)) = self else { return None };
        let place = read.relationships.binary_search_by_key(&id, |(edge, _)| *edge).ok()?;
        read.relationships.get(place).map(|(_, properties)| properties)
    }
}

/// Nodes and relationships up to so many are read one by one by whoever wants them.
const FEW: usize = 8;

impl Entities {
    /// Reads all nodes and relationships among `values` and what they hold; none where there are few.
    ///
    /// **Errors**: a part of the database that cannot be read.
    pub fn read<'v>(&self, values: impl Iterator<Item = &'v Value>) -> Result<ReadEntities, Error> {
        let (nodes, edges) = entities_of(values);
        if nodes.len() + edges.len() <= FEW {
            return Ok(ReadEntities::default());
        }
        let mut read = Read::default();
        let reader = Reader::new(&self.0.snapshot);
        for of_table in nodes.chunk_by(|a, b| a.table() == b.table()) {
            let Some(table) = of_table.first().map(|node| node.table()) else { continue };
            let (varies, own) = (reader.labels_vary(table), reader.labels(of_table[0]));
            let properties = reader.properties_of_nodes(table, of_table);
            read.nodes.extend(of_table.iter().zip(properties).map(|(id, properties)| {
                let labels = if varies { reader.labels(*id) } else { own.clone() };
                Node { id: *id, labels, properties }
            }));
        }
        for of_table in edges.chunk_by(|a, b| a.table() == b.table()) {
            let Some(table) = of_table.first().map(|edge| usize::from(edge.table().0)) else { continue };
            let properties = reader.properties_of_edges(table, of_table);
            read.relationships.extend(of_table.iter().copied().zip(properties));
        }
        settled(&reader, ReadEntities(Some(Arc::new(read))))
    }
}

/// The nodes and relationships among values and in their lists, maps and paths: each once, by table.
fn entities_of<'v>(values: impl Iterator<Item = &'v Value>) -> (Vec<NodeId>, Vec<EdgeId>) {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let mut left: Vec<&Value> = Vec::new();
    for value in values {
        left.push(value);
        while let Some(value) = left.pop() {
            match value {
                Value::Node(id) => nodes.push(*id),
                Value::Relationship(relationship) => edges.push(relationship.id),
                Value::List(items) => left.extend(items.iter()),
                Value::Map(map) => left.extend(map.values()),
                Value::Path(path) => {
                    nodes.extend(&path.nodes);
                    edges.extend(path.relationships.iter().map(|relationship| relationship.id));
                }
                _ => {}
            }
        }
    }
    nodes.retain(|node| node.is_node());
    edges.retain(|edge| edge.is_edge());
    nodes.sort_unstable();
    nodes.dedup();
    edges.sort_unstable();
    edges.dedup();
    (nodes, edges)
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
