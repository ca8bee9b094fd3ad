//! The one way in: snapshots, access patterns, statistics (design §6).
//!
//! ```text
//! snapshot         a main version and, with the delta, a read timestamp: what a query sees from start to end
//! moment           what a snapshot sees of the delta
//! merge            what was committed put into a new main version
//! reader           a snapshot resolved into slices as they are needed, one per thread
//! access           patterns over statements (S, P, O, I): planned, estimated, run, or walked in place
//! known_names      nodes that were found by their names of late
//! look_up          rows by key, the properties of one node or edge
//! find_values      rows, or edges, by the value of an indexed property
//! find_together    rows by the values of several indexed properties together
//! edges_in_order   edges in the order of an indexed property
//! statements       the graph as RDF statements: by subject, predicate, object and graph
//! neighbours       adjacency walked in place: lists of nodes, runs of lists, degrees, edges between nodes
//! property_column  the values of one property in one table: as vectors, or asked against a condition
//! overlay          those of them that the delta has
//! asked_rows       a condition asked of both
//! views            views of tables, made as a reader touches them
//! wanted           what is looked for by value
//! name_columns     where names of nodes are looked for
//! recording        what a transaction reads, noted for its commit
//! unrecorded       the views behind these doors, which note nothing
//! pressure         how much was written since somebody looked
//! ```
#![forbid(unsafe_code)]

pub mod access;
mod asked_rows;
mod edges_in_order;
mod find_together;
mod find_values;
mod known_names;
mod look_up;
mod merge;
mod moment;
mod name_columns;
pub mod neighbours;
mod overlay;
mod pressure;
mod property_column;
mod reader;
mod recording;
mod snapshot;
pub mod statements;
mod unrecorded;
mod views;
mod wanted;

pub use edges_in_order::EdgeInOrder;
pub use find_together::Together;
pub use merge::{MergeError, MergeReport, merged};
pub use moment::{Live, Moment};
pub use pressure::{Pressure, Waited};
pub use property_column::PropertyColumn;
pub use reader::Reader;
pub use recording::{ReadLog, edge_index_number, index_number, integer_of};
pub use snapshot::Snapshot;
pub use trimorph_storage::adjacency::{AdjacencyView, CsrView, List, VertexColumnView};
pub use trimorph_storage::column::{
    ColumnView, Comparison, Condition, IntegerSet, LabelRows, SEGMENT_ROWS, ZONE_ROWS,
};
pub use trimorph_storage::{
    Checkpoint, CheckpointReport, ColumnPlace, ComponentBytes, DatabaseError, DirectoryState, EdgeChanges,
    EdgeMerge, EdgeTable, EdgeTableView, FactsAgain, Load, LogStart, Main, NO_ROW, NewEdge, NodeChanges,
    NodeTable, PiecePlace, PlacedEdge, RewriteError, bulk, check_main, directory_state, end_first_write,
    manifest_number, open_checkpoint, pieces_of, read_checkpoint, read_main, read_unverified, write_main,
};
pub use trimorph_vfs::{Failures, Pins, ask_for_huge_pages, prefetch_item};
pub use unrecorded::{EdgePositions, Unrecorded};
pub use wanted::Wanted;
