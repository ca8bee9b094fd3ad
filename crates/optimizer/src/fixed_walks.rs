//! A walk of a fixed number of edges becomes so many edges: `(a)-[:T*2..2]->(b)` is `(a)-[:T]->()-[:T]->(b)`.
//!
//! Then its steps are ordered by cost, met from both ends, counted without being made and kept as lists like
//! those of any pattern. It is done where nobody looks at the list of the edges, and
//!
//! 1. for one or two edges;
//! 2. for more where both ends are known: half of the way from each end is little beside all of it from one;
//! 3. for three that are only counted, from everywhere: `count_trails` does that without making them.
//!
//! Elsewhere walking is faster: it tells edges apart as it goes.

use std::collections::HashMap;

use trimorph_algebra::{
    EdgePattern, EdgeRange, LabelExpr, NodePattern, PathStep, Plan, QueryGraph, VarId, Vars,
};
use trimorph_types::LogicalType;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::anchors;
use crate::tables::tables_of;
use crate::walks::renamed;
use crate::{Halt, VarSet, vars_of};

/// Edges of a walk up to which it is written out anyhow.
const SHORT: u32 = 2;
/// Those that `count_trails` can count: as many pairs of edges as it takes.
const COUNTED: u32 = 3;
/// Those between two known ends.
const LONG: u32 = 6;
/// Edges of a pattern up to which its walks are written out: pairs to tell apart grow with the square.
const PATTERN_MAX: usize = 32;

/// The pass.
pub(crate) fn fixed_walks(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let known = planning.statistics();
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, needed| {
        if let Plan::Match { input, graph } = &mut plan
            && graph.edges.len() <= PATTERN_MAX
        {
            let longest = graph.edges.iter().filter_map(fixed).max();
            if let Some(longest) = longest {
                let of_few = match longest {
                    ..=SHORT => VarSet::new(),
                    _ => {
                        anchors(known, graph, &tables_of(known.catalog, graph)).chain(input.vars()).collect()
                    }
                };
                write_out(graph, needed, &of_few, vars);
            }
        }
        Ok(plan)
    })
}

/// The number of edges of a walk that has always as many, a few.
fn fixed(edge: &EdgePattern) -> Option<u32> {
    match edge.range {
        EdgeRange::Variable { min, max: Some(max), shortest: None }
            if min == max && (1..=LONG).contains(&min) && edge.whole.is_empty() =>
        {
            Some(min)
        }
        _ => None,
    }
}

/// Whether steps are less work than a walk of so many; `of_few` are nodes that are bound or one of few.
fn pays(walk: &EdgePattern, len: u32, needed: &VarSet, of_few: &VarSet) -> bool {
    len <= SHORT
        || (of_few.contains(&walk.from) && of_few.contains(&walk.to))
        || (len <= COUNTED && needed.is_empty() && of_few.is_empty())
}

fn write_out(graph: &mut QueryGraph, needed: &VarSet, of_few: &VarSet, vars: &mut Vars) {
    let mut looked_at = vars_of(&graph.predicates);
    looked_at.extend(graph.edges.iter().flat_map(|edge| vars_of(edge.each.iter().map(|(_, each)| each))));
    looked_at.extend(graph.edges.iter().flat_map(|edge| vars_of(&edge.whole)));
    // A path of which only parts were asked is not made.
    graph.paths.retain(|path| looked_at.contains(&path.var) || needed.contains(&path.var));
    looked_at.extend(graph.paths.iter().flat_map(|path| &path.steps).filter_map(|step| match step {
        PathStep::Edge(var) => Some(*var),
        PathStep::Node(_) => None,
    }));
    // What each walk became.
    let mut edges_of: HashMap<VarId, Vec<VarId>> = HashMap::new();
    for walk in std::mem::take(&mut graph.edges) {
        let is_looked_at = looked_at.contains(&walk.var) || needed.contains(&walk.var);
        let wanted = |len: &u32| !is_looked_at && pays(&walk, *len, needed, of_few);
        let Some(len) = fixed(&walk).filter(wanted) else {
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
