//! Subqueries that join the rows around with others by value: takes the plans of both sides, gives joins of
//! no more rows than it takes.
//!
//! 1. `EXISTS` that asks for nothing but equal values is a join with `DISTINCT` keys: these are passed down
//!    to where the rows around come from.
//! 2. Where the rows around are few, whatever the subquery is, the others are first joined with their keys,
//!    which are passed down to where those come from: of a million rows a thousand are kept. Both the
//!    subquery and the keys need the rows around, which a spool keeps.
//!
//! Invariant: others that no row around can be joined with change no answer. What is computed of rows around
//! ahead of the others cannot fail, and is not drawn.
//!
//! It pays by statistics; a query that writes is left alone, as a spool would show it what was there before.
//!
//! Source: Bernstein and Chiu, "Using Semi-Joins to Solve Relational Queries", JACM 1981; Seshadri et al.,
//! "Cost-Based Optimization for Magic", SIGMOD 1996.

use trimorph_algebra::{ApplyKind, Expr, Plan, VarId};

use crate::cannot_fail::cannot_fail;
use crate::estimate::Estimate;
use crate::exists_extremes::starts_from_rows;
use crate::join_groups::different;
use crate::needed::below;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, replaced, vars_of};

/// So many rows of the other side, and different values there, for each row around make it worth knowing the
/// keys first. Chosen.
const OTHERS_OF_ROW: f64 = 8.0;
/// Fewer others are as fast joined whole. Chosen.
const OTHERS_MIN: f64 = 10_000.0;

/// The pass.
pub(crate) fn reduce_joins(mut plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if plan.updates() {
        return Ok(plan);
    }
    let first = spools_of(&plan);
    let mut reducing = Reducing { first, next: first, spools: Vec::new() };
    let needed = planning.needed.clone();
    reducing.visit(&mut plan, &needed, false, planning)?;
    // Rows of later ones may be made of those of earlier ones.
    Ok(reducing.spools.into_iter().rev().fold(plan, |input, spool| Plan::Spool {
        input: Box::new(input),
        rows: Box::new(spool.rows),
        vars: spool.vars,
        number: spool.number,
    }))
}

/// How many spools a plan has, which are numbered from nothing.
fn spools_of(plan: &Plan) -> u32 {
    let (mut left, mut count) = (vec![plan], 0);
    while let Some(plan) = left.pop() {
        count += u32::from(matches!(plan, Plan::Spool { .. }));
        left.extend(plan.children());
    }
    count
}

/// The rows around a subquery that are read in two places.
struct Kept {
    rows: Plan,
    vars: Vec<VarId>,
    number: u32,
}

struct Reducing {
    /// The numbers of the first spool that is made here, and of the next one.
    first: u32,
    next: u32,
    spools: Vec<Kept>,
}

impl Reducing {
    /// Looks at a plan, what is in it first; `within` a subquery or not.
    fn visit(
        &mut self,
        plan: &mut Plan,
        needed: &VarSet,
        within: bool,
        planning: &mut Planning<'_>,
    ) -> Result<(), Halt> {
        planning.poll()?;
        let below = below(plan, needed);
        let is_apply = matches!(plan, Plan::Apply { .. });
        for (place, (child, needed)) in plan.children_mut().into_iter().zip(&below).enumerate() {
            self.visit(child, needed, within || is_apply && place == 1, planning)?;
        }
        if let Plan::Apply { input, subplan, kind } = plan {
            if !within {
                self.reduce(input, subplan, &below[0], planning);
            }
            if let ApplyKind::Semi = kind
                && let Some(joined) = semi_join(input, subplan, planning)
            {
                *plan = joined;
            }
        }
        Ok(())
    }

    /// 2. Joins others with the keys of the rows around.
    fn reduce(&mut self, input: &mut Plan, subplan: &mut Plan, needed: &VarSet, planning: &mut Planning<'_>) {
        let rows = Estimate::of(input, planning.statistics()).rows;
        let mut joins = Vec::new();
        value_joins(subplan, &mut joins);
        joins.retain(|(right, keys)| {
            let on: Vec<Expr> = keys.iter().map(|(var, _)| Expr::Var(*var)).collect();
            let (others, values) = different(right, &on, planning);
            // Of few values, the rows around have most.
            others >= OTHERS_MIN && others.min(values) >= rows * OTHERS_OF_ROW
        });
        let can = |expr: &Expr| cannot_fail(expr, planning.vars) && !calls_volatile(expr);
        joins.retain(|(_, keys)| keys.iter().all(|(_, key)| can(key)));
        if joins.is_empty() || !is_certain(input, self.first, planning) {
            return;
        }
        let number = self.next;
        self.next += 1;
        let vars: Vec<VarId> = input.vars().into_iter().filter(|var| needed.contains(var)).collect();
        for (right, keys) in joins {
            let read: Vec<(VarId, VarId)> = vars_of(keys.iter().map(|(_, key)| key))
                .into_iter()
                .map(|var| (planning.vars.anonymous(planning.vars.get(var).ty), var))
                .collect();
            let own: Vec<(VarId, Expr)> = read.iter().map(|(own, var)| (*var, Expr::Var(*own))).collect();
            let on: Vec<VarId> = keys.iter().map(|(var, _)| *var).collect();
            let items = keys.into_iter().map(|(var, key)| (var, replaced(key, &own))).collect();
            let rows = Box::new(Plan::SpoolRead { columns: read, number, rows_max: None });
            let keys =
                Plan::Distinct { input: Box::new(Plan::Project { input: rows, items }), vars: on.clone() };
            let left = Box::new(std::mem::replace(right, Plan::Unit));
            *right = Plan::HashJoin { left, right: Box::new(keys), on };
        }
        let columns = vars.iter().map(|var| (*var, *var)).collect();
        let rows_max = input.rows_max();
        let rows = std::mem::replace(input, Plan::SpoolRead { columns, number, rows_max });
        self.spools.push(Kept { rows, vars, number });
    }
}

/// 1. The rows around that have a match among others.
fn semi_join(input: &mut Plan, subplan: &mut Plan, planning: &Planning<'_>) -> Option<Plan> {
    let mut joined = &mut *subplan;
    while let Plan::Project { input, items } = joined {
        if !items.iter().all(|(_, item)| cannot_fail(item, planning.vars)) {
            return None;
        }
        joined = input;
    }
    // What went to a file comes in another order.
    let Plan::HashJoin { left, right, on } = joined else { return None };
    if on.is_empty() || starts_from_rows(right) || is_sorted(input) {
        return None;
    }
    // Of groups there are few, which many rows around meet.
    if matches!(**right, Plan::Aggregate { .. }) {
        return None;
    }
    let keys = keys_of(left, on, false)?;
    let vars = input.vars();
    let items: Vec<(VarId, Expr)> = keys.into_iter().filter(|(var, _)| !vars.contains(var)).collect();
    let on = std::mem::take(on);
    let mut left = std::mem::replace(input, Plan::Unit);
    if !items.is_empty() {
        left = Plan::Extra { input: Box::new(left), items };
    }
    let mut right = std::mem::replace(&mut **right, Plan::Unit);
    if !matches!(&right, Plan::Distinct { vars, .. } if *vars == on) {
        right = Plan::Distinct { input: Box::new(right), vars: on.clone() };
    }
    let right = Box::new(right);
    Some(Plan::HashJoin { left: Box::new(left), right, on })
}

/// The joins of a subquery's own rows with others by value: the others, and the keys as they are computed of
/// the rows around.
fn value_joins<'p>(plan: &'p mut Plan, out: &mut Vec<(&'p mut Plan, Vec<(VarId, Expr)>)>) {
    match plan {
        Plan::HashJoin { left, right, on } => {
            let keys = if on.is_empty() || starts_from_rows(right) { None } else { keys_of(left, on, true) };
            match keys {
                Some(keys) => out.push((right, keys)),
                None => [left, right].into_iter().for_each(|side| value_joins(side, out)),
            }
        }
        // The rows of its subplan are others.
        Plan::Apply { input, .. } => value_joins(input, out),
        Plan::Spool { .. } => {}
        other => other.children_mut().into_iter().for_each(|child| value_joins(child, out)),
    }
}

/// The keys of a join, as they are computed of the rows around; `None` where other rows than these are on
/// that side. Some of them may be left out by then where `may_filter` is set.
fn keys_of(left: &Plan, on: &[VarId], may_filter: bool) -> Option<Vec<(VarId, Expr)>> {
    let mut keys: Vec<(VarId, Expr)> = on.iter().map(|var| (*var, Expr::Var(*var))).collect();
    let mut plan = left;
    loop {
        plan = match plan {
            Plan::Argument(_) => return Some(keys),
            Plan::Filter { input, .. } if may_filter => input,
            Plan::Extra { input, items } | Plan::Project { input, items } => {
                keys = keys.into_iter().map(|(var, key)| (var, replaced(key, items))).collect();
                input
            }
            _ => return None,
        };
    }
}

/// Whether rows may have an order that somebody asked for.
fn is_sorted(plan: &Plan) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        if matches!(plan, Plan::Sort { .. }) {
            return true;
        }
        left.extend(plan.children());
    }
    false
}

/// Whether a plan gives its rows whether or not all of them are asked for: nothing in it can fail. It is to
/// stand above the spools that are there, so it reads none of those before `first`.
fn is_certain(plan: &Plan, first: u32, planning: &Planning<'_>) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        let reads_below = matches!(plan, Plan::SpoolRead { number, .. } if *number < first);
        if reads_below || matches!(plan, Plan::ProcedureCall { .. }) {
            return false;
        }
        let mut is_certain = true;
        plan.for_each_expr(&mut |expr| {
            is_certain &= cannot_fail(expr, planning.vars) && !calls_volatile(expr);
        });
        if !is_certain {
            return false;
        }
        left.extend(plan.children());
    }
    true
}
