//! A row group in, batches and refused rows out.

use std::fs::File;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use trimorph_store::bulk::ColumnBatch;

use super::ParquetFile;
use super::leaves::leaf_of;
use crate::LoadError;
use crate::arrays::{convert, value_bytes};
use crate::decoded::{mark_required, take_rows};
use crate::guard::guard;
use crate::pipeline::{Parsed, Work};
use crate::plan::Parse;

/// Rows decoded at once.
const BATCH_ROWS: usize = 1 << 16;

/// A row group, to be decoded.
pub(crate) struct ParquetWork {
    file: ParquetFile,
    index: u32,
    group: usize,
}

impl ParquetWork {
    pub(crate) fn new(file: &ParquetFile, index: u32, group: usize) -> Self {
        Self { file: file.clone(), index, group }
    }

    fn decode(&self) -> Result<Parsed, LoadError> {
        let path = &self.file.path;
        let broken = |what: String| LoadError::format(path, format!("row group {}: {what}", self.group));
        let reader = File::open(path).map_err(|e| LoadError::io(path, "open", e))?;
        let plan = &self.file.plan;
        let wanted: Vec<usize> =
            (0..plan.fields.len()).filter(|i| plan.fields[*i].parse != Parse::Skip).collect();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(reader, self.file.metadata.clone());
        let leaves = &self.file.leaves;
        let mut roots: Vec<usize> = wanted.iter().map(|field| leaves[*field].root).collect();
        roots.sort_unstable();
        roots.dedup();
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots.iter().copied());
        // Not one batch per row group: the decoder sets memory aside for as many rows as it is told, and a
        // broken file says any.
        let reader =
            builder.with_row_groups(vec![self.group]).with_projection(mask).with_batch_size(BATCH_ROWS);
        let reader = reader.build().map_err(|e| broken(e.to_string()))?;
        let mut parsed = Parsed { file: self.index, ..Parsed::default() };
        let mut line = self.file.rows_before(self.group) + 1;
        for batch in reader {
            let batch = batch.map_err(|e| broken(e.to_string()))?;
            let rows = batch.num_rows();
            let mut columns: Vec<Option<ColumnBatch>> = vec![None; plan.fields.len()];
            let mut bad: Vec<Option<String>> = vec![None; rows];
            for field in &wanted {
                let leaf = &leaves[*field];
                let at =
                    roots.binary_search(&leaf.root).map_err(|_| broken("a column is missing".to_owned()))?;
                let array = leaf_of(batch.column(at), &leaf.path).map_err(broken)?;
                parsed.bytes += value_bytes(array.as_ref());
                let name = &plan.fields[*field].name;
                let column =
                    convert(array.as_ref(), plan.fields[*field].parse, name, &mut bad).map_err(broken)?;
                mark_required(&plan.fields[*field], &column, &mut bad);
                columns[*field] = Some(column);
            }
            take_rows(&mut parsed, plan, columns, bad, line);
            line += rows as u64;
        }
        Ok(parsed)
    }
}

impl Work for ParquetWork {
    fn run(self: Box<Self>) -> Parsed {
        guard(&self.file.path, || self.decode()).unwrap_or_else(|error| Parsed {
            file: self.index,
            error: Some(error),
            ..Parsed::default()
        })
    }
}
