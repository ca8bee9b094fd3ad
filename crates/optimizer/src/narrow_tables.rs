//! Notes for each node of a pattern which tables it can be in: what its labels allow, narrowed along edges. A
//! pattern with a node that no table can have, or a trail longer than there are edges, matches nothing.

use trimorph_algebra::{Expr, LabelExpr, Plan, QueryGraph};
use trimorph_base::TableId;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::{is_too_long, tables_of};

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
            ask_rows(graph, &catalog.varying());
            is_empty = graph.tables.values().any(Vec::is_empty)
                || graph.edges.iter().any(|e| is_too_long(catalog, e));
        }
        Ok(if is_empty { Plan::Empty(plan.vars()) } else { plan })
    })
}
