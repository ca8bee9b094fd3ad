//! From edges in file order to both directions, sorted.
//!
//! 1. Counting sort by source row, then each list by (target, file order): the forward order, whose index is the slot.
//! 2. For each target table a counting sort by target row of the forward order: stable, so lists come out sorted by source.
//! 3. Written segment by segment as CSR, or as a vertex column where no node has two edges.
//!
//! **Cost**: O(edges + rows) and a sort within each list; 24 bytes an edge at the peak.

use trimorph_base::{NodeId, TableId};
use trimorph_encoding::{Packed, RankBits, pack, pack_bytes};
use trimorph_vfs::{Encoder, ImageWriter};

use super::AdjacencyBytes;
use crate::column::{PackedInts, SEGMENT_ROWS};
use crate::edge_table::PAGE_ROWS;

/// Edges of one edge table in forward order.
#[derive(Debug, Default)]
pub struct EdgeList {
    /// Where each source's edges start: `rows + 1`.
    pub offsets: Vec<u64>,
    /// Targets, sorted within each source.
    pub targets: Vec<NodeId>,
    /// For each slot, the index of the edge in the input.
    pub order: Vec<u32>,
    /// The source row of each slot.
    pub sources: Vec<u32>,
}

impl EdgeList {
    /// Most edges of one source.
    pub fn degree_max(&self) -> u64 {
        self.offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// Sources with an edge.
    pub fn nonempty(&self) -> u64 {
        self.offsets.windows(2).filter(|w| w[1] > w[0]).count() as u64
    }
}

/// Sorts edges `(source row, target)` into forward order.
pub fn sort_edges(rows: u64, edges: &[(u32, NodeId)]) -> EdgeList {
    let mut offsets = vec![0u64; rows as usize + 1];
    for (source, _) in edges {
        offsets[*source as usize + 1] += 1;
    }
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut cursor = offsets.clone();
    let mut slots = vec![(NodeId(0), 0u32); edges.len()];
    for (i, (source, target)) in edges.iter().enumerate() {
        let at = &mut cursor[*source as usize];
        #[expect(clippy::cast_possible_truncation, reason = "loading refuses 2^32 edges in one edge table")]
        let index = i as u32;
        slots[*at as usize] = (*target, index);
        *at += 1;
    }
    drop(cursor);
    for w in offsets.windows(2) {
        slots[w[0] as usize..w[1] as usize].sort_unstable();
    }
    let mut sources = Vec::with_capacity(edges.len());
    for (row, w) in offsets.windows(2).enumerate() {
        #[expect(clippy::cast_possible_truncation, reason = "loading refuses 2^32 rows in one node table")]
        sources.extend(std::iter::repeat_n(row as u32, (w[1] - w[0]) as usize));
    }
    let (targets, order) = slots.into_iter().unzip();
    EdgeList { offsets, targets, order, sources }
}

/// Lists of one direction, ready to be written.
struct Lists<'a> {
    offsets: &'a [u64],
    neighbours: &'a dyn Fn(usize) -> NodeId,
    positions: Option<&'a dyn Fn(usize) -> u64>,
    targets: &'a [TableId],
}

impl EdgeList {
    /// Writes the forward direction: a CSR, or a vertex column if `single`.
    pub(crate) fn write_forward(
        &self,
        targets: &[TableId],
        single: bool,
        image: &mut ImageWriter,
        meta: &mut Encoder,
    ) -> AdjacencyBytes {
        let lists =
            Lists { offsets: &self.offsets, neighbours: &|i| self.targets[i], positions: None, targets };
        write(&lists, single, image, meta)
    }

    /// The position of a slot in its page.
    pub(crate) fn position(&self, slot: usize) -> u64 {
        let page_row = u64::from(self.sources[slot]) / PAGE_ROWS * PAGE_ROWS;
        slot as u64 - self.offsets[page_row as usize]
    }
}

/// What [`build_backward`] found out.
pub(crate) struct Backward {
    pub(crate) edges: u64,
    pub(crate) single: bool,
    pub(crate) degree_max: u64,
    pub(crate) nonempty: u64,
    pub(crate) bytes: AdjacencyBytes,
}

/// Writes the backward direction into node table `target` of `rows` rows.
pub(crate) fn build_backward(
    forward: &EdgeList,
    source: TableId,
    target: TableId,
    rows: u64,
    positions: bool,
    image: &mut ImageWriter,
    meta: &mut Encoder,
) -> Backward {
    let mut offsets = vec![0u64; rows as usize + 1];
    for node in forward.targets.iter().filter(|n| n.table() == target) {
        offsets[node.row() as usize + 1] += 1;
    }
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let edges = offsets[rows as usize];
    let mut cursor = offsets.clone();
    let mut slots = vec![0u32; edges as usize];
    for (slot, node) in forward.targets.iter().enumerate() {
        if node.table() == target {
            let at = &mut cursor[node.row() as usize];
            #[expect(
                clippy::cast_possible_truncation,
                reason = "loading refuses 2^32 edges in one edge table"
            )]
            {
                slots[*at as usize] = slot as u32;
            }
            *at += 1;
        }
    }
    drop(cursor);
    let degree_max = offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
    let nonempty = offsets.windows(2).filter(|w| w[1] > w[0]).count() as u64;
    let single = degree_max <= 1;
    let neighbour = |i: usize| NodeId::new(source, forward.sources[slots[i] as usize].into());
    let position = |i: usize| forward.position(slots[i] as usize);
    let lists = Lists {
        offsets: &offsets,
        neighbours: &neighbour,
        positions: positions.then_some(&position as &dyn Fn(usize) -> u64),
        targets: &[source],
    };
    let bytes = write(&lists, single, image, meta);
    Backward { edges, single, degree_max, nonempty, bytes }
}

fn write(lists: &Lists<'_>, single: bool, image: &mut ImageWriter, meta: &mut Encoder) -> AdjacencyBytes {
    meta.u8(u8::from(single));
    let rows = lists.offsets.len() - 1;
    let mut total = AdjacencyBytes::default();
    for start in (0..rows).step_by(SEGMENT_ROWS) {
        let end = rows.min(start + SEGMENT_ROWS);
        total.add(write_segment(lists, start, end, single, image, meta));
    }
    total
}

fn write_segment(
    lists: &Lists<'_>,
    start: usize,
    end: usize,
    single: bool,
    image: &mut ImageWriter,
    meta: &mut Encoder,
) -> AdjacencyBytes {
    let mut bytes = AdjacencyBytes::default();
    let offsets = &lists.offsets[start..=end];
    let present: Vec<bool> = offsets.windows(2).map(|w| w[1] > w[0]).collect();
    let nonempty = present.iter().filter(|p| **p).count();
    // A vertex column needs presence bits as soon as one row has none. A CSR's 4-byte offsets are worth 1.25 bits a row for
    // the index only where a quarter of the lists are empty.
    let compress = if single { nonempty < present.len() } else { nonempty * 4 <= present.len() * 3 };
    if compress {
        let bits = RankBits::new(&present);
        bytes.offsets += bits.size();
        meta.u8(1);
        meta.u32(image.put(bits.to_bytes()).0);
    } else {
        meta.u8(0);
    }
    if !single {
        let local = |o: u64| u32::try_from(o - offsets[0]).unwrap_or(u32::MAX);
        let mut ends: Vec<u8> = local(offsets[0]).to_le_bytes().to_vec();
        for (w, present) in offsets.windows(2).zip(&present) {
            if *present || !compress {
                ends.extend_from_slice(&local(w[1]).to_le_bytes());
            }
        }
        bytes.offsets += ends.len();
        meta.u32(image.put(ends).0);
    }
    let range = offsets[0] as usize..offsets[offsets.len() - 1] as usize;
    let rows: Vec<i64> = range.clone().map(|i| (lists.neighbours)(i).row().cast_signed()).collect();
    bytes.neighbours += put(pack_bytes(&rows), image, meta);
    if lists.targets.len() > 1 {
        meta.u8(1);
        let tables: Vec<i64> = range
            .clone()
            .map(|i| {
                let table = (lists.neighbours)(i).table();
                lists.targets.iter().position(|t| *t == table).unwrap_or(0) as i64
            })
            .collect();
        bytes.neighbours += put(pack(&tables), image, meta);
    } else {
        meta.u8(0);
    }
    match lists.positions {
        Some(position) => {
            meta.u8(1);
            let positions: Vec<i64> = range.map(|i| position(i).cast_signed()).collect();
            bytes.positions += put(pack(&positions), image, meta);
        }
        None => meta.u8(0),
    }
    bytes
}

fn put(packed: Packed, image: &mut ImageWriter, meta: &mut Encoder) -> usize {
    let size = packed.bytes.len();
    PackedInts::write(packed, image, meta);
    size
}
