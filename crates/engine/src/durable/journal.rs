//! Transactions in, a log that has them: what is asked of the log while a database is open.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use trimorph_base::Process;
use trimorph_log::{Commit, DeclarationBytes, Durability, Log, LogError, Position, TransactionWriter};
use trimorph_mvcc::Timestamp;
use trimorph_store::Live;

use crate::Error;

/// The log of an open database.
#[derive(Debug)]
pub(crate) struct Journal {
    /// None once it is closed.
    log: RwLock<Option<Log>>,
    durability: Durability,
    maker: Process,
}

fn forked() -> Error {
    let text = "this process was forked from the one that has the database open for writing: write there";
    Error::Storage(text.to_owned())
}

fn closed() -> Error {
    Error::Storage("the database was closed; open it again".to_owned())
}

impl Journal {
    pub(crate) fn new(log: Log, durability: Durability, live: &Arc<Live>) -> Self {
        let live = Arc::clone(live);
        log.tell_committed(move || live.transactions.published().0);
        Self { log: RwLock::new(Some(log)), durability, maker: Process::default() }
    }

    /// Whether anything is logged.
    pub(crate) fn is_kept(&self) -> bool {
        self.durability != Durability::Memory
    }

    fn with<T>(&self, ask: impl FnOnce(&Log) -> Result<T, LogError>) -> Result<T, Error> {
        // Whoever forgot to ask: the log's files are the parent's.
        if !self.maker.is_this() {
            return Err(forked());
        }
        let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
        Ok(ask(log.as_ref().ok_or_else(closed)?)?)
    }

    /// Logs names and tables: they last before whatever uses them.
    pub(crate) fn declare(&self, declarations: &DeclarationBytes) -> Result<(), Error> {
        self.with(|log| log.declare(declarations))
    }

    /// Logs a transaction that commits at `at`, and waits until it lasts if the durability says so.
    ///
    /// **Errors**: a full disk, after which others may commit; anything else poisons the log until the
    /// database is opened again.
    pub(crate) fn commit(
        &self,
        operations: TransactionWriter,
        handle: u64,
        at: Timestamp,
    ) -> Result<(), Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = i64::try_from(now.as_micros()).unwrap_or(i64::MAX);
        let bytes = operations.commit(&Commit { handle, timestamp: at.0, micros });
        self.with(|log| log.wait(log.append(&bytes)?))
    }

    /// The place behind all that was logged, from which it can be read; (0, 0) while nothing was.
    pub(crate) fn position(&self) -> Result<Position, Error> {
        let first = Position::new(1, Position::FIRST_OFFSET);
        let position = self.with(|log| Ok(log.position()))?;
        Ok(if position <= first { Position::default() } else { position })
    }

    /// The segment that is written: the first one while nothing was logged. The block that is being filled
    /// stays as it is, which [`Self::position`] ends.
    pub(crate) fn segment(&self) -> Result<u64, Error> {
        self.with(|log| Ok(log.segment()))
    }

    /// Segments that are made from now on are so long.
    pub(crate) fn set_segment_bytes(&self, len: u32) -> Result<(), Error> {
        self.with(|log| {
            log.set_segment_bytes(len);
            Ok(())
        })
    }

    /// Lets segments before `before` go.
    pub(crate) fn release(&self, before: Position) -> Result<(), Error> {
        self.with(|log| log.release(before))
    }

    /// Makes all that was logged last.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        match self.is_kept() {
            true => self.with(Log::sync),
            false => Ok(()),
        }
    }

    /// Makes all that was logged last, and says in the log that nothing is missing. Nothing is logged after.
    pub(crate) fn close(&self) -> Result<(), Error> {
        let log = self.log.write().unwrap_or_else(PoisonError::into_inner).take();
        log.map_or(Ok(()), |log| Ok(log.close()?))
    }
}
