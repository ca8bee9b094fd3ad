//! Edge records: one for each edge that came or went, by number; given, taken back and given again.
//!
//! A record says which edge, between which nodes, and from when to when. What it says besides its stamps is
//! written before the record is found, and does not change until it is given again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use trimorph_base::{EdgeId, NodeId};
use trimorph_mvcc::{AtomicStamp, Handle, Needed, Reading, Stamp};

use crate::chunks::Chunks;

/// Records in the first chunks.
const FIRST: u32 = 64;

/// An edge that came or went.
#[derive(Debug)]
pub(crate) struct EdgeRecord {
    /// Who made it; always for an edge of main.
    pub(crate) begin: AtomicStamp,
    /// Who deleted it; never while it is there.
    pub(crate) end: AtomicStamp,
    /// Numbers of the statements of both.
    statements: AtomicU64,
    edge: AtomicU64,
    source: AtomicU64,
    target: AtomicU64,
}

impl Default for EdgeRecord {
    fn default() -> Self {
        Self {
            begin: AtomicStamp::new(Stamp::NEVER),
            end: AtomicStamp::new(Stamp::NEVER),
            statements: AtomicU64::new(0),
            edge: AtomicU64::new(0),
            source: AtomicU64::new(0),
            target: AtomicU64::new(0),
        }
    }
}

impl EdgeRecord {
    /// Which edge.
    #[inline]
    pub(crate) fn edge(&self) -> EdgeId {
        EdgeId(self.edge.load(Ordering::Relaxed))
    }

    /// Its ends.
    #[inline]
    pub(crate) fn ends(&self) -> (NodeId, NodeId) {
        (NodeId(self.source.load(Ordering::Relaxed)), NodeId(self.target.load(Ordering::Relaxed)))
    }

    /// Whether a reader sees the edge: it came, and has not gone.
    #[inline]
    pub(crate) fn is_there(&self, reading: &Reading<'_>) -> bool {
        let statements = self.statements.load(Ordering::Relaxed);
        reading.sees(&self.begin, (statements >> 32) as u32) && !self.has_gone(reading)
    }

    /// Whether a reader sees that it was deleted.
    #[inline]
    pub(crate) fn has_gone(&self, reading: &Reading<'_>) -> bool {
        reading.sees(&self.end, self.statements.load(Ordering::Relaxed) as u32)
    }

    /// Whether it is an edge of the main version that is read, or was one: only that it went is told here.
    #[inline]
    pub(crate) fn is_of_main(&self, reading: &Reading<'_>) -> bool {
        reading.is_merged(&self.begin)
    }

    /// What the record tells a reader that main does not know: that the edge came, or that it went.
    ///
    /// **Cost**: some comparisons as a rule: most edges came and have not gone.
    #[inline]
    pub(crate) fn change(&self, reading: &Reading<'_>) -> Option<bool> {
        let statement = (self.statements.load(Ordering::Relaxed) >> 32) as u32;
        let is_there =
            self.end.load() == Stamp::NEVER && reading.view.has_surely_come(self.begin.load(), statement);
        if is_there { Some(true) } else { self.change_in_full(reading) }
    }

    #[inline(never)]
    fn change_in_full(&self, reading: &Reading<'_>) -> Option<bool> {
        if self.is_of_main(reading) {
            (!reading.is_merged(&self.end) && self.has_gone(reading)).then_some(false)
        } else {
            self.is_there(reading).then_some(true)
        }
    }

    /// Whether it says of an edge what it says. One that is free says nothing.
    pub(crate) fn is_in_use(&self) -> bool {
        self.edge.load(Ordering::Acquire) != 0
    }

    /// It says nothing any more.
    pub(crate) fn forget(&self) {
        self.edge.store(0, Ordering::Release);
    }

    /// Whether the record is of no use any more: it was never there, or nobody needs to be told by it that it
    /// came, nor that it went.
    pub(crate) fn is_past(&self, needed: &Needed) -> bool {
        let (begin, end) = (self.begin.load(), self.end.load());
        begin == Stamp::NEVER || !(needed.has(begin) || needed.has(end))
    }

    /// Whether the edge, whose record is past, is not in the newest main version: its position is free. Who
    /// has an older one does not see what comes there.
    pub(crate) fn is_nowhere(&self, needed: &Needed) -> bool {
        self.begin.load() == Stamp::NEVER || self.end.load().is_at_most(needed.merged())
    }

    /// Whether a reader may believe what it says of an edge: it is of one that main has or had, or that the
    /// reader sees come. Else it may be of another, which came to the same place later.
    #[inline]
    pub(crate) fn is_of(&self, reading: &Reading<'_>) -> bool {
        let statements = self.statements.load(Ordering::Relaxed);
        self.is_of_main(reading) || reading.sees(&self.begin, (statements >> 32) as u32)
    }

    /// Deletes it, unless somebody has been faster. `old` is what stood there.
    pub(crate) fn delete(&self, old: Stamp, handle: Handle, statement: u32) -> bool {
        // The statement is read by its maker only, until the stamp is a timestamp.
        let taken = self.end.replace(old, handle.into());
        if taken {
            let begin = self.statements.load(Ordering::Relaxed) & !u64::from(u32::MAX);
            self.statements.store(begin | u64::from(statement), Ordering::Relaxed);
        }
        taken
    }
}

/// The next number that nobody has.
fn next((given_back, fresh): &mut (Vec<u32>, u32)) -> u32 {
    given_back.pop().unwrap_or_else(|| {
        *fresh += 1;
        *fresh - 1
    })
}

/// The records of all edges.
#[derive(Debug, Default)]
pub(crate) struct Records {
    all: Chunks<EdgeRecord, FIRST>,
    free: Mutex<(Vec<u32>, u32)>,
}

/// What a new record says.
pub(crate) struct NewRecord {
    pub(crate) begin: Stamp,
    pub(crate) end: Stamp,
    pub(crate) statement: u32,
    pub(crate) edge: EdgeId,
    pub(crate) source: NodeId,
    pub(crate) target: NodeId,
}

impl Records {
    /// Bytes of a record.
    pub(crate) const BYTES: usize = size_of::<EdgeRecord>();

    /// A record by its number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &EdgeRecord {
        self.all.get(number)
    }

    /// Hints that a record will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        self.all.prefetch(number);
    }

    /// A record that says this. Nobody finds it yet.
    pub(crate) fn make(&self, new: &NewRecord) -> u32 {
        let number = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            next(&mut free)
        };
        self.fill(number, new);
        number
    }

    /// So many numbers of records that say nothing yet.
    pub(crate) fn take(&self, count: usize) -> Vec<u32> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        (0..count).map(|_| next(&mut free)).collect()
    }

    /// A record that was taken says this from now on.
    pub(crate) fn fill(&self, number: u32, new: &NewRecord) {
        let record = self.get(number);
        record.source.store(new.source.0, Ordering::Relaxed);
        record.target.store(new.target.0, Ordering::Relaxed);
        let both = u64::from(new.statement) << 32 | u64::from(new.statement);
        record.statements.store(both, Ordering::Relaxed);
        record.end.store(new.end);
        record.begin.store(new.begin);
        // Last: who goes through all records takes one that has an edge for one that is in use.
        record.edge.store(new.edge.0, Ordering::Release);
    }

    /// One past the last record that was ever made.
    pub(crate) fn end(&self) -> u32 {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    /// A record that nobody finds any more may be given again.
    pub(crate) fn give_back(&self, number: u32) {
        self.get(number).edge.store(0, Ordering::Release);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).0.push(number);
    }

    /// Records that are free.
    pub(crate) fn spare(&self) -> usize {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).0.len()
    }

    /// Records in use.
    pub(crate) fn in_use(&self) -> usize {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.1 as usize - free.0.len()
    }
}
