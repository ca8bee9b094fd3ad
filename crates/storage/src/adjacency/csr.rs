//! CSR: sorted neighbour lists.
//!
//! A piece per segment of rows (`segment_rows`): 32-bit offsets (`rows + 1`, or one per non-empty list and a
//! rank index where a quarter or more of the lists are empty), neighbour rows in whole bytes, tables only
//! where neighbours are in several, positions only where needed. Lists are sorted by (table, row).
//!
//! Slots number the edges through all segments of one main version; each segment's first slot is a multiple
//! of 65,536, so that edge properties, which lie in pieces by source segment, are found by a slot's upper
//! bits. Lists of which no positions are stored have their slots in their order; others have holes and any
//! order, and are found by page and position.

use std::cmp::Ordering;
use std::sync::Arc;

use self_cell::self_cell;
use trimorph_base::{NodeId, TableId};
use trimorph_encoding::{PackedView, RankView};
use trimorph_vector::Nodes;
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece, Pins, RegionOptions};

use super::write::piece_without_edges;
use super::{Given, SegmentRows, Targets, read_rows, rows_within};
use crate::RewriteError;
use crate::column::{PackedInts, RankBytes, SEGMENT_ROWS, read_presence};
use crate::slot::{Content, Resolved, Slot};

/// What is in a piece of a CSR.
#[derive(Debug)]
pub(crate) struct Lists {
    rows: usize,
    edges: u64,
    presence: Option<RankBytes>,
    offsets: Bytes,
    neighbours: PackedInts,
    tables: Option<PackedInts>,
    positions: Option<PackedInts>,
    /// The edges of each page by their positions, as numbers among those of the page.
    order: Option<PackedInts>,
}

self_cell! {
    /// One piece of a CSR.
    pub(crate) struct CsrSegment {
        owner: Lists,
        #[covariant]
        dependent: SegmentView,
    }
}

impl Content for CsrSegment {
    type Given = Given;
    type View<'v> = SegmentView<'v>;

    /// **Errors**: metadata that does not fit the blobs, the rows, the edges or the target tables. **Cost**:
    /// a look at every neighbour.
    fn read(piece: &Arc<Piece>, given: &Given) -> Result<Self, CodecError> {
        Ok(Self::new(Lists::read(piece, given)?, |lists| SegmentView::new(lists)))
    }

    fn view(&self) -> &SegmentView<'_> {
        self.borrow_dependent()
    }

    fn made_bytes(&self) -> usize {
        self.borrow_owner().presence.as_ref().map_or(0, RankBytes::made_bytes)
    }
}

impl CsrSegment {
    /// The slot of a piece in memory, of at most `rows` rows.
    ///
    /// **Errors**: as reading does.
    pub(crate) fn slot(
        piece: Arc<Piece>,
        rows: usize,
        targets: &Targets,
    ) -> Result<Arc<Slot<Self>>, CodecError> {
        let before = Given { rows, edges: None, targets: Arc::clone(targets) };
        let given = |read: &Self| Given { edges: Some(read.borrow_owner().edges), ..before.clone() };
        Slot::read_with(piece, &before, given)
    }

    /// A segment whose first row has no edges, and of whose others nothing is said.
    pub(crate) fn without_edges(
        rows: SegmentRows,
        options: RegionOptions,
    ) -> Result<Arc<Slot<Self>>, RewriteError> {
        Ok(Self::slot(piece_without_edges(false, options)?, rows.count(), &Targets::default())?)
    }

    /// The first edge of each page of 128 rows, and behind the last: where properties lie by the order of
    /// lists.
    pub(crate) fn page_starts(&self) -> Vec<u32> {
        let Lists { offsets, presence, rows, .. } = self.borrow_owner();
        let offsets = bytemuck::try_cast_slice::<u8, u32>(offsets.as_slice()).unwrap_or_default();
        let rank = presence.as_ref().map(RankBytes::view);
        let start = |row: usize| offsets.get(rank.map_or(row, |r| r.rank(row))).copied().unwrap_or(0);
        let ends = offsets.last().copied().unwrap_or(0);
        (0..*rows).step_by(super::PAGE).map(start).chain([ends]).collect()
    }
}

/// Sorted neighbour lists of all rows of a node table.
#[derive(Clone, Debug)]
pub struct Csr {
    targets: Vec<TableId>,
    pub(crate) segments: Vec<Arc<Slot<CsrSegment>>>,
    pub(crate) segment_rows: SegmentRows,
    /// Of each segment.
    first_slots: Vec<u64>,
    edges: u64,
}

/// The first slot of each segment, where the segments have so many slots; one more than there are segments.
pub(crate) fn first_slots(slots: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut first = vec![0];
    let mut next = 0u64;
    for slots in slots {
        next = next.saturating_add(slots.next_multiple_of(SEGMENT_ROWS as u64));
        first.push(next);
    }
    first
}

impl Csr {
    pub(crate) fn new(
        targets: &[(TableId, u64)],
        segments: Vec<Arc<Slot<CsrSegment>>>,
        segment_rows: SegmentRows,
        first_slots: Vec<u64>,
    ) -> Self {
        let edges = segments.iter().map(|s| s.given().edges()).sum();
        let targets = targets.iter().map(|(t, _)| *t).collect();
        Self { targets, segments, segment_rows, first_slots, edges }
    }

    /// The same with slots that property pages give.
    pub(crate) fn with_first_slots(self, first_slots: Vec<u64>) -> Self {
        Self { first_slots, ..self }
    }
}

impl Lists {
    /// Reads the piece of a segment of at most so many rows: a table may have got rows since, which have no
    /// edges.
    fn read(piece: &Piece, given: &Given) -> Result<Self, CodecError> {
        let meta = &mut Decoder::new(piece.metadata());
        let rows = read_rows(meta, given.rows)?;
        let (presence, lists) = match meta.u8()? {
            0 => (None, rows),
            _ => {
                let (bits, lists) = read_presence(piece, meta, rows)?;
                (Some(bits), lists)
            }
        };
        let offsets = piece.read_blob(meta)?;
        let edges = {
            let ends = bytemuck::try_cast_slice::<u8, u32>(offsets.as_slice()).unwrap_or_default();
            if ends.len() != lists + 1 || ends[0] != 0 || ends.windows(2).any(|w| w[0] > w[1]) {
                return Err(meta.error("ascending offsets, one more than lists"));
            }
            ends[lists] as usize
        };
        given.check_edges(edges as u64, meta)?;
        let neighbours = PackedInts::read(piece, meta, edges)?;
        if neighbours.step != 1 || neighbours.bits % 8 != 0 || neighbours.bits > 56 || neighbours.base < 0 {
            return Err(meta.error("neighbours in whole bytes"));
        }
        let integers = |meta: &mut Decoder<'_>, are_there: bool| {
            are_there.then(|| PackedInts::read(piece, meta, edges)).transpose()
        };
        let has_tables = meta.u8()? > 0;
        let tables = integers(meta, has_tables)?;
        let parts = meta.u8()?;
        let (positions, order) = (integers(meta, parts > 0)?, integers(meta, parts > 1)?);
        if !rows_within(&neighbours, tables.as_ref(), edges, &given.targets) {
            return Err(meta.error("neighbours within their tables"));
        }
        Ok(Self { rows, edges: edges as u64, presence, offsets, neighbours, tables, positions, order })
    }
}

/// The slices of a piece.
pub(crate) struct SegmentView<'s> {
    rows: usize,
    presence: Option<RankView<'s>>,
    offsets: &'s [u32],
    neighbours: PackedView<'s>,
    tables: Option<PackedView<'s>>,
    positions: Option<PackedView<'s>>,
    order: Option<PackedView<'s>>,
}

impl<'s> SegmentView<'s> {
    fn new(lists: &'s Lists) -> Self {
        Self {
            rows: lists.rows,
            presence: lists.presence.as_ref().map(RankBytes::view),
            offsets: bytemuck::try_cast_slice(lists.offsets.as_slice()).unwrap_or_default(),
            neighbours: lists.neighbours.view(),
            tables: lists.tables.as_ref().map(PackedInts::view),
            positions: lists.positions.as_ref().map(PackedInts::view),
            order: lists.order.as_ref().map(PackedInts::view),
        }
    }

    /// Where the edges of a local row start, or would; of the row behind the last, where they end.
    #[inline]
    fn start(&self, local: usize) -> Option<u32> {
        let at = match &self.presence {
            Some(rank) if local < rank.rows() => rank.rank(local),
            Some(_) => self.offsets.len().checked_sub(1)?,
            None => local,
        };
        self.offsets.get(at).copied()
    }

    /// Gives those of `count` local rows from `first` on that have an edge, counted from there.
    fn each_with_edges(&self, first: usize, count: usize, visit: &mut dyn FnMut(usize)) {
        let count = count.min(self.rows.saturating_sub(first));
        match &self.presence {
            // Only lists that are not empty are stored.
            Some(rank) => rank.each(first, count, visit),
            None => {
                let ends = self.offsets.get(first..).unwrap_or_default().windows(2).take(count);
                ends.enumerate().filter(|(_, ends)| ends[0] < ends[1]).for_each(|(at, _)| visit(at));
            }
        }
    }

    /// Where the edges of local rows `first..` start, or would, counted from `origin`.
    fn starts(&self, first: usize, origin: u64, out: &mut [u64]) {
        let Some((end, _)) = self.offsets.split_last() else { return out.fill(origin) };
        let Some(rank) = &self.presence else {
            let starts = self.offsets.get(first..).unwrap_or_default().iter().chain(std::iter::repeat(end));
            for (o, start) in out.iter_mut().zip(starts) {
                *o = origin + u64::from(*start);
            }
            return;
        };
        let (mut at, _) = rank.look(first);
        let mut row = first;
        for out in out.chunks_mut(64) {
            let mut stored = if row < rank.rows() {
                rank.window(row)
            } else {
                at = self.offsets.len();
                0
            };
            for o in out.iter_mut() {
                *o = origin + u64::from(*self.offsets.get(at).unwrap_or(end));
                at += (stored & 1) as usize;
                stored >>= 1;
            }
            row += out.len();
        }
    }
}

/// A CSR as one thread sees it.
pub struct CsrView<'s> {
    targets: &'s [TableId],
    segments: Resolved<'s, CsrSegment>,
    segment_rows: SegmentRows,
    first_slots: &'s [u64],
    edges: u64,
    /// Whether lists may be given where they lie, or must be copies.
    in_place: bool,
}

/// One neighbour list.
#[derive(Clone, Copy, Debug)]
pub struct List {
    segment: usize,
    /// First edge, counted within the segment.
    start: usize,
    /// Number of edges.
    pub len: usize,
}

impl List {
    /// The segment it is in.
    pub(crate) fn segment(self) -> usize {
        self.segment
    }

    /// The edges from the `from`-th on, at most `len` of them.
    #[must_use]
    pub fn part(self, from: usize, len: usize) -> Self {
        let from = from.min(self.len);
        Self { start: self.start + from, len: len.min(self.len - from), ..self }
    }
}

impl<'s> CsrView<'s> {
    /// Nothing is read yet.
    pub(crate) fn new(csr: &'s Csr, pins: &Arc<Pins<'s>>) -> Self {
        let segments = Resolved::new(&csr.segments, pins);
        let (targets, first_slots, edges) = (&csr.targets[..], &csr.first_slots[..], csr.edges);
        let (segment_rows, in_place) = (csr.segment_rows, pins.are_kept());
        Self { targets, segments, segment_rows, first_slots, edges, in_place }
    }

    /// Forgets what is pinned.
    pub(crate) fn forget(&self) {
        self.segments.forget();
    }

    /// The slot at which a segment's edges start.
    #[inline]
    fn first_slot(&self, segment: usize) -> u64 {
        self.first_slots.get(segment).copied().unwrap_or(0)
    }

    /// The list of node `row`.
    #[inline]
    pub fn list(&self, row: u64) -> List {
        let (segment, local) = self.segment_rows.locate(row);
        let view = match self.segments.get(segment) {
            Some(view) if local < view.rows => view,
            // A row that the table got since the segment was written.
            _ => return List { segment: 0, start: 0, len: 0 },
        };
        // An empty list that is not stored starts and ends where the next one starts: no branch on its bit.
        let (at, stored) = match &view.presence {
            None => (local, 1),
            Some(rank) => rank.look(local),
        };
        let start = view.offsets[at] as usize;
        List { segment, start, len: view.offsets[at + stored as usize] as usize - start }
    }

    /// The list of node `row`; `None` past the last row.
    pub fn list_within(&self, row: u64) -> Option<List> {
        let (segment, local) = self.segment_rows.locate(row);
        self.segments.get(segment).filter(|s| local < s.rows).map(|_| self.list(row))
    }

    /// The lists of `count` rows from `first` on, end to end; `None` if they are not in one segment.
    #[inline]
    pub fn run(&self, first: u64, count: usize) -> Option<List> {
        let (segment, local) = self.segment_rows.locate(first);
        let view = self.segments.get(segment).filter(|s| count > 0 && local + count <= s.rows)?;
        let (start, end) = (view.start(local)?, view.start(local + count)?);
        Some(List { segment, start: start as usize, len: end.checked_sub(start)? as usize })
    }

    /// The lists of `count` rows from `first` on, a run for each segment that they are in.
    pub fn runs(&self, first: u64, count: u64) -> impl Iterator<Item = List> + '_ {
        let end = first.saturating_add(count);
        let mut at = first;
        std::iter::from_fn(move || {
            loop {
                let (segment, _) = self.segment_rows.locate(at);
                let rows = self.segments.get(segment).filter(|_| at < end)?.rows as u64;
                let last = end.min(self.segment_rows.first(segment) + rows);
                let count = usize::try_from(last.saturating_sub(at)).unwrap_or(0);
                let run = self.run(at, count);
                at = self.segment_rows.first(segment + 1);
                if run.is_some() {
                    return run;
                }
            }
        })
    }

    /// Rows from `first` on to the end of its segment.
    pub(crate) fn rows_from(&self, first: u64) -> usize {
        let (segment, local) = self.segment_rows.locate(first);
        self.segments.get(segment).map_or(0, |s| s.rows.saturating_sub(local))
    }

    /// The row, of `rows` from `first` on, that the `i`-th edge of their run starts at. **Cost**: O(log
    /// rows).
    pub(crate) fn row_of(&self, first: u64, rows: usize, run: List, i: usize) -> u64 {
        let (_, local) = self.segment_rows.locate(first);
        let starts_after = |row: usize| {
            let start = self.segments.get(run.segment).and_then(|s| s.start(local + row));
            start.is_some_and(|start| start as usize > run.start + i)
        };
        let (mut low, mut high) = (0, rows);
        // The last row whose edges start at or before the edge holds it: those after it without edges start
        // later.
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if starts_after(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        first + low as u64
    }

    /// Whether the slots of a list follow each other in its order, as all do that were only loaded: then
    /// [`Self::slot`] is the first.
    #[inline]
    pub fn is_in_order(&self, list: List) -> bool {
        self.segments.get(list.segment).is_none_or(|s| s.positions.is_none())
    }

    /// Gives those of `len` rows from `first` on that have an edge, counted from there.
    pub(crate) fn each_with_edges(&self, first: u64, len: usize, visit: &mut dyn FnMut(usize)) {
        let mut from = 0;
        while from < len {
            let (segment, local) = self.segment_rows.locate(first + from as u64);
            let count = (self.segment_rows.count() - local).min(len - from);
            if let Some(view) = self.segments.get(segment) {
                view.each_with_edges(local, count, &mut |at| visit(from + at));
            }
            from += count;
        }
    }

    /// The number of edges of node `row`.
    #[inline]
    pub fn degree(&self, row: u64) -> u64 {
        self.list(row).len as u64
    }

    /// Multiplies `out[i]` by the degree of row `first + i`; past 64 bits it stays the largest number.
    ///
    /// **Cost**: one load per row and no branch.
    pub fn multiply_degrees(&self, first: u64, out: &mut [u64]) {
        self.for_each_batch(first, out, |_, starts, out| {
            for (o, pair) in out.iter_mut().zip(starts.windows(2)) {
                *o = o.saturating_mul(pair[1] - pair[0]);
            }
        });
    }

    /// Multiplies `out[i]` by the sum of `weights` over the rows of the neighbours of row `first + i`,
    /// whatever their table; past 64 bits it stays the largest number.
    ///
    /// **Cost**: one load of the neighbour and one of the weight each; the width of neighbours is decided for
    /// 64 rows at a time.
    pub fn multiply_sums<T: Copy + Into<u64>>(&self, first: u64, weights: &[T], out: &mut [u64]) {
        self.for_each_batch(first, out, |view, starts, out| {
            let (bytes, base) = (view.neighbours.bytes, usize::try_from(view.neighbours.base));
            let weights = base.ok().and_then(|base| weights.get(base..)).unwrap_or_default();
            match view.neighbours.bits / 8 {
                0 => multiply_at::<0, T>(bytes, starts, weights, out),
                1 => multiply_at::<1, T>(bytes, starts, weights, out),
                2 => multiply_at::<2, T>(bytes, starts, weights, out),
                3 => multiply_at::<3, T>(bytes, starts, weights, out),
                4 => multiply_at::<4, T>(bytes, starts, weights, out),
                5 => multiply_at::<5, T>(bytes, starts, weights, out),
                6 => multiply_at::<6, T>(bytes, starts, weights, out),
                _ => multiply_at::<7, T>(bytes, starts, weights, out),
            }
        });
    }

    /// Calls `each` for every 64 rows or fewer of one segment, with where their edges start and the last
    /// ends, and their part of `out`. Rows that the table got since a segment was written have no edges:
    /// theirs are zero.
    #[inline]
    fn for_each_batch(
        &self,
        first: u64,
        out: &mut [u64],
        mut each: impl FnMut(&SegmentView<'s>, &[u64], &mut [u64]),
    ) {
        const BATCH: usize = 64;
        let (mut starts, mut done) = ([0; BATCH + 1], 0);
        while done < out.len() {
            let (segment, local) = self.segment_rows.locate(first + done as u64);
            let Some(view) = self.segments.get(segment).filter(|s| local < s.rows) else {
                let here = (self.segment_rows.count() - local).min(out.len() - done);
                out[done..done + here].fill(0);
                done += here;
                continue;
            };
            let here = (view.rows - local).min(out.len() - done).min(BATCH);
            let starts = &mut starts[..=here];
            view.starts(local, 0, starts);
            each(view, starts, &mut out[done..done + here]);
            done += here;
        }
    }

    /// The slots at which the edges of rows `first..` start, or would, and behind the last row's; `None`, and
    /// anything written, where the rows are not all in one segment.
    ///
    /// **Cost**: one load per row and no branch on whether it has edges.
    pub fn slots(&self, first: u64, out: &mut [u64]) -> Option<()> {
        let (segment, local) = self.segment_rows.locate(first);
        let view =
            self.segments.get(segment).filter(|s| !out.is_empty() && local + out.len() <= s.rows + 1)?;
        view.starts(local, self.first_slot(segment), out);
        Some(())
    }

    /// The neighbours of a list, in place where they are in one table.
    #[inline]
    pub fn nodes(&self, list: List) -> Nodes<'s> {
        let Some(view) = self.segments.get(list.segment).filter(|_| list.len > 0) else {
            return Nodes::Ids { table: None, ids: vec![self.any_node(); list.len] };
        };
        match &view.tables {
            None if self.in_place => {
                let width = view.neighbours.bits / 8;
                let start = list.start * width as usize;
                Nodes::Packed {
                    table: self.targets[0],
                    base: view.neighbours.base.cast_unsigned(),
                    width,
                    bytes: &view.neighbours.bytes[start..],
                }
            }
            tables => {
                let mut ids = Vec::with_capacity(list.len);
                self.append_nodes(list, &mut ids);
                Nodes::Ids { table: tables.is_none().then(|| self.targets[0]), ids }
            }
        }
    }

    /// What stands for the neighbours of a list whose piece was dropped meanwhile and cannot be had again: as
    /// many as before, until the query looks at the failure.
    #[cold]
    fn any_node(&self) -> NodeId {
        self.targets.first().map_or(NodeId(0), |table| NodeId::new(*table, 0))
    }

    /// Whether a list's edges have stored positions, and neighbours in one table.
    #[inline]
    pub(crate) fn has_positions(&self, list: List) -> bool {
        self.segments.get(list.segment).is_some_and(|s| s.tables.is_none() && s.positions.is_some())
    }

    /// Calls `each` with the row and the stored position of every neighbour of a list whose neighbours are in
    /// one table, in order, up to 64 at a time; nothing where positions are not stored.
    #[inline]
    pub(crate) fn rows_and_positions(&self, list: List, mut each: impl FnMut(&[i64], &[i64])) {
        /// Lists up to this long spare the buffers of longer ones.
        const SHORT: usize = 8;
        const BATCH: usize = 64;
        let Some(view) = self.segments.get(list.segment) else { return };
        let (None, Some(positions)) = (&view.tables, &view.positions) else { return };
        let end = list.start + list.len;
        if list.len <= SHORT {
            let (mut rows, mut places) = ([0i64; SHORT], [0i64; SHORT]);
            for (k, i) in (list.start..end).enumerate() {
                (rows[k], places[k]) = (view.neighbours.get(i), positions.get(i));
            }
            each(&rows[..list.len], &places[..list.len]);
            return;
        }
        let (mut rows, mut places) = ([0i64; BATCH], [0i64; BATCH]);
        for start in (list.start..end).step_by(BATCH) {
            let len = BATCH.min(end - start);
            view.neighbours.unpack(start, &mut rows[..len]);
            positions.unpack(start, &mut places[..len]);
            each(&rows[..len], &places[..len]);
        }
    }

    /// Appends the neighbours of a list to `out`.
    #[inline]
    pub fn append_nodes(&self, list: List, out: &mut Vec<NodeId>) {
        let Some(view) = self.segments.get(list.segment) else {
            return out.extend(std::iter::repeat_n(self.any_node(), list.len));
        };
        match &view.tables {
            None => {
                let first = NodeId::new(self.targets[0], 0).0;
                view.neighbours
                    .append(list.start, list.len, out, |row| NodeId(first.wrapping_add(row.cast_unsigned())));
            }
            Some(tables) => {
                let before = out.len();
                view.neighbours.append(list.start, list.len, out, |row| NodeId(row.cast_unsigned()));
                let (mut places, mut start) = ([0; 64], list.start);
                for nodes in out[before..].chunks_mut(places.len()) {
                    let places = &mut places[..nodes.len()];
                    tables.unpack(start, places);
                    start += nodes.len();
                    for (node, place) in nodes.iter_mut().zip(places) {
                        *node = NodeId::new(self.targets[*place as usize], node.0);
                    }
                }
            }
        }
    }

    /// The sum of `weights` over the rows of a list's neighbours, whatever their table; `None` on overflow,
    /// or if a row has no weight.
    ///
    /// **Cost**: one load of the neighbour and one of the weight each; 32-bit weights take half the cache and
    /// cannot overflow.
    #[inline]
    pub fn sum_weights<T: Copy + Into<u64>>(&self, list: List, weights: &[T]) -> Option<u64> {
        let Some(view) = self.segments.get(list.segment) else { return Some(0) };
        let width = view.neighbours.bits as usize / 8;
        let bytes = &view.neighbours.bytes[list.start * width..];
        let weights = weights.get(usize::try_from(view.neighbours.base).ok()?..)?;
        match width {
            0 => weights.first().map_or(Some(0), |w| (*w).into().checked_mul(list.len as u64)),
            1 => sum_at::<1, T>(bytes, list.len, weights),
            2 => sum_at::<2, T>(bytes, list.len, weights),
            3 => sum_at::<3, T>(bytes, list.len, weights),
            4 => sum_at::<4, T>(bytes, list.len, weights),
            5 => sum_at::<5, T>(bytes, list.len, weights),
            6 => sum_at::<6, T>(bytes, list.len, weights),
            _ => sum_at::<7, T>(bytes, list.len, weights),
        }
    }

    /// The `i`-th neighbour of a list.
    #[inline]
    pub fn node(&self, list: List, i: usize) -> NodeId {
        let Some(view) = self.segments.get(list.segment) else { return self.any_node() };
        let target = view.tables.as_ref().map_or(0, |t| t.get(list.start + i) as usize);
        NodeId::new(self.targets[target], view.neighbours.get(list.start + i).cast_unsigned())
    }

    /// The slot of the first edge of a list that is in order.
    #[inline]
    pub fn slot(&self, list: List) -> u64 {
        self.first_slot(list.segment) + list.start as u64
    }

    /// Edges in all lists.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// The stored position of the `i`-th edge of a list, where positions are stored.
    #[inline]
    pub fn position(&self, list: List, i: usize) -> Option<u64> {
        self.segments.get(list.segment)?.positions.as_ref().map(|p| p.get(list.start + i).cast_unsigned())
    }

    /// Which edge of the run of a page is at a stored position; none where no edge is, or positions are not
    /// stored.
    ///
    /// **Cost**: O(log len), constant where no position before it is free; in pieces that earlier builds
    /// wrote, a look at each edge.
    pub(crate) fn at_position(&self, run: List, position: u64) -> Option<usize> {
        let view = self.segments.get(run.segment)?;
        let positions = view.positions.as_ref()?;
        let wanted = i64::try_from(position).ok()?;
        let of = |i: usize| positions.get(run.start + i);
        let Some(order) = &view.order else { return (0..run.len).find(|i| of(*i) == wanted) };
        // Only damaged data has a number that is not of the run.
        let number = |k: usize| usize::try_from(order.get(run.start + k)).ok().filter(|i| *i < run.len);
        // Edges before this one in the order have other positions below: it is not behind its own.
        let (mut low, mut high) = (0, run.len.min(usize::try_from(position).ok()?.saturating_add(1)));
        let mut middle = high.checked_sub(1)?;
        while low < high {
            let i = number(middle)?;
            match of(i).cmp(&wanted) {
                Ordering::Equal => return Some(i),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
            middle = usize::midpoint(low, high);
        }
        None
    }

    /// The first place in a list whose neighbour is not before `node`. **Cost**: O(log len).
    pub fn lower_bound(&self, list: List, node: NodeId) -> usize {
        let (mut low, mut high) = (0, list.len);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.node(list, middle) < node {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Multiplies each of `out` by the sum of the weights of its list, whose codes have `W` bytes.
#[inline]
fn multiply_at<const W: usize, T: Copy + Into<u64>>(
    bytes: &[u8],
    starts: &[u64],
    weights: &[T],
    out: &mut [u64],
) {
    for (o, pair) in out.iter_mut().zip(starts.windows(2)).filter(|(o, _)| **o != 0) {
        let (start, len) = (pair[0] as usize, (pair[1] - pair[0]) as usize);
        let sum = match W {
            // All neighbours are the same.
            0 => (len == 0).then_some(0).or_else(|| (*weights.first()?).into().checked_mul(len as u64)),
            _ => sum_at::<W, T>(bytes.get(start * W..).unwrap_or_default(), len, weights),
        };
        *o = o.saturating_mul(sum.unwrap_or(u64::MAX));
    }
}

/// The sum of the weights at codes of `W` bytes. A code is taken by one load of 8 bytes: as many follow the
/// last.
#[inline]
fn sum_at<const W: usize, T: Copy + Into<u64>>(bytes: &[u8], len: usize, weights: &[T]) -> Option<u64> {
    let (mut sum, mut over) = (0u64, false);
    let loads = bytes.windows(8).step_by(W.max(1)).take(len);
    for load in loads {
        let mut code = [0u8; 8];
        code.copy_from_slice(load);
        let code = u64::from_le_bytes(code) & ((1 << (W * 8)) - 1);
        let (next, carry) = sum.overflowing_add((*weights.get(code as usize)?).into());
        sum = next;
        // A list has fewer than 2^32 edges.
        over |= carry && size_of::<T>() > 4;
    }
    (!over).then_some(sum)
}
