//! The predicates of a pattern that are not placed yet: which become ready as variables are reached, and
//! which look at a variable.
//!
//! Each counts the variables that it still waits for, so that placing all of them takes time in what they
//! look at together.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use trimorph_algebra::{Expr, VarId};

use super::pairs::Pairs;
use crate::VarSet;
use crate::counted::Of;
use crate::lookups::is_lookup_form;
use crate::selectivity::{Joint, Statistics, selectivity};

/// A predicate that is not placed yet.
pub(super) struct Condition {
    pub(super) expr: Expr,
    /// What it looks at, sorted.
    pub(super) vars: Vec<VarId>,
    missing: usize,
}

/// The predicates of a pattern, by place; those placed are gone.
#[derive(Default)]
pub(super) struct Conditions {
    items: Vec<Option<Condition>>,
    by_var: HashMap<VarId, Vec<usize>>,
    /// Those that a variable might be looked up by.
    lookups: HashMap<VarId, Vec<usize>>,
    reached: HashSet<VarId>,
    /// Those whose variables have all been reached, here or in rows that wait to be joined.
    ready: BTreeSet<usize>,
    /// Those that wait for such rows.
    waiting: Vec<usize>,
    /// Pairs of edges that must differ.
    pub(super) pairs: Pairs,
    /// The part of nodes or relationships that predicates let through: asked more than once.
    parts: RefCell<HashMap<(usize, VarId), f64>>,
}

impl Conditions {
    pub(super) fn new(predicates: Vec<Expr>, pairs: Vec<(VarId, VarId)>) -> Self {
        let mut conditions = Self { pairs: Pairs::new(pairs), ..Self::default() };
        predicates.into_iter().for_each(|p| conditions.add(p));
        conditions
    }

    pub(super) fn add(&mut self, expr: Expr) {
        let place = self.items.len();
        let mut vars = Vec::new();
        expr.for_each_free_var(&mut |v| vars.push(v));
        vars.sort_unstable();
        vars.dedup();
        for var in &vars {
            self.by_var.entry(*var).or_default().push(place);
            if is_lookup_form(&expr, *var) {
                self.lookups.entry(*var).or_default().push(place);
            }
        }
        let missing = vars.iter().filter(|v| !self.reached.contains(v)).count();
        if missing == 0 {
            self.ready.insert(place);
        }
        self.items.push(Some(Condition { expr, vars, missing }));
    }

    /// Notes that a variable is there.
    pub(super) fn reach(&mut self, var: VarId) {
        if !self.reached.insert(var) {
            return;
        }
        self.pairs.reach(var);
        for place in self.by_var.get(&var).into_iter().flatten() {
            if let Some(condition) = &mut self.items[*place] {
                condition.missing -= 1;
                if condition.missing == 0 {
                    self.ready.insert(*place);
                }
            }
        }
    }

    /// Those that can be asked of rows with these variables, in order, taken out.
    pub(super) fn take_ready(&mut self, available: &VarSet) -> Vec<Expr> {
        let mut taken = Vec::new();
        for place in std::mem::take(&mut self.ready) {
            match self.items[place].take() {
                Some(c) if c.vars.iter().all(|v| available.contains(v)) => taken.push(c.expr),
                Some(c) => {
                    self.items[place] = Some(c);
                    self.waiting.push(place);
                }
                None => {}
            }
        }
        taken.append(&mut self.pairs.take_ready(available));
        taken
    }

    /// Those of them that are such, in order, taken out.
    pub(super) fn take_ready_if(&mut self, available: &VarSet, is_such: impl Fn(&Expr) -> bool) -> Vec<Expr> {
        let mut taken = Vec::new();
        for place in self.ready.clone() {
            let is_taken =
                |c: &mut Condition| c.vars.iter().all(|v| available.contains(v)) && is_such(&c.expr);
            if let Some(condition) = self.items[place].take_if(is_taken) {
                self.ready.remove(&place);
                taken.push(condition.expr);
            }
        }
        taken
    }

    /// Rows were joined: what waited for them is looked at again.
    pub(super) fn joined(&mut self) {
        self.ready.extend(self.waiting.drain(..));
        self.pairs.joined();
    }

    /// Those that look at a variable, in order.
    pub(super) fn on(&self, var: VarId) -> impl Iterator<Item = (usize, &Condition)> {
        let places = self.by_var.get(&var).into_iter().flatten();
        places.filter_map(|place| Some((*place, self.items[*place].as_ref()?)))
    }

    /// Those that a variable might be looked up by, in order.
    pub(super) fn lookups(&self, var: VarId) -> impl Iterator<Item = (usize, &Condition)> {
        let places = self.lookups.get(&var).into_iter().flatten();
        places.filter_map(|place| Some((*place, self.items[*place].as_ref()?)))
    }

    /// Whether a variable might be looked up.
    pub(super) fn has_lookup(&self, var: VarId) -> bool {
        self.lookups.contains_key(&var)
    }

    /// The places of those that look at some of these variables and at nothing else, in order.
    pub(super) fn within(&self, is_own: impl Fn(&VarId) -> bool, own: &[VarId]) -> Vec<usize> {
        let places: BTreeSet<usize> = (own.iter())
            .flat_map(|v| self.on(*v))
            .filter(|(_, c)| c.vars.iter().all(&is_own))
            .map(|(place, _)| place)
            .collect();
        places.into_iter().collect()
    }

    pub(super) fn get(&self, place: usize) -> Option<&Condition> {
        self.items.get(place)?.as_ref()
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, place: usize) -> Option<Expr> {
        Some(self.items.get_mut(place)?.take()?.expr)
    }

    /// Those that were not placed.
    pub(super) fn rest(self) -> Vec<Expr> {
        self.items.into_iter().flatten().map(|c| c.expr).chain(self.pairs.rest()).collect()
    }

    /// The part of what `var` can be that passes the predicates on it and on what is `known`.
    pub(super) fn selectivity(
        &self,
        statistics: Statistics<'_>,
        var: VarId,
        known: &VarSet,
        of: Of<'_>,
    ) -> f64 {
        let mut joint = Joint::new(statistics, var);
        for (place, condition) in self.on(var) {
            if !condition.vars.iter().all(|v| *v == var || known.contains(v)) {
                continue;
            }
            let mut parts = self.parts.borrow_mut();
            let part = *(parts.entry((place, var)))
                .or_insert_with(|| selectivity(statistics, &condition.expr, var, of));
            joint.add(&condition.expr, part);
        }
        joint.part(of)
    }
}
