//! The properties of the edges of one edge table that were written: takes batches of edges and columns, tells
//! what a reader sees of an edge.
//!
//! Whether an edge is there is told by its record (`topology`); here are values only, in the same pages and
//! chains as those of nodes. Chains are found by edge: of an edge without properties nothing is kept, but
//! where a log told of another edge in its place before.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use trimorph_base::EdgeId;
use trimorph_mvcc::{Conflict, Reading, Stamp};
use trimorph_types::Value;
use trimorph_vector::Vector;

use crate::chain;
use crate::edge_map::{EdgeMap, SHARDS, shard_of};
use crate::heads::ZONE_ROWS;
use crate::marks::{MarkedZone, Marks};
use crate::pages::{Body, Event, Page, Pages, Said, Shape, Version};
use crate::values::{RowsByValue, ValueDelta, Versions};
use crate::writer::{Columns, WriteError, Writer, Written};

pub(crate) type Shard = RwLock<EdgeMap<AtomicU32>>;

/// The written properties of the edges of one edge table.
#[derive(Debug)]
pub struct EdgeDelta {
    pub(crate) pages: Pages,
    pub(crate) heads: [Shard; SHARDS],
    /// Edges that have a head.
    pub(crate) count: AtomicUsize,
    /// A bit for each column that was written, its number modulo 64.
    written: AtomicU64,
    /// Blocks of places with an edge that has a head; and those that are being told anew, while they are.
    pub(crate) blocks: RwLock<(Marks, Option<Marks>)>,
    indexes: RwLock<Vec<(u32, Arc<ValueDelta>)>>,
    /// How often indexes were made or dropped; 0 where there was never one: who writes looks no further then.
    index_changes: AtomicU64,
}

/// Bits of a place within a block: a page of main has 64 blocks at least, a word of marks. What came to it
/// lies behind what it had, so that most blocks have the one or the other.
const BLOCK_BITS: u32 = 6;

/// Edges of one edge table of which something was written, by blocks of 64 places.
#[derive(Clone, Debug)]
pub struct MarkedEdges(Marks);

impl MarkedEdges {
    /// Whether a value of an edge may have been written whose place is in `places`.
    #[inline]
    pub fn meet(&self, places: Range<u64>) -> bool {
        let first = places.start >> BLOCK_BITS;
        self.0.meet(first, (places.end.saturating_sub(1) >> BLOCK_BITS) + 1 - first)
    }

    /// For who asks of many edges, one by one.
    pub fn look(&self) -> MarkedLook<'_> {
        MarkedLook { marks: &self.0, last: None, zone: None }
    }
}

/// Looks for marks of many edges, those of most of which lie near those of the one before.
#[derive(Debug)]
pub struct MarkedLook<'m> {
    marks: &'m Marks,
    /// The zone that was asked last, if one was.
    last: Option<u64>,
    zone: Option<MarkedZone<'m>>,
}

impl MarkedLook<'_> {
    /// Whether a value of an edge may have been written: of one of those in its block was one.
    #[inline]
    pub fn meets(&mut self, edge: EdgeId) -> bool {
        let block = edge.place() >> BLOCK_BITS;
        if self.last != Some(block / ZONE_ROWS) {
            self.last = Some(block / ZONE_ROWS);
            self.zone = self.marks.of_zone(block / ZONE_ROWS);
        }
        self.zone.is_some_and(|zone| zone.has(block))
    }
}

/// Says that something is about to be found of an edge.
pub(crate) fn mark((blocks, next): &(Marks, Option<Marks>), edge: u64) {
    let block = EdgeId(edge).place() >> BLOCK_BITS;
    for marks in std::iter::once(blocks).chain(next) {
        if !marks.meet(block, 1) {
            marks.set(block / ZONE_ROWS, std::iter::once(block));
        }
    }
}

/// The indexes of the columns that are written, as they were after some number of changes.
#[derive(Default)]
struct Indexed<'v, 'b> {
    changes: u64,
    indexes: Vec<(Arc<ValueDelta>, &'v Vector<'b>)>,
}

impl Default for EdgeDelta {
    fn default() -> Self {
        let heads = std::array::from_fn(|_| Shard::default());
        Self {
            pages: Pages::default(),
            heads,
            count: AtomicUsize::new(0),
            written: AtomicU64::new(0),
            blocks: RwLock::default(),
            indexes: RwLock::default(),
            index_changes: AtomicU64::new(0),
        }
    }
}

impl EdgeDelta {
    /// Whether a value of a column may have been written. **Cost**: a load.
    #[inline]
    pub fn has_written(&self, column: u32) -> bool {
        self.written.load(Ordering::Acquire) >> (column % 64) & 1 == 1
    }

    /// Values of these columns are about to be found.
    pub(crate) fn note(&self, shape: &Shape) {
        let bits = shape.columns.iter().fold(0, |bits, column| bits | 1 << (column % 64));
        self.written.fetch_or(bits, Ordering::AcqRel);
    }

    /// Any column may be told to have no value.
    pub(crate) fn note_all(&self) {
        self.written.store(u64::MAX, Ordering::Release);
    }

    pub(crate) fn shard(&self, edge: EdgeId) -> &Shard {
        &self.heads[shard_of(edge.0)]
    }

    fn read(&self, edge: EdgeId) -> RwLockReadGuard<'_, EdgeMap<AtomicU32>> {
        self.shard(edge).read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest version of an edge; 0 where nothing was written of it.
    pub fn head(&self, edge: EdgeId) -> Version {
        self.read(edge).get(&edge.0).map_or(0, |head| head.load(Ordering::Acquire))
    }

    /// For who asks for the newest versions of many edges, one by one, and for nothing else meanwhile: those
    /// that follow each other lie in the same map, which is locked once.
    pub fn heads(&self) -> impl FnMut(EdgeId) -> Version {
        let mut held: Option<(usize, RwLockReadGuard<'_, EdgeMap<AtomicU32>>)> = None;
        move |edge| {
            let at = shard_of(edge.0);
            if held.as_ref().is_none_or(|(own, _)| *own != at) {
                // One is let go before the next is held.
                drop(held.take());
            }
            let (_, shard) = held.get_or_insert_with(|| (at, self.read(edge)));
            shard.get(&edge.0).map_or(0, |head| head.load(Ordering::Acquire))
        }
    }

    /// Writes values of edges, new ones or old, one for each of `positions`. An edge may be there more than
    /// once; its last values count. What was written is added to `written`.
    ///
    /// **Errors**: somebody else has written the same and has not committed, or has since the writer began.
    pub fn set(
        &self,
        writer: &Writer<'_>,
        columns: &Columns<'_>,
        positions: &[u32],
        edges: &[EdgeId],
        written: &mut Written,
    ) -> Result<(), WriteError> {
        // Who has no handle reads only: he has no way to get here.
        let Some(author) = writer.author() else { return Ok(()) };
        let shape = Shape { event: Event::Changed, columns: columns.iter().map(|(c, _)| *c).collect() };
        self.note(&shape);
        let values: Vec<_> = columns.iter().map(|(_, vector)| *vector).collect();
        let ids: Vec<u64> = edges.iter().map(|edge| edge.0).collect();
        let runs = self.pages.append(&shape, author, &ids, &values, positions)?;
        written.extend_from_slice(&runs);
        let versions = runs.into_iter().flat_map(|(first, len)| first..first + len as u32);
        let mut met = Ok(());
        let mut indexed = Indexed::default();
        // Held until all heads are there: who tells marks anew finds them, or is met.
        let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner);
        for (at, (edge, version)) in edges.iter().zip(versions).enumerate() {
            if met.is_ok() {
                mark(&blocks, edge.0);
                met = self.link(writer, &shape, *edge, version, (columns, &mut indexed));
            }
            if met.is_err() {
                self.pages.loosen(version);
                continue;
            }
            // Behind the latch: who cleans an index holds it, and asks for heads.
            for (index, vector) in &indexed.indexes {
                let position = positions.get(at).map_or(at, |position| *position as usize);
                index.insert(vector.value(position, &|_| Value::Null), edge.0);
            }
        }
        Ok(met?)
    }

    /// Puts a version in front of its edge's chain, and looks which indexes there are.
    fn link<'v, 'b>(
        &self,
        writer: &Writer<'_>,
        shape: &Shape,
        edge: EdgeId,
        version: Version,
        (columns, indexed): (&[(u32, &'v Vector<'b>)], &mut Indexed<'v, 'b>),
    ) -> Result<(), Conflict> {
        loop {
            // Who cleans waits as long as the head is in use.
            if let Some(head) = self.read(edge).get(&edge.0) {
                // Under the latch: who makes an index waits for it, then looks at what is there.
                let changes = self.index_changes.load(Ordering::SeqCst);
                if changes != indexed.changes {
                    *indexed = Indexed { changes, indexes: self.indexed(columns) };
                }
                return chain::link(&self.pages, writer, shape, head, version);
            }
            let mut shard = self.shard(edge).write().unwrap_or_else(PoisonError::into_inner);
            shard.entry(edge.0).or_insert_with(|| {
                self.count.fetch_add(1, Ordering::AcqRel);
                AtomicU32::default()
            });
        }
    }

    /// The indexes of some columns, with the values that they get.
    pub(crate) fn indexed<'v, 'b>(
        &self,
        columns: &[(u32, &'v Vector<'b>)],
    ) -> Vec<(Arc<ValueDelta>, &'v Vector<'b>)> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let of = |(column, vector): &(u32, &'v Vector<'b>)| {
            let (_, index) = indexes.iter().find(|(own, _)| own == column)?;
            Some((Arc::clone(index), *vector))
        };
        columns.iter().filter_map(of).collect()
    }

    /// What finds edges by the values of a column that were written since the last merge; none where that was
    /// not asked for.
    pub fn index(self: &Arc<Self>, column: u32) -> Option<RowsByValue> {
        if self.index_changes.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let (_, values) = indexes.iter().find(|(own, _)| *own == column)?;
        Some(RowsByValue::new(Arc::clone(values), Arc::clone(self) as _, column))
    }

    /// The same for who looks for edges: none, too, while what was written before the index is put into it.
    pub fn whole_index(self: &Arc<Self>, column: u32) -> Option<RowsByValue> {
        self.index(column).filter(RowsByValue::is_whole)
    }

    /// From now on edges are found by the values of a column, those that were written before too.
    ///
    /// **Cost**: a look at everything in the delta of the table, once; writers wait a moment.
    pub fn index_column(&self, column: u32) {
        let index = {
            let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
            if indexes.iter().any(|(own, _)| *own == column) {
                return;
            }
            let index = Arc::new(ValueDelta::default());
            indexes.push((column, Arc::clone(&index)));
            self.index_changes.fetch_add(1, Ordering::SeqCst);
            index
        };
        for shard in &self.heads {
            // Who did not see it has linked what he wrote when this is had.
            drop(shard.write().unwrap_or_else(PoisonError::into_inner));
            let heads: Vec<(u64, Version)> = {
                let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
                shard.iter().map(|(edge, head)| (*edge, head.load(Ordering::Acquire))).collect()
            };
            for (edge, head) in heads {
                self.pages.all_values(head, column, |value| index.insert(value, edge));
            }
        }
        index.complete();
    }

    /// Edges are found by the values of a column no more.
    pub fn drop_index(&self, column: u32) {
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|(own, _)| *own != column);
        self.index_changes.fetch_add(1, Ordering::SeqCst);
    }

    /// All indexes.
    pub(crate) fn all_indexes(&self) -> Vec<Arc<ValueDelta>> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        indexes.iter().map(|(_, index)| Arc::clone(index)).collect()
    }

    /// Asks whether somebody else has written an edge's column and has not committed, or has since the writer
    /// began: what he wrote counts though it is not seen.
    pub fn meets(&self, writer: &Writer<'_>, edge: EdgeId, column: u32) -> Result<(), Conflict> {
        let met = self.pages.walk(self.head(edge), |page: &Page, body: &Body, at: usize| {
            page.place_of(column)?;
            writer.reading.may_replace(body.stamps.get(at)?).err()
        });
        met.map_or(Ok(()), Err)
    }

    /// The same of all columns of the edge: who deletes it asks.
    pub fn meets_any(&self, writer: &Writer<'_>, edge: EdgeId) -> Result<(), Conflict> {
        let met = self.pages.walk(self.head(edge), |_: &Page, body: &Body, at: usize| {
            writer.reading.may_replace(body.stamps.get(at)?).err()
        });
        met.map_or(Ok(()), Err)
    }

    /// The edges of which anything was written since the last merge, or before and not cleaned.
    pub fn edges_written(&self) -> Vec<EdgeId> {
        let mut edges = Vec::with_capacity(self.count.load(Ordering::Acquire));
        for shard in &self.heads {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            edges.extend(shard.keys().map(|edge| EdgeId(*edge)));
        }
        edges
    }

    /// Whether nothing was written, or all of it is main's. **Cost**: a load.
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Edges of which anything was written.
    pub fn marked(&self) -> MarkedEdges {
        MarkedEdges(self.blocks.read().unwrap_or_else(PoisonError::into_inner).0.clone())
    }

    /// Tells anew which blocks have edges of which something is left.
    ///
    /// **Cost**: a look at each.
    pub(crate) fn mark_anew(&self) {
        let next = Marks::default();
        self.blocks.write().unwrap_or_else(PoisonError::into_inner).1 = Some(next.clone());
        // Whoever wrote before has linked what he wrote; who writes from now on marks both.
        for edge in self.edges_written() {
            mark(&(next.clone(), None), edge.0);
        }
        let mut blocks = self.blocks.write().unwrap_or_else(PoisonError::into_inner);
        *blocks = (next, None);
    }

    /// The value of an edge's column; none where main knows, or nobody gave the edge one.
    pub fn value(&self, edge: EdgeId, column: u32, reading: &Reading<'_>) -> Option<Value> {
        if !self.has_written(column) {
            return None;
        }
        match self.pages.value(self.head(edge), column, reading) {
            Said::Nothing => None,
            Said::Value(value) => Some(value),
            Said::Gone => Some(Value::Null),
        }
    }

    /// The values of a column of edges whose newest versions these are, none of which is main's, where they
    /// are of one type and a reader sees the newest; none where edges must be asked one by one.
    pub fn vector_seen(
        &self,
        versions: &[Version],
        column: u32,
        reading: &Reading<'_>,
    ) -> Option<Vector<'static>> {
        if self.has_written(column) { self.pages.vector(versions, column, reading) } else { None }
    }

    /// Writes the stamp of versions that this writer made.
    pub fn stamp(&self, writer: &Writer<'_>, written: &Written, stamp: Stamp) {
        let Some(handle) = writer.reading.view.own else { return };
        for (first, len) in written {
            (*first..*first + *len as u32).for_each(|v| self.pages.stamp(v, handle, stamp));
        }
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        let heads = self.heads.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner));
        // A key, a head and a byte besides, at most 7/8 full.
        let heads = heads.map(|shard| shard.capacity() * 17 * 8 / 7).sum::<usize>();
        let indexes: usize = self.all_indexes().iter().map(|index| index.bytes()).sum();
        let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner).0.bytes();
        self.pages.bytes() + heads + indexes + blocks
    }
}

impl Versions for EdgeDelta {
    fn values_of(&self, edge: u64, column: u32, put: &mut dyn FnMut(Value)) {
        self.pages.all_values(self.head(EdgeId(edge)), column, put);
    }
}
