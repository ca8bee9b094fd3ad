//! Morsels: ranges of rows of one table, handed to workers one at a time, with pruned zones left out.
//!
//! Source: Leis et al., Morsel-Driven Parallelism, SIGMOD 2014; zone maps: design §3.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use trimorph_base::{NodeId, TableId};
use trimorph_mvcc::ReadRange;
use trimorph_types::Value;

use crate::{PropertyColumn, Reader, Snapshot, ZONE_ROWS, integer_of};

/// A range that the integer value of a column must fall in for a zone to be worth reading.
#[derive(Clone, Debug)]
pub struct Prune {
    /// The table.
    pub table: TableId,
    /// The column's place in the catalog.
    pub column: usize,
    /// Smallest value wanted.
    pub low: i64,
    /// Largest value wanted.
    pub high: i64,
    /// Whether rows without a value are wanted, too.
    pub nulls: bool,
}

/// A dispenser of row ranges, shared by workers.
#[derive(Debug)]
pub struct Morsels {
    tables: Vec<(TableId, u64)>,
    next: AtomicU64,
    rows: u64,
    total: u64,
    /// The order in which they are handed out, if it is not theirs.
    order: OnceLock<Box<[u64]>>,
}

impl Morsels {
    /// Ranges of at most `rows` rows over the nodes of `tables`: a whole number of zones, or a part of one
    /// that divides it.
    pub fn new(snapshot: &Snapshot, tables: &[TableId], rows: usize) -> Self {
        let rows = match rows {
            0..ZONE_ROWS => rows.max(1).next_power_of_two(),
            _ => rows.next_multiple_of(ZONE_ROWS),
        } as u64;
        let tables: Vec<(TableId, u64)> = tables.iter().map(|t| (*t, snapshot.rows(*t))).collect();
        let total = tables.iter().map(|(_, n)| n.div_ceil(rows)).sum();
        Self { tables, next: AtomicU64::new(0), rows, total, order: OnceLock::new() }
    }

    /// Starts again.
    pub fn reset(&self) {
        self.next.store(0, Ordering::Relaxed);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Has them handed out by the largest value, or the least, that a column of each table may have in them,
    /// as far as it is known without reading. Once only, before the first is handed out.
    ///
    /// **Cost**: a look at each, and a sort of them.
    pub fn best_first(&self, reader: &Reader<'_>, columns: &[(TableId, usize)], largest: bool) {
        self.order.get_or_init(|| {
            let best = |index: u64| {
                let (table, first, _) = self.range(index)?;
                let (_, column) = columns.iter().find(|(of, _)| *of == table)?;
                let (low, high) = reader.node_column(table, *column).zone_range(first)?;
                Some(if largest { !high } else { low })
            };
            let mut order: Vec<(Option<i64>, u64)> = (0..self.total).map(|i| (best(i), i)).collect();
            // Where data came in order, the last of a segment has its largest.
            order.sort_unstable_by_key(|(best, i)| (*best, if largest { Reverse(*i) } else { Reverse(!i) }));
            order.into_iter().map(|(_, index)| index).collect()
        });
    }

    /// A range by its number: its table, first row and length.
    fn range(&self, mut index: u64) -> Option<(TableId, u64, usize)> {
        for (table, rows) in &self.tables {
            let count = rows.div_ceil(self.rows);
            if index < count {
                let first = index * self.rows;
                return Some((*table, first, self.rows.min(rows - first) as usize));
            }
            index -= count;
        }
        None
    }

    /// The next range that is not pruned: its first node and its length.
    pub fn next(&self, reader: &Reader<'_>, prune: &[Prune]) -> Option<(NodeId, usize)> {
        if let Some(recording) = reader.recording() {
            // Also what is left out is read: that it is not wanted.
            for (table, _) in &self.tables {
                match noted_by(*table, prune) {
                    Some(Prune { column, low, high, .. }) => {
                        recording.range(*table, ReadRange { column, low, high });
                    }
                    None => recording.all_rows(*table),
                }
            }
        }
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.total {
                // Do not let the counter run away while workers keep asking.
                self.next.store(self.total, Ordering::Relaxed);
                return None;
            }
            let index =
                self.order.get().and_then(|order| order.get(index as usize)).copied().unwrap_or(index);
            let (table, first, len) = self.range(index)?;
            if is_wanted(reader, NodeId::new(table, first), len, prune) {
                return Some((NodeId::new(table, first), len));
            }
        }
    }
}

/// What a scan of a table is noted by: rows with a value in a range that all that are wanted lie in, if there
/// is one. Of several columns that of the narrowest.
fn noted_by(table: TableId, prune: &[Prune]) -> Option<Prune> {
    let mut ranges: Vec<Prune> = Vec::new();
    for prune in prune.iter().filter(|prune| prune.table == table && !prune.nulls) {
        match ranges.iter_mut().find(|range| range.column == prune.column) {
            Some(range) => (range.low, range.high) = (range.low.max(prune.low), range.high.min(prune.high)),
            None => ranges.push(prune.clone()),
        }
    }
    ranges.into_iter().min_by_key(|range| range.high.saturating_sub(range.low))
}

impl Reader<'_> {
    /// The positions of those of `len` rows from `first` on that are there and may have the values that
    /// `prune` wants, noted one by one; none where all are. For a reader that notes what it reads.
    ///
    /// **Cost**: each row that is there is looked at.
    pub fn existing_noted(&self, first: NodeId, len: usize, prune: &[Prune]) -> Option<Vec<u32>> {
        let (Some(recording), Some(prune)) = (self.recording(), noted_by(first.table(), prune)) else {
            return self.existing(first, len);
        };
        let column = PropertyColumn::of_nodes(first.table(), prune.column, self).unnoted();
        let values = column.scan(first.row(), len);
        let there = self.existing_unnoted(first, len).unwrap_or_else(|| (0u32..).take(len).collect());
        let is_wanted = |position: &u32| {
            let value = values.value(*position as usize, &|_| Value::Null);
            // What is no integer may be equal to one all the same.
            integer_of(&value).map_or(!value.is_null(), |integer| (prune.low..=prune.high).contains(&integer))
        };
        let wanted: Vec<u32> = there.into_iter().filter(is_wanted).collect();
        for position in &wanted {
            let row = first.row() + u64::from(*position);
            recording.rows(NodeId::new(first.table(), row), 1);
            recording.values(first.table(), prune.column, row, 1);
        }
        Some(wanted)
    }
}

/// Whether some of `len` rows from `first` on may have the values that all of `prune` want.
pub fn is_wanted(reader: &Reader<'_>, first: NodeId, len: usize, prune: &[Prune]) -> bool {
    let (table, row) = (first.table(), first.row());
    prune.iter().filter(|p| p.table == table).all(|p| {
        let column = reader.node_column(table, p.column);
        // What the delta has is in no zone map.
        if let Some(overlay) = reader.node_overlay(table, p.column)
            && !overlay.is_clean(row, len)
            && overlay.values_written((0u32..).zip(row..).take(len), column).is_none_or(|written| {
                let is_wanted = |value: &Value| match integer_of(value) {
                    Some(integer) => (p.low..=p.high).contains(&integer),
                    // What is no integer may be equal to one all the same.
                    None => p.nulls || !value.is_null(),
                };
                written.iter().any(|(_, value)| is_wanted(value))
            })
        {
            return true;
        }
        (row..row + len as u64).step_by(ZONE_ROWS).any(|zone| {
            let range = if p.nulls { column.full_zone_range(zone) } else { column.zone_range(zone) };
            range.is_none_or(|(low, high)| low <= p.high && high >= p.low)
        })
    })
}
