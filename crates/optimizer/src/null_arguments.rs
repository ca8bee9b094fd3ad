//! Aggregates take no nulls: where all of them are null without one property of a node or relationship of
//! any kind, as in `MATCH ()-[r]->() RETURN sum(r.amount), max(r.amount)`, it is asked for. Tables that do
//! not have it are not read then.
//!
//! Not where rows are counted or grouped: a row without the property has a group, too.

use trimorph_algebra::{EdgeRange, Expr, LabelExpr, Op, Plan, VarId};

use crate::Halt;
use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn null_arguments(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if plan.updates() {
        return Ok(plan);
    }
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        let Plan::Aggregate { input, keys, aggregates } = plan else { return Ok(plan) };
        let mut args = aggregates.iter().map(|(_, aggregate)| aggregate.arg.as_ref());
        let first = args.next().filter(|_| keys.is_empty()).flatten();
        let asked = first.and_then(|first| {
            needed(first).into_iter().find(|property| {
                let needs = |arg: &Expr| needed(arg).into_iter().any(|own| is_same(own, property));
                args.clone().all(|arg| arg.is_some_and(needs)) && is_of_any_kind(&input, property)
            })
        });
        let asked = asked.map(|property| Expr::op(Op::IsNotNull, vec![property.clone()]));
        let input = match asked {
            Some(predicate) => Box::new(Plan::Filter { input, predicate }),
            None => input,
        };
        Ok(Plan::Aggregate { input, keys, aggregates })
    })
}

/// Properties of variables without any of which an expression is null.
fn needed(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Property(of, ..) if matches!(**of, Expr::Var(_)) => vec![expr],
        Expr::Op(Op::Sub | Op::Mul | Op::Div | Op::Neg, args, _) => args.iter().flat_map(needed).collect(),
        _ => Vec::new(),
    }
}

/// Whether a pattern, with conditions, has the variable of a property, and no label or type for it.
fn is_of_any_kind(mut plan: &Plan, property: &Expr) -> bool {
    let Expr::Property(of, ..) = property else { return false };
    let Expr::Var(var) = **of else { return false };
    let is = |own: VarId| own == var;
    loop {
        plan = match plan {
            Plan::Filter { input, .. } => input,
            Plan::Match { graph, .. } => {
                let is_node = graph.nodes.iter().any(|n| is(n.var) && n.labels == LabelExpr::True);
                let mut edges = graph.edges.iter();
                return is_node
                    || edges.any(|e| is(e.var) && e.types.is_empty() && e.range == EdgeRange::One);
            }
            _ => return false,
        };
    }
}
