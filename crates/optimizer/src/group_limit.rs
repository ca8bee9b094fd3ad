//! Of each group only the first rows of an order, as `WITH p, m ORDER BY m.date DESC WITH p,
//! collect(m)[0..3] AS newest`: the sort is told which rows are looked at, and need not sort the others.
//!
//! Where lists are made of sorted rows, and nothing above looks at more than elements at known places of
//! them, counted from either end, and at how many there are.
//!
//! What else is computed of each group, as `count(*)` or the size of such a list, needs all rows, but no
//! order: it is computed of the rows as they come, and joined with the lists by the group. For groups of
//! nodes only: a join finds no nulls. The rows are made twice then, which takes less than to sort them.
//!
//! Source: Spark's `InferWindowGroupLimit`, which does the same for ranks of window functions.

use trimorph_algebra::{Aggregate, AggregateKind, Expr, GroupLimit, Op, Plan, SortKey, VarId, Vars};
use trimorph_types::{LogicalType, Value};

use crate::count_rows::is_in_every_row;
use crate::list_sizes::{Counts, put_counts};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, replaced, vars_of};

/// Rows of a group up to which it pays to know the worst of them for each group.
const COUNT_MAX: u32 = 1_000;

/// The pass.
pub(crate) fn group_limit(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        // Of what is below it, a projection gives nothing else to what is above.
        match &mut plan {
            Plan::Project { .. } => drop(limit(&mut plan, vars)),
            Plan::Aggregate { .. } => limit_below(&mut plan, vars),
            _ => {}
        }
        Ok(plan)
    })
}

/// Tells the sort below a projection and a grouping what is looked at; `false` where nothing is to be told.
fn limit(plan: &mut Plan, vars: &mut Vars) -> bool {
    let Some(looks) = looks(plan).filter(Looks::are_few) else { return false };
    match aggregate_below(plan) {
        Some(aggregate) if !looks.beside && looks.sized.is_empty() => limit_sort(aggregate, &looks, vars),
        Some(aggregate) if can_be_split(aggregate, vars) => {
            put_counts(plan, false, &mut |grouping| split(grouping, &looks, vars));
        }
        _ => return false,
    }
    true
}

/// The same below an aggregation, whose arguments become a projection.
fn limit_below(plan: &mut Plan, vars: &mut Vars) {
    let Plan::Aggregate { input, keys, aggregates } = plan else { return };
    let args = aggregates.iter_mut().flat_map(|(_, a)| a.arg.iter_mut().chain(&mut a.parameter));
    let exprs: Vec<&mut Expr> = keys.iter_mut().map(|(_, key)| key).chain(args).collect();
    if exprs.is_empty() || aggregate_below(input).is_none() {
        return;
    }
    // Variables keep their names, and their types.
    let passed = vars_of(exprs.iter().filter(|expr| matches!(expr, Expr::Var(_))).map(|expr| &**expr));
    let mut items: Vec<(VarId, Expr)> = passed.into_iter().map(|var| (var, Expr::Var(var))).collect();
    let first = items.len();
    let computed = |expr: &&mut Expr| !matches!(expr, Expr::Var(_) | Expr::Const(_) | Expr::Param(_));
    let mut exprs: Vec<&mut Expr> = exprs.into_iter().filter(computed).collect();
    items.extend(exprs.iter().map(|expr| (vars.anonymous(LogicalType::Any), (**expr).clone())));
    let below = std::mem::replace(input, Box::new(Plan::Unit));
    let mut arguments = Plan::Project { input: below, items };
    if limit(&mut arguments, vars) {
        if let Plan::Project { items, .. } = &arguments {
            let made = &items[first..];
            exprs.iter_mut().zip(made).for_each(|(expr, (var, _))| **expr = Expr::Var(*var));
        }
        **input = arguments;
    } else if let Plan::Project { input: below, .. } = arguments {
        *input = below;
    }
}

/// How far from either end of lists elements are looked at.
#[derive(Default)]
struct Looks {
    first: u32,
    last: u32,
    /// The names of lists whose sizes are asked for.
    sized: VarSet,
    /// Whether there are aggregates beside the lists.
    beside: bool,
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
                    "size" => {
                        self.sized.extend(vars_of(args));
                        true
                    }
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
    if !aggregates.iter().all(|(_, aggregate)| is_list(aggregate) || is_of_any_order(aggregate)) {
        return None;
    }
    let mut lists: VarSet =
        aggregates.iter().filter(|(_, aggregate)| is_list(aggregate)).map(|(var, _)| *var).collect();
    let mut looks = Looks { beside: lists.len() < aggregates.len(), ..Looks::default() };
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

/// Whether an aggregate makes lists of all values that come.
fn is_list(aggregate: &Aggregate) -> bool {
    aggregate.kind == AggregateKind::Collect && !aggregate.distinct && aggregate.parameter.is_none()
}

/// Whether an aggregate does not ask in which order rows come.
pub(crate) fn is_of_any_order(aggregate: &Aggregate) -> bool {
    use AggregateKind as K;
    matches!(
        aggregate.kind,
        K::CountStar | K::Count | K::Sum | K::Avg | K::Min | K::Max | K::StDev | K::StDevP
    )
}

/// Whether a grouping may be made of the same sorted rows twice, once without their order: all its groups
/// are nodes that are there, and the rows are the same each time.
fn can_be_split(aggregate: &Plan, vars: &Vars) -> bool {
    let Plan::Aggregate { input, keys, aggregates } = aggregate else { return false };
    let mut plan: &Plan = input;
    while let Plan::Project { input, .. } | Plan::Extra { input, .. } = plan {
        plan = input;
    }
    let Plan::Sort { limit: None, of_group: None, .. } = plan else { return false };
    let mut args = aggregates.iter().filter_map(|(_, aggregate)| aggregate.arg.as_ref());
    let is_node = |key: &Expr| match key {
        Expr::Var(var) => vars.get(*var).ty == LogicalType::Node && is_in_every_row(input, *var),
        _ => false,
    };
    !args.any(calls_volatile) && keys.iter().all(|(_, key)| is_node(key)) && is_certain(input)
}

/// Whether a plan gives the same rows each time, made of patterns and what is computed row by row.
fn is_certain(mut plan: &Plan) -> bool {
    loop {
        let mut is_certain = true;
        plan.for_each_expr(&mut |expr| is_certain &= !calls_volatile(expr));
        plan = match plan {
            _ if !is_certain => return false,
            Plan::Unit => return true,
            Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Match { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Sort { input, limit: None, .. }
            | Plan::Unwind { input, .. } => input,
            _ => return false,
        }
    }
}

/// Splits a grouping into lists of the ends of sorted groups and what needs all rows. Gives the counts that
/// stand for the sizes of lists.
fn split(grouping: &mut Plan, looks: &Looks, vars: &mut Vars) -> Counts {
    let Plan::Aggregate { input, keys, aggregates } = grouping else { return Counts::new() };
    let (lists, mut others): (Vec<_>, Vec<_>) =
        std::mem::take(aggregates).into_iter().partition(|(_, aggregate)| is_list(aggregate));
    let mut counts = Counts::new();
    if !looks.sized.is_empty() {
        for (list, aggregate) in &lists {
            let count = vars.anonymous(LogicalType::Int);
            others.push((count, Aggregate { kind: AggregateKind::Count, ..aggregate.clone() }));
            counts.insert(*list, count);
        }
    }
    let on = keys.iter().map(|(var, _)| *var).collect();
    let as_they_come = Box::new(unsorted(input));
    let all = Plan::Aggregate { input: as_they_come, keys: keys.clone(), aggregates: others };
    let input = Box::new(std::mem::replace(&mut **input, Plan::Unit));
    let mut ends = Plan::Aggregate { input, keys: std::mem::take(keys), aggregates: lists };
    limit_sort(&mut ends, looks, vars);
    *grouping = Plan::HashJoin { left: Box::new(all), right: Box::new(ends), on };
    counts
}

/// The rows below a grouping without their order.
fn unsorted(plan: &Plan) -> Plan {
    match plan {
        Plan::Project { input, items } => {
            Plan::Project { input: Box::new(unsorted(input)), items: items.clone() }
        }
        Plan::Extra { input, items } => {
            Plan::Extra { input: Box::new(unsorted(input)), items: items.clone() }
        }
        Plan::Sort { input, .. } => (**input).clone(),
        other => other.clone(),
    }
}

/// The grouping below a projection.
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
fn limit_sort(aggregate: &mut Plan, looks: &Looks, vars: &Vars) {
    let Plan::Aggregate { input, keys, aggregates } = aggregate else { return };
    let mut exprs: Vec<Expr> = keys.iter().map(|(_, key)| key.clone()).collect();
    let groups = exprs.len();
    exprs.extend(aggregates.iter().filter_map(|(_, aggregate)| aggregate.arg.clone()));
    let mut plan: &mut Plan = input;
    while let Plan::Project { input, items } | Plan::Extra { input, items } = plan {
        exprs = exprs.into_iter().map(|expr| replaced(expr, items)).collect();
        plan = input;
    }
    if let Plan::Sort { input, keys: ordering, limit: None, of_group: of_group @ None } = plan
        && !exprs.iter().any(calls_volatile)
    {
        let mut present = exprs.split_off(groups);
        present.retain(|expr| !matches!(expr, Expr::Const(value) if !value.is_null()));
        let first_key = first_that_differs(ordering, &exprs, input, vars);
        let Looks { first, last, .. } = *looks;
        *of_group = Some(GroupLimit { keys: exprs, first, last, present, exact: false, first_key });
    }
}

/// The place of the first key of a sort that rows of a group may differ by; the first of all where none may.
fn first_that_differs(ordering: &[SortKey], groups: &[Expr], below: &Plan, vars: &Vars) -> usize {
    let differs = differing(groups, below, vars);
    ordering.iter().position(|key| differs(&key.expr)).unwrap_or(0)
}

/// Tells by which expressions rows of a group may differ: not by `f.id` where groups are made by the node
/// `f`.
///
/// What is computed of other values than nodes and relationships may differ: 1 and 1.0 are of one group.
pub(crate) fn differing(groups: &[Expr], below: &Plan, vars: &Vars) -> impl Fn(&Expr) -> bool {
    let is_entity = |var: VarId| matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship);
    let is_same = move |expr: &Expr, same: &[VarId]| match expr {
        Expr::Var(var) => same.contains(var),
        _ => !calls_volatile(expr) && vars_of([expr]).iter().all(|var| same.contains(var) && is_entity(*var)),
    };
    let mut same: Vec<VarId> = groups.iter().filter_map(as_var).collect();
    if let Plan::Project { items, .. } | Plan::Extra { items, .. } = below {
        let of_group = items.iter().filter(|(var, _)| same.contains(var));
        let below: Vec<VarId> = of_group.filter_map(|(_, expr)| as_var(expr)).collect();
        same.extend(items.iter().filter(|(_, expr)| is_same(expr, &below)).map(|(var, _)| *var));
    }
    move |expr| !is_same(expr, &same)
}

fn as_var(expr: &Expr) -> Option<VarId> {
    if let Expr::Var(var) = expr { Some(*var) } else { None }
}
