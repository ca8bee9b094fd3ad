//! The list-based processor: an algebra plan in, chunks of vectors out.
//!
//! ```text
//! lower      plan -> physical plan; decides for each variable its list group and for each extend its form
//! physical   the physical plan: data that is kept and run any number of times
//! build      physical plan -> operators, for each thread its own
//! expr       expressions over list groups: vectorised where types are known, row by row otherwise
//! spill      rows that memory has no room for, in temporary files
//! ops        one operator per file; `next` fills the shared chunk
//! execution  pulls the root: lazily on the caller's thread, or by morsels on all cores below a breaker
//! round      many batches of the root, which all threads work on at once
//! ```
//!
//! Source: GF-CL §6; design §8.
#![forbid(unsafe_code)]

mod build;
mod charge;
mod context;
mod counters;
mod error;
mod execution;
mod expr;
mod given_rows;
mod keys;
mod layout;
mod lower;
mod operator;
mod ops;
mod parallel;
mod parameters;
mod physical;
mod profile;
mod round;
mod rows;
mod running;
mod spill;
mod stack;
mod volatile;

pub use context::{Context, Settings};
pub use counters::ProfileLine;
pub use error::ExecError;
pub use execution::Execution;
pub use given_rows::GivenRows;
pub use parameters::{check_parameter, missing_parameter};
pub use physical::{Form, PhysicalOptions, PhysicalPlan};
pub use profile::Profile;
pub use round::Run;
pub use spill::{SpillArea, SpillError, TemporaryDirectory, TemporaryFile, TemporaryFiles};
