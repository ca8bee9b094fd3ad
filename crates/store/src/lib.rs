//! The one way in: snapshots, access patterns and their planner, statistics (design §6).
#![forbid(unsafe_code)]

pub use trimorph_storage::bulk;
