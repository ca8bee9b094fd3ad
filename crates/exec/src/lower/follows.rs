//! Which keys of a grouping tell its groups apart: takes the keys and the plan of the rows, gives the keys in
//! the order in which the table of groups wants them. `WITH f, collect(p) AS ps MATCH (f)-->(m) WITH f, ps,
//! count(m) AS n` groups by `f`: an earlier grouping gave each `f` one list, which is kept beside the group
//! and neither hashed nor compared.
//!
//! A value is *settled* by some keys where all rows that have these in common have the very same one:
//! 1. a node or a relationship, by itself: equal ones are the same;
//! 2. all that one row of an earlier grouping has, by the keys of that;
//! 3. what is computed of settled values. Not of keys as such: 1 and 1.0 are one group, halves of them are
//!    not;
//! 4. the node at the other end where a node has one relationship of a kind at most.
//!
//! Rows of a subplan differ by more than what it says (the row around), and those of an optional one may be
//! missing: these are not looked into. What a join compares may come from either side, as 1 or as 1.0: it is
//! not settled.

use trimorph_algebra::{Expr, Plan, VarId};
use trimorph_types::LogicalType;

use super::lowering::{Lowering, Vars, vars_of};
use crate::volatile::is_volatile;

/// Operators that are looked through.
const OPERATORS_MAX: usize = 256;
/// Keys that are looked at: each asks all facts again.
const KEYS_MAX: usize = 64;

/// What a plan says of its rows.
#[derive(Default)]
struct Facts {
    all: Vec<Fact>,
    /// What joins compare.
    compared: Vars,
}

/// One thing that it says.
enum Fact {
    /// Two names of one value.
    Same(VarId, VarId),
    /// What one row of a grouping has: its keys, and all of it.
    Row { keys: Vec<VarId>, all: Vec<VarId> },
    /// What follows from other values.
    Computed { var: VarId, of: Vars },
}

impl Lowering<'_> {
    /// The keys, those first that tell groups apart, and how many these are: one at least, if there is any.
    pub(super) fn told_apart(&self, input: &Plan, keys: &[(VarId, Expr)]) -> (Vec<(VarId, Expr)>, usize) {
        let mut told: Vec<usize> = (0..keys.len()).collect();
        if keys.len() > 1 && keys.len() <= KEYS_MAX && !input.updates() {
            let facts = self.facts(input);
            // Those that cost most to tell apart are left out first.
            let mut order = told.clone();
            order.sort_by_key(|place| self.cost(&keys[*place].1));
            for place in order.into_iter().rev().filter(|_| !facts.all.is_empty()) {
                let others: Vec<usize> = told.iter().copied().filter(|other| *other != place).collect();
                let of = others.iter().map(|other| &keys[*other].1);
                if !others.is_empty() && follows(&keys[place].1, &self.settled(of, &facts)) {
                    told = others;
                }
            }
        }
        let rest = (0..keys.len()).filter(|place| !told.contains(place));
        let sorted = told.iter().copied().chain(rest).map(|place| keys[place].clone()).collect();
        (sorted, told.len())
    }

    /// How much it costs to tell values of a key apart, from least to most.
    fn cost(&self, key: &Expr) -> u8 {
        let Expr::Var(var) = key else { return 3 };
        if !self.is_named(*var) {
            return 0;
        }
        match self.query.vars.get(*var).ty {
            LogicalType::Node => 0,
            LogicalType::Relationship | LogicalType::Int | LogicalType::Date | LogicalType::Bool => 1,
            LogicalType::String => 2,
            _ => 3,
        }
    }

    fn is_entity(&self, var: VarId) -> bool {
        self.is_named(var)
            && matches!(self.query.vars.get(var).ty, LogicalType::Node | LogicalType::Relationship)
    }

    /// What a plan says of its rows.
    fn facts(&self, plan: &Plan) -> Facts {
        let (mut facts, mut left) = (Facts::default(), vec![plan]);
        for _ in 0..OPERATORS_MAX {
            let Some(plan) = left.pop() else { break };
            match plan {
                Plan::Project { input, items } | Plan::Extra { input, items } => {
                    facts.all.extend(items.iter().filter_map(|(var, expr)| match expr {
                        Expr::Var(other) => Some(Fact::Same(*var, *other)),
                        _ if is_volatile(expr) => None,
                        _ => Some(Fact::Computed { var: *var, of: vars_of([expr]) }),
                    }));
                    left.push(input);
                }
                Plan::Aggregate { keys, aggregates, .. } => {
                    let keys: Vec<VarId> = keys.iter().map(|(var, _)| *var).collect();
                    let all = keys.iter().copied().chain(aggregates.iter().map(|(var, _)| *var)).collect();
                    // What came before is one with others in its groups.
                    facts.all.push(Fact::Row { keys, all });
                }
                Plan::Extend { input, step } => {
                    let access = self.step(step);
                    if access.by_table.iter().all(|all| all.len() <= 1 && all.iter().all(|a| a.single)) {
                        let found = step.edge.into_iter().chain([step.to]);
                        facts
                            .all
                            .extend(found.map(|var| Fact::Computed { var, of: Vars::from([step.from]) }));
                    }
                    left.push(input);
                }
                Plan::HashJoin { left: one, right: other, on }
                | Plan::RangeJoin { left: one, right: other, on, .. } => {
                    facts.compared.extend(on.iter().filter(|var| !self.is_entity(**var)));
                    left.extend([&**one, &**other]);
                }
                Plan::Apply { input, .. }
                | Plan::Filter { input, .. }
                | Plan::Distinct { input, .. }
                | Plan::Sort { input, .. }
                | Plan::Skip { input, .. }
                | Plan::Limit { input, .. }
                | Plan::Unwind { input, .. }
                | Plan::KeyLookup { input, .. }
                | Plan::EdgeLookup { input, .. }
                | Plan::IdLookup { input, .. }
                | Plan::ExtendInto { input, .. }
                | Plan::ExtendCount { input, .. }
                | Plan::VarExtend { input, .. }
                | Plan::Intersect { input, .. }
                | Plan::SemiJoin { input, .. }
                | Plan::Spool { input, .. } => left.push(input),
                _ => {}
            }
        }
        facts
    }

    /// All that is settled by some keys.
    fn settled<'k>(&self, keys: impl Iterator<Item = &'k Expr>, facts: &Facts) -> Vars {
        let mut known: Vars =
            keys.filter_map(|key| if let Expr::Var(var) = key { Some(*var) } else { None }).collect();
        let mut settled: Vars = known.iter().copied().filter(|var| self.is_entity(*var)).collect();
        loop {
            let before = known.len() + settled.len();
            for fact in &facts.all {
                match fact {
                    Fact::Same(a, b) => {
                        for vars in [&mut known, &mut settled] {
                            if vars.contains(a) || vars.contains(b) {
                                vars.extend([a, b]);
                            }
                        }
                    }
                    Fact::Row { keys, all } if keys.iter().all(|key| known.contains(key)) => {
                        known.extend(all);
                        settled.extend(all);
                    }
                    Fact::Computed { var, of } if of.is_subset(&settled) => {
                        known.insert(*var);
                        settled.insert(*var);
                    }
                    _ => {}
                }
            }
            settled.retain(|var| !facts.compared.contains(var));
            if known.len() + settled.len() == before {
                return settled;
            }
        }
    }
}

/// Whether a key follows from settled values.
fn follows(key: &Expr, settled: &Vars) -> bool {
    let of = vars_of([key]);
    !of.is_empty() && of.is_subset(settled) && !is_volatile(key)
}
