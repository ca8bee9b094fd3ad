//! Stamps: what stands at a version.
//!
//! ```text
//! 0 .. 2^63 - 2    the timestamp of the commit that made it; 0 for what is in main
//! 2^63 - 1         never: it was undone
//! 2^63 ..          the handle of the transaction that made it, which has not stamped it yet
//! ```
//!
//! A stamp changes at most twice: handle to timestamp, or handle to never.

use std::sync::atomic::{AtomicU64, Ordering};

/// A point in the order of commits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub u64);

/// The number of a transaction, never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Handle(u64);

/// What stands at a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp(u64);

const HANDLES: u64 = 1 << 63;

impl Handle {
    /// The `number`-th handle.
    pub fn new(number: u64) -> Self {
        Self(number | HANDLES)
    }

    /// Its number.
    pub fn number(self) -> u64 {
        self.0 & !HANDLES
    }
}

impl Stamp {
    /// Of what is undone: nobody sees it.
    pub const NEVER: Self = Self(HANDLES - 1);
    /// Of what was always there: everybody sees it.
    pub const ALWAYS: Self = Self(0);

    /// The handle of who made the version, if it has not been stamped with a timestamp.
    #[inline]
    pub fn handle(self) -> Option<Handle> {
        (self.0 >= HANDLES).then_some(Handle(self.0))
    }

    /// The commit that made the version; none if there is none yet, or never.
    #[inline]
    pub fn timestamp(self) -> Option<Timestamp> {
        (self.0 < Self::NEVER.0).then_some(Timestamp(self.0))
    }

    /// Whether it was made by a commit at `read` or before. **Cost**: a comparison.
    #[inline]
    pub fn is_at_most(self, read: Timestamp) -> bool {
        self.0 <= read.0
    }
}

impl From<Timestamp> for Stamp {
    fn from(timestamp: Timestamp) -> Self {
        debug_assert!(timestamp.0 < Self::NEVER.0);
        Self(timestamp.0)
    }
}

impl From<Handle> for Stamp {
    fn from(handle: Handle) -> Self {
        Self(handle.0)
    }
}

/// The stamp at a version, which others read while it changes.
#[derive(Debug)]
pub struct AtomicStamp(AtomicU64);

impl AtomicStamp {
    /// A version's first stamp.
    pub const fn new(stamp: Stamp) -> Self {
        Self(AtomicU64::new(stamp.0))
    }

    /// What stands there now. What the version says was written before its stamp was.
    #[inline]
    pub fn load(&self) -> Stamp {
        Stamp(self.0.load(Ordering::Acquire))
    }

    /// Writes another stamp.
    #[inline]
    pub fn store(&self, stamp: Stamp) {
        self.0.store(stamp.0, Ordering::Release);
    }

    /// Writes `new` if `old` stands there; false if something else does.
    pub fn replace(&self, old: Stamp, new: Stamp) -> bool {
        self.0.compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}
