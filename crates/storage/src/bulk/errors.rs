//! What a load may end with, in words.

use trimorph_vfs::CodecError;

use super::BulkError;

/// More of `what` than there can be.
pub(super) fn too_large(what: &str, max: u64) -> BulkError {
    BulkError::TooLarge(format!("more than {max} {what}"))
}

/// There is no memory for the finished pieces.
pub(super) fn no_memory(error: std::io::Error) -> BulkError {
    BulkError::TooLarge(format!("could not get memory for a table: {error}"))
}

/// What was written just now cannot be read: a bug, and not of who loads.
pub(super) fn unreadable(error: CodecError) -> BulkError {
    BulkError::TooLarge(format!("could not build a table: {error}"))
}
