//! Facts that writers break: what a main version says of its data is made weaker before a change that it
//! would not allow can be seen, by who makes the change, or by who reads it from the log.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::{EdgeTableFacts, TargetFacts};
use trimorph_store::Main;

/// Whether rows of a node table may have other labels than the table.
pub(crate) fn labels_vary(main: &Main, table: TableId) -> bool {
    let facts = main.catalog.unrecorded_facts().node_tables.get(usize::from(table.0));
    facts.is_none_or(|facts| facts.labels_vary)
}

/// Rows of a node table may have other labels than the table.
pub(crate) fn let_labels_vary(main: &mut Main, table: TableId) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    if let Some(facts) = facts.node_tables.get_mut(usize::from(table.0)) {
        facts.labels_vary = true;
    }
}

/// Whether an edge table may get any edges to nodes of `target`.
pub(crate) fn edges_vary(main: &Main, table: EdgeTableId, target: TableId) -> bool {
    let facts = main.catalog.unrecorded_facts().edge_tables.get(usize::from(table.0));
    facts.is_some_and(|facts: &EdgeTableFacts| {
        !facts.single
            && facts.edges_max == u64::MAX
            && facts.self_loops_max == u64::MAX
            && facts.targets.iter().all(|known| !known.single)
            && facts.targets.iter().any(|known| known.table == target)
    })
}

/// An edge table may get any edges to nodes of `target`.
pub(crate) fn let_edges_vary(main: &mut Main, table: EdgeTableId, target: TableId) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    let Some(facts) = facts.edge_tables.get_mut(usize::from(table.0)) else { return };
    facts.single = false;
    (facts.edges_max, facts.self_loops_max) = (u64::MAX, u64::MAX);
    facts.targets.iter_mut().for_each(|known| known.single = false);
    if !facts.targets.iter().any(|known| known.table == target) {
        facts.targets.push(TargetFacts { table: target, single: false });
        facts.targets.sort_by_key(|known| known.table);
    }
}

/// The values of a node table's column may be of several types.
pub(crate) fn let_node_types_vary(main: &mut Main, table: TableId, column: usize) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    let facts = facts.node_tables.get_mut(usize::from(table.0));
    if let Some(one_type) = facts.and_then(|facts| facts.one_type.get_mut(column)) {
        *one_type = false;
    }
}

/// The same of an edge table's.
pub(crate) fn let_edge_types_vary(main: &mut Main, table: EdgeTableId, column: usize) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    let facts = facts.edge_tables.get_mut(usize::from(table.0));
    if let Some(one_type) = facts.and_then(|facts| facts.one_type.get_mut(column)) {
        *one_type = false;
    }
}
