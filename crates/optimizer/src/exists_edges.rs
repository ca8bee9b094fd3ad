//! `MATCH (f)-->(m) WHERE EXISTS { (m)-->(p) }`: a condition that asks for relationships between nodes which
//! are there becomes part of the pattern around it. The pattern is then planned as one: from `p` as well as
//! from `f`, and not by finding every `m` first.
//!
//! Invariant: each row of the pattern around then comes as often as there are such relationships, and not at
//! all where there are none. So a condition is taken in
//!
//! * where it does not matter how often rows come (`how_often`)
//! * where there is one such relationship at most, since one of its ends has no more
//! * where rows are counted, with a `Distinct` of the rows as they were
//!
//! A pattern that finds further nodes is left alone: a row would come once for each of them.

use trimorph_algebra::{ApplyKind, Direction, EdgePattern, EdgeRange, Plan, QueryGraph, VarId};
use trimorph_catalog::CatalogView;

use crate::how_often::keeps;
use crate::planning::Planning;
use crate::tables::edge_tables;
use crate::{Halt, VarSet, calls_volatile, vars_of};

/// The pass.
pub(crate) fn exists_edges(mut plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let catalog = planning.catalog;
    let mut left = vec![(&mut plan, false)];
    while let Some((plan, once)) = left.pop() {
        while is_taken_in(plan, once, catalog) {
            take_in(plan);
        }
        if let Plan::Apply { subplan, kind: ApplyKind::Count(_), .. } = plan {
            tell_apart(subplan, catalog);
        }
        let keeps = keeps(plan, once);
        left.extend(plan.children_mut().into_iter().zip(keeps));
    }
    Ok(plan)
}

/// Whether a plan is rows and such a condition on them.
fn is_taken_in(plan: &Plan, once: bool, catalog: &CatalogView<'_>) -> bool {
    let Plan::Apply { input, subplan, kind: ApplyKind::Semi } = plan else { return false };
    edges(subplan, input)
        .is_some_and(|edges| once || edges.iter().all(|edge| joins_a_pair_once(edge, catalog)))
}

/// Puts the condition of such a plan into its rows.
fn take_in(plan: &mut Plan) {
    if let Plan::Apply { input, subplan, .. } = plan {
        let input = std::mem::replace(&mut **input, Plan::Unit);
        let condition = std::mem::replace(&mut **subplan, Plan::Unit);
        *plan = over(condition, input);
    }
}

/// Where a pattern that is counted has a condition which would make rows come more than once: its rows are
/// told apart by the nodes and relationships that it finds, and then the condition may do so.
fn tell_apart(mut plan: &mut Plan, catalog: &CatalogView<'_>) {
    let mut asked = VarSet::new();
    while let Plan::Project { input, items } = plan {
        asked.extend(vars_of(items.iter().map(|(_, expr)| expr)));
        plan = input;
    }
    if repeats(plan, catalog)
        && let Some((mut vars, outer)) = found_by(plan)
    {
        // Of one row around there is one value of each.
        vars.extend(outer.iter().filter(|var| asked.contains(var)));
        let input = Box::new(std::mem::replace(plan, Plan::Unit));
        *plan = Plan::Distinct { input, vars };
    }
}

/// Whether conditions on a pattern are such as are taken in only where it does not matter how often rows
/// come.
fn repeats(mut plan: &Plan, catalog: &CatalogView<'_>) -> bool {
    loop {
        if is_taken_in(plan, true, catalog) && !is_taken_in(plan, false, catalog) {
            return true;
        }
        plan = match plan {
            Plan::Filter { input, .. } | Plan::Apply { input, .. } => input,
            _ => return false,
        };
    }
}

/// What tells the rows of a pattern apart, with conditions on them: all that it finds; and the variables of
/// the row around.
fn found_by(mut plan: &Plan) -> Option<(Vec<VarId>, &[VarId])> {
    loop {
        plan = match plan {
            Plan::Filter { input, predicate } if !calls_volatile(predicate) => input,
            Plan::Apply { input, kind: ApplyKind::Semi | ApplyKind::Anti, .. } => input,
            Plan::Match { input, graph } => {
                let Plan::Argument(outer) = &**input else { return None };
                let is_one = |edge: &EdgePattern| edge.range == EdgeRange::One;
                let nodes = graph.nodes.iter().map(|node| node.var);
                let found = nodes.chain(graph.edges.iter().map(|edge| edge.var));
                let found: Vec<VarId> = found.filter(|var| !outer.contains(var)).collect();
                let is_told = graph.edges.iter().all(is_one) && graph.paths.is_empty();
                return (is_told && !found.is_empty()).then_some((found, outer));
            }
            _ => return None,
        };
    }
}

/// Whether there is one such relationship at most from one node to another.
fn joins_a_pair_once(edge: &EdgePattern, catalog: &CatalogView<'_>) -> bool {
    let tables = edge_tables(catalog, edge);
    let mut sources: Vec<_> = tables.iter().map(|table| catalog.source(*table)).collect();
    sources.sort_unstable();
    edge.direction != Direction::Both
        && sources.is_sorted_by(|a, b| a < b)
        && tables.iter().all(|table| {
            catalog.is_single(*table)
                || catalog.targets(*table).all(|target| catalog.is_single_into(*table, target))
        })
}

/// The pattern that a condition asks for, below what it gives of it, at which nobody looks, and further
/// conditions.
fn pattern(mut plan: &Plan) -> Option<&QueryGraph> {
    while let Plan::Project { input, .. } = plan {
        plan = input;
    }
    loop {
        plan = match plan {
            Plan::Filter { input, predicate } if !calls_volatile(predicate) => input,
            Plan::Match { input, graph } if matches!(**input, Plan::Argument(_)) => return Some(graph),
            _ => return None,
        };
    }
}

/// The relationships between nodes of `input` that a condition asks for, if that is all it asks for.
fn edges<'c>(condition: &'c Plan, input: &Plan) -> Option<&'c [EdgePattern]> {
    let graph = pattern(condition)?;
    let there: VarSet = input.vars().into_iter().collect();
    let is_asked = graph.nodes.iter().all(|node| there.contains(&node.var))
        && graph.edges.iter().all(|edge| edge.range == EdgeRange::One && !there.contains(&edge.var))
        && !graph.predicates.iter().any(calls_volatile);
    is_asked.then_some(&graph.edges)
}

/// The pattern of a condition, and what is asked of it, over other rows.
fn over(condition: Plan, input: Plan) -> Plan {
    let (mut left, mut predicates) = (condition, Vec::new());
    loop {
        left = match left {
            Plan::Project { input, .. } => *input,
            Plan::Filter { input, predicate } => {
                predicates.push(predicate);
                *input
            }
            Plan::Match { graph, .. } => {
                let pattern = Plan::Match { input: Box::new(input), graph };
                return predicates
                    .into_iter()
                    .rev()
                    .fold(pattern, |plan, predicate| Plan::Filter { input: Box::new(plan), predicate });
            }
            // `pattern` has found one.
            _ => return input,
        };
    }
}
