//! `EXISTS { … }` of one node of the rows, asked of many rows, becomes the set of the nodes that have the
//! pattern: found once, from wherever it is found best, and asked of each row by one bit.
//!
//! 1. Before patterns are planned, those that could be asked so are put by: they speak of one node of the
//!    rows and of nothing else of them, and no predicate can fail for nodes that no row has.
//! 2. Once both inputs of the apply are planned, the pattern is planned by itself, and what is less work is
//!    taken (`asked_by_set` of the module).
//!
//! A limit above that ends the rows early asks for few of them: there a set would be found in vain.
//!
//! Source: design §7 (semi-join filters).

use std::collections::HashMap;

use trimorph_algebra::{ApplyKind, EdgeRange, Plan, QueryGraph, VarId};

use super::harmless::is_harmless;
use crate::{set_of, vars_of};

/// Patterns that could be asked by a set, by one of their own nodes.
pub(super) struct Candidates(HashMap<VarId, Candidate>);

pub(super) struct Candidate {
    /// The node of the rows.
    pub(super) node: VarId,
    pub(super) graph: QueryGraph,
}

impl Candidates {
    /// Those of a plan whose patterns are not planned yet.
    pub(super) fn of(plan: &Plan) -> Self {
        let mut found = HashMap::new();
        // Operators, and whether rows above them may end early.
        let mut left = vec![(plan, false)];
        while let Some((plan, ends_early)) = left.pop() {
            let below = match plan {
                Plan::Limit { .. } => true,
                // They give nothing before they have all rows.
                Plan::Sort { .. } | Plan::Aggregate { .. } => false,
                _ => ends_early,
            };
            left.extend(plan.children().into_iter().map(|child| (child, below)));
            if let Plan::Apply { subplan, kind: ApplyKind::Semi | ApplyKind::Anti, .. } = plan
                && !ends_early
                && let Some((own, candidate)) = Candidate::of(subplan)
            {
                found.insert(own, candidate);
            }
        }
        Self(found)
    }

    /// The candidate that a planned subplan was.
    pub(super) fn find(&self, subplan: &Plan) -> Option<&Candidate> {
        if self.0.is_empty() {
            return None;
        }
        let mut left = vec![subplan];
        while let Some(plan) = left.pop() {
            let reached = match plan {
                Plan::Extend { step, .. } | Plan::ExtendInto { step, .. } => Some(step.to),
                Plan::Intersect { steps, .. } => steps.first().map(|step| step.to),
                Plan::NodeScan(scan) => Some(scan.var),
                _ => None,
            };
            if let Some(found) = reached.and_then(|var| self.0.get(&var)) {
                return Some(found);
            }
            match plan {
                // What is beside it is of another pattern.
                Plan::Apply { input, .. } | Plan::SemiJoin { input, .. } => left.push(input),
                other => left.extend(other.children()),
            }
        }
        None
    }
}

impl Candidate {
    /// The pattern of a subplan by a node of its own, if it can be asked by a set.
    fn of(subplan: &Plan) -> Option<(VarId, Self)> {
        let (outer, graph) = pattern(subplan)?;
        let is_plain =
            |graph: &QueryGraph| graph.paths.is_empty() && graph.walks.is_empty() && graph.counts.is_empty();
        let is_one = |graph: &QueryGraph| {
            graph.edges.iter().all(|e| e.range == EdgeRange::One && e.each.is_none() && e.whole.is_empty())
        };
        if !is_plain(graph) || !is_one(graph) || !graph.predicates.iter().all(is_harmless) {
            return None;
        }
        let ends = || graph.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        let edges = graph.edges.iter().map(|edge| edge.var);
        let mut all = vars_of(&graph.predicates);
        all.extend(set_of(graph.nodes.iter().map(|n| n.var).chain(ends()).chain(edges)));
        let mut from_rows = all.into_iter().filter(|var| outer.contains(var));
        let node =
            from_rows.next().filter(|node| from_rows.next().is_none() && ends().any(|v| v == *node))?;
        let own = ends().find(|var| *var != node)?;
        Some((own, Self { node, graph: graph.clone() }))
    }
}

/// The pattern over the rows of an apply that a subplan is, and the variables of these rows.
fn pattern(mut subplan: &Plan) -> Option<(&[VarId], &QueryGraph)> {
    loop {
        match subplan {
            // Whether there are rows is all that is asked.
            Plan::Project { input, .. } | Plan::Extra { input, .. } | Plan::Distinct { input, .. } => {
                subplan = input;
            }
            Plan::Match { input, graph } => match &**input {
                Plan::Argument(outer) => return Some((outer, graph)),
                _ => return None,
            },
            _ => return None,
        }
    }
}
