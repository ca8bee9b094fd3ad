//! An order with joins in it becomes a plan: each build side is planned by itself, from its own part of the pattern.
//!
//! The build sides' edges and predicates are taken out of the pattern first, so that nothing else plans them; the node in common is kept
//! on both sides.

use std::collections::BTreeMap;

use trimorph_algebra::{CountStep, EdgePattern, Plan, QueryGraph, VarId};

use crate::order_joins::{Order, Step};
use crate::plan_match::Planner;
use crate::semi_joins::is_harmless;
use crate::{Optimizer, VarSet, vars_of};

/// What the indices of an order mean.
pub(crate) struct Parts<'p> {
    pub(crate) nodes: &'p [VarId],
    pub(crate) edges: &'p [EdgePattern],
}

impl Planner<'_> {
    /// Plans the steps of `order`; its start has been planned.
    pub(crate) fn follow_order(
        &mut self,
        order: &Order,
        parts: &Parts<'_>,
        optimizer: &mut Optimizer<'_>,
        hanging: &mut Vec<(VarId, CountStep)>,
    ) {
        let mut sides = BTreeMap::new();
        for (i, step) in order.steps.iter().enumerate() {
            if let Step::Join { build, node } = step {
                sides.insert(i, self.build_side(build, parts.nodes[*node], parts, optimizer, hanging));
            }
        }
        self.place_filters();
        self.hang(hanging);
        for (i, step) in order.steps.iter().enumerate() {
            match (step, sides.remove(&i)) {
                (Step::Join { node, .. }, Some((plan, vars))) => {
                    let left = Box::new(std::mem::replace(&mut self.plan, Plan::Unit));
                    let on = vec![parts.nodes[*node]];
                    self.plan = Plan::HashJoin { left, right: Box::new(plan), on };
                    self.available.extend(vars);
                }
                (Step::Follow(edge), _) => {
                    let edge = &parts.edges[*edge];
                    // A semi-join filter may have taken it in.
                    if self.graph.edges.iter().all(|e| e.var != edge.var) {
                        continue;
                    }
                    self.follow(edge, optimizer);
                }
                (Step::Join { .. }, None) => {}
            }
            self.place_filters();
            self.hang(hanging);
        }
    }

    /// Plans one build side, by itself; gives the variables it has.
    fn build_side(
        &mut self,
        order: &Order,
        shared: VarId,
        parts: &Parts<'_>,
        optimizer: &mut Optimizer<'_>,
        hanging: &mut Vec<(VarId, CountStep)>,
    ) -> (Plan, VarSet) {
        let mut own = VarSet::new();
        collect(order, parts, &mut own);
        let mut graph = QueryGraph {
            nodes: self.graph.nodes.iter().filter(|n| own.contains(&n.var)).cloned().collect(),
            ..QueryGraph::default()
        };
        self.graph.edges.retain(|e| {
            let mine = own.contains(&e.from) && own.contains(&e.to);
            if mine {
                graph.edges.push(e.clone());
            }
            !mine
        });
        own.extend(graph.edges.iter().map(|e| e.var));
        let within = |vars: &VarSet| !vars.is_empty() && vars.is_subset(&own);
        self.graph.predicates.retain(|p| {
            let vars = vars_of([p]);
            let both = vars.len() == 1 && vars.contains(&shared);
            if (both && is_harmless(p)) || (!both && within(&vars)) {
                graph.predicates.push(p.clone());
            }
            both || !within(&vars)
        });
        let (mut mine, rest) =
            std::mem::take(hanging).into_iter().partition(|(at, _)| *at != shared && own.contains(at));
        *hanging = rest;
        // What joins the two sides is looked at by the join.
        self.kept.insert(shared);
        self.wanted.insert(shared);
        let mut side = Planner {
            catalog: self.catalog,
            known: self.known,
            intersect: self.intersect,
            graph,
            tables: self.tables.clone(),
            plan: Plan::Unit,
            available: VarSet::new(),
            wanted: self.wanted.clone(),
            kept: self.kept.clone(),
            walks: self.walks.clone(),
        };
        if let Some(start) = order.start {
            side.start(parts.nodes[start]);
        }
        side.follow_order(order, parts, optimizer, &mut mine);
        side.finish();
        hanging.append(&mut mine);
        self.graph.predicates.append(&mut side.graph.predicates);
        (side.plan, side.available)
    }
}

/// The nodes of an order.
fn collect(order: &Order, parts: &Parts<'_>, out: &mut VarSet) {
    out.extend(order.start.map(|n| parts.nodes[n]));
    for step in &order.steps {
        match step {
            Step::Follow(edge) => out.extend([parts.edges[*edge].from, parts.edges[*edge].to]),
            Step::Join { build, .. } => collect(build, parts, out),
        }
    }
}
