//! Patterns that follow each other become one: `MATCH … MATCH …` orders its joins together. Pairs of edges
//! that must differ stay those of each clause.

use std::collections::HashMap;

use trimorph_algebra::{Plan, QueryGraph, VarId};

use crate::needed::bottom_up;
use crate::passes::Planning;
use crate::{Halt, conjuncts};

/// Nodes and edges up to which patterns are merged: what is planned together takes more than linear time.
const MERGED_MAX: usize = 4_000;

/// The pass.
pub(crate) fn merge_patterns(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| Ok(merged(plan)))
}

fn merged(plan: Plan) -> Plan {
    let Plan::Match { input, graph } = plan else { return plan };
    match *input {
        Plan::Match { input, graph: first } if is_small(&first, &graph) => {
            Plan::Match { input, graph: join(first, graph) }
        }
        Plan::Filter { input: below, predicate } => match *below {
            Plan::Match { input, graph: mut first } if is_small(&first, &graph) => {
                conjuncts(predicate, &mut first.predicates);
                Plan::Match { input, graph: join(first, graph) }
            }
            other => {
                let input = Box::new(Plan::Filter { input: Box::new(other), predicate });
                Plan::Match { input, graph }
            }
        },
        other => Plan::Match { input: Box::new(other), graph },
    }
}

fn is_small(first: &QueryGraph, second: &QueryGraph) -> bool {
    let size = |graph: &QueryGraph| graph.nodes.len() + graph.edges.len();
    size(first) + size(second) <= MERGED_MAX
}

fn join(mut first: QueryGraph, second: QueryGraph) -> QueryGraph {
    let places: HashMap<VarId, usize> = first.nodes.iter().enumerate().map(|(i, n)| (n.var, i)).collect();
    for node in second.nodes {
        match places.get(&node.var) {
            Some(place) => {
                let known = &mut first.nodes[*place];
                known.labels =
                    std::mem::replace(&mut known.labels, trimorph_algebra::LabelExpr::True).and(node.labels);
            }
            None => first.nodes.push(node),
        }
    }
    first.edges.extend(second.edges);
    first.paths.extend(second.paths);
    first.predicates.extend(second.predicates);
    first.distinct.extend(second.distinct);
    first
}
