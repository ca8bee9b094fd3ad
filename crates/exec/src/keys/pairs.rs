//! Pairs of words to numbers.

use rustc_hash::FxHashMap;
use trimorph_base::NodeId;

use super::encode::TAG_NODE;
use crate::charge::{table_bytes, table_growth_bytes};

/// Two words: their tags, and the bits of each.
type Pair = (u16, u64, u64);

/// Pairs of words, each with a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Pairs of nodes that fit 64 bits together.
    nodes: FxHashMap<u64, u32>,
    others: FxHashMap<Pair, u32>,
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
    /// The number of a pair, which is `next` if it is new.
    #[inline]
    pub(super) fn number(&mut self, (s, x): (u8, u64), (t, y): (u8, u64), next: u32) -> u32 {
        if (s, t) == (TAG_NODE, TAG_NODE)
            && let Some(pair) = node_pair(x, y)
        {
            return *self.nodes.entry(pair).or_insert(next);
        }
        *self.others.entry((both(s, t), x, y)).or_insert(next)
    }

    /// The number of a pair, if it has one.
    #[inline]
    pub(super) fn find(&self, (s, x): (u8, u64), (t, y): (u8, u64)) -> Option<u32> {
        if (s, t) == (TAG_NODE, TAG_NODE)
            && let Some(pair) = node_pair(x, y)
        {
            return self.nodes.get(&pair).copied();
        }
        self.others.get(&(both(s, t), x, y)).copied()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.others.len()
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        table_bytes::<(u64, u32)>(self.nodes.capacity()) + table_bytes::<(Pair, u32)>(self.others.capacity())
    }

    /// Bytes that may be allocated before `more` pairs can come.
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        table_growth_bytes::<(u64, u32)>(self.nodes.len(), self.nodes.capacity(), more)
            + table_growth_bytes::<(Pair, u32)>(self.others.len(), self.others.capacity(), more)
    }
}
