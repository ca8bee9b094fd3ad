//! What merges have left to be done, in the order in which readers let it: main versions behind which the
//! delta is to be cleaned, and what was cleaned and is to be used again.

use std::collections::VecDeque;

use trimorph_delta::Cleaned;
use trimorph_mvcc::{Epoch, Timestamp};

/// What merges have left to be done.
#[derive(Debug, Default)]
pub(crate) struct Merging {
    /// Main versions that were published, and the last epoch in which somebody got an older one.
    pub(crate) published: VecDeque<(Epoch, Timestamp)>,
    /// All main versions that somebody reads with the delta have the commits up to here.
    pub(crate) settled: Timestamp,
    /// How often something had been undone when all was last looked at.
    pub(crate) undone: u64,
    /// What was cleaned, and the last epoch in which somebody could find it.
    pub(crate) cleaned: VecDeque<(Epoch, Cleaned)>,
}
