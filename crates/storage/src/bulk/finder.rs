//! Keys in, nodes out: those of the load, and those of the database beside which it goes on.

use trimorph_base::NodeId;

use super::ColumnData;
use super::beside::Beside;
use super::keys::{Key, KeySpace};

/// Nodes by key: those of the load, and those of the database.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a> {
    pub(super) space: &'a KeySpace,
    pub(super) name: &'a str,
    pub(super) beside: Option<&'a dyn Beside>,
}

impl Finder<'_> {
    /// The nodes that have the keys of a column; `None` as soon as one is not known.
    pub(super) fn find_all(&self, keys: &ColumnData) -> Option<Vec<NodeId>> {
        if let Some(found) = self.space.find_all(keys) {
            return Some(found);
        }
        let there = self.beside?.find(self.name, keys)?;
        let own = |i| self.space.find(super::keys::key_at(keys, i)?);
        there.into_iter().enumerate().map(|(i, node)| node.or_else(|| own(i))).collect()
    }

    /// The node that has a key.
    pub(super) fn find(&self, key: Key<'_>) -> Option<NodeId> {
        self.space.find(key).or_else(|| {
            let keys = match key {
                Key::Int(key) => ColumnData::Int(vec![key]),
                Key::Text(key) => {
                    ColumnData::String { bytes: key.to_vec(), ends: vec![u32::try_from(key.len()).ok()?] }
                }
            };
            self.beside?.find(self.name, &keys)?.first().copied().flatten()
        })
    }
}
