//! A subquery that reads nothing of its rows (`CALL { MATCH … RETURN … }`) gives the same for each of them:
//! it becomes a plan of its own, which is run once, and joined with them. What changes the graph or draws
//! lots stays.
//!
//! What `EXISTS`, `COUNT` and `COLLECT` make of such a subquery is one row: a pattern stands on it, so that
//! `WHERE n.id IN COLLECT { … }` is looked up.

use trimorph_algebra::{ApplyKind, Plan};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile};

/// The pass.
pub(crate) fn call_once(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Apply { input, mut subplan, kind } = plan else { return Ok(plan) };
        let is_read = !matches!(kind, ApplyKind::Optional | ApplyKind::Effects { .. });
        let is_free = !subplan.updates() && !input.updates() && !draws_lots(&subplan);
        if !is_read || !is_free || !stand_alone(&mut subplan, false) {
            return Ok(Plan::Apply { input, subplan, kind });
        }
        if let ApplyKind::Inner = kind {
            stand_alone(&mut subplan, true);
            return Ok(match *input {
                Plan::Unit => *subplan,
                _ => Plan::HashJoin { left: input, right: subplan, on: Vec::new() },
            });
        }
        let one = |input: Plan| Plan::Apply { input: Box::new(input), subplan, kind };
        Ok(match *input {
            Plan::Unit => one(Plan::Unit),
            Plan::Match { input, graph } if matches!(*input, Plan::Unit) => {
                Plan::Match { input: Box::new(one(Plan::Unit)), graph }
            }
            input => {
                let right = Box::new(one(Plan::Unit));
                Plan::HashJoin { left: Box::new(input), right, on: Vec::new() }
            }
        })
    })
}

/// Whether a subplan starts from rows without variables, and only from those; with `change` it then starts
/// from a row of its own.
fn stand_alone(subplan: &mut Plan, change: bool) -> bool {
    let mut left = vec![subplan];
    while let Some(plan) = left.pop() {
        match plan {
            Plan::Argument(vars) if !vars.is_empty() => return false,
            Plan::Argument(_) if change => *plan = Plan::Unit,
            // What is applied inside has rows of its own.
            Plan::Apply { input, .. } => left.push(input),
            other => left.extend(other.children_mut()),
        }
    }
    true
}

/// Whether some expression gives something else each time.
fn draws_lots(plan: &Plan) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        let mut is = matches!(plan, Plan::ProcedureCall { .. });
        plan.for_each_expr(&mut |expr| is |= calls_volatile(expr));
        if is {
            return true;
        }
        left.extend(plan.children());
    }
    false
}
