//! Morsels: ranges of rows of one table, handed to workers one at a time, with pruned zones left out.
//!
//! Source: Leis et al., Morsel-Driven Parallelism, SIGMOD 2014; zone maps: design §3.

use std::sync::atomic::{AtomicU64, Ordering};

use trimorph_base::{NodeId, TableId};

use crate::{Reader, Snapshot, ZONE_ROWS};

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
}

/// A dispenser of row ranges, shared by workers.
#[derive(Debug)]
pub struct Morsels {
    tables: Vec<(TableId, u64)>,
    next: AtomicU64,
    rows: u64,
    total: u64,
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
        Self { tables, next: AtomicU64::new(0), rows, total }
    }

    /// Starts again.
    pub fn reset(&self) {
        self.next.store(0, Ordering::Relaxed);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The next range that is not pruned: its first node and its length.
    pub fn next(&self, reader: &Reader<'_>, prune: &[Prune]) -> Option<(NodeId, usize)> {
        loop {
            let mut index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.total {
                // Do not let the counter run away while workers keep asking.
                self.next.store(self.total, Ordering::Relaxed);
                return None;
            }
            for (table, rows) in &self.tables {
                let count = rows.div_ceil(self.rows);
                if index >= count {
                    index -= count;
                    continue;
                }
                let first = index * self.rows;
                let len = self.rows.min(rows - first) as usize;
                let zones = (first..first + len as u64).step_by(ZONE_ROWS);
                let wanted = prune.iter().filter(|p| p.table == *table).all(|p| {
                    zones.clone().any(|zone| match reader.node_column(*table, p.column).zone_range(zone) {
                        Some((low, high)) => low <= p.high && high >= p.low,
                        None => true,
                    })
                });
                if wanted {
                    return Some((NodeId::new(*table, first), len));
                }
                break;
            }
        }
    }
}
