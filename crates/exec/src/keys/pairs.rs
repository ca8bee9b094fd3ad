//! Pairs of words to numbers.

use trimorph_base::NodeId;

use super::encode::TAG_NODE;
use super::flat::FlatMap;

/// Pairs of words, each with a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Pairs of nodes that fit 64 bits together.
    nodes: FlatMap<u64>,
    /// Others, by their tags.
    others: Vec<(u16, FlatMap<(u64, u64)>)>,
}

/// Two nodes as one integer, where their tables are below 256 and their rows below 2^24.
#[inline(always)]
fn node_pair(a: u64, b: u64) -> Option<u64> {
    const WIDE: u64 = !((0xff << NodeId::ROW_BITS) | 0x00ff_ffff);
    let half = |n: u64| (n >> NodeId::ROW_BITS) << 24 | (n & 0x00ff_ffff);
    ((a | b) & WIDE == 0).then(|| half(a) << 32 | half(b))
}

#[inline(always)]
fn both(s: u8, t: u8) -> u16 {
    u16::from(s) << 8 | u16::from(t)
}

impl Pairs {
    #[inline]
    fn map(&self, tags: u16) -> Option<&FlatMap<(u64, u64)>> {
        self.others.iter().find(|(of, _)| *of == tags).map(|(_, map)| map)
    }

    /// The number of a pair, which is `next` if it is new.
    #[inline]
    pub(super) fn number(&mut self, (s, x): (u8, u64), (t, y): (u8, u64), next: u32) -> u32 {
        if (s, t) == (TAG_NODE, TAG_NODE)
            && let Some(pair) = node_pair(x, y)
        {
            return self.nodes.number(pair, next);
        }
        let tags = both(s, t);
        if let Some((_, map)) = self.others.iter_mut().find(|(of, _)| *of == tags) {
            return map.number((x, y), next);
        }
        let mut map = FlatMap::default();
        map.number((x, y), next);
        self.others.push((tags, map));
        next
    }

    /// The number of a pair, if it has one.
    #[inline]
    pub(super) fn find(&self, (s, x): (u8, u64), (t, y): (u8, u64)) -> Option<u32> {
        if (s, t) == (TAG_NODE, TAG_NODE)
            && let Some(pair) = node_pair(x, y)
        {
            return self.nodes.find(pair);
        }
        self.map(both(s, t))?.find((x, y))
    }

    /// Asks for the slots of pairs that are about to be looked up, if they are far.
    #[inline]
    pub(super) fn prepare(&self, pairs: impl Iterator<Item = ((u8, u64), (u8, u64))>) {
        let far = self.nodes.is_far() || self.others.iter().any(|(_, map)| map.is_far());
        if !far {
            return;
        }
        for ((s, x), (t, y)) in pairs {
            match node_pair(x, y) {
                Some(pair) if (s, t) == (TAG_NODE, TAG_NODE) => self.nodes.prepare(pair),
                _ => {
                    if let Some(map) = self.map(both(s, t)) {
                        map.prepare((x, y));
                    }
                }
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.others.iter().map(|(_, map)| map.len()).sum::<usize>()
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.others.iter().map(|(_, map)| map.bytes()).sum::<usize>()
    }

    /// Bytes that may be allocated before `more` pairs can come.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        let nodes = if self.nodes.len() > 0 { self.nodes.growth_bytes(more) } else { 0 };
        let others: usize = self.others.iter().map(|(_, map)| map.growth_bytes(more)).sum();
        if nodes + others == 0 && self.len() == 0 {
            return FlatMap::<(u64, u64)>::default().growth_bytes(more);
        }
        nodes + others
    }
}
