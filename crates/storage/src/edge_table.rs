//! An edge table: both directions of one edge label out of one node table, and the edges' properties.
//!
//! Property pages: columns by slot, pages of k = 128 source rows. The edge at position `p` of page `g` is at
//! slot `slot of page g + p`: sequential forward where lists are as they were loaded, constant time from the
//! other side. Where the forward direction is a vertex column the properties are vertex columns too, and the
//! slot is the source row. The position then is that of the source row in its page, unless the edge took the
//! place of another one before the position was free: such edges have positions from k on, which are stored.
//!
//! Source: GF-CL §4.2 (single-indexed property pages, page-level positional offsets).

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use trimorph_base::{EdgeId, EdgePlaces, EdgeTableId, NodeId, PAGE_ROWS, TableId};
use trimorph_types::Value;
use trimorph_vector::PageStarts;
use trimorph_vfs::{Piece, Pins};

use crate::adjacency::{Adjacency, AdjacencyView, CsrView, List, VertexColumnView};
use crate::column::{Column, ColumnView, segment_lengths};
use crate::property_pages::{NOWHERE, PropertyPages, SegmentPages};
use crate::slot::{Load, Slot, loads};
use crate::value_index::ValueIndex;

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
    pub columns: Vec<Arc<Column>>,
    /// Indexes of the values of columns, by the columns' places.
    pub value_indexes: Vec<(usize, ValueIndex)>,
    pub(crate) pages: PropertyPages,
    pub(crate) places: Arc<EdgePlaces>,
}

impl EdgeTable {
    /// Puts the parts together. `pages` is none where the edges have no properties, or a slot is a source
    /// row.
    pub(crate) fn new(
        places: EdgePlaces,
        source: TableId,
        forward: Adjacency,
        backward: Vec<(TableId, Adjacency)>,
        pages: Option<Vec<Arc<Slot<SegmentPages>>>>,
    ) -> Self {
        let (forward, pages) = match forward {
            Adjacency::Csr(csr) => {
                let rows = csr.segment_rows;
                let from_lists = || PropertyPages::from_lists(&csr.segments, rows);
                let pages = pages.map_or_else(from_lists, |pages| PropertyPages::stored(pages, rows));
                (Adjacency::Csr(csr.with_first_slots(pages.first_slots().to_vec())), pages)
            }
            column => (column, PropertyPages::default()),
        };
        let (id, places) = (places.table(), Arc::new(places));
        let (columns, value_indexes) = (Vec::new(), Vec::new());
        Self { id, source, forward, backward, columns, value_indexes, pages, places }
    }

    /// How page and position make the ids of its edges.
    pub fn places(&self) -> &EdgePlaces {
        &self.places
    }

    /// How many slots each piece of its columns has, given the source rows: what a reader of the columns
    /// needs.
    pub(crate) fn column_rows(&self, source_rows: u64) -> Vec<usize> {
        match &self.forward {
            Adjacency::Column(_) => segment_lengths(source_rows).collect(),
            Adjacency::Csr(_) => self.pages.slot_counts().into_iter().flat_map(segment_lengths).collect(),
        }
    }

    /// What can be brought into memory.
    pub fn slots(&self) -> impl Iterator<Item = &dyn Load> {
        let directions = std::iter::once(&self.forward).chain(self.backward.iter().map(|(_, a)| a));
        let columns = self.columns.iter().flat_map(|column| column.slots());
        let values = self.value_indexes.iter().flat_map(|(_, index)| loads(&index.pieces));
        directions.flat_map(Adjacency::slots).chain(loads(self.pages.slots())).chain(columns).chain(values)
    }

    /// The index of the values of a column, if there is one.
    pub fn value_index(&self, column: usize) -> Option<&ValueIndex> {
        self.value_indexes.iter().find(|(of, _)| *of == column).map(|(_, index)| index)
    }

    /// All its pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Arc<Piece>> {
        let directions = std::iter::once(&self.forward).chain(self.backward.iter().map(|(_, a)| a));
        let pages = self.pages.slots().iter().map(|s| s.piece());
        directions
            .flat_map(|adjacency| adjacency.pieces().into_iter().map(|(piece, _)| piece))
            .chain(pages)
            .chain(self.columns.iter().flat_map(|c| c.pieces()))
            .chain(self.value_indexes.iter().flat_map(|(_, index)| index.pieces.iter().map(|p| p.piece())))
    }

    /// Page and position of an edge.
    pub fn place(&self, edge: EdgeId) -> (u64, u64) {
        self.places.place(edge)
    }

    /// The edge at a position of a page.
    pub fn id(&self, page: u64, position: u64) -> EdgeId {
        self.places.id(page, position)
    }

    /// As one thread sees it. Nothing is read yet.
    pub fn view<'s>(&'s self, pins: &Arc<Pins<'s>>) -> EdgeTableView<'s> {
        EdgeTableView {
            id: self.id,
            source: self.source,
            forward: self.forward.view(pins),
            backward: self.backward.iter().map(|(t, a)| (*t, a.view(pins))).collect(),
            pages: &self.pages,
            page_starts: OnceCell::new(),
            places: &self.places,
            pins: Arc::clone(pins),
        }
    }
}

/// The topology of an edge table, as one thread sees it.
pub struct EdgeTableView<'s> {
    /// Which.
    pub id: EdgeTableId,
    /// The source node table.
    pub source: TableId,
    /// From sources.
    pub forward: AdjacencyView<'s>,
    /// From targets, for each target node table.
    pub backward: Vec<(TableId, AdjacencyView<'s>)>,
    pages: &'s PropertyPages,
    /// Where all pages start, once somebody asked and they are stored.
    page_starts: OnceCell<&'s [u64]>,
    places: &'s EdgePlaces,
    pins: Arc<Pins<'s>>,
}

/// The edges of a page, which is in one segment, and how many rows it has there.
fn page_run(csr: &CsrView<'_>, page: u64) -> Option<(usize, List)> {
    let first = page * PAGE_ROWS;
    let rows = (PAGE_ROWS as usize).min(csr.rows_from(first));
    Some((rows, csr.run(first, rows)?))
}

impl<'s> EdgeTableView<'s> {
    /// Forgets what is pinned.
    pub fn forget(&self) {
        self.forward.forget();
        self.backward.iter().for_each(|(_, adjacency)| adjacency.forget());
    }

    /// The slot at which a page starts.
    #[inline]
    fn page_slot(&self, page: u64) -> u64 {
        match self.page_starts.get() {
            Some(starts) => starts.get(page as usize).copied().unwrap_or(NOWHERE),
            None => self.find_page_slot(page),
        }
    }

    #[cold]
    fn find_page_slot(&self, page: u64) -> u64 {
        match self.pages.starts(&self.pins) {
            Some(starts) => {
                self.page_starts.get_or_init(|| starts);
                starts.get(page as usize).copied().unwrap_or(NOWHERE)
            }
            None => self.pages.slot(page, &self.pins),
        }
    }

    /// The direction from targets in `table`.
    #[inline]
    pub fn backward(&self, table: TableId) -> Option<&AdjacencyView<'s>> {
        self.backward.iter().find(|(t, _)| *t == table).map(|(_, a)| a)
    }

    /// The id of the one edge of source `row`, where the forward direction is a vertex column.
    #[inline]
    pub fn single_id(&self, row: u64) -> EdgeId {
        self.places.id(row / PAGE_ROWS, self.single_position(row))
    }

    /// The position of the one edge of source `row`, where the forward direction is a vertex column.
    #[inline]
    pub(crate) fn single_position(&self, row: u64) -> u64 {
        let stored = match &self.forward {
            AdjacencyView::Column(column) => column.position(row),
            AdjacencyView::Csr(_) => None,
        };
        stored.unwrap_or(row % PAGE_ROWS)
    }

    /// The source row of the edge at a position of a page, where the forward direction is a vertex column;
    /// none where there is no such edge. A row without one, or behind the column, has no values either.
    ///
    /// **Cost**: positions of the page's rows are free; others are searched for among its edges.
    fn single_row(&self, column: &VertexColumnView<'_>, page: u64, position: u64) -> Option<u64> {
        let first = page * PAGE_ROWS;
        if position < PAGE_ROWS {
            // Nobody else's, but the row's edge may be at another one by now.
            let row = first + position;
            let is_its = || column.position(row).is_none_or(|stored| stored == position);
            return (column.has(row) && is_its()).then_some(row);
        }
        (first..first + PAGE_ROWS).find(|row| column.position(*row) == Some(position))
    }

    /// The id of the edge at a stored position, out of source `row`.
    #[inline]
    pub fn id_at(&self, row: u64, position: u64) -> EdgeId {
        self.places.id(row / PAGE_ROWS, position)
    }

    /// The id of the `i`-th edge of the forward list of source `row`.
    #[inline]
    pub fn forward_id_at(&self, row: u64, list: List, i: usize) -> EdgeId {
        self.places.id(row / PAGE_ROWS, self.forward_position(row, list, i))
    }

    /// The position in its page of the `i`-th edge of the forward list of source `row`.
    #[inline]
    pub(crate) fn forward_position(&self, row: u64, list: List, i: usize) -> u64 {
        match &self.forward {
            AdjacencyView::Csr(csr) => {
                let in_order = || (csr.slot(list) + i as u64).saturating_sub(self.page_slot(row / PAGE_ROWS));
                csr.position(list, i).unwrap_or_else(in_order)
            }
            AdjacencyView::Column(_) => self.single_position(row),
        }
    }

    /// The id of the first edge of the forward list of source `row`, if the others' follow it.
    #[inline]
    pub fn forward_run(&self, row: u64, list: List) -> Option<EdgeId> {
        let AdjacencyView::Csr(csr) = &self.forward else { return Some(self.single_id(row)) };
        let position = csr.slot(list).saturating_sub(self.page_slot(row / PAGE_ROWS));
        (csr.is_in_order(list) && self.places.follow_each_other(position, list.len as u64))
            .then(|| self.places.id(row / PAGE_ROWS, position))
    }

    /// Appends the ids of the edges of the forward list of source `row`.
    pub fn append_forward_ids(&self, row: u64, list: List, out: &mut Vec<EdgeId>) {
        match self.forward_run(row, list) {
            Some(first) => out.extend((0..list.len as u64).map(|i| EdgeId(first.0 + i))),
            None => out.extend((0..list.len).map(|i| self.forward_id_at(row, list, i))),
        }
    }

    /// The id of the edge from `source` (a row) to `target`, the `ordinal`-th of those between the two.
    ///
    /// **Cost**: a binary search in the source's list.
    pub fn search_id(&self, source: u64, target: NodeId, ordinal: usize) -> EdgeId {
        match &self.forward {
            AdjacencyView::Column(_) => self.single_id(source),
            AdjacencyView::Csr(csr) => match csr.list_within(source) {
                Some(list) => {
                    // Only damaged data has no such edge.
                    let place = (csr.lower_bound(list, target) + ordinal).min(list.len.saturating_sub(1));
                    self.forward_id_at(source, list, place)
                }
                None => self.id_at(source, 0),
            },
        }
    }

    /// Whether edges whose ids follow each other within a page follow each other in the columns. In a vertex
    /// column those that took the place of others do not.
    #[inline]
    pub fn slots_follow_ids(&self) -> bool {
        matches!(self.forward, AdjacencyView::Csr(_))
    }

    /// Where an edge's properties are in the columns.
    #[inline]
    pub fn slot(&self, edge: EdgeId) -> u64 {
        let (page, position) = self.places.place(edge);
        match &self.forward {
            AdjacencyView::Csr(_) => self.page_slot(page) + position,
            AdjacencyView::Column(_) if position < PAGE_ROWS => page * PAGE_ROWS + position,
            AdjacencyView::Column(column) => self.single_row(column, page, position).unwrap_or(NOWHERE),
        }
    }

    /// The same of an edge that main need not have; none if it has no such edge, or never had.
    pub fn known_slot(&self, edge: EdgeId) -> Option<u64> {
        let (page, position) = self.places.place(edge);
        match &self.forward {
            AdjacencyView::Csr(_) => (position < self.positions_end(page)).then(|| self.slot(edge)),
            AdjacencyView::Column(column) => self.single_row(column, page, position),
        }
    }

    /// The same of edges one after the other. **Cost**: one of the page of the one before costs an addition.
    pub fn known_slots(&self) -> impl FnMut(EdgeId) -> Option<u64> + use<'_, 's> {
        // A page with its first slot, and how many places it has.
        let mut last: Option<(u64, u64, u64)> = None;
        move |edge| {
            let AdjacencyView::Csr(_) = &self.forward else { return self.known_slot(edge) };
            let (page, position) = self.places.place(edge);
            let (_, first, end) = match last {
                Some(known) if known.0 == page => known,
                _ => *last.insert((page, self.page_slot(page), self.positions_end(page))),
            };
            (position < end).then(|| first + position)
        }
    }

    /// The value of the edge at a place in a column; null where there is none.
    pub fn value_at(&self, column: &ColumnView<'_>, place: u64) -> Value {
        // A hole has no value.
        let slot = self.slot_within(EdgeId::new(self.id, place));
        slot.map_or(Value::Null, |slot| column.value(slot))
    }

    /// The slot of an edge that there is or was; none of one that no page has room for.
    pub(crate) fn slot_within(&self, edge: EdgeId) -> Option<u64> {
        let (page, position) = self.places.place(edge);
        match &self.forward {
            AdjacencyView::Csr(_) => self.pages.position_slot(page, position, &self.pins),
            AdjacencyView::Column(column) => self.single_row(column, page, position),
        }
    }

    /// One past the last position of a page that an edge has or had.
    ///
    /// **Cost**: where edges have no properties and a merge has written the page, a look at its edges.
    pub fn positions_end(&self, page: u64) -> u64 {
        match &self.forward {
            AdjacencyView::Column(column) if !column.has_positions(page * PAGE_ROWS) => PAGE_ROWS,
            AdjacencyView::Column(column) => {
                let rows = page * PAGE_ROWS..(page + 1) * PAGE_ROWS;
                let stored = rows.filter_map(|row| column.position(row)).max();
                stored.map_or(PAGE_ROWS, |last| PAGE_ROWS.max(last + 1))
            }
            AdjacencyView::Csr(_) if self.pages.are_stored() => self.pages.positions_end(page, &self.pins),
            AdjacencyView::Csr(csr) => match page_run(csr, page) {
                None => 0,
                Some((_, run)) if csr.is_in_order(run) => run.len as u64,
                Some((_, run)) => {
                    let positions = (0..run.len).filter_map(|i| csr.position(run, i));
                    positions.max().map_or(0, |last| last + 1)
                }
            },
        }
    }

    /// The positions of a page that edges have, in no order.
    ///
    /// **Cost**: a look at the edges of the page.
    pub fn positions_of(&self, page: u64) -> Vec<u64> {
        match &self.forward {
            AdjacencyView::Column(column) => {
                let first = page * PAGE_ROWS;
                let rows = (first..first + PAGE_ROWS).filter(|row| column.has(*row));
                rows.map(|row| self.single_position(row)).collect()
            }
            AdjacencyView::Csr(csr) => match page_run(csr, page) {
                None => Vec::new(),
                Some((_, run)) if csr.is_in_order(run) => (0..run.len as u64).collect(),
                Some((_, run)) => (0..run.len).filter_map(|i| csr.position(run, i)).collect(),
            },
        }
    }

    /// The positions of a page that no edge has: all from the first number on, and these below.
    pub fn free_positions(&self, page: u64) -> (u64, Vec<u64>) {
        let end = self.positions_end(page);
        let mut free: Vec<bool> = vec![true; usize::try_from(end).unwrap_or(0)];
        for position in self.positions_of(page) {
            if let Some(free) = usize::try_from(position).ok().and_then(|at| free.get_mut(at)) {
                *free = false;
            }
        }
        let holes = (0..end).zip(free).filter(|(_, free)| *free).map(|(position, _)| position);
        (end, holes.collect())
    }

    /// Whether sources have one edge each, which is best at the position of their row in its page.
    pub fn is_single(&self) -> bool {
        matches!(self.forward, AdjacencyView::Column(_))
    }

    /// Page and position of an edge of this table.
    #[inline]
    pub fn place(&self, edge: EdgeId) -> (u64, u64) {
        self.places.place(edge)
    }

    /// The places of all edges that have the page number of an edge: its page's, unless that has too many.
    #[inline]
    pub fn places_beside(&self, edge: EdgeId) -> Range<u64> {
        let first = edge.place() >> self.places.bits() << self.places.bits();
        first..first + (1 << self.places.bits())
    }

    /// The places of all edges of `count` sources from `first` on; none where some lie apart.
    #[inline]
    pub fn places_of_rows(&self, first: u64, count: u64) -> Option<Range<u64>> {
        let bits = self.places.bits();
        let pages = first / PAGE_ROWS..(first + count).div_ceil(PAGE_ROWS);
        self.places.overflow().is_empty().then_some(pages.start << bits..pages.end << bits)
    }

    /// What makes ids of the slots of a list's segment, which lies in order.
    pub fn page_starts(&self, list: List) -> PageStarts<'s> {
        let segment = list.segment();
        let starts = self.pages.segment(segment, &self.pins).map_or(&[][..], |s| &s.starts);
        PageStarts {
            places: Some(self.places),
            first_page: self.pages.first_page(segment),
            first_slot: self.pages.first_slots().get(segment).copied().unwrap_or(0),
            starts: starts.split_last().map_or(&[], |(_, starts)| starts),
        }
    }

    /// Slots: edges, and holes between them. One past the last that something is at.
    pub fn slots_end(&self, source_rows: u64) -> u64 {
        match &self.forward {
            AdjacencyView::Csr(_) => self.pages.first_slots().last().copied().unwrap_or(0),
            AdjacencyView::Column(_) => source_rows,
        }
    }

    /// The edge whose properties are at `slot`. `page` is where the last one was: slots mostly ascend.
    pub fn id_of_slot(&self, slot: u64, page: &mut u64) -> EdgeId {
        match &self.forward {
            AdjacencyView::Column(_) => self.single_id(slot),
            AdjacencyView::Csr(_) => {
                let end = self.pages.len() as u64;
                if self.page_slot(*page) > slot {
                    *page = 0;
                }
                while *page + 1 < end && self.page_slot(*page + 1) <= slot {
                    *page += 1;
                }
                self.places.id(*page, slot.saturating_sub(self.page_slot(*page)))
            }
        }
    }

    /// Appends the slots of the edges of `list`, a list of the backward adjacency `csr`, to `out`; `false`,
    /// and nothing appended, where positions are not stored.
    ///
    /// **Cost**: two sequential reads and one of the page's start an edge, in loops of a batch each.
    pub fn append_backward_slots(&self, csr: &CsrView<'s>, list: List, out: &mut Vec<u64>) -> bool {
        match &self.forward {
            AdjacencyView::Csr(_) if csr.has_positions(list) => {
                csr.rows_and_positions(list, |rows, positions| {
                    out.extend(rows.iter().zip(positions).map(|(row, position)| {
                        self.page_slot(row.cast_unsigned() / PAGE_ROWS) + position.cast_unsigned()
                    }));
                });
                true
            }
            _ => false,
        }
    }

    /// Appends the ids of the edges of `list`, a list of the backward adjacency `csr`, to `out`; `false`, and
    /// nothing appended, where positions are not stored.
    pub fn append_backward_ids(&self, csr: &CsrView<'s>, list: List, out: &mut Vec<EdgeId>) -> bool {
        let stored = csr.has_positions(list);
        if stored {
            csr.rows_and_positions(list, |rows, positions| {
                out.extend(rows.iter().zip(positions).map(|(row, position)| {
                    self.places.id(row.cast_unsigned() / PAGE_ROWS, position.cast_unsigned())
                }));
            });
        }
        stored
    }

    /// The ends of an edge, source first; `None` if there is no such edge.
    ///
    /// **Cost**: a binary search over the 128 rows of its page, and where positions are stored, one over the
    /// edges of the page.
    pub fn ends(&self, edge: EdgeId) -> Option<(NodeId, NodeId)> {
        if !edge.is_edge() || edge.table() != self.id {
            return None;
        }
        let (page, position) = self.places.place(edge);
        match &self.forward {
            AdjacencyView::Column(column) => {
                let row = self.single_row(column, page, position)?;
                Some((NodeId::new(self.source, row), column.neighbour(row)?))
            }
            AdjacencyView::Csr(csr) => {
                let (rows, run) = page_run(csr, page)?;
                let found = if csr.is_in_order(run) {
                    let slot = self.pages.position_slot(page, position, &self.pins)?;
                    usize::try_from(slot.checked_sub(csr.slot(run))?).ok()?
                } else {
                    csr.at_position(run, position)?
                };
                (found < run.len).then(|| {
                    let source = csr.row_of(page * PAGE_ROWS, rows, run, found);
                    (NodeId::new(self.source, source), csr.node(run, found))
                })
            }
        }
    }
}
