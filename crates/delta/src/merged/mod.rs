//! What commits made, for a main version that is to have it, and what is cleaned once all have it.
//!
//! ```text
//! rows       the rows of one table that came, changed or went
//! edges      edges that came or went, and edges whose values changed
//! cleaning   what main has for everybody is taken out, and given back once nobody can be looking at it
//! cleaning_edges
//!            the same of edges and their keys
//! ```
//!
//! A merge of the commits above `from` and up to `to` reads beside writers: what has these stamps is
//! finished. Cleaning up to `merged` asks that every main version that somebody reads with the delta has the
//! commits up to there. It goes in two steps: [`crate::Delta::clean`] takes out of chains and trees, so that
//! nobody who comes finds it; when all who were there then are gone, [`crate::Delta::give_back`] lets pages,
//! records, rows and positions be used again.
//!
//! Source: `docs/design/transactions.md`, "Merge".

mod cleaning;
mod cleaning_edges;
mod edges;
mod rows;

pub use cleaning::Cleaned;
pub use edges::EdgesWritten;
pub use rows::RowsWritten;

use trimorph_mvcc::{AtomicStamp, Timestamp};

/// Commits above `from` and up to `to`, which are all published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commits {
    /// What main has.
    pub from: Timestamp,
    /// What it is to have.
    pub to: Timestamp,
}

/// When something was made.
enum When {
    /// Main has it.
    Before,
    /// By one of the commits.
    Within,
    /// Later, or not yet, or never.
    Otherwise,
}

impl Commits {
    fn when(&self, stamp: &AtomicStamp) -> When {
        let stamp = stamp.load();
        if stamp.is_at_most(self.from) {
            When::Before
        } else if stamp.is_at_most(self.to) {
            When::Within
        } else {
            When::Otherwise
        }
    }

    fn made(&self, stamp: &AtomicStamp) -> bool {
        matches!(self.when(stamp), When::Within)
    }
}
