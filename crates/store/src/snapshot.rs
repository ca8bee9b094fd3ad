//! Snapshot: the state of the database that a query reads from start to end.

use std::sync::Arc;

use trimorph_catalog::Catalog;
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

    /// Names, tables, statistics.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.main.catalog
    }

    /// The main version.
    pub fn main(&self) -> &Main {
        &self.main
    }
}
