//! Which rows are present, and where: a bit per row and the number of ones before each 64-bit word.
//!
//! `rank` is one load of the word, one of the count, one `popcnt`: constant time. 64 bits and a 32-bit count per word are 1.5
//! bits a row; with 16-bit counts over at most 65,536 rows, 1.25. (The paper spends 2 and a 1 MB look-up map.)
//!
//! Reading at random has no branch on the bit ([`RankView::look`]): with 10 to 40 % nulls a branch would be guessed wrong for
//! every third read, and the guess ends what the processor reads ahead. Reading in order takes 64 rows at a time
//! ([`RankView::window`], [`expand`]): one rank for the whole run.
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
    /// Rows `from..from + 64` as bits, row `from` the lowest; zeros past the last word.
    #[inline]
    pub fn window(&self, from: usize) -> u64 {
        let (word, shift) = (from >> 6, from & 63);
        let low = self.words.get(word).copied().unwrap_or(0) >> shift;
        if shift == 0 { low } else { low | self.words.get(word + 1).copied().unwrap_or(0) << (64 - shift) }
    }

    /// The number of rows present before row `i`, and 1 if row `i` is present, else 0. Past the last word: none present.
    ///
    /// **Cost**: two loads that do not wait for each other, no branch that depends on them.
    #[inline(always)]
    pub fn look(&self, i: usize) -> (usize, u64) {
        let (Some(word), Some(rank)) = (self.words.get(i >> 6), self.ranks.get(i >> 6)) else {
            return (0, 0);
        };
        let below = word & ((1u64 << (i & 63)) - 1);
        (usize::from(*rank) + below.count_ones() as usize, (word >> (i & 63)) & 1)
    }

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

/// Spreads `dense`, the values of the ones of `window` in order, over the rows of the window; 0 where there is none.
///
/// **Cost**: all present is a copy, none a fill, else one store a row without a branch. `dense` has a value more than the window
/// has ones, or 64 where it has 64.
#[inline]
pub fn expand(window: u64, dense: &[i64; 65], out: &mut [i64]) {
    match window {
        u64::MAX => out.copy_from_slice(&dense[..out.len()]),
        0 => out.fill(0),
        _ => {
            let mut place = 0usize;
            for (i, o) in out.iter_mut().enumerate().take(64) {
                let bit = (window >> i) & 1;
                // At most 64 ones come before a row, so that the mask changes nothing but spares the check.
                *o = dense[place.min(64)] & bit.cast_signed().wrapping_neg();
                place += bit as usize;
            }
        }
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
                assert_eq!(view.look(i), (before, u64::from(*p)));
                before += usize::from(*p);
            }
            for from in [0, 1, 63, 64, 1000, 65_472, 65_500, 65_535, 70_000] {
                let window = view.window(from);
                for i in 0..64 {
                    let expected = present.get(from + i).copied().unwrap_or(false);
                    assert_eq!((window >> i) & 1 == 1, expected, "row {} of {from}", from + i);
                }
                let mut dense = [0i64; 65];
                (1..).zip(&mut dense).for_each(|(n, d)| *d = n);
                let mut out = [-1i64; 64];
                expand(window, &dense, &mut out);
                let mut next = 0;
                for (i, o) in out.iter().enumerate() {
                    let bit = (window >> i & 1).cast_signed();
                    next += bit;
                    assert_eq!(*o, if bit == 1 { next } else { 0 });
                }
            }
        }
    }
}
