//! Keys of edges: takes one end, a direction, an adjacency and the other end, gives 128 bits in the order of
//! lists.
//!
//! ```text
//! row 44 · direction 1 · local number 16 · row of the other end 44 · ordinal 23
//! ```
//!
//! The local number is the one that this end's table gives to (edge table, table of the other end). The
//! ordinal tells edges apart that have all else in common.

use super::Key;

const ROW_BITS: u32 = 44;
const LOCAL_BITS: u32 = 16;
const ORDINAL_BITS: u32 = 23;

/// From which end an edge is seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// From its source.
    Forward,
    /// From its target.
    Backward,
}

/// An edge, as one of its ends has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EdgeKey {
    /// The row of this end.
    pub(crate) row: u64,
    /// Which end this is.
    pub(crate) direction: Direction,
    /// The number that this end's table gives to (edge table, table of the other end).
    pub(crate) local: u16,
    /// The row of the other end.
    pub(crate) other: u64,
    /// Tells parallel edges apart.
    pub(crate) ordinal: u32,
}

impl EdgeKey {
    /// One past the largest ordinal: parallel edges that can be told apart.
    pub(crate) const ORDINALS: u32 = 1 << ORDINAL_BITS;

    /// As a key of the tree.
    #[inline]
    pub(crate) fn key(self) -> Key {
        let mut key = u128::from(self.row);
        key = key << 1 | u128::from(self.direction == Direction::Backward);
        key = key << LOCAL_BITS | u128::from(self.local);
        key = key << ROW_BITS | u128::from(self.other);
        key << ORDINAL_BITS | u128::from(self.ordinal & (Self::ORDINALS - 1))
    }

    /// What a key of the tree means.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "masked")]
    pub(crate) fn of(key: Key) -> Self {
        let bits = |shift: u32, bits: u32| (key >> shift) as u64 & ((1 << bits) - 1);
        let local_at = ORDINAL_BITS + ROW_BITS;
        let direction_at = local_at + LOCAL_BITS;
        Self {
            row: bits(direction_at + 1, ROW_BITS),
            direction: match bits(direction_at, 1) {
                0 => Direction::Forward,
                _ => Direction::Backward,
            },
            local: bits(local_at, LOCAL_BITS) as u16,
            other: bits(ORDINAL_BITS, ROW_BITS),
            ordinal: bits(0, ORDINAL_BITS) as u32,
        }
    }

    /// The first and the last key of the edges of `row` along one adjacency.
    #[inline]
    pub(crate) fn list(row: u64, direction: Direction, local: u16) -> (Key, Key) {
        let first = Self { row, direction, local, other: 0, ordinal: 0 };
        (first.key(), Self { other: (1 << ROW_BITS) - 1, ordinal: Self::ORDINALS - 1, ..first }.key())
    }

    /// The first and the last key of the edges of `row` along one adjacency that lead to `other`.
    #[inline]
    pub(crate) fn between(row: u64, direction: Direction, local: u16, other: u64) -> (Key, Key) {
        let first = Self { row, direction, local, other, ordinal: 0 };
        (first.key(), Self { ordinal: Self::ORDINALS - 1, ..first }.key())
    }

    /// The first and the last key of all edges of `len` rows from `row` on.
    #[inline]
    pub(crate) fn rows(row: u64, len: u64) -> (Key, Key) {
        let first = Self { row, direction: Direction::Forward, local: 0, other: 0, ordinal: 0 };
        let last = EdgeKey { row: row + len, ..first }.key();
        (first.key(), last.saturating_sub(1))
    }
}
