//! Several aggregates of the different values of one expression, as `count(DISTINCT m.length),
//! sum(DISTINCT m.length)`, are told which these are once: the expression becomes a key of a grouping below,
//! and each value comes once in a row of it.
//!
//! 1. Beside them there may be what is merged of parts: counts, least and largest values.
//! 2. Not where groups are nodes or relationships: their rows often come together, and the values of one
//!    group are few. Nor where such are counted: bits tell them apart.
//! 3. Lists keep the order in which values came, and are collected as they are.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Plan, VarId, Vars};
use trimorph_types::LogicalType;

use crate::Halt;
use crate::merging::{merged, of_parts};
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn distinct_once(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        Ok(match common_argument(&keys, &aggregates, vars) {
            Some(value) => in_two_steps(input, keys, aggregates, value, vars),
            None => Plan::Aggregate { input, keys, aggregates },
        })
    })
}

/// The variable of which several aggregates take the different values, if all can be made of these. What
/// several expressions have in common is a variable by now.
fn common_argument(keys: &[(VarId, Expr)], aggregates: &[(VarId, Aggregate)], vars: &Vars) -> Option<VarId> {
    let mut value = None;
    let mut count = 0;
    for (_, aggregate) in aggregates {
        if is_of_different(aggregate) {
            let Some(Expr::Var(of)) = aggregate.arg else { return None };
            if value.replace(of).is_some_and(|before| before != of) {
                return None;
            }
            count += 1;
        } else {
            merged(&plain(aggregate))?;
        }
    }
    let is_entity = |var: VarId| {
        matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship | LogicalType::Path)
    };
    let suits = |(_, key): &(VarId, Expr)| !matches!(key, Expr::Var(v) if is_entity(*v) || Some(*v) == value);
    value.filter(|value| count > 1 && !is_entity(*value) && keys.iter().all(suits))
}

/// Whether an aggregate needs to know which values are different, and nothing of their order.
fn is_of_different(aggregate: &Aggregate) -> bool {
    use AggregateKind as K;
    let is_fixed = matches!(aggregate.parameter, None | Some(Expr::Const(_)));
    let is_such = matches!(
        aggregate.kind,
        K::Count
            | K::Sum
            | K::IntegerSum
            | K::Avg
            | K::StDev
            | K::StDevP
            | K::PercentileCont
            | K::PercentileDisc
    );
    aggregate.distinct && is_fixed && is_such
}

/// The least and the largest value are the same of the different ones.
fn plain(aggregate: &Aggregate) -> Aggregate {
    let is_extreme = matches!(aggregate.kind, AggregateKind::Min | AggregateKind::Max);
    Aggregate { distinct: aggregate.distinct && !is_extreme, ..aggregate.clone() }
}

fn in_two_steps(
    input: Box<Plan>,
    keys: Vec<(VarId, Expr)>,
    aggregates: Vec<(VarId, Aggregate)>,
    value: VarId,
    vars: &mut Vars,
) -> Plan {
    let mut below = Vec::with_capacity(keys.len() + 1);
    let mut above = Vec::with_capacity(keys.len());
    for (var, key) in keys {
        let part = vars.anonymous(vars.get(var).ty);
        below.push((part, key));
        above.push((var, Expr::Var(part)));
    }
    let different = vars.anonymous(vars.get(value).ty);
    below.push((different, Expr::Var(value)));
    let (mut parts, mut whole) = (Vec::new(), Vec::with_capacity(aggregates.len()));
    for (var, aggregate) in aggregates {
        if is_of_different(&aggregate) {
            let arg = Some(Expr::Var(different));
            whole.push((var, Aggregate { arg, distinct: false, ..aggregate }));
            continue;
        }
        let (aggregate, part) = (plain(&aggregate), vars.anonymous(vars.get(var).ty));
        whole.push((var, of_parts(&aggregate, part)));
        parts.push((part, aggregate));
    }
    let groups = Plan::Aggregate { input, keys: below, aggregates: parts };
    Plan::Aggregate { input: Box::new(groups), keys: above, aggregates: whole }
}
