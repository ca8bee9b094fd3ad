//! One change of one edge table: which segments are written, and in which form.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trimorph_base::{EdgePlaces, NodeId, OverflowPage, PAGE_ROWS, TableId};
use trimorph_catalog::Catalog;
use trimorph_vfs::{Piece, Pins, RegionOptions, lay_out};

use super::super::columns::{Part, Sources as ColumnSources, rewrite};
use super::super::{RewriteError, check};
use super::placed::{EdgeMerge, PlacedEdge};
use super::segment::Sources;
use crate::EdgeTable;
use crate::adjacency::{
    Adjacency, AdjacencyView, Csr, CsrSegment, Form, SegmentRows, Targets, VertexColumn, VertexSegment,
    WrittenAdjacency,
};
use crate::column::SEGMENT_ROWS;
use crate::edge_table::EdgeTableView;
use crate::edge_values::changed_indexes;

/// Lists that are so many times longer than segments are made for are cut anew.
const GROWN: u64 = 4;

/// One change of one edge table.
pub(super) struct Change<'a> {
    pub(super) old: &'a EdgeTable,
    pub(super) view: EdgeTableView<'a>,
    pub(super) pins: Arc<Pins<'a>>,
    pub(super) rows: &'a [u64],
    /// What happens; edges sorted by source, target and position, changed ones by place.
    pub(super) changes: EdgeMerge<'a>,
    /// What the forward direction will be.
    pub(super) form: Form,
    /// Whether all of the forward direction is written.
    pub(super) all: bool,
    /// Whether properties will lie in pages.
    pub(super) paged: bool,
    pub(super) options: RegionOptions,
}

impl<'a> Change<'a> {
    pub(super) fn new(
        old: &'a EdgeTable,
        rows: &'a [u64],
        mut changes: EdgeMerge<'a>,
        options: RegionOptions,
    ) -> Result<Self, RewriteError> {
        let pins = Arc::default();
        let view = old.view(&pins);
        let has_row = |node: NodeId| rows.get(usize::from(node.table().0)).is_some_and(|n| node.row() < *n);
        changes.inserted.sort_unstable();
        changes.deleted.sort_unstable();
        changes.changed.sort_unstable();
        changes.targets.sort_unstable();
        changes.targets.dedup();
        let is_target = |table: TableId| changes.targets.binary_search(&table).is_ok();
        for edge in &changes.inserted {
            let has_ends = has_row(NodeId::new(old.source, edge.source)) && has_row(edge.target);
            if !has_ends || !is_target(edge.target.table()) {
                return Err(RewriteError::Unknown(format!("there is no node for an end of {edge:?}")));
            }
        }
        for (table, lists) in old.backward.iter().filter(|(table, _)| !is_target(*table)) {
            let gone = changes.deleted.iter().filter(|edge| edge.target.table() == *table).count();
            if gone as u64 != lists.edges() {
                let what = format!("edge table {} keeps edges to node table {}", old.id.0, table.0);
                return Err(RewriteError::Unknown(what));
            }
        }
        let mut change = Self {
            old,
            view,
            pins,
            rows,
            changes,
            form: old.forward.form(),
            all: false,
            paged: false,
            options,
        };
        let stays_single = change.form == Form::Column && change.stays_single();
        let edges = old.forward.edges() + change.changes.inserted.len() as u64;
        let best = || Form::of(false, change.source_rows(), edges, SegmentRows::EDGES);
        let form = match change.form {
            Form::Column if stays_single => Form::Column,
            Form::Csr(rows) if !is_outgrown(rows, change.source_rows(), edges) => change.form,
            _ => best(),
        };
        let paged = !old.columns.is_empty() && form != Form::Column;
        let same_targets = old.backward.iter().map(|(t, _)| *t).eq(change.changes.targets.iter().copied());
        let all = form != change.form || !same_targets || (paged && !old.pages.are_stored());
        let form = if all && form != Form::Column { best() } else { form };
        (change.form, change.paged, change.all) = (form, paged, all);
        check(&change.pins)?;
        Ok(change)
    }

    /// Whether forward is a vertex column and no source gets a second edge.
    fn stays_single(&self) -> bool {
        let AdjacencyView::Column(column) = &self.view.forward else { return false };
        let deleted = &self.changes.deleted;
        let goes = |row: u64| deleted.binary_search_by_key(&row, |edge| edge.source).is_ok();
        // A position of a page's rows is nobody's but its row's: who looks for it looks nowhere else.
        let is_own =
            |edge: &PlacedEdge| edge.position == edge.source % PAGE_ROWS || edge.position >= PAGE_ROWS;
        let fits = |edge: &PlacedEdge| {
            is_own(edge) && (column.neighbour(edge.source).is_none() || goes(edge.source))
        };
        self.changes.inserted.iter().all(fits)
            && self.changes.inserted.windows(2).all(|w| w[0].source != w[1].source)
    }

    pub(super) fn source_rows(&self) -> u64 {
        self.rows[usize::from(self.old.source.0)]
    }

    /// The target tables and their rows.
    pub(super) fn targets(&self) -> Vec<(TableId, u64)> {
        self.changes.targets.iter().map(|t| (*t, self.rows[usize::from(t.0)])).collect()
    }

    /// The segments of sources that are written.
    fn source_segments(&self) -> BTreeSet<usize> {
        let segment_rows = self.form.segment_rows();
        if self.all {
            return (0..segment_rows.each(self.source_rows()).count()).collect();
        }
        let rows = self.changes.deleted.iter().chain(&self.changes.inserted).map(|e| e.source);
        let changed = self.changes.changed.iter().map(|(page, _)| page * PAGE_ROWS);
        rows.chain(changed)
            .filter(|row| *row < self.source_rows())
            .map(|row| segment_rows.locate(row).0)
            .collect()
    }

    /// Makes the change to the edge table of place `at`; `catalog` becomes what is known of the new one.
    pub(super) fn apply(&self, catalog: &mut Catalog, at: usize) -> Result<EdgeTable, RewriteError> {
        let sources: Vec<Sources> = self.source_segments().into_iter().map(|s| self.sources(s)).collect();
        let places = self.places(&sources);
        let forward = self.forward(&sources)?;
        let pages = if self.paged { Some(self.pages(&sources)?) } else { None };
        let backward = (self.changes.targets.iter())
            .map(|target| Ok((*target, self.backward(*target)?)))
            .collect::<Result<Vec<_>, RewriteError>>()?;
        check(&self.pins)?;
        let mut next = EdgeTable::new(places, self.old.source, forward, backward, pages);
        for (i, column) in self.old.columns.iter().enumerate() {
            let known = &mut catalog.statistics.edge_tables[at].properties[i];
            let mut parts = sources.iter().enumerate().map(|(nth, s)| self.part(nth, s, i));
            let whole =
                self.all || sources.len() == self.form.segment_rows().each(self.source_rows()).count();
            let (column, stats) = rewrite(column, known, whole, &mut parts, self.options)?;
            next.columns.push(Arc::new(column));
            *known = stats;
        }
        if !self.old.value_indexes.is_empty() {
            let places = self.changed_places();
            let rows = self.source_rows();
            next.value_indexes = changed_indexes(self.old, &next, &places, rows, self.options)?;
        }
        self.describe(&next, catalog, at);
        Ok(next)
    }

    /// The places of edges that come, go or get values, ascending, each once.
    fn changed_places(&self) -> Vec<u64> {
        let placed = self.changes.inserted.iter().chain(&self.changes.deleted);
        let placed = placed.map(|edge| (edge.source / PAGE_ROWS, edge.position));
        let all = placed.chain(self.changes.changed.iter().copied());
        let place = |(page, position)| self.old.places.id(page, position).place();
        let mut places: Vec<u64> = all.map(place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Ids: the same, with overflow pages where a page has got too long, or will soon.
    fn places(&self, sources: &[Sources]) -> EdgePlaces {
        let old = &self.old.places;
        let mut overflow = old.overflow().to_vec();
        let known: BTreeMap<u64, u64> = overflow.iter().fold(BTreeMap::new(), |mut known, part| {
            let most: &mut u64 = known.entry(part.page).or_default();
            *most = part.part.max(*most);
            known
        });
        for sources in sources {
            let first = self.form.segment_rows().first(sources.segment) / PAGE_ROWS;
            for (page, end) in (first..).zip(&sources.ends) {
                // Another part is there as soon as the last one is half full.
                let wanted = (end + (1 << old.bits()) / 2) >> old.bits();
                let has = known.get(&page).copied().unwrap_or(0);
                overflow.extend((has + 1..=wanted).map(|part| OverflowPage { page, part }));
            }
        }
        EdgePlaces::stored(old.table(), old.bits(), overflow).unwrap_or_else(|| (**old).clone())
    }

    /// The rows of a property column that stand for a source segment, the `nth` that is written.
    fn part(&self, nth: usize, s: &Sources, column: usize) -> Part {
        let first = self.form.segment_rows().first(s.segment);
        let chunk = |slot: u64| slot as usize / SEGMENT_ROWS;
        let replaced = match (&self.old.forward, self.all) {
            // All old segments go with the first.
            (_, true) if nth == 0 => 0..usize::MAX,
            (_, true) => usize::MAX..usize::MAX,
            (Adjacency::Column(_), false) => s.segment..s.segment + 1,
            (Adjacency::Csr(_), false) => {
                let slots = self.old.pages.first_slots();
                let last = slots.last().copied().unwrap_or(0);
                let from = slots.get(s.segment).copied().unwrap_or(last);
                chunk(from)..chunk(slots.get(s.segment + 1).copied().unwrap_or(last))
            }
        };
        let mut origin = ColumnSources::default();
        let mut new = Vec::new();
        let mut is_changed = self.changed_from(first / PAGE_ROWS);
        let mut old_slots = self.old_slots();
        let mut at = 0;
        for (slot, edge, is_new) in s.by_slot(self.form == Form::Column, first) {
            origin.nothing(slot - at);
            at = slot + 1;
            let (page, position) = (edge.source / PAGE_ROWS, edge.position);
            let value = is_changed((page, position)).then(|| (self.changes.values)(column, page, position));
            match value.flatten() {
                Some(value) => {
                    origin.new_value(new.len());
                    new.push(value);
                }
                None if is_new => origin.nothing(1),
                None => origin.old(old_slots(edge)),
            }
        }
        origin.nothing(s.slots(self.form == Form::Column) - at);
        Part { replaced, sources: origin, new }
    }

    /// Tells whether edges got values, by page and position, asked in the order of slots: that is the order
    /// of places, but where slots are rows.
    fn changed_from(&self, page: u64) -> impl FnMut((u64, u64)) -> bool + '_ {
        let changed = &self.changes.changed;
        let from = changed.partition_point(|(of, _)| *of < page);
        let mut next = changed[from..].iter().copied().peekable();
        move |place| {
            if self.form == Form::Column {
                return changed.binary_search(&place).is_ok();
            }
            while next.next_if(|other| *other < place).is_some() {}
            next.next_if_eq(&place).is_some()
        }
    }

    /// Gives the old slots of edges.
    fn old_slots(&self) -> impl FnMut(PlacedEdge) -> u64 + '_ {
        let mut last = None;
        move |PlacedEdge { source, position, .. }| {
            if self.view.is_single() {
                return source;
            }
            let page = source / PAGE_ROWS;
            match last {
                Some((of, start)) if of == page => start + position,
                _ => {
                    let start = self.view.slot(self.old.places.id(page, 0));
                    last = Some((page, start));
                    start + position
                }
            }
        }
    }
}

/// Whether lists have got so long that their segments are much larger than they should be.
pub(super) fn is_outgrown(rows: SegmentRows, source_rows: u64, edges: u64) -> bool {
    let best = SegmentRows::of_lists(source_rows, edges, SegmentRows::EDGES);
    let segments = rows.each(source_rows).count() as u64;
    best.count() < rows.count() && edges > segments * SegmentRows::EDGES * GROWN
}

/// Where the edges of each of `rows` local rows start, given each edge's row in order.
pub(super) fn offsets(rows: usize, of: impl Iterator<Item = u64>) -> Vec<u32> {
    let mut offsets = vec![0u32; rows + 1];
    of.for_each(|row| offsets[row as usize + 1] += 1);
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    offsets
}

/// The direction `old` with some segments replaced; all of them are new where there is no old one.
pub(super) fn put(
    old: Option<&Adjacency>,
    written: WrittenAdjacency,
    segments: &[usize],
    targets: &[(TableId, u64)],
    options: RegionOptions,
) -> Result<Adjacency, RewriteError> {
    let form = written.form;
    let pieces: Vec<Arc<Piece>> = lay_out(written.pieces, options)?;
    let targets: &Targets = &targets.into();
    let pieces = segments.iter().copied().zip(pieces);
    let Form::Csr(segment_rows) = form else {
        let mut all = match old {
            Some(Adjacency::Column(column)) => column.segments.clone(),
            _ => Vec::new(),
        };
        for (segment, piece) in pieces {
            let read = VertexSegment::slot(piece, SEGMENT_ROWS, targets)?;
            while all.len() < segment {
                all.push(VertexSegment::without_edges(options)?);
            }
            if segment < all.len() { all[segment] = read } else { all.push(read) }
        }
        return Ok(Adjacency::Column(VertexColumn::new(targets, all)));
    };
    let mut all = match old {
        Some(Adjacency::Csr(csr)) => csr.segments.clone(),
        _ => Vec::new(),
    };
    for (segment, piece) in pieces {
        let read = CsrSegment::slot(piece, segment_rows.count(), targets)?;
        while all.len() < segment {
            all.push(CsrSegment::without_edges(segment_rows, options)?);
        }
        if segment < all.len() { all[segment] = read } else { all.push(read) }
    }
    let first_slots = crate::adjacency::first_slots(all.iter().map(|s| s.given().edges()));
    Ok(Adjacency::Csr(Csr::new(targets, all, segment_rows, first_slots)))
}
