//! Takes predicates such as `n.p = 1 OR n.p = 2 OR …`, gives `n.p IN [1, 2, …]`: one set that is looked into,
//! a key that is looked up, an estimate that does not take the alternatives for independent. The same of a
//! variable and the nodes that IRIs are.
//!
//! What must be none of them likewise. Both are the same for every value, nulls among them, and no comparison
//! can fail. Only alternatives that follow each other are put together, so that one that may fail is reached
//! as before.

use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_base::Span;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, equality, is_constant};

/// The pass.
pub(crate) fn in_lists(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => graph.predicates.iter_mut().for_each(rewrite),
            Plan::Filter { predicate: Expr::Op(Op::And, parts, _), .. } => parts.iter_mut().for_each(rewrite),
            Plan::Filter { predicate, .. } => rewrite(predicate),
            _ => {}
        }
        Ok(plan)
    })
}

fn rewrite(predicate: &mut Expr) {
    if let Expr::Op(Op::Not, parts, _) = predicate {
        return parts.iter_mut().for_each(rewrite);
    }
    let Expr::Op(Op::Or, parts, span) = predicate else { return };
    let mut alternatives = Vec::new();
    disjuncts(std::mem::take(parts), &mut alternatives);
    let mut out: Vec<Expr> = Vec::with_capacity(alternatives.len());
    for part in alternatives {
        match out.last_mut() {
            Some(last) if compared(last).is_some() && compared(last) == compared(&part) => {
                let (property, mut values) = taken(std::mem::replace(last, Expr::List(Vec::new())));
                let (_, more) = taken(part);
                values.extend(more);
                *last = Expr::Op(Op::In, vec![property, Expr::List(values)], *span);
            }
            _ => out.push(part),
        }
    }
    *predicate = match <[Expr; 1]>::try_from(out) {
        Ok([only]) => only,
        Err(out) => Expr::Op(Op::Or, out, *span),
    };
}

/// What is compared with constants.
#[derive(PartialEq, Eq)]
enum Compared<'e> {
    /// A property of a variable.
    Property(VarId, &'e str),
    /// A variable, with what IRIs are.
    Term(VarId),
}

fn compared(expr: &Expr) -> Option<Compared<'_>> {
    if let Some((var, property)) = equality(expr) {
        return Some(Compared::Property(var, property));
    }
    let Expr::Op(op @ (Op::Eq | Op::In), args, _) = expr else { return None };
    match (op, args.as_slice()) {
        (Op::Eq, [Expr::Var(var), other] | [other, Expr::Var(var)]) if is_entity(other) => {
            Some(Compared::Term(*var))
        }
        (Op::In, [Expr::Var(var), Expr::List(items)]) if items.iter().all(is_entity) => {
            Some(Compared::Term(*var))
        }
        _ => None,
    }
}

/// Whether an expression is the node that a constant IRI is: SPARQL's `?p IN (:a, :b)`.
fn is_entity(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(name, args, _) if **name == *"sparql.entity" && args.iter().all(is_constant))
}

/// The alternatives of a predicate; a right one within another as well.
fn disjuncts(parts: Vec<Expr>, out: &mut Vec<Expr>) {
    let mut waiting: Vec<Expr> = parts.into_iter().rev().collect();
    while let Some(part) = waiting.pop() {
        match part {
            Expr::Op(Op::Or, parts, _) => waiting.extend(parts.into_iter().rev()),
            other => out.push(other),
        }
    }
}

/// What an equality compares, and with what.
fn taken(equality: Expr) -> (Expr, Vec<Expr>) {
    let Expr::Op(_, args, _) = equality else { return (equality, Vec::new()) };
    match <[Expr; 2]>::try_from(args) {
        Ok([compared, Expr::List(items)]) => (compared, items),
        Ok([other, compared]) if is_constant(&other) || is_entity(&other) => (compared, vec![other]),
        Ok([compared, other]) => (compared, vec![other]),
        Err(args) => (Expr::Op(Op::Eq, args, Span::default()), Vec::new()),
    }
}
