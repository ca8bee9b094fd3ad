//! Nodes by the values of several indexed properties together: those that the first are equal to, and what
//! the next one is.
//!
//! 1. Main's index has rows in the order of lists of their values: those that are wanted lie between two
//!    lists. A list that is shorter stands before all that go on, nulls behind everything.
//! 2. In the delta each property has what was written to it: a row that is new among those that are wanted
//!    got at least one of the values that are asked for.
//! 3. Whatever is found is looked at again.
//!
//! Invariant: what is found is what a scan with the same conditions finds.

use std::ops::Bound;
use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_delta::{NodeDelta, RowsByValue};
use trimorph_types::{Value, equals};

use crate::{PropertyColumn, Reader, Wanted};

/// What is looked for in the columns of an index together.
#[derive(Clone, Copy, Debug)]
pub struct Together<'a> {
    /// The columns of the index, in its order.
    pub columns: &'a [usize],
    /// What the first of them are equal to; at least one.
    pub equal: &'a [Value],
    /// What the next one is.
    pub then: &'a Wanted,
}

impl Together<'_> {
    /// The lists between which the values stand; none where instants or times with zones are asked for, which
    /// are equal and stand apart.
    fn bounds(&self) -> Option<(Bound<Value>, Bound<Value>)> {
        let is_zoned = |value: &Value| matches!(value, Value::DateTime(_) | Value::Time(_));
        let (low, high) = self.then.bounds();
        let of = |bound: Bound<&Value>| match bound {
            Bound::Included(value) | Bound::Excluded(value) => is_zoned(value),
            Bound::Unbounded => false,
        };
        if self.equal.iter().any(is_zoned) || of(low) || of(high.as_ref()) {
            return None;
        }
        let list = |last: Option<&Value>| -> Vec<Value> { self.equal.iter().chain(last).cloned().collect() };
        let first = |last: Option<&Value>| Value::list(list(last));
        let last = |last: Option<&Value>| {
            let mut values = list(last);
            values.resize(self.columns.len().max(values.len()), Value::Null);
            Value::list(values)
        };
        let low = match low {
            Bound::Unbounded => Bound::Included(first(None)),
            Bound::Included(value) => Bound::Included(first(Some(value))),
            Bound::Excluded(value) => Bound::Excluded(last(Some(value))),
        };
        let high = match high.as_ref() {
            Bound::Unbounded => Bound::Included(last(None)),
            Bound::Included(value) => Bound::Included(last(Some(value))),
            Bound::Excluded(value) => Bound::Excluded(first(Some(value))),
        };
        Some((low, high))
    }

    /// The columns that are asked, each with what is looked for there.
    fn asked(&self) -> impl Iterator<Item = (usize, Wanted)> {
        let equal = self.equal.iter().map(|value| Wanted::Equal(value.clone()));
        self.columns.iter().copied().zip(equal.chain([self.then.clone()]))
    }
}

impl Reader<'_> {
    /// Appends the rows of a node table that have such values, ascending, each once; false, and nothing,
    /// where there is no index that tells.
    ///
    /// **Cost**: two searches in main, one for each property in the delta, and a look at each row that is
    /// found.
    pub fn find_together(&self, table: TableId, wanted: &Together<'_>, rows: &mut Vec<u64>) -> bool {
        let (Some(index), Some((low, high))) = (self.composite_index(table, wanted.columns), wanted.bounds())
        else {
            return false;
        };
        // Those of the delta may come and go at any time.
        let whole = |delta: &Arc<NodeDelta>, column: usize| delta.whole_index(u32::try_from(column).ok()?);
        let written: Option<Vec<RowsByValue>> = match self.node_changes(table) {
            None => Some(Vec::new()),
            Some(delta) => wanted.asked().map(|(column, _)| whole(delta, column)).collect(),
        };
        let Some(written) = written else { return false };
        if let Some(recording) = self.recording() {
            // Who comes to be found writes one of these values.
            wanted.asked().for_each(|(column, one)| recording.wanted(table, column, &one));
        }
        let mut found = Vec::new();
        let columns: Vec<_> = wanted.columns.iter().map(|column| self.node_column(table, *column)).collect();
        index.rows(index.range_together(low.as_ref(), high.as_ref(), &columns), &mut found);
        for ((_, one), written) in wanted.asked().zip(&written) {
            let (low, high) = one.bounds();
            found.extend(written.range(low, high.as_ref()));
        }
        found.sort_unstable();
        found.dedup();
        // Who is looked at and not found can only be found when one of the values is written.
        let column = |column: &usize| PropertyColumn::of_nodes(table, *column, self).unnoted();
        let values: Vec<PropertyColumn<'_, '_>> = wanted.columns.iter().map(column).collect();
        let is_such = |row: &u64| {
            let mut values = values.iter().map(|column| column.value(*row));
            let equal = wanted.equal.iter().zip(values.by_ref());
            // A row that is gone has no value.
            equal.into_iter().all(|(wanted, value)| equals(&value, wanted) == Some(true))
                && values.next().is_some_and(|value| wanted.then.holds(&value))
        };
        found.retain(is_such);
        if let Some(recording) = self.recording() {
            for (column, _) in wanted.asked() {
                found.iter().for_each(|row| recording.values(table, column, *row, 1));
            }
        }
        rows.append(&mut found);
        true
    }
}
