//! The transaction of a connection: begun, run statement by statement, ended by its connection or by somebody
//! else.
//!
//! 1. A statement that fails undoes what it wrote and leaves the transaction open; a conflict ends it.
//! 2. A transaction that has answered nothing yet may begin again without anybody noticing: its first
//!    statement is run again when it meets a conflict. So is every statement at read committed, and one
//!    outside of transactions.
//! 3. Who meets conflicts again and again takes the turn: others wait with their commits until it has
//!    committed. Those that end by themselves are let pass first, and wait before they begin.
//!
//! Source: `docs/design/transactions.md`, "Retries".

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trimorph_mvcc::{Isolation, Passing, Turn};

use crate::Error;
use crate::sessions::{HasTransaction, Session};
use crate::shared::Shared;
use crate::update::Writing;

/// How a transaction is run. Each field has a method of its name:
/// `TransactionOptions::new().isolation(Isolation::Snapshot)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TransactionOptions {
    /// What it sees of others; unless told, as the database is configured.
    pub isolation: Option<Isolation>,
    /// It is ended when it takes longer.
    pub timeout: Option<Duration>,
    /// It does not write: what others commit meanwhile need not be kept for it, however long it is open.
    pub read_only: bool,
}

impl TransactionOptions {
    /// What is usual.
    pub fn new() -> Self {
        Self::default()
    }

    trimorph_loader::setters! {
        /// Sets [`Self::isolation`].
        isolation: Isolation => Some(isolation);
        /// Sets [`Self::timeout`]: a time, or none.
        timeout: impl Into<Option<Duration>> => timeout.into();
        /// Sets [`Self::read_only`].
        read_only: bool => read_only;
    }
}

/// How often a statement is run again before its conflict is told: some 150 ms in all.
pub(crate) const TRIES: u32 = 32;
/// How often it is run again because it was overtaken though it met nobody.
pub(crate) const LATE_TRIES: u32 = 8;
/// From this try on it takes the turn.
const TURN_FROM: u32 = 4;
/// The turn of who sets no timeout: nobody who forgets it stops the others for good.
const TURN_MAX: Duration = Duration::from_secs(10);
/// The first wait, and the longest: each is twice as long as the one before, less a part by chance.
const WAIT_FIRST: Duration = Duration::from_micros(50);
const WAIT_MAX: Duration = Duration::from_millis(8);

/// Waits after try number `tries` met a conflict.
pub(crate) fn back_off(tries: u32) {
    let longest = WAIT_FIRST.saturating_mul(1 << tries.min(16)).min(WAIT_MAX);
    // Threads that met each other have different ones.
    let chance = Instant::now().elapsed().subsec_nanos() ^ (std::ptr::from_ref(&longest).addr() >> 12) as u32;
    let part = f64::from(chance.wrapping_mul(0x9e37_79b9)) / f64::from(u32::MAX);
    std::thread::sleep(longest.mul_f64(0.5 + part / 2.0));
}

pub(crate) fn no_transaction() -> Error {
    Error::Transaction("there is no open transaction; begin one first".to_owned())
}

/// How a transaction that ends by itself goes among others.
pub(crate) enum Way<'s> {
    /// Beside them; who takes the turn lets it pass.
    Beside(#[expect(dead_code, reason = "held until it is dropped")] Passing<'s>),
    /// Others wait for it.
    Turn(Turn<'s>),
}

impl<'s> Way<'s> {
    /// After `tries` tries: from some number on with the turn, for `limit` at most.
    pub(crate) fn after(shared: &'s Shared, tries: u32, limit: Option<Duration>) -> Self {
        let (all, limit) = (&shared.live.transactions, limit.unwrap_or(TURN_MAX).min(TURN_MAX));
        if tries < TURN_FROM { Self::Beside(all.pass()) } else { Self::Turn(all.take_turn(limit)) }
    }

    /// The turn, if it has it.
    pub(crate) fn turn(&self) -> Option<&Turn<'s>> {
        match self {
            Self::Beside(_) => None,
            Self::Turn(turn) => Some(turn),
        }
    }
}

/// The transaction of a connection.
#[derive(Default)]
pub(crate) enum State {
    /// Each statement has its own.
    #[default]
    None,
    /// Begun, and neither committed nor rolled back.
    Open(Box<Running>),
    /// It was ended for a reason that its connection has yet to take notice of: all it wrote is undone.
    Ended(&'static str),
}

/// An open transaction.
pub(crate) struct Running {
    pub(crate) writing: Writing,
    /// Whether a statement of it has answered: what was read is known to somebody.
    pub(crate) has_answered: bool,
    pub(crate) session: Arc<Session>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Open(_) => "Open",
            Self::Ended(_) => "Ended",
        })
    }
}

impl HasTransaction for Mutex<State> {
    fn end(&self, number: u64, why: &'static str) {
        // Its connection has it for a moment where no statement is at work: between two tries of one, or
        // while it is looked at.
        let mut state = self.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(running) = &*state
            && running.session.number == number
        {
            let undone = std::mem::replace(&mut *state, State::Ended(why));
            drop(undone);
        }
    }
}

impl Running {
    /// Whether its statement may be run again without anybody noticing.
    pub(crate) fn may_begin_again(&self) -> bool {
        !self.has_answered || self.writing.level() == Isolation::ReadCommitted
    }
}

/// Why nothing more can be done in a transaction.
pub(crate) fn ended(why: &str) -> Error {
    Error::Transaction(format!("{why}; roll it back, then begin again"))
}

pub(crate) const BY_CONFLICT: &str = "the transaction met a conflict, and all it wrote was undone";
