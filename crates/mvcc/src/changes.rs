//! What a transaction wrote, as sets of rows: asked against what others read (precision locking).

use std::collections::BTreeSet;

use trimorph_base::{EdgeTableId, SmallMap, TableId};

use crate::{Overlap, RowSet};

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
    pub columns: SmallMap<usize, RowSet>,
    /// What nodes got, by column: those that came, too.
    pub values: SmallMap<usize, WrittenValues>,
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
    pub targets: SmallMap<TableId, RowSet>,
    /// Values that changed, by column: the places of the edges.
    pub columns: SmallMap<usize, RowSet>,
}

/// What a transaction wrote.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// To nodes, by table.
    pub nodes: SmallMap<TableId, NodeChanges>,
    /// To edges, by edge table.
    pub edges: SmallMap<EdgeTableId, EdgeChanges>,
    /// Keys that came to an index or went: the index's number, and hashes of keys.
    pub keys: SmallMap<u64, Vec<u64>>,
    /// Indexes that any keys may have come to.
    pub any_keys: BTreeSet<u64>,
    /// What only a bulk load has: who commits after it is asked against it at every level.
    pub load: Option<LoadChanges>,
}

/// What a bulk load did that others do not find where they write.
#[derive(Clone, Debug, Default)]
pub struct LoadChanges {
    /// Nodes that were there and got edges: who deletes one did not find these.
    pub ends: SmallMap<TableId, RowSet>,
    /// Columns of keys that have no index: who gives one there a value may give one that the load gave.
    pub unindexed: BTreeSet<(TableId, usize)>,
    /// Columns of edges that must have no value twice: likewise.
    pub unindexed_edges: BTreeSet<(EdgeTableId, usize)>,
}

impl Changes {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty() && self.keys.is_empty() && self.any_keys.is_empty()
    }

    /// Whether these changes, which did not see a bulk load, cannot stand beside it: a node that went and got
    /// an edge from it; a key that both gave. The keys of a load are sorted.
    pub fn meets_load(&self, load: &Self) -> Option<Overlap> {
        let more = load.load.as_ref()?;
        let went = |(table, rows): (&TableId, &RowSet)| {
            self.nodes.get(table).is_some_and(|own| own.went.meets(rows)).then_some(Overlap::Nodes(*table))
        };
        let keys = |(index, own): (&u64, &Vec<u64>)| {
            let keys = load.keys.get(index)?;
            own.iter().any(|hash| keys.binary_search(hash).is_ok()).then_some(Overlap::Key(*index))
        };
        let unindexed = |(table, column): &(TableId, usize)| {
            let own = self.nodes.get(table)?;
            own.values.contains_key(column).then_some(Overlap::NodeColumn(*table, *column))
        };
        let of_edges = |(table, column): &(EdgeTableId, usize)| {
            let own = self.edges.get(table)?;
            own.columns.contains_key(column).then_some(Overlap::EdgeColumn(*table, *column))
        };
        (more.ends.iter().find_map(went))
            .or_else(|| self.keys.iter().find_map(keys))
            .or_else(|| more.unindexed.iter().find_map(unindexed))
            .or_else(|| more.unindexed_edges.iter().find_map(of_edges))
    }

    /// The changes to the nodes of a table.
    pub fn nodes_of(&mut self, table: TableId) -> &mut NodeChanges {
        self.nodes.or_default(table)
    }

    /// The changes to the edges of an edge table.
    pub fn edges_of(&mut self, table: EdgeTableId) -> &mut EdgeChanges {
        self.edges.or_default(table)
    }

    /// An edge came or went.
    pub fn edge(&mut self, table: EdgeTableId, source: u64, target: (TableId, u64)) {
        let changes = self.edges_of(table);
        changes.sources.insert(source);
        changes.targets.or_default(target.0).insert(target.1);
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
