//! Facts that writers break: what a main version says of its data is made weaker before a change that it
//! would not allow can be seen, by who makes the change, or by who reads it from the log.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, LabelId, TableId};
use trimorph_catalog::{EdgeTableFacts, TargetFacts};
use trimorph_store::Main;

/// Whether rows of a node table may differ from the table by each of these labels.
pub(crate) fn labels_vary(main: &Main, table: TableId, by: &[LabelId]) -> bool {
    let facts = main.catalog.unrecorded_facts().node_tables.get(usize::from(table.0));
    facts.is_none_or(|facts| {
        facts.labels_vary.do_vary() && by.iter().all(|label| facts.labels_vary.by(*label))
    })
}

/// Rows of a node table may differ from the table by these labels.
pub(crate) fn let_labels_vary(main: &mut Main, table: TableId, by: &[LabelId]) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    if let Some(facts) = facts.node_tables.get_mut(usize::from(table.0)) {
        facts.labels_vary.add(by.iter().copied());
    }
}

/// Whether rows of a node table may lack its key.
pub(crate) fn is_keyless(main: &Main, table: TableId) -> bool {
    let facts = main.catalog.unrecorded_facts().node_tables.get(usize::from(table.0));
    facts.is_none_or(|facts| facts.keyless)
}

/// Rows of a node table may lack its key.
pub(crate) fn let_keys_lack(main: &mut Main, table: TableId) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    if let Some(facts) = facts.node_tables.get_mut(usize::from(table.0)) {
        facts.keyless = true;
    }
}

/// Whether an edge table may get edges between any two nodes to those of `target`, one at each end.
pub(crate) fn edges_vary(main: &Main, table: EdgeTableId, target: TableId) -> bool {
    let facts = main.catalog.unrecorded_facts().edge_tables.get(usize::from(table.0));
    facts.is_some_and(|facts: &EdgeTableFacts| {
        facts.edges_max == u64::MAX && facts.targets.iter().any(|known| known.table == target)
    })
}

/// An edge table may get edges between any two nodes to those of `target`. That a node has one at most is
/// left, and that none leads to where it begins: who puts such a one in says so ([`let_have_several`],
/// [`let_have_loops`]).
pub(crate) fn let_edges_vary(main: &mut Main, table: EdgeTableId, target: TableId) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    let Some(facts) = facts.edge_tables.get_mut(usize::from(table.0)) else { return };
    facts.edges_max = u64::MAX;
    if !facts.targets.iter().any(|known| known.table == target) {
        facts.targets.push(TargetFacts { table: target, single: false });
        facts.targets.sort_by_key(|known| known.table);
    }
}

/// Whether an edge table may get edges from a node to itself.
pub(crate) fn may_have_loops(main: &Main, table: EdgeTableId) -> bool {
    let facts = main.catalog.unrecorded_facts().edge_tables.get(usize::from(table.0));
    facts.is_none_or(|facts| facts.self_loops_max == u64::MAX)
}

/// An edge table may get edges from a node to itself.
pub(crate) fn let_have_loops(main: &mut Main, table: EdgeTableId) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    if let Some(facts) = facts.edge_tables.get_mut(usize::from(table.0)) {
        facts.self_loops_max = u64::MAX;
    }
}

/// Which ends of the edges of a table may have several: its sources, and targets in a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Several {
    /// Sources.
    Sources,
    /// Targets in this table.
    Targets(TableId),
}

/// Whether ends of an edge table have one edge at most, as far as anybody was told.
pub(crate) fn have_one(main: &Main, table: EdgeTableId, ends: Several) -> bool {
    let facts = main.catalog.unrecorded_facts().edge_tables.get(usize::from(table.0));
    facts.is_some_and(|facts| match ends {
        Several::Sources => facts.single,
        Several::Targets(of) => facts.targets.iter().any(|known| known.table == of && known.single),
    })
}

/// Ends of an edge table may have several edges.
pub(crate) fn let_have_several(main: &mut Main, table: EdgeTableId, ends: Several) {
    let facts = Arc::make_mut(&mut main.catalog).facts_mut();
    let Some(facts) = facts.edge_tables.get_mut(usize::from(table.0)) else { return };
    match ends {
        Several::Sources => facts.single = false,
        Several::Targets(of) => {
            facts.targets.iter_mut().filter(|known| known.table == of).for_each(|known| known.single = false);
        }
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
