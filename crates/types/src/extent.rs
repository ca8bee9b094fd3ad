//! What lists and maps are kept in: their contents, and how large and how deep they are.

use std::ops::Deref;

/// How large a value is, shared parts counted wherever they occur: what walking it, copying it out or
/// printing it has to go through.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Extent {
    /// Bytes, with those of the cell itself; stops at the largest number.
    pub bytes: u64,
    /// Lists and maps around the innermost value.
    pub depth: u32,
}

/// Largest [`Extent`] of a value that an expression may make: 2 GiB, and as deep as a value can be walked on
/// a small stack.
pub const EXTENT_MAX: Extent = Extent { bytes: 2 << 30, depth: 1000 };

/// A list's or a map's contents with their extent.
#[derive(Clone, Debug)]
pub struct Nested<T> {
    pub(crate) content: T,
    pub(crate) extent: Extent,
}

impl<T> Nested<T> {
    /// The extent, with that of the value's own cell.
    pub fn extent(&self) -> Extent {
        self.extent
    }
}

impl<T> Deref for Nested<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.content
    }
}
