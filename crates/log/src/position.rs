//! A place in the log.

use std::fmt;

/// A place in the log: both parts only grow, pairs are compared. (0, 0) is the place before the first
/// segment, whose number is 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// Number of the segment.
    pub segment: u64,
    /// Byte within it.
    pub offset: u32,
}

impl Position {
    /// `segment` at `offset`.
    pub const fn new(segment: u64, offset: u32) -> Self {
        Self { segment, offset }
    }
}

impl Position {
    /// Where the first block of a segment begins.
    pub const FIRST_OFFSET: u32 = 64;
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.segment, self.offset)
    }
}
