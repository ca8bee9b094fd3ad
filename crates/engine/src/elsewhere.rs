//! What the thread that merges knows of nodes that are in other tables than their labels say, and of indexes
//! that literals want, from one look to the next (`regrouping.rs`).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use trimorph_base::{PropertyId, TableId};

/// What is known of nodes that are in other tables than their labels say.
#[derive(Debug, Default)]
pub(crate) struct Regrouping {
    /// Commits that it made itself.
    pub(crate) own: u64,
    /// How many others had made when somebody last looked, and since when it is so many.
    pub(crate) others: Option<(u64, Instant)>,
    /// How much is written when enough may be elsewhere.
    pub(crate) looked_at: u64,
    /// Nodes that are elsewhere and did not move.
    pub(crate) stayed: u64,
    /// The tables that are still to be looked at, the next one last, and the row to go on with.
    pub(crate) left: Vec<TableId>,
    pub(crate) from: u64,
    pub(crate) moved: u64,
    /// The main version, by its last commit, in which no literals were found that want an index.
    pub(crate) indexed_in: Option<u64>,
    /// Properties that had an index, or were to have none: who dropped or left it out wants it so.
    pub(crate) had: BTreeSet<PropertyId>,
    /// When the next ones may move.
    pub(crate) rests_until: Option<Instant>,
}

impl Regrouping {
    /// How long it is until something may be done, which begins when others have made no more commits than
    /// they have by now for a pause.
    pub(crate) fn wait(&mut self, others: u64, pause: Duration) -> Duration {
        if self.others.is_none_or(|(seen, _)| seen != others) {
            self.others = Some((others, Instant::now()));
        }
        let pause = self.others.map_or(pause, |(_, since)| pause.saturating_sub(since.elapsed()));
        let rest =
            self.rests_until.map_or(Duration::ZERO, |end| end.saturating_duration_since(Instant::now()));
        pause.max(rest)
    }
}
