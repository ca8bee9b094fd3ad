//! Transactions that a connection begins and ends, and the loop that runs one again after a conflict.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use trimorph_base::{CancelToken, forks};
use trimorph_mvcc::{Intent, Turn};

use super::Connection;
use crate::sessions::HasTransaction;
use crate::transaction::{Running, State, TRIES, Way, back_off, no_transaction};
use crate::update::Writing;
use crate::{Error, OpenTransaction, TransactionOptions};

impl Connection {
    /// The transactions that connections of the database have begun and not ended, as `SHOW TRANSACTIONS`.
    pub fn transactions(&self) -> Vec<OpenTransaction> {
        self.shared.sessions.list(self.shared.live().transactions.published())
    }

    /// Undoes a transaction of any connection, at once or as soon as its statement stops, as `TERMINATE
    /// TRANSACTION`; false if there is none of this number.
    pub fn terminate(&self, number: u64) -> bool {
        self.shared.sessions.terminate(number)
    }

    /// Begins a transaction: statements of this connection are parts of it until it is committed or rolled
    /// back, and see what they wrote.
    ///
    /// **Errors**: one is open.
    pub fn begin(&self) -> Result<(), Error> {
        self.begin_with(TransactionOptions::default())
    }

    /// The same with an isolation level and a timeout.
    pub fn begin_with(&self, options: TransactionOptions) -> Result<(), Error> {
        self.begin_under(options, None)
    }

    /// Runs `work` in a transaction of this connection and commits it. What ends in a conflict is run again,
    /// after a wait that grows from try to try; from the fourth try on others wait with their commits
    /// meanwhile. So `work` may run several times, and must do nothing else that cannot be done twice.
    ///
    /// **Errors**: what `work` fails with, and then all it wrote is undone; a conflict that was met again and
    /// again.
    pub fn transact<T>(
        &self,
        options: TransactionOptions,
        mut work: impl FnMut(&Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.transact_as(options, |error| matches!(error, Error::Conflict(_)), |own| work(own))
    }

    /// The same with errors of another kind, of which `is_conflict` tells those that may be tried again.
    pub fn transact_as<T, E: From<Error>>(
        &self,
        options: TransactionOptions,
        is_conflict: impl Fn(&E) -> bool,
        mut work: impl FnMut(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut tries = 0;
        loop {
            let way = Way::after(&self.shared, tries, options.timeout);
            self.begin_under(options, way.turn())?;
            let done = work(self);
            let done = match done {
                Ok(value) if self.in_transaction() => self.commit().map(|()| value).map_err(E::from),
                // It was ended by the work itself.
                Ok(value) => Ok(value),
                Err(error) => {
                    if self.in_transaction() {
                        self.rollback()?;
                    }
                    Err(error)
                }
            };
            match done {
                Err(error) if tries < TRIES && is_conflict(&error) => {}
                done => return done,
            }
            drop(way);
            back_off(tries);
            tries += 1;
        }
    }

    fn begin_under(&self, options: TransactionOptions, turn: Option<&Turn<'_>>) -> Result<(), Error> {
        self.shared.can_be_read_here()?;
        let _at_work = forks::at_work();
        let mut state = self.transaction()?;
        if !matches!(*state, State::None) {
            let text = "a transaction is open already; commit it or roll it back first";
            return Err(Error::Transaction(text.to_owned()));
        }
        // Room is for who writes. Once it has begun it is too late to wait: what it sees would have to stay.
        let expected = if options.read_only { 0 } else { self.last_written.load(Ordering::Relaxed) };
        if turn.is_none() {
            self.shared.wait_for_room(expected, &CancelToken::default());
        }
        let level = options.isolation.unwrap_or(self.own.isolation);
        let intent = if options.read_only { Intent::Read } else { Intent::MayWrite };
        // Under the turn nobody who regroups is waited for: he may wait for its end.
        let regrouping = turn.is_none().then(|| self.shared.regrouped.read());
        let writing = Writing::begin(&self.shared, (level, intent), CancelToken::default(), turn);
        drop(regrouping);
        let about = (writing.number(), level, writing.read());
        let (sessions, idle) = (&self.shared.sessions, self.own.idle_timeout);
        let owner: Arc<dyn HasTransaction> = Arc::clone(&self.transaction) as _;
        let session = sessions.begin(about, options.timeout, idle, Arc::downgrade(&owner));
        *state = State::Open(Box::new(Running { writing, has_answered: false, session }));
        Ok(())
    }

    /// Commits the transaction.
    ///
    /// **Errors**: none is open; [`Error::Conflict`], and one that was ended before: then it is rolled back.
    pub fn commit(&self) -> Result<(), Error> {
        self.shared.can_be_read_here()?;
        let _at_work = forks::at_work();
        match self.taken()? {
            State::Open(running) => running.writing.commit(&self.shared),
            State::Ended(why) => Err(Error::Transaction(format!("{why}; it cannot be committed"))),
            State::None => Err(no_transaction()),
        }
    }

    /// Undoes the transaction.
    ///
    /// **Errors**: none is open.
    pub fn rollback(&self) -> Result<(), Error> {
        self.shared.can_be_read_here()?;
        let _at_work = forks::at_work();
        match self.taken()? {
            State::None => Err(no_transaction()),
            // Dropped, it is undone.
            State::Open(_) | State::Ended(_) => Ok(()),
        }
    }

    /// The transaction, which the connection has no more.
    fn taken(&self) -> Result<State, Error> {
        let state = std::mem::take(&mut *self.transaction()?);
        if let State::Open(running) = &state {
            self.shared.sessions.end(running.session.number);
            self.last_written.store(running.writing.written(), Ordering::Relaxed);
        }
        Ok(state)
    }

    /// Whether a transaction was begun and not ended.
    pub fn in_transaction(&self) -> bool {
        // One that is at work is open.
        self.transaction().map_or(true, |state| !matches!(*state, State::None))
    }
}
