//! Latches: who writes to rows of a zone, and who cleans them, each at a time.
//!
//! A writer that marks a zone, finds its place and puts something there holds the zone's latch with others;
//! who cleans a zone holds it alone, so that nothing is put where it has just been taken away. Readers hold
//! none. Nobody holds two.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Latches that zones are spread over.
const LATCHES: usize = 64;

/// One latch for some zones each.
#[derive(Debug)]
pub(crate) struct Latches([RwLock<()>; LATCHES]);

impl Default for Latches {
    fn default() -> Self {
        Self(std::array::from_fn(|_| RwLock::default()))
    }
}

impl Latches {
    fn of(&self, zone: u64) -> &RwLock<()> {
        &self.0[zone as usize % LATCHES]
    }

    /// To write to a zone.
    #[inline]
    pub(crate) fn write(&self, zone: u64) -> RwLockReadGuard<'_, ()> {
        self.of(zone).read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everybody who writes to any zone now has written.
    pub(crate) fn pass(&self) {
        self.0.iter().for_each(|latch| drop(latch.write().unwrap_or_else(PoisonError::into_inner)));
    }

    /// To clean a zone.
    pub(crate) fn clean(&self, zone: u64) -> RwLockWriteGuard<'_, ()> {
        self.of(zone).write().unwrap_or_else(PoisonError::into_inner)
    }
}
