//! `EXISTS { … }` and `COUNT { … }` of two nodes of the rows, where many rows share one of the two: the
//! pattern is followed once from each node that is shared, to whatever it reaches, and each pair is looked up
//! among what was found.
//!
//! Row by row the pattern is followed from both ends, which reads less for one pair and the same again for
//! the next: sixteen friends of a person were each compared with all that the person had replied to.

use trimorph_algebra::{Expr, Plan, QueryGraph, VarId};

use crate::estimate::Estimate;
use crate::replaced;
use crate::selectivity::Statistics;

/// Operators of the rows that are looked at for where a node is found: for each, variables are collected.
const OPERATORS_MAX: usize = 64;

/// A pattern with another variable in the place of one of its nodes.
pub(super) fn renamed(mut graph: QueryGraph, node: VarId, new: VarId) -> QueryGraph {
    let rename = |var: &mut VarId| {
        if *var == node {
            *var = new;
        }
    };
    graph.nodes.iter_mut().for_each(|n| rename(&mut n.var));
    graph.edges.iter_mut().for_each(|edge| [&mut edge.from, &mut edge.to].into_iter().for_each(rename));
    let items = [(node, Expr::Var(new))];
    graph.predicates = graph.predicates.into_iter().map(|predicate| replaced(predicate, &items)).collect();
    if let Some(tables) = graph.tables.remove(&node) {
        graph.tables.insert(new, tables);
    }
    graph
}

/// Whether a plan goes from its argument from step to step: then all rows go through it at once.
pub(super) fn is_followed(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Argument(_) => return true,
            Plan::Extend { input, .. }
            | Plan::ExtendInto { input, .. }
            | Plan::Intersect { input, .. }
            | Plan::SemiJoin { input, .. }
            | Plan::Filter { input, .. } => input,
            _ => return false,
        }
    }
}

/// About how many different nodes a variable of a plan's rows is, at most: no more than any operator has rows
/// from where the node is found on.
pub(super) fn different(mut plan: &Plan, mut var: VarId, known: Statistics<'_>) -> f64 {
    let rows = Estimate::of_each(plan, known);
    let (mut least, mut place) = (f64::INFINITY, 0);
    for _ in 0..OPERATORS_MAX {
        least = rows.get(place).map_or(least, |rows| least.min(*rows));
        place += 1;
        plan = match plan {
            Plan::Project { input, items } | Plan::Aggregate { input, keys: items, .. } => {
                let item = items.iter().find(|(item, _)| *item == var);
                let Some((_, Expr::Var(below))) = item else { return least };
                var = *below;
                input
            }
            Plan::HashJoin { left, right, .. } | Plan::RangeJoin { left, right, .. } => {
                if left.vars().contains(&var) {
                    left
                } else {
                    place += count(left);
                    right
                }
            }
            other => match other.children()[..] {
                [input, ..] if input.vars().contains(&var) => input,
                _ => return least,
            },
        }
    }
    least
}

/// Operators of a plan.
fn count(plan: &Plan) -> usize {
    let (mut left, mut count) = (vec![plan], 0);
    while let Some(plan) = left.pop() {
        count += 1;
        left.extend(plan.children());
    }
    count
}
