//! The graph of a snapshot as plain vectors.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{Diagnostic, EdgeId, ErrorKind, NodeId};
use trimorph_functions::GraphAccess;
use trimorph_store::{AdjacencyView, Reader, Snapshot};
use trimorph_types::{Map, Relationship, Value};

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
    /// Its properties, without nulls.
    pub properties: Map,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Its id.
    pub id: EdgeId,
    /// The node it leaves.
    pub start: NodeId,
    /// The node it enters.
    pub end: NodeId,
    /// Its edge label.
    pub ty: Arc<str>,
    /// Its properties, without nulls.
    pub properties: Map,
}

impl Edge {
    /// The edge as a value.
    pub fn value(&self) -> Value {
        Value::Relationship(self.relationship())
    }

    /// The edge and its ends.
    pub fn relationship(&self) -> Relationship {
        Relationship { id: self.id, start: self.start, end: self.end }
    }
}

/// All nodes and edges.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Nodes, by id.
    pub nodes: Vec<Node>,
    /// Edges, in the order of the forward adjacencies.
    pub edges: Vec<Edge>,
    node_places: BTreeMap<NodeId, usize>,
    edge_places: BTreeMap<EdgeId, usize>,
}

impl Graph {
    /// A graph of these nodes and edges.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Self {
        let node_places = nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
        let edge_places = edges.iter().enumerate().map(|(place, edge)| (edge.id, place)).collect();
        Self { nodes, edges, node_places, edge_places }
    }

    /// Reads all of a snapshot.
    pub fn read(snapshot: &Snapshot) -> Self {
        let reader = Reader::new(snapshot);
        let catalog = snapshot.schema();
        let mut nodes = Vec::new();
        for table in catalog.table_ids() {
            for row in 0..reader.rows(table) {
                let id = NodeId::new(table, row);
                let (labels, properties) = (catalog.label_names(table), reader.node_properties(id));
                nodes.push(Node { id, labels, properties });
            }
        }
        let mut edges = Vec::new();
        for (place, table) in catalog.edge_table_ids().enumerate() {
            let view = reader.unrecorded().edge_table(place);
            let mut add = |id, source, end| {
                let (ty, properties) = (catalog.type_name(table), reader.edge_properties(id));
                edges.push(Edge { id, start: NodeId::new(view.source, source), end, ty, properties });
            };
            for row in 0..reader.rows(view.source) {
                match &view.forward {
                    AdjacencyView::Column(column) => {
                        if let Some(end) = column.neighbour(row) {
                            add(view.single_id(row), row, end);
                        }
                    }
                    AdjacencyView::Csr(csr) => {
                        let list = csr.list(row);
                        (0..list.len)
                            .for_each(|i| add(view.forward_id_at(row, list, i), row, csr.node(list, i)));
                    }
                }
            }
        }
        Self::new(nodes, edges)
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.node_places.get(&id).map(|place| &self.nodes[*place])
    }

    /// The edge with this id.
    pub fn edge(&self, id: EdgeId) -> Option<&Edge> {
        self.edge_places.get(&id).map(|place| &self.edges[*place])
    }
}

impl GraphAccess for Graph {
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, Diagnostic> {
        self.node(node).map(|node| node.labels.clone()).ok_or_else(|| missing("node"))
    }

    fn relationship_type(&self, relationship: &Relationship) -> Result<Arc<str>, Diagnostic> {
        self.edge(relationship.id).map(|edge| edge.ty.clone()).ok_or_else(|| missing("relationship"))
    }

    fn property(&self, entity: &Value, name: &str) -> Result<Value, Diagnostic> {
        Ok(self.properties(entity)?.get(name).cloned().unwrap_or_default())
    }

    fn properties(&self, entity: &Value) -> Result<Map, Diagnostic> {
        let found = match entity {
            Value::Node(node) => self.node(*node).map(|node| &node.properties),
            Value::Relationship(relationship) => self.edge(relationship.id).map(|edge| &edge.properties),
            _ => None,
        };
        found.cloned().ok_or_else(|| missing("entity"))
    }
}

fn missing(what: &str) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::EntityNotFound, "EntityNotFound", format!("{what} is not in the graph"))
}
