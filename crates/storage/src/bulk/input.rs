//! What a bulk load hands to storage: declared tables, batches of columns, and rows refused.
//!
//! Nodes are named by keys in *key spaces* (neo4j-admin's ID spaces; LDBC's `Place`, `Organisation`, `Person`
//! ids): several node tables may share one, and an edge's ends are keys in two of them. The sink resolves
//! keys to rows.

use trimorph_types::{LogicalType, Value};

/// A node table to fill: one label set.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSpec {
    /// The label set, in the order labels are shown.
    pub labels: Vec<String>,
    /// The key space that this table's keys belong to.
    pub key_space: Option<String>,
    /// The property that holds the key, if the key is also a property. Must not be in `properties`.
    pub key_property: Option<String>,
    /// The other properties and their types.
    pub properties: Vec<(String, LogicalType)>,
}

/// An edge label between two key spaces. Storage splits it into edge tables by source node table.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeSpec {
    /// The edge label, such as `KNOWS`.
    pub label: String,
    /// The key space of the sources.
    pub from_space: String,
    /// The key space of the targets.
    pub to_space: String,
    /// Properties and their types.
    pub properties: Vec<(String, LogicalType)>,
}

/// A declared node table of one load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeHandle(pub u32);

/// A declared edge label of one load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EdgeHandle(pub u32);

/// The values of one column for the rows of a batch.
#[derive(Clone, Debug)]
pub enum ColumnData {
    /// `BOOLEAN`
    Bool(Vec<bool>),
    /// `INTEGER`
    Int(Vec<i64>),
    /// `FLOAT`
    Float(Vec<f64>),
    /// `DATE`: days since 1970-01-01.
    Date(Vec<i32>),
    /// `LOCAL TIME`: nanoseconds since midnight.
    LocalTime(Vec<i64>),
    /// `LOCAL DATETIME`: nanoseconds since 1970-01-01T00:00:00.
    LocalDateTime(Vec<i64>),
    /// `DATETIME` in UTC: nanoseconds since 1970-01-01T00:00:00Z. Instants that do not fit, and other zones,
    /// go as `Values`.
    DateTime(Vec<i64>),
    /// `STRING`: value `i` is `bytes[ends[i-1]..ends[i]]`, UTF-8 throughout and at each cut.
    String {
        /// All values, one after the other.
        bytes: Vec<u8>,
        /// One past the last byte of each value.
        ends: Vec<u32>,
    },
    /// Anything else: lists, maps, durations, zoned times, mixed types.
    Values(Vec<Value>),
}

impl ColumnData {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(v) => v.len(),
            Self::Int(v) | Self::LocalTime(v) | Self::LocalDateTime(v) | Self::DateTime(v) => v.len(),
            Self::Float(v) => v.len(),
            Self::Date(v) => v.len(),
            Self::String { ends, .. } => ends.len(),
            Self::Values(v) => v.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column of a batch. At null rows the data holds any value (0, an empty string).
#[derive(Clone, Debug)]
pub struct ColumnBatch {
    /// The values.
    pub data: ColumnData,
    /// `true` where the row is null; absent when no row is.
    pub nulls: Option<Vec<bool>>,
}

/// Where the rows of a batch come from, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Index of the file in the loader's own list.
    pub file: u32,
    /// The line of each row.
    pub lines: Lines,
}

/// Line numbers of the rows of a batch, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Consecutive, starting here.
    From(u64),
    /// One by one.
    Each(Vec<u64>),
}

impl Lines {
    /// The line of row `i`.
    pub fn line(&self, i: usize) -> u64 {
        match self {
            Self::From(first) => first + i as u64,
            Self::Each(lines) => lines[i],
        }
    }
}

/// Rows of one node table, in file order.
#[derive(Clone, Debug)]
pub struct NodeBatch {
    /// The keys (`Int` or `String` data, no nulls); absent for tables without a key space.
    pub keys: Option<ColumnData>,
    /// The columns of `NodeSpec::properties`, in that order.
    pub columns: Vec<ColumnBatch>,
    /// Where they come from.
    pub origin: Origin,
}

/// Edges of one edge label, in file order.
#[derive(Clone, Debug)]
pub struct EdgeBatch {
    /// Keys of the sources (`Int` or `String` data, no nulls).
    pub from_keys: ColumnData,
    /// Keys of the targets.
    pub to_keys: ColumnData,
    /// The columns of `EdgeSpec::properties`, in that order.
    pub columns: Vec<ColumnBatch>,
    /// Where they come from.
    pub origin: Origin,
}

/// A row refused by the sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Index of the file in the loader's own list.
    pub file: u32,
    /// The line, from 1.
    pub line: u64,
    /// Why, in one clause, such as `duplicate key 5 in key space "Person"`.
    pub reason: String,
}

/// How the reason ends where a node of the row's key was there before the load.
pub(super) const IS_KNOWN: &str = "is in the database already";

impl Rejected {
    /// Whether it was refused only because a node of its key was there before the load.
    pub fn is_of_known_node(&self) -> bool {
        self.reason.ends_with(IS_KNOWN)
    }
}

/// What to do about a row refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Leave the row out and go on.
    Skip,
    /// Give up the whole load.
    Abort,
}

/// Why a load gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BulkError {
    /// A row was refused and the verdict was to abort.
    Rejected(Rejected),
    /// A declaration contradicts another one, or a batch its declaration.
    Declaration(String),
    /// The memory budget does not hold the load.
    Memory(trimorph_base::OverBudget),
    /// More tables, rows or edges than ids can tell apart.
    TooLarge(String),
    /// Cancelled from outside.
    Cancelled,
}

impl std::fmt::Display for BulkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rejected(r) => write!(f, "line {}: {}", r.line, r.reason),
            Self::Declaration(text) | Self::TooLarge(text) => f.write_str(text),
            Self::Memory(over) => over.fmt(f),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for BulkError {}

/// Takes a load in. `append_*` may be called from several threads, but batches of one handle must come in row
/// order: rows are numbered as they come. All nodes and all edges may come in any order relative to each
/// other.
pub trait BulkSink: Sync {
    /// The type of the keys of a key space that no node of this load has; none where it is not known either.
    fn known_keys(&self, space: &str) -> Option<LogicalType> {
        let _ = space;
        None
    }
    /// Declares a node table. The same label set may be declared once.
    fn declare_nodes(&self, spec: NodeSpec) -> Result<NodeHandle, BulkError>;
    /// Declares an edge label between two key spaces. The same label may be declared for several pairs.
    fn declare_edges(&self, spec: EdgeSpec) -> Result<EdgeHandle, BulkError>;
    /// Appends nodes.
    fn append_nodes(&self, table: NodeHandle, batch: NodeBatch) -> Result<(), BulkError>;
    /// Appends edges. Keys are resolved when the load finishes.
    fn append_edges(&self, table: EdgeHandle, batch: EdgeBatch) -> Result<(), BulkError>;
}
