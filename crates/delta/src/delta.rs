//! The delta: all that was changed and is not merged, by table.

use std::sync::{Arc, PoisonError, RwLock};

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
    topology: RwLock<Arc<Topology>>,
}

impl Delta {
    /// The changed nodes of a table; none if there was never one. **Cost**: some 20 ns.
    pub fn nodes(&self, table: TableId) -> Option<Arc<NodeDelta>> {
        self.nodes.get(u64::from(table.0))
    }

    /// The same for who reads: none also if all of it is main's.
    pub fn changed_nodes(&self, table: TableId) -> Option<Arc<NodeDelta>> {
        self.nodes(table).filter(|nodes| !nodes.is_empty())
    }

    /// The same to write to; if it is the first time, the table has `rows` rows in main, of which nobody has
    /// those that are `free`.
    pub fn nodes_to_write(&self, table: TableId, rows: u64, free: Vec<u64>) -> Arc<NodeDelta> {
        let made = self.nodes.get_or_make(u64::from(table.0), || NodeDelta::new(rows, free));
        // A directory has room for all numbers of tables.
        made.unwrap_or_default()
    }

    /// The written properties of the edges of an edge table; none if there was never one.
    pub fn edges(&self, table: EdgeTableId) -> Option<Arc<EdgeDelta>> {
        self.edges.get(u64::from(table.0))
    }

    /// The same for who reads: none also if all of it is main's.
    pub fn changed_edges(&self, table: EdgeTableId) -> Option<Arc<EdgeDelta>> {
        self.edges(table).filter(|edges| !edges.is_empty())
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

    /// All tables that nodes were written to.
    pub(crate) fn all_nodes(&self) -> impl Iterator<Item = (TableId, Arc<NodeDelta>)> {
        // Tables have 16 bits.
        self.nodes.iter().map(|(table, nodes)| (TableId(table as u16), nodes))
    }

    /// All edge tables that properties were written to.
    pub(crate) fn all_edges(&self) -> impl Iterator<Item = (EdgeTableId, Arc<EdgeDelta>)> {
        self.edges.iter().map(|(table, edges)| (EdgeTableId(table as u16), edges))
    }

    /// The tables to whose nodes something was written that not all of is main's.
    pub fn written_tables(&self) -> Vec<TableId> {
        self.all_nodes().filter(|(_, nodes)| !nodes.is_empty()).map(|(table, _)| table).collect()
    }

    /// Whether all that was written is main's, or was undone, and is cleaned.
    pub fn is_empty(&self) -> bool {
        self.topology().is_empty()
            && self.all_nodes().all(|(_, nodes)| nodes.is_empty())
            && self.all_edges().all(|(_, edges)| edges.is_empty())
    }

    /// Bytes it holds.
    ///
    /// **Cost**: a look at each table.
    pub fn bytes(&self) -> usize {
        let nodes: usize = self.all_nodes().map(|(_, nodes)| nodes.bytes()).sum();
        let edges: usize = self.all_edges().map(|(_, edges)| edges.bytes()).sum();
        let keys: usize = self.keys.iter().map(|(_, keys)| keys.bytes()).sum();
        let positions: usize = self.positions.iter().map(|(_, positions)| positions.bytes()).sum();
        nodes + edges + keys + positions + self.topology().bytes()
    }

    /// Bytes that are kept for edges to come, of which there were more before.
    pub fn spare_bytes(&self) -> usize {
        self.topology().spare_bytes()
    }

    /// The same with what it holds.
    pub fn held_bytes(&self) -> usize {
        self.bytes() + self.spare_bytes()
    }

    /// Edges that came or went. **Cost**: some 20 ns.
    pub fn topology(&self) -> Arc<Topology> {
        Arc::clone(&self.topology.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a new topology, and forgets which positions are free, which main tells: nobody is about to
    /// write, and nobody needs what is here. Whoever still looks at the topology finds nothing there, as
    /// before; its memory goes with him.
    pub fn renew_edges(&self) {
        *self.topology.write().unwrap_or_else(PoisonError::into_inner) = Arc::default();
        let tables: Vec<u64> = self.positions.iter().map(|(table, _)| table).collect();
        tables.into_iter().for_each(|table| self.positions.set(table, None));
    }
}
