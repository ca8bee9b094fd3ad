//! Notes for each node of a pattern which tables it can be in: what its labels allow, narrowed along edges. A
//! pattern with a node that no table can have, or a trail longer than there are edges, matches nothing.

use trimorph_algebra::Plan;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::{is_too_long, tables_of};

/// The pass.
pub(crate) fn narrow_tables(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let (catalog, cancel) = (planning.catalog, planning.cancel);
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        let mut is_empty = false;
        if let Plan::Match { graph, .. } = &mut plan {
            crate::planning::poll(cancel)?;
            graph.tables = tables_of(catalog, graph);
            is_empty = graph.tables.values().any(Vec::is_empty)
                || graph.edges.iter().any(|e| is_too_long(catalog, e));
        }
        Ok(if is_empty { Plan::Empty(plan.vars()) } else { plan })
    })
}
