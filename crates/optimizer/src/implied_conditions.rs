//! Conditions that others imply: takes a plan, gives it without them. A front end that asks for each
//! property of a pattern that it is there asks that beside whatever else is asked of it.
//!
//! 1. `x IS NOT NULL` where another condition is true of no null `x`, as `x > 1` and `x IN [1, 2]` are.
//! 2. `x IS NOT NULL` of all rows where there is one group and each aggregate leaves out null `x`, as
//!    `min(x)` does; `count(*)` is `count(x)` then.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, QueryGraph};

use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, refuses_null};

/// The pass.
pub(crate) fn implied_conditions(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => drop_implied(&mut graph.predicates),
            Plan::Aggregate { input, keys, aggregates } if keys.is_empty() => {
                if let Plan::Match { graph, .. } = &mut **input {
                    leave_to_aggregates(graph, aggregates);
                }
            }
            _ => {}
        }
        Ok(plan)
    })
}

/// What a condition asks to be there, if that is all.
fn asked_for(condition: &Expr) -> Option<&Expr> {
    match condition {
        Expr::Op(Op::IsNotNull, args, _) => match &args[..] {
            [of @ Expr::Property(..)] => Some(of),
            _ => None,
        },
        _ => None,
    }
}

fn drop_implied(conditions: &mut Vec<Expr>) {
    let implied = |condition: &Expr| {
        asked_for(condition).is_some_and(|of| {
            let others = conditions.iter().filter(|other| asked_for(other).is_none());
            others.into_iter().any(|other| refuses_null(other).iter().any(|own| is_same(own, of)))
        })
    };
    let keep: Vec<bool> = conditions.iter().map(|condition| !implied(condition)).collect();
    let mut keep = keep.into_iter();
    conditions.retain(|_| keep.next().unwrap_or(true));
}

/// Drops what is asked to be there where aggregates leave out what is not.
fn leave_to_aggregates(graph: &mut QueryGraph, aggregates: &mut [(trimorph_algebra::VarId, Aggregate)]) {
    use AggregateKind as K;
    let Some(place) = graph.predicates.iter().position(|condition| asked_for(condition).is_some()) else {
        return;
    };
    let Some(of) = asked_for(&graph.predicates[place]).cloned() else { return };
    let leaves_out = |aggregate: &Aggregate| match aggregate.kind {
        K::CountStar => true,
        K::Count | K::Sum | K::NumberSum | K::Avg | K::Min | K::Max => {
            aggregate.parameter.is_none() && aggregate.arg.as_ref().is_some_and(|arg| is_same(arg, &of))
        }
        _ => false,
    };
    let is_of_rows = |(_, aggregate): &(_, Aggregate)| matches!(aggregate.kind, K::CountStar);
    // Rows alone are counted as fast where the condition is.
    if aggregates.iter().all(is_of_rows) || !aggregates.iter().all(|(_, aggregate)| leaves_out(aggregate)) {
        return;
    }
    graph.predicates.remove(place);
    for (_, aggregate) in aggregates {
        if matches!(aggregate.kind, K::CountStar) {
            (aggregate.kind, aggregate.arg) = (K::Count, Some(of.clone()));
        }
    }
}
