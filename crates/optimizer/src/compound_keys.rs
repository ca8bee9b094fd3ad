//! Keys of a grouping that are maps or lists, as `WITH {year: y, month: m} AS key, count(*) AS n`, become
//! their parts: what is compared and kept then are values of a type. The maps are made of the groups.
//!
//! Maps and lists are one group where their parts are, so there are as many groups, of the same rows. So it
//! is with DISTINCT. `count(DISTINCT [a, b])` counts maps of the same parts, which have a vector for each of
//! them: a list of values of two types has none.

use std::sync::Arc;

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Plan, VarId, Vars};
use trimorph_types::LogicalType;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// Keys that a grouping is made of at most: each costs something for each row.
const KEYS_MAX: usize = 16;

/// Variables and what they have.
type Items = Vec<(VarId, Expr)>;

/// The pass.
pub(crate) fn compound_keys(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Aggregate { input, keys, mut aggregates } => {
                aggregates.iter_mut().for_each(|(_, aggregate)| count_maps(aggregate));
                let (input, keys) = collected(input, keys, &mut aggregates, vars);
                grouped(input, keys, aggregates, vars)
            }
            Plan::Distinct { input, vars: of } => match *input {
                Plan::Project { input, items } => distinct(input, items, of, vars),
                other => Plan::Distinct { input: Box::new(other), vars: of },
            },
            other => other,
        })
    })
}

fn grouped(input: Box<Plan>, keys: Items, aggregates: Vec<(VarId, Aggregate)>, vars: &mut Vars) -> Plan {
    if !are_taken_apart(&keys) {
        return Plan::Aggregate { input, keys, aggregates };
    }
    let (keys, items): (_, Vec<_>) = all_taken_apart(keys, vars);
    let made = items.into_iter().filter(|(var, item)| !matches!(item, Expr::Var(same) if same == var));
    let items = made.collect();
    let grouped = Plan::Aggregate { input, keys, aggregates };
    Plan::Extra { input: Box::new(grouped), items }
}

/// Where nothing but different maps or lists is collected: the rows with different parts, from which they are
/// collected as they are.
fn collected(
    input: Box<Plan>,
    keys: Items,
    aggregates: &mut [(VarId, Aggregate)],
    vars: &mut Vars,
) -> (Box<Plan>, Items) {
    let [(_, Aggregate { kind: AggregateKind::Collect, arg: Some(arg), distinct, .. })] = aggregates else {
        return (input, keys);
    };
    let parts = keys.len() + parts_of(arg);
    if !*distinct || !is_compound(arg) || parts > KEYS_MAX || keys.iter().any(|(_, key)| is_compound(key)) {
        return (input, keys);
    }
    let mut items: Items = Vec::with_capacity(parts);
    let mut own: Items = Vec::with_capacity(keys.len());
    for (var, key) in keys {
        let part = vars.anonymous(vars.get(var).ty);
        items.push((part, key));
        own.push((var, Expr::Var(part)));
    }
    *arg = taken_apart(std::mem::replace(arg, Expr::List(Vec::new())), &mut items, vars);
    *distinct = false;
    let of = items.iter().map(|(var, _)| *var).collect();
    let rows = Plan::Distinct { input: Box::new(Plan::Project { input, items }), vars: of };
    (Box::new(rows), own)
}

fn distinct(input: Box<Plan>, items: Items, of: Vec<VarId>, vars: &mut Vars) -> Plan {
    let are_all = of.len() == items.len() && items.iter().all(|(var, _)| of.contains(var));
    if !are_all || !are_taken_apart(&items) {
        return Plan::Distinct { input: Box::new(Plan::Project { input, items }), vars: of };
    }
    let (parts, items) = all_taken_apart(items, vars);
    let of = parts.iter().map(|(var, _)| *var).collect();
    let rows = Plan::Distinct { input: Box::new(Plan::Project { input, items: parts }), vars: of };
    Plan::Project { input: Box::new(rows), items }
}

/// Whether some are compound, and all together not too many.
fn are_taken_apart(keys: &[(VarId, Expr)]) -> bool {
    let parts: usize = keys.iter().map(|(_, key)| parts_of(key)).sum();
    parts <= KEYS_MAX && keys.iter().any(|(_, key)| is_compound(key))
}

/// The parts of compound keys beside the other keys, and the keys made of them.
fn all_taken_apart(keys: Items, vars: &mut Vars) -> (Items, Items) {
    let (mut simple, mut items) = (Vec::new(), Vec::new());
    for (var, key) in keys {
        if is_compound(&key) {
            items.push((var, taken_apart(key, &mut simple, vars)));
        } else {
            simple.push((var, key));
            items.push((var, Expr::Var(var)));
        }
    }
    (simple, items)
}

/// A count of different lists of given elements counts maps.
fn count_maps(aggregate: &mut Aggregate) {
    if aggregate.kind == AggregateKind::Count
        && aggregate.distinct
        && let Some(Expr::List(items)) = &mut aggregate.arg
        && !items.is_empty()
    {
        let entries = std::mem::take(items).into_iter().enumerate();
        let entries = entries.map(|(place, item)| (Arc::from(place.to_string()), item));
        aggregate.arg = Some(Expr::Map(entries.collect()));
    }
}

/// Whether a key is a map or list of its own parts. Without any there would be no key.
fn is_compound(key: &Expr) -> bool {
    matches!(key, Expr::Map(_) | Expr::List(_)) && parts_of(key) > 0
}

/// How many keys an expression becomes.
fn parts_of(key: &Expr) -> usize {
    match key {
        Expr::Map(entries) => entries.iter().map(|(_, part)| parts_of(part)).sum(),
        Expr::List(items) => items.iter().map(parts_of).sum(),
        _ => 1,
    }
}

/// The expression over the variables of its parts, which become keys.
fn taken_apart(key: Expr, keys: &mut Vec<(VarId, Expr)>, vars: &mut Vars) -> Expr {
    match key {
        Expr::Map(entries) => {
            let entries = entries.into_iter().map(|(name, part)| (name, taken_apart(part, keys, vars)));
            Expr::Map(entries.collect())
        }
        Expr::List(items) => {
            Expr::List(items.into_iter().map(|part| taken_apart(part, keys, vars)).collect())
        }
        part => {
            let var = vars.anonymous(LogicalType::Any);
            keys.push((var, part));
            Expr::Var(var)
        }
    }
}
