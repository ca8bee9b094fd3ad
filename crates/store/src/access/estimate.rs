//! Estimates: the same patterns answered with about how many.
//!
//! Edges and labels were counted when the main version was made; a condition on values is tried on a sample
//! of the column, spread evenly, and falls back on distinct counts where the sample holds too few that pass.
//!
//! Source: Poseidon §6.2; design §6 ("that is how the optimizer samples").

use std::ops::ControlFlow;

use trimorph_catalog::PropertyStats;

use super::pattern::{Bound, Pattern};
use super::plan::{AccessPlan, Choice, Relation};
use crate::Reader;

/// Rows of a column that are looked at: as many as a zone has. Enough to tell a part of a hundredth; what it
/// costs is not measured.
const SAMPLE_ROWS: u64 = 1024;
/// Slots that are looked at for each of these rows, at most: edges of a small table have many holes between
/// them.
const SLOTS_PER_ROW_MAX: f64 = 16.0;
/// Hits of a sample below which the distinct count knows better.
const HITS_MIN: u64 = 8;

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
    /// **Cost**: a look at the catalog; with a condition on values, the reading of 1,024 of them per column.
    pub fn estimate(&self, pattern: &Pattern) -> Estimate {
        let mut plan = AccessPlan::of(pattern.clone(), self, Choice::Cost);
        let statistics = &self.catalog().statistics;
        if !matches!(pattern.object.bound, Bound::Free) {
            for access in &mut plan.accesses {
                // How many rows are read for one that is there: slots of edges have holes between them.
                let mut spread = 1.0;
                let (total, counted) = match access.relation {
                    Relation::NodeProperty { table, column } => {
                        let stats = &statistics.node_tables[table.0 as usize];
                        (stats.rows, &stats.properties[column])
                    }
                    Relation::EdgeProperty { table, column } => {
                        let stats = &statistics.edge_tables[table];
                        let source = self.edge_table(table).source;
                        let slots = self.edge_table(table).slots_end(self.rows(source));
                        spread = (slots as f64 / stats.forward.edges.max(1) as f64).max(1.0);
                        (stats.forward.edges, &stats.properties[column])
                    }
                    Relation::Labels(_) | Relation::Edges(_) => continue,
                };
                let PropertyStats { nulls, distinct, .. } = *counted;
                if total == 0 {
                    continue;
                }
                let whole = Pattern {
                    object: pattern.object.clone(),
                    predicates: pattern.predicates.clone(),
                    ..Pattern::default()
                };
                let sample = (SAMPLE_ROWS.min(total) as f64 * spread.min(SLOTS_PER_ROW_MAX)).ceil();
                let one = AccessPlan {
                    pattern: whole.sample(sample as u64).count(),
                    accesses: vec![super::plan::Access {
                        path: super::plan::Path::Scan,
                        rows: total as f64,
                        ..*access
                    }],
                    join: None,
                };
                let hits = one.run(self, |_| ControlFlow::Continue(())).unwrap_or(0);
                let looked = sample / spread;
                let present = (total - nulls.min(total)) as f64 / total as f64;
                let mut part = (hits as f64 / looked).min(present);
                if hits < HITS_MIN
                    && total as f64 > looked
                    && let Bound::Terms(terms) = &pattern.object.bound
                {
                    // What the sample saw bounds what can be there.
                    part = (terms.len() as f64 * present / distinct.max(1) as f64)
                        .min(HITS_MIN as f64 / looked)
                        .max(part);
                }
                access.rows = access.subjects * part;
            }
        }
        Estimate { rows: plan.rows(), cost: plan.cost() }
    }
}
