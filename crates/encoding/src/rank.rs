//! Which rows are present, and where: a bit per row and the number of ones before each 64-bit word.
//!
//! `rank` is one load of the word, one of the count, one `popcnt`: constant time. 64 bits and a 32-bit count per word are 1.5
//! bits a row; with 16-bit counts over at most 65,536 rows, 1.25. (The paper spends 2 and a 1 MB look-up map.)
//!
//! Source: GF-CL §5.3 (NULL and empty-list compression, Jacobson's rank index).

/// Bits and counts of at most 65,536 rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankBits {
    /// Row `i` is bit `i % 64` of word `i / 64`.
    pub words: Vec<u64>,
    /// Ones before each word.
    pub ranks: Vec<u16>,
}

/// The same, read in place.
#[derive(Clone, Copy, Debug)]
pub struct RankView<'a> {
    /// Row `i` is bit `i % 64` of word `i / 64`.
    pub words: &'a [u64],
    /// Ones before each word.
    pub ranks: &'a [u16],
}

impl RankBits {
    /// Most rows one of these can hold: the counts are 16 bits wide.
    pub const ROWS_MAX: usize = 1 << 16;

    /// From one flag a row. `present.len()` must be at most [`Self::ROWS_MAX`].
    pub fn new(present: &[bool]) -> Self {
        debug_assert!(present.len() <= Self::ROWS_MAX);
        let mut words = vec![0u64; present.len().div_ceil(64)];
        for (i, p) in present.iter().enumerate() {
            words[i / 64] |= u64::from(*p) << (i % 64);
        }
        let mut before = 0u32;
        let ranks = words
            .iter()
            .map(|w| {
                let rank = before;
                before += w.count_ones();
                // The count before the last word is at most 65,536 − 64.
                u16::try_from(rank).unwrap_or(u16::MAX)
            })
            .collect();
        Self { words, ranks }
    }

    /// Reads in place.
    pub fn view(&self) -> RankView<'_> {
        RankView { words: &self.words, ranks: &self.ranks }
    }
}

impl RankView<'_> {
    /// Whether row `i` is present.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        (self.words[i >> 6] >> (i & 63)) & 1 == 1
    }

    /// The number of rows present before row `i`.
    #[inline]
    pub fn rank(&self, i: usize) -> usize {
        let below = self.words[i >> 6] & ((1u64 << (i & 63)) - 1);
        self.ranks[i >> 6] as usize + below.count_ones() as usize
    }

    /// The place of row `i` among those present, if it is.
    #[inline]
    pub fn place(&self, i: usize) -> Option<usize> {
        self.get(i).then(|| self.rank(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_counts_the_ones_before() {
        for density in [0u64, 1, 20, 50, 99, 100] {
            let mut seed = 88172645463325252u64 + density;
            let present: Vec<bool> = (0..RankBits::ROWS_MAX)
                .map(|_| {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    seed % 100 < density
                })
                .collect();
            let bits = RankBits::new(&present);
            let view = bits.view();
            let mut before = 0;
            for (i, p) in present.iter().enumerate() {
                assert_eq!(view.get(i), *p);
                assert_eq!(view.rank(i), before);
                before += usize::from(*p);
            }
        }
    }
}
