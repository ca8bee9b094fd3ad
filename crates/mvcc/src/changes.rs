//! What a transaction wrote, as sets of rows: asked against what others read (precision locking).

use std::collections::BTreeMap;

use trimorph_base::{EdgeTableId, TableId};

use crate::RowSet;

/// What was written to the nodes of one table.
#[derive(Clone, Debug, Default)]
pub struct NodeChanges {
    /// Nodes that came.
    pub came: RowSet,
    /// Nodes that went.
    pub went: RowSet,
    /// Nodes whose labels changed.
    pub labels: RowSet,
    /// Values that changed, by column, of nodes that were there.
    pub columns: BTreeMap<usize, RowSet>,
    /// What nodes got, by column: those that came, too.
    pub values: BTreeMap<usize, WrittenValues>,
}

/// Values that were written to a column, as far as ranges are asked against them.
#[derive(Clone, Debug, Default)]
pub struct WrittenValues {
    /// Values that are integers in their column: numbers, dates, times.
    integers: Vec<i64>,
    /// Whether there were others, or too many.
    any: bool,
}

/// Integers that are kept. Beyond, a column counts as written with any.
const INTEGERS_MAX: usize = 1_024;

impl WrittenValues {
    /// A value that is this integer, or, without one, something else that is not null.
    pub fn insert(&mut self, integer: Option<i64>) {
        match integer {
            _ if self.any => {}
            Some(integer) if self.integers.len() < INTEGERS_MAX => self.integers.push(integer),
            _ => (self.integers, self.any) = (Vec::new(), true),
        }
    }

    /// Whether one of them is in a range, or may be.
    pub fn meet(&self, low: i64, high: i64) -> bool {
        self.any || self.integers.iter().any(|integer| (low..=high).contains(integer))
    }
}

/// What was written to the edges of one edge table.
#[derive(Clone, Debug, Default)]
pub struct EdgeChanges {
    /// Sources of edges that came or went.
    pub sources: RowSet,
    /// Their targets, by table.
    pub targets: BTreeMap<TableId, RowSet>,
    /// Values that changed, by column: the places of the edges.
    pub columns: BTreeMap<usize, RowSet>,
}

/// What a transaction wrote.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// To nodes, by table.
    pub nodes: BTreeMap<TableId, NodeChanges>,
    /// To edges, by edge table.
    pub edges: BTreeMap<EdgeTableId, EdgeChanges>,
    /// Keys that came to an index or went: the index's number, and hashes of keys.
    pub keys: BTreeMap<u64, Vec<u64>>,
}

impl Changes {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty() && self.keys.is_empty()
    }

    /// The changes to the nodes of a table.
    pub fn nodes_of(&mut self, table: TableId) -> &mut NodeChanges {
        self.nodes.entry(table).or_default()
    }

    /// The changes to the edges of an edge table.
    pub fn edges_of(&mut self, table: EdgeTableId) -> &mut EdgeChanges {
        self.edges.entry(table).or_default()
    }

    /// An edge came or went.
    pub fn edge(&mut self, table: EdgeTableId, source: u64, target: (TableId, u64)) {
        let changes = self.edges_of(table);
        changes.sources.insert(source);
        changes.targets.entry(target.0).or_default().insert(target.1);
    }

    /// What it holds, in bytes, about.
    pub fn bytes(&self) -> usize {
        let nodes = self.nodes.values().map(|n| {
            let columns: usize = n.columns.values().map(|set| 64 + set.bytes()).sum();
            let values: usize = n.values.values().map(|v| 64 + v.integers.capacity() * 8).sum();
            128 + n.came.bytes() + n.went.bytes() + n.labels.bytes() + columns + values
        });
        let edges = self.edges.values().map(|e| {
            let sets = e.targets.values().chain(e.columns.values());
            128 + e.sources.bytes() + sets.map(|set| 64 + set.bytes()).sum::<usize>()
        });
        let keys = self.keys.values().map(|keys| 32 + keys.len() * 8);
        nodes.sum::<usize>() + edges.sum::<usize>() + keys.sum::<usize>()
    }
}
