//! Neighbours of the nodes of one node table along one edge table, in one direction.
//!
//! n-n edges are a CSR: offsets and neighbour rows sorted by (table, row), cut in segments of
//! sources so that each holds its rows in the fewest whole bytes. Edges of which no node has two are a vertex
//! column. Positions are kept only where an edge must be found from its target and has properties.
//!
//! Source: GF-CL §4.1.2 (single cardinality), §4.2 (new ids), §5.1 (zero suppression), §5.3 (empty lists).

#[cfg(test)]
mod build;
mod csr;
mod segment_rows;
mod vertex_column;
mod write;

#[cfg(test)]
pub(crate) use build::{build_backward, sort_edges};
pub use csr::{Csr, CsrView, List};
pub(crate) use csr::{CsrSegment, first_slots};
pub(crate) use segment_rows::SegmentRows;
pub(crate) use vertex_column::VertexSegment;
pub use vertex_column::{VertexColumn, VertexColumnView};
pub(crate) use write::{SegmentLists, WrittenAdjacency};

use std::sync::Arc;

use trimorph_base::{PAGE_ROWS, TableId};
use trimorph_vfs::{CodecError, Decoder, Piece, Pins};

use crate::slot::{Load, Slot, loads};

/// Rows of a page, as an index.
const PAGE: usize = PAGE_ROWS as usize;

/// One direction of an edge table.
#[derive(Clone, Debug)]
pub enum Adjacency {
    /// Lists.
    Csr(Csr),
    /// At most one neighbour each.
    Column(VertexColumn),
}

/// Reads how many rows the lists of a segment are of: no more than the table has there.
fn read_rows(meta: &mut Decoder<'_>, most: usize) -> Result<usize, CodecError> {
    let rows = meta.u32()? as usize;
    if rows > 0 && rows <= most { Ok(rows) } else { Err(meta.error("as many rows as the table has")) }
}

/// What a direction is, but for its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lists, in segments of so many rows.
    Csr(SegmentRows),
    /// A vertex column.
    Column,
}

impl Form {
    /// The form of a direction of `edges` edges from a table of `rows` rows; `single` if no row has two.
    pub(crate) fn of(single: bool, rows: u64, edges: u64, segment_edges: u64) -> Self {
        if single { Self::Column } else { Self::Csr(SegmentRows::of_lists(rows, edges, segment_edges)) }
    }

    /// Rows of a segment.
    pub(crate) fn segment_rows(self) -> SegmentRows {
        match self {
            Self::Csr(rows) => rows,
            Self::Column => SegmentRows::default(),
        }
    }
}

/// The tables that neighbours are in, and their rows.
pub(crate) type Targets = Arc<[(TableId, u64)]>;

/// What is known of a piece of lists without reading it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// At most so many rows.
    pub(crate) rows: usize,
    /// None before it was read for the first time.
    pub(crate) edges: Option<u64>,
    pub(crate) targets: Targets,
}

impl Given {
    pub(crate) fn edges(&self) -> u64 {
        self.edges.unwrap_or(0)
    }

    fn check_edges(&self, edges: u64, meta: &Decoder<'_>) -> Result<(), CodecError> {
        match self.edges {
            Some(given) if given != edges => Err(meta.error("as many edges as its directory says")),
            _ => Ok(()),
        }
    }
}

impl Adjacency {
    /// The direction seen from a table of `rows` rows, of one piece for each of its segments with its edges;
    /// the last segments may have none. Nothing is read.
    pub(crate) fn stored(
        form: Form,
        rows: u64,
        targets: &Targets,
        pieces: impl Iterator<Item = (Arc<Piece>, u64)>,
    ) -> Self {
        let given = |rows, edges| Given { rows, edges: Some(edges), targets: Arc::clone(targets) };
        let pieces = form.segment_rows().each(rows).zip(pieces);
        match form {
            Form::Column => {
                let slots = pieces.map(|(rows, (piece, edges))| Slot::new(piece, given(rows, edges)));
                Self::Column(VertexColumn::new(targets, slots.collect()))
            }
            Form::Csr(segment_rows) => {
                let slots = pieces.map(|(rows, (piece, edges))| Slot::new(piece, given(rows, edges)));
                Self::in_order(targets, slots.collect(), segment_rows)
            }
        }
    }

    /// The direction of pieces in memory, one for each segment of a table of `rows` rows.
    ///
    /// **Errors**: a piece that does not fit its rows or its targets.
    pub(crate) fn read(
        form: Form,
        rows: u64,
        targets: &Targets,
        pieces: &mut dyn Iterator<Item = Arc<Piece>>,
    ) -> Result<Self, CodecError> {
        let pieces = form.segment_rows().each(rows).zip(pieces);
        Ok(match form {
            Form::Column => {
                let slots = pieces.map(|(rows, piece)| VertexSegment::slot(piece, rows, targets));
                Self::Column(VertexColumn::new(targets, slots.collect::<Result<_, _>>()?))
            }
            Form::Csr(segment_rows) => {
                let slots = pieces.map(|(rows, piece)| CsrSegment::slot(piece, rows, targets));
                Self::in_order(targets, slots.collect::<Result<_, _>>()?, segment_rows)
            }
        })
    }

    /// Lists whose slots are in their order.
    fn in_order(targets: &Targets, segments: Vec<Arc<Slot<CsrSegment>>>, segment_rows: SegmentRows) -> Self {
        let first_slots = first_slots(segments.iter().map(|s| s.given().edges()));
        Self::Csr(Csr::new(targets, segments, segment_rows, first_slots))
    }

    /// What it is, but for its pieces.
    pub(crate) fn form(&self) -> Form {
        match self {
            Self::Csr(csr) => Form::Csr(csr.segment_rows),
            Self::Column(_) => Form::Column,
        }
    }

    /// The pieces of its segments, with their edges.
    pub(crate) fn pieces(&self) -> Vec<(&Arc<Piece>, u64)> {
        match self {
            Self::Csr(csr) => csr.segments.iter().map(|s| (s.piece(), s.given().edges())).collect(),
            Self::Column(column) => column.segments.iter().map(|s| (s.piece(), s.given().edges())).collect(),
        }
    }

    /// What can be brought into memory.
    pub(crate) fn slots(&self) -> Vec<&dyn Load> {
        match self {
            Self::Csr(csr) => loads(&csr.segments).collect(),
            Self::Column(column) => loads(&column.segments).collect(),
        }
    }

    /// Edges of all nodes.
    pub fn edges(&self) -> u64 {
        self.pieces().iter().map(|(_, edges)| edges).sum()
    }

    /// As one thread sees it.
    pub fn view<'s>(&'s self, pins: &Arc<Pins<'s>>) -> AdjacencyView<'s> {
        match self {
            Self::Csr(csr) => AdjacencyView::Csr(CsrView::new(csr, pins)),
            Self::Column(column) => AdjacencyView::Column(VertexColumnView::new(column, pins)),
        }
    }
}

/// One direction of an edge table, as one thread sees it.
pub enum AdjacencyView<'s> {
    /// Lists.
    Csr(CsrView<'s>),
    /// At most one neighbour each.
    Column(VertexColumnView<'s>),
}

impl AdjacencyView<'_> {
    /// Forgets what is pinned.
    pub(crate) fn forget(&self) {
        match self {
            Self::Csr(csr) => csr.forget(),
            Self::Column(column) => column.forget(),
        }
    }

    /// Edges of all nodes.
    pub fn edges(&self) -> u64 {
        match self {
            Self::Csr(csr) => csr.edges(),
            Self::Column(column) => column.edges(),
        }
    }

    /// Gives those of `len` rows from `first` on that have an edge, counted from there.
    pub(crate) fn each_with_edges(&self, first: u64, len: usize, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Csr(csr) => csr.each_with_edges(first, len, visit),
            Self::Column(column) => column.each_with_edges(first, len, visit),
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
    /// Their sum.
    pub(crate) fn total(&self) -> usize {
        self.offsets + self.neighbours + self.positions
    }

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
