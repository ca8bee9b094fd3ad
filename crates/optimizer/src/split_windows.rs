//! Pairs of what hangs on one node, of which one lies within bounds of the other, as two payments of an
//! account within an hour: `MATCH (a)-[x:PAYS]->(), (a)-[y:PAYS]->() WHERE x.time < y.time AND y.time <
//! x.time + duration('PT1H')`. The pattern is cut at the node, and its parts are put together by a range join
//! (`bounded_calls`): no pairs are made but those within the bounds.
//!
//! Where nothing of one part is looked at, its rows are counted, and one bound will do.
//!
//! Invariant: conditions on both parts that are no bounds are asked of the pairs that the join makes. Edges
//! of both parts that could be the same one keep a pattern whole.

use std::collections::BTreeMap;

use trimorph_algebra::{Expr, Op, Plan, QueryGraph, VarId};

use crate::bounded_calls::{Looked, joined};
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, vars_of};

/// Edges up to which a pattern is looked at: each of its nodes may be where it is cut.
const EDGES_MAX: usize = 64;

/// The pass.
pub(crate) fn split_windows(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    if plan.updates() {
        return Ok(plan);
    }
    let needed = planning.needed.clone();
    bottom_up(plan, &needed, &mut |plan, needed| {
        if let Plan::Match { input, graph } = &plan
            && matches!(**input, Plan::Unit)
            && may_have_bounds(graph)
            && let Some(split) = split(graph, needed, planning)
        {
            return Ok(split);
        }
        Ok(plan)
    })
}

/// Whether a condition compares what two nodes or edges have.
fn may_have_bounds(graph: &QueryGraph) -> bool {
    let is_bound = |predicate: &Expr| {
        matches!(predicate, Expr::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge, ..))
            && vars_of([predicate]).len() == 2
    };
    (2..=EDGES_MAX).contains(&graph.edges.len()) && graph.predicates.iter().any(is_bound)
}

/// The pattern cut at one of its nodes, where a part lies within bounds of the others.
fn split(graph: &QueryGraph, needed: &VarSet, planning: &mut Planning<'_>) -> Option<Plan> {
    graph.nodes.iter().find_map(|node| {
        let parts = parts_without(graph, node.var);
        (parts.len() > 1)
            .then_some(parts)?
            .iter()
            .find_map(|part| cut(graph, node.var, part, needed, planning))
    })
}

/// The parts that a pattern falls into without a node: their nodes.
fn parts_without(graph: &QueryGraph, node: VarId) -> Vec<VarSet> {
    let mut part_of: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut parts: Vec<VarSet> = Vec::new();
    for own in graph.nodes.iter().map(|own| own.var).filter(|own| *own != node) {
        part_of.insert(own, parts.len());
        parts.push(VarSet::from([own]));
    }
    for edge in &graph.edges {
        if let (Some(a), Some(b)) = (part_of.get(&edge.from).copied(), part_of.get(&edge.to).copied())
            && a != b
        {
            let moved = std::mem::take(&mut parts[b]);
            for var in &moved {
                part_of.insert(*var, a);
            }
            parts[a].extend(moved);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The pattern with a part of it cut off at a node.
fn cut(
    graph: &QueryGraph,
    node: VarId,
    part: &VarSet,
    needed: &VarSet,
    planning: &mut Planning<'_>,
) -> Option<Plan> {
    let edges = graph.edges.iter().filter(|edge| part.contains(&edge.from) || part.contains(&edge.to));
    let mut own = part.clone();
    own.extend(edges.map(|edge| edge.var));
    let is_across = |(a, b): &(VarId, VarId)| own.contains(a) != own.contains(b);
    if graph.distinct.iter().any(is_across) || !graph.paths.is_empty() {
        return None;
    }
    let of_part = |is_part: bool| {
        let mut kept = graph.clone();
        kept.nodes.retain(|kept| kept.var == node || own.contains(&kept.var) == is_part);
        kept.edges.retain(|edge| own.contains(&edge.var) == is_part);
        kept.distinct.retain(|(edge, _)| own.contains(edge) == is_part);
        kept.tables.retain(|var, _| *var == node || own.contains(var) == is_part);
        kept
    };
    let (mut others, mut cut) = (of_part(false), of_part(true));
    others.predicates.retain(|predicate| vars_of([predicate]).is_disjoint(&own));
    cut.predicates.retain(|predicate| {
        let vars = vars_of([predicate]);
        !vars.is_disjoint(&own) || vars.iter().all(|var| *var == node)
    });
    let looked = if needed.is_disjoint(&own) { Looked::Counted } else { Looked::All };
    let others = Plan::Match { input: Box::new(Plan::Unit), graph: others };
    let argument = Plan::Argument(others.vars());
    let pattern = Plan::Match { input: Box::new(argument), graph: cut };
    let mut joined = joined(&others, &pattern, &looked, planning)?;
    put_below(&mut joined, others);
    Some(joined)
}

/// Puts rows in the place of the argument that a range join starts from.
fn put_below(mut plan: &mut Plan, rows: Plan) {
    loop {
        plan = match plan {
            Plan::Filter { input, .. } | Plan::Extra { input, .. } => input,
            Plan::RangeJoin { left, .. } => left,
            argument => {
                *argument = rows;
                return;
            }
        };
    }
}
