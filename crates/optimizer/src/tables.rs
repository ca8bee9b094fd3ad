//! What of the catalog a pattern can be matched by: edge tables, and the node tables each node can be in, which its labels allow, narrowed
//! along edges until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, QueryGraph, VarId};
use trimorph_base::TableId;
use trimorph_catalog::{Catalog, EdgeTableInfo};

/// Tables by node variable.
pub(crate) type Tables = BTreeMap<VarId, Vec<TableId>>;

/// The edge tables of an edge pattern.
pub(crate) fn edge_tables<'c>(catalog: &'c Catalog, edge: &EdgePattern) -> Vec<&'c EdgeTableInfo> {
    catalog
        .edge_table_ids()
        .zip(&catalog.edge_tables)
        .filter(|(id, _)| edge.types.is_empty() || edge.types.contains(&catalog.type_name(*id)))
        .map(|(_, info)| info)
        .collect()
}

/// The pairs (table of `from`, table of `to`) that one edge of the pattern can join, with the number of edges of each.
pub(crate) fn joined_tables(catalog: &Catalog, edge: &EdgePattern) -> Vec<(TableId, TableId, u64)> {
    let mut pairs = Vec::new();
    for info in edge_tables(catalog, edge) {
        for b in &info.backward {
            if edge.direction != Direction::In {
                pairs.push((info.source, b.target, b.edges));
            }
            if edge.direction != Direction::Out {
                pairs.push((b.target, info.source, b.edges));
            }
        }
    }
    pairs
}

/// Whether an edge pattern of variable length asks for more edges than there are: a trail takes none twice.
pub(crate) fn is_too_long(catalog: &Catalog, edge: &EdgePattern) -> bool {
    match edge.range {
        EdgeRange::One => false,
        EdgeRange::Variable { min, .. } => {
            u64::from(min) > edge_tables(catalog, edge).iter().map(|info| info.edges).sum()
        }
    }
}

/// Narrows the tables of every node.
pub(crate) fn narrow_tables(catalog: &Catalog, graph: &QueryGraph) -> Tables {
    let mut tables: Tables =
        graph.nodes.iter().map(|n| (n.var, catalog.tables_where(|has| n.labels.matches(has)))).collect();
    loop {
        let mut changed = false;
        for edge in graph.edges.iter().filter(|e| e.range == EdgeRange::One) {
            let (Some(from), Some(to)) = (tables.get(&edge.from), tables.get(&edge.to)) else { continue };
            let pairs: Vec<_> = joined_tables(catalog, edge)
                .into_iter()
                .filter(|(f, t, _)| from.contains(f) && to.contains(t))
                .collect();
            let sources: BTreeSet<TableId> = pairs.iter().map(|p| p.0).collect();
            let targets: BTreeSet<TableId> = pairs.iter().map(|p| p.1).collect();
            for (var, allowed) in [(edge.from, sources), (edge.to, targets)] {
                if let Some(list) = tables.get_mut(&var) {
                    let before = list.len();
                    list.retain(|t| allowed.contains(t));
                    changed |= list.len() < before;
                }
            }
        }
        if !changed {
            return tables;
        }
    }
}
