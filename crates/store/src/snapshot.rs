//! Snapshot: the state of the database that a query reads from start to end.

use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_catalog::{Catalog, Schema};
use trimorph_storage::Main;

/// A main version held for as long as somebody reads it. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    main: Arc<Main>,
    /// What a reader may pin, in bytes, before it lets go; none where all fits.
    pinned_bytes_max: Option<usize>,
}

/// Pieces of files may take this part of the memory limit before readers let go of what they do not need at
/// once: queries need the other half.
const KEPT_PART: usize = 2;
/// What one reader may pin then, as a part of the limit: there are others, and a morsel touches more before
/// it can let go.
const PINNED_PART: usize = 8;

impl Snapshot {
    /// The snapshot of a main version without a delta.
    pub fn new(main: Arc<Main>) -> Self {
        Self { main, pinned_bytes_max: None }
    }

    /// The same within a memory limit, in bytes.
    pub fn within(main: Arc<Main>, limit: usize) -> Self {
        let fits = main.stored_bytes() <= limit / KEPT_PART;
        Self { main, pinned_bytes_max: (!fits).then_some(limit / PINNED_PART) }
    }

    /// What a reader may pin, in bytes, before it lets go; none where all fits in memory.
    pub(crate) fn pinned_bytes_max(&self) -> Option<usize> {
        self.pinned_bytes_max
    }

    /// Schema, facts, statistics.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.main.catalog
    }

    /// Names and tables.
    pub fn schema(&self) -> &Schema {
        &self.main.catalog.schema
    }

    /// Rows of a node table; none of one that there is not.
    pub fn rows(&self, table: TableId) -> u64 {
        self.main.node_tables.get(table.0 as usize).map_or(0, |t| t.rows)
    }

    /// The main version.
    pub fn main(&self) -> &Main {
        &self.main
    }
}
