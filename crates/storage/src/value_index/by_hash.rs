//! An index of IRIs by hash: an IRI in, the position of the first row that has it out.
//!
//! The name of a node is looked for in each table that may have it, and most have it not. A search in order
//! reads some twelve names, which are compressed; a table of hashes none, or one. It is made once somebody
//! has searched often enough to have paid for it, and goes with the version of the index.
//!
//! A slot is the upper half of a hash and the position plus one, so that zero is none; slots that are taken
//! are followed by the next one. An IRI that many rows have, as the name of a graph, is there once.
//!
//! Where each row has another IRI the next version of the index has a table at once: of the same hashes, at
//! the positions that rows have then. Names that came are hashed; of those that stayed nothing is read.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxBuildHasher;
use trimorph_base::{MemoryBudget, Reservation};
use trimorph_types::Value;
use trimorph_vfs::Pins;

/// The value of the row at a position of the index; none where it could not be read.
type ValueAt<'a> = dyn Fn(u64) -> Option<Value> + 'a;

/// Rows above which making the table would be felt: it takes 0.2 µs and 12 to 24 bytes a row (chosen). Few
/// rows have one too: where a search would be as cheap, to open the index for it is not.
const ROWS: Range<u64> = 1..1 << 20;

/// A search costs what five to ten rows of the table cost.
const ROWS_PER_SEARCH: u64 = 8;

/// Positions by the hash of the value.
#[derive(Debug, Default)]
pub(super) struct ByHash {
    searches: AtomicU64,
    slots: OnceLock<Slots>,
}

/// The slots, and what they take.
#[derive(Debug)]
struct Slots {
    all: Box<[u64]>,
    /// Whether no two rows have the same value.
    are_distinct: bool,
    held: Reservation,
}

/// What became of an index.
pub(super) struct Moved<'a> {
    /// The positions of rows that went, before.
    pub(super) gone: &'a [u64],
    /// The positions before which rows came, and the values of these.
    pub(super) came: &'a [(u64, &'a Value)],
    /// How many rows there were.
    pub(super) rows: u64,
}

impl ByHash {
    /// The position of the first row with an IRI, if any has it; `None` where it is to be searched for.
    pub(super) fn find(
        &self,
        iri: &str,
        rows: u64,
        value_at: &ValueAt<'_>,
        pins: &Pins<'_>,
    ) -> Option<Option<u64>> {
        if !ROWS.contains(&rows) {
            return None;
        }
        let slots = match self.slots.get() {
            Some(slots) => slots,
            // One of the threads that search makes it.
            None if self.searches.fetch_add(1, Ordering::Relaxed) != rows / ROWS_PER_SEARCH => return None,
            None => match slots_of(rows, value_at, pins.room()) {
                Some(made) => self.slots.get_or_init(|| made),
                None => {
                    self.searches.store(0, Ordering::Relaxed);
                    return None;
                }
            },
        };
        let is_it = |position: &u64| matches!(value_at(*position), Some(Value::Iri(own)) if *own == *iri);
        Some(alike(&slots.all, FxBuildHasher.hash_one(iri)).find(is_it))
    }

    /// What the tables of later versions are charged to, if there is one.
    pub(super) fn budget(&self) -> Option<&MemoryBudget> {
        self.slots.get().map(|slots| slots.held.budget())
    }

    /// The table of an index, at once.
    pub(super) fn made(rows: u64, value_at: &ValueAt<'_>, budget: &MemoryBudget) -> Self {
        let made = Some(rows).filter(|rows| ROWS.contains(rows));
        Self::of(made.and_then(|rows| slots_of(rows, value_at, budget.reservation())))
    }

    fn of(made: Option<Slots>) -> Self {
        let own = Self::default();
        made.into_iter().for_each(|made| _ = own.slots.set(made));
        own
    }

    /// The table of the next version of the index, of which `value_at` gives the values; an empty one where
    /// there was none, or rows have the same value.
    ///
    /// **Cost**: some nanoseconds for each row; the value of one that came, and of another with such a hash.
    pub(super) fn moved(&self, moved: &Moved<'_>, value_at: &ValueAt<'_>) -> Self {
        Self::of(self.slots.get().and_then(|slots| slots.moved(moved, value_at)))
    }

    /// Whether it is known that no row has an IRI: nothing has such a hash.
    pub(super) fn lacks(&self, iri: &str) -> bool {
        let hash = || FxBuildHasher.hash_one(iri);
        self.slots.get().is_some_and(|slots| alike(&slots.all, hash()).next().is_none())
    }
}

/// The positions whose values have a hash that is alike.
fn alike(slots: &[u64], hash: u64) -> impl Iterator<Item = u64> {
    let mask = slots.len() - 1;
    let from = (0..slots.len()).map(move |step| ((hash >> 32) as usize).wrapping_add(step) & mask);
    let taken = from.map_while(|at| slots.get(at).copied().filter(|slot| *slot != 0));
    taken.filter(move |slot| slot >> 32 == hash >> 32).map(|slot| (slot & u64::from(u32::MAX)) - 1)
}

/// The slots of all rows; none where something could not be read, is no IRI, or there is no room for them.
fn slots_of(rows: u64, value_at: &ValueAt<'_>, held: Reservation) -> Option<Slots> {
    let (mut firsts, mut last) = (Vec::new(), None);
    for position in 0..rows {
        let Value::Iri(iri) = value_at(position)? else { return None };
        // Rows with the same value follow each other.
        if last.as_ref() != Some(&iri) {
            firsts.push((position, FxBuildHasher.hash_one(&*iri)));
            last = Some(iri);
        }
    }
    let mut slots = Slots::with_room(firsts.len(), held)?;
    slots.are_distinct = firsts.len() as u64 == rows;
    firsts.into_iter().for_each(|(position, hash)| slots.put(position, hash));
    Some(slots)
}

impl Slots {
    /// Free ones for so many positions.
    fn with_room(count: usize, mut held: Reservation) -> Option<Self> {
        // At least one slot is free.
        let len = (count + count / 2 + 1).next_power_of_two();
        held.resize(len * size_of::<u64>()).ok()?;
        Some(Self { all: vec![0; len].into_boxed_slice(), are_distinct: true, held })
    }

    fn put(&mut self, position: u64, hash: u64) {
        let mask = self.all.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        while self.all[at] != 0 {
            at = (at + 1) & mask;
        }
        self.all[at] = (hash >> 32 << 32) | (position + 1);
    }

    fn moved(&self, moved: &Moved<'_>, value_at: &ValueAt<'_>) -> Option<Self> {
        let Moved { gone, came, rows } = moved;
        let next = rows - gone.len() as u64 + came.len() as u64;
        if !self.are_distinct || !ROWS.contains(&next) {
            return None;
        }
        // Where the row at each position is now, plus one; zero for those that are gone.
        let mut now: Vec<u32> = Vec::with_capacity(usize::try_from(*rows).ok()?);
        let (mut gone, mut places) = (gone.iter().peekable(), Vec::with_capacity(came.len()));
        let (mut coming, mut at) = (came.iter().peekable(), 0);
        for position in 0..*rows {
            while coming.next_if(|(to, _)| *to <= position).is_some() {
                places.push(u64::from(at));
                at += 1;
            }
            match gone.next_if(|gone| **gone <= position) {
                Some(_) => now.push(0),
                None => {
                    at += 1;
                    now.push(at);
                }
            }
        }
        places.extend((u64::from(at)..).take(coming.count()));
        let mut slots = Self::with_room(usize::try_from(next).ok()?, self.held.budget().reservation())?;
        for slot in self.all.iter().filter(|slot| **slot != 0) {
            let position = (slot & u64::from(u32::MAX)) - 1;
            if let Some(now) = now.get(position as usize).and_then(|now| now.checked_sub(1)) {
                slots.put(now.into(), *slot);
            }
        }
        for ((_, value), position) in came.iter().zip(places) {
            let Value::Iri(iri) = value else { return None };
            let hash = FxBuildHasher.hash_one(&**iri);
            let is_other = |at| matches!(value_at(at), Some(Value::Iri(other)) if other != *iri);
            if !alike(&slots.all, hash).all(is_other) {
                return None;
            }
            slots.put(position, hash);
        }
        Some(slots)
    }
}
