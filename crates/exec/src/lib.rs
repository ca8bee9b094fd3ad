//! The list-based processor: an algebra plan in, chunks of vectors out.
//!
//! ```text
//! lower      plan -> operator tree; decides for each variable its list group and for each extend its form
//! expr       expressions over list groups: vectorised where types are known, row by row otherwise
//! ops        one operator per file; `next` fills the shared chunk
//! execution  pulls the root: lazily on the caller's thread, or by morsels on all cores below a breaker
//! ```
//!
//! Source: GF-CL §6; design §8.
#![forbid(unsafe_code)]

mod charge;
mod context;
mod error;
mod execution;
mod expr;
mod keys;
mod layout;
mod lower;
mod operator;
mod ops;
mod parallel;
mod parameters;
mod rows;

pub use context::{Context, Settings};
pub use error::ExecError;
pub use execution::{Execution, Profile, ProfileLine};
