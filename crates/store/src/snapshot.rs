//! Snapshot: the state of the database that a query reads from start to end.

use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_catalog::{Catalog, Schema};
use trimorph_storage::Main;

/// A main version held for as long as somebody reads it. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    main: Arc<Main>,
}

impl Snapshot {
    /// The snapshot of a main version without a delta.
    pub fn new(main: Arc<Main>) -> Self {
        Self { main }
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
