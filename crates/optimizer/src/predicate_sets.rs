//! What a condition says of the predicate of statements, `?p != :a`, `?p IN (:a, :b)`, or what a path
//! `!(:a|:b)` asks, becomes part of their pattern: others are not looked for. And what is left are statements
//! alone, which may be counted where they lie (`count_statements`).
//!
//! Only of a predicate that is found: it is an IRI. So equality is that of terms, which never fails.

use trimorph_algebra::{Expr, Op, Plan, PredicateSet, PredicateTerm, VarId};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, conjunction, conjuncts};

/// The pass.
pub(crate) fn predicate_sets(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Filter { predicate, input } => asked(predicate, *input),
            other => other,
        })
    })
}

/// The rows of `input` that meet a condition.
fn asked(predicate: Expr, mut input: Plan) -> Plan {
    let rest = match &mut input {
        Plan::Statements { input, pattern } => match pattern.predicate {
            PredicateTerm::Var(var) if !input.vars().contains(&var) => {
                let mut parts = Vec::new();
                conjuncts(predicate, &mut parts);
                parts.retain(|part| {
                    let Some(set) = set_of(part, var) else { return true };
                    pattern.among = Some(pattern.among.as_ref().map_or(set.clone(), |own| own.and(&set)));
                    false
                });
                conjunction(parts)
            }
            _ => Some(predicate),
        },
        _ => Some(predicate),
    };
    match rest {
        Some(predicate) => Plan::Filter { input: Box::new(input), predicate },
        None => input,
    }
}

/// The predicates of which a condition is true, which is false of all others; `None` where it says something
/// else.
fn set_of(condition: &Expr, var: VarId) -> Option<PredicateSet> {
    match condition {
        Expr::Op(Op::Not, args, _) => Some(set_of(args.first()?, var)?.others()),
        Expr::Op(op @ (Op::And | Op::Or), args, _) => {
            let mut sets = args.iter().map(|arg| set_of(arg, var));
            let first = sets.next()??;
            sets.try_fold(first, |all, set| {
                let set = set?;
                Some(if *op == Op::And { all.and(&set) } else { all.or(&set) })
            })
        }
        Expr::Op(Op::In, args, _) => match args.as_slice() {
            [name, Expr::Const(Value::List(iris))] if is_name(name, var) => {
                iris.iter().map(iri).collect::<Option<Vec<_>>>().map(PredicateSet::of)
            }
            _ => None,
        },
        Expr::Call(name, args, _) if **name == *"sparql.eq" => match args.as_slice() {
            [Expr::Var(own), Expr::Const(value)] | [Expr::Const(value), Expr::Var(own)] if *own == var => {
                Some(PredicateSet::of([iri(value)?]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The predicate's name, as paths ask for it.
fn is_name(expr: &Expr, var: VarId) -> bool {
    matches!(expr, Expr::Call(name, args, _) if **name == *"sparql.resource"
        && matches!(args.as_slice(), [Expr::Var(own)] if *own == var))
}

fn iri(value: &Value) -> Option<std::sync::Arc<str>> {
    if let Value::Iri(iri) = value { Some(std::sync::Arc::clone(iri)) } else { None }
}
