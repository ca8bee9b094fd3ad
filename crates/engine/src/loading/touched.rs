//! Sets of nodes that grow by millions: which nodes a load found, and which ends its edges have.

use std::collections::BTreeMap;

use trimorph_base::{NodeId, SmallMap, TableId};
use trimorph_mvcc::RowSet;

/// Nodes, a bit a row. **Cost**: a few nanoseconds each; an eighth of a byte for each row of the tables.
#[derive(Debug, Default)]
pub(super) struct NodeBits(BTreeMap<TableId, Vec<u64>>);

impl NodeBits {
    pub(super) fn insert(&mut self, node: NodeId) {
        let words = self.0.entry(node.table()).or_default();
        let word = (node.row() / 64) as usize;
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << (node.row() % 64);
    }

    pub(super) fn contains(&self, table: TableId, row: u64) -> bool {
        let word = self.0.get(&table).and_then(|words| words.get((row / 64) as usize));
        word.is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// As sets of rows, by table.
    pub(super) fn row_sets(&self) -> SmallMap<TableId, RowSet> {
        self.0.iter().map(|(table, words)| (*table, row_set(words))).collect()
    }
}

fn row_set(words: &[u64]) -> RowSet {
    let mut rows = RowSet::default();
    for (at, word) in (0u64..).zip(words).filter(|(_, word)| **word != 0) {
        (0..64).filter(|bit| word >> bit & 1 == 1).for_each(|bit| rows.insert(at * 64 + bit));
    }
    rows
}
