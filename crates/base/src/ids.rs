//! Identity: node ids, edge ids and the small ids of the catalog.
//!
//! A node id is 64 bits: kind (4) · node table (16) · row (44). Rows are dense within a node table and
//! never change while the node lives. An edge id is 64 bits: edge table (10) · page (28) · position (26),
//! the page being 128 source rows, so an edge keeps its id when its neighbours come and go.
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

/// An edge: edge table · page of 128 source rows · position in the page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeId(pub u64);

impl EdgeId {
    /// Bits of the position part.
    pub const POSITION_BITS: u32 = 26;
    /// Bits of the page part.
    pub const PAGE_BITS: u32 = 28;
    /// Edge tables an id can tell apart.
    pub const TABLE_END: u16 = 1 << 10;

    /// The edge at `position` of `page` in `table`.
    #[inline]
    pub const fn new(table: EdgeTableId, page: u64, position: u64) -> Self {
        debug_assert!(position < 1 << Self::POSITION_BITS);
        Self(
            ((table.0 as u64) << (Self::PAGE_BITS + Self::POSITION_BITS))
                | (page << Self::POSITION_BITS)
                | position,
        )
    }

    /// The edge table.
    #[inline]
    pub const fn table(self) -> EdgeTableId {
        EdgeTableId((self.0 >> (Self::PAGE_BITS + Self::POSITION_BITS)) as u16)
    }

    /// The page: source row divided by 128.
    #[inline]
    pub const fn page(self) -> u64 {
        (self.0 >> Self::POSITION_BITS) & ((1 << Self::PAGE_BITS) - 1)
    }

    /// The position within the page.
    #[inline]
    pub const fn position(self) -> u64 {
        self.0 & ((1 << Self::POSITION_BITS) - 1)
    }
}
