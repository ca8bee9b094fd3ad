//! Pairs of words to numbers: those that fit one word together by a map of such, others by their hashes.

use trimorph_base::NodeId;

use super::encode::TAG_NODE;
use super::flat::{FlatKey, FlatMap};
use super::hash_slots::{HashSlots, kept};
use crate::charge::vec_growth_bytes;
use trimorph_store::prefetch_item;

/// Pairs of words, each with a number, by their tags.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(Vec<(u16, TagPairs)>);

/// Pairs of the same two tags.
#[derive(Clone, Debug, Default)]
struct TagPairs {
    /// Those that fit 64 bits together.
    narrow: FlatMap<u64>,
    wide: WidePairs,
}

/// Pairs of 128 bits.
#[derive(Clone, Debug, Default)]
struct WidePairs {
    slots: HashSlots,
    /// The pairs in the order in which they came, and their numbers.
    pairs: Vec<((u64, u64), u32)>,
}

impl WidePairs {
    /// The number of a pair, which is `next` if it is new.
    #[inline]
    fn number(&mut self, pair: (u64, u64), next: u32) -> u32 {
        let (pairs, place) = (&self.pairs, self.pairs.len() as u32);
        let found = self.slots.number(kept(pair.hash()), place, |place| pairs[place as usize].0 == pair);
        if found == place {
            self.pairs.push((pair, next));
            return next;
        }
        pairs[found as usize].1
    }

    /// The number of a pair, if it has one.
    #[inline]
    fn find(&self, pair: (u64, u64)) -> Option<u32> {
        let place = self.slots.find(kept(pair.hash()), |place| self.pairs[place as usize].0 == pair)?;
        Some(self.pairs[place as usize].1)
    }

    /// Asks for a pair's slot.
    #[inline]
    fn prepare(&self, pair: (u64, u64)) {
        self.slots.prepare(kept(pair.hash()));
    }

    /// Asks for what most likely is the pair, once its slot has come.
    #[inline]
    fn prepare_likely(&self, pair: (u64, u64)) {
        if let Some(place) = self.slots.likely(kept(pair.hash())) {
            prefetch_item(&self.pairs, place as usize);
        }
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        self.slots.bytes() + self.pairs.capacity() * size_of::<((u64, u64), u32)>()
    }

    /// Bytes that may be allocated before `more` pairs can come.
    fn growth_bytes(&self, more: usize) -> usize {
        let (len, room) = (self.pairs.len(), self.pairs.capacity());
        self.slots.growth_bytes(more) + vec_growth_bytes(len, room, more, size_of::<((u64, u64), u32)>())
    }
}

/// Two words as one integer: nodes whose tables are below 256 and whose rows are below 2^24, others below
/// 2^32, as the numbers of texts are.
#[inline(always)]
fn narrow(tags: u16, (x, y): (u64, u64)) -> Option<u64> {
    if tags == both(TAG_NODE, TAG_NODE) {
        const WIDE: u64 = !((0xff << NodeId::ROW_BITS) | 0x00ff_ffff);
        let half = |n: u64| (n >> NodeId::ROW_BITS) << 24 | (n & 0x00ff_ffff);
        return ((x | y) & WIDE == 0).then(|| half(x) << 32 | half(y));
    }
    ((x | y) >> 32 == 0).then_some(x << 32 | y)
}

#[inline(always)]
const fn both(s: u8, t: u8) -> u16 {
    (s as u16) << 8 | t as u16
}

impl Pairs {
    #[inline]
    fn map(&self, tags: u16) -> Option<&TagPairs> {
        self.0.iter().find(|(of, _)| *of == tags).map(|(_, map)| map)
    }

    /// The number of a pair, which is `next` if it is new.
    #[inline]
    pub(super) fn number(&mut self, (s, x): (u8, u64), (t, y): (u8, u64), next: u32) -> u32 {
        let tags = both(s, t);
        let place = self.0.iter().position(|(of, _)| *of == tags).unwrap_or_else(|| {
            self.0.push((tags, TagPairs::default()));
            self.0.len() - 1
        });
        let map = &mut self.0[place].1;
        match narrow(tags, (x, y)) {
            Some(pair) => map.narrow.number(pair, next),
            None => map.wide.number((x, y), next),
        }
    }

    /// The number of a pair, if it has one.
    #[inline]
    pub(super) fn find(&self, (s, x): (u8, u64), (t, y): (u8, u64)) -> Option<u32> {
        let tags = both(s, t);
        let map = self.map(tags)?;
        match narrow(tags, (x, y)) {
            Some(pair) => map.narrow.find(pair),
            None => map.wide.find((x, y)),
        }
    }

    /// Asks for the slots of pairs that are about to be looked up, and for what most likely is in them, if
    /// they are far.
    #[inline]
    pub(super) fn prepare(&self, pairs: impl Iterator<Item = ((u8, u64), (u8, u64))> + Clone) {
        let are_wide_far = self.0.iter().any(|(_, map)| map.wide.slots.is_far());
        if !are_wide_far && !self.0.iter().any(|(_, map)| map.narrow.is_far()) {
            return;
        }
        for ((s, x), (t, y)) in pairs.clone() {
            let tags = both(s, t);
            if let Some(map) = self.map(tags) {
                match narrow(tags, (x, y)) {
                    Some(pair) => map.narrow.prepare(pair),
                    None => map.wide.prepare((x, y)),
                }
            }
        }
        if !are_wide_far {
            return;
        }
        for ((s, x), (t, y)) in pairs {
            let tags = both(s, t);
            if let Some(map) = self.map(tags)
                && narrow(tags, (x, y)).is_none()
            {
                map.wide.prepare_likely((x, y));
            }
        }
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(_, map)| map.narrow.bytes() + map.wide.bytes()).sum()
    }

    /// Bytes that may be allocated before `more` pairs can come.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        if self.0.is_empty() {
            return WidePairs::default().growth_bytes(more);
        }
        let growth = |map: &TagPairs| {
            let narrow = if map.narrow.len() > 0 { map.narrow.growth_bytes(more) } else { 0 };
            narrow + if map.wide.pairs.is_empty() { 0 } else { map.wide.growth_bytes(more) }
        };
        self.0.iter().map(|(_, map)| growth(map)).sum()
    }
}
