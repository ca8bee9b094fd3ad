//! Statistics: counts of tables, for estimates and nothing else. They may be old, or wrong: a plan that they
//! mislead is slow, and its rows are the same.
//!
//! Source: Poseidon §6.

use trimorph_base::{EdgeTableId, TableId};

/// Statistics of one column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PropertyStats {
    /// Rows without a value.
    pub nulls: u64,
    /// Distinct values, estimated (HyperLogLog, about 3 % off).
    pub distinct: u64,
    /// Smallest and largest, for integers, dates and instants.
    pub range: Option<(i64, i64)>,
}

/// Which properties nodes of a table have together, and how many nodes have exactly these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacteristicSet {
    /// Places of the properties in the table's columns.
    pub properties: Vec<u32>,
    /// Nodes with exactly these.
    pub count: u64,
}

/// Statistics of a node table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTableStats {
    /// Rows.
    pub rows: u64,
    /// Of its columns.
    pub properties: Vec<PropertyStats>,
    /// Which properties occur together.
    pub characteristic_sets: Vec<CharacteristicSet>,
}

/// Counts of edges in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DegreeStats {
    /// Edges.
    pub edges: u64,
    /// Most edges of one node.
    pub degree_max: u64,
    /// Nodes with at least one edge.
    pub nonempty: u64,
}

/// Statistics of an edge table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeTableStats {
    /// Of its property columns.
    pub properties: Vec<PropertyStats>,
    /// Out of sources.
    pub forward: DegreeStats,
    /// Into the nodes of each target node table.
    pub backward: Vec<(TableId, DegreeStats)>,
}

impl EdgeTableStats {
    /// Into the nodes of a target node table; zeros where nothing was counted.
    pub fn into_target(&self, target: TableId) -> DegreeStats {
        let counted = self.backward.iter().find(|(table, _)| *table == target);
        counted.map_or_else(DegreeStats::default, |(_, stats)| *stats)
    }
}

/// Statistics of all tables, by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Of node tables.
    pub node_tables: Vec<NodeTableStats>,
    /// Of edge tables.
    pub edge_tables: Vec<EdgeTableStats>,
}

impl Statistics {
    /// The node tables that were counted.
    pub fn table_ids(&self) -> impl Iterator<Item = TableId> + use<> {
        (0..=u16::MAX).take(self.node_tables.len()).map(TableId)
    }

    /// Nodes and edges of all tables, about.
    pub fn size(&self) -> u64 {
        let nodes: u64 = self.node_tables.iter().map(|stats| stats.rows).sum();
        let edges: u64 = self.edge_tables.iter().map(|stats| stats.forward.edges).sum();
        nodes + edges
    }

    /// Rows of a node table, about.
    pub fn rows(&self, table: TableId) -> u64 {
        self.node_tables.get(table.0 as usize).map_or(0, |stats| stats.rows)
    }

    /// Edges of an edge table, about.
    pub fn edges(&self, table: EdgeTableId) -> u64 {
        self.edge_tables.get(table.0 as usize).map_or(0, |stats| stats.forward.edges)
    }
}
