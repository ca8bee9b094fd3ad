//! Commits in order: which are published, and what the recent ones changed.
//!
//! Invariant: the read timestamp is the last commit below which none is unfinished. Changes are kept as long
//! as somebody may have to be asked against them.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{Changes, Timestamp};

#[derive(Debug)]
struct Commit {
    /// None where nothing was changed, as it turned out.
    changes: Option<Arc<Changes>>,
    finished: bool,
}

/// Commits from the first that somebody still needs, in order.
#[derive(Debug)]
pub(crate) struct Commits {
    /// The timestamp of the first in `recent`.
    first: u64,
    recent: VecDeque<Commit>,
    published: Timestamp,
}

impl Commits {
    /// After a commit at `last`.
    pub(crate) fn after(last: Timestamp) -> Self {
        Self { first: last.0 + 1, recent: VecDeque::new(), published: last }
    }

    /// The next timestamp, for a commit of these changes.
    pub(crate) fn order(&mut self, changes: Arc<Changes>) -> Timestamp {
        self.recent.push_back(Commit { changes: Some(changes), finished: false });
        Timestamp(self.first + self.recent.len() as u64 - 1)
    }

    /// The last timestamp that was given.
    pub(crate) fn last(&self) -> Timestamp {
        Timestamp((self.first + self.recent.len() as u64 - 1).max(self.published.0))
    }

    /// What was changed after `read` and before `own`, published or not.
    pub(crate) fn between(&self, read: Timestamp, own: Timestamp) -> Vec<(Timestamp, Arc<Changes>)> {
        let begin = (read.0 + 1).max(self.first);
        (begin..own.0)
            .filter_map(|at| {
                let commit = self.recent.get((at - self.first) as usize)?;
                Some((Timestamp(at), Arc::clone(commit.changes.as_ref()?)))
            })
            .collect()
    }

    /// A commit is stamped, or undone. Gives the read timestamp.
    pub(crate) fn finish(&mut self, at: Timestamp, undone: bool) -> Timestamp {
        if let Some(commit) = self.recent.get_mut((at.0 - self.first) as usize) {
            commit.finished = true;
            if undone {
                commit.changes = None;
            }
        }
        let from = (self.published.0 + 1 - self.first) as usize;
        let done = self.recent.iter().skip(from).take_while(|commit| commit.finished).count();
        self.published = Timestamp(self.published.0 + done as u64);
        self.published
    }

    /// Forgets the changes that nobody who reads at `oldest` or later can be asked against.
    pub(crate) fn forget(&mut self, oldest: Timestamp) {
        let keep_from = oldest.min(self.published).0 + 1;
        while self.first < keep_from && self.recent.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// How many are kept.
    pub(crate) fn kept(&self) -> usize {
        self.recent.len()
    }
}
