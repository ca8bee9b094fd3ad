//! A mapping file in, plans for CSV, JSON and Parquet files out.
//!
//! ```json
//! { "delimiter": ",", "null": "", "array_delimiter": ";",
//!   "nodes": [ { "file": "person.csv", "labels": ["Person"], "key": "id", "space": "Person",
//!                "columns": { "age": "int", "secret": "skip" } } ],
//!   "edges": [ { "file": "knows.parquet", "type": "KNOWS",
//!                "from": { "space": "Person", "column": "src" },
//!                "to": { "space": "Person", "column": "dst" } } ] }
//! ```
//!
//! Files are named relative to the mapping file; `.parquet` files are Parquet, `.jsonl`, `.ndjson` and
//! `.json` files JSON, all others CSV. A `"header": ["a", "b"]` names the columns of a CSV file without a
//! header line. `space` defaults to the labels joined by `:`. Columns of a CSV file whose type is not given
//! get the one [`infer`] finds; Parquet columns have their own.
//!
//! 1. [`read`] checks the JSON.
//! 2. [`infer`] guesses types, [`formats`] says how dates and times are written.
//! 3. [`draft`] says what the columns of a file are, [`plan`] declares the tables.
//!
//! [`guess_mapping`] writes one for a directory; [`table_file`] makes one of what a statement says.

mod draft;
mod formats;
mod guess;
mod infer;
mod plan;
mod read;
mod table_file;

pub(crate) use formats::Formats;
pub use guess::{GuessedMapping, guess_mapping};
pub(crate) use plan::plan;
pub(crate) use table_file::plan_table;
pub use table_file::{TableFile, TableRows};
