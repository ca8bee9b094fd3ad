//! What other crates are tested with and against.
//!
//! ```text
//! graphs       random graphs as plain data, loaded through the bulk builder into a snapshot
//! queries      random openCypher texts over such a graph
//! interpreter  a naive interpreter of the logical algebra: the answers to compare with
//! broken       snapshots whose facts do not hold, or whose statistics are false
//! compare      answers as lists or multisets, with a readable difference
//! ```
//!
//! Everything is deterministic from a seed; whoever draws a seed prints it.
#![forbid(unsafe_code)]

pub mod broken;
pub mod compare;
pub mod graphs;
pub mod interpreter;
pub mod queries;

pub use trimorph_base::Random;

#[cfg(test)]
mod tests;
