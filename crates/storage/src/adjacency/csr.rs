//! CSR: sorted neighbour lists.
//!
//! Per segment of 65,536 source rows: 32-bit offsets (`rows + 1`, or one per non-empty list and a rank index where a quarter
//! or more of the lists are empty), neighbour rows in whole bytes, tables only where neighbours are in several, positions
//! only where needed. Lists are sorted by (table, row); the first edge of a segment has global slot `first_slot`.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, NodeId, TableId};
use trimorph_encoding::{PackedView, RankView};
use trimorph_vector::{Nodes, PageStarts};
use trimorph_vfs::{Bytes, CodecError, Decoder, Image};

use super::rows_within;
use crate::column::{PackedInts, RankBytes, SEGMENT_ROWS, read_blob, read_presence};
use crate::edge_table::PAGE_ROWS;

#[derive(Clone, Debug)]
pub(crate) struct CsrSegment {
    pub(crate) first_slot: u64,
    pub(crate) edges: usize,
    pub(crate) presence: Option<RankBytes>,
    pub(crate) offsets: Bytes,
    /// Where each page of 128 rows starts, counted from `first_slot`: made when opened, so that a property read from the other side
    /// finds its page with one load.
    pub(crate) pages: Vec<u32>,
    pub(crate) neighbours: PackedInts,
    pub(crate) tables: Option<PackedInts>,
    pub(crate) positions: Option<PackedInts>,
}

/// Sorted neighbour lists of all rows of a node table.
#[derive(Clone, Debug)]
pub struct Csr {
    targets: Vec<TableId>,
    segments: Vec<Arc<CsrSegment>>,
    /// Where each page of all segments starts: one load for a property read from the other side.
    page_slots: Vec<u64>,
}

impl Csr {
    pub(crate) fn read(
        image: &Image,
        meta: &mut Decoder<'_>,
        rows: u64,
        targets: &[(TableId, u64)],
    ) -> Result<Self, CodecError> {
        let rows = usize::try_from(rows).map_err(|_| meta.error("a number of rows that fits memory"))?;
        let mut first_slot = 0;
        let mut segments = Vec::new();
        for start in (0..rows).step_by(SEGMENT_ROWS) {
            let segment =
                Self::read_segment(image, meta, SEGMENT_ROWS.min(rows - start), first_slot, targets)?;
            first_slot += segment.edges as u64;
            segments.push(Arc::new(segment));
        }
        let starts =
            |s: &Arc<CsrSegment>| s.pages.iter().map(|p| s.first_slot + u64::from(*p)).collect::<Vec<_>>();
        let page_slots = segments.iter().flat_map(starts).collect();
        Ok(Self { targets: targets.iter().map(|(t, _)| *t).collect(), segments, page_slots })
    }

    fn read_segment(
        image: &Image,
        meta: &mut Decoder<'_>,
        len: usize,
        first_slot: u64,
        targets: &[(TableId, u64)],
    ) -> Result<CsrSegment, CodecError> {
        let (presence, lists) = match meta.u8()? {
            0 => (None, len),
            _ => {
                let (bits, lists) = read_presence(image, meta, len)?;
                (Some(bits), lists)
            }
        };
        let offsets = read_blob(image, meta)?;
        let edges = {
            let ends = bytemuck::try_cast_slice::<u8, u32>(offsets.as_slice()).unwrap_or_default();
            if ends.len() != lists + 1 || ends[0] != 0 || ends.windows(2).any(|w| w[0] > w[1]) {
                return Err(meta.error("ascending offsets, one more than lists"));
            }
            ends[lists] as usize
        };
        let neighbours = PackedInts::read(image, meta, edges)?;
        if neighbours.step != 1 || neighbours.bits % 8 != 0 || neighbours.bits > 56 || neighbours.base < 0 {
            return Err(meta.error("neighbours in whole bytes"));
        }
        let tables = match meta.u8()? {
            0 => None,
            _ => Some(PackedInts::read(image, meta, edges)?),
        };
        let positions = match meta.u8()? {
            0 => None,
            _ => Some(PackedInts::read(image, meta, edges)?),
        };
        if !rows_within(&neighbours, tables.as_ref(), edges, targets) {
            return Err(meta.error("neighbours within their tables"));
        }
        let pages = page_starts(len, presence.as_ref(), &offsets);
        Ok(CsrSegment { first_slot, edges, presence, offsets, pages, neighbours, tables, positions })
    }
}

/// The first edge of each page of a segment of `len` rows.
fn page_starts(len: usize, presence: Option<&RankBytes>, offsets: &Bytes) -> Vec<u32> {
    let offsets = bytemuck::try_cast_slice::<u8, u32>(offsets.as_slice()).unwrap_or_default();
    let rank = presence.map(RankBytes::view);
    (0..len)
        .step_by(PAGE_ROWS as usize)
        .map(|row| offsets.get(rank.map_or(row, |r| r.rank(row))).copied().unwrap_or(0))
        .collect()
}

struct SegmentView<'s> {
    first_slot: u64,
    pages: &'s [u32],
    presence: Option<RankView<'s>>,
    offsets: &'s [u32],
    neighbours: PackedView<'s>,
    tables: Option<PackedView<'s>>,
    positions: Option<PackedView<'s>>,
}

impl SegmentView<'_> {
    /// The global slots at which the edges of local rows `first..` start, or would.
    fn slots(&self, first: usize, out: &mut [u64]) {
        let Some((end, _)) = self.offsets.split_last() else { return out.fill(self.first_slot) };
        let Some(rank) = &self.presence else {
            let starts = self.offsets.get(first..).unwrap_or_default().iter().chain(std::iter::repeat(end));
            for (o, start) in out.iter_mut().zip(starts) {
                *o = self.first_slot + u64::from(*start);
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
                *o = self.first_slot + u64::from(*self.offsets.get(at).unwrap_or(end));
                at += (stored & 1) as usize;
                stored >>= 1;
            }
            row += out.len();
        }
    }
}

/// A CSR, resolved into slices.
pub struct CsrView<'s> {
    targets: &'s [TableId],
    page_slots: &'s [u64],
    segments: Vec<SegmentView<'s>>,
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
    /// The edges from the `from`-th on, at most `len` of them.
    #[must_use]
    pub fn part(self, from: usize, len: usize) -> Self {
        let from = from.min(self.len);
        Self { start: self.start + from, len: len.min(self.len - from), ..self }
    }
}

impl<'s> CsrView<'s> {
    /// Resolves `csr`.
    pub fn new(csr: &'s Csr) -> Self {
        let segments = csr.segments.iter().map(|s| SegmentView {
            first_slot: s.first_slot,
            pages: &s.pages,
            presence: s.presence.as_ref().map(RankBytes::view),
            offsets: bytemuck::try_cast_slice(s.offsets.as_slice()).unwrap_or_default(),
            neighbours: s.neighbours.view(),
            tables: s.tables.as_ref().map(PackedInts::view),
            positions: s.positions.as_ref().map(PackedInts::view),
        });
        Self { targets: &csr.targets, page_slots: &csr.page_slots, segments: segments.collect() }
    }

    /// The list of node `row`.
    #[inline]
    pub fn list(&self, row: u64) -> List {
        let (segment, local) = (row as usize / SEGMENT_ROWS, row as usize % SEGMENT_ROWS);
        let view = &self.segments[segment];
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
        self.row_slot(row).filter(|_| (row as usize / SEGMENT_ROWS) < self.segments.len())?;
        let view = &self.segments[row as usize / SEGMENT_ROWS];
        let local = row as usize % SEGMENT_ROWS;
        let rows = view.presence.as_ref().map_or(view.offsets.len().saturating_sub(1), RankView::rows);
        (local < rows).then(|| self.list(row))
    }

    /// The lists of `count` rows from `first` on, end to end; `None` if they are not in one segment.
    pub fn run(&self, first: u64, count: usize) -> Option<List> {
        let segment = first as usize / SEGMENT_ROWS;
        let last = first + (count as u64).checked_sub(1)?;
        if last as usize / SEGMENT_ROWS != segment {
            return None;
        }
        let (start, end) = (self.row_slot(first)?, self.list_within(last)?);
        // An empty list has no place of its own.
        let end = if end.len == 0 { self.row_slot(last)? } else { self.slot(end) + end.len as u64 };
        let first_slot = self.segments[segment].first_slot;
        Some(List { segment, start: (start - first_slot) as usize, len: end.checked_sub(start)? as usize })
    }

    /// Where the pages of a list's segment start, for the ids of its slots.
    pub fn page_starts(&self, list: List, table: EdgeTableId) -> PageStarts<'s> {
        let view = &self.segments[list.segment];
        let first_page = (list.segment * SEGMENT_ROWS) as u64 / PAGE_ROWS;
        PageStarts { table, first_page, first_slot: view.first_slot, starts: view.pages }
    }

    /// The number of edges of node `row`.
    #[inline]
    pub fn degree(&self, row: u64) -> u64 {
        self.list(row).len as u64
    }

    /// Multiplies `out[i]` by the degree of row `first + i`. `None` on overflow.
    ///
    /// **Cost**: one load per row and no branch.
    pub fn multiply_degrees(&self, first: u64, out: &mut [u64]) -> Option<()> {
        const BATCH: usize = 64;
        let (mut slots, mut row, mut overflow) = ([0; BATCH + 1], first, false);
        for out in out.chunks_mut(BATCH) {
            self.slots(row, &mut slots[..=out.len()]);
            for (o, pair) in out.iter_mut().zip(slots.windows(2)) {
                let (product, over) = o.overflowing_mul(pair[1] - pair[0]);
                *o = product;
                overflow |= over;
            }
            row += out.len() as u64;
        }
        (!overflow).then_some(())
    }

    /// The global slots at which the edges of rows `first..` start, or would; past the last row, the number of edges.
    ///
    /// **Cost**: one load per row and no branch on whether it has edges.
    pub fn slots(&self, first: u64, out: &mut [u64]) {
        let mut done = 0;
        while done < out.len() {
            let row = first as usize + done;
            let (segment, local) = (row / SEGMENT_ROWS, row % SEGMENT_ROWS);
            let Some(view) = self.segments.get(segment) else { return out[done..].fill(self.edges()) };
            let here = (SEGMENT_ROWS - local).min(out.len() - done);
            view.slots(local, &mut out[done..done + here]);
            done += here;
        }
    }

    /// The neighbours of a list, in place where they are in one table.
    #[inline]
    pub fn nodes(&self, list: List) -> Nodes<'s> {
        let view = &self.segments[list.segment];
        match &view.tables {
            None => {
                let width = view.neighbours.bits / 8;
                let start = list.start * width as usize;
                Nodes::Packed {
                    table: self.targets[0],
                    base: view.neighbours.base.cast_unsigned(),
                    width,
                    bytes: &view.neighbours.bytes[start..],
                }
            }
            Some(_) => Nodes::Ids { table: None, ids: (0..list.len).map(|i| self.node(list, i)).collect() },
        }
    }

    /// Whether a list's edges have stored positions, and neighbours in one table.
    #[inline]
    pub(crate) fn has_positions(&self, list: List) -> bool {
        let view = &self.segments[list.segment];
        view.tables.is_none() && view.positions.is_some()
    }

    /// Calls `each` with the row and the stored position of every neighbour of a list whose neighbours are in one table, in order, up to
    /// 64 at a time; nothing where positions are not stored.
    #[inline]
    pub(crate) fn rows_and_positions(&self, list: List, mut each: impl FnMut(&[i64], &[i64])) {
        /// Lists up to this long spare the buffers of longer ones.
        const SHORT: usize = 8;
        const BATCH: usize = 64;
        let view = &self.segments[list.segment];
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
        let view = &self.segments[list.segment];
        match &view.tables {
            None => {
                let first = NodeId::new(self.targets[0], 0).0;
                view.neighbours
                    .append(list.start, list.len, out, |row| NodeId(first.wrapping_add(row.cast_unsigned())));
            }
            Some(_) => out.extend((0..list.len).map(|i| self.node(list, i))),
        }
    }

    /// The sum of `weights` over the rows of a list's neighbours, whatever their table; `None` on overflow, or if a row has no weight.
    ///
    /// **Cost**: one load of the neighbour and one of the weight each; 32-bit weights take half the cache and cannot overflow.
    #[inline]
    pub fn sum_weights<T: Copy + Into<u64>>(&self, list: List, weights: &[T]) -> Option<u64> {
        let view = &self.segments[list.segment];
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
        let view = &self.segments[list.segment];
        let target = view.tables.as_ref().map_or(0, |t| t.get(list.start + i) as usize);
        NodeId::new(self.targets[target], view.neighbours.get(list.start + i).cast_unsigned())
    }

    /// The global slot of the first edge of a list.
    #[inline]
    pub fn slot(&self, list: List) -> u64 {
        self.segments[list.segment].first_slot + list.start as u64
    }

    /// The global slot at which the page of 128 rows that holds `row` starts.
    #[inline]
    pub fn page_slot(&self, page: u64) -> u64 {
        self.page_slots.get(page as usize).copied().unwrap_or(0)
    }

    /// The global slot at which the edges of `row` start, or would; past the last row, the number of edges.
    #[inline]
    pub fn slot_of(&self, row: u64) -> u64 {
        self.row_slot(row).unwrap_or_else(|| self.edges())
    }

    /// Edges in all lists.
    pub fn edges(&self) -> u64 {
        self.segments.last().map_or(0, |s| s.first_slot + s.offsets.last().map_or(0, |o| u64::from(*o)))
    }

    /// The global slot at which the edges of `row` start, or would; `None` past the last row.
    pub(crate) fn row_slot(&self, row: u64) -> Option<u64> {
        let (segment, local) = (row as usize / SEGMENT_ROWS, row as usize % SEGMENT_ROWS);
        let view = self.segments.get(segment)?;
        let at = match &view.presence {
            None => local,
            Some(rank) if local < rank.rows() => rank.rank(local),
            Some(_) => return None,
        };
        Some(view.first_slot + u64::from(*view.offsets.get(at)?))
    }

    /// The stored position of the `i`-th edge of a list, where positions are stored.
    #[inline]
    pub fn position(&self, list: List, i: usize) -> Option<u64> {
        self.segments[list.segment].positions.as_ref().map(|p| p.get(list.start + i).cast_unsigned())
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

/// The sum of the weights at codes of `W` bytes. A code is taken by one load of 8 bytes: as many follow the last.
#[inline]
fn sum_at<const W: usize, T: Copy + Into<u64>>(bytes: &[u8], len: usize, weights: &[T]) -> Option<u64> {
    let (mut sum, mut over) = (0u64, false);
    let loads = bytes.windows(8).step_by(W).take(len);
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
