//! Parts of a pattern that have nothing in common but values: where an expression of one must equal an
//! expression of the other they are hash joined, else multiplied.
//!
//! Both sides compute their expression as the same new variable, and are joined on it: null joins nothing,
//! nor does a value that does not equal itself.

use std::collections::HashSet;

use trimorph_algebra::{Expr, Op, Plan, VarId};

use super::Planner;
use super::components::Outer;
use crate::estimate::Estimate;
use crate::{VarSet, vars_of};

/// The operands of an equality.
fn operands(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::Op(Op::Eq, args, _) => match &args[..] {
            [a, b] => Some((a, b)),
            _ => None,
        },
        _ => None,
    }
}

/// The operands of an equality of `left` with `right`, in this order.
fn across(
    expr: &Expr,
    left: impl Fn(&VarId) -> bool,
    right: impl Fn(&VarId) -> bool,
) -> Option<(&Expr, &Expr)> {
    let (a, b) = operands(expr)?;
    let (of_a, of_b) = (vars_of([a]), vars_of([b]));
    if of_a.is_empty() || of_b.is_empty() {
        return None;
    }
    if of_a.iter().all(&left) && of_b.iter().all(&right) {
        Some((a, b))
    } else if of_b.iter().all(&left) && of_a.iter().all(&right) {
        Some((b, a))
    } else {
        None
    }
}

impl Planner<'_> {
    /// Whether an equality may look at two of these nodes, or at one and at the rows there are.
    pub(super) fn has_equalities(&self, nodes: &[VarId]) -> bool {
        let joins = |expr: &Expr| operands(expr).is_some() && vars_of([expr]).len() > 1;
        nodes.iter().any(|node| self.conditions.on(*node).any(|(_, c)| joins(&c.expr)))
    }

    /// Whether a value of a part with these nodes must equal one of the rows there are.
    pub(super) fn is_equal_to_some(&self, nodes: &[VarId]) -> bool {
        let own: HashSet<&VarId> = nodes.iter().collect();
        let known = |var: &VarId| self.available.contains(var);
        nodes
            .iter()
            .flat_map(|node| self.conditions.on(*node))
            .any(|(_, condition)| across(&condition.expr, known, |var| own.contains(var)).is_some())
    }

    /// Joins the part that was planned by itself with the rows there were.
    pub(super) fn beside(&mut self, outer: Outer) {
        let Some((left, left_estimate, mut vars)) = outer else { return };
        let (mut left_keys, mut right_keys, mut on) = (Vec::new(), Vec::new(), Vec::new());
        for place in self.equalities(&vars) {
            let Some(expr) = self.conditions.remove(place) else { continue };
            let Some((a, b)) = across(&expr, |v| vars.contains(v), |v| self.available.contains(v)) else {
                continue;
            };
            let key = self.with.made.var(format!("key {}", on.len() + 1));
            left_keys.push((key, a.clone()));
            right_keys.push((key, b.clone()));
            on.push(key);
        }
        let right = std::mem::replace(&mut self.plan, left);
        let right_estimate = std::mem::replace(&mut self.estimate, left_estimate);
        let from_rows = self.is_from_rows;
        let mut sides = [
            (std::mem::replace(&mut self.plan, Plan::Unit), std::mem::take(&mut self.estimate), left_keys),
            (right, right_estimate, right_keys),
        ];
        // The smaller side is kept. What an apply hands in changes with its rows: the other side is made
        // once.
        if !on.is_empty() && !from_rows && sides[0].1.rows < sides[1].1.rows {
            sides.swap(0, 1);
        }
        let [first, second] = sides.map(|(plan, estimate, keys)| self.with_keys(plan, estimate, keys));
        (self.plan, self.estimate) = first;
        self.put_beside(second, |left, right| Plan::HashJoin { left, right, on });
        vars.append(&mut self.available);
        self.available = vars;
        self.conditions.joined();
        self.place_filters();
    }

    /// The places of equalities of rows with these variables and those of the part.
    fn equalities(&self, vars: &VarSet) -> Vec<usize> {
        let own: Vec<VarId> = self.available.iter().copied().collect();
        let both = |var: &VarId| vars.contains(var) || self.available.contains(var);
        let mut places = self.conditions.within(both, &own);
        places.retain(|place| {
            self.conditions.get(*place).is_some_and(|condition| {
                across(&condition.expr, |v| vars.contains(v), |v| self.available.contains(v)).is_some()
            })
        });
        places
    }

    /// A side with what it is joined by.
    fn with_keys(&self, plan: Plan, estimate: Estimate, items: Vec<(VarId, Expr)>) -> (Plan, Estimate) {
        if items.is_empty() {
            return (plan, estimate);
        }
        let plan = Plan::Extra { input: Box::new(plan), items };
        let estimate = Estimate::over(&plan, vec![estimate], self.with.known);
        (plan, estimate)
    }
}
