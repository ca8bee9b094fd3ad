//! Main: the read-optimised, immutable half of the store (design §3; GF-CL §4–5).
//!
//! ```text
//! bulk      batches of columns in            -> a Main out
//! characteristic_sets, places_of_rows  which columns and edge tables have something of a row
//! column    a property column: segments of 65,536 rows, each encoded as its data asks
//! adjacency neighbours per edge table and direction: CSR segments, or a vertex column
//! node_table, edge_table, main               -> what a snapshot reads
//! value_index rows, or places of edges, in the order of values; edge_values those of edge tables
//! slot      a piece of any of them, read at the first touch
//! grow      tables and columns that have nothing in main yet
//! rewrite   a main version with some pieces replaced
//! checkpoint  a directory of piece files and a manifest
//! ```
#![forbid(unsafe_code)]

pub mod adjacency;
pub mod bulk;
mod characteristic_sets;
mod checkpoint;
pub mod column;
mod edge_table;
mod edge_values;
mod facts_again;
mod grow;
mod key_index;
mod key_lookup;
mod main_version;
mod node_table;
mod places_of_rows;
mod property_pages;
mod rewrite;
mod row_labels;
mod slot;
mod value_index;

pub use characteristic_sets::{CharacteristicSets, PLACES_MIN, Place, PlacesOfRows};
pub use checkpoint::{
    Checkpoint, CheckpointReport, DatabaseError, DirectoryState, LogStart, PiecePlace, check_main,
    directory_state, end_first_write, manifest_number, open_checkpoint, pieces_of, read_checkpoint,
    read_main, read_unverified, write_main,
};
pub use edge_table::{EdgeTable, EdgeTableView};
pub use facts_again::{ColumnPlace, FactsAgain};
pub use key_index::{KeyIndex, KeyIndexView};
pub use key_lookup::NO_ROW;
pub use main_version::{ComponentBytes, Main};
pub use node_table::NodeTable;
pub use rewrite::{
    EdgeChanges, EdgeMerge, NewEdge, NewEdgeValues, NewValues, NodeChanges, PlacedEdge, RewriteError,
};
pub use row_labels::row_labels;
pub use slot::Load;
pub use value_index::{Iris, ValueIndex, ValueIndexView, ValueOf};
