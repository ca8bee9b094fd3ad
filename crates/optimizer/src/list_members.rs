//! A pattern that begins anywhere, of which a node is in a list of nodes that rows bring, as `WITH a,
//! collect(b) AS friends MATCH (x)-[:KNOWS]->(y) WHERE x IN friends AND y IN friends`, begins at the nodes of
//! the list: they become rows, each once, instead of all nodes being compared with the list of each row.
//!
//! Not where the pattern begins at a node that rows bring anyhow, or at one of few; and not where there is
//! one list of very many, which nodes are compared with by a set.

use trimorph_algebra::{Expr, Op, Plan, QueryGraph, VarId, Vars};
use trimorph_base::Span;

use crate::listed_nodes::listed_nodes;
use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::{Statistics, anchors};
use crate::tables::tables_of;
use crate::{Halt, VarSet, conjuncts, vars_of};

/// The pass.
pub(crate) fn list_members(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let known = planning.statistics();
    let vars = &*planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Match { input, graph } = &mut plan
            && let Some((list, node)) = take_member(graph, input, known, vars)
        {
            let below = Box::new(std::mem::replace(&mut **input, Plan::Unit));
            **input = Plan::Unwind { input: below, list, var: node };
        }
        Ok(plan)
    })
}

/// Takes the condition off a pattern that a node is in a list; gives the list, each element once, and the
/// node.
fn take_member(
    graph: &mut QueryGraph,
    input: &Plan,
    known: Statistics<'_>,
    vars: &Vars,
) -> Option<(Expr, VarId)> {
    if matches!(input, Plan::Unit) || graph.predicates.is_empty() || writes(input) {
        return None;
    }
    let bound: VarSet = input.vars().into_iter().collect();
    let mut parts = Vec::with_capacity(graph.predicates.len());
    graph.predicates.iter().for_each(|predicate| conjuncts(predicate.clone(), &mut parts));
    let begins_at_rows = graph.nodes.iter().any(|node| bound.contains(&node.var))
        || graph.edges.iter().any(|edge| bound.contains(&edge.var))
        || parts.iter().any(|part| is_join(part, &bound));
    if begins_at_rows || anchors(known, graph, &tables_of(known.catalog, graph)).next().is_some() {
        return None;
    }
    let (place, list, node) = parts.iter().enumerate().find_map(|(place, part)| {
        let Expr::Op(Op::In, args, _) = part else { return None };
        let [Expr::Var(node), list] = &args[..] else { return None };
        let is_of_rows = vars_of([list]).is_subset(&bound) && !bound.contains(node);
        let nodes = listed_nodes(list, input, vars).filter(|_| is_of_rows)?;
        if nodes.alone && !begins_at_few(nodes.rows, known) {
            return None;
        }
        let list = match nodes.distinct {
            true => list.clone(),
            false => Expr::Call("coll.distinct".into(), vec![list.clone()], Span::default()),
        };
        graph.nodes.iter().any(|own| own.var == *node).then_some((place, list, *node))
    })?;
    parts.remove(place);
    graph.predicates = parts;
    Some((list, node))
}

/// Whether rows come from a pattern that begins at a node of few.
fn begins_at_few(mut plan: &Plan, known: Statistics<'_>) -> bool {
    loop {
        plan = match plan {
            Plan::Match { graph, .. } => {
                return anchors(known, graph, &tables_of(known.catalog, graph)).next().is_some();
            }
            Plan::Limit { .. } => return true,
            Plan::Filter { input, .. }
            | Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Distinct { input, .. } => input,
            _ => return false,
        }
    }
}

/// Whether a condition compares what rows bring with what the pattern finds: then they are joined by it.
fn is_join(part: &Expr, bound: &VarSet) -> bool {
    let Expr::Op(Op::Eq, args, _) = part else { return false };
    let sides: Vec<VarSet> = args.iter().map(|side| vars_of([side])).collect();
    let is_of_rows = |side: &VarSet| !side.is_empty() && side.is_subset(bound);
    let is_of_pattern = |side: &VarSet| !side.is_empty() && side.is_disjoint(bound);
    sides.iter().any(is_of_rows) && sides.iter().any(is_of_pattern)
}

/// Whether a plan changes the graph: then a list may have nodes that are there no longer.
fn writes(plan: &Plan) -> bool {
    let mut waiting = vec![plan];
    while let Some(plan) = waiting.pop() {
        if matches!(plan, Plan::Update { .. } | Plan::Merge { .. }) {
            return true;
        }
        waiting.extend(plan.children());
    }
    false
}
