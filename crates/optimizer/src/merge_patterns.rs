//! Patterns that follow each other become one: `MATCH … MATCH …` orders its joins together. Pairs of edges that must differ stay
//! those of each clause.

use trimorph_algebra::{Plan, QueryGraph};

use crate::conjuncts;

/// Merges patterns throughout a plan.
pub(crate) fn merge_patterns(plan: Plan) -> Plan {
    match plan.map_children(&mut merge_patterns) {
        Plan::Match { input, graph } => match *input {
            Plan::Match { input, graph: first } => Plan::Match { input, graph: join(first, graph) },
            Plan::Filter { input: below, predicate } => match *below {
                Plan::Match { input, graph: mut first } => {
                    conjuncts(predicate, &mut first.predicates);
                    Plan::Match { input, graph: join(first, graph) }
                }
                other => {
                    let input = Box::new(Plan::Filter { input: Box::new(other), predicate });
                    Plan::Match { input, graph }
                }
            },
            other => Plan::Match { input: Box::new(other), graph },
        },
        other => other,
    }
}

fn join(mut first: QueryGraph, second: QueryGraph) -> QueryGraph {
    for node in second.nodes {
        match first.nodes.iter_mut().find(|n| n.var == node.var) {
            Some(known) => known.labels = known.labels.clone().and(node.labels),
            None => first.nodes.push(node),
        }
    }
    first.edges.extend(second.edges);
    first.paths.extend(second.paths);
    first.predicates.extend(second.predicates);
    first.distinct.extend(second.distinct);
    first
}
