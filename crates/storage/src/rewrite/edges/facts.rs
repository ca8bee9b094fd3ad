//! What the catalog knows of an edge table after a change: numbers that are true, and bounds where only a
//! scan would tell.

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_catalog::{Catalog, DegreeStats, TargetFacts};

use super::change::Change;
use crate::EdgeTable;
use crate::adjacency::{AdjacencyView, Form};

impl Change<'_> {
    pub(super) fn describe(&self, next: &EdgeTable, catalog: &mut Catalog, at: usize) {
        // What it looks at was written just now, or read before.
        let view = next.view(&Arc::default());
        let (inserted, deleted) = (&self.changes.inserted, &self.changes.deleted);
        let new_loops = inserted.iter().filter(|e| self.node(e.source) == e.target).count() as u64;
        let old_loops = deleted.iter().filter(|e| self.node(e.source) == e.target).count() as u64;
        let facts = &mut catalog.facts_mut().edge_tables[at];
        if facts.self_loops_max != u64::MAX {
            facts.self_loops_max = (facts.self_loops_max.saturating_add(new_loops)).saturating_sub(old_loops);
        }
        facts.edges_max = next.forward.edges();
        facts.single = self.form == Form::Column;
        facts.one_type = next.columns.iter().map(|column| column.has_one_type()).collect();
        let single = |table| matches!(view.backward(table), Some(AdjacencyView::Column(_)));
        facts.targets = next
            .backward
            .iter()
            .map(|(table, _)| TargetFacts { table: *table, single: single(*table) })
            .collect();
        catalog.estimates = None;
        let stats = &mut catalog.statistics.edge_tables[at];
        stats.forward.edges = next.forward.edges();
        let touched: BTreeSet<u64> = deleted.iter().chain(inserted).map(|e| e.source).collect();
        degrees(Some(&self.view.forward), &view.forward, &touched, &mut stats.forward);
        for (target, after) in &view.backward {
            let touched: BTreeSet<u64> = (deleted.iter().chain(inserted).map(|e| e.target))
                .filter(|t| t.table() == *target)
                .map(NodeId::row)
                .collect();
            let known = match stats.backward.iter().position(|(table, _)| table == target) {
                Some(known) => known,
                None => {
                    stats.backward.push((*target, DegreeStats::default()));
                    stats.backward.len() - 1
                }
            };
            let stats = &mut stats.backward[known].1;
            stats.edges = after.edges();
            degrees(self.view.backward(*target), after, &touched, stats);
        }
        stats.backward.sort_by_key(|(table, _)| *table);
    }
}

/// Largest degree, or what it was before; and nodes with an edge.
fn degrees(
    before: Option<&AdjacencyView<'_>>,
    after: &AdjacencyView<'_>,
    touched: &BTreeSet<u64>,
    stats: &mut DegreeStats,
) {
    let count = |view: &AdjacencyView<'_>| touched.iter().filter(|row| view.degree(**row) > 0).count() as u64;
    let most = touched.iter().map(|row| after.degree(*row)).max().unwrap_or(0);
    stats.degree_max = stats.degree_max.max(most);
    stats.nonempty = (stats.nonempty + count(after)).saturating_sub(before.map_or(0, count));
}
