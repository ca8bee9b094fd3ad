//! Takes an equality and the plan that it stands on, makes a hash join of two parts that only it connects.
//!
//! 1. A product, or a hash join, of which one side is compared with the other gets the equality as a key.
//! 2. Operators that use nothing of what is below them, such as the statements of a second triple pattern,
//!    are made once, beside the rows that they were made for each of.
//!
//! Equalities of a pattern's own values are the pattern's (`plan_match::value_joins`).

use trimorph_algebra::{Expr, Plan, VarId, Vars};
use trimorph_types::LogicalType;

use crate::cannot_fail::cannot_fail;
use crate::value_keys::keys_across;
use crate::{VarSet, calls_volatile, set_of, vars_of};

/// Operators that are looked below for another part.
const OPERATORS_MAX: usize = 32;

/// Makes a join of `condition`, which cannot fail. `None`, and nothing done, where it joins no parts; else
/// whether the pairs that are joined must still be asked.
pub(crate) fn join_apart(plan: &mut Plan, condition: &Expr, vars: &mut Vars) -> Option<bool> {
    if let Plan::HashJoin { left, right, .. } = &*plan {
        return add_key(plan, &set_of(left.vars()), &set_of(right.vars()), condition, vars);
    }
    let depth = operators_apart(plan, condition, vars)?;
    let mut lowest = &mut *plan;
    for _ in 0..depth {
        lowest = lowest.children_mut().into_iter().next()?;
    }
    let left = std::mem::replace(lowest, Plan::Unit);
    let (of_left, right) = (set_of(left.vars()), std::mem::replace(plan, Plan::Unit));
    let of_right = set_of(right.vars());
    *plan = Plan::HashJoin { left: Box::new(left), right: Box::new(right), on: Vec::new() };
    add_key(plan, &of_left, &of_right, condition, vars)
}

/// How many operators, from the top, are apart from the rows below them and compared with these.
fn operators_apart(plan: &Plan, condition: &Expr, vars: &Vars) -> Option<usize> {
    let all = set_of(plan.vars());
    let is_plain = |expr: &Expr| cannot_fail(expr, vars) && !calls_volatile(expr);
    let (mut at, mut used) = (plan, VarSet::new());
    for depth in 1..=OPERATORS_MAX {
        let input = match at {
            Plan::Statements { input, pattern } => {
                used.extend(pattern.vars());
                input
            }
            Plan::Filter { input, predicate } if is_plain(predicate) => {
                used.append(&mut vars_of([predicate]));
                input
            }
            Plan::Extra { input, items } if items.iter().all(|(_, expr)| is_plain(expr)) => {
                used.append(&mut vars_of(items.iter().map(|(_, expr)| expr)));
                input
            }
            _ => return None,
        };
        let there = set_of(input.vars());
        let is_apart = !there.is_empty() && used.iter().all(|var| !there.contains(var));
        let is_own = |var: &VarId| all.contains(var) && !there.contains(var);
        if is_apart && keys_across(condition, |var| there.contains(var), is_own).is_some() {
            return Some(depth);
        }
        at = input;
    }
    None
}

/// Adds an equality of both sides of a hash join to its keys.
fn add_key(
    plan: &mut Plan,
    of_left: &VarSet,
    of_right: &VarSet,
    condition: &Expr,
    vars: &mut Vars,
) -> Option<bool> {
    let Plan::HashJoin { left, right, on } = plan else { return None };
    // What both sides have is joined already.
    let is_left = |var: &VarId| of_left.contains(var) && !of_right.contains(var);
    let is_right = |var: &VarId| of_right.contains(var) && !of_left.contains(var);
    let keys = keys_across(condition, is_left, is_right)?;
    let key = vars.anonymous(LogicalType::Any);
    on.push(key);
    for (side, expr) in [(left, keys.left), (right, keys.right)] {
        let input = Box::new(std::mem::replace(&mut **side, Plan::Unit));
        **side = Plan::Extra { input, items: vec![(key, expr)] };
    }
    Some(!keys.is_exact)
}
