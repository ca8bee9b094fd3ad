//! Parquet files: row groups in, batches out.
//!
//! 1. [`file`] reads the footer once and gives each column its type.
//! 2. [`work`] decodes a row group on any thread.
//! 3. [`crate::arrays`] makes columns of what was decoded.

mod file;
mod work;

pub(crate) use file::ParquetFile;
pub(crate) use work::ParquetWork;
