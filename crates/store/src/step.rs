//! Which adjacencies one step of a pattern visits.
//!
//! A step has a direction, edge labels and the tables its end may be in. Seen from a node table it is a short list of
//! (edge table, direction, target table) that the executor walks for every node of that table.

use trimorph_base::TableId;
use trimorph_catalog::Catalog;

/// One adjacency to visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AdjacencyRef {
    /// The edge table.
    pub edge_table: usize,
    /// From source to target, or back.
    pub forward: bool,
    /// Backward: the target table walked from.
    pub from: TableId,
    /// Edges from a node to itself are left out here, because the other direction gives them (undirected steps).
    pub skip_loops: bool,
    /// Neighbours must be checked against the tables wanted: the adjacency holds others too.
    pub check_table: bool,
    /// At most one neighbour each.
    pub single: bool,
    /// The only table neighbours are in, if it is one.
    pub target: Option<TableId>,
    /// Edges in all.
    pub edges: u64,
}

/// For each node table, the adjacencies a step visits.
#[derive(Clone, Debug, Default)]
pub struct StepPlan {
    /// By node table.
    pub by_table: Vec<Vec<AdjacencyRef>>,
    /// Tables wanted, sorted; none for all.
    pub to_tables: Option<Vec<TableId>>,
}

impl StepPlan {
    /// Resolves a step. `types` empty means any edge label; `out` and `back` say which directions are walked.
    pub fn new(
        catalog: &Catalog,
        types: &[impl AsRef<str>],
        out: bool,
        back: bool,
        to_tables: Option<&[TableId]>,
    ) -> Self {
        let mut by_table: Vec<Vec<AdjacencyRef>> = vec![Vec::new(); catalog.node_tables.len()];
        let wanted = |t: TableId| to_tables.is_none_or(|ts| ts.contains(&t));
        for (i, (id, info)) in catalog.edge_table_ids().zip(&catalog.edge_tables).enumerate() {
            let name = catalog.type_name(id);
            if !types.is_empty() && !types.iter().any(|t| t.as_ref() == &*name) {
                continue;
            }
            let targets: Vec<TableId> = info.backward.iter().map(|b| b.target).collect();
            if out && targets.iter().any(|t| wanted(*t)) {
                by_table[info.source.0 as usize].push(AdjacencyRef {
                    edge_table: i,
                    forward: true,
                    from: info.source,
                    skip_loops: false,
                    check_table: !targets.iter().all(|t| wanted(*t)),
                    single: info.single,
                    target: (targets.len() == 1).then(|| targets[0]),
                    edges: info.edges,
                });
            }
            if back && wanted(info.source) {
                for b in &info.backward {
                    by_table[b.target.0 as usize].push(AdjacencyRef {
                        edge_table: i,
                        forward: false,
                        from: b.target,
                        skip_loops: out && b.target == info.source && info.self_loops > 0,
                        check_table: false,
                        single: b.single,
                        target: Some(info.source),
                        edges: b.edges,
                    });
                }
            }
        }
        Self { by_table, to_tables: to_tables.map(<[TableId]>::to_vec) }
    }

    /// Whether neighbours in `table` are wanted.
    #[inline]
    pub fn wants(&self, table: TableId) -> bool {
        self.to_tables.as_ref().is_none_or(|ts| ts.contains(&table))
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
