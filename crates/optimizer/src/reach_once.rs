//! Walks of which only the ends count, and these once, reach each node once: `RETURN DISTINCT b` over
//! `(a)-[*1..5]-(b)` searches breadth first and looks at each edge once, where trails are as many as there
//! are ways.
//!
//! 1. From the top down, operators that do not look at how often a row comes ([`keeps`]) say so below them.
//! 2. There a walk of no or one edge at least, whose list nobody looks at, is asked for what it reaches.
//!    Short walks stay trails, which need no set of what was seen, and so do those along trees, where there
//!    is one way to each node.
//!
//! Source: design §8; SPARQL 1.1 §9.3 has the same of its paths.

use trimorph_algebra::{Direction, EdgePattern, EdgeRange, Expr, Plan, QueryGraph};
use trimorph_catalog::CatalogView;

use crate::how_often::keeps;
use crate::needed::below;
use crate::planning::Planning;
use crate::tables::edge_tables;
use crate::walks::{Element, each_of, joined};
use crate::{Halt, VarSet, vars_of};

/// Edges up to which a walk is short.
const SHORT: u32 = 2;

/// The pass.
pub(crate) fn reach_once(mut plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let mut left: Vec<(&mut Plan, VarSet, bool)> = vec![(&mut plan, planning.needed.clone(), false)];
    while let Some((plan, needed, once)) = left.pop() {
        if let Plan::Match { input, graph } = plan
            && once
        {
            let bound = input.vars().into_iter().collect();
            narrow(graph, &needed, &bound, planning.catalog);
        }
        let (wanted, keeps) = (below(plan, &needed), keeps(plan, once));
        let children = plan.children_mut().into_iter().zip(wanted).zip(keeps);
        left.extend(children.map(|((child, needed), once)| (child, needed, once)));
    }
    Ok(plan)
}

fn narrow(graph: &mut QueryGraph, needed: &VarSet, bound: &VarSet, catalog: &CatalogView<'_>) {
    let QueryGraph { edges, predicates, distinct, paths, walks, .. } = graph;
    for edge in edges {
        let EdgeRange::Variable { min: min @ 0..=1, max, shortest: None } = edge.range else { continue };
        let is_told = needed.contains(&edge.var)
            || distinct.iter().any(|(a, b)| [a, b].contains(&&edge.var))
            || walks.contains_key(&edge.var)
            || !edge.whole.is_empty()
            || !paths.is_empty();
        if is_told || max.is_some_and(|max| max <= SHORT) || is_along_trees(edge, catalog) {
            continue;
        }
        // What is asked of each of its edges is asked while it is walked.
        let asks = |predicate: &Expr| vars_of([predicate]).contains(&edge.var);
        let is_of_each =
            |predicate: &Expr| matches!(each_of(predicate, edge, bound), Some((Element::Edge, ..)));
        if !predicates.iter().all(|predicate| !asks(predicate) || is_of_each(predicate)) {
            continue;
        }
        let (own, rest) = std::mem::take(predicates).into_iter().partition(|predicate| asks(predicate));
        *predicates = rest;
        take_conditions(edge, own, bound);
        edge.range = EdgeRange::Reachable { min, max, trail: true };
    }
}

/// Whether the edges are all walked one way, and each node has one at most to leave it, or one to reach it.
fn is_along_trees(edge: &EdgePattern, catalog: &CatalogView<'_>) -> bool {
    edge.direction != Direction::Both
        && edge_tables(catalog, edge).iter().all(|table| {
            catalog.is_single(*table)
                || catalog.targets(*table).all(|target| catalog.is_single_into(*table, target))
        })
}

fn take_conditions(edge: &mut EdgePattern, conditions: Vec<Expr>, bound: &VarSet) {
    for condition in conditions {
        if let Some((Element::Edge, var, each)) = each_of(&condition, edge, bound) {
            edge.each = joined(edge.each.take(), var, each);
        }
    }
}
