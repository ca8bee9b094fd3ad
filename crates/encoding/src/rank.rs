//! Which rows are present, and where: a bit per row and the number of ones up to the end of each 64 of them.
//!
//! `rank` is one load of the bits, one of the count, one `popcnt`: constant time. 64 bits and a 16-bit count
//! over at most 65,536 rows are 1.25 bits a row. (The paper spends 2 and a 1 MB look-up map.) A word of bits
//! and its count lie next to each other, so that reading at random asks for one cache line and not two: 0.93
//! of the time of a query that reads at random (`bench/gfcl`, figure 10).
//!
//! Reading at random has no branch on the bit ([`RankView::look`]): with 10 to 40 % nulls a branch would be
//! guessed wrong for every third read, and the guess ends what the processor reads ahead. Reading in order
//! takes 64 rows at a time ([`RankView::window`], [`expand`]): one rank for the whole run.
//!
//! Source: GF-CL §5.3 (NULL and empty-list compression, Jacobson's rank index).

/// 64 rows: their bits, row `i` bit `i % 64`, and the number of ones before and among them, modulo 65,536;
/// both little-endian.
pub type RankEntry = [u8; RANK_ENTRY_BYTES];

/// 8 bytes of bits and 2 of a count.
pub const RANK_ENTRY_BYTES: usize = 10;

/// Bits and counts of at most 65,536 rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankBits {
    entries: Vec<RankEntry>,
}

/// The same, read in place.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankView<'a> {
    entries: &'a [RankEntry],
}

#[inline(always)]
fn word(entry: &RankEntry) -> u64 {
    let [word @ .., _, _] = entry;
    u64::from_le_bytes(*word)
}

#[inline(always)]
fn end(entry: &RankEntry) -> u16 {
    u16::from_le_bytes([entry[8], entry[9]])
}

impl RankBits {
    /// Most rows one of these can hold: the counts are 16 bits wide.
    pub const ROWS_MAX: usize = 1 << 16;

    /// From one flag a row. `present.len()` must be at most [`Self::ROWS_MAX`].
    pub fn new(present: &[bool]) -> Self {
        debug_assert!(present.len() <= Self::ROWS_MAX);
        let mut end = 0u16;
        let entry = |rows: &[bool]| {
            let word = rows.iter().enumerate().fold(0u64, |word, (i, p)| word | u64::from(*p) << i);
            let mut entry = [0; RANK_ENTRY_BYTES];
            entry[..8].copy_from_slice(&word.to_le_bytes());
            // Counted up to the end, a place is one subtraction; 65,536 is 0, from which as many are taken.
            end = end.wrapping_add(word.count_ones() as u16);
            entry[8..].copy_from_slice(&end.to_le_bytes());
            entry
        };
        Self { entries: present.chunks(64).map(entry).collect() }
    }

    /// Bytes it takes.
    pub fn size(&self) -> usize {
        self.entries.len() * RANK_ENTRY_BYTES
    }

    /// What [`RankView::new`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.entries.as_flattened().to_vec()
    }

    /// What [`expand_rank`] reads: [`Self::to_bytes`], or the rows that are present where these take less
    /// than a quarter of that. (Of thousands of columns that few rows have, bits would be all that there is.)
    pub fn to_compact(&self) -> Vec<u8> {
        let most = self.size() / 4;
        let (mut bytes, mut last) = (Vec::new(), 0usize);
        for (at, entry) in self.entries.iter().enumerate() {
            let mut word = word(entry);
            while word != 0 {
                let row = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                // What lies between two rows, seven bits a byte, the lowest first.
                let mut gap = row - last;
                last = row + 1;
                while gap >= 128 {
                    bytes.push(gap as u8 | 128);
                    gap >>= 7;
                }
                bytes.push(gap as u8);
            }
            if bytes.len() >= most {
                return self.to_bytes();
            }
        }
        bytes
    }

    /// Reads in place.
    pub fn view(&self) -> RankView<'_> {
        RankView { entries: &self.entries }
    }
}

/// The bits of `len` rows of which [`RankBits::to_compact`] gave the rows that are present; none if it did
/// not, or gave the bits themselves.
pub fn expand_rank(bytes: &[u8], len: usize) -> Option<RankBits> {
    if len > RankBits::ROWS_MAX || bytes.len() >= len.div_ceil(64) * RANK_ENTRY_BYTES {
        return None;
    }
    let mut present = vec![false; len];
    let (mut next, mut gap, mut shift) = (0usize, 0usize, 0u32);
    for byte in bytes {
        gap |= usize::from(byte & 127).checked_shl(shift).filter(|_| shift < 21)?;
        shift += 7;
        if byte & 128 == 0 {
            let row = next + gap;
            *present.get_mut(row)? = true;
            (next, gap, shift) = (row + 1, 0, 0);
        }
    }
    (shift == 0).then(|| RankBits::new(&present))
}

impl<'a> RankView<'a> {
    /// No row is present.
    pub const NONE: RankView<'static> = RankView { entries: &[] };

    /// Reads what [`RankBits::to_bytes`] gave.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { entries: bytes.as_chunks().0 }
    }

    /// The number of ones, if the counts are those of the bits and there are bits for `len` rows and none for
    /// more. Whoever looks up places relies on it.
    pub fn check(&self, len: usize) -> Option<usize> {
        let mut present = 0usize;
        let mut ok = self.entries.len() == len.div_ceil(64);
        for entry in self.entries {
            present += word(entry).count_ones() as usize;
            ok &= usize::from(end(entry)) == present & 0xffff;
        }
        ok &= len.is_multiple_of(64) || self.entries.last().is_none_or(|e| word(e) >> (len % 64) == 0);
        ok.then_some(present)
    }

    /// Rows there are bits for: a multiple of 64.
    #[inline]
    pub fn rows(&self) -> usize {
        self.entries.len() * 64
    }

    /// The bytes that tell of row `i` and where they start, to ask for them ahead.
    #[inline(always)]
    pub fn entry(&self, i: usize) -> (&'a [u8], usize) {
        (self.entries.as_flattened(), (i >> 6) * RANK_ENTRY_BYTES)
    }

    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        self.entries.get(at).map_or(0, word)
    }

    /// Rows `from..from + 64` as bits, row `from` the lowest; zeros past the last word.
    #[inline]
    pub fn window(&self, from: usize) -> u64 {
        let (at, shift) = (from >> 6, from & 63);
        let low = self.word(at) >> shift;
        if shift == 0 { low } else { low | self.word(at + 1) << (64 - shift) }
    }

    /// Gives those of `len` rows from `first` on that are present, counted from there. **Cost**: a look for
    /// 64 rows.
    pub fn each(&self, first: usize, len: usize, visit: &mut dyn FnMut(usize)) {
        for from in (0..len).step_by(64) {
            let within = u64::MAX >> (64 - (len - from).min(64));
            let mut left = self.window(first + from) & within;
            while left != 0 {
                visit(from + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// The number of rows present before row `i`, and 1 if row `i` is present, else 0. Past the last word:
    /// none present.
    ///
    /// **Cost**: two loads that do not wait for each other, no branch that depends on them.
    #[inline(always)]
    pub fn look(&self, i: usize) -> (usize, u64) {
        let Some(entry) = self.entries.get(i >> 6) else { return (0, 0) };
        // The rows from this one on, this one lowest.
        let from = word(entry) >> (i & 63);
        (usize::from(end(entry).wrapping_sub(from.count_ones() as u16)), from & 1)
    }

    /// Whether row `i` is present.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        self.look(i).1 == 1
    }

    /// The number of rows present before row `i`.
    #[inline]
    pub fn rank(&self, i: usize) -> usize {
        self.look(i).0
    }

    /// The place of row `i` among those present, if it is.
    #[inline]
    pub fn place(&self, i: usize) -> Option<usize> {
        let (place, bit) = self.look(i);
        (bit == 1).then_some(place)
    }
}

/// Spreads `dense`, the values of the ones of `window` in order, over the rows of the window; 0 where there
/// is none.
///
/// **Cost**: all present is a copy, none a fill, else one store a row without a branch. `dense` has a value
/// more than the window has ones, or 64 where it has 64.
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
            let bytes = bits.to_bytes();
            let view = RankView::new(&bytes);
            let ones = present.iter().filter(|p| **p).count();
            assert_eq!(view.check(present.len()), Some(ones));
            assert_eq!((bits.size(), view.rows()), (present.len() / 64 * 10, present.len()));
            let mut before = 0;
            for (i, p) in present.iter().enumerate() {
                assert_eq!(view.get(i), *p);
                assert_eq!(view.rank(i), before);
                assert_eq!(view.look(i), (before, u64::from(*p)));
                assert_eq!(view.place(i), p.then_some(before));
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

    #[test]
    fn few_rows_take_few_bytes() {
        for every in [1usize, 7, 63, 64, 65, 500, 3_000, 40_000] {
            for len in [1usize, 64, 65, 1_000, 65_535, RankBits::ROWS_MAX] {
                let present: Vec<bool> = (0..len).map(|i| i % every == every / 2).collect();
                let bits = RankBits::new(&present);
                let compact = bits.to_compact();
                assert!(compact == bits.to_bytes() || compact.len() * 4 < bits.size());
                match expand_rank(&compact, len) {
                    Some(back) => assert_eq!(back, bits, "one of {every}, {len} rows"),
                    None => assert_eq!(compact, bits.to_bytes()),
                }
            }
        }
        let few = RankBits::new(&(0..60_000).map(|i| i % 6_000 == 0).collect::<Vec<_>>()).to_compact();
        assert!(few.len() < 30, "{}", few.len());
        // Rows past the end, and bytes that end within a number.
        for (bytes, len) in [(&[100u8][..], 50), (&[128][..], 60_000), (&[255, 255, 255, 255][..], 60_000)] {
            assert_eq!(expand_rank(bytes, len), None);
        }
    }

    #[test]
    fn what_is_not_the_bits_of_so_many_rows_is_found() {
        let bits = RankBits::new(&[true; 100]).to_bytes();
        assert_eq!(RankView::new(&bits).check(100), Some(100));
        for len in [0, 64, 99, 129, 1000] {
            assert_eq!(RankView::new(&bits).check(len), None, "{len} rows");
        }
        for at in 0..bits.len() {
            let mut changed = bits.clone();
            changed[at] ^= 1;
            let seen = RankView::new(&changed).check(100);
            assert!(seen.is_none(), "byte {at}: {seen:?}");
        }
    }
}
