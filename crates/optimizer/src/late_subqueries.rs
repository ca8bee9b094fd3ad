//! Subqueries that give each row a value, as COUNT, COLLECT and EXISTS do, below a top-k: those that its
//! order does not need are taken off, to be put above it, for the rows that are left (`late_projection`). A
//! page of ten rows so asks ten times, not once for each row that there is.
//!
//! Invariant: such a subquery gives each row exactly one value, whichever other rows there are.

use trimorph_algebra::{ApplyKind, Expr, Plan, VarId};
use trimorph_types::Value;

use crate::needed::arguments;
use crate::{VarSet, calls_volatile, vars_of};

/// Rows that a top-k may keep. Of more it does not pay: the rows of a scan are asked about in its order,
/// those that were sorted in any. Chosen.
const ROWS_MAX: i64 = 1 << 16;

/// A subquery that was taken off.
pub(crate) struct Late {
    subplan: Box<Plan>,
    kind: ApplyKind,
}

impl Late {
    /// The variables it makes.
    pub(crate) fn made(&self) -> Vec<VarId> {
        made(&self.subplan, &self.kind)
    }

    /// The variables of the rows around that it looks at.
    pub(crate) fn asked(&self) -> VarSet {
        arguments(&self.subplan)
    }
}

/// Whether a limit keeps few rows. What is given only when the query runs is a page, mostly.
pub(crate) fn keeps_few(limit: &Expr) -> bool {
    match limit {
        Expr::Const(Value::Int(rows)) => *rows <= ROWS_MAX,
        Expr::Const(_) => false,
        Expr::Op(_, parts, _) => parts.iter().all(keeps_few),
        _ => true,
    }
}

/// Whether [`take_off`] finds any.
pub(crate) fn has_late(mut plan: &Plan, mut required: VarSet) -> bool {
    while let Plan::Apply { input, subplan, kind } = plan {
        let own = made(subplan, kind);
        if own.is_empty() {
            return false;
        }
        if waits(&own, subplan, kind, &required) {
            return true;
        }
        required.extend(arguments(subplan));
        plan = input;
    }
    false
}

/// Takes the subqueries off a plan that nothing of `required` comes from, and nothing that stays; gives them
/// in the order in which they were.
pub(crate) fn take_off(mut plan: Plan, mut required: VarSet) -> (Plan, Vec<Late>) {
    let (mut late, mut staying) = (Vec::new(), Vec::new());
    loop {
        match plan {
            Plan::Apply { input, subplan, kind } if !made(&subplan, &kind).is_empty() => {
                if waits(&made(&subplan, &kind), &subplan, &kind, &required) {
                    late.push(Late { subplan, kind });
                } else {
                    required.extend(arguments(&subplan));
                    staying.push((subplan, kind));
                }
                plan = *input;
            }
            bottom => {
                plan = bottom;
                break;
            }
        }
    }
    // What stays is put back in its order.
    for (subplan, kind) in staying.into_iter().rev() {
        plan = Plan::Apply { input: Box::new(plan), subplan, kind };
    }
    late.reverse();
    (plan, late)
}

/// Whether nothing of `required` comes from a subquery that makes `own`.
fn waits(own: &[VarId], subplan: &Plan, kind: &ApplyKind, required: &VarSet) -> bool {
    own.iter().all(|var| !required.contains(var)) && !is_volatile(subplan, kind)
}

/// Puts subqueries on a plan.
pub(crate) fn put_on(plan: Plan, late: Vec<Late>) -> Plan {
    late.into_iter().fold(plan, |plan, Late { subplan, kind }| {
        let input = Box::new(plan);
        Plan::Apply { input, subplan, kind }
    })
}

/// The variables that a subquery adds to each row; none where it may add rows, or leave some out.
fn made(subplan: &Plan, kind: &ApplyKind) -> Vec<VarId> {
    match kind {
        ApplyKind::Mark(var) | ApplyKind::Count(var) | ApplyKind::Collect(var, _) => vec![*var],
        ApplyKind::Inner if gives_one_row(subplan) => subplan.vars(),
        _ => Vec::new(),
    }
}

/// Whether a subquery gives one row in any case, as an aggregation without keys does.
fn gives_one_row(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Project { input, .. } | Plan::Extra { input, .. } => input,
            Plan::Aggregate { keys, .. } => return keys.is_empty(),
            _ => return false,
        };
    }
}

/// Whether a subquery may give something else each time it is asked.
fn is_volatile(subplan: &Plan, kind: &ApplyKind) -> bool {
    let mut found = matches!(kind, ApplyKind::Collect(_, expr) if calls_volatile(expr));
    let mut left = vec![subplan];
    while let Some(plan) = left.pop() {
        found |= matches!(plan, Plan::ProcedureCall { .. });
        plan.for_each_expr(&mut |expr| found |= calls_volatile(expr));
        left.extend(plan.children());
    }
    found
}

/// The variables that some follow from: what their items are made of, the last items first.
pub(crate) fn made_from(mut vars: VarSet, items: &[(VarId, Expr)]) -> VarSet {
    for (var, expr) in items.iter().rev() {
        if vars.contains(var) {
            vars.extend(vars_of([expr]));
        }
    }
    vars
}

/// The items that follow from some variables.
pub(crate) fn made_of(mut vars: VarSet, items: &[(VarId, Expr)]) -> VarSet {
    let mut found = VarSet::new();
    for (var, expr) in items {
        if vars_of([expr]).iter().any(|of| vars.contains(of)) {
            vars.insert(*var);
            found.insert(*var);
        }
    }
    found
}
