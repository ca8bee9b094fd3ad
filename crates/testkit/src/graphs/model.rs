//! A graph as plain data.

use std::sync::Arc;

use trimorph_base::{NodeId, TableId};
use trimorph_types::{LogicalType, Map, Value};

/// A graph: node tables in the order of their ids, edges by edge label and key spaces.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Node tables.
    pub nodes: Vec<NodeRows>,
    /// Edges.
    pub edges: Vec<EdgeRows>,
}

/// The nodes of one label set.
#[derive(Clone, Debug, Default)]
pub struct NodeRows {
    /// The label set.
    pub labels: Vec<String>,
    /// The key space, without which nodes have no edges.
    pub key_space: Option<String>,
    /// The property that is the key.
    pub key_property: Option<String>,
    /// The key of each row: all integers or all strings, without repetition in the key space. Empty without a
    /// key space.
    pub keys: Vec<Value>,
    /// The other properties and the types their columns are declared with.
    pub properties: Vec<(String, LogicalType)>,
    /// The value of each property, for each row. Values need not be of the declared type.
    pub rows: Vec<Vec<Value>>,
}

/// The edges of one edge label between two key spaces.
#[derive(Clone, Debug, Default)]
pub struct EdgeRows {
    /// The edge label.
    pub label: String,
    /// The key space of the sources.
    pub from_space: String,
    /// The key space of the targets.
    pub to_space: String,
    /// Properties and the types their columns are declared with.
    pub properties: Vec<(String, LogicalType)>,
    /// The edges, in loading order.
    pub rows: Vec<EdgeRow>,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct EdgeRow {
    /// The node it leaves.
    pub from: NodeId,
    /// The node it enters.
    pub to: NodeId,
    /// The value of each property.
    pub values: Vec<Value>,
}

impl NodeRows {
    /// The properties of a row, key included, without nulls.
    pub fn properties_of(&self, row: usize) -> Map {
        let key = self.key_property.iter().zip(self.keys.get(row));
        let others = self.properties.iter().zip(&self.rows[row]).map(|((name, _), value)| (name, value));
        without_nulls(key.chain(others))
    }
}

impl EdgeRows {
    /// The properties of an edge, without nulls.
    pub fn properties_of(&self, edge: &EdgeRow) -> Map {
        without_nulls(self.properties.iter().zip(&edge.values).map(|((name, _), value)| (name, value)))
    }
}

fn without_nulls<'m>(properties: impl Iterator<Item = (&'m String, &'m Value)>) -> Map {
    properties
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (Arc::from(name.as_str()), value.clone()))
        .collect()
}

impl Model {
    /// Ids of the nodes of the tables for which `keep` holds.
    pub fn node_ids(&self, keep: impl Fn(&NodeRows) -> bool) -> Vec<NodeId> {
        let mut ids = Vec::new();
        for (place, table) in self.nodes.iter().enumerate().filter(|(_, table)| keep(table)) {
            ids.extend((0..table.rows.len()).map(|row| node_id(place, row)));
        }
        ids
    }

    /// The table of a node.
    pub fn table(&self, node: NodeId) -> &NodeRows {
        &self.nodes[usize::from(node.table().0)]
    }

    /// The key of a node; its key space must not be missing.
    pub fn key(&self, node: NodeId) -> &Value {
        &self.table(node).keys[row_of(node)]
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(|edges| edges.rows.len()).sum()
    }
}

/// The node of a row.
pub(crate) fn node_id(table: usize, row: usize) -> NodeId {
    NodeId::new(TableId(u16::try_from(table).unwrap_or(u16::MAX)), row as u64)
}

/// The row of a node.
pub(crate) fn row_of(node: NodeId) -> usize {
    usize::try_from(node.row()).unwrap_or(usize::MAX)
}
