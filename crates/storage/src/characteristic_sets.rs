//! Characteristic sets of rows: the rows of a segment have something in a few of many places, and rows that
//! have it in the same ones share a set. What they are, of which version, and what they cost;
//! `places_of_rows` makes them.
//!
//! 1. Rows of a segment that have something in the same places have one code; a set is kept once.
//! 2. Sets know which pieces were looked at. Pieces never change: a place of which a main version has other
//!    ones has changed, and is given with whatever row is asked for. So all versions share the sets.
//!
//! Invariant: a place that is not given for a row has nothing of it in that main version. What is in the
//! delta is for the caller to ask.
//!
//! They can be made again: they go when memory is short ([`Reclaim`]).
//!
//! Source: Neumann and Moerkotte 2011 (characteristic sets); Virtuoso, "RDF Specifics" (SP and OP);
//! `docs/design/one-graph.md`, "Directories".

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use rustc_hash::FxHashMap;
use trimorph_base::{MemoryBudget, Reclaim, Reservation, TableId};

use crate::column::SEGMENT_ROWS;

/// Places below which rows have no sets: asking all costs as much as finding the set and the delta's.
/// Chosen: tables of regular data have fewer.
pub const PLACES_MIN: usize = 64;

/// Where something of a row may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A column of the node table, by its place in the catalog.
    Column(u32),
    /// The lists of an edge table, by its place in the catalog.
    Edges(u32),
}

/// Some rows in one direction: what begins there, or which lists lead there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rows {
    pub(crate) table: TableId,
    pub(crate) segment: usize,
    pub(crate) forward: bool,
}

/// The pieces that were looked at, by place: 0 where there is nothing, else what tells them from others.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Pieces {
    pub(crate) columns: Vec<u64>,
    pub(crate) edges: Vec<u64>,
}

/// The sets of the rows of a segment.
#[derive(Debug)]
pub(crate) struct SegmentSets {
    /// By their numbers within sets.
    pub(crate) places: Box<[Place]>,
    /// The code of each row.
    pub(crate) codes: Box<[u16]>,
    /// Where the members of each code's set begin; one more at the end.
    pub(crate) starts: Box<[u32]>,
    pub(crate) members: Box<[u16]>,
    pub(crate) pieces: Pieces,
    pub(crate) held: Reservation,
}

/// The places of the rows of a segment in one main version.
#[derive(Clone, Debug)]
pub struct PlacesOfRows {
    pub(crate) sets: Arc<SegmentSets>,
    /// Those that have changed since the sets were made.
    pub(crate) changed: Arc<[Place]>,
}

impl PlacesOfRows {
    /// Whether some places are given with every row. Then who asks again tells that he looks at them.
    pub fn have_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Where something of a row of the segment may be, in no order; a place may come twice.
    #[inline]
    pub fn of(&self, row: u64) -> impl Iterator<Item = Place> {
        let code = self.sets.codes.get(row as usize % SEGMENT_ROWS).map(|code| usize::from(*code));
        let bounds =
            code.and_then(|code| Some((*self.sets.starts.get(code)?, *self.sets.starts.get(code + 1)?)));
        let members = bounds.and_then(|(from, to)| self.sets.members.get(from as usize..to as usize));
        let set = members.unwrap_or_default().iter();
        set.filter_map(|place| self.sets.places.get(usize::from(*place))).chain(&*self.changed).copied()
    }
}

/// What is known of some rows.
#[derive(Default, Debug)]
pub(crate) struct Known {
    /// Looks at places for want of sets, or at places that changed.
    pub(crate) looks: u64,
    /// How often sets could not be made.
    pub(crate) refused: u32,
    pub(crate) made: Option<PlacesOfRows>,
    /// The version whose changed places those are.
    pub(crate) version: u64,
}

/// The sets of main versions that were made of each other.
#[derive(Default, Debug)]
pub(crate) struct Shared {
    known: Mutex<FxHashMap<Rows, Known>>,
    /// Whether who bounds the memory knows that it can be had back.
    is_known: OnceLock<()>,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, FxHashMap<Rows, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets charge their memory to `budget` from now on.
    pub(crate) fn charge_to(self: &Arc<Self>, budget: &MemoryBudget) {
        self.is_known.get_or_init(|| {
            let weak: Weak<Self> = Arc::downgrade(self);
            let weak: Weak<dyn Reclaim> = weak;
            budget.reclaim_from(&weak);
        });
    }
}

impl Reclaim for Shared {
    /// All go: which of them is asked for next nobody knows.
    fn reclaim(&self, _: usize) -> usize {
        let gone = std::mem::take(&mut *self.lock());
        let made = gone.values().filter_map(|known| known.made.as_ref());
        // Those in somebody's hands give their memory back when he is done.
        made.filter(|made| Arc::strong_count(&made.sets) == 1).map(|made| made.sets.held.bytes()).sum()
    }
}

/// The sets of a main version: a version that is made of another one shares them.
#[derive(Debug)]
pub struct CharacteristicSets {
    pub(crate) shared: Arc<Shared>,
    /// Tells this version from all others.
    pub(crate) version: u64,
}

fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Default for CharacteristicSets {
    fn default() -> Self {
        Self { shared: Arc::default(), version: next_version() }
    }
}

impl Clone for CharacteristicSets {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), version: next_version() }
    }
}

impl CharacteristicSets {
    /// Of how many segments, in each direction, there are sets.
    pub fn count(&self) -> usize {
        self.shared.lock().values().filter(|known| known.made.is_some()).count()
    }
}
