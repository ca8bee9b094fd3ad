//! Takes away what is computed and that nobody looks at: variables, aggregates, and the order of rows of
//! which only sums, counts and extremes are asked.

use trimorph_algebra::{AggregateKind, Plan};

use crate::needed::{below, bottom_up};
use crate::planning::Planning;
use crate::{Halt, VarSet};

/// The pass.
pub(crate) fn drop_unused(mut plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    drop_columns(&mut plan, &planning.needed);
    bottom_up(plan, &planning.needed, &mut |plan, needed| {
        Ok(match plan {
            Plan::Extra { input, mut items } => {
                items.retain(|(v, _)| needed.contains(v));
                if items.is_empty() { *input } else { Plan::Extra { input, items } }
            }
            Plan::Aggregate { mut input, keys, mut aggregates } => {
                // Without keys there is a row in any case, also of nothing: something must be in it.
                let is_needed = aggregates.iter().any(|(v, _)| needed.contains(v));
                if !keys.is_empty() || is_needed {
                    aggregates.retain(|(v, _)| needed.contains(v));
                }
                if !aggregates.iter().any(|(_, aggregate)| aggregate.kind == AggregateKind::Collect) {
                    drop_order(&mut input);
                }
                Plan::Aggregate { input, keys, aggregates }
            }
            other => other,
        })
    })
}

/// Takes columns of unions and projections that nobody looks at: the branches of SPARQL's UNION have all
/// variables of all of them, most of them nulls. From above, since what a union gives its inputs must give.
fn drop_columns(plan: &mut Plan, needed: &VarSet) {
    match plan {
        Plan::Union { vars, .. } => vars.retain(|v| needed.contains(v)),
        Plan::Project { items, .. } => items.retain(|(v, _)| needed.contains(v)),
        _ => {}
    }
    let below = below(plan, needed);
    for (child, needed) in plan.children_mut().into_iter().zip(&below) {
        drop_columns(child, needed);
    }
}

/// Rows in any order, where they were sorted for nothing else.
fn drop_order(mut plan: &mut Box<Plan>) {
    loop {
        if let Plan::Sort { input, limit: None, of_group: None, .. } = &mut **plan {
            *plan = std::mem::replace(input, Box::new(Plan::Unit));
            continue;
        }
        plan = match &mut **plan {
            Plan::Project { input, .. } | Plan::Extra { input, .. } | Plan::Filter { input, .. } => input,
            _ => return,
        };
    }
}
