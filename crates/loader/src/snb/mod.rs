//! The LDBC Social Network Benchmark's CSV layouts: a directory in, files with plans out.
//!
//! 1. [`discover`] finds the entity directories and their parts.
//! 2. [`rules`] says what each entity means.
//! 3. [`plan`] compares that with the headers and declares the tables. `composite-merged-fk` (foreign-key
//!    columns) and `composite-projected-fk` (a file per relationship) are told apart by the headers alone and
//!    give the same graph.

mod discover;
mod plan;
mod rules;

pub(crate) use discover::{find_snapshot, from_memory, list_entities};
pub(crate) use plan::plan;
