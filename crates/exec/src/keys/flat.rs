//! Keys of a fixed size to numbers: one array of slots, open addressing, no removal.
//!
//! Invariant: a slot whose number is 0 is empty; a key stands in the first slot, from the one that its hash
//! says on, that has it or is empty; at most half of the slots are taken.
//!
//! Hot loop: a run of keys is hashed and their slots asked for ahead ([`FlatMap::prepare`]), so that cache
//! misses are waited for together; then each key finds its slot in one cache line, mostly.

use trimorph_store::{ask_for_huge_pages, prefetch_item};

/// The number of a key that has none.
pub(crate) const NO_NUMBER: u32 = u32::MAX;

/// A key that is hashed by multiplication.
pub(crate) trait FlatKey: Copy + Eq + Default + std::fmt::Debug {
    fn hash(self) -> u64;
}

/// Odd, its bits without a pattern: 2^64 by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl FlatKey for u64 {
    #[inline(always)]
    fn hash(self) -> u64 {
        // The upper bits of a product depend on all bits; the second step spreads what differs there only.
        let mixed = (self ^ (self >> 32)).wrapping_mul(MULTIPLIER);
        mixed ^ (mixed >> 29)
    }
}

impl FlatKey for (u64, u64) {
    #[inline(always)]
    fn hash(self) -> u64 {
        (self.0.hash().rotate_left(23) ^ self.1).hash()
    }
}

/// A key and its number plus 1; 0 for none. A tuple, so that the standard library asks for memory that is
/// zero.
type Slot<K> = (K, u32);

/// Keys, each with a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlatMap<K> {
    /// A power of two of them, or none.
    slots: Vec<Slot<K>>,
    len: usize,
    /// Keys that are expected in all.
    expected: usize,
}

/// Slots that a map begins with.
const SLOTS_MIN: usize = 64;
/// Bytes of slots that stay in a cache near enough: prefetching costs more than it gains.
const NEAR_BYTES: usize = 256 << 10;
/// Bytes of slots up to which a map that is full grows by four.
const SMALL_BYTES: usize = 16 << 20;

impl<K: FlatKey> FlatMap<K> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether keys are worth [`Self::prepare`].
    #[inline]
    pub(crate) fn is_far(&self) -> bool {
        self.slots.len() * size_of::<Slot<K>>() > NEAR_BYTES
    }

    /// Hints that `key` will be looked up.
    #[inline(always)]
    pub(crate) fn prepare(&self, key: K) {
        prefetch_item(&self.slots, self.home(key));
    }

    /// The slot where a key begins to be looked for.
    #[inline(always)]
    fn home(&self, key: K) -> usize {
        // Of no slots, any will do.
        (key.hash() >> 16) as usize & self.slots.len().wrapping_sub(1)
    }

    /// The number of a key, if it has one.
    #[inline]
    pub(crate) fn find(&self, key: K) -> Option<u32> {
        let mut at = self.home(key);
        loop {
            let (of, number) = *self.slots.get(at)?;
            if number == 0 {
                return None;
            }
            if of == key {
                return Some(number - 1);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of a key that stands in its first slot or the next, [`NO_NUMBER`] for others: without a
    /// branch, so that the look-ups of many keys overlap.
    #[inline(always)]
    pub(crate) fn find_near(&self, key: K) -> u32 {
        let at = self.home(key);
        let number = |at: usize| match self.slots.get(at) {
            // No number is 0 in a slot.
            Some((of, number)) if *of == key => number.wrapping_sub(1),
            _ => NO_NUMBER,
        };
        let (first, next) = (number(at), number((at + 1) & self.slots.len().wrapping_sub(1)));
        if first == NO_NUMBER { next } else { first }
    }

    /// The number of a key, which is `next` if it is new.
    #[inline]
    pub(crate) fn number(&mut self, key: K, next: u32) -> u32 {
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        let mut at = self.home(key);
        loop {
            let slot = &mut self.slots[at];
            if slot.1 == 0 {
                *slot = (key, next.wrapping_add(1));
                self.len += 1;
                return next;
            }
            if slot.0 == key {
                return slot.1 - 1;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Has the map grow to room for so many keys at once, when it grows.
    pub(crate) fn expect(&mut self, keys: usize) {
        self.expected = keys;
    }

    /// How many slots come after so many. A map that doubles moves each key twice on its way: small ones grow
    /// by four, and those of which more is known to what is expected.
    fn room_after(&self, room: usize) -> usize {
        let expected = (self.expected * 2).next_power_of_two();
        if room < expected {
            return expected.max(SLOTS_MIN);
        }
        let is_small = room * size_of::<Slot<K>>() <= SMALL_BYTES;
        (room * if is_small { 4 } else { 2 }).max(SLOTS_MIN)
    }

    #[cold]
    fn grow(&mut self) {
        let room = self.room_after(self.slots.len());
        let before = std::mem::replace(&mut self.slots, vec![(K::default(), 0); room]);
        ask_for_huge_pages(&self.slots);
        // Keys stay in the order of their homes: two or four runs of slots are written.
        for slot in before.into_iter().filter(|slot| slot.1 != 0) {
            let mut at = self.home(slot.0);
            while self.slots[at].1 != 0 {
                at = (at + 1) & (room - 1);
            }
            self.slots[at] = slot;
        }
    }

    /// The keys and their numbers, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, u32)> {
        self.slots.iter().filter(|slot| slot.1 != 0).map(|(key, number)| (*key, number - 1))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<K>>()
    }

    /// Bytes that may be allocated before `more` keys have come: those that move are given back.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        let needed = ((self.len + more) * 2).next_power_of_two();
        let mut room = self.slots.len();
        if needed <= room {
            return 0;
        }
        while room < needed {
            room = self.room_after(room);
        }
        room * size_of::<Slot<K>>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Against the standard map: keys that lie side by side, far apart, and differ in few bits.
    #[test]
    fn numbers_are_those_of_a_map() {
        let mut random = trimorph_base::Random::new(5);
        let mut random = move || random.bits() >> 12;
        for round in 0..12u32 {
            let (mut flat, mut map) = (FlatMap::default(), HashMap::new());
            for k in 0..20_000u64 {
                let key = match round % 4 {
                    0 => k / 3,
                    1 => (random() % 5_000) << (round * 4),
                    2 => (k % 700).reverse_bits(),
                    _ => (k << 40) | (random() % 3),
                };
                let next = map.len() as u32;
                if k == 500 && round % 3 == 0 {
                    flat.expect(7_000);
                }
                assert_eq!(flat.find(key), map.get(&key).copied());
                let near = flat.find_near(key);
                assert!(near == NO_NUMBER || Some(near) == flat.find(key));
                assert_eq!(flat.number(key, next), *map.entry(key).or_insert(next));
                assert_eq!((flat.len(), flat.find(key)), (map.len(), map.get(&key).copied()));
            }
            assert!(map.iter().all(|(key, number)| flat.find(*key) == Some(*number)));
            assert_eq!(flat.growth_bytes(0), 0);
            assert!(flat.bytes() >= map.len() * size_of::<Slot<u64>>() * 2);
        }
    }

    /// A map that knows how many keys come moves once, and to no more room than it said.
    #[test]
    fn expected_keys_are_made_room_for_at_once() {
        let mut map = FlatMap::<u64>::default();
        map.expect(50_000);
        let bytes = map.growth_bytes(1);
        map.number(7, 0);
        assert_eq!((map.bytes(), map.growth_bytes(49_999)), (bytes, 0));
        for key in 0..50_000 {
            map.number(key * 3, 1);
        }
        assert_eq!(map.bytes(), bytes);
    }

    #[test]
    fn nothing_is_found_in_an_empty_map() {
        let map = FlatMap::<(u64, u64)>::default();
        map.prepare((1, 2));
        assert_eq!((map.find((1, 2)), map.len(), map.is_far()), (None, 0, false));
    }
}
