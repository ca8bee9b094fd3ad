//! A node table: the columns of the nodes of one label set, and the index of its key.

use std::sync::Arc;

use trimorph_vfs::Piece;

use crate::column::Column;
use crate::key_index::KeyIndex;
use crate::slot::{Load, loads};

/// A node table.
#[derive(Clone, Debug)]
pub struct NodeTable {
    /// Rows.
    pub rows: u64,
    /// Columns, as the catalog lists them.
    pub columns: Vec<Arc<Column>>,
    /// Index of the key property, if it has one.
    pub key_index: Option<KeyIndex>,
}

impl NodeTable {
    /// What can be brought into memory.
    pub fn slots(&self) -> impl Iterator<Item = &dyn Load> {
        let key = self.key_index.iter().flat_map(|index| loads(&index.pieces));
        self.columns.iter().flat_map(|column| column.slots()).chain(key)
    }

    /// All its pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Arc<Piece>> {
        let key = self.key_index.iter().flat_map(|k| k.pieces.iter().map(|p| p.piece()));
        self.columns.iter().flat_map(|c| c.pieces()).chain(key)
    }
}
