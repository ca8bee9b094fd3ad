//! Counts, least and largest values over the rows of several queries, as `CALL { … UNION ALL … } RETURN
//! p.id, count(*)`, are made of the rows of each, and merged: rows need not be put together first, and each
//! query is planned for what is counted of it.
//!
//! Not where a query has about as many groups as rows: then these would be grouped twice.

use trimorph_algebra::{Aggregate, Expr, Plan, QueryGraph, VarId, Vars};
use trimorph_types::LogicalType;

use crate::merging::{merged, of_parts};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::Statistics;
use crate::{Halt, calls_volatile};

/// Rows of a group from which on groups are few.
const ROWS_OF_GROUP_MIN: f64 = 8.0;

/// The pass.
pub(crate) fn group_branches(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let statistics = planning.statistics();
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        Ok(match *input {
            Plan::Union { inputs, .. } if is_grouped_apart(&inputs, &keys, &aggregates, &statistics) => {
                apart(inputs, keys, aggregates, vars)
            }
            other => Plan::Aggregate { input: Box::new(other), keys, aggregates },
        })
    })
}

fn is_grouped_apart(
    inputs: &[Plan],
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    statistics: &Statistics<'_>,
) -> bool {
    let args = aggregates.iter().flat_map(|(_, a)| &a.arg);
    let is_volatile = keys.iter().map(|(_, key)| key).chain(args).any(calls_volatile);
    let are_few = |input: &Plan| keys.iter().all(|(_, key)| are_few(input, key, statistics));
    !is_volatile && aggregates.iter().all(|(_, a)| merged(a).is_some()) && inputs.iter().all(are_few)
}

/// Whether a key has far fewer values than the query has rows. What is computed mostly has.
fn are_few(plan: &Plan, key: &Expr, statistics: &Statistics<'_>) -> bool {
    match (plan, key) {
        (Plan::Filter { input, .. }, _) => are_few(input, key, statistics),
        (Plan::Project { input, items } | Plan::Extra { input, items }, _) => {
            let of = |var: &VarId| items.iter().find(|(item, _)| item == var).map(|(_, expr)| expr);
            let resolved = match key {
                Expr::Var(var) => of(var).unwrap_or(key).clone(),
                Expr::Property(base, name, span) => match &**base {
                    Expr::Var(var) => {
                        let base = of(var).unwrap_or(base).clone();
                        Expr::Property(Box::new(base), name.clone(), *span)
                    }
                    _ => return true,
                },
                _ => return true,
            };
            are_few(input, &resolved, statistics)
        }
        (Plan::Match { graph, .. }, _) if graph.edges.is_empty() => are_few_nodes(graph, key, statistics),
        (Plan::Match { .. } | Plan::Empty(_), _) => true,
        // Rows that were grouped, cut off or listed: nobody knows.
        _ => false,
    }
}

/// The same of the nodes of a table.
fn are_few_nodes(graph: &QueryGraph, key: &Expr, statistics: &Statistics<'_>) -> bool {
    match key {
        Expr::Var(var) => !graph.nodes.iter().any(|node| node.var == *var),
        Expr::Property(base, name, _) => match &**base {
            Expr::Var(var) => graph
                .tables
                .get(var)
                .is_none_or(|tables| statistics.rows_by_value(tables, name) >= ROWS_OF_GROUP_MIN),
            _ => true,
        },
        _ => true,
    }
}

/// The aggregates of each query, merged.
fn apart(
    inputs: Vec<Plan>,
    keys: Vec<(VarId, Expr)>,
    aggregates: Vec<(VarId, Aggregate)>,
    vars: &mut Vars,
) -> Plan {
    let parts: Vec<VarId> = keys.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let partial: Vec<VarId> = aggregates.iter().map(|_| vars.anonymous(LogicalType::Any)).collect();
    let branch = |input: Plan| {
        let keys = parts.iter().copied().zip(keys.iter().map(|(_, key)| key.clone())).collect();
        let own = partial.iter().copied().zip(aggregates.iter().map(|(_, aggregate)| aggregate.clone()));
        Plan::Aggregate { input: Box::new(input), keys, aggregates: own.collect() }
    };
    let all = Plan::Union {
        inputs: inputs.into_iter().map(branch).collect(),
        vars: parts.iter().chain(&partial).copied().collect(),
    };
    let whole =
        |((result, aggregate), part): (&(VarId, Aggregate), &VarId)| (*result, of_parts(aggregate, *part));
    Plan::Aggregate {
        input: Box::new(all),
        keys: keys.iter().zip(&parts).map(|((key, _), part)| (*key, Expr::Var(*part))).collect(),
        aggregates: aggregates.iter().zip(&partial).map(whole).collect(),
    }
}
