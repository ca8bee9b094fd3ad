//! Parquet files: row groups in, batches out.
//!
//! 1. [`file`] reads the footer once and gives each column its type.
//! 2. [`leaves`] takes structs apart.
//! 3. [`work`] decodes a row group on any thread.
//! 4. [`crate::arrays`] makes columns of what was decoded.

mod file;
mod leaves;
mod work;

pub(crate) use file::ParquetFile;
pub(crate) use work::ParquetWork;
