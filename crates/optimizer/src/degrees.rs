//! How many edges a step follows from one node, from the catalog's counts.
//!
//! Source: Poseidon §6 (degrees); the usual uniformity assumptions where nothing is known.

use std::collections::BTreeMap;

use trimorph_algebra::{Direction, EdgePattern, EdgeRange};
use trimorph_base::TableId;
use trimorph_catalog::{CatalogView, DegreeStats};

use crate::tables::{edge_tables, joined_tables};

/// Rows of some tables.
pub(crate) fn rows_of(catalog: &CatalogView<'_>, tables: &[TableId]) -> f64 {
    tables.iter().map(|t| catalog.statistics().rows(*t) as f64).sum()
}

/// Mean number of matches of an edge pattern from one node of `from` tables to `to` tables.
pub(crate) fn degree(
    catalog: &CatalogView<'_>,
    edge: &EdgePattern,
    from: &[TableId],
    to: &[TableId],
    reversed: bool,
) -> f64 {
    let rows = rows_of(catalog, from).max(1.0);
    let pairs = joined_tables(catalog, edge);
    let edges: f64 = (pairs.iter())
        .map(|(f, t, n)| if reversed { (t, f, *n) } else { (f, t, *n) })
        .filter(|(f, t, _)| from.contains(f) && (to.contains(t) || edge.range != EdgeRange::One))
        .map(|(_, _, n)| n as f64)
        .sum();
    match edge.range {
        EdgeRange::One => edges / rows,
        EdgeRange::Variable { shortest: Some(_), .. } => rows_of(catalog, to).max(1.0),
        EdgeRange::Reachable { min, max, .. } => {
            let max = max.unwrap_or(min.max(1).saturating_add(3)).min(min.saturating_add(4));
            let walks = walks(catalog, (from, to), &pairs, (min, max, reversed));
            walks.min(rows_of(catalog, to).max(1.0))
        }
        EdgeRange::Variable { min, max, .. } => {
            let max = max.unwrap_or(min.max(1).saturating_add(3)).min(min.saturating_add(4));
            walks(catalog, (from, to), &pairs, (min, max, reversed)).min(1e12)
        }
    }
}

/// Mean number of walks of `min` to `max` edges from one node of `from` tables to `to` tables. Where a step
/// leads is where the next begins: nodes that have no such edge are in no walk but at its start.
fn walks(
    catalog: &CatalogView<'_>,
    (from, to): (&[TableId], &[TableId]),
    pairs: &[(TableId, TableId, u64)],
    (min, max, reversed): (u32, u32, bool),
) -> f64 {
    let rows = |table: TableId| catalog.statistics().rows(table) as f64;
    // Walks that are at each table, and those that ended where they should.
    let mut at: BTreeMap<TableId, f64> = from.iter().map(|table| (*table, rows(*table))).collect();
    let mut found = 0.0;
    for length in 0..=max {
        if length >= min {
            found += at.iter().filter(|(table, _)| to.contains(table)).map(|(_, walks)| walks).sum::<f64>();
        }
        let mut next = BTreeMap::new();
        for (a, b, edges) in pairs {
            let (a, b) = if reversed { (b, a) } else { (a, b) };
            if let Some(walks) = at.get(a) {
                *next.entry(*b).or_insert(0.0) += walks * *edges as f64 / rows(*a).max(1.0);
            }
        }
        at = next;
    }
    found / rows_of(catalog, from).max(1.0)
}

/// Whether so many of the nodes of these tables are a pick of somebody's.
pub(crate) fn are_picked(catalog: &CatalogView<'_>, rows: f64, tables: &[TableId]) -> bool {
    rows <= (PICKED * rows_of(catalog, tables)).max(1.0)
}

/// The part of a node table below which the nodes a row stands for were picked by somebody. Who is asked
/// about is seldom average: popular tags, large countries.
const PICKED: f64 = 0.02;

/// As [`degree`] for a single edge, but from few nodes: between the mean and the largest degree, where their
/// logarithms meet.
pub(crate) fn degree_of_few(
    catalog: &CatalogView<'_>,
    edge: &EdgePattern,
    from: &[TableId],
    to: &[TableId],
    reversed: bool,
) -> f64 {
    let mean = degree(catalog, edge, from, to, reversed);
    if edge.range != EdgeRange::One {
        return mean;
    }
    let (mut out, mut back) = (edge.direction != Direction::In, edge.direction != Direction::Out);
    if reversed {
        (out, back) = (back, out);
    }
    let skewed = |counted: &DegreeStats| {
        (counted.edges as f64 / counted.nonempty.max(1) as f64 * counted.degree_max as f64).sqrt()
    };
    let mut few = 0.0;
    for table in &*edge_tables(catalog, edge) {
        let (source, stats) = (catalog.source(*table), &catalog.statistics().edge_tables[table.0 as usize]);
        if out && from.contains(&source) && catalog.targets(*table).any(|target| to.contains(&target)) {
            few += skewed(&stats.forward);
        }
        if back && to.contains(&source) {
            let targets = catalog.targets(*table).filter(|target| from.contains(target));
            few += targets.map(|target| skewed(&stats.into_target(target))).sum::<f64>();
        }
    }
    few.max(mean)
}
