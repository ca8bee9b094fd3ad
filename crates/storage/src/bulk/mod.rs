//! Bulk load: batches of columns in, an immutable main version out.

mod input;

pub use input::{
    BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeHandle, EdgeSpec, Lines, NodeBatch, NodeHandle, NodeSpec,
    Origin, Rejected, Verdict,
};
