//! The columns that have names of nodes (`@id`), as a reader keeps them: of a schema, made once a name is
//! looked for.

use std::sync::Arc;

use trimorph_base::TableId;

/// The columns of names, by their tables and places there.
#[derive(Default)]
pub(crate) struct NameColumns {
    pub(crate) columns: Box<[(TableId, usize)]>,
    /// The numbers of their indexes, ascending, where reads are noted.
    pub(crate) indexes: Arc<[u64]>,
}
