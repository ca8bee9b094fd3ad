//! A load into a database that has data: what it asks of the database, and what it gives.
//!
//! 1. Keys that no node of the load has are looked up in the database ([`Finder`]).
//! 2. Until the load is finished its own node tables have numbers behind those of the database, and rows from
//!    0 on; nodes of the database have their ids. [`Beside::place_nodes`] says where the rows go.
//! 3. What comes out is an [`Increment`]: columns of new rows, and of new edges, and where they belong.

use trimorph_base::{EdgeTableId, NodeId, TableId};
use trimorph_types::LogicalType;

use super::edges::{Rows, blank, extend};
use super::keys::{Key, KeySpace};
use super::{BulkError, ColumnBatch, ColumnData, Lines, NodeBatch, NodeHandle, NodeSpec, Origin};
use crate::Main;

/// What to do with a row whose key a node of the database has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

/// Nodes by key: those of the load, and those of the database.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a> {
    pub(super) space: &'a KeySpace,
    pub(super) name: &'a str,
    pub(super) beside: Option<&'a dyn Beside>,
}

impl Finder<'_> {
    /// The nodes that have the keys of a column; `None` as soon as one is not known.
    pub(super) fn find_all(&self, keys: &ColumnData) -> Option<Vec<NodeId>> {
        if let Some(found) = self.space.find_all(keys) {
            return Some(found);
        }
        let there = self.beside?.find(self.name, keys)?;
        let own = |i| self.space.find(super::keys::key_at(keys, i)?);
        there.into_iter().enumerate().map(|(i, node)| node.or_else(|| own(i))).collect()
    }

    /// The node that has a key.
    pub(super) fn find(&self, key: Key<'_>) -> Option<NodeId> {
        self.space.find(key).or_else(|| {
            let keys = match key {
                Key::Int(key) => ColumnData::Int(vec![key]),
                Key::Text(key) => {
                    ColumnData::String { bytes: key.to_vec(), ends: vec![u32::try_from(key.len()).ok()?] }
                }
            };
            self.beside?.find(self.name, &keys)?.first().copied().flatten()
        })
    }
}

fn type_of(data: &ColumnData) -> LogicalType {
    match data {
        ColumnData::Bool(_) => LogicalType::Bool,
        ColumnData::Int(_) => LogicalType::Int,
        ColumnData::Float(_) => LogicalType::Float,
        ColumnData::Date(_) => LogicalType::Date,
        ColumnData::LocalTime(_) => LogicalType::LocalTime,
        ColumnData::LocalDateTime(_) => LogicalType::LocalDateTime,
        ColumnData::DateTime(_) => LogicalType::DateTime,
        ColumnData::String { .. } => LogicalType::String,
        ColumnData::Values(_) => LogicalType::Any,
    }
}

/// Some rows of columns.
pub(super) fn picked(columns: &[ColumnBatch], rows: &[usize]) -> Vec<ColumnBatch> {
    let pick = |column: &ColumnBatch| {
        let mut out = blank(type_of(&column.data), 0);
        out.nulls = None;
        extend(&mut out, column, &Rows::Each(rows.to_vec()), 0);
        out
    };
    columns.iter().map(pick).collect()
}

/// The rows of a batch that `keep` names.
pub(super) fn rest(batch: &NodeBatch, keep: impl Fn(usize) -> bool) -> NodeBatch {
    let count = batch.keys.as_ref().map_or(0, ColumnData::len);
    let rows: Vec<usize> = (0..count).filter(|i| keep(*i)).collect();
    let keys = batch.keys.as_ref().and_then(|keys| {
        let keys = ColumnBatch { data: keys.clone(), nulls: None };
        Some(picked(&[keys], &rows).pop()?.data)
    });
    let lines = rows.iter().map(|i| batch.origin.lines.line(*i)).collect();
    let origin = Origin { file: batch.origin.file, lines: Lines::Each(lines) };
    NodeBatch { keys, columns: picked(&batch.columns, &rows), origin }
}

/// The value of a row of a column.
pub fn value_of(column: &ColumnBatch, row: usize) -> trimorph_types::Value {
    match &column.nulls {
        Some(nulls) if nulls.get(row) == Some(&true) => trimorph_types::Value::Null,
        _ => crate::column::value_at(&column.data, row),
    }
}
