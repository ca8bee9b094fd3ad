//! Takes predicates such as `any(x IN ['a', 'b'] WHERE n.p CONTAINS x)`, gives `n.p CONTAINS 'a' OR n.p
//! CONTAINS 'b'`: comparisons with constants, which columns, zone maps and indexes can answer. A list may
//! have variables as well, as one of the relationships of a walk that was written out: each is asked where it
//! is found.
//!
//! `all` becomes AND, `none` NOT of OR: of truth, falsity and null these give what the quantifiers give, and
//! stop where those stop. `single` has no such form. Lists that are parameters are unrolled when their values
//! are known, before the query runs.
//!
//! So is `reduce(s = n.p, x IN ['a', 'b'] | replace(s, x, ''))`: `replace(replace(n.p, 'a', ''), 'b', '')`,
//! which is computed column by column. Where the accumulator stands once in what is computed of each element:
//! else it would be computed several times.

use trimorph_algebra::{Expr, Op, Plan, QuantifierKind, VarId};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile};

/// Elements of a list, times the expressions that are asked of each, up to which it is unrolled.
const EXPRESSIONS_MAX: usize = 64;

/// The pass.
pub(crate) fn unroll_quantifiers(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => {
                graph.predicates.iter_mut().for_each(rewrite);
                graph.predicates.iter_mut().for_each(unroll_in);
            }
            Plan::Filter { predicate, .. } => {
                rewrite(predicate);
                unroll_in(predicate);
            }
            Plan::Project { items, .. } | Plan::Extra { items, .. } => {
                items.iter_mut().for_each(|(_, item)| unroll_in(item));
            }
            Plan::Aggregate { keys, aggregates, .. } => {
                let args = aggregates.iter_mut().filter_map(|(_, aggregate)| aggregate.arg.as_mut());
                keys.iter_mut().map(|(_, key)| key).chain(args).for_each(unroll_in);
            }
            _ => {}
        }
        Ok(plan)
    })
}

/// Writes out reductions of short lists anywhere in an expression.
fn unroll_in(expr: &mut Expr) {
    let mut has_any = false;
    look(expr, &mut |part| has_any |= matches!(part, Expr::Reduce { .. }));
    if has_any {
        *expr = unrolled(std::mem::replace(expr, Expr::truth()));
    }
}

fn look(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    expr.for_each_child(&mut |child| look(child, visit));
}

fn unrolled(expr: Expr) -> Expr {
    let expr = expr.map_children(&mut unrolled);
    let Expr::Reduce { acc, init, var, list, body } = &expr else { return expr };
    let elements = match &**list {
        Expr::List(items) => items.clone(),
        _ => elements(list).unwrap_or_default(),
    };
    let times = |var: VarId, expr: &Expr| {
        let mut times = 0;
        look(expr, &mut |part| times += usize::from(matches!(part, Expr::Var(of) if *of == var)));
        times
    };
    let is_short = |item: &Expr| matches!(item, Expr::Const(_) | Expr::Param(_) | Expr::Var(_));
    let once = times(*var, body) <= 1 || elements.iter().all(is_short);
    let sizes = elements.iter().map(|element| size(element) + size(body)).sum::<usize>();
    // What draws lots draws them for each element anew, and a variable of the body's own may have any name.
    let is_plain = !calls_volatile(&expr) && !has_variables(body) && !elements.iter().any(has_variables);
    if elements.is_empty() || times(*acc, body) != 1 || !once || sizes > EXPRESSIONS_MAX || !is_plain {
        return expr;
    }
    let start = Expr::clone(init);
    elements.iter().fold(start, |made, element| with(with(Expr::clone(body), *var, element), *acc, &made))
}

/// Whether an expression has variables of its own, as list comprehensions have.
fn has_variables(expr: &Expr) -> bool {
    let mut has_any = false;
    look(expr, &mut |part| {
        has_any |=
            matches!(part, Expr::Reduce { .. } | Expr::Quantifier { .. } | Expr::ListComprehension { .. });
    });
    has_any
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
