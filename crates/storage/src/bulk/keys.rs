//! Key spaces while loading: from a key to the node that has it.

use rustc_hash::FxHashMap;
use trimorph_base::{NodeId, TableId};

use super::ColumnData;
use crate::key_index::{hash_int, hash_text};

/// The keys of one space: integers and strings apart, so that `1` and `"1"` are two keys.
#[derive(Default, Debug)]
pub(crate) struct KeySpace {
    ints: FxHashMap<i64, NodeId>,
    texts: FxHashMap<Box<[u8]>, NodeId>,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    Int(i64),
    Text(&'a [u8]),
}

impl std::fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(i) => i.fmt(f),
            Self::Text(t) => write!(f, "\"{}\"", String::from_utf8_lossy(t)),
        }
    }
}

/// The key of row `i`; `None` if the column cannot hold keys.
#[inline]
pub(crate) fn key_at(keys: &ColumnData, i: usize) -> Option<Key<'_>> {
    match keys {
        ColumnData::Int(v) => v.get(i).map(|k| Key::Int(*k)),
        ColumnData::String { bytes, ends } => {
            let start = if i == 0 { 0 } else { ends[i - 1] as usize };
            bytes.get(start..*ends.get(i)? as usize).map(Key::Text)
        }
        _ => None,
    }
}

impl KeySpace {
    /// Gives `key` to `node`; `false` if another node has it.
    pub(crate) fn insert(&mut self, key: Key<'_>, node: NodeId) -> bool {
        match key {
            Key::Int(k) => match self.ints.entry(k) {
                std::collections::hash_map::Entry::Occupied(_) => false,
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(node);
                    true
                }
            },
            Key::Text(k) => {
                if self.texts.contains_key(k) {
                    return false;
                }
                self.texts.insert(k.into(), node);
                true
            }
        }
    }

    /// The node that has `key`.
    #[inline]
    pub(crate) fn find(&self, key: Key<'_>) -> Option<NodeId> {
        match key {
            Key::Int(k) => self.ints.get(&k).copied(),
            Key::Text(k) => self.texts.get(k).copied(),
        }
    }

    /// Hashes and rows of the keys of one table, for its key index.
    #[expect(clippy::cast_possible_truncation, reason = "a node table has fewer than 2^32 rows")]
    pub(crate) fn hashes(&self, table: TableId) -> Vec<(u64, u32)> {
        let ints =
            self.ints.iter().filter(|(_, n)| n.table() == table).map(|(k, n)| (hash_int(*k), n.row() as u32));
        let texts = self
            .texts
            .iter()
            .filter(|(_, n)| n.table() == table)
            .map(|(k, n)| (hash_text(k), n.row() as u32));
        let mut hashes: Vec<(u64, u32)> = ints.chain(texts).collect();
        // The map's order is not that of the rows; the index must not depend on it.
        hashes.sort_unstable_by_key(|(_, row)| *row);
        hashes
    }
}
