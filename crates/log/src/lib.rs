//! The log: what makes a commit last. Operations of transactions in, bytes in segments out, and back again
//! after a crash. `docs/design/log.md` is its design: grammar, recovery table, what is assumed of the disk.
//!
//! ```text
//! operation, record, values, bytes   operations    <-> bytes
//! transaction                        operations    -> the bytes of a whole transaction
//! buffer, block                      records       -> blocks
//! log                                blocks        -> segments: group commit, holds
//! segment                            places        -> blocks
//! replay                             blocks        -> transactions
//! walk, recover                      a directory   -> transactions, a log that goes on
//! follower                           a directory   -> transactions, while somebody else writes
//! check                              a directory   -> what is there
//! ```
//!
//! Nothing in here knows tables or values other than by ids and vectors.
#![forbid(unsafe_code)]

mod block;
mod buffer;
mod bytes;
mod check;
mod error;
mod follower;
mod log;
mod operation;
mod position;
mod record;
mod recover;
mod replay;
mod segment;
#[cfg(test)]
mod tests;
mod transaction;
mod values;
mod walk;

pub use bytes::ROWS_MAX;
pub use check::{LogReport, check};
pub use error::LogError;
pub use follower::{Follower, Take};
pub use log::{Durability, Hold, Log, LogOptions};
pub use operation::{Column, Commit, Declaration, LoadedPart, Name, Operation, Owner, Subject};
pub use position::Position;
pub use record::{Record, RecordError, decode};
pub use recover::{Recover, Recovered, read};
pub use replay::{Place, Replayed, Transaction};
pub use transaction::{DeclarationBytes, LogMark, TransactionBytes, TransactionWriter};
