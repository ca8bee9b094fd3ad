//! Bulk load: batches of columns in, an immutable main version out.

mod beside;
mod builder;
mod column_estimate;
mod edges;
mod errors;
mod finder;
mod increment;
mod input;
mod keys;
mod nodes;
mod numbered;
mod packed_numbers;
mod picked;
mod sorted_edges;
mod sorted_list;
mod waiting_column;
mod waiting_edges;

pub use crate::column::{ColumnWriter, as_integer, of_integer};
pub use beside::{Beside, EdgePart, Increment, LoadPart, NodePart, OnConflict, TakeEnds, Update};
pub use builder::{BulkBuilder, RejectFn, in_parallel};
pub(crate) use edges::{EdgeTableInput, Rows, build_edge_table};
pub use input::{
    BulkError, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeHandle, EdgeSpec, Lines, NodeBatch,
    NodeHandle, NodeSpec, Origin, Rejected, Verdict,
};
pub use nodes::{NumberedColumn, NumberedIndex, NumberedLabels, NumberedNodes};
pub use numbered::{NumberedEdges, NumberedOptions, build_numbered};
pub use packed_numbers::PackedNumbers;
pub use picked::value_of;
