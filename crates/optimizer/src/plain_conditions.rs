//! Conditions as others are written: `NOT (a = b)` is `a <> b`, `NOT (a OR b)` is two conditions, and what
//! all alternatives of an `OR` ask is asked before: it may be a key or a join. `any(x IN list WHERE x = a)`
//! is `a IN list`, and `'Post' IN labels(n)` is `n:Post`, which says what to scan.
//!
//! All of it is the same for every value, nulls among them: the logic of three values has De Morgan's laws
//! and distributes. Nothing is asked that was not, and what comes first is still asked first. A comparison by
//! `<` stays under its `NOT`: of values that cannot be compared both are null, but of NaN both are false.

use trimorph_algebra::{Expr, LabelExpr, Op, Plan, QuantifierKind, VarId, Vars};
use trimorph_base::Span;
use trimorph_types::{LogicalType, Value};

use crate::cannot_fail::{cannot_fail, is_boolean};
use crate::count_rows::is_in_every_row;
use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile, conjunction, conjuncts, equality, vars_of};

/// Expressions within each other that a condition may be made of: nobody writes deeper ones by hand.
const DEPTH_MAX: usize = 100;
/// Alternatives that are compared with each other for what they have in common.
const ALTERNATIVES_MAX: usize = 64;

/// The pass.
pub(crate) fn plain_conditions(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &*planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => {
                let mut all = Vec::with_capacity(graph.predicates.len());
                let predicates = std::mem::take(&mut graph.predicates);
                let is_found = |var| graph.nodes.iter().any(|node| node.var == var);
                for predicate in predicates {
                    conjuncts(plain_unless_deep(predicate, vars, &is_found), &mut all);
                }
                graph.predicates = all;
            }
            Plan::Filter { input, predicate } => {
                let asked = std::mem::replace(predicate, Expr::Const(Value::Null));
                *predicate = plain_unless_deep(asked, vars, &|var| is_in_every_row(input, var));
            }
            _ => {}
        }
        Ok(plan)
    })
}

fn plain_unless_deep(condition: Expr, vars: &Vars, is_found: &dyn Fn(VarId) -> bool) -> Expr {
    if condition.depth() > DEPTH_MAX { condition } else { plain(condition, vars, is_found) }
}

/// `is_found` says which nodes a pattern has found: others the query may have deleted, and who asks for the
/// labels of these is told so.
fn plain(condition: Expr, vars: &Vars, is_found: &dyn Fn(VarId) -> bool) -> Expr {
    let plain = |condition| plain(condition, vars, is_found);
    match condition {
        Expr::Op(Op::Not, mut parts, span) => match parts.pop() {
            Some(inner) => negated(plain(inner), span, vars),
            None => Expr::Op(Op::Not, parts, span),
        },
        Expr::Op(Op::And, parts, span) => Expr::Op(Op::And, parts.into_iter().map(plain).collect(), span),
        Expr::Op(Op::Or, parts, span) => without_common(parts.into_iter().map(plain).collect(), span, vars),
        Expr::Op(Op::In, sides, span) => label_of(sides, span, vars, is_found),
        Expr::Quantifier { kind: QuantifierKind::Any, var, list, predicate } => {
            match sought(*predicate, var, vars) {
                Ok((sought, span)) => plain(Expr::Op(Op::In, vec![sought, *list], span)),
                Err(predicate) => {
                    let predicate = Box::new(predicate);
                    Expr::Quantifier { kind: QuantifierKind::Any, var, list, predicate }
                }
            }
        }
        other => other,
    }
}

/// Whether a list has an element; whether a node has a label, where it is one of its labels.
fn label_of(sides: Vec<Expr>, span: Span, vars: &Vars, is_found: &dyn Fn(VarId) -> bool) -> Expr {
    if let [Expr::Const(Value::String(label)), Expr::Call(name, args, _)] = &sides[..]
        && &**name == "labels"
        && let [Expr::Var(node)] = args[..]
        && vars.get(node).ty == LogicalType::Node
        && is_found(node)
    {
        return Expr::HasLabel(Box::new(Expr::Var(node)), LabelExpr::Label(label.as_ref().into()));
    }
    Expr::Op(Op::In, sides, span)
}

/// What an element of a list is to be equal to, where a condition asks nothing else of it. It is computed for
/// each element, and not where there is none: here once, so that it must not fail, nor be another each time.
fn sought(condition: Expr, element: VarId, vars: &Vars) -> Result<(Expr, Span), Expr> {
    let Expr::Op(Op::Eq, mut sides, span) = condition else { return Err(condition) };
    let is_element = |side: &Expr| matches!(side, Expr::Var(var) if *var == element);
    let is_fixed = |side: &Expr| !vars_of([side]).contains(&element) && cannot_fail(side, vars);
    let at = match &sides[..] {
        [a, b] if is_element(a) && is_fixed(b) => 1,
        [a, b] if is_element(b) && is_fixed(a) => 0,
        _ => return Err(Expr::Op(Op::Eq, sides, span)),
    };
    Ok((sides.swap_remove(at), span))
}

/// The negation of a condition that is plain.
fn negated(condition: Expr, span: Span, vars: &Vars) -> Expr {
    let all = |parts: Vec<Expr>| parts.into_iter().map(|part| negated(part, span, vars)).collect();
    match condition {
        Expr::Op(Op::Eq, sides, span) => Expr::Op(Op::Ne, sides, span),
        Expr::Op(Op::Ne, sides, span) => Expr::Op(Op::Eq, sides, span),
        Expr::Op(Op::IsNull, args, span) => Expr::Op(Op::IsNotNull, args, span),
        Expr::Op(Op::IsNotNull, args, span) => Expr::Op(Op::IsNull, args, span),
        Expr::Op(Op::And, parts, span) => Expr::Op(Op::Or, all(parts), span),
        // Values of one property, none of which it may have, are a list.
        Expr::Op(Op::Or, parts, span) if !is_list(&parts) => Expr::Op(Op::And, all(parts), span),
        Expr::Op(Op::Not, mut parts, span) if parts.first().is_some_and(|part| is_boolean(part, vars)) => {
            parts.pop().unwrap_or(Expr::Op(Op::Not, parts, span))
        }
        other => Expr::Op(Op::Not, vec![other], span),
    }
}

/// Whether two alternatives that follow each other compare one property with constants.
fn is_list(alternatives: &[Expr]) -> bool {
    let mut properties = alternatives.iter().map(equality);
    let mut last = properties.next().flatten();
    properties.any(|now| {
        let is_same = now.is_some() && now == last;
        last = now;
        is_same
    })
}

/// Alternatives, and before them what all of them ask.
fn without_common(alternatives: Vec<Expr>, span: Span, vars: &Vars) -> Expr {
    let mut flat = Vec::with_capacity(alternatives.len());
    for alternative in alternatives {
        match alternative {
            Expr::Op(Op::Or, parts, _) => flat.extend(parts),
            other => flat.push(other),
        }
    }
    if !(2..=ALTERNATIVES_MAX).contains(&flat.len()) || flat.iter().any(calls_volatile) {
        return Expr::Op(Op::Or, flat, span);
    }
    let mut all: Vec<Vec<Expr>> = Vec::with_capacity(flat.len());
    for alternative in flat {
        let mut parts = Vec::new();
        conjuncts(alternative, &mut parts);
        all.push(parts);
    }
    // Behind something that may fail it may be asked of fewer values: then only what all ask first.
    let is_free = all.iter().flatten().all(|part| cannot_fail(part, vars));
    let mut common = Vec::new();
    let mut at = 0;
    while let Some(asked) = all.first().and_then(|first| first.get(at)) {
        let place = |parts: &Vec<Expr>| {
            let looked_at = if is_free { parts.len() } else { 1.min(parts.len()) };
            parts[..looked_at].iter().position(|own| is_same(own, asked))
        };
        match all.iter().map(place).collect::<Option<Vec<usize>>>() {
            Some(places) => {
                let mut taken = all.iter_mut().zip(places).map(|(parts, place)| parts.remove(place));
                common.extend(taken.next());
                taken.for_each(drop);
            }
            None if is_free => at += 1,
            None => break,
        }
    }
    // One that asks nothing else is true wherever the others may be.
    let rest: Option<Vec<Expr>> = all.into_iter().map(conjunction).collect();
    common.extend(rest.map(|alternatives| Expr::Op(Op::Or, alternatives, span)));
    conjunction(common).unwrap_or(Expr::Const(Value::Bool(true)))
}
