//! Bulk load: files in, batches of columns into storage's [`trimorph_store::bulk::BulkSink`] out; and a generator.
//!
//! The data's way: [`source`] opens and decompresses, [`csv`] cuts, splits and parses, [`plan`] says what the columns of a
//! file mean, [`gather`] makes batches of them, [`pipeline`] keeps threads busy and batches in order. [`snb`] makes plans
//! from LDBC's layouts.
#![forbid(unsafe_code)]

mod column;
mod csv;
mod error;
mod gather;
pub mod generate;
mod load;
mod options;
mod parse;
mod pipeline;
mod plan;
mod progress;
mod rejects;
mod report;
mod snb;
mod source;

#[cfg(test)]
mod tests;

pub use error::LoadError;
pub use load::load;
pub use options::{Format, LoadOptions};
pub use progress::{NoProgress, Phase, Progress, ProgressState, Rates};
pub use rejects::Rejects;
pub use report::{FileReport, LoadReport};
