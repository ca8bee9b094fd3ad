//! Takes away what is computed and that nobody looks at: variables, aggregates, and the order of rows of
//! which only sums, counts and extremes are asked.

use trimorph_algebra::{AggregateKind, Plan};

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn drop_unused(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
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
