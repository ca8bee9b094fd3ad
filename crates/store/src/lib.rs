//! The one way in: snapshots, readers, statistics (design §6).
//!
//! ```text
//! snapshot   a main version and, with the delta, a read timestamp: what a query sees from start to end
//! reader     a snapshot resolved into slices as they are needed, one per thread
//! step       which adjacencies one step of a pattern visits, for each node table it may start from
//! morsels    ranges of rows handed to workers, pruned by zone maps
//! ```
#![forbid(unsafe_code)]

mod morsels;
mod reader;
mod snapshot;
mod step;

pub use morsels::{Morsels, Prune};
pub use reader::Reader;
pub use snapshot::Snapshot;
pub use step::{AdjacencyRef, StepPlan};
pub use trimorph_storage::adjacency::{AdjacencyView, CsrView, List, VertexColumnView};
pub use trimorph_storage::column::{ColumnView, Condition, SEGMENT_ROWS, Test, ZONE_ROWS};
pub use trimorph_storage::{
    ComponentBytes, DatabaseError, EdgeTable, EdgeTableView, Main, NodeTable, PAGE_ROWS, bulk, read_main,
    write_main,
};
