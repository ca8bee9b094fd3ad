//! An `OPTIONAL MATCH` of which a later condition lets only some rows through: `WHERE m IS NULL` leaves those
//! that nothing was found for, which is `NOT EXISTS { … }`; `WHERE m IS NOT NULL`, or a comparison of what
//! was found, those with a match, which is `MATCH`.
//!
//! Between the condition and the match there may be what gives other names, computes, filters and matches
//! more: rows that the condition drops are dropped before, and nothing else changes. What the match would
//! have found is null then.

use trimorph_algebra::{ApplyKind, Expr, Op, Plan, VarId};
use trimorph_types::Value;

use crate::count_rows::is_in_every_row;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, conjunction, conjuncts, refuses_null};

/// Operators between a condition and the match that are gone through: of long queries all would be, for each
/// condition. Chosen.
const OPERATORS_MAX: usize = 32;

/// The pass.
pub(crate) fn optional_conditions(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Filter { mut input, predicate } = plan else { return Ok(plan) };
        let mut conditions = Vec::new();
        conjuncts(predicate, &mut conditions);
        conditions.retain(|condition| {
            let mut is_settled = false;
            for (var, is_there) in asked(condition) {
                is_settled |= settle(&mut input, var, is_there, OPERATORS_MAX);
            }
            !(is_settled && is_answered(condition))
        });
        Ok(match conjunction(conditions) {
            Some(predicate) => Plan::Filter { input, predicate },
            None => *input,
        })
    })
}

/// The variables that a condition is about, and whether they are there where the condition is true.
fn asked(condition: &Expr) -> Vec<(VarId, bool)> {
    let var = |expr: &Expr| match expr {
        Expr::Var(var) => Some(*var),
        Expr::Property(base, ..) => match **base {
            Expr::Var(var) => Some(var),
            _ => None,
        },
        _ => None,
    };
    let all = |args: &[Expr]| args.iter().filter_map(var).map(|var| (var, true)).collect();
    match condition {
        Expr::Op(Op::Not, args, _) => match &args[..] {
            [inner] if is_answered(inner) => asked(inner).into_iter().map(|(var, is)| (var, !is)).collect(),
            _ => Vec::new(),
        },
        Expr::Op(Op::IsNull, args, _) => match args[..] {
            [Expr::Var(var)] => vec![(var, false)],
            _ => Vec::new(),
        },
        Expr::HasLabel(base, _) => all(std::slice::from_ref(base)),
        // What is compared with null is not true.
        other => all(refuses_null(other)),
    }
}

/// Whether a condition asks nothing but what is settled.
fn is_answered(condition: &Expr) -> bool {
    match condition {
        Expr::Op(Op::Not, args, _) => args.iter().all(is_answered),
        Expr::Op(Op::IsNull | Op::IsNotNull, args, _) => matches!(args[..], [Expr::Var(_)]),
        _ => false,
    }
}

/// Settles whether the optional match that makes a variable has found something; `false`, and nothing done,
/// where none makes it, or what it found may be null.
fn settle(plan: &mut Plan, var: VarId, is_there: bool, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    match plan {
        Plan::Apply { input, kind, .. } if input.vars().contains(&var) => {
            !matches!(kind, ApplyKind::Effects { .. }) && settle(input, var, is_there, left)
        }
        Plan::Apply { subplan, kind: kind @ ApplyKind::Optional, .. }
            if subplan.vars().contains(&var) && is_in_every_row(subplan, var) =>
        {
            if is_there {
                *kind = ApplyKind::Inner;
            } else {
                nothing_found(plan);
            }
            true
        }
        Plan::Project { input, items } => match items.iter().find(|(item, _)| *item == var) {
            Some((_, Expr::Var(other))) => settle(input, *other, is_there, left),
            _ => false,
        },
        Plan::Extra { input, items } => match items.iter().find(|(item, _)| *item == var) {
            Some((_, Expr::Var(other))) => settle(input, *other, is_there, left),
            Some(_) => false,
            None => settle(input, var, is_there, left),
        },
        Plan::Filter { input, .. } | Plan::Match { input, .. } | Plan::Unwind { input, .. } => {
            settle(input, var, is_there, left)
        }
        _ => false,
    }
}

/// Rows that an optional match finds nothing for.
fn nothing_found(plan: &mut Plan) {
    let Plan::Apply { input, subplan, .. } = std::mem::replace(plan, Plan::Unit) else { return };
    let known = input.vars();
    let made = subplan.vars().into_iter().filter(|var| !known.contains(var));
    let items = made.map(|var| (var, Expr::Const(Value::Null))).collect();
    let input = Box::new(Plan::Apply { input, subplan, kind: ApplyKind::Anti });
    *plan = Plan::Extra { input, items };
}
