//! The delta: all that was changed and is not merged, by table.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, TableId};

use crate::directory::Directory;
use crate::keys::KeyDelta;
use crate::positions::Positions;
use crate::{EdgeDelta, NodeDelta, Topology};

/// What was changed.
#[derive(Debug, Default)]
pub struct Delta {
    nodes: Directory<NodeDelta>,
    edges: Directory<EdgeDelta>,
    keys: Directory<KeyDelta>,
    positions: Directory<Positions>,
    topology: Topology,
}

impl Delta {
    /// The changed nodes of a table; none if there was never one. **Cost**: some 20 ns.
    pub fn nodes(&self, table: TableId) -> Option<Arc<NodeDelta>> {
        self.nodes.get(u64::from(table.0))
    }

    /// The same to write to; the table has `rows` rows in main.
    pub fn nodes_to_write(&self, table: TableId, rows: u64) -> Arc<NodeDelta> {
        let made = self.nodes.get_or_make(u64::from(table.0), || NodeDelta::new(rows));
        // A directory has room for all numbers of tables.
        made.unwrap_or_default()
    }

    /// The written properties of the edges of an edge table; none if there was never one.
    pub fn edges(&self, table: EdgeTableId) -> Option<Arc<EdgeDelta>> {
        self.edges.get(u64::from(table.0))
    }

    /// The same to write to.
    pub fn edges_to_write(&self, table: EdgeTableId) -> Arc<EdgeDelta> {
        self.edges.get_or_make(u64::from(table.0), EdgeDelta::default).unwrap_or_default()
    }

    /// Keys that came to a node table; none if there was never one.
    pub fn keys(&self, table: TableId) -> Option<Arc<KeyDelta>> {
        self.keys.get(u64::from(table.0))
    }

    /// The same to write to.
    pub fn keys_to_write(&self, table: TableId) -> Arc<KeyDelta> {
        self.keys.get_or_make(u64::from(table.0), KeyDelta::default).unwrap_or_default()
    }

    /// What gives positions in the pages of an edge table.
    pub fn positions(&self, table: EdgeTableId) -> Arc<Positions> {
        self.positions.get_or_make(u64::from(table.0), Positions::default).unwrap_or_default()
    }

    /// Edges that came or went.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
}
