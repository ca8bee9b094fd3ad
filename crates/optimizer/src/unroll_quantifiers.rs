//! Takes predicates such as `any(x IN ['a', 'b'] WHERE n.p CONTAINS x)`, gives `n.p CONTAINS 'a' OR n.p
//! CONTAINS 'b'`: comparisons with constants, which columns, zone maps and indexes can answer. A list may
//! have variables as well, as one of the relationships of a walk that was written out: each is asked where it
//! is found.
//!
//! `all` becomes AND, `none` NOT of OR: of truth, falsity and null these give what the quantifiers give, and
//! stop where those stop. `single` has no such form. Lists that are parameters are unrolled when their values
//! are known, before the query runs.

use trimorph_algebra::{Expr, Op, Plan, QuantifierKind, VarId};
use trimorph_types::Value;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// Elements of a list, times the expressions that are asked of each, up to which it is unrolled.
const EXPRESSIONS_MAX: usize = 64;

/// The pass.
pub(crate) fn unroll_quantifiers(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => graph.predicates.iter_mut().for_each(rewrite),
            Plan::Filter { predicate, .. } => rewrite(predicate),
            _ => {}
        }
        Ok(plan)
    })
}

/// Unrolls a predicate, or those that it is made of.
fn rewrite(predicate: &mut Expr) {
    match predicate {
        Expr::Op(Op::And | Op::Or | Op::Xor | Op::Not, parts, _) => parts.iter_mut().for_each(rewrite),
        Expr::Quantifier { kind, var, list, predicate: asked } => {
            let Some(elements) = elements(list) else { return };
            // One alone would not be refused where it is no truth value.
            if elements.len() == 1 || elements.len() * size(asked) > EXPRESSIONS_MAX {
                return;
            }
            let each = || elements.iter().map(|element| with(Expr::clone(asked), *var, element)).collect();
            let unrolled = match (*kind, elements.is_empty()) {
                (QuantifierKind::Single, _) => return,
                (kind, true) => Expr::Const(Value::Bool(kind != QuantifierKind::Any)),
                (QuantifierKind::Any, _) => Expr::op(Op::Or, each()),
                (QuantifierKind::All, _) => Expr::op(Op::And, each()),
                (QuantifierKind::None, _) => Expr::op(Op::Not, vec![Expr::op(Op::Or, each())]),
            };
            *predicate = unrolled;
        }
        _ => {}
    }
}

/// The elements of a list of constants, parameters and variables.
fn elements(list: &Expr) -> Option<Vec<Expr>> {
    match list {
        Expr::List(items)
            if items.iter().all(|e| matches!(e, Expr::Const(_) | Expr::Param(_) | Expr::Var(_))) =>
        {
            Some(items.clone())
        }
        Expr::Const(Value::List(items)) if items.len() <= EXPRESSIONS_MAX => {
            Some(items.iter().map(|value| Expr::Const(value.clone())).collect())
        }
        _ => None,
    }
}

/// How many expressions it is made of.
fn size(expr: &Expr) -> usize {
    let mut count = 1;
    expr.for_each_child(&mut |child| count += size(child));
    count
}

/// An expression with an element in the place of a variable.
fn with(expr: Expr, var: VarId, element: &Expr) -> Expr {
    match expr {
        Expr::Var(of) if of == var => element.clone(),
        other => other.map_children(&mut |child| with(child, var, element)),
    }
}
