//! What merges have left to be done: what readers needed when the delta was last cleaned, and what was taken
//! out of it and is to be used again.

use std::collections::VecDeque;

use trimorph_delta::Cleaned;
use trimorph_mvcc::{Epoch, Needed};

/// What merges have left to be done.
#[derive(Debug, Default)]
pub(crate) struct Merging {
    /// What was needed when all was last looked at.
    pub(crate) needed: Needed,
    /// How often something had been undone when all was last looked at.
    pub(crate) undone: u64,
    /// What was cleaned, and the last epoch in which somebody could find it.
    pub(crate) cleaned: VecDeque<(Epoch, Cleaned)>,
}
