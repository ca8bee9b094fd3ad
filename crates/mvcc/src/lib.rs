//! Who is when: timestamps, the transaction table, visibility, and who conflicts with whom.
//!
//! ```text
//! stamp         what stands at a version: a commit timestamp, or the handle of who made it
//! view          what one reader sees
//! transactions  the table of transactions: handles, the order of commits, publication, validation
//! commits       commits in order: which are published, what the recent ones changed
//! snapshots     the views that are in use: what they need, when what was removed may be used again
//! needed        the commits whose versions somebody needs
//! row_set       some rows of a table: all, a few, or by zones
//! changes       what a transaction wrote, as sets of rows
//! read_set      what a transaction read, as sets of rows; what was written is asked against it
//! ```
//!
//! Nothing here knows a value or a tree: a change is ids of tables, rows and columns.
//!
//! Source: Neumann, Mühlbauer and Kemper, Fast serializable multi-version concurrency control, SIGMOD 2015;
//! `docs/design/transactions.md`.
#![forbid(unsafe_code)]

mod changes;
mod commits;
mod needed;
mod overlap;
mod read_set;
mod row_set;
mod snapshots;
mod stamp;
#[cfg(test)]
mod tests;
mod transactions;
mod view;

pub use changes::{Changes, EdgeChanges, LoadChanges, NodeChanges, WrittenValues};
pub use needed::Needed;
pub use overlap::Overlap;
pub use read_set::{EdgeReads, NodeReads, ReadRange, ReadSet};
pub use row_set::RowSet;
pub use snapshots::{Epoch, Inside, Intent, Registered, Snapshots, TooOld};
pub use stamp::{AtomicStamp, Handle, Stamp, Timestamp};
pub use transactions::{Conflict, Entry, Failed, Isolation, Open, Passing, Transactions, Turn};
pub use view::{Reading, View};
