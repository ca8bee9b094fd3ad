//! Lists that are collected and of which only the size is looked at, as `WITH p, collect(m) AS ms RETURN
//! size(ms)`, are counted and not made. Different lists and maps are collected faster than counted: their
//! parts become rows that are told apart (`compound_keys`).

use std::collections::HashMap;

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Plan, VarId};
use trimorph_types::LogicalType;

use crate::list_sizes::{Counts, put_counts, sized};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet};

/// The pass.
pub(crate) fn count_lists(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        // Of what is below it, a projection gives nothing else to what is above.
        if matches!(plan, Plan::Project { .. })
            && let Some(lists) = only_sized(&plan)
        {
            put_counts(&mut plan, true, &mut |grouping| {
                let mut counts = Counts::new();
                let Plan::Aggregate { aggregates, .. } = grouping else { return counts };
                for (var, aggregate) in aggregates.iter_mut().filter(|(var, _)| lists.contains(var)) {
                    let count = vars.anonymous(LogicalType::Int);
                    counts.insert(std::mem::replace(var, count), count);
                    aggregate.kind = AggregateKind::Count;
                }
                counts
            });
        }
        Ok(plan)
    })
}

fn is_list(aggregate: &Aggregate) -> bool {
    let is_compound = matches!(aggregate.arg, Some(Expr::List(_) | Expr::Map(_)));
    aggregate.kind == AggregateKind::Collect
        && aggregate.parameter.is_none()
        && !(aggregate.distinct && is_compound)
}

/// The lists of the grouping below a projection of which nothing but the size is looked at.
fn only_sized(top: &Plan) -> Option<VarSet> {
    let (mut between, mut plan) = (Vec::new(), top);
    let aggregates = loop {
        match plan {
            Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. } => {
                between.push(plan);
                plan = input;
            }
            Plan::Aggregate { aggregates, .. } => break aggregates,
            _ => return None,
        }
    };
    let lists = aggregates.iter().filter(|(_, aggregate)| is_list(aggregate));
    // The lists by all their names.
    let mut names: HashMap<VarId, VarId> = lists.map(|(var, _)| (*var, *var)).collect();
    if names.is_empty() {
        return None;
    }
    let (mut only, mut others) = (VarSet::new(), VarSet::new());
    for plan in between.into_iter().rev() {
        let (Plan::Project { items, .. } | Plan::Extra { items, .. }) = plan else {
            plan.for_each_expr(&mut |expr| look(expr, &names, &mut only, &mut others));
            continue;
        };
        let mut renamed = HashMap::new();
        for (var, item) in items {
            match item {
                Expr::Var(list) if names.contains_key(list) => {
                    renamed.insert(*var, names[list]);
                }
                item => look(item, &names, &mut only, &mut others),
            }
        }
        match plan {
            Plan::Project { .. } => names = renamed,
            _ => names.extend(renamed),
        }
    }
    // What the projection gives is looked at in ways that are not seen here.
    others.extend(names.into_values());
    only.retain(|list| !others.contains(list));
    (!only.is_empty()).then_some(only)
}

/// Notes which lists an expression asks for their size, and which it looks at in other ways.
fn look(expr: &Expr, names: &HashMap<VarId, VarId>, only: &mut VarSet, others: &mut VarSet) {
    if let Some(list) = sized(expr).and_then(|list| names.get(&list)) {
        only.insert(*list);
        return;
    }
    match expr {
        Expr::Var(var) => others.extend(names.get(var)),
        other => other.for_each_child(&mut |child| look(child, names, only, others)),
    }
}
