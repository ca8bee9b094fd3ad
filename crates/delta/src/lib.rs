//! What was changed and is not merged: edges, versions of rows, rows that came and went.
//!
//! ```text
//! tree    topology: edges from both ends, sorted as main's lists are (TAG §3)
//! ```
#![forbid(unsafe_code)]

mod tree;

pub use tree::Direction;
