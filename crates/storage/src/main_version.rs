//! A main version: the catalog and all its tables. Immutable; readers hold it by `Arc`.

use std::sync::Arc;

use trimorph_catalog::Catalog;
use trimorph_vfs::Piece;

use crate::characteristic_sets::CharacteristicSets;
use crate::slot::Load;
use crate::{EdgeTable, NodeTable};

/// Bytes by component: the rows of GF-CL's table 2, and what the paper leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentBytes {
    /// Node property values and codes.
    pub node_properties: usize,
    /// Edge property values and codes.
    pub edge_properties: usize,
    /// Presence bits and ranks of properties.
    pub nulls: usize,
    /// Forward adjacency.
    pub forward: usize,
    /// Backward adjacency.
    pub backward: usize,
    /// Key indexes.
    pub key_indexes: usize,
    /// Metadata, alignment and checksums.
    pub overhead: usize,
}

impl ComponentBytes {
    /// The components with their names.
    pub fn rows(&self) -> [(&'static str, usize); 7] {
        [
            ("node properties", self.node_properties),
            ("edge properties", self.edge_properties),
            ("null bits", self.nulls),
            ("forward adjacency", self.forward),
            ("backward adjacency", self.backward),
            ("key indexes", self.key_indexes),
            ("metadata and alignment", self.overhead),
        ]
    }

    /// Their sum.
    pub fn total(&self) -> usize {
        self.rows().iter().map(|(_, bytes)| bytes).sum()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.node_properties += other.node_properties;
        self.edge_properties += other.edge_properties;
        self.nulls += other.nulls;
        self.forward += other.forward;
        self.backward += other.backward;
        self.key_indexes += other.key_indexes;
        self.overhead += other.overhead;
    }
}

/// A main version.
#[derive(Clone, Debug, Default)]
pub struct Main {
    /// Names, tables, statistics.
    pub catalog: Arc<Catalog>,
    /// Node tables, as the catalog lists them.
    pub node_tables: Vec<Arc<NodeTable>>,
    /// Edge tables, as the catalog lists them.
    pub edge_tables: Vec<Arc<EdgeTable>>,
    /// Bytes by component.
    pub bytes: ComponentBytes,
    /// The last commit that it has, and all before it: a timestamp.
    pub merged_at: u64,
    /// Which columns and edge tables have something of a row.
    pub sets: CharacteristicSets,
}

impl Main {
    /// All its pieces, in the order of tables.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Arc<Piece>> {
        let nodes = self.node_tables.iter().flat_map(|t| t.pieces());
        nodes.chain(self.edge_tables.iter().flat_map(|t| t.pieces()))
    }

    /// The ids of all pieces: versions that share one have the same id.
    pub fn piece_ids(&self) -> Vec<u64> {
        self.pieces().map(|piece| piece.id()).collect()
    }

    /// All that can be brought into memory, in the order of tables.
    pub fn slots(&self) -> impl Iterator<Item = &dyn Load> {
        let nodes = self.node_tables.iter().flat_map(|t| t.slots());
        nodes.chain(self.edge_tables.iter().flat_map(|t| t.slots()))
    }

    /// Bytes of the pieces that are in files, and come into memory when they are touched.
    pub fn stored_bytes(&self) -> usize {
        self.pieces().filter(|piece| piece.is_stored()).map(|piece| piece.size()).sum()
    }

    /// Bytes of all pieces: what the tables occupy in memory, or would if all were there.
    pub fn piece_bytes(&self) -> usize {
        self.pieces().map(|piece| piece.size()).sum()
    }
}
