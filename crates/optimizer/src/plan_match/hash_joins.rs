//! An order with joins in it becomes a plan: each build side is planned by itself, from its own part of the
//! pattern.
//!
//! The build sides' edges and predicates are taken out of the pattern first, so that nothing else plans them;
//! the node in common is kept on both sides.

use std::collections::BTreeMap;
use std::rc::Rc;

use trimorph_algebra::{EdgePattern, Expr, Plan, VarId};

use super::conditions::Conditions;
use super::open_edges::OpenEdges;
use super::order_joins::{Order, Step};
use super::{Hanging, Planner};
use crate::estimate::Estimate;
use crate::planning::poll;
use crate::{Halt, VarSet, vars_of};

/// What the indices of an order mean.
pub(super) struct Parts<'p> {
    pub(super) nodes: &'p [VarId],
    /// Where each edge is among those of the pattern.
    pub(super) edges: &'p [usize],
    pub(super) patterns: &'p [EdgePattern],
}

/// A build side: its plan, and the variables it has.
struct Side {
    plan: Plan,
    estimate: Estimate,
    vars: VarSet,
}

impl Planner<'_> {
    /// Plans the steps of `order`; its start has been planned.
    pub(super) fn follow_order(&mut self, order: &Order, parts: &Parts<'_>) -> Result<(), Halt> {
        let (mut sides, mut moved) = (BTreeMap::new(), Vec::new());
        for (i, step) in order.steps.iter().enumerate() {
            if let Step::Join { build, shared } = step {
                let shared: Vec<VarId> = shared.iter().map(|node| parts.nodes[*node]).collect();
                sides.insert(i, self.build_side(build, &shared, parts, &mut moved)?);
            }
        }
        let followed = |at: usize| match order.steps.get(at) {
            Some(Step::Follow(edge)) => Some(parts.edges[*edge]),
            _ => None,
        };
        self.place_filters_before(followed(0));
        self.hang();
        for (i, step) in order.steps.iter().enumerate() {
            poll(self.with.cancel)?;
            match (step, sides.remove(&i)) {
                (Step::Join { shared, .. }, Some(side)) => {
                    let on = shared.iter().map(|node| parts.nodes[*node]).collect();
                    self.join_side(side, on);
                }
                (Step::Follow(edge), _) => self.follow(parts.edges[*edge])?,
                (Step::Join { .. }, None) => {}
            }
            self.place_filters_before(followed(i + 1));
            self.hang();
        }
        Ok(())
    }

    /// Joins with a build side on the nodes in common, and on values that must be equal.
    fn join_side(&mut self, side: Side, mut on: Vec<VarId>) {
        let Side { plan, estimate, vars } = side;
        let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
        for (left, right) in self.take_equal(&vars) {
            let key = self.with.made.var(format!("key {}", left_keys.len() + 1));
            left_keys.push((key, left));
            right_keys.push((key, right));
            on.push(key);
        }
        if !left_keys.is_empty() {
            self.put(|input| Plan::Extra { input, items: left_keys });
        }
        let right = self.with_keys((plan, estimate), right_keys);
        self.put_beside(right, |left, right| Plan::HashJoin { left, right, on });
        self.reach(vars);
    }

    /// Plans one build side, by itself. `moved` are the predicates that went to the sides before.
    fn build_side(
        &mut self,
        order: &Order,
        shared: &[VarId],
        parts: &Parts<'_>,
        moved: &mut Vec<Expr>,
    ) -> Result<Side, Halt> {
        let mut own = VarSet::new();
        collect(order, parts, &mut own);
        let nodes: Vec<VarId> = own.iter().copied().collect();
        let mut places = Vec::new();
        let mut edges = Vec::new();
        for place in self.edges.touching(&nodes, |e| own.contains(&e.from) && own.contains(&e.to)) {
            if let Some(edge) = self.edges.take(place) {
                own.insert(edge.var);
                places.push(place);
                edges.push(edge);
            }
        }
        // What joins the two sides is looked at by the join.
        Rc::make_mut(&mut self.kept).extend(shared);
        Rc::make_mut(&mut self.wanted).extend(shared);
        let conditions = self.conditions_of_side(&own, shared, moved);
        let hanging = self.hanging.take_at(|at| !shared.contains(at) && own.contains(at));
        let mut side = Planner {
            with: self.with,
            labels: Rc::clone(&self.labels),
            entities: Rc::clone(&self.entities),
            tables: Rc::clone(&self.tables),
            edges: OpenEdges::new(edges),
            conditions,
            hanging: Hanging::new(hanging),
            plan: Plan::Unit,
            estimate: Estimate::of(&Plan::Unit, self.with.known),
            available: VarSet::new(),
            wanted: Rc::clone(&self.wanted),
            kept: Rc::clone(&self.kept),
            walks: Rc::clone(&self.walks),
            is_from_rows: self.is_from_rows,
        };
        if let Some(start) = order.start {
            side.start(parts.nodes[start]);
        }
        // The side counts its own edges.
        let edges: Vec<usize> =
            parts.edges.iter().map(|e| places.iter().position(|p| p == e).unwrap_or(usize::MAX)).collect();
        side.follow_order(order, &Parts { nodes: parts.nodes, edges: &edges, patterns: parts.patterns })?;
        side.finish(&nodes);
        side.hanging.take_at(|_| true).into_iter().for_each(|(at, step)| self.hanging.add(at, step));
        side.conditions.rest().into_iter().for_each(|p| self.conditions.add(p));
        Ok(Side { plan: side.plan, estimate: side.estimate, vars: side.available })
    }

    /// The predicates of a build side, taken out of the pattern; one on a node in common is asked on both
    /// sides, and on all sides that have the node.
    fn conditions_of_side(&mut self, own: &VarSet, shared: &[VarId], moved: &mut Vec<Expr>) -> Conditions {
        let vars: Vec<VarId> = own.iter().copied().collect();
        let is_own = |predicate: &&Expr| vars_of([*predicate]).is_subset(own);
        let mut mine: Vec<Expr> = moved.iter().filter(is_own).cloned().collect();
        for place in self.conditions.within(|v| own.contains(v), &vars) {
            let Some(condition) = self.conditions.get(place) else { continue };
            if condition.vars.iter().all(|var| shared.contains(var)) {
                if self.is_harmless(&condition.expr) {
                    mine.push(condition.expr.clone());
                }
            } else {
                let predicate = self.conditions.remove(place);
                moved.extend(predicate.iter().filter(|predicate| self.is_harmless(predicate)).cloned());
                mine.extend(predicate);
            }
        }
        Conditions::new(mine, self.conditions.pairs.take_within(own))
    }
}

/// The nodes of an order.
fn collect(order: &Order, parts: &Parts<'_>, out: &mut VarSet) {
    out.extend(order.start.map(|n| parts.nodes[n]));
    for step in &order.steps {
        match step {
            Step::Follow(edge) => out.extend([parts.patterns[*edge].from, parts.patterns[*edge].to]),
            Step::Join { build, .. } => collect(build, parts, out),
        }
    }
}
