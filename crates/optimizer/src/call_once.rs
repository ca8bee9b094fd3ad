//! A subquery that reads nothing of its rows (`CALL { MATCH … RETURN … }`) gives the same for each of them:
//! it becomes a plan of its own, which is run once, and joined with them. What changes the graph or draws
//! lots stays.
//!
//! What `EXISTS`, `COUNT` and `COLLECT` make of such a subquery is one row: a pattern stands on it, so that
//! `WHERE n.id IN COLLECT { … }` is looked up.
//!
//! A short list that is written out is the same for all rows, too: `MATCH (m:Message) UNWIND ['a', 'b'] AS k`
//! puts each of its elements beside the rows as they are. Rows that were put in order are left alone: the
//! elements of each come one after the other.

use trimorph_algebra::{ApplyKind, Expr, FEW_ROWS, Plan};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile};

/// The pass.
pub(crate) fn call_once(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let (input, mut subplan, kind) = match plan {
            Plan::Apply { input, subplan, kind } => (input, subplan, kind),
            Plan::Unwind { input, list, var } if is_short(&list) && is_found_by_matching(&input) => {
                let right = Box::new(Plan::Unwind { input: Box::new(Plan::Unit), list, var });
                return Ok(Plan::HashJoin { left: input, right, on: Vec::new() });
            }
            plan => return Ok(plan),
        };
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

/// Whether a list is written out, has two elements or a few more, and cannot fail.
fn is_short(list: &Expr) -> bool {
    let is_few = |len: usize| len > 1 && len as u64 <= FEW_ROWS;
    match list {
        Expr::List(elements) => {
            is_few(elements.len()) && elements.iter().all(|e| matches!(e, Expr::Const(_)))
        }
        Expr::Const(Value::List(elements)) => is_few(elements.len()),
        _ => false,
    }
}

/// Whether rows are those of a pattern or of groups, in no order that somebody asked for.
fn is_found_by_matching(plan: &Plan) -> bool {
    let mut plan = plan;
    loop {
        plan = match plan {
            Plan::Filter { input, .. } | Plan::Extra { input, .. } | Plan::Project { input, .. } => input,
            Plan::Match { input, .. } if !matches!(**input, Plan::Unit) => input,
            Plan::Aggregate { keys, .. } => return !keys.is_empty(),
            other => return matches!(other, Plan::Match { .. }),
        }
    }
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
