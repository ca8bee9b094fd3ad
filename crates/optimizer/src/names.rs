//! What a variable is called below an operator that takes its rows from one input and gives them other names,
//! computes more, or gives fewer of them.

use trimorph_algebra::{Expr, Plan, VarId};

/// The input, and the name there; none of what the operator computes, or of other operators.
pub(crate) fn below_by_name(plan: &Plan, var: VarId) -> Option<(&Plan, VarId)> {
    match plan {
        Plan::Project { input, items } => match items.iter().find(|(item, _)| *item == var)? {
            (_, Expr::Var(other)) => Some((input, *other)),
            _ => None,
        },
        Plan::Extra { input, items } => match items.iter().find(|(item, _)| *item == var) {
            Some((_, Expr::Var(other))) => Some((input, *other)),
            Some(_) => None,
            None => Some((input, var)),
        },
        Plan::Filter { input, .. }
        | Plan::Sort { input, .. }
        | Plan::Skip { input, .. }
        | Plan::Limit { input, .. }
        | Plan::Distinct { input, .. } => Some((input, var)),
        _ => None,
    }
}
