//! An index of IRIs by hash: an IRI in, the position of the first row that has it out.
//!
//! The name of a node is looked for in each table that may have it, and most have it not. A search in order
//! reads some twelve names, which are compressed; a table of hashes none, or one. It is made once somebody
//! has searched often enough to have paid for it, and goes with the version of the index.
//!
//! A slot is the upper half of a hash and the position plus one, so that zero is none; slots that are taken
//! are followed by the next one. An IRI that many rows have, as the name of a graph, is there once.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxBuildHasher;
use trimorph_base::Reservation;
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
struct Slots(Box<[u64]>, #[expect(dead_code, reason = "given back when it goes")] Reservation);

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
        let Slots(slots, _) = match self.slots.get() {
            Some(slots) => slots,
            // One of the threads that search makes it.
            None if self.searches.fetch_add(1, Ordering::Relaxed) != rows / ROWS_PER_SEARCH => return None,
            None => match slots_of(rows, value_at, pins) {
                Some(made) => self.slots.get_or_init(|| made),
                None => {
                    self.searches.store(0, Ordering::Relaxed);
                    return None;
                }
            },
        };
        let is_it = |position: &u64| matches!(value_at(*position), Some(Value::Iri(own)) if *own == *iri);
        Some(alike(slots, iri).find(is_it))
    }

    /// Whether it is known that no row has an IRI: nothing has such a hash.
    pub(super) fn lacks(&self, iri: &str) -> bool {
        self.slots.get().is_some_and(|Slots(slots, _)| alike(slots, iri).next().is_none())
    }
}

/// The positions whose values have the hash of an IRI.
fn alike(slots: &[u64], iri: &str) -> impl Iterator<Item = u64> {
    let (hash, mask) = (FxBuildHasher.hash_one(iri), slots.len() - 1);
    let from = (0..slots.len()).map(move |step| (hash as usize).wrapping_add(step) & mask);
    let taken = from.map_while(|at| slots.get(at).copied().filter(|slot| *slot != 0));
    taken.filter(move |slot| slot >> 32 == hash >> 32).map(|slot| (slot & u64::from(u32::MAX)) - 1)
}

/// The slots of all rows; none where something could not be read, is no IRI, or there is no room for them.
fn slots_of(rows: u64, value_at: &ValueAt<'_>, pins: &Pins<'_>) -> Option<Slots> {
    let (mut firsts, mut last) = (Vec::new(), None);
    for position in 0..rows {
        let Value::Iri(iri) = value_at(position)? else { return None };
        // Rows with the same value follow each other.
        if last.as_ref() != Some(&iri) {
            firsts.push((position, FxBuildHasher.hash_one(&*iri)));
            last = Some(iri);
        }
    }
    // At least one slot is free.
    let len = (firsts.len() + firsts.len() / 2 + 1).next_power_of_two();
    let mut held = pins.room();
    held.resize(len * size_of::<u64>()).ok()?;
    let mut slots = vec![0; len].into_boxed_slice();
    for (position, hash) in firsts {
        let mut at = hash as usize & (len - 1);
        while slots[at] != 0 {
            at = (at + 1) & (len - 1);
        }
        slots[at] = (hash >> 32 << 32) | (position + 1);
    }
    Some(Slots(slots, held))
}
