//! Takes rows of a column to which something was written, and a condition, gives those that pass.
//!
//! 1. Main's values are compared as they are encoded, also those of rows that were written.
//! 2. What is seen of rows that were written decides in the place of main's values.
//!
//! Where a value that was written is of another type than the column, the condition does not say whether it
//! passes: the answer is `None`, and the caller compares values.

use trimorph_storage::column::{ColumnView, Comparison, Condition, as_integer};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Nulls;

use crate::overlay::Overlay;

/// Whether a value of a column of type `ty` passes.
pub(crate) fn passes(condition: &Condition<'_>, value: &Value, ty: LogicalType) -> Option<bool> {
    match (condition, value) {
        (Condition::Present(present), value) => Some(*present != value.is_null()),
        (_, Value::Null) => Some(false),
        (Condition::Range(low, high), value) => {
            as_integer(ty, value).map(|integer| (*low..=*high).contains(&integer))
        }
        (Condition::Among(set), value) => as_integer(ty, value).map(|integer| set.contains(integer)),
        (Condition::Text { passes, .. }, Value::String(text)) if ty == LogicalType::String => {
            Some(passes(text))
        }
        (Condition::Text { .. }, _) => None,
    }
}

/// One column, and what was written to it.
pub(crate) struct AskedRows<'r, 's> {
    pub(crate) column: &'r ColumnView<'s>,
    pub(crate) overlay: &'r Overlay<'s>,
}

impl AskedRows<'_, '_> {
    /// Positions of rows of whose values something is seen, ascending, and whether these pass.
    fn written(
        &self,
        condition: &Condition<'_>,
        rows: impl Iterator<Item = (u32, u64)> + Clone,
    ) -> Option<Vec<(u32, bool)>> {
        let ty = self.column.logical_type();
        let written = self.overlay.values_written(rows, self.column)?;
        written.iter().map(|(position, value)| Some((*position, passes(condition, value, ty)?))).collect()
    }

    /// As [`Comparison::count`].
    pub(crate) fn count(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        first: u64,
        len: usize,
    ) -> Option<usize> {
        let mut count = comparison.count(self.column, condition, first, len)?;
        for (i, is_wanted) in self.written(condition, (0u32..).zip(first..).take(len))? {
            count += usize::from(is_wanted);
            count -= comparison.count(self.column, condition, first + u64::from(i), 1)?;
        }
        Some(count)
    }

    /// As [`Comparison::select`].
    pub(crate) fn select(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        first: u64,
        len: usize,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let written = self.written(condition, (0u32..).zip(first..).take(len))?;
        let before = out.len();
        comparison.select(self.column, condition, first, len, out)?;
        decide(out, before, &written);
        Some(())
    }

    /// As [`Comparison::select_at`].
    pub(crate) fn select_at(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        rows: &[(u32, u64)],
        out: &mut Vec<u32>,
    ) -> Option<()> {
        let written = self.written(condition, rows.iter().copied())?;
        let before = out.len();
        comparison.select_at(self.column, condition, rows.iter().copied(), out)?;
        decide(out, before, &written);
        Some(())
    }

    /// As [`ColumnView::scan_nulls`].
    pub(crate) fn scan_nulls(&self, first: u64, len: usize) -> Option<Nulls> {
        let written = self.overlay.values_written((0u32..).zip(first..).take(len), self.column)?;
        let mut nulls = self.column.scan_nulls(first, len)?;
        for (i, value) in written {
            if value.is_null() {
                nulls.set(i as usize, len);
            } else {
                nulls.clear(&[i]);
            }
        }
        Some(nulls)
    }
}

/// Of the positions from `before` on, ascending, those that were written are there if they pass, others as
/// they are.
fn decide(out: &mut Vec<u32>, before: usize, written: &[(u32, bool)]) {
    if written.is_empty() {
        return;
    }
    let of_main = out.split_off(before);
    let mut rest = of_main.into_iter().peekable();
    for (position, is_wanted) in written {
        while let Some(own) = rest.next_if(|own| own < position) {
            out.push(own);
        }
        rest.next_if_eq(position);
        if *is_wanted {
            out.push(*position);
        }
    }
    out.extend(rest);
}
