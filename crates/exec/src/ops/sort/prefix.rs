//! Rows with 64 bits that order them.

/// What orders a row, by as many of the first keys as fit 64 bits, and when the row came: one integer, so
/// that sorting and merging have no branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Prefixed(u128);

impl Prefixed {
    pub(super) fn new(prefix: u64, came: u32) -> Self {
        Self(u128::from(prefix) << 32 | u128::from(came))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the upper of two parts")]
    pub(super) fn prefix(self) -> u64 {
        (self.0 >> 32) as u64
    }

    #[expect(clippy::cast_possible_truncation, reason = "the lower of two parts")]
    pub(super) fn came(self) -> u32 {
        self.0 as u32
    }
}
