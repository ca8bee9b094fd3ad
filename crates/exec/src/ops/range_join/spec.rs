//! What a range join is told: where keys, bounds and kept columns are.

use trimorph_algebra::{BandKind, Wanted};

/// Slots of both sides. Output slots: `probe_keep`, then `build_keep`.
#[derive(Debug)]
pub(crate) struct RangeJoinSpec {
    pub(crate) probe_slots: usize,
    pub(crate) build_slots: usize,
    /// Of both sides: what must be equal.
    pub(crate) probe_on: Vec<usize>,
    pub(crate) build_on: Vec<usize>,
    /// Of the build side.
    pub(crate) key: usize,
    /// Of the probe side: what the key must not be below, and whether it may be equal.
    pub(crate) low: Option<(usize, bool)>,
    pub(crate) high: Option<(usize, bool)>,
    pub(crate) kind: BandKind,
    /// How many of the rows within the bounds are given, at least.
    pub(crate) wanted: Wanted,
    pub(crate) probe_keep: Vec<usize>,
    pub(crate) build_keep: Vec<usize>,
    /// The build side does not depend on the rows of an apply around.
    pub(crate) constant: bool,
}
