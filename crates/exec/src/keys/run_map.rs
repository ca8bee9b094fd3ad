//! A map of the values of one run of rows after the other: what groups and DISTINCT need where rows come in
//! runs. Only what came in the run at hand is there, so that the map is as small as a run and stays in a
//! cache.
//!
//! Hot loop: a slot is free unless it has the stamp of the run; the next run has the next stamp, and nothing
//! is cleared.

use crate::charge::vec_growth_bytes;

/// A key: its tag and word; the stamp of the run it is of, and what it is mapped to.
#[derive(Clone, Copy, Debug, Default)]
struct Slot<V> {
    bits: u64,
    tag: u32,
    stamp: u32,
    value: V,
}

/// Slots of the first keys.
const SLOTS_MIN: usize = 64;

/// The map.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunMap<V> {
    slots: Vec<Slot<V>>,
    /// Of the run at hand; none has stamp 0.
    stamp: u32,
    len: usize,
}

impl<V: Copy + Default> RunMap<V> {
    /// Begins the next run. Before the first there is none.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.len = 0;
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(Slot::default());
            1
        });
    }

    /// Whether a run has begun.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.stamp != 0
    }

    /// What the run has under a key; `None`, and it is `value` from now on, if it is new.
    #[inline]
    pub(crate) fn get_or_insert(&mut self, (tag, bits): (u8, u64), value: V) -> Option<V> {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let new = Slot { bits, tag: tag.into(), stamp: self.stamp, value };
        let known = put(&mut self.slots, new);
        self.len += usize::from(known.is_none());
        known
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.into_iter().filter(|slot| slot.stamp == self.stamp) {
            put(&mut self.slots, slot);
        }
    }

    /// The keys of the run at hand.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (u8, u64)> {
        let own = self.slots.iter().filter(|slot| slot.stamp == self.stamp && slot.stamp != 0);
        // Tags are bytes.
        own.map(|slot| (slot.tag as u8, slot.bits))
    }

    /// How many keys the run at hand has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<V>>()
    }

    /// Bytes that may be allocated before `more` keys have come.
    pub(crate) fn growth_bytes(&self, more: usize) -> usize {
        let wanted = (self.len + more) * 2;
        if wanted <= self.slots.len() {
            return 0;
        }
        vec_growth_bytes(0, 0, wanted.next_power_of_two(), size_of::<Slot<V>>())
    }
}

/// Puts a key where a slot is free, if it is not there: there is one. What it is mapped to, if it is.
#[inline]
fn put<V: Copy>(slots: &mut [Slot<V>], new: Slot<V>) -> Option<V> {
    let mask = slots.len() - 1;
    let mixed = (new.bits ^ u64::from(new.tag) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut at = (mixed >> 32) as usize & mask;
    loop {
        let slot = slots[at];
        if slot.stamp != new.stamp {
            slots[at] = new;
            return None;
        }
        if slot.bits == new.bits && slot.tag == new.tag {
            return Some(slot.value);
        }
        at = (at + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use trimorph_base::Random;

    use super::*;

    /// Against a map for each run.
    #[test]
    fn keys_are_new_once_a_run() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let mut map = RunMap::default();
            for run in 0..40 {
                let mut model = BTreeMap::new();
                map.begin();
                for value in 0..random.below(300) {
                    let key = (random.below(3) as u8, random.below(100) as u64 * 0x1_0000_0001);
                    let known = model.get(&key).copied();
                    model.entry(key).or_insert(value);
                    assert_eq!(map.get_or_insert(key, value), known, "seed {seed} run {run}");
                }
                assert_eq!(map.len(), model.len());
                let keys = map.keys().collect::<std::collections::BTreeSet<_>>();
                assert_eq!(keys, model.into_keys().collect(), "seed {seed} run {run}");
            }
        }
    }
}
