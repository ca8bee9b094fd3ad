//! Columns that were decoded as a whole in, batches without the bad rows out.

use trimorph_store::bulk::{ColumnBatch, Lines, Origin, Rejected};

use crate::gather::{Columns, select};
use crate::pipeline::Parsed;
use crate::plan::{FieldPlan, TablePlan};

/// Rows are bad where a column is null that must not be.
pub(crate) fn mark_required(field: &FieldPlan, column: &ColumnBatch, bad: &mut [Option<String>]) {
    let Some(nulls) = column.nulls.as_ref().filter(|_| field.required) else { return };
    for (reason, _) in bad.iter_mut().zip(nulls).filter(|(_, null)| **null) {
        reason.get_or_insert_with(|| format!("column \"{}\" must not be null", field.name));
    }
}

/// Adds decoded columns, the first of whose rows has number `first`, to what a unit came to; the bad rows as
/// refused.
pub(crate) fn take_rows(
    parsed: &mut Parsed,
    plan: &TablePlan,
    mut columns: Vec<Option<ColumnBatch>>,
    bad: Vec<Option<String>>,
    first: u64,
) {
    let (mut rows, mut lines) = (bad.len(), Lines::From(first));
    if bad.iter().any(Option::is_some) {
        let mut good: Vec<u32> = Vec::new();
        for (row, reason) in bad.into_iter().enumerate() {
            match reason {
                Some(reason) => {
                    let line = first + row as u64;
                    parsed.rejects.push((Rejected { file: parsed.file, line, reason }, None));
                }
                None => good.push(u32::try_from(row).unwrap_or(u32::MAX)),
            }
        }
        for column in columns.iter_mut().flatten() {
            *column = select(column, &good);
        }
        rows = good.len();
        lines = Lines::Each(good.iter().map(|row| first + u64::from(*row)).collect());
    }
    parsed.rows += rows as u64;
    parsed.values += (rows * plan.parsed_fields()) as u64;
    let columns = Columns::new(columns, rows, Origin { file: parsed.file, lines });
    parsed.without_end += columns.without_end(plan);
    parsed.batches.extend(columns.into_batches(plan));
}
