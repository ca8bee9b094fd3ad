//! A condition on a node just reached, and on what it leads to along single-cardinality edges, becomes a set
//! of nodes that is found once and asked many times.
//!
//! 1. the subtree at the node: nodes reached by edges of which each has one at most, that nobody looks at,
//!    with their predicates
//! 2. if the node's tables have fewer rows than reach it, the subtree is planned by itself and gives the set
//! 3. the subtree leaves the graph
//!
//! Each node of the subtree is reached once at most, so leaving it out changes no count.
//!
//! Source: design §7 (semi-join filters).

use trimorph_algebra::{EdgePattern, Expr, LabelExpr, NodePattern, Op, Plan, QueryGraph, VarId};

use super::{Planner, plan_pattern};
use crate::degrees::rows_of;
use crate::estimate::Estimate;
use crate::tables::{is_single, tables_of};
use crate::{Halt, VarSet};

/// Nodes up to which what a node leads to is taken into a filter.
const SUBTREE_MAX: usize = 64;

impl Planner<'_> {
    /// Filters the rows that have just reached `node` by a set, if that pays.
    pub(super) fn semi_join(&mut self, node: VarId) -> Result<(), Halt> {
        let catalog = self.with.known.catalog;
        if self.estimate.rows < rows_of(catalog, self.tables_of(node)) {
            return Ok(());
        }
        let mut subtree = self.functional(node);
        if !self.is_closed(&subtree, node) {
            subtree = Subtree::of(node);
        }
        let own = subtree.vars();
        let places = self.conditions.within(|v| subtree.has(v), &own);
        let is_asked_ahead =
            |place: &usize| self.conditions.get(*place).is_some_and(|c| self.is_harmless(&c.expr));
        // Edges of the subtree that must differ from each other are no condition on nodes.
        let has_pairs = subtree.edge_vars.iter().any(|v| self.conditions.pairs.partners(*v).next().is_some());
        if has_pairs || places.is_empty() || !places.iter().all(is_asked_ahead) {
            return Ok(());
        }
        // Whether a value is there is a bit of the node's: asking it costs no more than asking the set.
        let is_there = |place: &usize| self.conditions.get(*place).is_some_and(|c| is_presence(&c.expr));
        if subtree.edges.is_empty() && places.iter().all(is_there) {
            return Ok(());
        }
        let predicates = places.into_iter().filter_map(|place| self.conditions.remove(place)).collect();
        let edges = subtree.edges.iter().filter_map(|place| self.edges.take(*place)).collect();
        let label = |v: &VarId| self.labels.get(v).cloned().unwrap_or(LabelExpr::True);
        let mut graph = QueryGraph {
            nodes: subtree.nodes.iter().map(|v| NodePattern { var: *v, labels: label(v) }).collect(),
            edges,
            predicates,
            ..QueryGraph::default()
        };
        graph.tables = tables_of(catalog, &graph);
        // The edges of the whole pattern narrow them, too.
        for (var, tables) in &mut graph.tables {
            if let Some(narrowed) = self.tables.get(var) {
                tables.retain(|table| narrowed.contains(table));
            }
        }
        let filter = match graph.tables.values().any(Vec::is_empty) {
            true => Plan::Empty(own.clone()),
            false => plan_pattern(Plan::Unit, graph, &VarSet::from([node]), self.with)?,
        };
        self.reach(own);
        let estimate = Estimate::of(&filter, self.with.known);
        self.put_beside((filter, estimate), |input, filter| Plan::SemiJoin {
            input,
            filter,
            var: node,
            anti: false,
        });
        Ok(())
    }

    /// The subtree at `node` that single-cardinality edges reach.
    fn functional(&self, node: VarId) -> Subtree {
        let mut subtree = Subtree::of(node);
        let mut at = 0;
        while let Some(here) = subtree.order.get(at).copied()
            && subtree.order.len() < SUBTREE_MAX
        {
            at += 1;
            for (place, edge) in self.edges.at(here) {
                let other = match (edge.from == here, edge.to == here) {
                    (true, false) => edge.to,
                    (false, true) => edge.from,
                    _ => continue,
                };
                if !subtree.edges.contains(&place)
                    && !subtree.nodes.contains(&other)
                    && !self.available.contains(&other)
                    && !self.kept.contains(&other)
                    && !self.kept.contains(&edge.var)
                    && self.is_single(edge, here)
                {
                    subtree.edges.insert(place);
                    subtree.edge_vars.insert(edge.var);
                    subtree.nodes.insert(other);
                    subtree.order.push(other);
                }
            }
        }
        subtree
    }

    /// Whether nothing but `node` joins the subtree to the rest.
    fn is_closed(&self, subtree: &Subtree, node: VarId) -> bool {
        let inner = || subtree.order.iter().filter(|v| **v != node);
        let edges_are_own =
            inner().flat_map(|v| self.edges.at(*v)).all(|(place, _)| subtree.edges.contains(&place));
        let mut looked_at = inner().chain(&subtree.edge_vars).flat_map(|v| self.conditions.on(*v));
        let mut told_from = subtree.edge_vars.iter().flat_map(|v| self.conditions.pairs.partners(*v));
        edges_are_own
            && told_from.all(|v| subtree.has(&v))
            && looked_at.all(|(_, c)| c.vars.iter().all(|v| subtree.has(v)))
    }

    /// Whether a node at the end `here` of `edge` has one such edge at most.
    pub(super) fn is_single(&self, edge: &EdgePattern, here: VarId) -> bool {
        is_single(self.with.known.catalog, edge, here, self.tables_of(here))
    }
}

/// Nodes and edges reached from one node.
struct Subtree {
    nodes: VarSet,
    /// By their place in the pattern.
    edges: std::collections::BTreeSet<usize>,
    edge_vars: VarSet,
    /// The nodes in the order they were reached.
    order: Vec<VarId>,
}

impl Subtree {
    fn of(node: VarId) -> Self {
        let (edges, edge_vars) = Default::default();
        Self { nodes: VarSet::from([node]), edges, edge_vars, order: vec![node] }
    }

    fn has(&self, var: &VarId) -> bool {
        self.nodes.contains(var) || self.edge_vars.contains(var)
    }

    fn vars(&self) -> Vec<VarId> {
        self.nodes.iter().chain(&self.edge_vars).copied().collect()
    }
}

/// Whether a condition only asks whether a property is there.
fn is_presence(expr: &Expr) -> bool {
    matches!(expr, Expr::Op(Op::IsNotNull, args, _) if matches!(&args[..], [Expr::Property(..)]))
}
