//! What merges have left to be done: what readers needed when the delta was last cleaned, and what was taken
//! out of it and is to be used again.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use trimorph_delta::Cleaned;
use trimorph_mvcc::{Epoch, Needed};

/// What merges have left to be done.
#[derive(Debug, Default)]
pub(crate) struct Merging {
    /// What was needed when all was last looked at.
    pub(crate) needed: Needed,
    /// How often something had been undone when all was last looked at.
    pub(crate) undone: u64,
    /// Before then the delta is not looked at again for readers who come and go beside others that stay.
    pub(crate) look_again: Option<Instant>,
    /// Facts that may be true again are not looked for before then, and are so long after that.
    pub(crate) facts_again: Option<(Instant, Duration)>,
    /// By how many bytes the delta grew while the last merge was at work.
    pub(crate) grown: usize,
    /// What was cleaned, and the last epoch in which somebody could find it.
    pub(crate) cleaned: VecDeque<(Epoch, Cleaned)>,
}

impl Merging {
    /// Whether something waits for readers to go.
    pub(crate) fn waits(&self) -> bool {
        !self.needed.is_newest_only() || !self.cleaned.is_empty()
    }

    /// Whether a look at the delta can wait, where `needed` is needed now: the last one was for the same main
    /// version and a moment ago, and somebody still keeps what the new version has.
    pub(crate) fn is_looked_at(&self, needed: &Needed, now: Instant) -> bool {
        self.look_again.is_some_and(|again| now < again)
            && needed.merged() == self.needed.merged()
            && !needed.is_newest_only()
    }
}
