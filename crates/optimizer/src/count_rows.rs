//! `count(x)` of what no row lacks is `count(*)`: nodes and relationships that a pattern makes are there in
//! every row, and rows are counted without being made. Nor does `DISTINCT` tell anything apart where each
//! comes once.

use trimorph_algebra::{Aggregate, AggregateKind, ApplyKind, Direction, EdgeRange, Expr, Plan, VarId};

use crate::Halt;
use crate::names::below_by_name;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn count_rows(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Aggregate { input, aggregates, .. } = &mut plan {
            for (_, aggregate) in aggregates {
                if let (true, Some(Expr::Var(var))) = (aggregate.distinct, &aggregate.arg)
                    && comes_once(input, *var)
                {
                    aggregate.distinct = false;
                }
                if let Aggregate {
                    kind: AggregateKind::Count,
                    arg: Some(Expr::Var(var)),
                    distinct: false,
                    ..
                } = aggregate
                    && is_in_every_row(input, *var)
                {
                    (aggregate.kind, aggregate.arg) = (AggregateKind::CountStar, None);
                }
            }
        }
        Ok(plan)
    })
}

/// Whether no two rows have the same in a variable, as far as the plan tells.
fn comes_once(mut plan: &Plan, mut var: VarId) -> bool {
    loop {
        match plan {
            Plan::Match { input, graph } => {
                let is_first = matches!(**input, Plan::Unit);
                return is_first
                    && match (&graph.nodes[..], &graph.edges[..]) {
                        ([node], []) => node.var == var,
                        // Both ways it is met from either end.
                        (nodes, [edge]) => {
                            edge.var == var
                                && edge.direction != Direction::Both
                                && matches!(edge.range, EdgeRange::One)
                                && nodes.iter().all(|node| [edge.from, edge.to].contains(&node.var))
                        }
                        _ => false,
                    };
            }
            Plan::Aggregate { keys, .. } => {
                return matches!(&keys[..], [(key, _)] if *key == var);
            }
            Plan::Distinct { vars, .. } if vars[..] == [var] => return true,
            Plan::Apply {
                input,
                kind:
                    ApplyKind::Semi
                    | ApplyKind::Anti
                    | ApplyKind::Mark(_)
                    | ApplyKind::Count(_)
                    | ApplyKind::Collect(..),
                ..
            } => plan = input,
            other => match below_by_name(other, var) {
                Some(below) => (plan, var) = below,
                None => return false,
            },
        }
    }
}

/// Whether a variable is null in no row.
pub(crate) fn is_in_every_row(mut plan: &Plan, mut var: VarId) -> bool {
    loop {
        match plan {
            Plan::Match { input, graph } => {
                let is_made = graph.nodes.iter().any(|node| node.var == var)
                    || graph.edges.iter().any(|edge| edge.var == var);
                if is_made {
                    return true;
                }
                plan = input;
            }
            Plan::Apply { input, subplan, kind: ApplyKind::Inner } => {
                if is_in_every_row(subplan, var) {
                    return true;
                }
                plan = input;
            }
            Plan::Apply { input, .. } => plan = input,
            other => match below_by_name(other, var) {
                Some(below) => (plan, var) = below,
                None => return false,
            },
        }
    }
}
