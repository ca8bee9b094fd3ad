//! The footer of a Parquet file in, columns and row groups out.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use crate::LoadError;
use crate::arrays::parse_of;
use crate::guard::guard;
use crate::plan::{Nulls, Parse, TablePlan};

/// A Parquet file and what to make of its rows.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    pub(crate) path: PathBuf,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Opens a file: its column names and how each is taken. Columns of a type that no value has must be
    /// skipped in `columns`. The plan is empty; the caller fills it in.
    pub(crate) fn open(
        path: &Path,
        columns: &BTreeMap<String, Parse>,
    ) -> Result<(Self, Vec<String>, Vec<Parse>), LoadError> {
        let file = File::open(path).map_err(|e| LoadError::io(path, "open", e))?;
        // Only what Parquet itself says about a column: Arrow's notes in the file ask for views and
        // dictionaries.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guard(path, || {
            ArrowReaderMetadata::load(&file, options)
                .map_err(|e| LoadError::format(path, format!("not a valid Parquet file: {e}")))
        })?;
        let mut names = Vec::new();
        let mut parses = Vec::new();
        for field in metadata.schema().fields() {
            let is_skipped = columns.get(field.name()) == Some(&Parse::Skip);
            let parse = if is_skipped { Some(Parse::Skip) } else { parse_of(field.data_type()) };
            let Some(parse) = parse else {
                let reason = format!(
                    "column \"{}\" has type {}, which no property has",
                    field.name(),
                    field.data_type()
                );
                return Err(LoadError::format(path, reason).hint("skip it in the mapping's \"columns\""));
            };
            names.push(field.name().clone());
            parses.push(parse);
        }
        let plan = TablePlan {
            name: String::new(),
            fields: Vec::new(),
            outputs: Vec::new(),
            nulls: Nulls::default(),
            quoted_empty_is_null: false,
        };
        Ok((Self { path: path.to_path_buf(), plan: Arc::new(plan), metadata }, names, parses))
    }

    /// Stored bytes.
    pub(crate) fn bytes_total(&self) -> u64 {
        self.metadata.metadata().row_groups().iter().map(|g| g.compressed_size().unsigned_abs()).sum()
    }

    /// Stored bytes and memory taken by a row group; `None` behind the last one.
    pub(crate) fn group_bytes(&self, group: usize) -> Option<(u64, usize)> {
        let group = self.metadata.metadata().row_groups().get(group)?;
        let decoded = usize::try_from(group.total_byte_size()).unwrap_or(usize::MAX);
        Some((group.compressed_size().unsigned_abs(), decoded.saturating_mul(3)))
    }

    /// Rows in front of a row group.
    pub(super) fn rows_before(&self, group: usize) -> u64 {
        let groups = self.metadata.metadata().row_groups();
        groups.iter().take(group).map(|g| g.num_rows().unsigned_abs()).sum()
    }
}
