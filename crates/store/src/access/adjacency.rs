//! Which adjacencies an edge pattern with a frontier visits: the index path, resolved for operators that walk
//! lists in place (`neighbours`).
//!
//! Seen from a node table it is a short list of (edge table, direction, target table) that the executor walks
//! for every node of that table. An undirected step is two patterns: one with its frontier in S, one with it
//! in O.

use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::CatalogView;

use super::pattern::{Frontier, Pattern};
use super::plan::{AccessPlan, Choice, Relation};
use crate::Reader;

/// One adjacency to visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AdjacencyRef {
    /// The edge table.
    pub edge_table: usize,
    /// From source to target, or back.
    pub forward: bool,
    /// Backward: the target table walked from.
    pub from: TableId,
    /// Edges from a node to itself are left out here, because the other direction gives them (undirected
    /// steps).
    pub skip_loops: bool,
    /// Neighbours must be checked against the tables wanted: the adjacency holds others too.
    pub check_table: bool,
    /// At most one neighbour each.
    pub single: bool,
    /// The only table neighbours are in, if it is one.
    pub target: Option<TableId>,
    /// Edges in all, about.
    pub edges: u64,
}

/// For each node table, the adjacencies that a frontier of its nodes visits.
#[derive(Clone, Debug, Default)]
pub struct EdgeAccess {
    /// The patterns: for EXPLAIN.
    pub patterns: Vec<Pattern>,
    /// By node table.
    pub by_table: Vec<Vec<AdjacencyRef>>,
    /// Tables wanted at the other end, sorted; none for all.
    pub to_tables: Option<Vec<TableId>>,
}

impl EdgeAccess {
    /// The patterns of one step: `types` empty means any edge label; `out` and `back` say which directions
    /// are walked, `rows` how many start nodes are expected.
    pub fn patterns(
        types: &[impl AsRef<str>],
        out: bool,
        back: bool,
        to_tables: Option<&[TableId]>,
        edge: bool,
        rows: f64,
    ) -> Vec<Pattern> {
        let frontier = || Frontier::Later(rows);
        let edges = || Pattern::edges(types);
        let forward = out.then(|| {
            edges().subject_frontier(frontier()).object_tables(to_tables).project(false, false, true, edge)
        });
        let backward = back.then(|| {
            edges().object_frontier(frontier()).subject_tables(to_tables).project(true, false, false, edge)
        });
        forward.into_iter().chain(backward).collect()
    }

    /// Resolves patterns to be followed with `reader`, and with no other: what is relied on is not noted.
    pub fn of(patterns: Vec<Pattern>, reader: &Reader<'_>) -> Self {
        Self::new(&CatalogView::new(reader.catalog()), patterns)
    }

    /// Resolves patterns, each with a frontier in S or in O, and notes in `catalog` what is relied on.
    pub fn new(catalog: &CatalogView<'_>, patterns: Vec<Pattern>) -> Self {
        let mut by_table: Vec<Vec<AdjacencyRef>> = vec![Vec::new(); catalog.node_table_count()];
        let both = patterns.len() > 1;
        let mut to_tables = None;
        for pattern in &patterns {
            let forward = pattern.subject.frontier.is_some();
            to_tables.clone_from(if forward { &pattern.object.tables } else { &pattern.subject.tables });
            // The planner leaves out the edge tables that cannot answer; which list is walked is the
            // frontier's side.
            for access in AccessPlan::new(pattern.clone(), catalog, Choice::Index).accesses {
                let Relation::Edges(edge_table) = access.relation else { continue };
                let Ok(id) = u16::try_from(edge_table).map(EdgeTableId) else { continue };
                let (source, stats) = (catalog.source(id), &catalog.statistics().edge_tables[edge_table]);
                if forward {
                    let wanted = |t: TableId| to_tables.as_ref().is_none_or(|ts| ts.contains(&t));
                    let targets: Vec<TableId> = catalog.targets(id).collect();
                    by_table[source.0 as usize].push(AdjacencyRef {
                        edge_table,
                        forward,
                        from: source,
                        skip_loops: false,
                        check_table: !targets.iter().all(|t| wanted(*t)),
                        single: catalog.is_single(id),
                        target: (targets.len() == 1).then(|| targets[0]),
                        edges: stats.forward.edges,
                    });
                } else {
                    for target in catalog.targets(id) {
                        by_table[target.0 as usize].push(AdjacencyRef {
                            edge_table,
                            forward,
                            from: target,
                            skip_loops: both && target == source && catalog.may_have_loops(id),
                            check_table: false,
                            single: catalog.is_single_into(id, target),
                            target: Some(source),
                            edges: stats.into_target(target).edges,
                        });
                    }
                }
            }
        }
        Self { patterns, by_table, to_tables }
    }

    /// The one adjacency of the whole step, if nodes of only one table have edges and only in one adjacency.
    pub fn only(&self) -> Option<AdjacencyRef> {
        let mut all = self.by_table.iter().flatten();
        let first = *all.next()?;
        all.next().is_none().then_some(first)
    }

    /// The one table that neighbours can be in, if it is one.
    pub fn target(&self) -> Option<TableId> {
        let mut all = self.by_table.iter().flatten();
        let first = all.next()?.target?;
        all.all(|r| r.target == Some(first)).then_some(first)
    }
}
