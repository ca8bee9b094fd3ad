//! The distinct values of one group after the other: what DISTINCT needs where groups come in runs. Only
//! those of the group at hand are there, so that the set is as small as a group and stays in a cache.
//!
//! Hot loop: a slot is free unless it has the stamp of the group; the next group has the next stamp, and
//! nothing is cleared.

use crate::charge::vec_growth_bytes;

/// A value: its tag and word, and the stamp of the group it is of.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    bits: u64,
    tag: u32,
    stamp: u32,
}

/// Slots of the first values.
const SLOTS_MIN: usize = 64;

/// The set.
#[derive(Clone, Debug, Default)]
pub(super) struct RunSet {
    slots: Vec<Slot>,
    /// The group at hand and its stamp; none has stamp 0.
    group: u32,
    stamp: u32,
    len: usize,
}

impl RunSet {
    /// Takes a value in; `false` if the group has it. Groups come in order.
    #[inline]
    pub(super) fn insert(&mut self, group: u32, tag: u8, bits: u64) -> bool {
        if group != self.group || self.stamp == 0 {
            self.begin(group);
        }
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let new = Slot { bits, tag: tag.into(), stamp: self.stamp };
        let is_new = put(&mut self.slots, new);
        self.len += usize::from(is_new);
        is_new
    }

    #[cold]
    fn begin(&mut self, group: u32) {
        (self.group, self.len) = (group, 0);
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(Slot::default());
            1
        });
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.into_iter().filter(|slot| slot.stamp == self.stamp) {
            put(&mut self.slots, slot);
        }
    }

    /// The values of the group at hand: group, tag and bits.
    pub(super) fn values(&self) -> impl Iterator<Item = (u32, u8, u64)> {
        let own = self.slots.iter().filter(|slot| slot.stamp == self.stamp && slot.stamp != 0);
        // Tags are bytes.
        own.map(|slot| (self.group, slot.tag as u8, slot.bits))
    }

    /// How many values the group at hand has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// Bytes that may be allocated before `more` values have come.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        let wanted = (self.len + more) * 2;
        if wanted <= self.slots.len() {
            return 0;
        }
        vec_growth_bytes(0, 0, wanted.next_power_of_two(), size_of::<Slot>())
    }
}

/// Whether a slot was free for it: there is one.
#[inline]
fn put(slots: &mut [Slot], new: Slot) -> bool {
    let mask = slots.len() - 1;
    let mixed = (new.bits ^ u64::from(new.tag) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut at = (mixed >> 32) as usize & mask;
    loop {
        let slot = slots[at];
        if slot.stamp != new.stamp {
            slots[at] = new;
            return true;
        }
        if slot.bits == new.bits && slot.tag == new.tag {
            return false;
        }
        at = (at + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trimorph_base::Random;

    use super::*;

    /// Against a set for each group.
    #[test]
    fn values_are_new_once_a_group() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let mut set = RunSet::default();
            for group in 0..40 {
                let mut model = BTreeSet::new();
                for _ in 0..random.below(300) {
                    let (tag, bits) = (random.below(3) as u8, random.below(100) as u64 * 0x1_0000_0001);
                    let context = format!("seed {seed} group {group}");
                    assert_eq!(set.insert(group, tag, bits), model.insert((group, tag, bits)), "{context}");
                }
                if !model.is_empty() {
                    assert_eq!(set.values().collect::<BTreeSet<_>>(), model, "seed {seed} group {group}");
                }
            }
        }
    }
}
