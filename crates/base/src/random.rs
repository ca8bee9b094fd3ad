//! A seed in, random numbers out, for tests in every crate.
//!
//! It is here and not behind a feature: a feature that only tests ask for would build everything twice.

/// Xorshift64*. The same seed gives the same numbers on every machine.
///
/// **Source**: Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers from `seed`; neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        // SplitMix64's finalizer; a state of zero would stay zero.
        let mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((mixed ^ (mixed >> 31)) | 1)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// `0 <= n < end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from((self.bits() >> 11) % end).unwrap_or(0)
    }

    /// `low <= n <= high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low).cast_unsigned().wrapping_add(1);
        let offset = if span == 0 { self.bits() } else { (self.bits() >> 1) % span };
        low.wrapping_add(offset.cast_signed())
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
