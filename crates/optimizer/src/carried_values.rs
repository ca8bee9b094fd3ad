//! Values that are carried along by grouping: `WITH collect(p) AS friends MATCH (f)-->(q) WHERE q IN friends
//! WITH friends, f, count(q) AS n`. What one row alone gives, as an aggregation without keys does, is the
//! same in all rows that are made of it: it tells no groups apart, and is put beside the groups. A list of a
//! thousand elements is else compared, and kept, once for each.
//!
//! So it is with DISTINCT. The one row is made once (`share_subplans`).
//!
//! Invariant: where no key is left, there is a group for no row, too, which is left out by its count. The one
//! row is the same each time it is made.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, Op, Plan, VarId};
use trimorph_base::Span;
use trimorph_types::{LogicalType, Value};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, calls_volatile, replaced, vars_of};

/// Operators that are looked through for where a value comes from.
const OPERATORS_MAX: usize = 64;

/// The pass.
pub(crate) fn carried_values(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if plan.updates() {
        return Ok(plan);
    }
    let needed = planning.needed.clone();
    bottom_up(plan, &needed, &mut |plan, _| {
        Ok(match plan {
            Plan::Aggregate { input, keys, mut aggregates } => match carried(&input, &keys) {
                Some((row, kept)) if kept.is_empty() => {
                    let rows = planning.vars.anonymous(LogicalType::Int);
                    aggregates.push((rows, count_of_rows()));
                    let group = Plan::Aggregate { input, keys: kept, aggregates };
                    let zero = Expr::Const(Value::Int(0));
                    let predicate = Expr::op(Op::Gt, vec![Expr::Var(rows), zero]);
                    beside(Plan::Filter { input: Box::new(group), predicate }, row)
                }
                Some((row, kept)) => beside(Plan::Aggregate { input, keys: kept, aggregates }, row),
                None => Plan::Aggregate { input, keys, aggregates },
            },
            Plan::Distinct { input, vars } => {
                let keys: Vec<(VarId, Expr)> = vars.iter().map(|var| (*var, Expr::Var(*var))).collect();
                match carried(&input, &keys).filter(|(_, kept)| !kept.is_empty()) {
                    Some((row, kept)) => {
                        let vars = kept.into_iter().map(|(var, _)| var).collect();
                        beside(Plan::Distinct { input, vars }, row)
                    }
                    None => Plan::Distinct { input, vars },
                }
            }
            other => other,
        })
    })
}

/// How many rows a group has.
fn count_of_rows() -> Aggregate {
    Aggregate {
        kind: AggregateKind::CountStar,
        arg: None,
        parameter: None,
        distinct: false,
        order: None,
        span: Span::default(),
    }
}

/// Groups with the values of one row.
fn beside(groups: Plan, row: Plan) -> Plan {
    Plan::HashJoin { left: Box::new(groups), right: Box::new(row), on: Vec::new() }
}

/// The row that some keys are made of, with these, and the keys that are left.
fn carried(input: &Plan, keys: &[(VarId, Expr)]) -> Option<(Plan, Vec<(VarId, Expr)>)> {
    let (mut row, mut items, mut kept) = (None::<&Plan>, Vec::new(), Vec::new());
    for (var, key) in keys {
        match made_of(input, key).filter(|(of, _)| row.is_none_or(|row| std::ptr::eq(row, *of))) {
            Some((of, key)) => {
                row = Some(of);
                items.push((*var, key));
            }
            None => kept.push((*var, key.clone())),
        }
    }
    // Of one row there is one group.
    let row = row.filter(|row| !std::ptr::eq(*row, input))?;
    Some((Plan::Project { input: Box::new(row.clone()), items }, kept))
}

/// The plan of one row that a key is made of, and what it is made of it.
fn made_of<'p>(input: &'p Plan, key: &Expr) -> Option<(&'p Plan, Expr)> {
    if calls_volatile(key) {
        return None;
    }
    let (mut row, mut names) = (None::<&Plan>, Vec::new());
    for var in vars_of([key]) {
        let (of, name) = one_row(input, var)?;
        if row.is_some_and(|row| !std::ptr::eq(row, of)) {
            return None;
        }
        row = Some(of);
        names.push((var, Expr::Var(name)));
    }
    let row = row.filter(|row| is_the_same_again(row))?;
    Some((row, replaced(key.clone(), &names)))
}

/// The plan of one row that a variable comes from, and what it is called there.
fn one_row(input: &Plan, mut var: VarId) -> Option<(&Plan, VarId)> {
    let mut plan = input;
    for _ in 0..OPERATORS_MAX {
        if plan.rows_max() == Some(1) {
            return plan.vars().contains(&var).then_some((plan, var));
        }
        plan = match plan {
            Plan::Project { input, items } | Plan::Aggregate { input, keys: items, .. } => {
                let (_, expr) = items.iter().find(|(item, _)| *item == var)?;
                let Expr::Var(below) = expr else { return None };
                var = *below;
                input
            }
            Plan::HashJoin { left, right, .. } | Plan::RangeJoin { left, right, .. } => {
                if left.vars().contains(&var) { left } else { right }
            }
            Plan::Union { .. } | Plan::Spool { .. } => return None,
            other => other.children().into_iter().next().filter(|input| input.vars().contains(&var))?,
        };
    }
    None
}

/// Whether a plan gives the same row each time, and depends on no row of an apply around: constants, an
/// aggregation, or several of these beside each other. Which row a limit leaves may change.
fn is_the_same_again(plan: &Plan) -> bool {
    let mut tops = vec![plan];
    while let Some(plan) = tops.pop() {
        match plan {
            Plan::Project { input, .. } | Plan::Extra { input, .. } | Plan::Filter { input, .. } => {
                tops.push(input);
            }
            Plan::HashJoin { left, right, .. } => tops.extend([&**left, &**right]),
            Plan::Unit | Plan::Aggregate { .. } | Plan::SpoolRead { .. } => {}
            _ => return false,
        }
    }
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        let mut is_volatile = matches!(plan, Plan::Argument(_) | Plan::ProcedureCall { .. });
        plan.for_each_expr(&mut |expr| is_volatile |= calls_volatile(expr));
        if is_volatile {
            return false;
        }
        left.extend(plan.children());
    }
    true
}
