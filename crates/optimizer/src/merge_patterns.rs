//! Patterns that follow each other become one: `MATCH … MATCH …` orders its joins together. Pairs of edges
//! that must differ stay those of each clause. A pattern that goes along a list of relationships which the
//! one before it finds stays by itself: within one pattern nothing is bound, and the list would be searched
//! for. A condition between them that gives another answer each time keeps them apart: it is asked of the
//! rows of the first.

use std::collections::HashMap;

use trimorph_algebra::{EdgeRange, Expr, Op, Plan, QueryGraph, VarId};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile, conjuncts};

/// Nodes and edges up to which patterns are merged: what is planned together takes more than linear time.
const MERGED_MAX: usize = 4_000;

/// The pass.
pub(crate) fn merge_patterns(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| Ok(merged(plan)))
}

fn merged(plan: Plan) -> Plan {
    let Plan::Match { input, graph } = plan else { return plan };
    match *input {
        Plan::Match { input, graph: first } if may_be_one(&first, &graph) => {
            Plan::Match { input, graph: join(first, graph) }
        }
        Plan::Filter { input: below, predicate } => match *below {
            Plan::Match { input, graph: mut first }
                if may_be_one(&first, &graph) && !calls_volatile(&predicate) =>
            {
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

fn may_be_one(first: &QueryGraph, second: &QueryGraph) -> bool {
    let size = |graph: &QueryGraph| graph.nodes.len() + graph.edges.len();
    size(first) + size(second) <= MERGED_MAX
        && !walks_along(second, first)
        && !first.predicates.iter().any(calls_volatile)
}

/// Whether a walk of `second` goes along the edges of one of `first`.
fn walks_along(second: &QueryGraph, first: &QueryGraph) -> bool {
    let walks = |graph: &QueryGraph, var: VarId| {
        graph.edges.iter().any(|edge| edge.var == var && edge.range != EdgeRange::One)
    };
    second.predicates.iter().any(|predicate| {
        let Expr::Op(Op::Eq, args, _) = predicate else { return false };
        let [Expr::Var(a), Expr::Var(b)] = &args[..] else { return false };
        [(*a, *b), (*b, *a)].iter().any(|(own, other)| walks(second, *own) && walks(first, *other))
    })
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
