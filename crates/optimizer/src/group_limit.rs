//! Of each group only the first rows of an order, as `WITH p, m ORDER BY m.date DESC WITH p,
//! collect(m)[0..3] AS newest`: the sort is told which rows are looked at, and need not sort the others.
//!
//! Where all aggregates of a grouping are lists of sorted rows, and nothing above looks at more than elements
//! at known places of them, counted from either end.
//!
//! Source: Spark's `InferWindowGroupLimit`, which does the same for ranks of window functions.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, GroupLimit, Op, Plan, VarId};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, replaced};

/// Rows of a group up to which it pays to know the worst of them for each group.
const COUNT_MAX: u32 = 1_000;

/// The pass.
pub(crate) fn group_limit(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        // Of what is below it, a projection gives nothing else to what is above.
        if matches!(plan, Plan::Project { .. })
            && let Some(looks) = looks(&plan)
            && looks.are_few()
            && let Some(aggregate) = aggregate_below(&mut plan)
        {
            limit_sort(aggregate, &looks);
        }
        Ok(plan)
    })
}

/// How far from either end of lists elements are looked at.
#[derive(Default)]
struct Looks {
    first: u32,
    last: u32,
}

impl Looks {
    /// Whether elements are looked at, and not too many.
    fn are_few(&self) -> bool {
        (1..=COUNT_MAX).contains(&self.first.saturating_add(self.last))
    }

    /// Takes in how an expression looks at lists, which have these names; `false` where it looks at one as a
    /// whole.
    fn take(&mut self, expr: &Expr, lists: &VarSet) -> bool {
        let is_list = |expr: &Expr| matches!(expr, Expr::Var(var) if lists.contains(var));
        match expr {
            Expr::Op(Op::Index, args, _) => match &args[..] {
                [list, place] if is_list(list) => match integer(place) {
                    Some(place @ 0..) => self.first_of(place.saturating_add(1)),
                    Some(place) => self.last_of(place.saturating_neg()),
                    None => false,
                },
                _ => args.iter().all(|arg| self.take(arg, lists)),
            },
            Expr::Op(Op::Slice, args, _) => match &args[..] {
                // An absent bound is the first or the last possible place.
                [list, from, to] if is_list(list) => match (integer(from), integer(to)) {
                    (Some(0..), Some(to @ 0..)) => self.first_of(to),
                    (Some(from @ ..0), Some(..0 | i64::MAX)) => self.last_of(from.saturating_neg()),
                    _ => false,
                },
                _ => args.iter().all(|arg| self.take(arg, lists)),
            },
            Expr::Call(name, args, _) if args.first().is_some_and(is_list) && args.len() == 1 => {
                match &**name {
                    "head" => self.first_of(1),
                    "last" => self.last_of(1),
                    _ => false,
                }
            }
            Expr::Var(var) => !lists.contains(var),
            other => {
                let mut are_taken = true;
                other.for_each_child(&mut |child| are_taken = are_taken && self.take(child, lists));
                are_taken
            }
        }
    }

    /// No element is still a look at the list: of a null it is null.
    fn first_of(&mut self, count: i64) -> bool {
        self.first = self.first.max(saturated(count));
        true
    }

    fn last_of(&mut self, count: i64) -> bool {
        self.last = self.last.max(saturated(count));
        true
    }
}

/// A number of rows, at least one.
fn saturated(count: i64) -> u32 {
    u32::try_from(count.max(1)).unwrap_or(u32::MAX)
}

fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Const(Value::Int(i)) => Some(*i),
        Expr::Op(Op::Neg, args, _) => match &args[..] {
            [Expr::Const(Value::Int(i))] => i.checked_neg(),
            _ => None,
        },
        _ => None,
    }
}

/// How the operators from a projection down to a grouping look at its lists; none where there is no such
/// grouping, or they look at lists as wholes.
fn looks(top: &Plan) -> Option<Looks> {
    let mut between = Vec::new();
    let mut plan = top;
    let aggregates = loop {
        match plan {
            Plan::Project { input, .. } | Plan::Extra { input, .. } | Plan::Filter { input, .. } => {
                between.push(plan);
                plan = input;
            }
            Plan::Aggregate { aggregates, .. } => break aggregates,
            _ => return None,
        }
    };
    let are_lists = |(_, aggregate): &(VarId, Aggregate)| {
        aggregate.kind == AggregateKind::Collect && !aggregate.distinct && aggregate.parameter.is_none()
    };
    if aggregates.is_empty() || !aggregates.iter().all(are_lists) {
        return None;
    }
    let mut lists: VarSet = aggregates.iter().map(|(var, _)| *var).collect();
    let mut looks = Looks::default();
    for plan in between.into_iter().rev() {
        match plan {
            Plan::Filter { predicate, .. } => {
                if !looks.take(predicate, &lists) {
                    return None;
                }
            }
            Plan::Project { items, .. } | Plan::Extra { items, .. } => {
                let mut renamed = VarSet::new();
                for (var, item) in items {
                    match item {
                        Expr::Var(list) if lists.contains(list) => {
                            renamed.insert(*var);
                        }
                        item if !looks.take(item, &lists) => return None,
                        _ => {}
                    }
                }
                match plan {
                    Plan::Project { .. } => lists = renamed,
                    _ => lists.extend(renamed),
                }
            }
            _ => return None,
        }
    }
    // What the projection gives is looked at in ways that are not seen here.
    lists.is_empty().then_some(looks)
}

fn aggregate_below(mut plan: &mut Plan) -> Option<&mut Plan> {
    loop {
        plan = match plan {
            Plan::Project { input, .. } | Plan::Extra { input, .. } | Plan::Filter { input, .. } => input,
            Plan::Aggregate { .. } => return Some(plan),
            _ => return None,
        }
    }
}

/// Tells the sort below a grouping which of its rows are looked at.
fn limit_sort(aggregate: &mut Plan, looks: &Looks) {
    let Plan::Aggregate { input, keys, aggregates } = aggregate else { return };
    let mut exprs: Vec<Expr> = keys.iter().map(|(_, key)| key.clone()).collect();
    let groups = exprs.len();
    exprs.extend(aggregates.iter().filter_map(|(_, aggregate)| aggregate.arg.clone()));
    let mut plan: &mut Plan = input;
    while let Plan::Project { input, items } | Plan::Extra { input, items } = plan {
        exprs = exprs.into_iter().map(|expr| replaced(expr, items)).collect();
        plan = input;
    }
    if let Plan::Sort { limit: None, of_group: of_group @ None, .. } = plan
        && !exprs.iter().any(calls_volatile)
    {
        let mut present = exprs.split_off(groups);
        present.retain(|expr| !matches!(expr, Expr::Const(value) if !value.is_null()));
        *of_group =
            Some(GroupLimit { keys: exprs, first: looks.first, last: looks.last, present, exact: false });
    }
}
