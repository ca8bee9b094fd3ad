//! Notes for each node of a pattern which tables it can be in: what its labels allow, narrowed along edges. A
//! pattern with a node that no table can have, or a trail longer than there are edges, matches nothing. An
//! edge asked for in both directions that these tables have in one only is asked for in that one.

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, Expr, LabelExpr, Plan, QueryGraph};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::{Tables, is_too_long, joined_tables, tables_of};

/// The one direction that an edge asked for in both can have between the tables of its ends, if it is one.
fn only_direction(catalog: &CatalogView<'_>, edge: &EdgePattern, tables: &Tables) -> Option<Direction> {
    if edge.direction != Direction::Both || edge.range != EdgeRange::One {
        return None;
    }
    let (from, to) = (tables.get(&edge.from)?, tables.get(&edge.to)?);
    let has = |direction| {
        let pairs = joined_tables(catalog, &EdgePattern { direction, ..edge.clone() });
        pairs.iter().any(|(a, b, _)| from.contains(a) && to.contains(b))
    };
    match (has(Direction::Out), has(Direction::In)) {
        (true, false) => Some(Direction::Out),
        (false, true) => Some(Direction::In),
        _ => None,
    }
}

/// Where labels of rows may be others than their table's, rows are asked.
fn ask_rows(graph: &mut QueryGraph, varying: &[TableId]) {
    if varying.is_empty() {
        return;
    }
    for node in &graph.nodes {
        let may_vary = |tables: &Vec<TableId>| tables.iter().any(|table| varying.contains(table));
        if node.labels != LabelExpr::True && graph.tables.get(&node.var).is_none_or(may_vary) {
            let asked = Expr::HasLabel(Box::new(Expr::Var(node.var)), node.labels.clone());
            graph.predicates.push(asked);
        }
    }
}

/// The pass.
pub(crate) fn narrow_tables(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (catalog, cancel) = (planning.catalog, planning.cancel);
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        let mut is_empty = false;
        if let Plan::Match { graph, .. } = &mut plan {
            crate::planning::poll(cancel)?;
            graph.tables = tables_of(catalog, graph);
            let QueryGraph { edges, tables, .. } = graph;
            for edge in edges {
                edge.direction = only_direction(catalog, edge, tables).unwrap_or(edge.direction);
            }
            ask_rows(graph, &catalog.varying());
            is_empty = graph.tables.values().any(Vec::is_empty)
                || graph.edges.iter().any(|e| is_too_long(catalog, e));
        }
        Ok(if is_empty { Plan::Empty(plan.vars()) } else { plan })
    })
}
