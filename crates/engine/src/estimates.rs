//! What plans are estimated by where much was written since the last merge: takes what main has counted and
//! what the delta has, gives statistics with both.
//!
//! 1. They are made anew each time as much was written again as there is in the delta, so that all that is
//!    ever looked at for them is a few times what was written.
//! 2. They are published where a table has so many rows or values more or less that plans may be others
//!    ([`has_drifted`]): with the catalog in which they stand, so that kept plans are asked whether they
//!    hold.
//! 3. A merge counts what it writes itself, and takes them away.
//!
//! Of a table's properties a few values are looked at; without one visible, all are taken as different.
//!
//! Invariant: nothing is taken for true of them.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use trimorph_base::{EdgeTableId, NodeId, TableId};
use trimorph_catalog::{
    CharacteristicSet, DegreeStats, NodeTableStats, PropertyStats, Statistics, has_drifted,
};
use trimorph_mvcc::Timestamp;
use trimorph_store::{PropertyColumn, Reader, Snapshot, integer_of};
use trimorph_types::Grouping;

use crate::shared::Shared;

/// Versions and edges that are written, at least, before they are counted again.
const COUNTED_AFTER: u64 = 1_024;
/// Rows of which the values are looked at.
const SAMPLE: u64 = 256;

impl Shared {
    /// Counts what was written, if much was since it was counted; waits where somebody else is at it, else
    /// the plan of who comes just then knew nothing of what he has written. **Cost**: two loads, as a rule.
    pub(crate) fn count_written(&self) {
        let is_counted = || self.live.pressure.written() < self.counted_at.load(Ordering::Relaxed);
        if is_counted() || self.follower.is_some() {
            return;
        }
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        if is_counted() {
            return;
        }
        let written = self.live.pressure.written();
        let snapshot = self.snapshot();
        let Some((estimates, counted)) = estimated(&snapshot) else {
            return self.counted_at.store(written + COUNTED_AFTER, Ordering::Relaxed);
        };
        self.counted_at.store(written + counted.max(COUNTED_AFTER), Ordering::Relaxed);
        if !differ(snapshot.catalog().estimated(), &estimates) {
            return;
        }
        let mut published = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let now = published.main();
        let tables = |of: &Statistics| (of.node_tables.len(), of.edge_tables.len());
        // What was declared meanwhile is counted the next time.
        if now.merged_at != snapshot.main().merged_at
            || tables(&now.catalog.statistics) != tables(&estimates)
            || !has_same_columns(&now.catalog.statistics, &estimates)
        {
            return self.counted_at.store(written, Ordering::Relaxed);
        }
        let mut main = now.clone();
        Arc::make_mut(&mut main.catalog).estimates = Some(Arc::new(estimates));
        *published = self.snapshot_of(Arc::new(main));
    }
}

fn has_same_columns(a: &Statistics, b: &Statistics) -> bool {
    let nodes = a.node_tables.iter().zip(&b.node_tables);
    let edges = a.edge_tables.iter().zip(&b.edge_tables);
    nodes.into_iter().all(|(a, b)| a.properties.len() == b.properties.len())
        && edges.into_iter().all(|(a, b)| a.properties.len() == b.properties.len())
}

/// Whether plans may be others.
fn differ(before: &Statistics, now: &Statistics) -> bool {
    let values = |stats: &NodeTableStats| {
        let rows = stats.rows;
        let of_all = stats.properties.iter().map(move |property| rows.saturating_sub(property.nulls));
        std::iter::once(rows).chain(of_all).collect::<Vec<_>>()
    };
    // Rows, and values of each property: who counted while a statement ran saw rows without any.
    let nodes = before.node_tables.iter().zip(&now.node_tables);
    let mut rows = nodes.flat_map(|(a, b)| values(a).into_iter().zip(values(b)));
    let edges = before.edge_tables.iter().zip(&now.edge_tables);
    let mut edges = edges.map(|(a, b)| (a.forward.edges, b.forward.edges));
    rows.any(|(a, b)| has_drifted(a, b)) || edges.any(|(a, b)| has_drifted(a, b))
}

/// The statistics with what was written since main, and how much that is; none where nothing was.
fn estimated(snapshot: &Snapshot) -> Option<(Statistics, u64)> {
    let moment = snapshot.moment()?;
    let main = snapshot.main();
    let mut statistics = main.catalog.statistics.clone();
    let reader = Reader::new(snapshot);
    let mut counted = 0;
    for (table, stats) in main.catalog.schema.table_ids().zip(&mut statistics.node_tables) {
        let rows = snapshot.rows(table);
        counted += rows.abs_diff(stats.rows);
        if has_drifted(stats.rows, rows) {
            look_at(&reader, table, rows, stats);
        }
    }
    // What came and went again was looked at, too.
    let (came, looked_at) = moment.topology().came(Timestamp(main.merged_at));
    counted += looked_at;
    count_edges(snapshot, &came, &mut statistics);
    Some((statistics, counted))
}

/// Looks at some rows of a node table: what they have stands for all.
fn look_at(reader: &Reader<'_>, table: TableId, rows: u64, stats: &mut NodeTableStats) {
    let seen = sample_of(reader, table, rows);
    stats.rows = rows;
    let mut has: Vec<Vec<u32>> = vec![Vec::new(); seen.len()];
    for (column, property) in stats.properties.iter_mut().enumerate() {
        let values = PropertyColumn::of_nodes(table, column, reader);
        let mut counts: HashMap<Grouping, u64> = HashMap::new();
        let mut range: Option<(i64, i64)> = None;
        for (row, has) in seen.iter().zip(&mut has) {
            let value = values.value(*row);
            if let Some(number) = integer_of(&value) {
                let (low, high) = range.unwrap_or((number, number));
                range = Some((low.min(number), high.max(number)));
            }
            if !value.is_null() {
                has.extend(u32::try_from(column).ok());
                *counts.entry(Grouping(value)).or_default() += 1;
            }
        }
        let part = rows as f64 / seen.len().max(1) as f64;
        let with: u64 = counts.values().sum();
        let once = counts.values().filter(|count| **count == 1).count() as f64;
        // Those seen once stand for others that were not (Haas et al. 1995, GEE).
        let distinct = part.sqrt() * once + (counts.len() as f64 - once);
        *property = match seen.is_empty() {
            true => PropertyStats { distinct: rows, ..PropertyStats::default() },
            false => PropertyStats {
                nulls: ((seen.len() as u64 - with) as f64 * part) as u64,
                distinct: (distinct as u64).min(rows),
                range,
            },
        };
    }
    let mut sets: HashMap<Vec<u32>, u64> = HashMap::new();
    let part = rows / (seen.len() as u64).max(1);
    has.into_iter().for_each(|set| *sets.entry(set).or_default() += part);
    let sets = sets.into_iter().map(|(properties, count)| CharacteristicSet { properties, count });
    stats.characteristic_sets = sets.collect();
    stats.characteristic_sets.sort_unstable_by(|a, b| a.properties.cmp(&b.properties));
}

/// Some rows of a table that has so many, that are there.
pub(crate) fn sample_of(reader: &Reader<'_>, table: TableId, rows: u64) -> Vec<u64> {
    // Odd, so that rows that alternate are seen alike.
    let step = usize::try_from(rows / SAMPLE).unwrap_or(1) | 1;
    let is_there = |row: &u64| reader.node_exists(NodeId::new(table, *row));
    (0..rows).step_by(step).filter(is_there).collect()
}

/// Puts edges that came to those of main.
fn count_edges(
    snapshot: &Snapshot,
    came: &HashMap<(EdgeTableId, TableId), i64>,
    statistics: &mut Statistics,
) {
    let schema = snapshot.schema();
    for ((table, target), count) in came {
        let at = usize::from(table.0);
        let (Some(info), Some(stats)) = (schema.edge_tables.get(at), statistics.edge_tables.get_mut(at))
        else {
            continue;
        };
        let before = stats.forward.edges;
        grow(&mut stats.forward, *count, snapshot.rows(info.source));
        // Values are taken as different, as those of nodes that nobody sees.
        let more = stats.forward.edges.saturating_sub(before);
        stats.properties.iter_mut().for_each(|property| property.distinct += more);
        let into = match stats.backward.iter().position(|(known, _)| known == target) {
            Some(at) => at,
            None => {
                stats.backward.push((*target, DegreeStats::default()));
                stats.backward.len() - 1
            }
        };
        grow(&mut stats.backward[into].1, *count, snapshot.rows(*target));
    }
}

/// So many edges more, or fewer, at nodes of which there are so many.
fn grow(degrees: &mut DegreeStats, count: i64, nodes: u64) {
    degrees.edges = degrees.edges.saturating_add_signed(count);
    degrees.nonempty = degrees.nonempty.saturating_add_signed(count.max(0)).min(nodes).min(degrees.edges);
    let mean = degrees.edges.div_ceil(degrees.nonempty.max(1));
    degrees.degree_max = degrees.degree_max.max(mean);
}
