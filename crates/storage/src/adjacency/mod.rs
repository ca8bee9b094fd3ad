//! Neighbours of the nodes of one node table along one edge table, in one direction.
//!
//! n-n edges are a CSR: offsets and neighbour rows sorted by (table, row), cut in segments of 65,536 source rows so that each
//! holds its rows in the fewest whole bytes. Edges of which no node has two are a vertex column. Positions are kept only
//! where an edge must be found from its target and has properties.
//!
//! Source: GF-CL §4.1.2 (single cardinality), §4.2 (new ids), §5.1 (zero suppression), §5.3 (empty lists).

mod build;
mod csr;
mod vertex_column;

pub(crate) use build::build_backward;
pub use build::{EdgeList, sort_edges};
pub use csr::{Csr, CsrView, List};
pub use vertex_column::{VertexColumn, VertexColumnView};

use trimorph_base::TableId;
use trimorph_vfs::{CodecError, Decoder, Image};

/// One direction of an edge table.
#[derive(Clone, Debug)]
pub enum Adjacency {
    /// Lists.
    Csr(Csr),
    /// At most one neighbour each.
    Column(VertexColumn),
}

impl Adjacency {
    pub(crate) fn read(
        image: &Image,
        meta: &mut Decoder<'_>,
        rows: u64,
        targets: &[(TableId, u64)],
    ) -> Result<Self, CodecError> {
        match meta.u8()? {
            0 => Ok(Self::Csr(Csr::read(image, meta, rows, targets)?)),
            1 => Ok(Self::Column(VertexColumn::read(image, meta, rows, targets)?)),
            _ => Err(meta.error("a kind of adjacency")),
        }
    }

    /// Resolves into slices.
    pub fn view(&self) -> AdjacencyView<'_> {
        match self {
            Self::Csr(csr) => AdjacencyView::Csr(CsrView::new(csr)),
            Self::Column(column) => AdjacencyView::Column(VertexColumnView::new(column)),
        }
    }
}

/// One direction of an edge table, resolved into slices.
pub enum AdjacencyView<'s> {
    /// Lists.
    Csr(CsrView<'s>),
    /// At most one neighbour each.
    Column(VertexColumnView<'s>),
}

impl AdjacencyView<'_> {
    /// Edges of all nodes.
    pub fn edges(&self) -> u64 {
        match self {
            Self::Csr(csr) => csr.edges(),
            Self::Column(column) => column.edges(),
        }
    }

    /// How many edges node `row` has.
    #[inline]
    pub fn degree(&self, row: u64) -> u64 {
        match self {
            Self::Csr(csr) => csr.degree(row),
            Self::Column(column) => u64::from(column.has(row)),
        }
    }
}

/// Bytes of a direction by what they are for (the rows of GF-CL's table 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdjacencyBytes {
    /// Offsets, presence bits of single-cardinality columns and of empty lists.
    pub offsets: usize,
    /// Neighbour rows, and tables where they differ.
    pub neighbours: usize,
    /// Positions in pages.
    pub positions: usize,
}

impl AdjacencyBytes {
    pub(crate) fn add(&mut self, other: Self) {
        self.offsets += other.offsets;
        self.neighbours += other.neighbours;
        self.positions += other.positions;
    }
}

/// Checks that every code of `codes` is a row of its table.
pub(crate) fn rows_within(
    rows: &crate::column::PackedInts,
    tables: Option<&crate::column::PackedInts>,
    count: usize,
    targets: &[(TableId, u64)],
) -> bool {
    let view = rows.view();
    // Codes of no bits are all the same, and nothing in the file bounds how many there are said to be.
    let are_same = rows.bits == 0 && tables.is_none_or(|t| t.bits == 0);
    (0..if are_same { count.min(1) } else { count }).all(|i| {
        let target = tables.map_or(0, |t| usize::try_from(t.view().get(i)).unwrap_or(usize::MAX));
        targets.get(target).is_some_and(|(_, n)| view.get(i).cast_unsigned() < *n)
    })
}
