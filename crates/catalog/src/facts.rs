//! Facts: what is true of the data of one version and need not stay so. A commit may break one, a checkpoint
//! that finds it true again restores it; a plan that took one for granted is right only while it holds.
//!
//! A fact may always be weaker than the data: "may have more than one edge" where no node has.

use std::collections::BTreeSet;

use trimorph_base::{LabelId, TableId};

/// By which labels rows of a node table may differ from their table: such a row has one that the table has
/// not, or lacks one that it has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum LabelsVary {
    /// All rows have the labels of their table.
    #[default]
    No,
    /// By these.
    By(BTreeSet<LabelId>),
    /// By any.
    Any,
}

impl LabelsVary {
    /// Labels that are told apart; beyond them rows may differ by any.
    const MOST: usize = 1_024;

    /// Whether rows may differ at all.
    pub fn do_vary(&self) -> bool {
        *self != Self::No
    }

    /// Whether rows may differ by this label.
    pub fn by(&self, label: LabelId) -> bool {
        match self {
            Self::No => false,
            Self::By(labels) => labels.contains(&label),
            Self::Any => true,
        }
    }

    /// Whether rows that differ as `other` says differ as this says.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) | (_, Self::No) => true,
            (Self::By(own), Self::By(other)) => other.is_subset(own),
            (Self::No, _) | (_, Self::Any) => false,
        }
    }

    /// Rows may differ by all that rows of another table, or version, do.
    pub fn add_all(&mut self, other: &Self) {
        match other {
            Self::No => {}
            Self::By(labels) => self.add(labels.iter().copied()),
            Self::Any => *self = Self::Any,
        }
    }

    /// Rows may differ by these, too.
    pub fn add(&mut self, more: impl IntoIterator<Item = LabelId>) {
        let mut labels = match std::mem::replace(self, Self::Any) {
            Self::No => BTreeSet::new(),
            Self::By(labels) => labels,
            Self::Any => return,
        };
        labels.extend(more);
        if labels.len() <= Self::MOST {
            *self = Self::By(labels);
        }
    }
}

/// What is true of a node table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeTableFacts {
    /// For each column, whether all its values are of its type.
    pub one_type: Vec<bool>,
    /// Whether labels of its rows may be others than the table's, and by which.
    pub labels_vary: LabelsVary,
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
