//! Bulk load: batches of columns in, an immutable main version out.

mod builder;
mod column_estimate;
mod edges;
mod errors;
mod input;
mod keys;
mod nodes;
mod sorted_edges;
mod sorted_list;
mod waiting_column;
mod waiting_edges;

pub use builder::{BulkBuilder, RejectFn};
pub use input::{
    BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeHandle, EdgeSpec, Lines, NodeBatch,
    NodeHandle, NodeSpec, Origin, Rejected, Verdict,
};
