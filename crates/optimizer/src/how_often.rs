//! Where it does not matter how often a row comes: below DISTINCT, least and greatest values, and what asks
//! only whether there are rows.

use trimorph_algebra::{AggregateKind, ApplyKind, Plan};

use crate::calls_volatile;

/// Whether it does not matter how often the rows of each input come, if it does not matter (`once`) how often
/// those of the operator do.
pub(crate) fn keeps(plan: &Plan, once: bool) -> Vec<bool> {
    let all = |once: bool| vec![once; plan.children().len()];
    match plan {
        Plan::Distinct { .. } => all(true),
        Plan::Aggregate { aggregates, .. } => all(aggregates.iter().all(|(_, aggregate)| {
            aggregate.distinct || matches!(aggregate.kind, AggregateKind::Min | AggregateKind::Max)
        })),
        // What is another value for each row tells equal rows apart.
        Plan::Extra { items, .. } | Plan::Project { items, .. } => {
            all(once && items.iter().all(|(_, expr)| !calls_volatile(expr)))
        }
        Plan::Filter { predicate, .. } => all(once && !calls_volatile(predicate)),
        Plan::Sort { limit: None, .. }
        | Plan::Match { .. }
        | Plan::Unwind { .. }
        | Plan::Union { .. }
        | Plan::Statements { .. }
        | Plan::PropertyPath { .. }
        | Plan::HashJoin { .. } => all(once),
        Plan::Apply { kind, .. } => match kind {
            ApplyKind::Inner | ApplyKind::Optional => vec![once, once],
            ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_) => vec![once, true],
            ApplyKind::Count(_) | ApplyKind::Collect(..) => vec![once, false],
            ApplyKind::Paired { .. } | ApplyKind::Effects { .. } => vec![false, false],
        },
        _ => all(false),
    }
}
