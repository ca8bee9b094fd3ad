//! What was changed and is not merged: versions of rows, rows that came and went, edges.
//!
//! ```text
//! delta      all of it, by table
//! nodes      the nodes of one table: batches in, what a reader sees of a row out
//! edges      the properties of the edges of one edge table that were written
//! edge_batches  many edges that come or go at once
//! edge_map   records by edge; maps of which edges that follow each other lie side by side
//! keys       keys that came to a node table
//! positions  positions of new edges in the pages of an edge table
//! chunks     things by number that are never moved
//! chain      the versions of a row or edge, newest first: who may put one in front
//! heads      the newest version of each row that has one, by zones
//! pages      label pages: versions that write the same columns, side by side (TAG §3.3)
//! cells      the values of one column of a page
//! merged     what commits up to a time made, for a main version that is to have it; what is left is cleaned
//! latches    writers and who cleans, each at a time
//! marks      rows whose lists changes touched
//! topology   edges that came or went: changes to the list of a node
//! lists_together  the same of many nodes at once
//! records    the edges by number: ends, from when to when
//! replay     what a log says was committed
//! places     rows and positions that are given and come back
//! directory  things by number, looked up while others come and go
//! tree       topology: edges from both ends, sorted as main's lists are (TAG §3)
//! writer     who writes, and why he could not
//! ```
//!
//! Nothing here knows a name or a main version: a change is numbers of tables, rows and columns, and values.
//!
//! Source: TAG §3; Poseidon §4; Neumann and others 2015; `docs/design/transactions.md`.
#![forbid(unsafe_code)]

mod cells;
mod chain;
mod chunks;
mod delta;
mod directory;
mod edge_batches;
mod edge_map;
mod edges;
mod gathered;
mod heads;
mod keys;
mod latches;
mod lists_together;
mod marks;
mod merged;
mod nodes;
mod pages;
mod places;
mod positions;
mod records;
mod replay;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;
mod topology;
#[cfg(test)]
mod topology_tests;
mod tree;
mod values;
mod values_seen;
mod writer;

pub use delta::Delta;
pub use edges::{EdgeDelta, MarkedEdges, MarkedLook};
pub use keys::KeyDelta;
pub use lists_together::ListChanges;
pub use marks::Marks;
pub use merged::{Cleaned, Commits, EdgesWritten, RowsWritten};
pub use nodes::{LABELS, NodeDelta};
pub use pages::Version;
pub use positions::{FreePositions, Positions};
pub use replay::RowEvent;
pub use topology::{EdgeChange, EdgeEnds, Topology, WrittenEdges};
pub use tree::Direction;
pub use values::{RowsByValue, hash_of_value};
pub use writer::{Columns, WriteError, Writer, Written};
