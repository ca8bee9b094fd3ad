//! Slots by hash for keys that lie elsewhere in the order of their numbers: open addressing, no removal.
//!
//! Invariant: a slot whose number is 0 is empty; a key stands in the first slot, from the one that its hash
//! says on, that has it or is empty; at most half of the slots are taken.
//!
//! A slot has 8 bytes whatever the key has, and tells most keys that differ apart without a look at them. A
//! key that is new costs one cache miss, one that is known two; those of many keys are waited for together
//! ([`HashSlots::prepare`], [`HashSlots::likely`]).

use trimorph_store::{ask_for_huge_pages, prefetch_item};

/// What is kept of a hash, and the number plus 1; 0 for none.
type Slot = (u32, u32);

#[derive(Clone, Debug, Default)]
pub(super) struct HashSlots {
    /// A power of two of them, or none.
    slots: Vec<Slot>,
    len: usize,
}

/// Slots that they begin with.
const SLOTS_MIN: usize = 64;
/// Bytes of slots that stay in a cache near enough: prefetching costs more than it gains.
const NEAR_BYTES: usize = 256 << 10;
/// Bytes of slots up to which they grow by four when they are full: doubling moves each slot twice on its
/// way.
const SMALL_BYTES: usize = 8 << 20;

/// How many slots come after so many.
fn room_after(room: usize) -> usize {
    (room * if room * size_of::<Slot>() <= SMALL_BYTES { 4 } else { 2 }).max(SLOTS_MIN)
}

/// What is kept of a hash of 64 bits: its upper half, where a product's bits depend on all of the key.
#[inline(always)]
pub(super) fn kept(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl HashSlots {
    /// Whether keys are worth [`Self::prepare`].
    #[inline]
    pub(super) fn is_far(&self) -> bool {
        self.slots.len() * size_of::<Slot>() > NEAR_BYTES
    }

    /// The slot where a key begins to be looked for.
    #[inline(always)]
    fn home(&self, hash: u32) -> usize {
        // Of no slots, any will do.
        hash as usize & self.slots.len().wrapping_sub(1)
    }

    /// Hints that a key of this hash will be looked up.
    #[inline(always)]
    pub(super) fn prepare(&self, hash: u32) {
        prefetch_item(&self.slots, self.home(hash));
    }

    /// The number of the first key of this hash that `is_it`, and the slot that has it or is empty.
    #[inline(always)]
    fn look(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> (Option<u32>, usize) {
        let mut at = self.home(hash);
        while let Some((kept, number)) = self.slots.get(at) {
            if *number == 0 {
                break;
            }
            if *kept == hash && is_it(*number - 1) {
                return (Some(*number - 1), at);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        (None, at)
    }

    /// The number of the first key of this hash, which most likely is the one that is looked for.
    #[inline(always)]
    pub(super) fn likely(&self, hash: u32) -> Option<u32> {
        self.look(hash, |_| true).0
    }

    /// The number of the key of this hash that `is_it`, if it has one.
    #[inline(always)]
    pub(super) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.look(hash, is_it).0
    }

    /// The same; `next` if there is none, which is the key's number from now on.
    #[inline(always)]
    pub(super) fn number(&mut self, hash: u32, next: u32, is_it: impl Fn(u32) -> bool) -> u32 {
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        let (found, at) = self.look(hash, is_it);
        found.unwrap_or_else(|| {
            self.slots[at] = (hash, next.wrapping_add(1));
            self.len += 1;
            next
        })
    }

    #[cold]
    fn grow(&mut self) {
        let room = room_after(self.slots.len());
        let before = std::mem::replace(&mut self.slots, vec![(0, 0); room]);
        ask_for_huge_pages(&self.slots);
        // Slots stay in the order of their homes: two or four runs of them are written.
        for (hash, number) in before.into_iter().filter(|(_, number)| *number != 0) {
            let mut at = self.home(hash);
            while self.slots[at].1 != 0 {
                at = (at + 1) & (room - 1);
            }
            self.slots[at] = (hash, number);
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// Bytes that may be allocated before `more` keys have come: those that move are given back.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        let needed = ((self.len + more) * 2).next_power_of_two();
        let mut room = self.slots.len();
        if needed <= room {
            return 0;
        }
        while room < needed {
            room = room_after(room);
        }
        room * size_of::<Slot>()
    }
}
