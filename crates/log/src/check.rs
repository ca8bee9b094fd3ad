//! Reads a log and says what is there, for `trimorph check`: every block, every record. Changes nothing.

use std::path::Path;

use trimorph_vfs::FileSystem;

use crate::replay::Replayed;
use crate::walk::walk;
use crate::{LogError, Position};

/// What a log holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogReport {
    /// Segments that are there.
    pub segments: u64,
    /// Blocks that were read.
    pub blocks: u64,
    /// Transactions that were committed.
    pub transactions: u64,
    /// Their operations.
    pub operations: u64,
    /// Names, tables and columns.
    pub declarations: u64,
    /// Behind the last valid block.
    pub end: Position,
    /// The database was closed.
    pub is_closed: bool,
    /// Blocks lie behind the end, or part of a transaction at it: those who wrote them got no answer.
    pub is_torn: bool,
}

/// Reads the log from `from` on and decodes all of it.
///
/// **Errors**: what opening refuses.
pub fn check(fs: &dyn FileSystem, dir: &Path, from: Position, database: u128) -> Result<LogReport, LogError> {
    let mut operations = 0;
    let walked = walk(fs, dir, from, database, &mut |replayed| {
        if let Replayed::Transaction(transaction) = replayed {
            for operation in transaction.operations() {
                operation?;
                operations += 1;
            }
        }
        Ok(())
    })?;
    if let Some(damage) = walked.damage(dir) {
        return Err(damage);
    }
    Ok(LogReport {
        segments: walked.segments.len() as u64,
        blocks: walked.blocks,
        transactions: walked.transactions,
        operations,
        declarations: walked.declarations,
        end: walked.end,
        is_closed: walked.is_closed,
        is_torn: walked.has_later || walked.is_within,
    })
}
