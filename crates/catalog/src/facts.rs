//! Facts: what is true of the data of one version and need not stay so. A commit may break one, a checkpoint
//! that finds it true again restores it; a plan that took one for granted is right only while it holds.
//!
//! A fact may always be weaker than the data: "may have more than one edge" where no node has.

use trimorph_base::TableId;

/// What is true of a node table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeTableFacts {
    /// For each column, whether all its values are of its type.
    pub one_type: Vec<bool>,
    /// Whether labels of its rows may be others than the table's.
    pub labels_vary: bool,
    /// Whether rows may lack the table's key.
    pub keyless: bool,
}

/// What is true of an edge table, seen from one target node table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetFacts {
    /// The target node table.
    pub table: TableId,
    /// Whether none of its nodes has more than one edge.
    pub single: bool,
}

/// What is true of an edge table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EdgeTableFacts {
    /// Whether no source has more than one edge.
    pub single: bool,
    /// Edges there are at most.
    pub edges_max: u64,
    /// Edges from a node to itself there are at most.
    pub self_loops_max: u64,
    /// The node tables that targets can be in, by their ids.
    pub targets: Vec<TargetFacts>,
    /// For each property column, whether all its values are of its type.
    pub one_type: Vec<bool>,
}

/// What is true of all tables, by their ids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Of node tables.
    pub node_tables: Vec<NodeTableFacts>,
    /// Of edge tables.
    pub edge_tables: Vec<EdgeTableFacts>,
}
