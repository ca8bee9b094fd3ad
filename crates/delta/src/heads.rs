//! Row heads: the newest version of each row that has one, by zones of 1,024 rows.
//!
//! A zone is there once one of its rows has been written; it says which columns were, so that a reader of a
//! column passes over zones that have nothing of it. Both are said before the version can be found.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::directory::Directory;
use crate::pages::{Event, Shape, Version};

/// Rows of a zone.
pub(crate) const ZONE_ROWS: u64 = 1_024;

/// The heads of the rows of one zone.
#[derive(Debug)]
pub(crate) struct Zone {
    heads: Box<[AtomicU32]>,
    /// A bit for each column, its number modulo 63; the highest: rows came or went.
    written: AtomicU64,
}

/// Rows that came or went.
const EXISTENCE: u64 = 1 << 63;

fn bit(column: u32) -> u64 {
    1 << (column % 63)
}

/// What a zone says of versions of a shape.
pub(crate) fn bits_of(shape: &Shape) -> u64 {
    let existence = if shape.event == Event::Changed { 0 } else { EXISTENCE };
    shape.columns.iter().fold(existence, |bits, column| bits | bit(*column))
}

impl Default for Zone {
    fn default() -> Self {
        let heads = (0..ZONE_ROWS).map(|_| AtomicU32::new(0)).collect();
        Self { heads, written: AtomicU64::new(0) }
    }
}

impl Zone {
    /// The newest version of a row of it; 0 if there is none.
    #[inline]
    pub(crate) fn head(&self, row: u64) -> Version {
        self.heads.get((row % ZONE_ROWS) as usize).map_or(0, |head| head.load(Ordering::Acquire))
    }

    /// Where the newest version of a row of it stands.
    #[inline]
    pub(crate) fn slot(&self, row: u64) -> Option<&AtomicU32> {
        self.heads.get((row % ZONE_ROWS) as usize)
    }

    /// Whether rows came or went, or a value of `column` may have been written.
    #[inline]
    pub(crate) fn has_written(&self, column: u32) -> bool {
        self.written.load(Ordering::Acquire) & (bit(column) | EXISTENCE) != 0
    }

    /// Whether rows came or went.
    #[inline]
    pub(crate) fn has_come_or_gone(&self) -> bool {
        self.written.load(Ordering::Acquire) & EXISTENCE != 0
    }

    /// The newest versions of all its rows.
    pub(crate) fn slots(&self) -> &[AtomicU32] {
        &self.heads
    }

    /// Says anew what versions say that are left.
    pub(crate) fn set_written(&self, bits: u64) {
        self.written.store(bits, Ordering::Release);
    }

    fn note(&self, shape: &Shape) {
        let bits = bits_of(shape);
        if self.written.load(Ordering::Acquire) & bits != bits {
            self.written.fetch_or(bits, Ordering::AcqRel);
        }
    }
}

/// The heads of all rows of a table.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    zones: Directory<Zone>,
    count: AtomicUsize,
    /// One past the last zone that was ever made.
    end: AtomicU64,
}

impl Heads {
    /// Whether no row was ever written. **Cost**: a load.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// One past the last zone that may be there.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.end.load(Ordering::Acquire)
    }

    /// A zone by its number, if one of its rows was written.
    pub(crate) fn by_number(&self, number: u64) -> Option<Arc<Zone>> {
        self.zones.get(number)
    }

    /// The zone of a row, if one of its rows was written.
    #[inline]
    pub(crate) fn zone(&self, row: u64) -> Option<Arc<Zone>> {
        if row / ZONE_ROWS >= self.end() {
            return None;
        }
        self.zones.get(row / ZONE_ROWS)
    }

    /// The zone of a row that is about to be written so.
    pub(crate) fn zone_to_write(&self, row: u64, shape: &Shape) -> Option<Arc<Zone>> {
        let number = row / ZONE_ROWS;
        self.end.fetch_max(number + 1, Ordering::AcqRel);
        let zone = self.zones.get_or_make(number, || {
            self.count.fetch_add(1, Ordering::AcqRel);
            Zone::default()
        })?;
        zone.note(shape);
        Some(zone)
    }

    /// Takes a zone out: what was written there is in main for everybody.
    pub(crate) fn remove(&self, number: u64) {
        if self.zones.get(number).is_some() {
            self.zones.set(number, None);
            self.count.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Bytes of all zones.
    pub(crate) fn bytes(&self) -> usize {
        self.count.load(Ordering::Relaxed) * (ZONE_ROWS as usize * 4 + 64)
    }
}
