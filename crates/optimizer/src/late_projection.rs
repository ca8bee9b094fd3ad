//! Takes a top-k over computed columns, or the first rows of each group, gives one over what the order needs:
//! the rest is computed above it, for the rows that are left. A wide row costs a node's id while it may still
//! fall out.
//!
//! What is computed of nodes and relationships goes up, since these are carried in its place, and so does
//! what goes through a list, since that takes longer than carrying it. Subqueries go up with what is made of
//! them (`late_subqueries`). Keys after the first that are properties are left to the sort, which asks few
//! rows for them.
//!
//! Source: Virtuoso, "Vectored Execution" (late materialisation); design §8.

use trimorph_algebra::{Expr, GroupLimit, Plan, SortKey, VarId, Vars};
use trimorph_types::LogicalType;

use crate::late_subqueries::{Late, has_late, keeps_few, made_from, made_of, put_on, take_off};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, vars_of};

/// The pass.
pub(crate) fn late_projection(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &*planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, needed| Ok(late(plan, needed, vars)))
}

/// The same where there are subqueries that can wait: a pass that runs before they become something else, as
/// a grouping of all rows.
pub(crate) fn late_subqueries(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &*planning.vars;
    bottom_up(plan, &planning.needed, &mut |plan, needed| {
        Ok(if has_late_subqueries(&plan) { late(plan, needed, vars) } else { plan })
    })
}

fn has_late_subqueries(plan: &Plan) -> bool {
    let Plan::Sort { input, keys, limit: Some(limit), of_group: None } = plan else { return false };
    let (Plan::Project { input, items } | Plan::Extra { input, items }) = &**input else { return false };
    keeps_few(limit) && has_late(input, made_from(vars_of(keys.iter().map(|key| &key.expr)), items))
}

fn late(plan: Plan, needed: &VarSet, vars: &Vars) -> Plan {
    let Plan::Sort { input, keys, limit, of_group } = plan else { return plan };
    let few = limit.is_some() || of_group.as_ref().is_some_and(|groups| groups.exact);
    let cut = Cut { limit, of_group };
    match *input {
        Plan::Project { input, items } if few => top_k(*input, items, keys, cut, needed, vars),
        Plan::Extra { input, items } if few => top_k_beside(*input, items, keys, cut, needed, vars),
        other => cut.sort(other, keys),
    }
}

/// Which rows a sort gives.
struct Cut {
    limit: Option<Expr>,
    of_group: Option<GroupLimit>,
}

impl Cut {
    /// Takes the subqueries off the input of a projection that the order does not need.
    fn take_subqueries(&self, input: Plan, items: &[(VarId, Expr)], ordering: &VarSet) -> (Plan, Vec<Late>) {
        match &self.limit {
            Some(limit) if self.of_group.is_none() && keeps_few(limit) => {
                take_off(input, made_from(ordering.clone(), items))
            }
            _ => (input, Vec::new()),
        }
    }

    fn sort(self, input: Plan, keys: Vec<SortKey>) -> Plan {
        Plan::Sort { input: Box::new(input), keys, limit: self.limit, of_group: self.of_group }
    }
}

/// Which expressions are computed of nodes and relationships.
fn of_entities(vars: &Vars) -> impl Fn(&Expr) -> bool {
    |expr| {
        let of = vars_of([expr]);
        !matches!(expr, Expr::Var(_)) && !of.is_empty() && of.iter().all(|var| is_entity(*var, vars))
    }
}

/// Which expressions are better computed for few rows than for all.
fn can_wait(vars: &Vars) -> impl Fn(&Expr) -> bool {
    let is_of_entities = of_entities(vars);
    move |expr| is_of_entities(expr) || (goes_through_list(expr) && !calls_volatile(expr))
}

/// Whether an expression goes through the elements of a list.
fn goes_through_list(expr: &Expr) -> bool {
    let mut found =
        matches!(expr, Expr::ListComprehension { .. } | Expr::Quantifier { .. } | Expr::Reduce { .. });
    expr.for_each_child(&mut |child| found |= goes_through_list(child));
    found
}

fn is_entity(var: VarId, vars: &Vars) -> bool {
    matches!(vars.get(var).ty, LogicalType::Node | LogicalType::Relationship)
}

/// Puts properties in the place of keys that are such, where they order only what is equal by those before:
/// the sort computes them, for rows that may be among the best by the first key. Gives whether there are any.
fn ask_late(keys: &mut [SortKey], items: &[(VarId, Expr)], cut: &Cut, vars: &Vars) -> bool {
    let is_of_entities = of_entities(vars);
    let mut asks_more = false;
    let first = cut.of_group.as_ref().map_or(0, |limit| limit.first_key);
    for key in keys.iter_mut().skip(first + 1) {
        if let Expr::Var(var) = &key.expr
            && let Some((_, expr)) = items.iter().find(|(item, expr)| item == var && is_property(expr))
            && is_of_entities(expr)
        {
            key.expr = expr.clone();
            asks_more = true;
        }
    }
    asks_more
}

/// Over what is computed beside the variables that there are: these still are above the sort.
fn top_k_beside(
    input: Plan,
    items: Vec<(VarId, Expr)>,
    mut keys: Vec<SortKey>,
    cut: Cut,
    needed: &VarSet,
    vars: &Vars,
) -> Plan {
    ask_late(&mut keys, &items, &cut, vars);
    let ordering = vars_of(keys.iter().map(|key| &key.expr));
    let (input, subqueries) = cut.take_subqueries(input, &items, &ordering);
    let of_subqueries = made_of(made_by(&subqueries), &items);
    let can_wait = can_wait(vars);
    // Items may be made of each other, so that what stays takes with it what it is made of.
    let (mut early_vars, mut late_vars) = (ordering, needed.clone());
    let mut early: Vec<(VarId, Expr)> = Vec::new();
    let mut late: Vec<(VarId, Expr)> = Vec::new();
    for item in items.into_iter().rev() {
        if of_subqueries.contains(&item.0) || (!early_vars.contains(&item.0) && can_wait(&item.1)) {
            if late_vars.contains(&item.0) {
                late_vars.extend(vars_of([&item.1]));
                late.push(item);
            }
        } else {
            early_vars.extend(vars_of([&item.1]));
            early.push(item);
        }
    }
    early.reverse();
    late.reverse();
    let input = if early.is_empty() { input } else { Plan::Extra { input: Box::new(input), items: early } };
    let sorted = put_on(cut.sort(input, keys), subqueries);
    if late.is_empty() { sorted } else { Plan::Extra { input: Box::new(sorted), items: late } }
}

/// Over what is computed and nothing else.
fn top_k(
    input: Plan,
    items: Vec<(VarId, Expr)>,
    mut keys: Vec<SortKey>,
    cut: Cut,
    needed: &VarSet,
    vars: &Vars,
) -> Plan {
    let asks_more = ask_late(&mut keys, &items, &cut, vars);
    let ordering = vars_of(keys.iter().map(|key| &key.expr));
    let (input, subqueries) = cut.take_subqueries(input, &items, &ordering);
    let input = Box::new(input);
    let made = made_by(&subqueries);
    let of_subqueries = made_of(made.clone(), &items);
    let waits = can_wait(vars);
    let can_wait =
        |(var, expr): &(VarId, Expr)| of_subqueries.contains(var) || (!ordering.contains(var) && waits(expr));
    let sort = |input, items| cut.sort(Plan::Project { input, items }, keys);
    if !asks_more && !items.iter().any(can_wait) {
        return sort(input, items);
    }
    // What is asked for above, in the order it was.
    let mut late = Vec::with_capacity(items.len());
    let mut early: Vec<(VarId, Expr)> = Vec::new();
    for item in items {
        if can_wait(&item) {
            if needed.contains(&item.0) {
                late.push(item);
            }
        } else {
            if needed.contains(&item.0) {
                late.push((item.0, Expr::Var(item.0)));
            }
            early.push(item);
        }
    }
    let mut late_vars = vars_of(late.iter().map(|(_, expr)| expr));
    late_vars.extend(subqueries.iter().flat_map(Late::asked));
    late_vars.retain(|var| !made.contains(var));
    for var in ordering.iter().copied().filter(|var| is_entity(*var, vars)).chain(late_vars) {
        if early.iter().all(|(known, _)| *known != var) {
            early.push((var, Expr::Var(var)));
        }
    }
    Plan::Project { input: Box::new(put_on(sort(input, early), subqueries)), items: late }
}

/// The variables that subqueries make.
fn made_by(subqueries: &[Late]) -> VarSet {
    subqueries.iter().flat_map(Late::made).collect()
}

/// Whether an expression is a property, which cannot fail to be read.
fn is_property(expr: &Expr) -> bool {
    matches!(expr, Expr::Property(base, _, _) if matches!(**base, Expr::Var(_)))
}
