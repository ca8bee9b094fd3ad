//! Takes conditions down to where they can be asked first; on a pattern they become part of it, which places
//! them as early as it can.
//!
//! A condition that cannot fail (`cannot_fail`) goes below what computes, joins and repeats rows, as far as
//! what it looks at is there. One that can is asked of no row that was not there for it: it becomes part of a
//! pattern it stands on, and nothing else.
//!
//! An equality of what was computed of two parts of a pattern goes there as well, which makes it a join; one
//! of parts that are no pattern's makes it here (`join_apart`).
//!
//! One that gives another answer each time, such as `rand() < 0.1`, is asked once of each row that was there
//! for it: it stays where it is.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Expr, Op, Plan, VarId, Vars};
use trimorph_types::LogicalType;

use crate::asked_first::{Weight, asked_first};
use crate::cannot_fail::cannot_fail;
use crate::join_apart::join_apart;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::value_keys::equality;
use crate::{Halt, VarSet, calls_volatile, conjunction, conjuncts, replaced, vars_of};

/// The pass.
pub(crate) fn push_filters(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Filter { input, predicate } => {
                let mut conditions = Vec::new();
                conjuncts(predicate, &mut conditions);
                filtered(*input, conditions, vars)
            }
            other => other,
        })
    })
}

/// `plan`, where all of `conditions` are true.
fn filtered(mut plan: Plan, mut conditions: Vec<Expr>, vars: &mut Vars) -> Plan {
    if let Plan::Match { graph, .. } = &mut plan {
        let (stay, mut go) = conditions.into_iter().partition(calls_volatile);
        graph.predicates.append(&mut go);
        drop_implied(&mut graph.predicates);
        return on_top(plan, stay);
    }
    if let Plan::Filter { input, predicate } = plan {
        // Those that may fail stay in their order.
        let mut all = Vec::new();
        conjuncts(predicate, &mut all);
        all.append(&mut conditions);
        return filtered(*input, all, vars);
    }
    let mut stay = Vec::new();
    asked_first(&mut conditions, &|var| vars.get(*var).ty == LogicalType::Node, None, &|_| Weight::default());
    for condition in conditions {
        let is_safe = cannot_fail(&condition, vars);
        if is_safe && push(&mut plan, &condition, vars) || push_join(&mut plan, &condition, vars) {
            continue;
        }
        let is_joined = is_safe && !calls_volatile(&condition);
        let must_be_asked = is_joined.then(|| join_apart(&mut plan, &condition, vars)).flatten();
        if must_be_asked.unwrap_or(true) {
            stay.push(condition);
        }
    }
    on_top(plan, stay)
}

fn on_top(plan: Plan, conditions: Vec<Expr>) -> Plan {
    match conjunction(conditions) {
        None => plan,
        Some(predicate) => Plan::Filter { input: Box::new(plan), predicate },
    }
}

/// Drops what asks whether a property is there that another condition compares: that is true of no null.
fn drop_implied(predicates: &mut Vec<Expr>) {
    let mut compared: HashSet<(VarId, Arc<str>)> = HashSet::new();
    for predicate in &*predicates {
        if let Expr::Op(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, sides, _) = predicate {
            compared.extend(sides.iter().filter_map(property));
        }
    }
    predicates.retain(|predicate| match predicate {
        Expr::Op(Op::IsNotNull, args, _) => {
            !args.first().and_then(property).is_some_and(|own| compared.contains(&own))
        }
        _ => true,
    });
}

fn property(expr: &Expr) -> Option<(VarId, Arc<str>)> {
    let Expr::Property(base, name, _) = expr else { return None };
    if let Expr::Var(var) = **base { Some((var, Arc::clone(name))) } else { None }
}

/// Asks a condition below an operator, if that is the same; `false` if it must stand on it.
fn push(plan: &mut Plan, condition: &Expr, vars: &mut Vars) -> bool {
    let asked = vars_of([condition]);
    match plan {
        Plan::Extra { input, items } => {
            if items.iter().any(|(var, _)| asked.contains(var)) {
                return false;
            }
            put(input, condition.clone(), vars)
        }
        Plan::Distinct { input, vars: kept } if asked.iter().all(|var| kept.contains(var)) => {
            put(input, condition.clone(), vars)
        }
        Plan::Sort { input, limit: None, of_group: None, .. } => put(input, condition.clone(), vars),
        // Groups that are left out of the result need no rows.
        Plan::Aggregate { input, keys, .. } if !asked.is_empty() => match renamed(condition, keys) {
            Some(condition) => put(input, condition, vars),
            None => return false,
        },
        Plan::Project { input, items } => match renamed(condition, items) {
            Some(condition) => put(input, condition, vars),
            None => return false,
        },
        Plan::Unwind { input, .. } | Plan::Statements { input, .. } | Plan::PropertyPath { input, .. } => {
            return put_if_there(input, condition, &asked, vars);
        }
        // What is changed for a row is changed also where the row is left out behind it.
        Plan::Apply { input, kind, subplan }
            if !matches!(kind, ApplyKind::Effects { .. }) && !subplan.updates() =>
        {
            return put_if_there(input, condition, &asked, vars);
        }
        Plan::HashJoin { left, right, on } => {
            let is_left = put_if_there(left, condition, &asked, vars);
            // What is asked of keys is asked on both sides.
            if is_left && !asked.iter().all(|var| on.contains(var)) {
                return true;
            }
            return put_if_there(right, condition, &asked, vars) || is_left;
        }
        _ => return false,
    }
    true
}

/// Makes an equality of what is computed of two parts of a pattern, above it, part of the pattern, which
/// then is joined by it: `MATCH (b:B) WITH k, trim(b.name) AS name WHERE name = k`. It is asked of the
/// rows that it was computed for. `false`, and nothing done, for other conditions and places.
fn push_join(plan: &mut Plan, condition: &Expr, vars: &mut Vars) -> bool {
    if equality(condition).is_none() {
        return false;
    }
    let (mut at, mut below) = (plan, condition.clone());
    while let Plan::Project { input, items } | Plan::Extra { input, items } = at {
        below = replaced(below, items);
        if !matches!(**input, Plan::Match { .. }) {
            at = input;
            continue;
        }
        let Some((a, b, _)) = equality(&below) else { return false };
        let (a, b) = (vars_of([a]), vars_of([b]));
        let are_apart = !a.is_empty() && !b.is_empty() && a.iter().all(|var| !b.contains(var));
        let is_join = are_apart && !calls_volatile(&below);
        if is_join {
            put(input, below, vars);
        }
        return is_join;
    }
    false
}

fn put_if_there(input: &mut Box<Plan>, condition: &Expr, asked: &VarSet, vars: &mut Vars) -> bool {
    let there = input.vars();
    let is_there = !asked.is_empty() && asked.iter().all(|var| there.contains(var));
    if is_there {
        put(input, condition.clone(), vars);
    }
    is_there
}

fn put(input: &mut Box<Plan>, condition: Expr, vars: &mut Vars) {
    let plan = std::mem::replace(&mut **input, Plan::Unit);
    **input = filtered(plan, vec![condition], vars);
}

/// A condition over what items are made of; none where it looks at something that is computed.
fn renamed(condition: &Expr, items: &[(VarId, Expr)]) -> Option<Expr> {
    let mut is_plain = true;
    condition.for_each_free_var(&mut |var| {
        let item = items.iter().find(|(item, _)| *item == var);
        is_plain &= match item {
            Some((_, Expr::Var(_) | Expr::Const(_) | Expr::Param(_))) => true,
            Some((_, Expr::Property(base, _, _))) => matches!(**base, Expr::Var(_)),
            _ => false,
        };
    });
    is_plain.then(|| replaced(condition.clone(), items))
}
