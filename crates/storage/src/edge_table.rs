//! An edge table: both directions of one edge label out of one node table, and the edges' properties.
//!
//! Property pages: columns in forward order, pages of k = 128 source rows. In main a page's edges lie end to end, so the edge at
//! position `p` of page `g` is at slot `page_slot(g) + p`: sequential forward, constant time from the other side. Where the
//! forward direction is a vertex column the properties are vertex columns too, and the slot is the source row.
//!
//! Source: GF-CL §4.2 (single-indexed property pages, page-level positional offsets).

use trimorph_base::{EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_vfs::{CodecError, Decoder, Image, Region};

use crate::adjacency::{Adjacency, AdjacencyView, CsrView, List};
use crate::column::Column;
use crate::database::TableError;

/// Source rows of a property page (GF-CL §4.2: k = 128).
pub const PAGE_ROWS: u64 = 128;

/// The file kind of edge tables.
pub(crate) const EDGE_TABLE_KIND: u32 = 2;

/// An edge table.
#[derive(Clone, Debug)]
pub struct EdgeTable {
    /// Which.
    pub id: EdgeTableId,
    /// The source node table.
    pub source: TableId,
    /// From sources.
    pub forward: Adjacency,
    /// From targets, for each target node table.
    pub backward: Vec<(TableId, Adjacency)>,
    /// Properties by slot, as the catalog lists them.
    pub columns: Vec<Column>,
    pub(crate) image: Image,
}

impl EdgeTable {
    /// Opens an image written by a bulk load. `rows` gives the rows of a node table.
    pub(crate) fn open(
        region: Region,
        id: EdgeTableId,
        source: TableId,
        targets: &[TableId],
        rows: &dyn Fn(TableId) -> Option<u64>,
    ) -> Result<Self, TableError> {
        let image = Image::open(region, EDGE_TABLE_KIND)?;
        let (forward, backward, columns) = Self::read(&image, source, targets, rows)?;
        Ok(Self { id, source, forward, backward, columns, image })
    }

    #[expect(clippy::type_complexity, reason = "the parts of the struct")]
    fn read(
        image: &Image,
        source: TableId,
        targets: &[TableId],
        rows: &dyn Fn(TableId) -> Option<u64>,
    ) -> Result<(Adjacency, Vec<(TableId, Adjacency)>, Vec<Column>), CodecError> {
        let metadata = image.metadata().to_vec();
        let mut meta = Decoder::new(&metadata);
        let missing = meta.error("node tables of the catalog");
        let source_rows = rows(source).ok_or(missing)?;
        let sized =
            targets.iter().map(|t| Some((*t, rows(*t)?))).collect::<Option<Vec<_>>>().ok_or(missing)?;
        let slots = meta.u64()?;
        let forward = Adjacency::read(image, &mut meta, source_rows, &sized)?;
        let mut backward = Vec::new();
        for (target, target_rows) in &sized {
            backward
                .push((*target, Adjacency::read(image, &mut meta, *target_rows, &[(source, source_rows)])?));
        }
        // Neighbours that are all the same take no bytes, so that a few bytes could claim lists of 4 billion of them.
        let edges_back = backward.iter().map(|(_, adjacency)| adjacency.view().edges()).sum::<u64>();
        if forward.view().edges() != edges_back {
            return Err(meta.error("as many edges backward as forward"));
        }
        if !positions_within(&forward, &backward, &sized, slots) {
            return Err(meta.error("positions within their pages"));
        }
        let column_count = meta.count(meta.remaining())?;
        let columns = (0..column_count)
            .map(|_| Column::read(image, &mut meta, slots))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((forward, backward, columns))
    }

    /// Resolves into slices.
    pub fn view(&self) -> EdgeTableView<'_> {
        EdgeTableView {
            id: self.id,
            source: self.source,
            forward: self.forward.view(),
            backward: self.backward.iter().map(|(t, a)| (*t, a.view())).collect(),
        }
    }
}

/// Whether every stored position is one of its page's, and forward edges are as many as slots: what property reads rely on.
fn positions_within(
    forward: &Adjacency,
    backward: &[(TableId, Adjacency)],
    targets: &[(TableId, u64)],
    slots: u64,
) -> bool {
    let AdjacencyView::Csr(forward) = forward.view() else { return true };
    let within = |source: NodeId, position: u64| {
        let page = source.row() / PAGE_ROWS;
        position < forward.slot_of((page + 1) * PAGE_ROWS).saturating_sub(forward.page_slot(page))
    };
    forward.edges() == slots
        && backward.iter().zip(targets).all(|((_, adjacency), (_, rows))| match adjacency.view() {
            AdjacencyView::Csr(csr) => (0..*rows).map(|row| csr.list(row)).all(|list| {
                !csr.has_positions(list)
                    || (0..list.len)
                        .all(|i| csr.position(list, i).is_none_or(|p| within(csr.node(list, i), p)))
            }),
            AdjacencyView::Column(column) => (0..*rows).all(|row| match column.neighbour(row) {
                Some(source) => column.position(row).is_none_or(|p| within(source, p)),
                None => true,
            }),
        })
}

/// The topology of an edge table, resolved into slices.
pub struct EdgeTableView<'s> {
    /// Which.
    pub id: EdgeTableId,
    /// The source node table.
    pub source: TableId,
    /// From sources.
    pub forward: AdjacencyView<'s>,
    /// From targets, for each target node table.
    pub backward: Vec<(TableId, AdjacencyView<'s>)>,
}

impl<'s> EdgeTableView<'s> {
    /// The direction from targets in `table`.
    pub fn backward(&self, table: TableId) -> Option<&AdjacencyView<'s>> {
        self.backward.iter().find(|(t, _)| *t == table).map(|(_, a)| a)
    }

    /// The id of the one edge of source `row`, where the forward direction is a vertex column.
    #[inline]
    pub fn single_id(&self, row: u64) -> EdgeId {
        EdgeId::new(self.id, row / PAGE_ROWS, row % PAGE_ROWS)
    }

    /// The id of the first edge of the forward list of source `row`; the others follow.
    #[inline]
    pub fn forward_id(&self, row: u64, list: List) -> EdgeId {
        let page = row / PAGE_ROWS;
        match &self.forward {
            AdjacencyView::Csr(csr) => {
                EdgeId::new(self.id, page, csr.slot(list).saturating_sub(csr.page_slot(page)))
            }
            AdjacencyView::Column(_) => self.single_id(row),
        }
    }

    /// The id of the edge from `source` (a row) to `target`, the `ordinal`-th of those between the two.
    ///
    /// **Cost**: a binary search in the source's list.
    pub fn search_id(&self, source: u64, target: NodeId, ordinal: usize) -> EdgeId {
        match &self.forward {
            AdjacencyView::Column(_) => self.single_id(source),
            AdjacencyView::Csr(csr) => {
                let list = csr.list(source);
                let place = csr.lower_bound(list, target) + ordinal;
                EdgeId(self.forward_id(source, list).0 + place as u64)
            }
        }
    }

    /// Where an edge's properties are in the columns.
    #[inline]
    pub fn slot(&self, edge: EdgeId) -> u64 {
        match &self.forward {
            AdjacencyView::Csr(csr) => csr.page_slot(edge.page()) + edge.position(),
            AdjacencyView::Column(_) => edge.page() * PAGE_ROWS + edge.position(),
        }
    }

    /// Appends the slots of the edges of `list`, a list of the backward adjacency `csr`, to `out`; `false`, and nothing appended, where
    /// positions are not stored.
    ///
    /// **Cost**: two sequential reads and one of the page's start an edge, in loops of a batch each.
    pub fn append_backward_slots(&self, csr: &CsrView<'s>, list: List, out: &mut Vec<u64>) -> bool {
        match &self.forward {
            AdjacencyView::Csr(forward) if csr.has_positions(list) => {
                csr.rows_and_positions(list, |rows, positions| {
                    out.extend(rows.iter().zip(positions).map(|(row, position)| {
                        forward.page_slot(row.cast_unsigned() / PAGE_ROWS) + position.cast_unsigned()
                    }));
                });
                true
            }
            _ => false,
        }
    }

    /// Appends the ids of the edges of `list`, a list of the backward adjacency `csr`, to `out`; `false`, and nothing appended, where
    /// positions are not stored.
    pub fn append_backward_ids(&self, csr: &CsrView<'s>, list: List, out: &mut Vec<EdgeId>) -> bool {
        let stored = csr.has_positions(list);
        if stored {
            csr.rows_and_positions(list, |rows, positions| {
                out.extend(rows.iter().zip(positions).map(|(row, position)| {
                    EdgeId::new(self.id, row.cast_unsigned() / PAGE_ROWS, position.cast_unsigned())
                }));
            });
        }
        stored
    }

    /// The ends of an edge, source first.
    ///
    /// **Cost**: a binary search over the 128 rows of its page.
    pub fn ends(&self, edge: EdgeId) -> Option<(NodeId, NodeId)> {
        match &self.forward {
            AdjacencyView::Column(_) if edge.position() >= PAGE_ROWS => None,
            AdjacencyView::Column(column) => {
                let row = edge.page() * PAGE_ROWS + edge.position();
                Some((NodeId::new(self.source, row), column.neighbour(row)?))
            }
            AdjacencyView::Csr(csr) => {
                let (mut low, mut high) = (0, PAGE_ROWS);
                let first = edge.page() * PAGE_ROWS;
                csr.row_slot(first)?;
                let slot = self.slot(edge);
                // The last row whose edges start at or before the position holds it, if rows without edges after it are skipped.
                while high - low > 1 {
                    let middle = u64::midpoint(low, high);
                    match csr.row_slot(first + middle) {
                        Some(start) if start <= slot => low = middle,
                        _ => high = middle,
                    }
                }
                let list = csr.list_within(first + low)?;
                let i = usize::try_from(slot.checked_sub(csr.slot(list))?).ok()?;
                (i < list.len).then(|| (NodeId::new(self.source, first + low), csr.node(list, i)))
            }
        }
    }
}
