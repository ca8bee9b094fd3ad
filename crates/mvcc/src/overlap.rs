//! Where what two transactions did meets.

use trimorph_base::{EdgeTableId, TableId};

/// Where what was written meets what was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// Nodes of a table that came or went.
    Nodes(TableId),
    /// A column of a node table.
    NodeColumn(TableId, usize),
    /// The edges of an edge table.
    Edges(EdgeTableId),
    /// A column of an edge table.
    EdgeColumn(EdgeTableId, usize),
    /// A key of an index.
    Key(u64),
}
