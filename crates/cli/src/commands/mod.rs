//! The subcommands, one per file.

pub(crate) mod bench;
mod bytes_chart;
pub(crate) mod check;
pub(crate) mod demo;
mod demo_profile;
mod demo_questions;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod load;
pub(crate) mod query;
pub(crate) mod stats;
