//! Estimates: the same patterns answered with about how many.
//!
//! Edges and labels were counted when the main version was made. For a condition on values
//!
//! 1. a segment whose range of values passes or fails as a whole is counted, not read;
//! 2. the condition is tried on a sample of the others, of a few segments spread evenly: an estimate may not
//!    bring a whole column into memory;
//! 3. where the sample holds too few that pass, distinct counts tell.
//!
//! Source: Poseidon §6.2; design §6 ("that is how the optimizer samples").

use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::PropertyStats;
use trimorph_storage::column::ColumnView;
use trimorph_types::Value;

use super::filters::LiteralFilter;
use super::pattern::{Bound, Kind, Pattern};
use super::plan::{AccessPlan, Choice, Path, Relation};
use crate::Reader;

/// Rows of a column that are looked at: as many as a zone has. Enough to tell a part of a hundredth.
const SAMPLE_ROWS: usize = 1024;
/// Segments they are taken from, at most. Each is a piece to read when nobody has touched it.
const SAMPLE_SEGMENTS: usize = 16;
/// The same where each value has to be made, as a text has; so many at once, and no more once they have so
/// many bytes. Long texts take longer to make than to search.
const SAMPLE_TEXTS: usize = 256;
const TEXTS_TOGETHER: usize = 8;
const SAMPLE_BYTES: u64 = 1 << 20;
/// Hits of a sample below which the distinct count knows better.
const HITS_MIN: usize = 8;

/// About how many statements a pattern gives, and what reading them costs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Statements.
    pub rows: f64,
    /// In statements read one after the other.
    pub cost: f64,
}

impl Reader<'_> {
    /// Estimates a pattern.
    ///
    /// **Cost**: a look at the catalog; with a condition on values, at what is known of each segment of the
    /// column, and the reading of 1,024 values of at most 16 segments.
    pub fn estimate(&self, pattern: &Pattern) -> Estimate {
        let mut plan = AccessPlan::of(pattern.clone(), self, Choice::Cost);
        if !matches!(pattern.object.bound, Bound::Free) {
            let test = LiteralFilter::new(&pattern.object);
            let statistics = &self.catalog().statistics;
            for access in &mut plan.accesses {
                let (column, stats, total) = match access.relation {
                    // A key is of one node at most, as the planner knows.
                    Relation::NodeProperty { .. } if access.path == Path::Object => continue,
                    Relation::NodeProperty { table, column } => {
                        let stats = &statistics.node_tables[table.0 as usize];
                        (self.node_column(table, column), &stats.properties[column], stats.rows)
                    }
                    Relation::EdgeProperty { table, column } => {
                        let stats = &statistics.edge_tables[table];
                        (self.edge_column(table, column), &stats.properties[column], stats.forward.edges)
                    }
                    Relation::Labels(_) | Relation::Edges(_) => continue,
                };
                if total > 0 {
                    let passing = passing(column, &test, &pattern.object.bound, stats, total as f64);
                    access.rows = access.subjects * (passing / total as f64);
                }
            }
        }
        Estimate { rows: plan.rows(), cost: plan.cost() }
    }
}

impl Reader<'_> {
    /// How many edges of a table have a value within `bound` in a column, about; none where nothing is known
    /// of the column.
    ///
    /// **Cost**: as [`Self::estimate`] for one column.
    pub fn estimate_edges(&self, table: EdgeTableId, column: usize, bound: Bound) -> Option<f64> {
        let pattern = Pattern::property(Kind::Statement, "").objects(bound);
        let at = usize::from(table.0);
        let counted = self.catalog().statistics.edge_tables.get(at)?;
        let (stats, total) = (counted.properties.get(column)?, counted.forward.edges);
        if total == 0 {
            return None;
        }
        let test = LiteralFilter::new(&pattern.object);
        Some(passing(self.edge_column(at, column), &test, &pattern.object.bound, stats, total as f64))
    }
}

impl Reader<'_> {
    /// How many nodes of a table have a value in a column for which `passes` is true, about: what no bound
    /// tells, as a text that contains another. A value that is missing is asked as null.
    ///
    /// **Cost**: the reading of 256 values of at most 16 segments, or of a mebibyte.
    pub fn estimate_nodes_where(
        &self,
        table: TableId,
        column: usize,
        passes: &dyn Fn(&Value) -> bool,
    ) -> Option<f64> {
        let total = self.catalog().statistics.rows(table);
        (total > 0).then(|| passing_where(self.node_column(table, column), passes, total as f64))
    }

    /// The same of the edges of a table.
    pub fn estimate_edges_where(
        &self,
        table: EdgeTableId,
        column: usize,
        passes: &dyn Fn(&Value) -> bool,
    ) -> Option<f64> {
        let total = self.catalog().statistics.edges(table);
        let column = self.edge_column(usize::from(table.0), column);
        (total > 0).then(|| passing_where(column, passes, total as f64))
    }
}

/// How many of `total` values pass, about. Where none does that was looked at, half of one is taken to.
fn passing_where(column: &ColumnView<'_>, passes: &dyn Fn(&Value) -> bool, total: f64) -> f64 {
    let all: Vec<(usize, usize)> = column.segments().map(|known| known.rows).enumerate().collect();
    let rows: f64 = all.iter().map(|(_, rows)| *rows as f64).sum();
    let chosen = sampled_rows(&spread(&all), SAMPLE_TEXTS);
    let runs = chosen.len().div_ceil(TEXTS_TOGETHER);
    let (mut hits, mut looked, mut bytes) = (0, 0, 0);
    // Each run has rows from everywhere.
    for run in 0..runs {
        let some: Vec<u64> = chosen.iter().copied().skip(run).step_by(runs).collect();
        let values = column.gather(some.iter().copied().enumerate(), some.len());
        for place in 0..some.len() {
            let value = values.value(place, &|_| Value::Null);
            hits += usize::from(passes(&value));
            bytes += value.owned_bytes();
        }
        looked += some.len();
        if bytes > SAMPLE_BYTES {
            break;
        }
    }
    ((hits as f64).max(0.5) / looked.max(1) as f64 * rows).min(total)
}

/// As many of some segments as a sample is taken from, spread evenly.
fn spread(segments: &[(usize, usize)]) -> Vec<(usize, usize)> {
    segments.iter().copied().step_by(segments.len().div_ceil(SAMPLE_SEGMENTS).max(1)).collect()
}

/// How many of `total` values pass, about.
fn passing(
    column: &ColumnView<'_>,
    test: &LiteralFilter<'_>,
    bound: &Bound,
    stats: &PropertyStats,
    total: f64,
) -> f64 {
    let present = (total - stats.nulls as f64).max(0.0);
    let ranges = test.integers(column.logical_type());
    // Rows in all, those of segments that pass as a whole, and the segments that a range does not tell.
    let (mut slots, mut counted, mut unknown) = (0.0, 0.0, Vec::new());
    for (segment, known) in column.segments().enumerate() {
        slots += known.rows as f64;
        match (ranges, known.range) {
            (Some((low, high)), Some((min, max))) if max < low || min > high => {}
            // An end that is excluded makes less than a segment of difference.
            (Some((low, high)), Some((min, max))) if low < min && max < high && test.is_range() => {
                counted += known.rows as f64;
            }
            _ => unknown.push((segment, known.rows)),
        }
    }
    let rows: f64 = unknown.iter().map(|(_, rows)| *rows as f64).sum();
    let (hits, looked) = sample(column, test, &spread(&unknown));
    let mut part = hits as f64 / looked.max(1) as f64;
    if hits < HITS_MIN
        && rows > looked as f64
        && let Bound::Terms(terms) = bound
    {
        // What the sample saw bounds what can be there; one hit may be luck.
        let equal = terms.len() as f64 * present / stats.distinct.max(1) as f64;
        let (least, most) = (hits.saturating_sub(1), HITS_MIN);
        let seen = |hits: usize| hits as f64 / looked.max(1) as f64;
        part = (equal / rows).clamp(seen(least), seen(most));
    }
    // A slot may be null, or of a node without an edge.
    (counted * (present / slots.max(1.0)).min(1.0) + rows * part).min(present)
}

/// How many of the values that were looked at pass, and how many these were.
fn sample(column: &ColumnView<'_>, test: &LiteralFilter<'_>, segments: &[(usize, usize)]) -> (usize, usize) {
    let rows = sampled_rows(segments, SAMPLE_ROWS);
    let values = column.gather(rows.iter().copied().enumerate(), rows.len());
    let passes = |i: &usize| test.passes(&values.value(*i, &|_| Value::Null));
    ((0..rows.len()).filter(passes).count(), rows.len())
}

/// About `most` rows of these segments of so many, spread evenly.
fn sampled_rows(segments: &[(usize, usize)], most: usize) -> Vec<u64> {
    let all: usize = segments.iter().map(|(_, rows)| rows).sum();
    // Odd, so that rows that alternate are seen alike.
    let step = all.div_ceil(most).max(1) | 1;
    (segments.iter())
        .flat_map(|(segment, rows)| (0..*rows).step_by(step).map(|row| ColumnView::row_of(*segment, row)))
        .collect()
}
