//! Statements over rows, and subplans of statements, as joins with what is found once, where that is less
//! work: takes what `apart` put by and the planned inputs.

use trimorph_algebra::{Plan, PredicateTerm, TriplePattern, VarId};

use super::apart::{Apart, between};
use super::exists::harmless_nodes;
use super::{SET_WORTH, With, plan_pattern, searched};
use crate::estimate::{Estimate, work_of};
use crate::{Halt, VarSet, set_of};

/// What looking for a row's key takes, and putting a row into a table, in nanoseconds: about.
const PROBE_NANOS: f64 = 50.0;
const BUILD_NANOS: f64 = 200.0;

impl With<'_> {
    /// Statements over planned rows, or the same joined with these.
    pub(super) fn statements(self, input: Box<Plan>, pattern: TriplePattern, apart: &Apart) -> Plan {
        let there = input.vars();
        let has_predicate = matches!(pattern.predicate, PredicateTerm::Var(own) if there.contains(&own));
        if has_predicate || !pattern.vars().any(|var| !there.contains(&var) && apart.found.contains(&var)) {
            return Plan::Statements { input, pattern };
        }
        let on: Vec<VarId> = set_of(pattern.vars()).into_iter().filter(|var| there.contains(var)).collect();
        let rows = Estimate::of(&input, self.known).rows * self.outer_rows;
        let all = Plan::Statements { input: Box::new(Plan::Unit), pattern: pattern.clone() };
        let looked_up = Plan::Statements { input: Box::new(Plan::Argument(there)), pattern };
        if joined_work(&all, rows, self) > work_of(&looked_up, rows, self.known) * SET_WORTH {
            let Plan::Statements { pattern, .. } = looked_up else { return looked_up };
            return Plan::Statements { input, pattern };
        }
        Plan::HashJoin { left: input, right: Box::new(all), on }
    }

    /// The planned subplan of an apply that asks whether there are rows, or one that asks what is found
    /// apart.
    pub(super) fn subplan(self, input: &Plan, subplan: Plan, apart: &Apart) -> Result<Plan, Halt> {
        let rows = Estimate::of(input, self.known).rows * self.outer_rows;
        if let Some((outer, pattern)) = between(&subplan)
            && apart.between.contains(&(pattern.subject, pattern.object))
        {
            let left = Box::new(Plan::Argument(outer.to_vec()));
            let on: Vec<VarId> = set_of([pattern.subject, pattern.object]).into_iter().collect();
            let all = Plan::Statements { input: Box::new(Plan::Unit), pattern: pattern.clone() };
            if joined_work(&all, rows, self) > work_of(&subplan, rows, self.known) * SET_WORTH {
                return Ok(subplan);
            }
            let right = Box::new(Plan::Distinct { input: Box::new(all), vars: on.clone() });
            return Ok(Plan::HashJoin { left, right, on });
        }
        let Some(asked) = apart.find(&subplan) else { return Ok(subplan) };
        let work = work_of(&subplan, rows, self.known) * SET_WORTH;
        let free = asked.free.clone();
        let Some(free) = planned(free, &asked.on, &asked.needed(), With { outer_rows: 1.0, ..self })? else {
            return Ok(subplan);
        };
        if joined_work(&free, rows, self) > work {
            return Ok(subplan);
        }
        let on = asked.on.clone();
        let right = Box::new(Plan::Distinct { input: Box::new(free), vars: on.clone() });
        Ok(Plan::HashJoin { left: Box::new(Plan::Argument(asked.outer.clone())), right, on })
    }
}

/// About how long it takes to find rows once and to look for so many among them.
fn joined_work(apart: &Plan, rows: f64, with: With<'_>) -> f64 {
    let found = Estimate::of(apart, with.known).rows;
    work_of(apart, 1.0, with.known) + found * BUILD_NANOS + rows * PROBE_NANOS
}

/// A plan with its patterns planned, which are to find what rows had brought; none where one finds nothing.
fn planned(plan: Plan, on: &[VarId], needed: &VarSet, with: With<'_>) -> Result<Option<Plan>, Halt> {
    Ok(Some(match plan {
        Plan::Match { input, mut graph } => {
            let Some(input) = planned(*input, on, needed, with)? else { return Ok(None) };
            let there = input.vars();
            let nodes = harmless_nodes(&graph).unwrap_or_default();
            for node in on.iter().filter(|var| nodes.contains(var) && !there.contains(var)) {
                graph = searched(graph, *node, with.known.catalog);
            }
            if graph.tables.values().any(Vec::is_empty) {
                return Ok(None);
            }
            plan_pattern(input, graph, needed, with)?
        }
        mut other => {
            for child in other.children_mut() {
                let Some(made) = planned(std::mem::replace(child, Plan::Unit), on, needed, with)? else {
                    return Ok(None);
                };
                *child = made;
            }
            other
        }
    }))
}
