//! A walk of a fixed number of edges becomes so many edges: `(a)-[:T*2..2]->(b)` is `(a)-[:T]->()-[:T]->(b)`.
//!
//! Then its steps are ordered by cost, met from both ends, counted without being made and kept as lists like
//! those of any pattern. It is done where nobody looks at the list of the edges, for short walks; in a long
//! one most of the work is to tell its edges apart, and walking does that as it goes.

use std::collections::HashMap;

use trimorph_algebra::{
    EdgePattern, EdgeRange, LabelExpr, NodePattern, PathStep, Plan, QueryGraph, VarId, Vars,
};
use trimorph_types::LogicalType;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::walks::renamed;
use crate::{Halt, VarSet, vars_of};

/// Edges up to which a walk is short.
const SHORT: u32 = 4;

/// The pass.
pub(crate) fn fixed_walks(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, needed| {
        if let Plan::Match { graph, .. } = &mut plan
            && graph.edges.iter().any(|edge| fixed(edge).is_some())
        {
            write_out(graph, needed, vars);
        }
        Ok(plan)
    })
}

/// The number of edges of a walk that has always as many, a few.
fn fixed(edge: &EdgePattern) -> Option<u32> {
    match edge.range {
        EdgeRange::Variable { min, max: Some(max), shortest: None }
            if min == max && (1..=SHORT).contains(&min) && edge.whole.is_empty() =>
        {
            Some(min)
        }
        _ => None,
    }
}

fn write_out(graph: &mut QueryGraph, needed: &VarSet, vars: &mut Vars) {
    let mut looked_at = vars_of(&graph.predicates);
    looked_at.extend(graph.edges.iter().flat_map(|edge| vars_of(edge.each.iter().map(|(_, each)| each))));
    looked_at.extend(graph.edges.iter().flat_map(|edge| vars_of(&edge.whole)));
    looked_at.extend(graph.paths.iter().flat_map(|path| &path.steps).filter_map(|step| match step {
        PathStep::Edge(var) => Some(*var),
        PathStep::Node(_) => None,
    }));
    // What each walk became.
    let mut edges_of: HashMap<VarId, Vec<VarId>> = HashMap::new();
    for walk in std::mem::take(&mut graph.edges) {
        let is_looked_at = looked_at.contains(&walk.var) || needed.contains(&walk.var);
        let Some(len) = fixed(&walk).filter(|_| !is_looked_at && !graph.walks.contains_key(&walk.var)) else {
            graph.edges.push(walk);
            continue;
        };
        let (mut from, mut edges) = (walk.from, Vec::new());
        for step in 1..=len {
            let to = if step == len { walk.to } else { vars.anonymous(LogicalType::Node) };
            if step < len {
                graph.nodes.push(NodePattern { var: to, labels: LabelExpr::True });
            }
            let var = vars.anonymous(LogicalType::Relationship);
            let each = walk.each.iter().map(|(each, condition)| renamed(condition.clone(), *each, var));
            graph.predicates.extend(each);
            let (types, direction) = (walk.types.clone(), walk.direction);
            let (each, whole) = (None, Vec::new());
            graph.edges.push(EdgePattern {
                var,
                from,
                to,
                types,
                direction,
                range: EdgeRange::One,
                each,
                whole,
            });
            edges.push(var);
            from = to;
        }
        let pairs = edges.iter().enumerate().flat_map(|(i, a)| edges[..i].iter().map(|b| (*b, *a)));
        graph.distinct.extend(pairs);
        edges_of.insert(walk.var, edges);
    }
    for (a, b) in std::mem::take(&mut graph.distinct) {
        let [of_a, of_b] = [a, b].map(|var| edges_of.get(&var).cloned().unwrap_or_else(|| vec![var]));
        graph.distinct.extend(of_a.iter().flat_map(|a| of_b.iter().map(|b| (*a, *b))));
    }
}
