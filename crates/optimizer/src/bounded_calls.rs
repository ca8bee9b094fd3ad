//! A subquery whose pattern hangs on a node of its row, and of which a value lies within bounds of the row,
//! as the last message before a like or the number of payments of one account within an hour: `CALL (a, t) {
//! MATCH (a)-->(u) WHERE u.time <= t.time RETURN u ORDER BY u.time DESC LIMIT 1 }`. What hangs on each node
//! is found once and kept in the order of that value, by a range join; each row searches among what hangs on
//! its node.
//!
//! Without it each row looks at all that hangs on its node: of 300 likes and 300 messages of one person,
//! 90,000 pairs.
//!
//! 1. The pattern starts from the nodes that rows may have, each once. These may be more than rows have, so
//!    conditions on what rows are made of may be left out.
//! 2. Where the first rows of an order by the value are asked for, or its least or greatest, no others are
//!    given. What asks for them stays above: more than that does no harm.
//! 3. Rows that are only counted are not made: the join gives the length of a range.
//!
//! It pays where several rows share a node and much hangs on it, by statistics, and where little is given of
//! it: one bound leaves half of the pairs. Bounds and values cannot fail, as they are computed of rows that
//! may meet none.
//!
//! Source: Neumann and Kemper, "Unnesting Arbitrary Queries", BTW 2015; DuckDB's as-of joins for the search.

use trimorph_algebra::{
    Aggregate, AggregateKind, ApplyKind, Band, BandKind, EdgeRange, Expr, Op, Plan, QueryGraph, VarId, Wanted,
};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::bounds::Bounds;
use crate::call_groups::{first_rows, told_apart};
use crate::cannot_fail::cannot_fail;
use crate::degrees::{degree, rows_of};
use crate::exists_extremes::ordered_type;
use crate::heads::is_same;
use crate::moments::is_short_duration;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::tables::tables_of;
use crate::{Halt, VarSet, calls_volatile, conjunction, conjuncts, replaced, vars_of};

/// What hangs on a node, on the mean, from which on it is worth putting it in order. Chosen.
const HANGING_MIN: f64 = 4.0;

/// Bytes that a row of what hangs on a node takes while it is put in order, and the part of the room that all
/// of them may take. Where they go to files, they are read again for each vector of rows around.
const ROW_BYTES: f64 = 128.0;
const ROOM_PART: f64 = 0.5;

/// The pass over subqueries that give rows, before these become groups of all rows.
pub(crate) fn bounded_calls(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    over(plan, planning, |kind| matches!(kind, ApplyKind::Inner))
}

/// The pass over subqueries of which is asked how many rows they have, or whether any, once all that asks so
/// is known.
pub(crate) fn bounded_counts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    over(plan, planning, |kind| !matches!(kind, ApplyKind::Inner) && is_count(kind))
}

fn over(plan: Plan, planning: &mut Planning<'_>, is_meant: fn(&ApplyKind) -> bool) -> Result<Plan, Halt> {
    if plan.updates() {
        return Ok(plan);
    }
    let needed = planning.needed.clone();
    bottom_up(plan, &needed, &mut |mut plan, _| {
        if let Plan::Apply { input, subplan, kind } = &mut plan
            && is_meant(kind)
        {
            let looked = if is_count(kind) { Looked::Counted } else { Looked::All };
            bounded(input, subplan, looked, planning);
        }
        Ok(plan)
    })
}

/// Whether only the number of rows is looked at.
fn is_count(kind: &ApplyKind) -> bool {
    matches!(kind, ApplyKind::Count(_) | ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_))
}

/// What is looked at of the rows of a pattern.
pub(crate) enum Looked {
    /// All of them.
    All,
    /// How many there are.
    Counted,
    /// So many with the greatest values of an expression, or the least.
    Ends { of: Expr, last: bool, rows: u32 },
}

/// Puts a range join in the place of the pattern of a subquery, where it is one that this pass is about.
fn bounded(rows: &Plan, plan: &mut Plan, mut looked: Looked, planning: &mut Planning<'_>) {
    if let Looked::All = looked
        && let Some((_, [key, ..], count)) = first_rows(plan)
    {
        looked = Looked::Ends { of: key.expr.clone(), last: key.descending, rows: count };
        let Plan::Limit { input: sort, .. } = plan else { return };
        let Plan::Sort { input, .. } = &mut **sort else { return };
        return bounded(rows, input, looked, planning);
    }
    match plan {
        Plan::Project { input, items } | Plan::Extra { input, items } => {
            if let Looked::Ends { of, .. } = &mut looked {
                *of = replaced(std::mem::replace(of, Expr::truth()), items);
            }
            if !items.iter().any(|(_, item)| calls_volatile(item)) {
                bounded(rows, input, looked, planning);
            }
        }
        Plan::Aggregate { input, keys, aggregates } if keys.is_empty() => {
            if let (Looked::All, Some(found)) = (looked, looked_by(aggregates)) {
                bounded(rows, input, found, planning);
            }
        }
        Plan::Filter { .. } | Plan::Match { .. } => {
            if let Some(joined) = joined(rows, plan, &looked, planning) {
                *plan = joined;
            }
        }
        _ => {}
    }
}

/// What aggregates of all rows look at.
fn looked_by(aggregates: &[(VarId, Aggregate)]) -> Option<Looked> {
    let [(_, first), others @ ..] = aggregates else { return None };
    if others.is_empty() && !first.distinct && first.kind == AggregateKind::CountStar {
        return Some(Looked::Counted);
    }
    let of = first.arg.as_ref().filter(|arg| !calls_volatile(arg))?;
    let is_same = |(_, other): &(VarId, Aggregate)| {
        other.kind == first.kind && other.arg.as_ref().is_some_and(|arg| is_same(arg, of))
    };
    let last = match first.kind {
        AggregateKind::Max => true,
        AggregateKind::Min => false,
        _ => return Some(Looked::All),
    };
    match others.iter().all(is_same) {
        true => Some(Looked::Ends { of: of.clone(), last, rows: 1 }),
        false => Some(Looked::All),
    }
}

/// The range join that finds what a pattern with conditions finds for the rows of `input`.
pub(crate) fn joined(
    input: &Plan,
    pattern: &Plan,
    looked: &Looked,
    planning: &mut Planning<'_>,
) -> Option<Plan> {
    let (graph, argument, conditions) = parts(pattern)?;
    let outer: VarSet = input.vars().into_iter().collect();
    let on: Vec<VarId> = graph.nodes.iter().map(|node| node.var).filter(|var| outer.contains(var)).collect();
    let own = own_vars(graph, &outer);
    // What hangs on two nodes that rows have is little, and seldom shared.
    if on.len() != 1 || !is_tied(graph, &on) || !pays(input, graph, &on, planning) {
        return None;
    }
    // What looks at the pattern alone, and what it starts from, is asked of it.
    let is_own = |var: &VarId| own.contains(var) || on.contains(var);
    let is_outer = |var: &VarId| outer.contains(var);
    let (inner, across): (Vec<Expr>, Vec<Expr>) =
        conditions.into_iter().partition(|condition| vars_of([condition]).iter().all(is_own));
    let looks_at_own = |var: &VarId| own.contains(var);
    let Bounds { key, low, high, kind, places } =
        Bounds::of(across.iter().enumerate(), &is_outer, &looks_at_own)?;
    let rest: Vec<Expr> = (0..across.len())
        .filter(|place| !places.contains(place))
        .map(|place| across[place].clone())
        .collect();
    let wanted = match looked {
        Looked::Ends { of, last, rows } if rest.is_empty() && is_same(of, &key) => match last {
            true => Wanted::Last(*rows),
            false => Wanted::First(*rows),
        },
        _ => Wanted::All,
    };
    // Of what one bound leaves, half is made.
    let is_little = low.is_some() && high.is_some()
        || wanted != Wanted::All
        || matches!(looked, Looked::Counted) && rest.is_empty();
    let values = [&low, &high].into_iter().flatten().map(|(bound, _)| bound).chain([&key]);
    if !is_little || kind != BandKind::Between || !values.into_iter().all(|v| is_certain(v, planning)) {
        return None;
    }
    let nodes = starts(input, &on, planning)?;
    let mut items = Vec::new();
    let mut bound = |bound: Option<(Expr, bool)>, name: &str| {
        bound.map(|(expr, may_equal)| {
            let var = planning.vars.named(name, LogicalType::Any);
            items.push((var, expr));
            (var, may_equal)
        })
    };
    let (low, high) = (bound(low, "low"), bound(high, "high"));
    let band = Band { key: planning.vars.named("key", LogicalType::Any), low, high, kind, wanted };
    let mut graph = graph.clone();
    graph.predicates = inner;
    let right = Plan::Match { input: Box::new(nodes), graph };
    let right = Box::new(Plan::Extra { input: Box::new(right), items: vec![(band.key, key)] });
    let left = Box::new(Plan::Extra { input: Box::new(argument.clone()), items });
    let joined = Plan::RangeJoin { left, right, on, band };
    Some(match conjunction(rest) {
        Some(predicate) => Plan::Filter { input: Box::new(joined), predicate },
        None => joined,
    })
}

/// The pattern of a plan that is one, what it starts from, and all that is asked of it.
fn parts(mut plan: &Plan) -> Option<(&QueryGraph, &Plan, Vec<Expr>)> {
    let mut conditions = Vec::new();
    loop {
        plan = match plan {
            Plan::Filter { input, predicate } => {
                conjuncts(predicate.clone(), &mut conditions);
                input
            }
            Plan::Match { input, graph } => {
                let is_plain = matches!(**input, Plan::Argument(_))
                    && graph.edges.iter().all(|edge| edge.range == EdgeRange::One && edge.each.is_none())
                    && graph.paths.is_empty()
                    && graph.walks.is_empty()
                    && graph.counts.is_empty();
                conditions.extend(graph.predicates.iter().cloned());
                let is_certain = !conditions.iter().any(calls_volatile);
                return (is_plain && is_certain).then_some((graph, &**input, conditions));
            }
            _ => return None,
        };
    }
}

/// The variables that a pattern adds.
fn own_vars(graph: &QueryGraph, outer: &VarSet) -> VarSet {
    let nodes = graph.nodes.iter().map(|node| node.var);
    nodes.chain(graph.edges.iter().map(|edge| edge.var)).filter(|var| !outer.contains(var)).collect()
}

/// Whether all of a pattern hangs on some of its nodes.
fn is_tied(graph: &QueryGraph, nodes: &[VarId]) -> bool {
    let mut tied: VarSet = nodes.iter().copied().collect();
    loop {
        let before = tied.len();
        for edge in &graph.edges {
            if tied.contains(&edge.from) || tied.contains(&edge.to) {
                tied.extend([edge.from, edge.to]);
            }
        }
        if tied.len() == before {
            return graph.nodes.iter().all(|node| tied.contains(&node.var));
        }
    }
}

/// Whether several rows share a node, and much hangs on it.
fn pays(input: &Plan, graph: &QueryGraph, on: &[VarId], planning: &Planning<'_>) -> bool {
    if told_apart(input).is_some_and(|keys| keys.iter().all(|key| on.contains(key))) {
        return false;
    }
    let mut whole = graph.clone();
    for node in graphs_of(input).into_iter().flat_map(|graph| &graph.nodes) {
        if on.contains(&node.var) {
            whole.nodes.retain(|own| own.var != node.var);
            whole.nodes.push(node.clone());
        }
    }
    let tables = tables_of(planning.catalog, &whole);
    let of = |var: VarId| tables.get(&var).map_or(&[][..], Vec::as_slice);
    graph.edges.iter().any(|edge| {
        let (from, to) = (of(edge.from), of(edge.to));
        let hanging = match (on.contains(&edge.from), on.contains(&edge.to)) {
            (true, false) => degree(planning.catalog, edge, from, to, false),
            (false, true) => degree(planning.catalog, edge, to, from, true),
            _ => 0.0,
        };
        let rows = rows_of(planning.catalog, if on.contains(&edge.from) { from } else { to });
        let fits = hanging * rows * ROW_BYTES <= planning.options.room_bytes as f64 * ROOM_PART;
        hanging >= HANGING_MIN && fits
    })
}

/// The patterns that rows are made of.
fn graphs_of(mut plan: &Plan) -> Vec<&QueryGraph> {
    let mut graphs = Vec::new();
    loop {
        if let Plan::Match { graph, .. } = plan {
            graphs.push(graph);
        }
        plan = match plan.children()[..] {
            [input, ..] => input,
            _ => return graphs,
        };
    }
}

/// Whether a value or a bound is one, or null, of each row: a point in time, too, that is moved by what is
/// written.
fn is_certain(expr: &Expr, planning: &Planning<'_>) -> bool {
    let is_moved = || {
        let Expr::Op(Op::Add | Op::Sub, parts, _) = expr else { return false };
        let [point, duration] = &parts[..] else { return false };
        is_moment(point, planning.catalog) && cannot_fail(point, planning.vars) && is_short_duration(duration)
    };
    cannot_fail(expr, planning.vars) || is_moved()
}

/// Whether an expression is a property that has nothing but moments.
fn is_moment(expr: &Expr, catalog: &CatalogView<'_>) -> bool {
    let Expr::Property(_, name, _) = expr else { return false };
    matches!(ordered_type(name, catalog), Some(LogicalType::DateTime | LogicalType::LocalDateTime))
}

/// The nodes that rows may have, each combination once, and maybe more: those that the pattern has which the
/// rows are made of.
fn starts(input: &Plan, on: &[VarId], planning: &Planning<'_>) -> Option<Plan> {
    let mut names: Vec<(VarId, VarId)> = on.iter().map(|var| (*var, *var)).collect();
    let mut plan = input;
    let found = loop {
        let renamed = |names: &[(VarId, VarId)], items: &[(VarId, Expr)]| {
            let below = |name: VarId| match items.iter().find(|(var, _)| *var == name)?.1 {
                Expr::Var(below) => Some(below),
                _ => None,
            };
            names.iter().map(|(var, name)| Some((*var, below(*name)?))).collect::<Option<Vec<_>>>()
        };
        plan = match plan {
            Plan::Filter { input, .. } | Plan::Distinct { input, .. } => input,
            Plan::Sort { input, limit: None, of_group: None, .. } => input,
            Plan::Apply { input, .. } | Plan::Extra { input, .. } => input,
            Plan::Project { input, items } | Plan::Aggregate { input, keys: items, .. } => {
                names = renamed(&names, items)?;
                input
            }
            Plan::Match { graph, input } => {
                let is_alone = matches!(**input, Plan::Unit) && !graph.predicates.iter().any(calls_volatile);
                if !is_alone || !names.iter().all(|(_, name)| graph.nodes.iter().any(|n| n.var == *name)) {
                    return None;
                }
                break plan.clone();
            }
            _ => return None,
        };
    };
    // Conditions right above the pattern are part of it, mostly: it is these that leave few nodes.
    let found = with_conditions(input, found, planning);
    let items = names.iter().map(|(var, name)| (*var, Expr::Var(*name))).collect();
    let named = Plan::Project { input: Box::new(found), items };
    Some(Plan::Distinct { input: Box::new(named), vars: on.to_vec() })
}

/// A pattern with the conditions that stand on it in a plan.
fn with_conditions(plan: &Plan, pattern: Plan, planning: &Planning<'_>) -> Plan {
    let mut conditions = Vec::new();
    let mut at = plan;
    loop {
        at = match at {
            Plan::Filter { input, predicate } => {
                conditions.push(predicate);
                input
            }
            Plan::Match { .. } => break,
            other => {
                conditions.clear();
                match other.children()[..] {
                    [input, ..] => input,
                    _ => break,
                }
            }
        };
    }
    let can = |predicate: &&&Expr| !calls_volatile(predicate) && cannot_fail(predicate, planning.vars);
    conditions.iter().filter(can).fold(pattern, |input, predicate| Plan::Filter {
        input: Box::new(input),
        predicate: (*predicate).clone(),
    })
}
