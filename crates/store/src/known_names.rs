//! Nodes that were found by their names of late: the hash of a name in, nodes that may have it out.
//!
//! A name is looked for in each table with names, in main's index and in what was written since, until one
//! has it. Who inserts statements names the same nodes again and again, so it is noted who had a name. It is
//! where to look first, and no more: a node may have lost its name or be gone, or the snapshot of who asks
//! may not have it yet, so each asks the node itself.
//!
//! A slot has 16 bits of the hash, the node's table, and its row plus one, so that zero is none. A name is in
//! one of four slots that follow each other. There are four times as many slots where as many nodes as there
//! are slots had to give way.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use trimorph_base::{NodeId, Reservation, TableId};

/// Slots that a name may be in.
const WAYS: usize = 4;
/// The slots of the first name, and most: 8 MB, for half a million nodes (chosen).
const LEN: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 20;
/// Slots take this part of the memory limit at most.
const LIMIT_PART: usize = 64;

#[derive(Debug, Default)]
struct Slots {
    all: Box<[AtomicU64]>,
    _held: Option<Reservation>,
}

/// Nodes by the hashes of their names.
#[derive(Debug, Default)]
pub(crate) struct KnownNames {
    slots: RwLock<Slots>,
    /// Nodes that gave way since there were so many slots.
    displaced: AtomicUsize,
}

/// The bits of a slot that are the hash's.
const TAG: u64 = 0xFFFF << 48;

fn slot_of(hash: u64, node: NodeId) -> Option<u64> {
    let row = u32::try_from(node.row() + 1).ok()?;
    Some((hash & TAG) | (u64::from(node.table().0) << 32) | u64::from(row))
}

fn node_of(slot: u64) -> Option<NodeId> {
    let row = (slot & u64::from(u32::MAX)).checked_sub(1)?;
    Some(NodeId::new(TableId((slot >> 32) as u16), row))
}

/// Where the slots begin that a name may be in.
fn start(hash: u64, len: usize) -> usize {
    (hash as usize).wrapping_mul(WAYS) & len.wrapping_sub(1)
}

impl KnownNames {
    /// The nodes that may have a name with this hash.
    pub(crate) fn find(&self, hash: u64) -> impl Iterator<Item = NodeId> + use<> {
        let mut found = [0; WAYS];
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let from = start(hash, slots.all.len());
        let own = slots.all.get(from..).unwrap_or_default();
        own.iter().zip(&mut found).for_each(|(slot, found)| *found = slot.load(Ordering::Relaxed));
        drop(slots);
        found.into_iter().filter(move |slot| *slot != 0 && slot & TAG == hash & TAG).filter_map(node_of)
    }

    /// A node has a name with this hash; `room` is where memory is held from.
    pub(crate) fn note(&self, hash: u64, node: NodeId, room: impl FnOnce() -> Reservation) {
        let Some(new) = slot_of(hash, node) else { return };
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let len = slots.all.len();
        let own = slots.all.get(start(hash, len)..).unwrap_or_default().get(..WAYS).unwrap_or_default();
        let known = own.iter().map(|slot| slot.load(Ordering::Relaxed));
        // Two names that are alike in all that is kept of them give way to each other.
        let place = known.clone().position(|slot| slot != 0 && slot & TAG == new & TAG);
        let place = place.or_else(|| known.clone().position(|slot| slot == 0));
        let before = match place {
            Some(_) => 0,
            None => self.displaced.fetch_add(1, Ordering::Relaxed),
        };
        if let Some(slot) = own.get(place.unwrap_or(before % WAYS)) {
            slot.store(new, Ordering::Relaxed);
        }
        drop(slots);
        if before >= len && place.is_none() {
            self.grow(len, room());
        }
    }

    /// Makes more slots, all of them free, unless there is no room for them.
    fn grow(&self, from: usize, mut held: Reservation) {
        self.displaced.store(0, Ordering::Relaxed);
        let len = (from * 4).clamp(*LEN.start(), *LEN.end());
        let bytes = len * size_of::<u64>();
        if len == from || bytes > held.budget().limit_bytes() / LIMIT_PART || held.resize(bytes).is_err() {
            return;
        }
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster.
        if slots.all.len() == from {
            let all = (0..len).map(|_| AtomicU64::new(0)).collect();
            *slots = Slots { all, _held: Some(held) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use trimorph_base::{MemoryBudget, Random};

    use super::*;

    fn node(table: u16, row: u64) -> NodeId {
        NodeId::new(TableId(table), row)
    }

    /// What is given was noted with that hash or one that is alike, and what was noted last is given as long
    /// as it did not have to give way.
    #[test]
    fn what_was_noted_is_given() {
        let budget = MemoryBudget::new(64 << 20, None);
        let names = KnownNames::default();
        assert_eq!(names.find(7).count(), 0);
        let mut random = Random::new(3);
        let hashes: Vec<u64> = (0..20_000).map(|_| random.bits()).collect();
        let mut noted: HashMap<u64, NodeId> = HashMap::new();
        for round in 0..400_000 {
            let hash = hashes[random.below(if round < 200_000 { 2_000 } else { hashes.len() })];
            let own = node(random.below(1 << 16) as u16, random.bits() & u64::from(u32::MAX - 1));
            names.note(hash, own, || budget.reservation());
            noted.insert(hash, own);
            // Where there are more slots of late all are free, so it is asked where that is long ago.
            if round % 200_000 == 199_999 {
                let is_noted = |(hash, own): &(&u64, &NodeId)| names.find(**hash).any(|found| found == **own);
                let given = noted.iter().filter(is_noted).count();
                assert!(given * 10 > noted.len() * 9, "{given} of {}", noted.len());
            }
        }
        let mut alike: HashMap<u64, Vec<NodeId>> = HashMap::new();
        noted.iter().for_each(|(hash, own)| alike.entry(hash & TAG).or_default().push(*own));
        for hash in &hashes {
            assert!(names.find(*hash).all(|found| alike[&(hash & TAG)].contains(&found)));
        }
        assert!(budget.used_bytes() > 20_000 * 8 && budget.used_bytes() <= (64 << 20) / LIMIT_PART);
        drop(names);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_noted() {
        let (budget, names) = (MemoryBudget::new(1 << 10, None), KnownNames::default());
        for hash in 0..10_000 {
            names.note(hash << 40, node(1, hash), || budget.reservation());
        }
        assert_eq!((budget.peak_bytes(), names.find(0).count()), (0, 0));
        // Rows that slots have no bits for.
        let names = KnownNames::default();
        for row in [u64::from(u32::MAX), u64::from(u32::MAX) + 7, u64::from(u32::MAX) - 1] {
            names.note(5, node(3, row), || MemoryBudget::unlimited().reservation());
        }
        assert!(names.find(5).all(|found| found == node(3, u64::from(u32::MAX) - 1)));
    }
}
