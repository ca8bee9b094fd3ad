//! Null mask: a bit per position, absent while nothing is null.

/// Which positions are null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nulls(Option<Vec<u64>>);

impl Nulls {
    /// Nothing is null.
    pub const NONE: Self = Self(None);

    /// Whether position `i` is null.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        match &self.0 {
            None => false,
            // No branch on the bit: half of the positions may be null.
            Some(words) => words.get(i >> 6).map_or(0, |w| w >> (i & 63)) & 1 == 1,
        }
    }

    /// Makes position `i` of `len` null.
    #[inline]
    pub fn set(&mut self, i: usize, len: usize) {
        let words = self.0.get_or_insert_with(|| vec![0; len.div_ceil(64)]);
        if words.len() * 64 <= i {
            words.resize(len.max(i + 1).div_ceil(64), 0);
        }
        words[i >> 6] |= 1 << (i & 63);
    }

    /// Makes those of positions `first..first + 64` of `len` null whose bit is set in `bits`, position
    /// `first` the lowest.
    #[inline]
    pub fn set_run(&mut self, first: usize, bits: u64, len: usize) {
        if bits == 0 {
            return;
        }
        let words = self.0.get_or_insert_with(|| vec![0; len.div_ceil(64)]);
        let (word, shift) = (first >> 6, first & 63);
        let high = if shift == 0 { 0 } else { bits >> (64 - shift) };
        let needed = word + 1 + usize::from(high != 0);
        if words.len() < needed {
            words.resize(needed, 0);
        }
        words[word] |= bits << shift;
        if high != 0 {
            words[word + 1] |= high;
        }
    }

    /// Makes positions not null.
    pub fn clear(&mut self, positions: &[u32]) {
        if let Some(words) = &mut self.0 {
            for p in positions {
                if let Some(word) = words.get_mut((p >> 6) as usize) {
                    *word &= !(1 << (p & 63));
                }
            }
        }
    }

    /// A Boolean for each of `len` positions: `is` where it is null, else the other.
    pub fn booleans(&self, is: bool, len: usize) -> Vec<bool> {
        let mut out = vec![!is; len];
        for (out, word) in out.chunks_mut(64).zip(self.words()) {
            let flags = flags_of(if is { *word } else { !*word });
            out.iter_mut().zip(flags).for_each(|(out, flag)| *out = flag != 0);
        }
        out
    }

    /// Bits of the null positions, 64 a word; empty while nothing is null.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Those whose bits are set, 64 a word.
    pub fn of_words(words: Vec<u64>) -> Self {
        Self(words.iter().any(|w| *w != 0).then_some(words))
    }

    /// All of `len` positions null.
    pub fn all(len: usize) -> Self {
        Self(Some(vec![u64::MAX; len.div_ceil(64)]))
    }

    /// Whether nothing can be null.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The mask at the given positions.
    pub fn gather(&self, positions: &[u32]) -> Self {
        let mut out = Self::NONE;
        if self.0.is_some() {
            for (k, i) in positions.iter().enumerate() {
                if self.get(*i as usize) {
                    out.set(k, positions.len());
                }
            }
        }
        out
    }

    /// The positions null in both masks.
    pub fn intersection(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Self::of_words(a.iter().zip(b).map(|(a, b)| a & b).collect()),
            _ => Self::NONE,
        }
    }

    /// The bits of positions `64 * k ..`, the first the lowest.
    #[inline]
    pub fn word(&self, k: usize) -> u64 {
        self.words().get(k).copied().unwrap_or(0)
    }

    /// The positions null in either mask, over `len` positions.
    pub fn union(&self, other: &Self, len: usize) -> Self {
        match (&self.0, &other.0) {
            (None, None) => Self::NONE,
            (Some(_), None) => self.clone(),
            (None, Some(_)) => other.clone(),
            (Some(a), Some(b)) => {
                let words = len.div_ceil(64);
                let at = |w: &[u64], k: usize| w.get(k).copied().unwrap_or(0);
                Self(Some((0..words).map(|k| at(a, k) | at(b, k)).collect()))
            }
        }
    }
}

/// A byte for each bit of a word, the lowest first: 1 where it is set.
///
/// **Cost**: three operations for eight bits.
#[inline]
pub fn flags_of(word: u64) -> [u8; 64] {
    let mut flags = [0u8; 64];
    for (flags, byte) in flags.as_chunks_mut::<8>().0.iter_mut().zip(word.to_le_bytes()) {
        // Each of eight copies keeps a bit, which carries into the upper bit of its byte and no further.
        let copies = u64::from(byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let upper = copies.wrapping_add(0x7f7f_7f7f_7f7f_7f7f) >> 7;
        *flags = (upper & 0x0101_0101_0101_0101).to_le_bytes();
    }
    flags
}

/// How many of some Booleans are true. **Cost**: an addition for sixteen.
pub fn count_true(booleans: &[bool]) -> usize {
    // As many as a byte holds the sum of.
    let sum = |some: &[bool]| some.iter().fold(0u8, |sum, b| sum + u8::from(*b));
    booleans.chunks(240).map(|some| usize::from(sum(some))).sum()
}

/// A bit for each of up to 64 Booleans, the first the lowest.
#[inline]
pub fn bits_of(booleans: &[bool]) -> u64 {
    let mut bits = 0;
    let mut eights = booleans.chunks_exact(8);
    for (k, eight) in eights.by_ref().enumerate() {
        let mut bytes = [0u8; 8];
        for (byte, b) in bytes.iter_mut().zip(eight) {
            *byte = u8::from(*b);
        }
        // Brings bit 0 of byte `i` to bit `56 + i`: no two of the products meet.
        let gathered = u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * k);
    }
    let done = booleans.len() & !7;
    for (k, b) in eights.remainder().iter().enumerate() {
        bits |= u64::from(*b) << (done + k);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_and_what_both_have() {
        let mut random = trimorph_base::Random::new(3);
        for len in [0, 1, 63, 64, 239, 240, 241, 1_000] {
            for percent in [0, 30, 100] {
                let flags: Vec<bool> = (0..len).map(|_| random.chance(percent)).collect();
                assert_eq!(count_true(&flags), flags.iter().filter(|flag| **flag).count());
                let (mut a, mut b) = (Nulls::NONE, Nulls::NONE);
                (0..len).filter(|i| flags[*i]).for_each(|i| a.set(i, len));
                (0..len).filter(|i| i % 3 == 0).for_each(|i| b.set(i, len));
                let both = a.intersection(&b);
                assert!((0..len).all(|i| both.get(i) == (a.get(i) && b.get(i))));
                assert!(both.is_none() || (0..len).any(|i| both.get(i)));
                assert!(a.intersection(&Nulls::NONE).is_none());
            }
        }
    }

    #[test]
    fn flags_are_the_bits_of_words() {
        let mut random = trimorph_base::Random::new(9);
        for word in (0..200).map(|_| random.bits() | random.bits() << 32).chain([0, 1, 1 << 63, u64::MAX]) {
            assert!((0..64).all(|k| u64::from(flags_of(word)[k]) == word >> k & 1), "{word:x}");
            for len in [1, 63, 64] {
                let mut nulls = Nulls::NONE;
                (0..len).filter(|i| word >> i & 1 == 1).for_each(|i| nulls.set(i, len));
                for is in [true, false] {
                    let expected: Vec<bool> = (0..len).map(|i| nulls.get(i) == is).collect();
                    assert_eq!(nulls.booleans(is, len), expected);
                }
            }
        }
    }
}
