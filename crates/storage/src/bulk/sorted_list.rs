//! The edges of an edge table in, both directions out, in little more memory than they take when stored.
//!
//! 1. Counting sort by source row into one slot an edge: the target as its number among the rows of all
//!    target tables, and where edges have properties the edge's place in the input. Then each list is sorted.
//! 2. Forward is written from the slots, segment by segment.
//! 3. Backward is made for ranges of target rows, in at most ten or so passes over the slots, so that only an
//!    eighth of it is there at a time; of few edges in one.
//!
//! The pieces are byte for byte what the simple builder in `adjacency::build` makes; a test compares them.
//!
//! A table may have any number of edges; those of the rows of a segment are fewer than 2^32.
//!
//! **Cost**: 4 bytes an edge, 8 with properties (16 from 2^32 edges on), and a byte to a byte and a half for
//! the range, at least 32 MB; 8 bytes a source and a target row.

use trimorph_base::{NodeId, PAGE_ROWS, TableId};

use super::BulkError;
use super::errors::too_large;
use crate::adjacency::{Form, SegmentLists, WrittenAdjacency};

/// Fewest edges of a range of the backward direction.
const RANGE_EDGES: usize = 1 << 22;

/// What is kept of an edge.
pub(super) trait Slot: Copy + Ord + Default {
    fn new(target: u32, index: u64) -> Self;
    fn target(self) -> u32;
    /// The edge's place in the input; 0 where it is not kept.
    fn index(self) -> u64;
}

impl Slot for u32 {
    fn new(target: u32, _: u64) -> Self {
        target
    }
    fn target(self) -> u32 {
        self
    }
    fn index(self) -> u64 {
        0
    }
}

/// The two halves, of fewer than 2^32 edges.
impl Slot for u64 {
    fn new(target: u32, index: u64) -> Self {
        Self::from(target) << 32 | index
    }
    fn target(self) -> u32 {
        (self >> 32) as u32
    }
    fn index(self) -> u64 {
        self & u64::from(u32::MAX)
    }
}

/// Any number of edges.
impl Slot for (u32, u64) {
    fn new(target: u32, index: u64) -> Self {
        (target, index)
    }
    fn target(self) -> u32 {
        self.0
    }
    fn index(self) -> u64 {
        self.1
    }
}

/// The target tables, and how many rows stand before each.
#[derive(Debug)]
pub(super) struct Targets {
    tables: Vec<(TableId, u32)>,
}

impl Targets {
    /// `tables` in ascending order.
    pub(super) fn new(tables: &[TableId], rows: &[u64]) -> Result<Self, BulkError> {
        let mut before = 0u64;
        let mut with_rows = Vec::with_capacity(tables.len());
        let too_many = || too_large("nodes in the tables that one edge label leads to", 1 << 32);
        for table in tables {
            with_rows.push((*table, u32::try_from(before).map_err(|_| too_many())?));
            before += rows.get(usize::from(table.0)).copied().unwrap_or(0);
        }
        if before > 1 << 32 { Err(too_many()) } else { Ok(Self { tables: with_rows }) }
    }

    #[expect(clippy::cast_possible_truncation, reason = "checked when made")]
    fn number(&self, node: NodeId) -> u32 {
        let before = self.tables.iter().find(|(t, _)| *t == node.table()).map_or(0, |(_, before)| *before);
        before + node.row() as u32
    }

    /// Which table, and the row there.
    fn place(&self, number: u32) -> (i64, i64) {
        let place = self.tables.partition_point(|(_, before)| *before <= number).saturating_sub(1);
        (place as i64, i64::from(number) - self.tables.get(place).map_or(0, |(_, before)| i64::from(*before)))
    }
}

/// Takes a block of edges in file order: source row and target.
pub(super) type TakeBlock<'a> = dyn FnMut(&[(u32, NodeId)]) + 'a;

/// Edges of one edge table in forward order.
#[derive(Debug)]
pub(super) struct SortedList<S> {
    /// Where each source's edges start: `rows + 1`.
    pub(super) offsets: Vec<u64>,
    slots: Vec<S>,
    targets: Targets,
}

impl<S: Slot> SortedList<S> {
    /// Sorts `count` edges, which `edges` gives in blocks each time it is called.
    pub(super) fn new(
        rows: usize,
        count: usize,
        targets: Targets,
        edges: impl Fn(&mut TakeBlock<'_>),
    ) -> Self {
        let mut offsets = vec![0u64; rows + 1];
        edges(&mut |block| block.iter().for_each(|(source, _)| offsets[*source as usize + 1] += 1));
        sum_up(&mut offsets);
        let mut slots = vec![S::default(); count];
        let mut first = 0;
        edges(&mut |block| {
            for ((source, target), index) in block.iter().zip(first..) {
                let at = &mut offsets[*source as usize];
                slots[*at as usize] = S::new(targets.number(*target), index);
                *at += 1;
            }
            first += block.len() as u64;
        });
        // Each offset has moved to where the next one was.
        offsets.copy_within(0..rows, 1);
        offsets[0] = 0;
        for w in offsets.windows(2) {
            slots[w[0] as usize..w[1] as usize].sort_unstable();
        }
        Self { offsets, slots, targets }
    }

    /// Leaves one of several slots of a source that are the same.
    pub(super) fn keep_one_each(&mut self) {
        if self.offsets.windows(2).all(|w| {
            let own = &self.slots[w[0] as usize..w[1] as usize];
            own.windows(2).all(|pair| pair[0] != pair[1])
        }) {
            return;
        }
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.offsets[1..] {
            let (from, first) = (std::mem::replace(&mut start, *end as usize), kept);
            for at in from..start {
                let slot = self.slots[at];
                if kept == first || self.slots[kept - 1] != slot {
                    self.slots[kept] = slot;
                    kept += 1;
                }
            }
            *end = kept as u64;
        }
        self.slots.truncate(kept);
    }

    /// For each slot, the index of the edge in the input.
    pub(super) fn index(&self, slot: usize) -> usize {
        self.slots[slot].index() as usize
    }

    /// Edges whose source and target are the same row of `source`.
    pub(super) fn self_loops(&self, source: TableId) -> u64 {
        let Some((_, before)) = self.targets.tables.iter().find(|(table, _)| *table == source) else {
            return 0;
        };
        let lists = self.offsets.windows(2).map(|w| &self.slots[w[0] as usize..w[1] as usize]);
        let loops = lists.zip(u64::from(*before)..).map(|(list, number)| {
            list.iter().filter(|slot| u64::from(slot.target()) == number).count() as u64
        });
        loops.sum()
    }

    /// Writes the forward direction.
    pub(super) fn write_forward(&self, form: Form) -> Result<WrittenAdjacency, BulkError> {
        let mut written = WrittenAdjacency::new(form);
        let several = self.targets.tables.len() > 1;
        let (mut neighbours, mut tables) = (Vec::new(), Vec::new());
        for offsets in segments(&self.offsets, form.segment_rows().count()) {
            let own = within_segment(offsets)?;
            let slots = &self.slots[offsets[0] as usize..offsets[offsets.len() - 1] as usize];
            neighbours.clear();
            tables.clear();
            if several {
                let places = slots.iter().map(|slot| self.targets.place(slot.target()));
                (tables, neighbours) = places.unzip();
            } else {
                neighbours.extend(slots.iter().map(|slot| i64::from(slot.target())));
            }
            written.push(&SegmentLists {
                offsets: &own,
                neighbours: &neighbours,
                tables: several.then_some(&tables[..]),
                positions: None,
                by_position: false,
            });
        }
        Ok(written)
    }

    /// Writes the backward direction into node table `target` of `rows` rows, with positions if asked to.
    pub(super) fn write_backward(
        &self,
        target: TableId,
        rows: usize,
        positions: bool,
        segment_edges: u64,
    ) -> Result<Backward, BulkError> {
        let found = self.targets.tables.iter().find(|(t, _)| *t == target);
        let before = found.map_or(0, |(_, before)| u64::from(*before));
        let row_of = |slot: &S| {
            let row = u64::from(slot.target()).checked_sub(before).and_then(|r| usize::try_from(r).ok());
            row.filter(|r| *r < rows)
        };
        let mut offsets = vec![0u64; rows + 1];
        for row in self.slots.iter().filter_map(row_of) {
            offsets[row + 1] += 1;
        }
        sum_up(&mut offsets);
        let (degree_max, nonempty) = degrees(&offsets);
        let single = degree_max <= 1;
        let form = Form::of(single, rows as u64, offsets[rows], segment_edges);
        let step = form.segment_rows().count();
        let mut built = Backward {
            edges: offsets[rows],
            single,
            degree_max,
            nonempty,
            written: WrittenAdjacency::new(form),
        };
        let range_edges = RANGE_EDGES.max(self.slots.len() / 8);
        let (mut sources, mut places) = (Vec::new(), Vec::new());
        let mut start = 0;
        while start < rows {
            let mut end = rows.min(start + step);
            while end < rows && (offsets[rows.min(end + step)] - offsets[start]) as usize <= range_edges {
                end = rows.min(end + step);
            }
            let pairs = self.pairs_of(&row_of, &offsets, start..end);
            let origin = offsets[start] as usize;
            for offsets in segments(&offsets[start..=end], step) {
                let own = within_segment(offsets)?;
                let edges = offsets[0] as usize - origin..offsets[offsets.len() - 1] as usize - origin;
                let pairs = &pairs[edges];
                sources.clear();
                sources.extend(pairs.iter().map(|(source, _)| i64::from(*source)));
                places.clear();
                if positions {
                    places.extend(pairs.iter().map(|(_, position)| i64::from(*position)));
                }
                built.written.push(&SegmentLists {
                    offsets: &own,
                    neighbours: &sources,
                    tables: None,
                    positions: positions.then_some(&places[..]),
                    by_position: false,
                });
            }
            start = end;
        }
        Ok(built)
    }

    /// Source row, and position in its page, of the edges into a range of target rows, by target row and
    /// slot. (A page has fewer than 2^32 edges: the forward direction is written first.)
    fn pairs_of(
        &self,
        row_of: &impl Fn(&S) -> Option<usize>,
        offsets: &[u64],
        range: std::ops::Range<usize>,
    ) -> Vec<(u32, u32)> {
        let origin = offsets[range.start];
        let mut cursor: Vec<u64> = offsets[range.clone()].iter().map(|o| o - origin).collect();
        let mut pairs = vec![(0u32, 0u32); (offsets[range.end] - origin) as usize];
        let mut page = 0;
        for (source, w) in (0u32..).zip(self.offsets.windows(2)) {
            if u64::from(source).is_multiple_of(PAGE_ROWS) {
                page = w[0];
            }
            #[expect(clippy::cast_possible_truncation, reason = "a page has fewer than 2^32 edges")]
            let first = (w[0] - page) as u32;
            for (position, slot) in (first..).zip(&self.slots[w[0] as usize..w[1] as usize]) {
                if let Some(at) = row_of(slot).and_then(|row| cursor.get_mut(row.wrapping_sub(range.start))) {
                    pairs[*at as usize] = (source, position);
                    *at += 1;
                }
            }
        }
        pairs
    }
}

/// What [`SortedList::write_backward`] found out.
pub(super) struct Backward {
    pub(super) edges: u64,
    pub(super) single: bool,
    pub(super) degree_max: u64,
    pub(super) nonempty: u64,
    pub(super) written: WrittenAdjacency,
}

/// Most edges of one row, and rows with an edge.
pub(super) fn degrees(offsets: &[u64]) -> (u64, u64) {
    let degrees = offsets.windows(2).map(|w| w[1] - w[0]);
    degrees.fold((0, 0), |(max, nonempty), d| (max.max(d), nonempty + u64::from(d > 0)))
}

fn sum_up(offsets: &mut [u64]) {
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
}

/// The offsets of each segment of `step` rows, with the end of its last row.
fn segments(offsets: &[u64], step: usize) -> impl Iterator<Item = &[u64]> {
    let rows = offsets.len() - 1;
    (0..rows).step_by(step).map(move |start| &offsets[start..=rows.min(start + step)])
}

/// The offsets of a segment, counted from its first edge.
fn within_segment(offsets: &[u64]) -> Result<Vec<u32>, BulkError> {
    let first = offsets.first().copied().unwrap_or(0);
    let own = offsets.iter().map(|offset| u32::try_from(offset - first).ok().filter(|o| *o < u32::MAX));
    let rows = offsets.len().saturating_sub(1);
    let what = format!("edges of one table at {rows} nodes in sequence");
    let too_many = || too_large(&what, u64::from(u32::MAX) - 1);
    own.collect::<Option<_>>().ok_or_else(too_many)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjacency::{build_backward, sort_edges};

    fn check(rows: &[u64], source: TableId, edges: &[(u32, NodeId)]) {
        check_as::<u64>(rows, source, edges);
        check_as::<(u32, u64)>(rows, source, edges);
    }

    fn check_as<S: Slot>(rows: &[u64], source: TableId, edges: &[(u32, NodeId)]) {
        let mut tables: Vec<TableId> = edges.iter().map(|(_, n)| n.table()).collect();
        tables.sort_unstable();
        tables.dedup();
        let source_rows = rows[usize::from(source.0)];
        let small = sort_edges(source_rows, edges);
        let targets = Targets::new(&tables, rows).unwrap();
        let large: SortedList<S> =
            SortedList::new(usize::try_from(source_rows).unwrap(), edges.len(), targets, |take| {
                edges.chunks(1_000).for_each(take);
            });
        let single = small.degree_max() <= 1;
        // Small segments, so that there are several.
        let form = Form::of(single, source_rows, edges.len() as u64, 1);
        assert_eq!(degrees(&large.offsets), (small.degree_max(), small.nonempty()));
        assert_eq!(
            small.order,
            (0..edges.len()).map(|i| u32::try_from(large.slots[i].index()).unwrap()).collect::<Vec<_>>()
        );
        let pieces = |large_one: bool| {
            let mut written = Vec::new();
            written.push(if large_one {
                large.write_forward(form).unwrap()
            } else {
                small.write_forward(&tables, form)
            });
            for target in &tables {
                let rows = rows[usize::from(target.0)];
                written.push(if large_one {
                    let rows = usize::try_from(rows).unwrap();
                    large.write_backward(*target, rows, !single, 1).unwrap().written
                } else {
                    build_backward(&small, source, *target, rows, !single, 1)
                });
            }
            written.into_iter().map(|w| (w.form, w.pieces, w.edges, w.bytes)).collect::<Vec<_>>()
        };
        assert!(pieces(true) == pieces(false));
    }

    #[test]
    fn the_image_is_that_of_the_simple_builder() {
        let mut seed = 7u64;
        let mut draw = |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        };
        let rows = [100_000, 70_000, 5, 0];
        for (count, tables) in [(0, 1), (1, 1), (5_000, 1), (200_000, 1), (200_000, 3)] {
            let edges: Vec<(u32, NodeId)> = (0..count)
                .map(|_| {
                    let table = draw(tables);
                    let target = draw(rows[usize::try_from(table).unwrap()]);
                    let table = TableId(u16::try_from(table).unwrap());
                    (u32::try_from(draw(100_000)).unwrap(), NodeId::new(table, target))
                })
                .collect();
            check(&rows, TableId(0), &edges);
        }
        // No node with two edges: vertex columns.
        let edges: Vec<(u32, NodeId)> =
            (0..70_000).map(|i| (i, NodeId::new(TableId(1), (69_999 - i).into()))).collect();
        check(&rows, TableId(0), &edges);
    }

    #[test]
    fn one_of_several_edges_is_kept() {
        let list = |edges: &[(u32, NodeId)]| -> SortedList<u32> {
            let targets = Targets::new(&[TableId(0), TableId(1)], &[5, 5]).unwrap();
            SortedList::new(5, edges.len(), targets, |take| edges.chunks(3).for_each(take))
        };
        let to = |table, row| NodeId::new(TableId(table), row);
        let once = [(0, to(0, 4)), (0, to(1, 4)), (2, to(0, 0)), (4, to(0, 0)), (4, to(0, 1)), (4, to(1, 0))];
        let several = [once, once].concat().into_iter().chain([once[4], once[2]]).collect::<Vec<_>>();
        for edges in [&once[..], &several, &several[3..], &[]] {
            let mut kept = list(edges);
            kept.keep_one_each();
            let mut distinct = edges.to_vec();
            distinct.sort();
            distinct.dedup();
            let expected = list(&distinct);
            assert_eq!((kept.offsets, kept.slots), (expected.offsets, expected.slots));
        }
    }

    /// The text is in the book's page on limits. (Nobody can load so much in a test.)
    #[test]
    fn a_segment_has_fewer_than_32_bits_of_edges_and_a_table_any_number() {
        let far = 1 << 40;
        assert_eq!(within_segment(&[far, far + 4_294_967_294]).unwrap(), [0, 4_294_967_294]);
        let error = within_segment(&[far, far, far + 4_294_967_295]).unwrap_err().to_string();
        assert_eq!(error, "more than 4294967294 edges of one table at 2 nodes in sequence");
    }
}
