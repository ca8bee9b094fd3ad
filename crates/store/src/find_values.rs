//! Nodes, or edges, by the value of an indexed property: main's index and what was written since, as one.
//!
//! 1. Main's rows stand in the order of values: those between two bounds are found by two searches.
//! 2. The delta knows who got such a value since.
//! 3. Either may have lost it, or be gone, or have another type than was asked for: so each is looked at
//!    again, as the snapshot sees it.
//!
//! Invariant: what is found is what a scan with the same condition finds.

use std::ops::{Bound, Range};

use trimorph_base::{EdgeId, EdgeTableId, TableId};
use trimorph_delta::RowsByValue;
use trimorph_types::{Relationship, Value, equals, order};
use trimorph_vector::{Values, by_id};

use crate::{PropertyColumn, Reader, Wanted};

impl Reader<'_> {
    /// Whether rows of a node table are found by the values of a column without a scan.
    pub fn has_value_index(&self, table: TableId, column: usize) -> bool {
        self.written_values(table, column).is_some()
    }

    /// What finds rows by what was written since, if anything was; none where there is no index that tells:
    /// it may come and go at any time.
    fn written_values(&self, table: TableId, column: usize) -> Option<Option<RowsByValue>> {
        self.main_table(table)?.value_index(column)?;
        let Some(delta) = self.node_changes(table) else { return Some(None) };
        // What was written since is found only where somebody has asked for that.
        delta.whole_index(u32::try_from(column).ok()?).map(Some)
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
        self.find_values_in(table, column, wanted, true, rows)
    }

    /// The same, of main only where it is not known that no row there has such a value.
    pub(crate) fn find_values_in(
        &self,
        table: TableId,
        column: usize,
        wanted: &Wanted,
        in_main: bool,
        rows: &mut Vec<u64>,
    ) -> bool {
        let Some(written) = self.written_values(table, column) else { return false };
        if let Some(recording) = self.recording() {
            recording.wanted(table, column, wanted);
        }
        let from = rows.len();
        let (low, high) = wanted.bounds();
        if let Some(index) = self.value_index(table, column).filter(|_| in_main) {
            index.rows(index.range(low, high.as_ref(), self.node_column(table, column)), rows);
        }
        if let Some(written) = written {
            rows.extend(written.range(low, high.as_ref()));
        }
        rows[from..].sort_unstable();
        let values = PropertyColumn::of_nodes(table, column, self);
        let (mut kept, mut last) = (from, None);
        for at in from..rows.len() {
            let row = rows[at];
            // A row that is gone has no value.
            if last.replace(row) != Some(row) && wanted.holds(&values.value(row)) {
                rows[kept] = row;
                kept += 1;
            }
        }
        rows.truncate(kept);
        true
    }
}

impl Reader<'_> {
    /// Appends the rows of a node table that have a list as the value of a property, ascending; false, and
    /// nothing, where there is no index that tells, or what is read is noted. Of main only where it is asked.
    pub(crate) fn find_lists(
        &self,
        table: TableId,
        column: usize,
        in_main: bool,
        rows: &mut Vec<u64>,
    ) -> bool {
        if self.recording().is_some() {
            return false;
        }
        let Some(written) = self.written_values(table, column) else { return false };
        // In the order of all values IRIs are the next that a property can hold.
        let (low, high) = (Value::list(Vec::new()), Value::iri(""));
        let (low, high) = (Bound::Included(&low), Bound::Excluded(&high));
        let mut found = Vec::new();
        if let Some(index) = self.value_index(table, column).filter(|_| in_main) {
            index.rows(index.lists(self.node_column(table, column)), &mut found);
        }
        if let Some(written) = written {
            found.extend(written.range(low, high));
        }
        found.sort_unstable();
        found.dedup();
        let values = PropertyColumn::of_nodes(table, column, self);
        rows.extend(found.into_iter().filter(|row| matches!(values.value(*row), Value::List(_))));
        true
    }
}

/// Values that are looked for under one lock of the delta, and rows that are asked together.
const LOCKED_VALUES: usize = 1 << 12;

impl Reader<'_> {
    /// Appends the rows of a node table that have one of many values, each with the number of the value:
    /// ascending by number, then by row, each once; false, and nothing, where there is no index that tells.
    /// Null is no value.
    ///
    /// **Cost**: the values are sorted, so that the searches go through index and column once, from value to
    /// value.
    pub fn find_all_values(
        &self,
        table: TableId,
        column: usize,
        values: &[Value],
        found: &mut Vec<(u32, u64)>,
    ) -> bool {
        let Some(written) = self.written_values(table, column) else { return false };
        if let Some(recording) = self.recording() {
            let there = values.iter().filter(|value| !value.is_null());
            there.for_each(|value| recording.wanted(table, column, &Wanted::Equal(value.clone())));
        }
        let sorted = in_order(values);
        let mut some = Vec::with_capacity(sorted.len());
        if let Some(index) = self.value_index(table, column) {
            let mut search = index.in_turn(sorted.len(), self.node_column(table, column));
            let mut rows = Vec::new();
            for (number, value) in &sorted {
                rows.clear();
                index.rows(search.range(value), &mut rows);
                some.extend(rows.iter().map(|row| (*number, *row)));
            }
        }
        let column = PropertyColumn::of_nodes(table, column, self);
        let mut all = Vec::with_capacity(some.len());
        append_holding(&column, values, &some, &mut all);
        if let Some(written) = written {
            some.clear();
            for sorted in sorted.chunks(LOCKED_VALUES) {
                let sorted = sorted.iter().map(|(number, value)| (*number, *value));
                written.rows_of_each(sorted, |number, row| some.push((number, row)));
            }
            append_holding(&column, values, &some, &mut all);
        }
        all.sort_unstable();
        all.dedup();
        found.append(&mut all);
        true
    }
}

/// Appends those of some rows, each with the number of a value, that have it. A row that is gone has none.
///
/// **Cost**: rows of values that follow each other lie side by side, as a rule, so that who asks in the order
/// of values reads them together.
fn append_holding(
    column: &PropertyColumn<'_, '_>,
    values: &[Value],
    some: &[(u32, u64)],
    found: &mut Vec<(u32, u64)>,
) {
    for some in some.chunks(LOCKED_VALUES) {
        let own = column.gather(some.iter().map(|(_, row)| *row).enumerate(), some.len());
        let holds = |(at, (number, _)): &(usize, &(u32, u64))| {
            let wanted = values.get(*number as usize);
            wanted.is_some_and(|wanted| match (&own.values, wanted) {
                (Values::Int(own_values), Value::Int(wanted)) => {
                    !own.is_null(*at) && own_values[*at] == *wanted
                }
                // No property is an edge.
                _ => equals(&own.value(*at, &by_id), wanted) == Some(true),
            })
        };
        found.extend(some.iter().enumerate().filter(holds).map(|(_, one)| *one));
    }
}

/// The values but for nulls, in their order, each with its number.
fn in_order(values: &[Value]) -> Vec<(u32, &Value)> {
    let numbered = (0_u32..).zip(values);
    let mut sorted: Vec<(u32, &Value)> = numbered.filter(|(_, value)| !value.is_null()).collect();
    sorted.sort_by(|(_, a), (_, b)| match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (a, b) => order(a, b),
    });
    sorted
}

impl Reader<'_> {
    /// Whether edges of an edge table are found by the values of a column without a scan.
    pub fn has_edge_value_index(&self, table: EdgeTableId, column: usize) -> bool {
        self.written_edge_values(table, column).is_some()
    }

    /// As of nodes.
    fn written_edge_values(&self, table: EdgeTableId, column: usize) -> Option<Option<RowsByValue>> {
        self.main_edges(table)?.value_index(column)?;
        let Some(delta) = self.edge_values_written(table) else { return Some(None) };
        delta.whole_index(u32::try_from(column).ok()?).map(Some)
    }

    /// How many edges main has with such values, about; none without an index. **Cost**: two searches.
    pub fn count_edge_values(&self, table: EdgeTableId, column: usize, wanted: &Wanted) -> Option<u64> {
        let range = self.edge_value_range(table, column, wanted)?;
        Some(range.end - range.start)
    }

    fn edge_value_range(&self, table: EdgeTableId, column: usize, wanted: &Wanted) -> Option<Range<u64>> {
        let index = self.edge_value_index(table, column)?;
        let (low, high) = wanted.bounds();
        let at = usize::from(table.0);
        let (edges, values) = (self.edge_table(at), self.edge_column(at, column));
        Some(index.range_by(low, high.as_ref(), &|place| edges.value_at(values, place)))
    }

    /// The positions, in main's index, of the edges of an edge table that have such a value; none where there
    /// is no index that tells. [`Self::edges_at`] gives some of them, [`Self::edges_since`] those that the
    /// index does not know: together they are what [`Self::find_edges`] finds, each edge once.
    ///
    /// **Cost**: two searches.
    pub(crate) fn indexed_edges(
        &self,
        table: EdgeTableId,
        column: usize,
        wanted: &Wanted,
    ) -> Option<Range<u64>> {
        self.written_edge_values(table, column)?;
        if let Some(recording) = self.recording() {
            recording.wanted_edges(table, column, wanted);
        }
        self.edge_value_range(table, column, wanted)
    }

    /// Appends the edges at some positions of main's index that have such a value still, with their ends.
    pub(crate) fn edges_at(
        &self,
        table: EdgeTableId,
        column: usize,
        wanted: &Wanted,
        positions: Range<u64>,
        edges: &mut Vec<Relationship>,
    ) {
        let Some(index) = self.edge_value_index(table, column) else { return };
        let mut places = Vec::new();
        index.rows(positions, &mut places);
        let values = PropertyColumn::of_edges(usize::from(table.0), column, self);
        let is_written = self.has_edge_changes(usize::from(table.0));
        let existing = places.into_iter().filter_map(|at| self.existing_edge(EdgeId::new(table, at)));
        // What nobody has written to is as the index says.
        edges
            .extend(existing.filter(|edge| !is_written || wanted.holds(&values.value(values.slot(edge.id)))));
    }

    /// Appends the edges that got such a value since main, unless main's index gives them as well.
    pub(crate) fn edges_since(
        &self,
        table: EdgeTableId,
        column: usize,
        wanted: &Wanted,
        edges: &mut Vec<Relationship>,
    ) {
        let Some(Some(written)) = self.written_edge_values(table, column) else { return };
        let (low, high) = wanted.bounds();
        let mut found: Vec<u64> = written.range(low, high.as_ref());
        found.sort_unstable();
        found.dedup();
        let at = usize::from(table.0);
        let (main, stored) = (self.edge_table(at), self.edge_column(at, column));
        let values = PropertyColumn::of_edges(at, column, self);
        let is_new = |edge: &EdgeId| !wanted.holds(&main.value_at(stored, edge.place()));
        let found = found.into_iter().map(EdgeId).filter(is_new).filter_map(|edge| self.existing_edge(edge));
        edges.extend(found.filter(|edge| wanted.holds(&values.value(values.slot(edge.id)))));
    }

    /// Appends the edges of an edge table that have such a value, ascending, each once, with their ends;
    /// false, and nothing, where there is no index that tells.
    ///
    /// **Cost**: as of nodes.
    pub fn find_edges(
        &self,
        table: EdgeTableId,
        column: usize,
        wanted: &Wanted,
        edges: &mut Vec<Relationship>,
    ) -> bool {
        let Some(written) = self.written_edge_values(table, column) else { return false };
        if let Some(recording) = self.recording() {
            recording.wanted_edges(table, column, wanted);
        }
        let mut found: Vec<u64> = Vec::new();
        if let (Some(index), Some(range)) =
            (self.edge_value_index(table, column), self.edge_value_range(table, column, wanted))
        {
            index.rows(range, &mut found);
            found.iter_mut().for_each(|place| *place = EdgeId::new(table, *place).0);
        }
        if let Some(written) = written {
            let (low, high) = wanted.bounds();
            found.extend(written.range(low, high.as_ref()));
        }
        found.sort_unstable();
        found.dedup();
        let values = PropertyColumn::of_edges(usize::from(table.0), column, self);
        let is_written = self.has_edge_changes(usize::from(table.0));
        // An edge that went keeps its values in the delta.
        let found = found.into_iter().filter_map(|edge| self.existing_edge(EdgeId(edge)));
        // What nobody has written to is as the index says.
        edges
            .extend(found.filter(|edge| !is_written || wanted.holds(&values.value(self.edge_slot(edge.id)))));
        true
    }

    /// The same without their ends, which need not be looked up: only where nobody has written to the edges
    /// of the table since main, and what is read is not noted; else false, and nothing.
    ///
    /// **Cost**: two searches, and the numbers of those that are found.
    pub fn find_edges_alone(
        &self,
        table: EdgeTableId,
        column: usize,
        wanted: &Wanted,
        edges: &mut Vec<EdgeId>,
    ) -> bool {
        if self.recording().is_some() || self.has_edge_changes(usize::from(table.0)) {
            return false;
        }
        let Some(None) = self.written_edge_values(table, column) else { return false };
        let mut found: Vec<u64> = Vec::new();
        if let (Some(index), Some(range)) =
            (self.edge_value_index(table, column), self.edge_value_range(table, column, wanted))
        {
            index.rows(range, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        edges.extend(found.into_iter().map(|place| EdgeId::new(table, place)));
        true
    }
}
