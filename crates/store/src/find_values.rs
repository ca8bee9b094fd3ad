//! Nodes by the value of an indexed property: main's index and what was written since, as one.
//!
//! 1. Main's rows stand in the order of values: those between two bounds are found by two searches.
//! 2. The delta knows who got such a value since.
//! 3. Either may have lost it, or be gone, or have another type than was asked for: so each is looked at
//!    again, as the snapshot sees it.
//!
//! Invariant: what is found is what a scan with the same condition finds.

use trimorph_base::TableId;

use crate::{PropertyColumn, Reader, Wanted};

impl Reader<'_> {
    /// Whether rows of a node table are found by the values of a column without a scan.
    pub fn has_value_index(&self, table: TableId, column: usize) -> bool {
        let main = self.main_table(table).is_some_and(|main| main.value_index(column).is_some());
        // What was written since is found only where somebody has asked for that.
        main && self
            .node_changes(table)
            .is_none_or(|delta| delta.index(u32::try_from(column).unwrap_or(u32::MAX)).is_some())
    }

    /// How many rows main has with such values, about. **Cost**: two searches.
    pub fn count_values(&self, table: TableId, column: usize, wanted: &Wanted) -> u64 {
        let Some(index) = self.value_index(table, column) else { return 0 };
        let (low, high) = wanted.bounds();
        let range = index.range(low, high.as_ref(), self.node_column(table, column));
        range.end - range.start
    }

    /// Appends the rows of a node table that have such a value, ascending, each once; false, and nothing,
    /// where there is no index that tells.
    ///
    /// **Cost**: two searches in main, one in the delta, and a look at each row that is found.
    pub fn find_values(&self, table: TableId, column: usize, wanted: &Wanted, rows: &mut Vec<u64>) -> bool {
        if !self.has_value_index(table, column) {
            return false;
        }
        if let Some(recording) = self.recording() {
            recording.wanted(table, column, wanted);
        }
        let from = rows.len();
        let (low, high) = wanted.bounds();
        if let Some(index) = self.value_index(table, column) {
            index.rows(index.range(low, high.as_ref(), self.node_column(table, column)), rows);
        }
        if let Some(delta) = self.node_changes(table)
            && let Some(written) = delta.index(u32::try_from(column).unwrap_or(u32::MAX))
        {
            rows.extend(written.range(low, high.as_ref()));
        }
        let mut found = rows.split_off(from);
        found.sort_unstable();
        found.dedup();
        let values = PropertyColumn::of_nodes(table, column, self);
        // A row that is gone has no value.
        rows.extend(found.into_iter().filter(|row| wanted.holds(&values.value(*row))));
        true
    }
}
