//! Some rows of batches.

use trimorph_types::LogicalType;

use super::edges::{Rows, blank, extend};
use super::{ColumnBatch, ColumnData, Lines, NodeBatch, Origin};

fn type_of(data: &ColumnData) -> LogicalType {
    match data {
        ColumnData::Bool(_) => LogicalType::Bool,
        ColumnData::Int(_) => LogicalType::Int,
        ColumnData::Float(_) => LogicalType::Float,
        ColumnData::Date(_) => LogicalType::Date,
        ColumnData::LocalTime(_) => LogicalType::LocalTime,
        ColumnData::LocalDateTime(_) => LogicalType::LocalDateTime,
        ColumnData::DateTime(_) => LogicalType::DateTime,
        ColumnData::String { .. } => LogicalType::String,
        ColumnData::Values(_) => LogicalType::Any,
    }
}

/// Some rows of columns.
pub(super) fn picked(columns: &[ColumnBatch], rows: &[usize]) -> Vec<ColumnBatch> {
    let pick = |column: &ColumnBatch| {
        let mut out = blank(type_of(&column.data), 0);
        out.nulls = None;
        extend(&mut out, column, &Rows::Each(rows.to_vec()), 0);
        out
    };
    columns.iter().map(pick).collect()
}

/// The rows of a batch that `keep` names.
pub(super) fn rest(batch: &NodeBatch, keep: impl Fn(usize) -> bool) -> NodeBatch {
    let count = batch.keys.as_ref().map_or(0, ColumnData::len);
    let rows: Vec<usize> = (0..count).filter(|i| keep(*i)).collect();
    let keys = batch.keys.as_ref().and_then(|keys| {
        let keys = ColumnBatch { data: keys.clone(), nulls: None };
        Some(picked(&[keys], &rows).pop()?.data)
    });
    let lines = rows.iter().map(|i| batch.origin.lines.line(*i)).collect();
    let origin = Origin { file: batch.origin.file, lines: Lines::Each(lines) };
    NodeBatch { keys, columns: picked(&batch.columns, &rows), origin }
}

/// The value of a row of a column.
pub fn value_of(column: &ColumnBatch, row: usize) -> trimorph_types::Value {
    match &column.nulls {
        Some(nulls) if nulls.get(row) == Some(&true) => trimorph_types::Value::Null,
        _ => crate::column::value_at(&column.data, row),
    }
}
