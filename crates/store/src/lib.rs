//! The one way in: snapshots, access patterns, statistics (design §6).
//!
//! ```text
//! snapshot         a main version and, with the delta, a read timestamp: what a query sees from start to end
//! moment           what a snapshot sees of the delta
//! reader           a snapshot resolved into slices as they are needed, one per thread
//! access           patterns over statements (S, P, O, I): planned, estimated, run, or walked in place
//! look_up          rows by key, the properties of one node or edge
//! neighbours       adjacency walked in place: lists of nodes, runs of lists, degrees, edges between nodes
//! property_column  the values of one property in one table: as vectors, or asked against a condition
//! overlay          those of them that the delta has
//! recording        what a transaction reads, noted for its commit
//! ```
#![forbid(unsafe_code)]

pub mod access;
mod look_up;
mod moment;
pub mod neighbours;
mod overlay;
mod property_column;
mod reader;
mod recording;
mod snapshot;

pub use moment::{Live, Moment};
pub use property_column::PropertyColumn;
pub use reader::Reader;
pub use recording::{ReadLog, integer_of};
pub use snapshot::Snapshot;
pub use trimorph_storage::adjacency::{AdjacencyView, CsrView, List, VertexColumnView};
pub use trimorph_storage::column::{ColumnView, Comparison, Condition, IntegerSet, SEGMENT_ROWS, ZONE_ROWS};
pub use trimorph_storage::{
    Checkpoint, CheckpointReport, ComponentBytes, DatabaseError, DirectoryState, EdgeChanges, EdgeTable,
    EdgeTableView, Load, LogStart, Main, NO_ROW, NewEdge, NodeTable, PiecePlace, RewriteError, bulk,
    check_main, directory_state, end_first_write, open_checkpoint, pieces_of, read_checkpoint, read_main,
    read_unverified, write_main,
};
pub use trimorph_vfs::{Pins, ask_for_huge_pages, prefetch_item};
