//! What is asked of each row by a pattern, and could be asked in another way.
//!
//! 1. `EXISTS { … }` of one node of the rows becomes the set of the nodes that have the pattern: found once,
//!    from wherever it is found best, and asked of each row by one bit (`asked_by_set` of the module).
//! 2. `EXISTS { … }` and `COUNT { … }` of two nodes are found once for all rows that share one of the two
//!    (`paired`), and so are those of one node and of a value that must equal one of the row.
//!
//! Before patterns are planned, those that could be asked so are put by: they speak of one or two nodes of
//! the rows and of nothing else of them, and no predicate can fail for nodes that no row has. Once both
//! inputs of the apply are planned, the pattern is planned the other way, and what is less work is taken.
//!
//! A limit above that ends the rows early asks for few of them: there a set would be found in vain.
//!
//! Source: design §7 (semi-join filters).

use std::collections::HashMap;

use trimorph_algebra::{ApplyKind, EdgePattern, EdgeRange, Expr, Op, Plan, QueryGraph, VarId};

use super::harmless::is_harmless;
use crate::{VarSet, calls_volatile, set_of, vars_of};

/// Patterns that could be asked in another way, by one of their own nodes.
pub(super) struct Candidates(HashMap<VarId, Candidate>);

pub(super) struct Candidate {
    /// The nodes of the rows.
    pub(super) nodes: Vec<VarId>,
    pub(super) graph: QueryGraph,
    /// A value of the rows, and what must equal it: this is no condition of the pattern.
    pub(super) equal: Option<(Expr, Expr)>,
}

impl Candidates {
    /// Those of a plan whose patterns are not planned yet.
    pub(super) fn of(plan: &Plan) -> Self {
        let mut found = HashMap::new();
        // Operators, and whether rows above them may end early.
        let mut left = vec![(plan, false)];
        while let Some((plan, ends_early)) = left.pop() {
            let below = may_end_early(plan, ends_early);
            left.extend(plan.children().into_iter().map(|child| (child, below)));
            if let Plan::Apply { subplan, kind, .. } = plan
                && !ends_early
                && let Some((own, candidate)) = Candidate::of(subplan, kind)
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
    /// The pattern of a subplan by a node of its own, if it can be asked in another way.
    fn of(subplan: &Plan, kind: &ApplyKind) -> Option<(VarId, Self)> {
        let exists = matches!(kind, ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_));
        if !exists && !matches!(kind, ApplyKind::Count(_)) {
            return None;
        }
        let (outer, graph) = pattern(subplan, exists)?;
        let mut graph = graph.clone();
        let equal = take_equal(&mut graph, outer);
        harmless_nodes(&graph)?;
        let ends = || graph.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        let edges = graph.edges.iter().map(|edge| edge.var);
        let mut all = vars_of(&graph.predicates);
        all.extend(set_of(graph.nodes.iter().map(|n| n.var).chain(ends()).chain(edges)));
        let nodes: Vec<VarId> = all.into_iter().filter(|var| outer.contains(var)).collect();
        let most = if equal.is_some() { 1 } else { 2 };
        if !(1..=most).contains(&nodes.len()) || !nodes.iter().all(|node| ends().any(|var| var == *node)) {
            return None;
        }
        let own = ends().find(|var| !nodes.contains(var))?;
        Some((own, Self { nodes, graph, equal }))
    }
}

/// Takes the condition off a pattern that a value of its own equals one of the rows, where that is the only
/// one about other variables of the rows than the nodes that the pattern hangs on: a variable, or a property,
/// of which all rows have one.
fn take_equal(graph: &mut QueryGraph, outer: &[VarId]) -> Option<(Expr, Expr)> {
    let hangs_on = |var: &VarId| graph.edges.iter().any(|edge| edge.from == *var || edge.to == *var);
    let others: Vec<VarId> = outer.iter().copied().filter(|var| !hangs_on(var)).collect();
    let mut of_rows = graph
        .predicates
        .iter()
        .enumerate()
        .filter(|(_, predicate)| vars_of([*predicate]).iter().any(|var| others.contains(var)));
    let (Some((place, Expr::Op(Op::Eq, sides, _))), None) = (of_rows.next(), of_rows.next()) else {
        return None;
    };
    let [a, b] = &sides[..] else { return None };
    let is_value = |side: &Expr| {
        matches!(side, Expr::Var(_))
            || matches!(side, Expr::Property(base, _, _) if matches!(**base, Expr::Var(_)))
    };
    let is_of_rows = |side: &Expr| is_value(side) && vars_of([side]).iter().all(|var| outer.contains(var));
    let is_own = |side: &Expr| {
        let vars = vars_of([side]);
        !vars.is_empty() && !vars.iter().any(|var| outer.contains(var)) && !calls_volatile(side)
    };
    let found = match () {
        () if is_of_rows(a) && is_own(b) => (a.clone(), b.clone()),
        () if is_of_rows(b) && is_own(a) => (b.clone(), a.clone()),
        () => return None,
    };
    graph.predicates.remove(place);
    Some(found)
}

/// Whether rows of the inputs of an operator may end early, where its own may.
pub(super) fn may_end_early(plan: &Plan, ends_early: bool) -> bool {
    match plan {
        Plan::Limit { .. } => true,
        // They give nothing before they have all rows.
        Plan::Sort { .. } | Plan::Aggregate { .. } => false,
        _ => ends_early,
    }
}

/// The nodes of a pattern of nothing but single edges of which nothing is asked that could fail for nodes
/// that no row has.
pub(super) fn harmless_nodes(graph: &QueryGraph) -> Option<VarSet> {
    let is_plain = graph.paths.is_empty() && graph.walks.is_empty() && graph.counts.is_empty();
    let is_one =
        |edge: &EdgePattern| edge.range == EdgeRange::One && edge.each.is_none() && edge.whole.is_empty();
    if !is_plain || !graph.edges.iter().all(is_one) || !graph.predicates.iter().all(is_harmless) {
        return None;
    }
    let ends = graph.edges.iter().flat_map(|edge| [edge.from, edge.to]);
    Some(set_of(graph.nodes.iter().map(|node| node.var).chain(ends)))
}

/// The pattern over the rows of an apply that a subplan is, and the variables of these rows. `exists`:
/// whether there are rows is all that is asked, else how many.
fn pattern(mut subplan: &Plan, exists: bool) -> Option<(&[VarId], &QueryGraph)> {
    loop {
        match subplan {
            Plan::Project { input, .. } | Plan::Extra { input, .. } => subplan = input,
            Plan::Distinct { input, .. } if exists => subplan = input,
            Plan::Match { input, graph } => match &**input {
                Plan::Argument(outer) => return Some((outer, graph)),
                _ => return None,
            },
            _ => return None,
        }
    }
}
