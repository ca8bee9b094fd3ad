//! Edges put in and taken out of an edge table: takes them, gives a main version whose other pieces are
//! shared.
//!
//! 1. Edges that go are looked up; segments of sources and of targets that anything happens in are the ones
//!    written anew. Where a node gets its second edge along a vertex column, that direction becomes lists,
//!    and all its segments are written.
//! 2. Source segments: lists with their positions; a new edge takes the first hole of its page, else a
//!    position behind the last. Property pages keep where each position is; properties follow their
//!    positions.
//! 3. Target segments: lists, with positions where edges have properties.
//!
//! Invariants: page and position, and so the id, of every other edge stay; edges between the same two nodes
//! stand in the same order in both directions where ids are found by searching.
//!
//! Source: GF-CL §4.2; design `live.md` §1.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use trimorph_base::{EdgeId, EdgePlaces, EdgeTableId, NodeId, OverflowPage, PAGE_ROWS, TableId};
use trimorph_catalog::{Catalog, DegreeStats};
use trimorph_types::Value;
use trimorph_vfs::{Piece, Pins, RegionOptions, lay_out};

use super::columns::{Source, rewrite};
use super::{RewriteError, check};
use crate::adjacency::{
    Adjacency, AdjacencyView, Csr, CsrSegment, Form, SegmentLists, SegmentRows, Targets, VertexColumn,
    VertexSegment, WrittenAdjacency,
};
use crate::column::SEGMENT_ROWS;
use crate::edge_table::EdgeTableView;
use crate::property_pages::SegmentPages;
use crate::slot::Slot;
use crate::{EdgeTable, Main};

/// An edge to put in.
#[derive(Clone, Debug)]
pub struct NewEdge {
    /// Row of the source.
    pub source: u64,
    /// The target.
    pub target: NodeId,
    /// Properties, in the order of the catalog's columns.
    pub values: Vec<Value>,
}

/// What happens to the edges of one edge table.
#[derive(Clone, Debug, Default)]
pub struct EdgeChanges {
    /// Edges that go.
    pub deleted: Vec<EdgeId>,
    /// Edges that come.
    pub inserted: Vec<NewEdge>,
}

/// An edge of a segment that is written.
#[derive(Clone, Copy)]
struct Edge {
    /// Row of the source.
    source: u64,
    target: NodeId,
    position: u64,
    /// Its number among the new edges, or none.
    new: Option<usize>,
}

impl Main {
    /// This version with `changes` made to edge table `table`, and the ids of the new edges.
    ///
    /// **Errors**: a table, edge, row or target table that there is not; values that do not fit. **Cost**:
    /// the segments of the sources and of the targets of the edges that come and go, with the properties of
    /// the former.
    pub fn with_edges(
        &self,
        table: EdgeTableId,
        changes: &EdgeChanges,
        options: RegionOptions,
    ) -> Result<(Self, Vec<EdgeId>), RewriteError> {
        let at = usize::from(table.0);
        let old = self.edge_tables.get(at);
        let old = old.ok_or_else(|| RewriteError::Unknown(format!("there is no edge table {at}")))?;
        let rows: Vec<u64> = self.node_tables.iter().map(|t| t.rows).collect();
        let change = Change::new(old, &rows, changes)?;
        let mut next = self.clone();
        let mut catalog = (*self.catalog).clone();
        let (edge_table, ids) = change.apply(&mut catalog, at, options)?;
        next.edge_tables[at] = Arc::new(edge_table);
        next.catalog = Arc::new(catalog);
        Ok((next, ids))
    }
}

/// One change of one edge table.
struct Change<'a> {
    old: &'a EdgeTable,
    view: EdgeTableView<'a>,
    pins: Arc<Pins<'a>>,
    rows: &'a [u64],
    changes: &'a EdgeChanges,
    /// Ends and position of each edge that goes.
    deleted: Vec<(NodeId, NodeId, u64)>,
    gone: HashSet<EdgeId>,
    /// What the forward direction will be.
    form: Form,
}

/// A segment of sources as it will be.
struct Sources {
    segment: usize,
    /// By source, then target, then position.
    edges: Vec<Edge>,
    /// Where its pages start, and the end.
    starts: Vec<u32>,
}

impl<'a> Change<'a> {
    fn new(old: &'a EdgeTable, rows: &'a [u64], changes: &'a EdgeChanges) -> Result<Self, RewriteError> {
        let pins = Arc::default();
        let view = old.view(&pins);
        let unknown = |what: String| Err(RewriteError::Unknown(what));
        let mut deleted = Vec::with_capacity(changes.deleted.len());
        let gone: HashSet<EdgeId> = changes.deleted.iter().copied().collect();
        for id in &gone {
            match view.ends(*id) {
                Some((source, target)) => deleted.push((source, target, old.places.place(*id).1)),
                None => return unknown(format!("there is no edge {id:?}")),
            }
        }
        for edge in &changes.inserted {
            let target = edge.target.table();
            if old.backward.iter().all(|(t, _)| *t != target) {
                return unknown(format!("edge table {} has no target table {}", old.id.0, target.0));
            }
            if edge.source >= rows[usize::from(old.source.0)]
                || edge.target.row() >= rows[usize::from(target.0)]
            {
                return unknown(format!("there is no node for an end of {edge:?}"));
            }
            if edge.values.len() != old.columns.len() {
                return unknown(format!("{} values for {} properties", edge.values.len(), old.columns.len()));
            }
        }
        check(&pins)?;
        let mut change = Self { old, view, pins, rows, changes, deleted, gone, form: old.forward.form() };
        if change.form == Form::Column && !change.stays_single() {
            let edges = old.forward.edges() + changes.inserted.len() as u64;
            change.form = Form::of(false, change.source_rows(), edges, SegmentRows::EDGES);
        }
        Ok(change)
    }

    /// Whether forward is a vertex column and no source gets a second edge.
    fn stays_single(&self) -> bool {
        let AdjacencyView::Column(column) = &self.view.forward else { return false };
        let mut taken = HashSet::new();
        let free = |row: u64| {
            let id = self.view.single_id(row);
            column.neighbour(row).is_none() || self.gone.contains(&id)
        };
        self.changes.inserted.iter().all(|e| free(e.source) && taken.insert(e.source))
    }

    /// Whether the edge at a position of the page of `source` is not one of those that go.
    #[inline]
    fn stays(&self, source: u64, position: u64) -> bool {
        self.gone.is_empty() || !self.gone.contains(&self.view.id_at(source, position))
    }

    fn source_rows(&self) -> u64 {
        self.rows[usize::from(self.old.source.0)]
    }

    /// Whether a direction changes from a vertex column to lists.
    fn converts(&self) -> bool {
        self.old.forward.form() != self.form
    }

    /// The segments of sources that are written.
    fn source_segments(&self) -> BTreeSet<usize> {
        let segment_rows = self.form.segment_rows();
        if self.converts() {
            return (0..segment_rows.each(self.source_rows()).count()).collect();
        }
        let gone = self.deleted.iter().map(|(source, ..)| source.row());
        gone.chain(self.changes.inserted.iter().map(|e| e.source))
            .map(|row| segment_rows.locate(row).0)
            .collect()
    }

    /// Source rows of a segment.
    fn rows_of(&self, segment: usize) -> usize {
        let rows = self.form.segment_rows();
        self.source_rows().saturating_sub(rows.first(segment)).min(rows.count() as u64) as usize
    }

    /// The edges of a source segment that stay, with their positions.
    fn kept(&self, segment: usize) -> Vec<Edge> {
        let first = self.form.segment_rows().first(segment);
        let mut edges = Vec::new();
        for source in first..first + self.rows_of(segment) as u64 {
            let mut keep = |position, target| {
                if self.stays(source, position) {
                    edges.push(Edge { source, target, position, new: None });
                }
            };
            match &self.view.forward {
                AdjacencyView::Column(column) => {
                    column.neighbour(source).into_iter().for_each(|target| keep(source % PAGE_ROWS, target));
                }
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(source);
                    for i in 0..list.len {
                        keep(self.view.forward_position(source, list, i), csr.node(list, i));
                    }
                }
            }
        }
        edges
    }

    /// A source segment with its new edges, each at a position that no other has.
    fn sources(&self, segment: usize) -> Sources {
        let first = self.form.segment_rows().first(segment);
        let rows = self.rows_of(segment) as u64;
        let page_of = |row: u64| (row - first) / PAGE_ROWS;
        let mut edges = self.kept(segment);
        // Of pages that get an edge.
        let mut taken: Vec<Option<BTreeSet<u64>>> = vec![None; rows.div_ceil(PAGE_ROWS) as usize];
        let here = |e: &&NewEdge| self.form.segment_rows().locate(e.source).0 == segment;
        for page in self.changes.inserted.iter().filter(here).map(|e| page_of(e.source)) {
            taken[page as usize].get_or_insert_default();
        }
        let mut ends = vec![0; rows.div_ceil(PAGE_ROWS) as usize];
        for edge in &edges {
            let page = page_of(edge.source) as usize;
            ends[page] = ends[page].max(edge.position + 1);
            if let Some(positions) = &mut taken[page] {
                positions.insert(edge.position);
            }
        }
        for (i, edge) in self.changes.inserted.iter().enumerate().filter(|(_, e)| here(e)) {
            let position = if self.form == Form::Column {
                edge.source % PAGE_ROWS
            } else {
                let positions = taken[page_of(edge.source) as usize].get_or_insert_default();
                let hole =
                    (0..).zip(positions.iter()).find(|(free, used)| free != *used).map(|(free, _)| free);
                let position = hole.unwrap_or(positions.len() as u64);
                positions.insert(position);
                position
            };
            let page = page_of(edge.source) as usize;
            ends[page] = ends[page].max(position + 1);
            edges.push(Edge { source: edge.source, target: edge.target, position, new: Some(i) });
        }
        edges.sort_by_key(|e| (e.source, e.target, e.position));
        // A page keeps the room it has.
        let old = self.old.pages.segment(segment, &self.pins).map(|s| &s.starts[..]).unwrap_or_default();
        let mut starts = vec![0u32];
        for (page, end) in ends.iter().enumerate() {
            let room = match (old.get(page), old.get(page + 1)) {
                (Some(start), Some(end)) => end - start,
                _ => 0,
            };
            let room = u64::from(room).max(*end);
            let start = u64::from(starts.last().copied().unwrap_or(0)) + room;
            // Fewer than 2^32 slots: positions are below 2^32 edges of a segment.
            starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        }
        Sources { segment, edges, starts }
    }

    /// Makes the change to the edge table of place `at`; `catalog` becomes what is known of the new one.
    fn apply(
        &self,
        catalog: &mut Catalog,
        at: usize,
        options: RegionOptions,
    ) -> Result<(EdgeTable, Vec<EdgeId>), RewriteError> {
        let sources: Vec<Sources> = self.source_segments().into_iter().map(|s| self.sources(s)).collect();
        let paged = !self.old.columns.is_empty() && self.form != Form::Column;
        let places = self.places(&sources);
        let forward = self.forward(&sources, options)?;
        let pages = if paged { Some(self.pages(&sources, options)?) } else { None };
        let backward = (self.old.backward.iter())
            .map(|(target, old)| Ok((*target, self.backward(*target, old, &sources, paged, options)?)))
            .collect::<Result<Vec<_>, RewriteError>>()?;
        check(&self.pins)?;
        let mut next = EdgeTable::new(places, self.old.source, forward, backward, pages);
        for (i, column) in self.old.columns.iter().enumerate() {
            let known = &mut catalog.statistics.edge_tables[at].properties[i];
            let mut column = Arc::clone(column);
            // From the last on, so that the places of those before stay.
            for sources in sources.iter().rev() {
                let value = |new: usize| self.changes.inserted[new].values[i].clone();
                let (replaced, origin) = self.slots(sources);
                let (rewritten, stats) = rewrite(&column, known, replaced, &origin, &value, options)?;
                (column, *known) = (Arc::new(rewritten), stats);
            }
            next.columns.push(column);
        }
        self.describe(&next, catalog, at);
        let mut ids = vec![EdgeId(0); self.changes.inserted.len()];
        for edge in sources.iter().flat_map(|s| &s.edges) {
            if let Some(new) = edge.new {
                ids[new] = next.places.id(edge.source / PAGE_ROWS, edge.position);
            }
        }
        Ok((next, ids))
    }

    /// Ids: the same, with overflow pages where a page has got too long.
    fn places(&self, sources: &[Sources]) -> EdgePlaces {
        let old = &self.old.places;
        let mut overflow = old.overflow().to_vec();
        for sources in sources {
            for edge in &sources.edges {
                let wanted =
                    OverflowPage { page: edge.source / PAGE_ROWS, part: edge.position >> old.bits() };
                if wanted.part > 0 && !overflow.contains(&wanted) {
                    overflow.push(wanted);
                }
            }
        }
        EdgePlaces::stored(old.table(), old.bits(), overflow).unwrap_or_else(|| (**old).clone())
    }

    fn forward(&self, sources: &[Sources], options: RegionOptions) -> Result<Adjacency, RewriteError> {
        let targets: Vec<(TableId, u64)> =
            self.old.backward.iter().map(|(t, _)| (*t, self.rows[usize::from(t.0)])).collect();
        let mut written = WrittenAdjacency::new(self.form);
        for s in sources {
            let first = self.form.segment_rows().first(s.segment);
            let offsets = offsets(self.rows_of(s.segment), s.edges.iter().map(|e| e.source - first));
            let neighbours: Vec<i64> = s.edges.iter().map(|e| e.target.row().cast_signed()).collect();
            let table = |e: &Edge| {
                let table = e.target.table();
                targets.iter().position(|(t, _)| *t == table).unwrap_or(0) as i64
            };
            let tables = (targets.len() > 1).then(|| s.edges.iter().map(table).collect::<Vec<_>>());
            let position = |e: &Edge| e.position.cast_signed();
            let positions =
                (self.form != Form::Column).then(|| s.edges.iter().map(position).collect::<Vec<_>>());
            written.push(&SegmentLists {
                offsets: &offsets,
                neighbours: &neighbours,
                tables: tables.as_deref(),
                positions: positions.as_deref(),
            });
        }
        let segments: Vec<usize> = sources.iter().map(|s| s.segment).collect();
        let old = if self.converts() { None } else { Some(&self.old.forward) };
        put(old, written, &segments, &targets, options)
    }

    fn pages(
        &self,
        sources: &[Sources],
        options: RegionOptions,
    ) -> Result<Vec<Arc<Slot<SegmentPages>>>, RewriteError> {
        let mut pages = self.old.pages.slots().to_vec();
        let written = sources.iter().map(|s| SegmentPages::write(&s.starts)).collect();
        for (s, piece) in sources.iter().zip(lay_out(written, options)?) {
            let read = SegmentPages::slot(piece, s.starts.len().saturating_sub(1) * PAGE_ROWS as usize)?;
            // Rows without edges may have had no pages.
            while pages.len() <= s.segment {
                pages.push(Arc::clone(&read));
            }
            pages[s.segment] = read;
        }
        Ok(pages)
    }

    /// Which segments of a property column stand for a source segment, and where the values of its new slots
    /// come from.
    fn slots(&self, s: &Sources) -> (std::ops::Range<usize>, Vec<Source>) {
        let first = self.form.segment_rows().first(s.segment);
        let chunk = |slot: u64| slot as usize / SEGMENT_ROWS;
        if self.form == Form::Column {
            let mut origin = vec![Source::Nothing; self.rows_of(s.segment)];
            for edge in &s.edges {
                origin[(edge.source - first) as usize] =
                    edge.new.map_or(Source::Old(edge.source), Source::New);
            }
            return (s.segment..s.segment + 1, origin);
        }
        let mut origin = vec![Source::Nothing; s.starts.last().copied().unwrap_or(0) as usize];
        for edge in &s.edges {
            let start = s.starts[((edge.source - first) / PAGE_ROWS) as usize];
            let id = self.old.places.id(edge.source / PAGE_ROWS, edge.position);
            let old = || Source::Old(self.view.slot(id));
            origin[start as usize + edge.position as usize] = edge.new.map_or_else(old, Source::New);
        }
        let replaced = if self.converts() {
            s.segment..s.segment + 1
        } else {
            let slots = self.old.pages.first_slots();
            let last = slots.last().copied().unwrap_or(0);
            let from = slots.get(s.segment).copied().unwrap_or(last);
            chunk(from)..chunk(slots.get(s.segment + 1).copied().unwrap_or(last))
        };
        (replaced, origin)
    }

    fn backward(
        &self,
        target: TableId,
        old: &'a Adjacency,
        sources: &[Sources],
        positions: bool,
        options: RegionOptions,
    ) -> Result<Adjacency, RewriteError> {
        let rows = self.rows[usize::from(target.0)];
        let own = [(self.old.source, self.source_rows())];
        let view = old.view(&self.pins);
        let inserted = || self.changes.inserted.iter().map(|e| e.target).filter(|t| t.table() == target);
        let gone = || self.deleted.iter().filter(|(_, t, _)| t.table() == target);
        let mut degrees: BTreeMap<u64, i64> = BTreeMap::new();
        inserted().for_each(|t| *degrees.entry(t.row()).or_default() += 1);
        gone().for_each(|(_, t, _)| *degrees.entry(t.row()).or_default() -= 1);
        let grown = |(row, more): (&u64, &i64)| view.degree(*row).cast_signed() + more > 1;
        let was_single = old.form() == Form::Column;
        let single = was_single && !degrees.iter().any(grown);
        let form = if was_single && !single {
            Form::of(false, rows, old.edges() + inserted().count() as u64, SegmentRows::EDGES)
        } else {
            old.form()
        };
        let segment_rows = form.segment_rows();
        // Where forward becomes lists, positions are stored that were not needed before.
        let all = (was_single && !single) || (self.converts() && positions);
        let segments: BTreeSet<usize> = match all {
            true => (0..segment_rows.each(rows).count()).collect(),
            false => degrees.keys().map(|row| segment_rows.locate(*row).0).collect(),
        };
        let mut written = WrittenAdjacency::new(form);
        for segment in &segments {
            let first = segment_rows.first(*segment);
            let here = rows.saturating_sub(first).min(segment_rows.count() as u64);
            let mut edges = self.kept_backward(target, old, first..first + here, positions);
            let new = sources.iter().flat_map(|s| &s.edges).filter(|e| {
                e.new.is_some()
                    && e.target.table() == target
                    && segment_rows.locate(e.target.row()).0 == *segment
            });
            edges.extend(new.map(|e| (e.target.row(), e.source, e.position)));
            // Two runs, which a stable sort merges.
            edges.sort();
            let offsets = offsets(here as usize, edges.iter().map(|(row, ..)| row - first));
            let neighbours: Vec<i64> = edges.iter().map(|(_, source, _)| source.cast_signed()).collect();
            let positions =
                positions.then(|| edges.iter().map(|(.., at)| at.cast_signed()).collect::<Vec<_>>());
            written.push(&SegmentLists {
                offsets: &offsets,
                neighbours: &neighbours,
                tables: None,
                positions: positions.as_deref(),
            });
        }
        let segments: Vec<usize> = segments.into_iter().collect();
        put(if all { None } else { Some(old) }, written, &segments, &own, options)
    }

    /// The edges into a range of target rows that stay: target row, source row, position (0 where none are
    /// wanted).
    fn kept_backward(
        &self,
        target: TableId,
        old: &'a Adjacency,
        rows: std::ops::Range<u64>,
        positions: bool,
    ) -> Vec<(u64, u64, u64)> {
        let mut edges = Vec::new();
        let view = old.view(&self.pins);
        for row in rows {
            let end = NodeId::new(target, row);
            let mut keep = |source: u64, ordinal: usize, position: Option<u64>| {
                // Without a position an edge is searched for, which takes as long as all else.
                let position = match position {
                    Some(position) => position,
                    None if positions || !self.gone.is_empty() => {
                        self.old.places.place(self.view.search_id(source, end, ordinal)).1
                    }
                    None => return edges.push((row, source, 0)),
                };
                if self.stays(source, position) {
                    edges.push((row, source, position));
                }
            };
            match &view {
                AdjacencyView::Column(column) => {
                    column
                        .neighbour(row)
                        .into_iter()
                        .for_each(|source| keep(source.row(), 0, column.position(row)));
                }
                AdjacencyView::Csr(csr) => {
                    let list = csr.list(row);
                    let (mut last, mut ordinal) = (None, 0);
                    for i in 0..list.len {
                        let source = csr.node(list, i).row();
                        ordinal = if last == Some(source) { ordinal + 1 } else { 0 };
                        last = Some(source);
                        keep(source, ordinal, csr.position(list, i));
                    }
                }
            }
        }
        edges
    }

    /// What the catalog knows of the new table: numbers that are true, and bounds where only a scan would
    /// tell.
    fn describe(&self, next: &EdgeTable, catalog: &mut Catalog, at: usize) {
        // What it looks at was written just now, or read before.
        let view = next.view(&Arc::default());
        let is_loop = |source: NodeId, target: NodeId| u64::from(source == target);
        let node = |row: u64| NodeId::new(self.old.source, row);
        let new_loops: u64 = self.changes.inserted.iter().map(|e| is_loop(node(e.source), e.target)).sum();
        let old_loops: u64 = self.deleted.iter().map(|(s, t, _)| is_loop(*s, *t)).sum();
        let facts = &mut catalog.facts_mut().edge_tables[at];
        let loops = facts.self_loops_max.saturating_add(new_loops).saturating_sub(old_loops);
        facts.self_loops_max = loops;
        facts.edges_max = next.forward.edges();
        facts.single = self.form == Form::Column;
        facts.one_type = next.columns.iter().map(|column| column.has_one_type()).collect();
        for target in &mut facts.targets {
            target.single = matches!(view.backward(target.table), Some(AdjacencyView::Column(_)));
        }
        let stats = &mut catalog.statistics.edge_tables[at];
        stats.forward.edges = next.forward.edges();
        let touched: BTreeSet<u64> = (self.deleted.iter().map(|(s, ..)| s.row()))
            .chain(self.changes.inserted.iter().map(|e| e.source))
            .collect();
        let (before, after) = (&self.view.forward, &view.forward);
        degrees(before, after, &touched, &mut stats.forward);
        for (target, stats) in &mut stats.backward {
            let target = *target;
            let touched: BTreeSet<u64> = (self.deleted.iter().map(|(_, t, _)| *t))
                .chain(self.changes.inserted.iter().map(|e| e.target))
                .filter(|t| t.table() == target)
                .map(NodeId::row)
                .collect();
            let (Some(before), Some(after)) = (self.view.backward(target), view.backward(target)) else {
                continue;
            };
            stats.edges = after.edges();
            degrees(before, after, &touched, stats);
        }
    }
}

/// Largest degree, or what it was before; and nodes with an edge.
fn degrees(
    before: &AdjacencyView<'_>,
    after: &AdjacencyView<'_>,
    touched: &BTreeSet<u64>,
    stats: &mut DegreeStats,
) {
    let count = |view: &AdjacencyView<'_>| touched.iter().filter(|row| view.degree(**row) > 0).count() as u64;
    let most = touched.iter().map(|row| after.degree(*row)).max().unwrap_or(0);
    stats.degree_max = stats.degree_max.max(most);
    stats.nonempty = (stats.nonempty + count(after)).saturating_sub(count(before));
}

/// Where the edges of each of `rows` local rows start, given each edge's row in order.
fn offsets(rows: usize, of: impl Iterator<Item = u64>) -> Vec<u32> {
    let mut offsets = vec![0u32; rows + 1];
    of.for_each(|row| offsets[row as usize + 1] += 1);
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    offsets
}

/// The direction `old` with some segments replaced; all of them are new where there is no old one.
fn put(
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
