//! What the log holds: declarations, operations, commits. Ids and vectors; `record` has their bytes.

use std::borrow::Cow;

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId, TypeId};
use trimorph_types::LogicalType;
use trimorph_vector::Vector;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// Of a node label.
    Label(LabelId),
    /// Of an edge label.
    Type(TypeId),
    /// Of a property.
    Property(PropertyId),
}

/// A node table or an edge table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A node table.
    Nodes(TableId),
    /// An edge table.
    Edges(EdgeTableId),
}

/// What an index or a constraint is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The nodes with a label.
    Nodes(LabelId),
    /// The edges with a label.
    Edges(TypeId),
}

/// A name or a table, which stands outside transactions and is never undone.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Declaration<'a> {
    /// A name gets its id.
    Name { name: Name, text: Cow<'a, str> },
    /// A node table, and the labels of its nodes.
    NodeTable { table: TableId, labels: Vec<LabelId> },
    /// An edge table; an edge's place has so many bits of a position.
    EdgeTable { table: EdgeTableId, label: TypeId, source: TableId, position_bits: u8 },
    /// A column of a table.
    Column { owner: Owner, column: u32, property: PropertyId, logical_type: LogicalType },
}

/// Values of one column, one for each row of a batch; null is "removed".
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// Number of the column in its table.
    pub column: u32,
    /// Property values: no nodes and no edges.
    pub values: Vector<'a>,
}

/// What a transaction did to some rows. A batch has at most [`ROWS_MAX`](crate::ROWS_MAX) of them, and as
/// many values in each column, sources and targets as rows or places.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Operation<'a> {
    /// New nodes.
    Nodes { table: TableId, rows: Cow<'a, [u64]>, columns: Cow<'a, [Column<'a>]> },
    /// Nodes that went.
    NodesDeleted { table: TableId, rows: Cow<'a, [u64]> },
    /// All labels that nodes have now: `sets[chosen[i]]` for `rows[i]`.
    Labels { table: TableId, rows: Cow<'a, [u64]>, sets: Cow<'a, [Vec<LabelId>]>, chosen: Cow<'a, [u64]> },
    /// New values of nodes.
    NodeValues { table: TableId, rows: Cow<'a, [u64]>, columns: Cow<'a, [Column<'a>]> },
    /// New edges: their places, rows of their sources, and ids of their targets.
    Edges {
        table: EdgeTableId,
        places: Cow<'a, [u64]>,
        sources: Cow<'a, [u64]>,
        targets: Cow<'a, [u64]>,
        columns: Cow<'a, [Column<'a>]>,
    },
    /// Edges that went.
    EdgesDeleted {
        table: EdgeTableId,
        places: Cow<'a, [u64]>,
        sources: Cow<'a, [u64]>,
        targets: Cow<'a, [u64]>,
    },
    /// New values of edges.
    EdgeValues { table: EdgeTableId, places: Cow<'a, [u64]>, columns: Cow<'a, [Column<'a>]> },
    /// A bulk load: where its pieces are, and the checksum of their manifest.
    Load { directory: Cow<'a, str>, checksum: u64, parts: Vec<LoadedPart> },
    /// An index or a constraint was made; what `kind` and `detail` mean is the engine's.
    Defined {
        name: Cow<'a, str>,
        kind: u8,
        detail: Cow<'a, str>,
        subject: Subject,
        properties: Vec<PropertyId>,
    },
    /// An index or a constraint was dropped.
    Dropped { name: Cow<'a, str> },
}

/// What a table of a bulk load is; what `kind` means is the engine's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the types'")]
pub struct LoadedPart {
    pub kind: u8,
    pub table: u16,
    /// The first row.
    pub first: u64,
}

/// The end of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commit {
    /// The transaction's handle.
    pub handle: u64,
    /// Its commit timestamp.
    pub timestamp: u64,
    /// Time of day, in microseconds since 1970-01-01T00:00:00Z.
    pub micros: i64,
}
