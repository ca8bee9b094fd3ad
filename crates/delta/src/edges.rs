//! The properties of the edges of one edge table that were written: takes batches of edges and columns, tells
//! what a reader sees of an edge.
//!
//! Whether an edge is there is told by its record (`topology`); here are values only, in the same pages and
//! chains as those of nodes. Chains are found by edge: of an edge without properties nothing is kept.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use rustc_hash::FxHashMap;
use trimorph_base::EdgeId;
use trimorph_mvcc::{Reading, Stamp};
use trimorph_types::Value;

use crate::chain;
use crate::pages::{Event, Pages, Said, Shape, Version};
use crate::writer::{Columns, WriteError, Writer, Written};

/// Maps that edges are spread over, so that writers seldom wait for each other.
const SHARDS: usize = 64;

pub(crate) type Shard = RwLock<FxHashMap<u64, AtomicU32>>;

/// The written properties of the edges of one edge table.
#[derive(Debug)]
pub struct EdgeDelta {
    pub(crate) pages: Pages,
    heads: [Shard; SHARDS],
    /// A bit for each column that was written, its number modulo 64.
    written: AtomicU64,
}

impl Default for EdgeDelta {
    fn default() -> Self {
        let heads = std::array::from_fn(|_| Shard::default());
        Self { pages: Pages::default(), heads, written: AtomicU64::new(0) }
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

    pub(crate) fn shard(&self, edge: EdgeId) -> &Shard {
        // Neighbours in a page go to different maps.
        &self.heads[edge.0 as usize % SHARDS]
    }

    fn read(&self, edge: EdgeId) -> RwLockReadGuard<'_, FxHashMap<u64, AtomicU32>> {
        self.shard(edge).read().unwrap_or_else(PoisonError::into_inner)
    }

    fn head(&self, edge: EdgeId) -> Version {
        self.read(edge).get(&edge.0).map_or(0, |head| head.load(Ordering::Acquire))
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
        for (edge, version) in edges.iter().zip(versions) {
            if !self.read(*edge).contains_key(&edge.0) {
                let mut shard = self.shard(*edge).write().unwrap_or_else(PoisonError::into_inner);
                shard.entry(edge.0).or_default();
            }
            if let Some(head) = self.read(*edge).get(&edge.0) {
                chain::link(&self.pages, writer, &shape, head, version)?;
            }
        }
        Ok(())
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
        self.pages.bytes() + heads.map(|shard| shard.capacity() * 17 * 8 / 7).sum::<usize>()
    }
}
