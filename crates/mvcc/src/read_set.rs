//! What a transaction read, as sets of rows; what others wrote meanwhile is asked against it.
//!
//! Reads without an answer are reads too: a key that was not found, a list without edges, a table without
//! rows. A set may say more than was read, never less.
//!
//! Source: Neumann and others 2015, §4 (precision locking); `docs/design/transactions.md`, "Read sets".

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_base::{EdgeTableId, SmallMap, TableId};

use crate::changes::{EdgeChanges, NodeChanges};
use crate::{Changes, Overlap, RowSet};

/// What was read of the nodes of one table.
#[derive(Clone, Debug, Default)]
pub struct NodeReads {
    /// Rows that were asked whether they exist, or for their labels.
    pub rows: RowSet,
    /// Rows whose value of a column was read.
    pub columns: SmallMap<usize, RowSet>,
    /// Rows that were looked for by a value; those that were found are among the rows.
    ranges: Vec<ReadRange>,
}

/// The rows of a node table whose value of a column lies between two integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadRange {
    /// The column.
    pub column: usize,
    /// The least value.
    pub low: i64,
    /// The largest.
    pub high: i64,
}

/// Ranges that are kept apart. Beyond, all rows count as read.
const RANGES_MAX: usize = 256;

/// Hashes that are compared with each of others one by one.
const FEW_HASHES: usize = 8;

/// What was read of the edges of one edge table.
#[derive(Clone, Debug, Default)]
pub struct EdgeReads {
    /// Sources whose lists were read.
    pub forward: RowSet,
    /// Targets whose lists were read, by their table.
    pub backward: SmallMap<TableId, RowSet>,
    /// Places of edges whose value of a column was read.
    pub columns: SmallMap<usize, RowSet>,
}

/// What a transaction read.
#[derive(Clone, Debug, Default)]
pub struct ReadSet {
    /// Of nodes, by table.
    pub nodes: SmallMap<TableId, NodeReads>,
    /// Of edges, by edge table.
    pub edges: SmallMap<EdgeTableId, EdgeReads>,
    /// Keys that were looked up: the index's number, and hashes of keys; none for any key.
    pub keys: SmallMap<u64, Option<Vec<u64>>>,
    /// Keys that were looked up in the same indexes each: their numbers, ascending, and hashes of keys. A
    /// name is looked for in hundreds of tables: as keys of each they were a seventh of a small statement.
    together: Option<(Arc<[u64]>, Vec<u64>)>,
}

impl ReadSet {
    /// What was read of the nodes of a table.
    pub fn nodes_of(&mut self, table: TableId) -> &mut NodeReads {
        self.nodes.or_default(table)
    }

    /// What was read of the edges of an edge table.
    pub fn edges_of(&mut self, table: EdgeTableId) -> &mut EdgeReads {
        self.edges.or_default(table)
    }

    /// A key was looked up.
    pub fn key(&mut self, index: u64, hash: u64) {
        if let Some(hashes) = self.keys.or_insert_with(index, || Some(Vec::new())) {
            hashes.push(hash);
        }
    }

    /// A key was looked up in each of some indexes, whose numbers ascend.
    pub fn key_in_all(&mut self, indexes: &Arc<[u64]>, hash: u64) {
        let (known, hashes) = self.together.get_or_insert_with(|| (Arc::clone(indexes), Vec::new()));
        if Arc::ptr_eq(known, indexes) || known == indexes {
            hashes.push(hash);
        } else {
            indexes.iter().for_each(|index| self.key(*index, hash));
        }
    }

    /// Whether one of some keys was looked up in an index.
    fn has_key(&self, index: u64, written: &[u64]) -> bool {
        let own = self.keys.get(&index).is_some_and(|read| match read {
            None => !written.is_empty(),
            Some(read) => share(read, written),
        });
        own || self.together_in(index).is_some_and(|read| share(read, written))
    }

    /// The keys that were looked up in an index and in others.
    fn together_in(&self, index: u64) -> Option<&[u64]> {
        let (indexes, hashes) = self.together.as_ref()?;
        indexes.binary_search(&index).is_ok().then_some(hashes)
    }

    /// A range of an index was read, or all of it.
    pub fn all_keys(&mut self, index: u64) {
        self.keys.insert(index, None);
    }

    /// Whether nothing was read.
    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty() && self.keys.is_empty() && self.together.is_none()
    }

    /// Puts in what another set has.
    pub fn merge(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for (table, reads) in other.nodes {
            let own = self.nodes_of(table);
            own.rows.merge(&reads.rows);
            reads.columns.iter().for_each(|(c, rows)| own.columns.or_default(*c).merge(rows));
            reads.ranges.into_iter().for_each(|range| own.range(range));
        }
        for (table, reads) in other.edges {
            let own = self.edges_of(table);
            own.forward.merge(&reads.forward);
            reads.backward.iter().for_each(|(t, rows)| own.backward.or_default(*t).merge(rows));
            reads.columns.iter().for_each(|(c, rows)| own.columns.or_default(*c).merge(rows));
        }
        if let Some((indexes, hashes)) = other.together {
            hashes.into_iter().for_each(|hash| self.key_in_all(&indexes, hash));
        }
        for (index, keys) in other.keys {
            match keys {
                None => self.all_keys(index),
                Some(hashes) => hashes.into_iter().for_each(|hash| self.key(index, hash)),
            }
        }
    }

    /// Where `changes` wrote what was read, if anywhere.
    pub fn overlap(&self, changes: &Changes) -> Option<Overlap> {
        let nodes = changes.nodes.iter().find_map(|(table, changes)| {
            self.nodes.get(table).and_then(|reads| reads.overlap(*table, changes))
        });
        let edges = || {
            changes.edges.iter().find_map(|(table, changes)| {
                self.edges.get(table).and_then(|reads| reads.overlap(*table, changes))
            })
        };
        let keys = || {
            let met = changes.keys.iter().find(|(index, written)| self.has_key(**index, written));
            met.map(|(index, _)| Overlap::Key(*index))
        };
        let any_keys = || {
            let was_read =
                |index: &&u64| self.keys.contains_key(index) || self.together_in(**index).is_some();
            let met = changes.any_keys.iter().find(was_read);
            met.map(|index| Overlap::Key(*index))
        };
        nodes.or_else(edges).or_else(keys).or_else(any_keys)
    }

    /// What it holds, in bytes, about.
    pub fn bytes(&self) -> usize {
        let nodes = self.nodes.values().map(|n| {
            128 + n.rows.bytes()
                + n.ranges.len() * 24
                + n.columns.values().map(|set| 64 + set.bytes()).sum::<usize>()
        });
        let edges = self.edges.values().map(|e| {
            let sets = e.backward.values().chain(e.columns.values());
            128 + e.forward.bytes() + sets.map(|set| 64 + set.bytes()).sum::<usize>()
        });
        let keys = self.keys.values().map(|keys| 32 + keys.as_ref().map_or(0, |k| k.capacity() * 8));
        let together = self.together.as_ref().map_or(0, |(_, hashes)| 32 + hashes.capacity() * 8);
        nodes.sum::<usize>() + edges.sum::<usize>() + keys.sum::<usize>() + together
    }
}

/// Whether two lists of hashes have one in common.
///
/// **Cost**: of short lists every pair is compared; of others, their lengths. Who commits is waited for, and
/// statements of many rows read and write keys by the hundred thousand.
fn share(a: &[u64], b: &[u64]) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if few.len() <= FEW_HASHES {
        return many.iter().any(|hash| few.contains(hash));
    }
    let few: HashSet<u64> = few.iter().copied().collect();
    many.iter().any(|hash| few.contains(hash))
}

impl NodeReads {
    /// Rows were looked for by a value. Those that are found are to be noted themselves.
    pub fn range(&mut self, range: ReadRange) {
        let covers = |known: &ReadRange| {
            known.column == range.column && known.low <= range.low && known.high >= range.high
        };
        // That all rows were asked whether they exist says nothing of their values.
        if self.columns.get(&range.column) == Some(&RowSet::All) || self.ranges.iter().any(covers) {
            return;
        }
        if self.ranges.len() < RANGES_MAX {
            self.ranges.push(range);
        } else {
            self.ranges.clear();
            self.rows.insert_all();
            self.columns.or_default(range.column).insert_all();
        }
    }

    fn overlap(&self, table: TableId, changes: &NodeChanges) -> Option<Overlap> {
        let existence = [&changes.came, &changes.went, &changes.labels];
        if existence.iter().any(|rows| self.rows.meets(rows)) {
            return Some(Overlap::Nodes(table));
        }
        let enters = |range: &ReadRange| {
            changes.values.get(&range.column).is_some_and(|values| values.meet(range.low, range.high))
        };
        if self.ranges.iter().any(enters) {
            return Some(Overlap::Nodes(table));
        }
        for (column, rows) in &self.columns {
            // Who read a row's value read that the row has one: it is gone with the row.
            let came_or_went = rows.meets(&changes.came) || rows.meets(&changes.went);
            let changed = changes.columns.get(column).is_some_and(|written| rows.meets(written));
            if came_or_went || changed {
                return Some(Overlap::NodeColumn(table, *column));
            }
        }
        None
    }
}

impl EdgeReads {
    fn overlap(&self, table: EdgeTableId, changes: &EdgeChanges) -> Option<Overlap> {
        let backward = || {
            changes
                .targets
                .iter()
                .any(|(table, rows)| self.backward.get(table).is_some_and(|read| read.meets(rows)))
        };
        if self.forward.meets(&changes.sources) || backward() {
            return Some(Overlap::Edges(table));
        }
        let column = changes
            .columns
            .iter()
            .find(|(column, written)| self.columns.get(column).is_some_and(|read| read.meets(written)));
        column.map(|(column, _)| Overlap::EdgeColumn(table, *column))
    }
}
