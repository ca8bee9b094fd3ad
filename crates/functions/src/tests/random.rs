//! Random values and weights from a fixed seed, for property tests.

/// Xorshift64*, Vigna 2016. The seed must not be zero.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }
}
