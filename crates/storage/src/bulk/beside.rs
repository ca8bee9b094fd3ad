//! A load into a database that has data: what it asks of the database, and what it gives.
//!
//! 1. Keys that no node of the load has are looked up in the database (`finder`).
//! 2. Until the load is finished its own node tables have numbers behind those of the database, and rows from
//!    0 on; nodes of the database have their ids. [`Beside::place_nodes`] says where the rows go.
//! 3. What comes out is an [`Increment`]: columns of new rows, and of new edges, and where they belong.

use trimorph_base::{EdgeTableId, NodeId, TableId};
use trimorph_types::LogicalType;

use super::{BulkError, ColumnBatch, ColumnData, NodeHandle, NodeSpec};
use crate::Main;

/// What to do with a row whose key a node of the database has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum OnConflict {
    /// Refuse it.
    #[default]
    Error,
    /// Leave it out.
    Skip,
    /// Give its properties to the node that is there.
    Merge,
}

impl OnConflict {
    /// All, in the order users see them.
    pub const ALL: [Self; 3] = [Self::Error, Self::Skip, Self::Merge];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Skip => "skip",
            Self::Merge => "merge",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }
}

/// New rows of one label set.
#[derive(Clone, Debug)]
pub struct NodePart {
    /// The label set.
    pub labels: Vec<String>,
    /// Whether the first property is the key.
    pub has_key: bool,
    /// Its properties and their types.
    pub properties: Vec<(String, LogicalType)>,
    /// Rows.
    pub rows: u64,
}

/// New edges of one label out of one node table.
#[derive(Clone, Debug)]
pub struct EdgePart {
    /// The edge label.
    pub label: String,
    /// The node table of the sources.
    pub source: TableId,
    /// Properties and their types.
    pub properties: Vec<(String, LogicalType)>,
}

/// Takes source row and target of each edge.
pub type TakeEnds<'a> = dyn FnMut(u64, NodeId) + 'a;

/// The database beside which a load goes on.
pub trait Beside: Sync {
    /// How many node tables it has: the load's own are numbered behind them.
    fn first_table(&self) -> usize;
    /// A node table will be loaded: its key space has the nodes of the same label set, too.
    fn declare(&self, spec: &NodeSpec);
    /// The type of the keys of a key space, if it has nodes there.
    fn key_type(&self, space: &str) -> Option<LogicalType>;
    /// The nodes that have these keys; none at all where nothing of the space is there, or cannot be read,
    /// which [`Self::check`] tells.
    fn find(&self, space: &str, keys: &ColumnData) -> Option<Vec<Option<NodeId>>>;
    /// Whether all that was asked for could be read.
    fn check(&self) -> Result<(), BulkError>;
    /// Gives each part a node table and the first of as many rows that follow each other.
    fn place_nodes(&self, parts: &[NodePart]) -> Result<Vec<(TableId, u64)>, BulkError>;
    /// Gives edges an edge table, and a position each in the order in which `edges` gives them; no positions
    /// where the table was made for them, and they have the positions of their order.
    fn place_edges(
        &self,
        part: &EdgePart,
        edges: &dyn Fn(&mut TakeEnds<'_>),
    ) -> Result<(EdgeTableId, Option<Vec<u64>>), BulkError>;
}

/// What rows give to nodes that are there already.
#[derive(Clone, Debug)]
pub struct Update {
    /// The node table that they were declared for.
    pub handle: NodeHandle,
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// The columns of its specification, a value for each.
    pub columns: Vec<ColumnBatch>,
}

/// What a table of an [`Increment`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadPart {
    /// Rows of a node table from `first` on.
    Nodes {
        /// The node table.
        table: TableId,
        /// The first row.
        first: u64,
    },
    /// Edges of an edge table: columns of source rows, of targets, of positions unless the table is `fresh`,
    /// and of properties.
    Edges {
        /// The edge table.
        table: EdgeTableId,
        /// Whether it was made for them: then edges have the positions of their order.
        fresh: bool,
    },
}

/// What a load made: for each part a node table of `main`, which is no main version by itself.
#[derive(Debug)]
pub struct Increment {
    /// The columns.
    pub main: Main,
    /// What each of its node tables is.
    pub parts: Vec<LoadPart>,
    /// The specifications of node tables, by handle.
    pub specs: Vec<NodeSpec>,
    /// Values for nodes that were there.
    pub updates: Vec<Update>,
}
