//! View: what one reader sees: takes the stamp of a version, tells whether it is there.

use crate::{AtomicStamp, Conflict, Handle, Stamp, Timestamp, Transactions};

/// A view, and the table that tells what became of transactions whose handles stand at versions.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'t> {
    /// What is seen.
    pub view: View,
    /// The table.
    pub transactions: &'t Transactions,
}

impl Reading<'_> {
    /// Whether a version is there, given its stamp and the number of the statement that made it.
    #[inline]
    pub fn sees(&self, stamp: &AtomicStamp, statement: u32) -> bool {
        self.view.sees(stamp, statement, self.transactions)
    }

    /// As [`View::is_merged`].
    #[inline]
    pub fn is_merged(&self, stamp: &AtomicStamp) -> bool {
        self.view.is_merged(stamp)
    }

    /// As [`View::may_replace`].
    pub fn may_replace(&self, stamp: &AtomicStamp) -> Result<bool, Conflict> {
        self.view.may_replace(stamp, self.transactions)
    }
}

/// What one reader sees. Small, copied freely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Commits up to here.
    pub read: Timestamp,
    /// Whose own versions are seen, too.
    pub own: Option<Handle>,
    /// The first statement number whose own versions are not seen.
    pub statement: u32,
    /// Commits up to here are in the main version that is read: their versions do not count any more. Never
    /// above `read`.
    pub merged: Timestamp,
    /// When who sees this has committed, if he has: what he wrote stands at this timestamp, and is seen as
    /// it was before.
    pub committed: Option<Timestamp>,
}

impl View {
    /// What was committed at `read`.
    pub fn at(read: Timestamp) -> Self {
        Self { read, own: None, statement: 0, merged: Timestamp(0), committed: None }
    }

    /// The same over a main version that has the commits up to `merged`.
    pub fn over(self, merged: Timestamp) -> Self {
        Self { merged, ..self }
    }

    /// Whether what has this stamp is in the main version that is read.
    #[inline]
    pub fn is_merged(&self, stamp: &AtomicStamp) -> bool {
        stamp.load().is_at_most(self.merged)
    }

    /// Whether a version is there, given its stamp and the number of the statement that made it.
    ///
    /// **Cost**: a comparison, as a rule; a look into the table where the version is somebody's who has not
    /// stamped it yet.
    #[inline]
    pub fn sees(&self, stamp: &AtomicStamp, statement: u32, transactions: &Transactions) -> bool {
        let stands = stamp.load();
        stands.is_at_most(self.read)
            || (stands.handle().is_some() && self.sees_open(stands, stamp, statement, transactions))
            || (self.committed.is_some() && self.sees_own(stamp, statement))
    }

    /// Whether a version is there for sure and not in the main version that is read: its stamp alone says so,
    /// as of most. Where not, [`Self::is_merged`] and [`Self::sees`] are to be asked.
    #[inline(always)]
    pub fn has_surely_come(&self, stands: Stamp, statement: u32) -> bool {
        let by_commit = stands.is_at_most(self.read) && !stands.is_at_most(self.merged);
        let by_own =
            || stands.handle().is_some() && stands.handle() == self.own && statement < self.statement;
        by_commit || by_own()
    }

    #[cold]
    fn sees_own(&self, stamp: &AtomicStamp, statement: u32) -> bool {
        statement < self.statement && stamp.load().timestamp() == self.committed
    }

    #[cold]
    fn sees_open(
        &self,
        mut stands: Stamp,
        stamp: &AtomicStamp,
        statement: u32,
        transactions: &Transactions,
    ) -> bool {
        while let Some(handle) = stands.handle() {
            if Some(handle) == self.own {
                return statement < self.statement;
            }
            match transactions.outcome(handle) {
                Some(outcome) => return outcome.is_at_most(self.read),
                // It has left the table, so it has stamped all its versions, but those that it lost.
                None if stamp.load() == stands => return false,
                None => stands = stamp.load(),
            }
        }
        stands.is_at_most(self.read)
    }

    /// Whether something may be put in the place of a version that writes the same. `true`: the version is
    /// the newest that counts. `false`: it was undone, and the one before it is to be asked.
    ///
    /// **Errors**: its maker has not committed, or committed after what this reader sees. At read committed,
    /// too: the statement has computed what it writes from what it saw, and is to be run again.
    pub fn may_replace(&self, stamp: &AtomicStamp, transactions: &Transactions) -> Result<bool, Conflict> {
        let mut stands = stamp.load();
        while let Some(handle) = stands.handle() {
            if Some(handle) == self.own {
                return Ok(true);
            }
            match transactions.outcome(handle) {
                // Open, or undone and not yet marked.
                Some(outcome) if outcome.handle().is_some() => return Err(Conflict::Open(handle)),
                Some(outcome) => stands = outcome,
                None if stamp.load() == stands => return Ok(false),
                None => stands = stamp.load(),
            }
        }
        match stands.timestamp() {
            None => Ok(false),
            Some(made) if made <= self.read => Ok(true),
            Some(made) => Err(Conflict::Newer(made)),
        }
    }
}
