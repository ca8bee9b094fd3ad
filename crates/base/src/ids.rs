//! Identity: the 64-bit ids of what a graph is made of, and the small ids of the catalog.
//!
//! Every id begins with its kind (4 bits), so that ids of different kinds are never equal.
//! `docs/design/ids.md` has all kinds:
//!
//! ```text
//! node   0 · node table (16) · row (44)
//! edge   1 · edge table (16) · place (44): page and position, split as its edge table says
//! ```
//!
//! Rows are dense within a node table and never change while the node lives. A page is 128 source rows, so an
//! edge keeps its id when its neighbours come and go.
//!
//! Source: GF-CL §4.2 and §5.2; Poseidon §2; design §2.

/// A node table of the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TableId(pub u16);

/// An edge table: one edge label out of one node table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeTableId(pub u16);

/// A node label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u16);

/// An edge label (a relationship type in Cypher's words).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u16);

/// A property name, shared by all tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PropertyId(pub u32);

/// What an id stands for: its first 4 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum IdKind {
    /// A [`NodeId`].
    Node = 0,
    /// An [`EdgeId`].
    Edge = 1,
}

impl IdKind {
    /// Bits behind the kind.
    const SHIFT: u32 = 60;

    const fn bits(self) -> u64 {
        (self as u64) << Self::SHIFT
    }

    const fn is_of(self, id: u64) -> bool {
        id >> Self::SHIFT == self as u64
    }
}

/// A node: kind · node table · row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u64);

impl NodeId {
    /// Bits of the row part.
    pub const ROW_BITS: u32 = 44;
    /// One past the largest row a node table can hold.
    pub const ROW_END: u64 = 1 << Self::ROW_BITS;

    /// The node of `row` in `table`. `row` must be below [`NodeId::ROW_END`].
    #[inline]
    pub const fn new(table: TableId, row: u64) -> Self {
        debug_assert!(row < Self::ROW_END);
        Self(((table.0 as u64) << Self::ROW_BITS) | row)
    }

    /// Whether the kind is a node's; an id that came from outside may be anything.
    #[inline]
    pub const fn is_node(self) -> bool {
        IdKind::Node.is_of(self.0)
    }

    /// The node table.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "masked to 16 bits")]
    pub const fn table(self) -> TableId {
        TableId((self.0 >> Self::ROW_BITS) as u16)
    }

    /// The row within the node table.
    #[inline]
    pub const fn row(self) -> u64 {
        self.0 & (Self::ROW_END - 1)
    }
}

/// An edge: kind · edge table · place. The edge table's [`crate::EdgePlaces`] tell page and position in the
/// place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeId(pub u64);

impl EdgeId {
    /// Bits of the place: page and position.
    pub const PLACE_BITS: u32 = 44;
    /// Edge tables an id can tell apart.
    pub const TABLES_MAX: usize = 1 << 16;

    /// The edge at a place of `table`; a place begins with the page.
    #[inline]
    pub const fn new(table: EdgeTableId, place: u64) -> Self {
        debug_assert!(place < 1 << Self::PLACE_BITS);
        Self(IdKind::Edge.bits() | ((table.0 as u64) << Self::PLACE_BITS) | place)
    }

    /// Whether the kind is an edge's; an id that came from outside may be anything.
    #[inline]
    pub const fn is_edge(self) -> bool {
        IdKind::Edge.is_of(self.0)
    }

    /// The edge table.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "masked to 16 bits")]
    pub const fn table(self) -> EdgeTableId {
        EdgeTableId((self.0 >> Self::PLACE_BITS) as u16)
    }

    /// Page and position, to be split by the edge table's [`crate::EdgePlaces`].
    #[inline]
    pub const fn place(self) -> u64 {
        self.0 & ((1 << Self::PLACE_BITS) - 1)
    }
}
