//! Why a statement was not taken.

use trimorph_store::bulk::BulkError;

use crate::LoadError;

/// Why a statement was not taken.
#[derive(Debug)]
pub enum Refused {
    /// These statements do not fit what is built here: they are to be inserted one by one.
    Unfit,
    /// Memory, cancellation, limits.
    Failed(LoadError),
}

impl From<BulkError> for Refused {
    fn from(error: BulkError) -> Self {
        Self::Failed(match error {
            BulkError::Cancelled => LoadError::Cancelled,
            BulkError::Memory(over) => LoadError::Memory(over),
            other => LoadError::Sink(other),
        })
    }
}
