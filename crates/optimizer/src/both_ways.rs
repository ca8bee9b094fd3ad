//! Edges asked for in both directions, `(a)-[r:KNOWS]-(b)`, where nobody looks at the nodes: those that lead
//! out, and those that lead in.
//!
//! Each half is read in the order its edges lie in, and aggregated by itself; both at once are gathered node
//! by node. An edge from a node to itself is one row, not two: where there may be such, the pattern stays.

use trimorph_algebra::{Direction, EdgeRange, Plan, QueryGraph};
use trimorph_catalog::CatalogView;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::{edge_tables, tables_of};
use crate::{Halt, VarSet, vars_of};

/// The pass.
pub(crate) fn both_ways(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let catalog = planning.catalog;
    bottom_up(plan, &planning.needed, &mut |plan, needed| {
        Ok(match &plan {
            Plan::Match { input, graph } if matches!(**input, Plan::Unit) => {
                apart(graph, needed, catalog).unwrap_or(plan)
            }
            _ => plan,
        })
    })
}

fn apart(graph: &QueryGraph, needed: &VarSet, catalog: &CatalogView<'_>) -> Option<Plan> {
    let ([a, b], [edge]) = (&graph.nodes[..], &graph.edges[..]) else { return None };
    let is_step = edge.direction == Direction::Both
        && edge.range == EdgeRange::One
        && edge.each.is_none()
        && edge.whole.is_empty();
    let is_plain = graph.paths.is_empty() && graph.walks.is_empty() && graph.counts.is_empty();
    let asked = vars_of(&graph.predicates);
    let is_asked = |var| needed.contains(var) || asked.contains(var);
    // What is not looked at either is counted without reading any.
    let is_of_edge = is_asked(&edge.var) && !is_asked(&a.var) && !is_asked(&b.var);
    if !is_step || !is_plain || !is_of_edge || a.var == b.var {
        return None;
    }
    if edge_tables(catalog, edge).iter().any(|table| catalog.may_have_loops(*table)) {
        return None;
    }
    let half = |direction| {
        let mut graph = graph.clone();
        graph.edges[0].direction = direction;
        graph.tables = tables_of(catalog, &graph);
        Plan::Match { input: Box::new(Plan::Unit), graph }
    };
    Some(Plan::Union { inputs: vec![half(Direction::Out), half(Direction::In)], vars: vec![edge.var] })
}
