//! `EXISTS { MATCH (f)-->(m) WHERE EXISTS { (m)-->(p) } }`: a condition that asks for relationships between
//! nodes which are there becomes part of the pattern around it, where that is asked only whether it has rows.
//! The pattern is then planned as one: from `p` as well as from `f`, and not by finding every `m` first.
//!
//! Invariant: each row of the pattern around comes as often as there are such relationships, and not at all
//! where there are none. How often is of no matter here. A pattern that finds further nodes is left alone: a
//! row would come once for each of them.

use trimorph_algebra::{ApplyKind, EdgeRange, Plan, QueryGraph};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile};

/// The pass.
pub(crate) fn exists_edges(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Apply { subplan, kind: ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_), .. } =
            &mut plan
        {
            open(subplan);
        }
        Ok(plan)
    })
}

/// Puts such conditions into the patterns of a plan that is asked only whether it has rows.
fn open(mut plan: &mut Plan) {
    loop {
        if let Plan::Apply { input, subplan, kind: ApplyKind::Semi } = plan
            && is_edges(subplan, input)
        {
            let input = std::mem::replace(&mut **input, Plan::Unit);
            let condition = std::mem::replace(&mut **subplan, Plan::Unit);
            *plan = over(condition, input);
        }
        plan = match plan {
            Plan::Match { input, .. } | Plan::Filter { input, .. } | Plan::Project { input, .. } => input,
            Plan::Apply { input, kind: ApplyKind::Semi | ApplyKind::Anti, .. } => input,
            _ => return,
        };
    }
}

/// The pattern that a condition asks for, below what it gives of it, at which nobody looks, and further
/// conditions.
fn pattern(mut plan: &Plan) -> Option<&QueryGraph> {
    while let Plan::Project { input, .. } = plan {
        plan = input;
    }
    loop {
        plan = match plan {
            Plan::Filter { input, predicate } if !calls_volatile(predicate) => input,
            Plan::Match { input, graph } if matches!(**input, Plan::Argument(_)) => return Some(graph),
            _ => return None,
        };
    }
}

/// Whether a condition on rows of `input` asks for relationships between nodes that they have.
fn is_edges(condition: &Plan, input: &Plan) -> bool {
    let Some(graph) = pattern(condition) else { return false };
    let there: VarSet = input.vars().into_iter().collect();
    graph.nodes.iter().all(|node| there.contains(&node.var))
        && graph.edges.iter().all(|edge| edge.range == EdgeRange::One && !there.contains(&edge.var))
        && !graph.predicates.iter().any(calls_volatile)
}

/// The pattern of a condition, and what is asked of it, over other rows.
fn over(condition: Plan, input: Plan) -> Plan {
    let (mut left, mut predicates) = (condition, Vec::new());
    loop {
        left = match left {
            Plan::Project { input, .. } => *input,
            Plan::Filter { input, predicate } => {
                predicates.push(predicate);
                *input
            }
            Plan::Match { graph, .. } => {
                let pattern = Plan::Match { input: Box::new(input), graph };
                return predicates
                    .into_iter()
                    .rev()
                    .fold(pattern, |plan, predicate| Plan::Filter { input: Box::new(plan), predicate });
            }
            // `pattern` has found one.
            _ => return input,
        };
    }
}
