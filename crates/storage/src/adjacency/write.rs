//! Lists of one segment in, a finished piece out: the layout that `csr` and `vertex_column` read.

use std::sync::Arc;

use trimorph_encoding::{Packed, RankBits, pack, pack_bytes};
use trimorph_vfs::{CodecError, Piece, PieceWriter, RegionOptions, lay_out};

use super::{AdjacencyBytes, Form, PAGE};
use crate::RewriteError;
use crate::column::{PackedInts, put_blob};

/// One direction of an edge table, finished but not yet in a region.
pub(crate) struct WrittenAdjacency {
    pub(crate) form: Form,
    /// The piece of each segment.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The edges of each segment.
    pub(crate) edges: Vec<u64>,
    pub(crate) bytes: AdjacencyBytes,
}

impl WrittenAdjacency {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, pieces: Vec::new(), edges: Vec::new(), bytes: AdjacencyBytes::default() }
    }

    /// Writes the next segment.
    pub(crate) fn push(&mut self, lists: &SegmentLists<'_>) {
        let (piece, bytes) = lists.write(self.form == Form::Column);
        self.pieces.push(piece);
        self.edges.push(lists.count() as u64);
        self.bytes.add(bytes);
    }
}

/// Lists of one segment; edge `i` is the segment's own `i`-th.
pub(crate) struct SegmentLists<'a> {
    /// Where each row's edges start, one more than rows; counted from anywhere.
    pub(crate) offsets: &'a [u32],
    /// The row of each edge's neighbour.
    pub(crate) neighbours: &'a [i64],
    /// Which of the target tables; where there are several.
    pub(crate) tables: Option<&'a [i64]>,
    /// The position in its page; where it is stored.
    pub(crate) positions: Option<&'a [i64]>,
    /// Whether edges are found by their positions: forwards.
    pub(crate) by_position: bool,
}

impl SegmentLists<'_> {
    fn count(&self) -> usize {
        match self.offsets {
            [first, .., last] => (last - first) as usize,
            _ => 0,
        }
    }

    /// Writes rows, presence, ends, neighbours, tables and positions.
    ///
    /// A vertex column needs presence bits as soon as one row has no edge. A CSR's 4-byte offsets are worth
    /// 1.25 bits a row for the index only where a quarter of the lists are empty.
    fn write(&self, single: bool) -> (Vec<u8>, AdjacencyBytes) {
        let mut piece = PieceWriter::new();
        let mut bytes = AdjacencyBytes::default();
        piece.meta.u32(u32::try_from(self.offsets.len().saturating_sub(1)).unwrap_or(u32::MAX));
        let first = self.offsets.first().copied().unwrap_or(0);
        let present: Vec<bool> = self.offsets.windows(2).map(|w| w[1] > w[0]).collect();
        let nonempty = present.iter().filter(|p| **p).count();
        let compress = if single { nonempty < present.len() } else { nonempty * 4 <= present.len() * 3 };
        piece.meta.u8(u8::from(compress));
        if compress {
            let bits = RankBits::new(&present).to_compact();
            bytes.offsets += bits.len();
            put_blob(bits, &mut piece);
        }
        if !single {
            let mut ends: Vec<u8> = Vec::with_capacity(self.offsets.len() * 4);
            ends.extend_from_slice(&0u32.to_le_bytes());
            for (w, present) in self.offsets.windows(2).zip(&present) {
                if *present || !compress {
                    ends.extend_from_slice(&(w[1] - first).to_le_bytes());
                }
            }
            bytes.offsets += ends.len();
            put_blob(ends, &mut piece);
        }
        bytes.neighbours += put(pack_bytes(self.neighbours), &mut piece);
        piece.meta.u8(u8::from(self.tables.is_some()));
        if let Some(tables) = self.tables {
            bytes.neighbours += put(pack(tables), &mut piece);
        }
        let order = self.positions.filter(|_| self.by_position).map(|positions| self.order(positions));
        piece.meta.u8(u8::from(self.positions.is_some()) + u8::from(order.is_some()));
        for part in [self.positions, order.as_deref()].into_iter().flatten() {
            bytes.positions += put(pack(part), &mut piece);
        }
        (piece.finish(), bytes)
    }

    /// The edges of each page by their positions, as numbers among those of the page; end to end.
    fn order(&self, positions: &[i64]) -> Vec<i64> {
        let mut order = Vec::with_capacity(positions.len());
        let (first, last) =
            (self.offsets.first().copied().unwrap_or(0), self.offsets.len().saturating_sub(1));
        for page in (0..last).step_by(PAGE) {
            let starts = [page, last.min(page + PAGE)].map(|row| (self.offsets[row] - first) as usize);
            let own = positions.get(starts[0]..starts[1]).unwrap_or_default();
            let mut page: Vec<(i64, i64)> = own.iter().copied().zip(0..).collect();
            page.sort_unstable();
            order.extend(page.into_iter().map(|(_, number)| number));
        }
        order
    }
}

/// A piece of one row without edges, laid out.
pub(super) fn piece_without_edges(single: bool, options: RegionOptions) -> Result<Arc<Piece>, RewriteError> {
    let lists =
        SegmentLists { offsets: &[0, 0], neighbours: &[], tables: None, positions: None, by_position: false };
    let piece = lay_out(vec![lists.write(single).0], options)?.pop();
    Ok(piece.ok_or(CodecError { offset: 0, expected: "a piece" })?)
}

fn put(packed: Packed, piece: &mut PieceWriter) -> usize {
    let size = packed.bytes.len();
    PackedInts::write(packed, piece);
    size
}
