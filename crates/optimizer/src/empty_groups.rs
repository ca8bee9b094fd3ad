//! What all aggregates of a grouping ask of a row is asked before it, where groups of which no row meets it
//! are left out above: `WITH p, collect(m) AS ms WITH p, [m IN ms WHERE m.length > 100] AS long WHERE
//! size(long) > 3`, which `fold_lists` made `collect(CASE WHEN m.length > 100 THEN … END)`, and `count(CASE
//! WHEN … END) AS n WHERE n > 3`.
//!
//! Invariant: each aggregate leaves rows out of which the condition is not true, so groups that have others
//! are the same without them; groups that have none would be left out.

use std::collections::HashMap;

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, VarId, Vars};
use trimorph_types::Value;

use crate::cannot_fail::cannot_fail;
use crate::heads::is_same;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile, conjuncts};

/// The pass.
pub(crate) fn empty_groups(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &*planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Filter { input, predicate } = &mut plan {
            ask_rows(input, predicate, vars);
        }
        Ok(plan)
    })
}

/// What an aggregate gives for no rows.
#[derive(Clone, Copy, PartialEq)]
enum Nothing {
    Zero,
    Null,
    EmptyList,
}

/// Puts the condition of a grouping's aggregates below it, if a predicate above is never true of a group of
/// which no row meets it.
fn ask_rows(below: &mut Plan, predicate: &Expr, vars: &Vars) {
    let Some((condition, nothing)) = asked(below) else { return };
    let mut conditions = Vec::new();
    conjuncts(predicate.clone(), &mut conditions);
    if conditions.iter().any(|condition| leaves_out(condition, &nothing)) {
        put(below, condition, vars);
    }
}

/// The condition that all aggregates of the grouping below ask of rows, and the variables here that are
/// nothing for a group of none.
fn asked(plan: &Plan) -> Option<(Expr, HashMap<VarId, Nothing>)> {
    match plan {
        Plan::Filter { input, .. } => asked(input),
        Plan::Project { input, items } | Plan::Extra { input, items } => {
            let (condition, below) = asked(input)?;
            let mut here: HashMap<VarId, Nothing> = match plan {
                Plan::Project { .. } => HashMap::new(),
                _ => below.clone(),
            };
            here.extend(items.iter().filter_map(|(var, item)| Some((*var, nothing_of(item, &below)?))));
            Some((condition, here))
        }
        // Without keys there is a group, whatever rows there are.
        Plan::Aggregate { keys, aggregates, .. } if !keys.is_empty() => {
            let (_, first) = aggregates.first()?;
            let condition = condition_of(first)?;
            let is_shared = |(_, other): &(VarId, Aggregate)| {
                condition_of(other).is_some_and(|other| is_same(other, condition))
            };
            if calls_volatile(condition) || !aggregates.iter().all(is_shared) {
                return None;
            }
            let nothing = aggregates.iter().map(|(var, aggregate)| {
                let nothing = match aggregate.kind {
                    AggregateKind::Count | AggregateKind::Sum => Nothing::Zero,
                    AggregateKind::Collect => Nothing::EmptyList,
                    _ => Nothing::Null,
                };
                (*var, nothing)
            });
            Some((condition.clone(), nothing.collect()))
        }
        _ => None,
    }
}

/// The condition of an aggregate that takes no row of which it is not true.
fn condition_of(aggregate: &Aggregate) -> Option<&Expr> {
    use AggregateKind as K;
    let leaves_nulls_out =
        matches!(aggregate.kind, K::Count | K::Sum | K::Avg | K::Min | K::Max | K::Collect);
    let Some(Expr::Case { branches, otherwise }) = &aggregate.arg else { return None };
    let [(condition, _)] = &branches[..] else { return None };
    let adds_nothing = match **otherwise {
        Expr::Const(Value::Null) => true,
        Expr::Const(Value::Int(0)) => aggregate.kind == K::Sum && !aggregate.distinct,
        _ => false,
    };
    (leaves_nulls_out && adds_nothing && aggregate.order.is_none()).then_some(condition)
}

/// What an expression is for a group of none, where that is nothing.
fn nothing_of(expr: &Expr, below: &HashMap<VarId, Nothing>) -> Option<Nothing> {
    match expr {
        Expr::Var(var) => below.get(var).copied(),
        Expr::ListComprehension { list, .. } => {
            nothing_of(list, below).filter(|list| *list == Nothing::EmptyList)
        }
        Expr::Call(name, args, _) if &**name == "size" => {
            let [list] = &args[..] else { return None };
            nothing_of(list, below).filter(|list| *list == Nothing::EmptyList).map(|_| Nothing::Zero)
        }
        _ => None,
    }
}

/// Whether a condition is false or null where some variables are nothing.
fn leaves_out(condition: &Expr, nothing: &HashMap<VarId, Nothing>) -> bool {
    let Expr::Op(op, args, _) = condition else { return false };
    let flipped = match op {
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        other => *other,
    };
    let (op, of, number) = match &args[..] {
        [of] => return *op == Op::IsNotNull && nothing_of(of, nothing) == Some(Nothing::Null),
        [of, Expr::Const(number)] => (*op, of, number),
        [Expr::Const(number), of] => (flipped, of, number),
        _ => return false,
    };
    let is_compared = matches!(op, Op::Gt | Op::Ge | Op::Lt | Op::Le | Op::Eq | Op::Ne);
    match (nothing_of(of, nothing), number) {
        (Some(Nothing::Null), _) => is_compared,
        (Some(Nothing::Zero), Value::Int(number)) => match op {
            Op::Gt => *number >= 0,
            Op::Ge => *number > 0,
            Op::Eq => *number != 0,
            Op::Ne => *number == 0,
            _ => false,
        },
        _ => false,
    }
}

/// Puts a condition below the grouping: what cannot fail may be asked of rows that another condition of the
/// pattern leaves out.
fn put(plan: &mut Plan, condition: Expr, vars: &Vars) {
    match plan {
        Plan::Filter { input, .. } | Plan::Project { input, .. } | Plan::Extra { input, .. } => {
            put(input, condition, vars);
        }
        Plan::Aggregate { input, .. } => match &mut **input {
            Plan::Match { graph, .. } if cannot_fail(&condition, vars) => {
                conjuncts(condition, &mut graph.predicates);
            }
            rows => {
                let input = Box::new(std::mem::replace(rows, Plan::Unit));
                *rows = Plan::Filter { input, predicate: condition };
            }
        },
        _ => {}
    }
}
