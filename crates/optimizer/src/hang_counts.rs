//! Leaves that nobody looks at become counting steps that hang at their neighbour.
//!
//! A node is such a leaf when it is not needed above, has one edge (a single one that is not needed either and need not differ
//! from another edge), and no predicate but on that edge. Taken off, its neighbour may become a leaf in turn: a whole acyclic
//! pattern under `count(*)` becomes one scan with a tree of counts. Counts below the first step are made for all nodes of a
//! table, so steps nest only where the pattern is not anchored at a few nodes.
//!
//! Source: GF-CL §6.2 (counting without enumerating), generalised.

use trimorph_algebra::{CountStep, Direction, EdgePattern, EdgeRange, Extend, QueryGraph, VarId};

use crate::plan_match::and;
use crate::tables::Tables;
use crate::{VarSet, vars_of};

/// Takes leaves off `graph`; gives the steps that hang at each remaining node.
pub(crate) fn hang_counts(
    graph: &mut QueryGraph,
    needed: &VarSet,
    bound: &VarSet,
    tables: &Tables,
    anchored: bool,
) -> Vec<(VarId, CountStep)> {
    let mut hanging: Vec<(VarId, CountStep)> = Vec::new();
    while graph.nodes.len() > 1 {
        let Some((node, edge)) = find_leaf(graph, needed, bound, &hanging, anchored) else { break };
        let pattern = graph.edges.remove(edge);
        graph.nodes.retain(|n| n.var != node);
        let mut predicates = Vec::new();
        graph.predicates.retain(|p| {
            let mine = vars_of([p]).contains(&pattern.var);
            if mine {
                predicates.push(p.clone());
            }
            !mine
        });
        let (next, rest) = hanging.into_iter().partition::<Vec<_>, _>(|(at, _)| *at == node);
        hanging = rest;
        let from = other_end(&pattern, node);
        let step = Extend {
            from,
            edge: (!predicates.is_empty()).then_some(pattern.var),
            to: node,
            types: pattern.types.clone(),
            direction: if pattern.from == from { pattern.direction } else { pattern.direction.reversed() },
            to_tables: tables.get(&node).cloned(),
        };
        let predicate = predicates.into_iter().reduce(and);
        hanging.push((from, CountStep { step, predicate, next: next.into_iter().map(|(_, s)| s).collect() }));
    }
    hanging
}

fn other_end(edge: &EdgePattern, node: VarId) -> VarId {
    if edge.from == node { edge.to } else { edge.from }
}

fn find_leaf(
    graph: &QueryGraph,
    needed: &VarSet,
    bound: &VarSet,
    hanging: &[(VarId, CountStep)],
    anchored: bool,
) -> Option<(VarId, usize)> {
    let candidates = graph.nodes.iter().filter_map(|node| {
        let v = node.var;
        let loaded = hanging.iter().any(|(at, _)| *at == v);
        if needed.contains(&v) || bound.contains(&v) || (anchored && loaded) {
            return None;
        }
        let mut incident = graph.edges.iter().enumerate().filter(|(_, e)| e.from == v || e.to == v);
        let (i, edge) = incident.next()?;
        let alone = incident.next().is_none()
            && edge.from != edge.to
            && edge.range == EdgeRange::One
            && !needed.contains(&edge.var)
            && !graph.distinct.iter().any(|(a, b)| *a == edge.var || *b == edge.var)
            && !graph.paths.iter().any(|p| needed.contains(&p.var));
        // Predicates may be on the edge, alone; a predicate on the node is a reason to start there.
        let mut filtered = false;
        let free = graph.predicates.iter().all(|p| {
            let vars = vars_of([p]);
            filtered |= vars.contains(&edge.var);
            !vars.contains(&v) && (!vars.contains(&edge.var) || vars.len() == 1)
        });
        // Seen from the neighbour: properties are read in order forward only, and counts that need a pass of their own come last.
        let backward = (edge.to == v) == (edge.direction == Direction::In);
        (alone && free).then_some(((loaded, filtered && backward, backward), v, i))
    });
    candidates.min_by_key(|(key, _, _)| *key).map(|(_, v, i)| (v, i))
}
