//! Bulk load: files in, batches of columns into storage's [`trimorph_store::bulk::BulkSink`] out; and a
//! generator.
//!
//! The data's way: [`source`] opens and decompresses, [`csv`] cuts, splits and parses, [`plan`] says what the
//! columns of a file mean, [`gather`] makes batches of them, [`pipeline`] keeps threads busy and batches in
//! order. [`snb`], [`neo4j`] and [`mapping`] make plans from what files and headers say; [`json`] reads
//! objects, [`parquet`] row groups instead of rows of text, [`frames`] takes batches of Arrow arrays from a
//! caller. [`statements`] builds a graph of RDF.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "arrow", feature = "parquet", feature = "rdf")),
    allow(dead_code, reason = "what only a door uses that is left out is left in")
)]

#[cfg(feature = "arrow")]
mod arrays;
mod column;
mod csv;
mod decoded;
mod detect;
mod error;
mod feed;
mod files;
#[cfg(feature = "arrow")]
pub mod frames;
mod gather;
pub mod generate;
#[cfg(feature = "arrow")]
mod guard;
mod json;
mod lines;
mod load;
mod mapping;
mod neo4j;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
mod parse;
mod pipeline;
mod plan;
mod progress;
mod rejects;
mod report;
mod shown;
mod sink;
mod snb;
mod source;
#[cfg(feature = "rdf")]
pub mod statements;
mod type_name;

#[cfg(test)]
mod tests;

#[cfg(feature = "arrow")]
pub use arrays::values_of;
pub use error::LoadError;
#[cfg(feature = "arrow")]
pub use frames::load_frames;
pub use load::{load, load_table};
pub use mapping::{GuessedMapping, TableFile, TableRows, guess_mapping};
pub use options::{FileGroup, Format, IdType, LoadOptions};
pub use plan::FellToText;
pub use progress::{NoProgress, Phase, Progress, ProgressState, Rates};
pub use rejects::Rejects;
pub use report::{ColumnReport, FileReport, LoadReport};
pub use sink::{Compression, Sink};
pub use source::{decompress, open_file};
pub use trimorph_store::bulk::OnConflict;
