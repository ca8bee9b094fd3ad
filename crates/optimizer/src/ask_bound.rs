//! What a pattern asks of nodes that the rows before it bring becomes predicates: nothing scans for these
//! nodes. What it asks by a function that gives another answer each time is asked of its rows when they
//! are whole.

use trimorph_algebra::{Expr, LabelExpr, Op, Plan, QueryGraph};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, calls_volatile, conjunction, conjuncts};

/// The pass. Predicates are split at `AND` on the way, so that each can be placed by itself.
pub(crate) fn ask_bound(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Match { input, graph } = &mut plan {
            let mut parts = Vec::with_capacity(graph.predicates.len());
            std::mem::take(&mut graph.predicates).into_iter().for_each(|p| conjuncts(p, &mut parts));
            let (whole, parts) = parts.into_iter().partition(calls_volatile);
            graph.predicates = parts;
            let bound: VarSet = input.vars().into_iter().collect();
            if !bound.is_empty() {
                ask(graph, &bound);
            }
            if let Some(predicate) = conjunction(whole) {
                plan = Plan::Filter { input: Box::new(plan), predicate };
            }
        }
        Ok(plan)
    })
}

fn ask(graph: &mut QueryGraph, bound: &VarSet) {
    let QueryGraph { nodes, edges, predicates, .. } = graph;
    for node in nodes.iter().filter(|n| bound.contains(&n.var) && n.labels != LabelExpr::True) {
        predicates.push(Expr::HasLabel(Box::new(Expr::Var(node.var)), node.labels.clone()));
    }
    // A null from an optional match before is no node: edges find nothing at it, a node alone must be asked.
    let ends: VarSet = edges.iter().flat_map(|e| [e.from, e.to]).collect();
    for node in nodes.iter().filter(|n| bound.contains(&n.var) && !ends.contains(&n.var)) {
        predicates.push(Expr::op(Op::IsNotNull, vec![Expr::Var(node.var)]));
    }
}
