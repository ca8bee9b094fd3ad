//! Single-cardinality edges as a vertex column: a node's one neighbour, or none.
//!
//! Source: GF-CL §4.1.2.

use std::sync::Arc;

use trimorph_base::{NodeId, TableId};
use trimorph_encoding::{PackedView, RankView};
use trimorph_vector::Nodes;
use trimorph_vfs::{CodecError, Decoder, Image};

use super::rows_within;
use crate::column::{PackedInts, RankBytes, SEGMENT_ROWS, read_presence};

#[derive(Clone, Debug)]
struct Segment {
    presence: Option<RankBytes>,
    neighbours: PackedInts,
    tables: Option<PackedInts>,
    positions: Option<PackedInts>,
}

/// The neighbour of each row of a node table.
#[derive(Clone, Debug)]
pub struct VertexColumn {
    targets: Vec<TableId>,
    segments: Vec<Arc<Segment>>,
    edges: u64,
}

impl VertexColumn {
    pub(crate) fn read(
        image: &Image,
        meta: &mut Decoder<'_>,
        rows: u64,
        targets: &[(TableId, u64)],
    ) -> Result<Self, CodecError> {
        let rows = usize::try_from(rows).map_err(|_| meta.error("a number of rows that fits memory"))?;
        let (mut segments, mut edges) = (Vec::new(), 0);
        for start in (0..rows).step_by(SEGMENT_ROWS) {
            let len = SEGMENT_ROWS.min(rows - start);
            let (presence, present) = match meta.u8()? {
                0 => (None, len),
                _ => {
                    let (bits, present) = read_presence(image, meta, len)?;
                    (Some(bits), present)
                }
            };
            edges += present as u64;
            let neighbours = PackedInts::read(image, meta, present)?;
            let tables = match meta.u8()? {
                0 => None,
                _ => Some(PackedInts::read(image, meta, present)?),
            };
            let positions = match meta.u8()? {
                0 => None,
                _ => Some(PackedInts::read(image, meta, present)?),
            };
            if !rows_within(&neighbours, tables.as_ref(), present, targets) {
                return Err(meta.error("neighbours within their tables"));
            }
            segments.push(Arc::new(Segment { presence, neighbours, tables, positions }));
        }
        Ok(Self { targets: targets.iter().map(|(t, _)| *t).collect(), segments, edges })
    }
}

struct SegmentView<'s> {
    presence: Option<RankView<'s>>,
    neighbours: PackedView<'s>,
    tables: Option<PackedView<'s>>,
    positions: Option<PackedView<'s>>,
}

/// A vertex column, resolved into slices.
pub struct VertexColumnView<'s> {
    targets: &'s [TableId],
    segments: Vec<SegmentView<'s>>,
    edges: u64,
}

impl<'s> VertexColumnView<'s> {
    /// Resolves `column`.
    pub fn new(column: &'s VertexColumn) -> Self {
        let segments = column.segments.iter().map(|s| SegmentView {
            presence: s.presence.as_ref().map(RankBytes::view),
            neighbours: s.neighbours.view(),
            tables: s.tables.as_ref().map(PackedInts::view),
            positions: s.positions.as_ref().map(PackedInts::view),
        });
        Self { targets: &column.targets, segments: segments.collect(), edges: column.edges }
    }

    /// Rows that have an edge.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    #[inline]
    fn place(&self, row: u64) -> Option<(&SegmentView<'s>, usize)> {
        let (segment, local) = (row as usize / SEGMENT_ROWS, row as usize % SEGMENT_ROWS);
        let view = self.segments.get(segment)?;
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

    /// The neighbour of node `row`.
    #[inline]
    pub fn neighbour(&self, row: u64) -> Option<NodeId> {
        let (view, place) = self.place(row)?;
        let target = view.tables.as_ref().map_or(0, |t| t.get(place) as usize);
        Some(NodeId::new(self.targets[target], view.neighbours.get(place).cast_unsigned()))
    }

    /// The neighbours of the nodes at `positions`, all of this column's table, written to `out` where they are; gives the positions that
    /// have one.
    ///
    /// **Cost**: a load, shift and mask each, and a rank where some nodes have none; the form of `nodes` is decided once.
    pub fn follow(&self, nodes: &Nodes<'_>, positions: &[u32], out: &mut [NodeId]) -> Vec<u32> {
        let mut kept = Vec::with_capacity(positions.len());
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

    /// The stored position of the edge of node `row`, where positions are stored.
    #[inline]
    pub fn position(&self, row: u64) -> Option<u64> {
        let (view, place) = self.place(row)?;
        view.positions.as_ref().map(|p| p.get(place).cast_unsigned())
    }

    /// The table all neighbours are in, if there is only one.
    pub fn target(&self) -> Option<TableId> {
        (self.targets.len() == 1).then(|| self.targets[0])
    }
}
