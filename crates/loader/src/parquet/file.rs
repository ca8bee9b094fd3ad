//! The footer of a Parquet file in, columns and row groups out.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::Array as _;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use trimorph_store::bulk::ColumnData;
use trimorph_types::LogicalType;

use super::leaves::{Leaf, leaf_of, leaves};
use crate::LoadError;
use crate::arrays::convert;
use crate::csv::scan::DISTINCT_MAX;
use crate::guard::guard;
use crate::plan::{Nulls, Parse, TablePlan};

/// A Parquet file and what to make of its rows.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    pub(crate) path: PathBuf,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) metadata: ArrowReaderMetadata,
    /// Its columns.
    pub(crate) leaves: Arc<[Leaf]>,
}

impl ParquetFile {
    /// Opens a file: its column names and how each is taken. Columns of a type that no value has must be
    /// skipped. The plan is empty; the caller fills it in.
    pub(crate) fn open(
        path: &Path,
        is_skipped: &dyn Fn(&str) -> bool,
    ) -> Result<(Self, Vec<String>, Vec<Parse>), LoadError> {
        let file = File::open(path).map_err(|e| LoadError::io(path, "open", e))?;
        // Only what Parquet itself says about a column: Arrow's notes in the file ask for views and
        // dictionaries.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guard(path, || {
            ArrowReaderMetadata::load(&file, options)
                .map_err(|e| LoadError::format(path, format!("not a valid Parquet file: {e}")))
        })?;
        let found = leaves(metadata.schema().fields(), is_skipped).map_err(|(name, kind)| {
            let reason = format!("column \"{name}\" has type {kind}, which no property has");
            LoadError::format(path, reason).hint("skip it in the mapping's \"columns\"")
        })?;
        let names = found.iter().map(|leaf| leaf.name.clone()).collect();
        let parses = found.iter().map(|leaf| leaf.parse).collect();
        let plan = TablePlan {
            name: String::new(),
            fields: Vec::new(),
            outputs: Vec::new(),
            nulls: Nulls::default(),
            quoted_empty_is_null: false,
        };
        let file = Self { path: path.to_path_buf(), plan: Arc::new(plan), metadata, leaves: found.into() };
        Ok((file, names, parses))
    }

    /// The distinct texts of a column, in the order they appear; the empty one where it is null.
    pub(crate) fn distinct_values(
        &self,
        column: usize,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, LoadError> {
        let leaf =
            self.leaves.get(column).ok_or_else(|| LoadError::format(&self.path, "a column is missing"))?;
        guard(&self.path, || {
            let broken = |what: String| LoadError::format(&self.path, what);
            let file = File::open(&self.path).map_err(|e| LoadError::io(&self.path, "open", e))?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
            let mask = ProjectionMask::roots(builder.parquet_schema(), [leaf.root]);
            let reader = builder.with_projection(mask).with_batch_size(1 << 16);
            let (mut seen, mut values) = (HashSet::new(), Vec::new());
            for batch in reader.build().map_err(|e| broken(e.to_string()))? {
                if is_cancelled() {
                    return Err(LoadError::Cancelled);
                }
                let batch = batch.map_err(|e| broken(e.to_string()))?;
                let array = leaf_of(batch.column(0), &leaf.path).map_err(broken)?;
                let mut bad = vec![None; array.len()];
                let text = Parse::One(LogicalType::String);
                let found = convert(array.as_ref(), text, &leaf.name, &mut bad).map_err(broken)?;
                let ColumnData::String { bytes, ends } = &found.data else { continue };
                let mut start = 0;
                for (row, end) in ends.iter().enumerate() {
                    let is_null = found.nulls.as_ref().is_some_and(|nulls| nulls[row]);
                    let text = if is_null { &[][..] } else { bytes.get(start..*end as usize).unwrap_or(&[]) };
                    start = *end as usize;
                    if !seen.contains(text) {
                        seen.insert(text.to_vec());
                        values.push(String::from_utf8_lossy(text).into_owned());
                    }
                    if values.len() > DISTINCT_MAX {
                        let reason =
                            format!("column \"{}\" has more than {DISTINCT_MAX} different values", leaf.name);
                        return Err(LoadError::format(&self.path, reason));
                    }
                }
            }
            Ok(values)
        })
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
