//! Bulk load: batches of columns in, an immutable main version out.

mod builder;
mod edges;
mod input;
mod keys;

pub use builder::{BulkBuilder, RejectFn};
pub use input::{
    BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeHandle, EdgeSpec, Lines, NodeBatch,
    NodeHandle, NodeSpec, Origin, Rejected, Verdict,
};
