//! What makes a database in a directory last: the log of what its transactions did, and opening it again.
//!
//! ```text
//! follow    a directory      -> the same, and what is new in it while somebody else writes
//! open      a directory      -> main, what its log says since, and the log to go on with
//! replay    the log          -> batches of transactions; names and tables
//! prepare   one operation    -> rows and values that are known to make sense, facts that they break
//! apply     prepared batches -> the delta, on several threads
//! declare   schemas          <-> declarations
//! journal   transactions     -> the log
//! registry  paths            -> databases that this process has open
//! ```
//!
//! Source: `docs/design/log.md`; `docs/design/transactions.md`, "A commit".

mod apply;
mod declare;
mod follow;
mod journal;
mod open;
mod prepare;
mod registry;
mod replay;

pub(crate) use declare::declared;
pub(crate) use follow::{Following, Found, Source};
pub(crate) use journal::Journal;
pub(crate) use open::{Opened, check, log_folder, log_options, merged_from, open_to_write, random_number};
pub(crate) use registry::{Claimed, Registered, claim, find};
