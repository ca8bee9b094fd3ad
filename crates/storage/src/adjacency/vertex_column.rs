//! Single-cardinality edges as a vertex column: a node's one neighbour, or none.
//!
//! Source: GF-CL §4.1.2.

use std::sync::Arc;

use self_cell::self_cell;
use trimorph_base::{NodeId, TableId};
use trimorph_encoding::{PackedView, RankView};
use trimorph_vector::Nodes;
use trimorph_vfs::{CodecError, Decoder, Piece, Pins, RegionOptions};

use super::write::piece_without_edges;
use super::{Given, Targets, read_rows, rows_within};
use crate::RewriteError;
use crate::column::{PackedInts, RankBytes, SEGMENT_ROWS, read_presence};
use crate::slot::{Content, Resolved, Slot};

/// What is in a piece of a vertex column.
#[derive(Debug)]
pub(crate) struct Neighbours {
    rows: usize,
    edges: u64,
    presence: Option<RankBytes>,
    neighbours: PackedInts,
    tables: Option<PackedInts>,
    positions: Option<PackedInts>,
}

self_cell! {
    /// One piece of a vertex column.
    pub(crate) struct VertexSegment {
        owner: Neighbours,
        #[covariant]
        dependent: SegmentView,
    }
}

impl Content for VertexSegment {
    type Given = Given;
    type View<'v> = SegmentView<'v>;

    /// **Errors**: metadata that does not fit the blobs, the rows, the edges or the target tables. **Cost**:
    /// a look at every neighbour.
    fn read(piece: &Arc<Piece>, given: &Given) -> Result<Self, CodecError> {
        Ok(Self::new(Neighbours::read(piece, given)?, |neighbours| SegmentView::new(neighbours)))
    }

    fn view(&self) -> &SegmentView<'_> {
        self.borrow_dependent()
    }

    fn made_bytes(&self) -> usize {
        self.borrow_owner().presence.as_ref().map_or(0, RankBytes::made_bytes)
    }
}

/// The neighbour of each row of a node table.
#[derive(Clone, Debug)]
pub struct VertexColumn {
    targets: Vec<TableId>,
    pub(crate) segments: Vec<Arc<Slot<VertexSegment>>>,
    edges: u64,
}

impl VertexColumn {
    pub(crate) fn new(targets: &[(TableId, u64)], segments: Vec<Arc<Slot<VertexSegment>>>) -> Self {
        let edges = segments.iter().map(|s| s.given().edges()).sum();
        Self { targets: targets.iter().map(|(t, _)| *t).collect(), segments, edges }
    }
}

impl VertexSegment {
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
    pub(crate) fn without_edges(options: RegionOptions) -> Result<Arc<Slot<Self>>, RewriteError> {
        Ok(Self::slot(piece_without_edges(true, options)?, SEGMENT_ROWS, &Targets::default())?)
    }
}

impl Neighbours {
    /// Reads the piece of a segment of at most so many rows: a table may have got rows since, which have no
    /// edge.
    fn read(piece: &Piece, given: &Given) -> Result<Self, CodecError> {
        let meta = &mut Decoder::new(piece.metadata());
        let rows = read_rows(meta, given.rows)?;
        let (presence, present) = match meta.u8()? {
            0 => (None, rows),
            _ => {
                let (bits, present) = read_presence(piece, meta, rows)?;
                (Some(bits), present)
            }
        };
        given.check_edges(present as u64, meta)?;
        let neighbours = PackedInts::read(piece, meta, present)?;
        let optional = |meta: &mut Decoder<'_>| match meta.u8()? {
            0 => Ok(None),
            _ => PackedInts::read(piece, meta, present).map(Some),
        };
        let (tables, positions) = (optional(meta)?, optional(meta)?);
        if !rows_within(&neighbours, tables.as_ref(), present, &given.targets) {
            return Err(meta.error("neighbours within their tables"));
        }
        Ok(Self { rows, edges: present as u64, presence, neighbours, tables, positions })
    }
}

/// The slices of a piece.
pub(crate) struct SegmentView<'s> {
    rows: usize,
    presence: Option<RankView<'s>>,
    neighbours: PackedView<'s>,
    tables: Option<PackedView<'s>>,
    positions: Option<PackedView<'s>>,
}

impl<'s> SegmentView<'s> {
    fn new(stored: &'s Neighbours) -> Self {
        Self {
            rows: stored.rows,
            presence: stored.presence.as_ref().map(RankBytes::view),
            neighbours: stored.neighbours.view(),
            tables: stored.tables.as_ref().map(PackedInts::view),
            positions: stored.positions.as_ref().map(PackedInts::view),
        }
    }
}

/// Rows whose neighbours are unpacked at once.
const BLOCK: usize = 64;

impl SegmentView<'_> {
    /// The neighbours of the rows from `local` on, of which there are as many as `out` has room for, written
    /// there; positions, of which `start` is the first row's, are added to `kept` where there is one.
    fn follow(&self, targets: &[TableId], local: usize, start: u32, out: &mut [NodeId], kept: &mut Vec<u32>) {
        let (mut rows, mut tables) = ([0; BLOCK], [0; BLOCK]);
        // Where the edge of the next row that has one lies.
        let mut place = None;
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let (local, start) = (local + block * BLOCK, start + (block * BLOCK) as u32);
            let all = u64::MAX >> (BLOCK - out.len());
            let bits = self.presence.as_ref().map_or(all, |rank| rank.window(local) & all);
            if bits == 0 {
                continue;
            }
            let first = || match &self.presence {
                None => Some(local),
                Some(rank) => rank.place(local + bits.trailing_zeros() as usize),
            };
            let Some(from) = place.or_else(first) else { continue };
            let count = bits.count_ones() as usize;
            place = Some(from + count);
            self.neighbours.unpack(from, &mut rows[..count]);
            if let Some(of) = &self.tables {
                of.unpack(from, &mut tables[..count]);
            }
            let node = |k: usize| NodeId::new(targets[tables[k] as usize], rows[k].cast_unsigned());
            if bits == all {
                out.iter_mut().enumerate().for_each(|(k, o)| *o = node(k));
                kept.extend(start..start + count as u32);
                continue;
            }
            let mut left = bits;
            for k in 0..count {
                let at = left.trailing_zeros();
                left &= left - 1;
                out[at as usize] = node(k);
                kept.push(start + at);
            }
        }
    }
}

/// A vertex column as one thread sees it.
pub struct VertexColumnView<'s> {
    targets: &'s [TableId],
    segments: Resolved<'s, VertexSegment>,
    edges: u64,
}

impl<'s> VertexColumnView<'s> {
    /// Nothing is read yet.
    pub(crate) fn new(column: &'s VertexColumn, pins: &Arc<Pins<'s>>) -> Self {
        let segments = Resolved::new(&column.segments, pins);
        Self { targets: &column.targets, segments, edges: column.edges }
    }

    /// Forgets what is pinned.
    pub(crate) fn forget(&self) {
        self.segments.forget();
    }

    /// Rows that have an edge.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    #[inline]
    fn place(&self, row: u64) -> Option<(&'s SegmentView<'s>, usize)> {
        let (segment, local) = (row as usize / SEGMENT_ROWS, row as usize % SEGMENT_ROWS);
        let view = self.segments.get(segment).filter(|s| local < s.rows)?;
        match &view.presence {
            None => Some((view, local)),
            Some(rank) => Some((view, rank.place(local)?)),
        }
    }

    /// Whether node `row` has an edge.
    #[inline]
    pub fn has(&self, row: u64) -> bool {
        self.place(row).is_some()
    }

    /// How many of `count` rows from `first` on have an edge. **Cost**: nothing for rows of segments where
    /// all have one, else a word for 64.
    pub fn count(&self, first: u64, count: u64) -> u64 {
        let (mut row, end) = (first as usize, first.saturating_add(count) as usize);
        let mut edges = 0;
        while row < end {
            let (segment, local) = (row / SEGMENT_ROWS, row % SEGMENT_ROWS);
            let len = (SEGMENT_ROWS - local).min(end - row);
            row += len;
            let Some(view) = self.segments.get(segment) else { continue };
            let len = len.min(view.rows.saturating_sub(local));
            edges += match &view.presence {
                None => len as u64,
                Some(rank) => (0..len)
                    .step_by(64)
                    .map(|k| {
                        let within = u64::MAX >> (64 - (len - k).min(64));
                        u64::from((rank.window(local + k) & within).count_ones())
                    })
                    .sum(),
            };
        }
        edges
    }

    /// Gives those of `len` rows from `first` on that have an edge, counted from there.
    pub(crate) fn each_with_edges(&self, first: u64, len: usize, visit: &mut dyn FnMut(usize)) {
        let mut from = 0;
        while from < len {
            let row = first as usize + from;
            let (segment, local) = (row / SEGMENT_ROWS, row % SEGMENT_ROWS);
            let count = (SEGMENT_ROWS - local).min(len - from);
            if let Some(view) = self.segments.get(segment) {
                let count = count.min(view.rows.saturating_sub(local));
                match &view.presence {
                    None => (0..count).for_each(|at| visit(from + at)),
                    Some(rank) => rank.each(local, count, &mut |at| visit(from + at)),
                }
            }
            from += count;
        }
    }

    /// The neighbour of node `row`.
    #[inline]
    pub fn neighbour(&self, row: u64) -> Option<NodeId> {
        let (view, place) = self.place(row)?;
        let target = view.tables.as_ref().map_or(0, |t| t.get(place) as usize);
        Some(NodeId::new(self.targets[target], view.neighbours.get(place).cast_unsigned()))
    }

    /// The neighbours of the nodes at `positions`, all of this column's table, written to `out` where they
    /// are; gives the positions that have one.
    ///
    /// **Cost**: of nodes that follow each other, neighbours are unpacked 64 at a time; of others a load,
    /// shift and mask each, and a rank where some nodes have none. The form of `nodes` is decided once.
    pub fn follow(&self, nodes: &Nodes<'_>, positions: &[u32], out: &mut [NodeId]) -> Vec<u32> {
        let mut kept = Vec::with_capacity(positions.len());
        if let (Nodes::Range(first), Some(start), Some(end)) = (nodes, positions.first(), positions.last())
            && (*end as usize).wrapping_sub(*start as usize) + 1 == positions.len()
            && let Some(out) = out.get_mut(*start as usize..=*end as usize)
        {
            self.follow_run(first.row() + u64::from(*start), *start, out, &mut kept);
            return kept;
        }
        nodes.for_each(positions.iter().map(|p| *p as usize), |i, node| {
            if let Some((view, place)) = self.place(node.row())
                && let Some(o) = out.get_mut(i)
            {
                let target = view.tables.as_ref().map_or(0, |t| t.get(place) as usize);
                *o = NodeId::new(self.targets[target], view.neighbours.get(place).cast_unsigned());
                // Positions came from 32 bits.
                kept.push(i as u32);
            }
        });
        kept
    }

    /// The same of rows that follow each other, the first of them at position `start`.
    fn follow_run(&self, first: u64, start: u32, out: &mut [NodeId], kept: &mut Vec<u32>) {
        let mut given = 0;
        while given < out.len() {
            let row = first as usize + given;
            let (segment, local) = (row / SEGMENT_ROWS, row % SEGMENT_ROWS);
            let len = (SEGMENT_ROWS - local).min(out.len() - given);
            if let Some(view) = self.segments.get(segment) {
                let len = len.min(view.rows.saturating_sub(local));
                let positions = start + given as u32;
                view.follow(self.targets, local, positions, &mut out[given..given + len], kept);
            }
            given += len;
        }
    }

    /// Whether positions of edges of nodes around `row` are stored.
    #[inline]
    pub fn has_positions(&self, row: u64) -> bool {
        self.segments.get(row as usize / SEGMENT_ROWS).is_some_and(|segment| segment.positions.is_some())
    }

    /// The stored position of the edge of node `row`, where positions are stored.
    #[inline]
    pub fn position(&self, row: u64) -> Option<u64> {
        let (segment, local) = (row as usize / SEGMENT_ROWS, row as usize % SEGMENT_ROWS);
        let view = self.segments.get(segment).filter(|s| local < s.rows)?;
        // Most segments store none: nobody has to ask then which edge of the segment it is.
        let positions = view.positions.as_ref()?;
        let place = view.presence.as_ref().map_or(Some(local), |rank| rank.place(local))?;
        Some(positions.get(place).cast_unsigned())
    }

    /// The table all neighbours are in, if there is only one.
    pub fn target(&self) -> Option<TableId> {
        (self.targets.len() == 1).then(|| self.targets[0])
    }
}
