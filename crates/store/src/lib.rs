//! The one way in: snapshots, access patterns, statistics (design §6).
//!
//! ```text
//! snapshot   a main version and, with the delta, a read timestamp: what a query sees from start to end
//! reader     a snapshot resolved into slices as they are needed, one per thread
//! access     patterns over statements (S, P, O, I): planned, estimated, run, or walked in place by operators
//! ```
#![forbid(unsafe_code)]

pub mod access;
mod reader;
mod snapshot;

pub use reader::Reader;
pub use snapshot::Snapshot;
pub use trimorph_storage::adjacency::{AdjacencyView, CsrView, List, VertexColumnView};
pub use trimorph_storage::column::{ColumnView, Condition, SEGMENT_ROWS, Test, ZONE_ROWS};
pub use trimorph_storage::{
    Checkpoint, CheckpointReport, ComponentBytes, DatabaseError, DirectoryState, EdgeChanges, EdgeTable,
    EdgeTableView, Main, NewEdge, NodeTable, PiecePlace, RewriteError, bulk, check_main, directory_state,
    end_first_write, pieces_of, read_checkpoint, read_main, read_unverified, write_main,
};
