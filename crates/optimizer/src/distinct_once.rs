//! Several aggregates of the different values of one expression, as `count(DISTINCT m.length),
//! sum(DISTINCT m.length)`, are told which these are once: the expression becomes a key of a grouping below,
//! and each value comes once in a row of it.
//!
//! 1. Beside them there may be what is merged of parts: counts, least and largest values.
//! 2. Not where groups are nodes or relationships: their rows often come together, and the values of one
//!    group are few. Nor where such are counted: bits tell them apart.
//! 3. Counts of different maps of given entries are such, too, and of one of them: its entries become keys,
//!    which are values of a type.
//! 4. Lists keep the order in which values came, and are collected as they are.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Plan, VarId, Vars};
use trimorph_types::LogicalType;

use crate::heads::is_same;
use crate::merging::{merged, of_parts};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile};

/// Keys that a grouping is made of at most: each costs something for each row.
const KEYS_MAX: usize = 16;

/// The pass.
pub(crate) fn distinct_once(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        Ok(match common_argument(&keys, &aggregates, vars) {
            Some(values) => in_two_steps(input, keys, aggregates, values, vars),
            None => Plan::Aggregate { input, keys, aggregates },
        })
    })
}

/// What several aggregates take the different values of, if all can be made of these: a variable, since what
/// several expressions have in common is one by now, or the entries of a map.
fn common_argument(
    keys: &[(VarId, Expr)],
    aggregates: &[(VarId, Aggregate)],
    vars: &Vars,
) -> Option<Vec<Expr>> {
    let mut value: Option<&Expr> = None;
    let mut count = 0;
    for (_, aggregate) in aggregates {
        if is_of_different(aggregate) {
            let of = aggregate.arg.as_ref()?;
            if matches!(of, Expr::Map(_)) && aggregate.kind != AggregateKind::Count {
                return None;
            }
            if value.replace(of).is_some_and(|before| !is_same(before, of)) {
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
    match value? {
        Expr::Var(value) => {
            let suits =
                |(_, key): &(VarId, Expr)| !matches!(key, Expr::Var(v) if is_entity(*v) || v == value);
            let is_told = count > 1 && !is_entity(*value) && keys.iter().all(suits);
            is_told.then(|| vec![Expr::Var(*value)])
        }
        Expr::Map(entries) => {
            let mut parts: Vec<Expr> = entries.iter().map(|(_, part)| part.clone()).collect();
            let is_key = |part: &Expr| keys.iter().any(|(_, key)| is_same(key, part));
            parts.retain(|part| !is_key(part));
            let are_few = keys.len() + parts.len() <= KEYS_MAX;
            // A map that is the same in two aggregates is a variable.
            let is_told = count == 1 && are_few && !entries.is_empty() && !parts.iter().any(calls_volatile);
            is_told.then_some(parts)
        }
        _ => None,
    }
}

/// Whether an aggregate needs to know which values are different, and nothing of their order.
fn is_of_different(aggregate: &Aggregate) -> bool {
    use AggregateKind as K;
    let is_fixed = matches!(aggregate.parameter, None | Some(Expr::Const(_)));
    let is_such = matches!(
        aggregate.kind,
        K::Count
            | K::Sum
            | K::NumberSum
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
    values: Vec<Expr>,
    vars: &mut Vars,
) -> Plan {
    let mut below = Vec::with_capacity(keys.len() + 1);
    let mut above = Vec::with_capacity(keys.len());
    for (var, key) in keys {
        let part = vars.anonymous(vars.get(var).ty);
        below.push((part, key));
        above.push((var, Expr::Var(part)));
    }
    let mut different = None;
    for value in values {
        let ty = if let Expr::Var(value) = value { vars.get(value).ty } else { LogicalType::Any };
        let part = vars.anonymous(ty);
        different = different.or(matches!(value, Expr::Var(_)).then_some(part));
        below.push((part, value));
    }
    let (mut parts, mut whole) = (Vec::new(), Vec::with_capacity(aggregates.len()));
    for (var, aggregate) in aggregates {
        if is_of_different(&aggregate) {
            whole.push((var, of_told_apart(aggregate, different)));
            continue;
        }
        let (aggregate, part) = (plain(&aggregate), vars.anonymous(vars.get(var).ty));
        whole.push((var, of_parts(&aggregate, part)));
        parts.push((part, aggregate));
    }
    let groups = Plan::Aggregate { input, keys: below, aggregates: parts };
    Plan::Aggregate { input: Box::new(groups), keys: above, aggregates: whole }
}

/// An aggregate of different values over rows of which each has another one: of a variable, or of a map,
/// which is never null.
fn of_told_apart(aggregate: Aggregate, different: Option<VarId>) -> Aggregate {
    match aggregate.arg {
        Some(Expr::Map(_)) => {
            Aggregate { kind: AggregateKind::CountStar, arg: None, distinct: false, ..aggregate }
        }
        _ => Aggregate { arg: different.map(Expr::Var), distinct: false, ..aggregate },
    }
}
