//! Rows with 64 bits that order them, and the first of those of texts.

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

/// The first eight bytes, the first of them highest.
pub(in crate::ops) fn first_bytes(text: &str) -> u64 {
    let bytes = text.as_bytes();
    match bytes.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().enumerate().fold(0, |prefix, (i, b)| prefix | u64::from(*b) << (56 - 8 * i)),
    }
}
