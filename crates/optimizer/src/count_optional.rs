//! `OPTIONAL MATCH` of which nothing is looked at but counts: takes an aggregation over it, gives one over
//! `COUNT { … }` of the same pattern, whose numbers are added up. So matches are counted and not made.
//!
//! A group's `count(x)` is the sum, over the group's rows before the optional match, of how many matches each
//! has, where `x` is a node or relationship that each match has. What else is aggregated may speak of the
//! rows before only, and must not ask how often each comes.

use trimorph_algebra::{Aggregate, AggregateKind, ApplyKind, Expr, Plan, VarId};
use trimorph_types::LogicalType;

use crate::count_rows::is_in_every_row;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, vars_of};

/// The pass.
pub(crate) fn count_optional(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, mut aggregates } = plan else { return Ok(plan) };
        let input = match *input {
            Plan::Apply { input, subplan, kind: ApplyKind::Optional }
                if counts_only(&input, &subplan, &keys, &aggregates) =>
            {
                let count = vars.anonymous(LogicalType::Int);
                for (_, aggregate) in &mut aggregates {
                    if counted(&subplan, aggregate) {
                        (aggregate.kind, aggregate.arg) = (AggregateKind::Sum, Some(Expr::Var(count)));
                    }
                }
                Box::new(Plan::Apply { input, subplan, kind: ApplyKind::Count(count) })
            }
            other => Box::new(other),
        };
        Ok(Plan::Aggregate { input, keys, aggregates })
    })
}

/// Whether some counts of matches, and nothing else of them, are asked for.
pub(crate) fn counts_only(
    before: &Plan,
    subplan: &Plan,
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
) -> bool {
    let known: VarSet = before.vars().into_iter().collect();
    let is_before = |expr: &Expr| vars_of([expr]).is_subset(&known);
    is_pattern(subplan)
        && keys.iter().all(|(_, key)| is_before(key))
        && aggregates.iter().any(|(_, aggregate)| counted(subplan, aggregate))
        && aggregates.iter().all(|(_, aggregate)| {
            let is_of_set =
                aggregate.distinct || matches!(aggregate.kind, AggregateKind::Min | AggregateKind::Max);
            let mut of = aggregate.arg.iter().chain(&aggregate.parameter);
            counted(subplan, aggregate) || is_of_set && aggregate.arg.is_some() && of.all(is_before)
        })
}

/// Whether it counts something that each match has.
fn counted(subplan: &Plan, aggregate: &Aggregate) -> bool {
    match (aggregate.kind, &aggregate.arg) {
        (AggregateKind::Count, Some(Expr::Var(var))) if !aggregate.distinct => is_in_every_row(subplan, *var),
        _ => false,
    }
}

/// Whether a plan matches a pattern for each row of an apply around, and no more.
fn is_pattern(mut plan: &Plan) -> bool {
    loop {
        match plan {
            Plan::Argument(_) => return true,
            Plan::Match { input, .. } | Plan::Filter { input, .. } => plan = input,
            _ => return false,
        }
    }
}
