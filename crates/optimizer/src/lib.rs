//! The one optimizer: a bound plan in, a plan of scans, extends and joins out.
//!
//! Passes, each with one file:
//!
//! 0. `merge_patterns` patterns that follow each other become one
//! 1. `count_trails`   a lone `count(*)` whose edges must differ becomes a sum of counts that need not look
//! 2. `plan_match`     each pattern: tables of its nodes, predicates placed, joins ordered
//!    - `tables`       which node tables each node can be in, narrowed along edges
//!    - `walks`        what is asked of walks as wholes becomes part of the search
//!    - `tell_apart`   edges that must differ, where they could be the same
//!    - `hang_counts`  leaves that nobody looks at become counting steps
//!    - `semi_joins`   conditions on a node, and on what it leads to, become a set of nodes
//!    - `order_joins`  dynamic programming over connected sets of nodes, cost in factorised tuples
//!    - `hash_joins`   parts planned by themselves and joined
//!    - `estimate`     rows, degrees, selectivities from the catalog's statistics
//!
//! Source: design §7; GF-CL §7; Poseidon §8.
#![forbid(unsafe_code)]

mod count_trails;
mod estimate;
mod hang_counts;
mod hash_joins;
mod merge_patterns;
mod order_joins;
mod plan_match;
mod semi_joins;
mod tables;
mod tell_apart;
mod walks;

use std::collections::BTreeSet;

use trimorph_algebra::{ApplyKind, BoundQuery, Expr, Plan, VarId};
use trimorph_catalog::Catalog;

use estimate::Statistics;

pub use estimate::{Estimator, estimate_rows};

/// What the optimizer may do; everything on but for tests and the bench.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Order joins by cost; off keeps the order of the text.
    pub reorder: bool,
    /// Count leaves that nobody looks at instead of making them.
    pub count: bool,
    /// Intersect lists for cycles; off expands and checks.
    pub intersect: bool,
    /// Find nodes that pass a condition once, where it would be asked of each of them many times.
    pub semi_join: bool,
    /// Plan parts of a pattern by themselves and join them by hash, where that is cheaper.
    pub hash_join: HashJoins,
}

/// When parts of a pattern are joined by hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HashJoins {
    /// Never.
    Off,
    /// Where it is cheaper.
    Cost,
    /// Wherever it can be: for tests.
    Always,
}

impl Default for Options {
    fn default() -> Self {
        Self { reorder: true, count: true, intersect: true, semi_join: true, hash_join: HashJoins::Cost }
    }
}

/// Plans `query` for data described by `catalog`; `estimator` knows more than the catalog tells.
pub fn optimize(
    query: BoundQuery,
    catalog: &Catalog,
    estimator: Option<&dyn Estimator>,
    options: Options,
) -> BoundQuery {
    let BoundQuery { plan, columns, mut vars, parameters, notices } = query;
    let needed = columns.iter().map(|(_, v)| *v).collect();
    let plan = merge_patterns::merge_patterns(plan);
    let plan = Optimizer { catalog, estimator, options, vars: &mut vars }.plan(plan, &needed);
    BoundQuery { plan, columns, vars, parameters, notices }
}

pub(crate) type VarSet = BTreeSet<VarId>;

pub(crate) struct Optimizer<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) estimator: Option<&'a dyn Estimator>,
    pub(crate) options: Options,
    pub(crate) vars: &'a mut trimorph_algebra::Vars,
}

/// The free variables of some expressions.
pub(crate) fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> VarSet {
    let mut vars = Vec::new();
    exprs.into_iter().for_each(|e| e.free_vars(&mut vars));
    vars.into_iter().collect()
}

/// The conjuncts of a predicate.
pub(crate) fn conjuncts(expr: Expr, out: &mut Vec<Expr>) {
    match expr {
        Expr::Op(trimorph_algebra::Op::And, parts, _) => parts.into_iter().for_each(|p| conjuncts(p, out)),
        other => out.push(other),
    }
}

impl<'a> Optimizer<'a> {
    pub(crate) fn statistics(&self) -> Statistics<'a> {
        Statistics { catalog: self.catalog, estimator: self.estimator }
    }

    /// Plans `plan`, of whose variables `needed` are looked at above.
    pub(crate) fn plan(&mut self, plan: Plan, needed: &VarSet) -> Plan {
        let with = |vars: VarSet| -> VarSet { vars.union(needed).copied().collect() };
        match plan {
            Plan::Match { input, graph } => {
                let mut below = vars_of(&graph.predicates);
                below.extend(vars_of(graph.edges.iter().filter_map(|e| e.each.as_ref().map(|(_, x)| x))));
                below.extend(vars_of(graph.edges.iter().flat_map(|e| &e.whole)));
                below.extend(graph.nodes.iter().map(|n| n.var));
                below.extend(needed);
                let input = self.plan(*input, &below);
                self.plan_match(input, graph, needed)
            }
            Plan::Filter { input, predicate } => match *input {
                // A filter on a pattern is part of it.
                Plan::Match { input, mut graph } => {
                    conjuncts(predicate, &mut graph.predicates);
                    self.plan(Plan::Match { input, graph }, needed)
                }
                input => {
                    let below = with(vars_of([&predicate]));
                    Plan::Filter { input: Box::new(self.plan(input, &below)), predicate }
                }
            },
            Plan::Extra { input, items } => {
                let items: Vec<_> = items.into_iter().filter(|(v, _)| needed.contains(v)).collect();
                let below = with(vars_of(items.iter().map(|(_, e)| e)));
                let input = self.plan(*input, &below);
                if items.is_empty() { input } else { Plan::Extra { input: Box::new(input), items } }
            }
            Plan::Project { input, items } => {
                let below = vars_of(items.iter().filter(|(v, _)| needed.contains(v)).map(|(_, e)| e));
                Plan::Project { input: Box::new(self.plan(*input, &below)), items }
            }
            Plan::Aggregate { input, keys, aggregates } => {
                if let Some(plan) = self.count_trails(&input, &keys, &aggregates) {
                    return self.plan(plan, needed);
                }
                let args = aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter));
                let below = vars_of(keys.iter().map(|(_, e)| e).chain(args));
                Plan::Aggregate { input: Box::new(self.plan(*input, &below)), keys, aggregates }
            }
            Plan::Distinct { input, vars } => {
                let below = vars.iter().copied().collect();
                Plan::Distinct { input: Box::new(self.plan(*input, &below)), vars }
            }
            Plan::Sort { input, keys, limit } => {
                let below = with(vars_of(keys.iter().map(|k| &k.expr)));
                Plan::Sort { input: Box::new(self.plan(*input, &below)), keys, limit }
            }
            Plan::Unwind { input, list, var } => {
                let below = with(vars_of([&list]));
                Plan::Unwind { input: Box::new(self.plan(*input, &below)), list, var }
            }
            Plan::ProcedureCall { input, call } => {
                let below = with(vars_of(&call.arguments));
                Plan::ProcedureCall { input: Box::new(self.plan(*input, &below)), call }
            }
            Plan::Union { inputs, vars } => {
                let below = vars.iter().copied().collect();
                Plan::Union { inputs: inputs.into_iter().map(|i| self.plan(i, &below)).collect(), vars }
            }
            Plan::Apply { input, subplan, kind } => {
                let sub_needed: VarSet = match &kind {
                    ApplyKind::Inner | ApplyKind::Optional => needed.clone(),
                    ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_) | ApplyKind::Count(_) => {
                        VarSet::new()
                    }
                    ApplyKind::Collect(_, expr) => vars_of([expr]),
                };
                let mut below = needed.clone();
                below.extend(arguments(&subplan));
                let input = self.plan(*input, &below);
                let subplan = self.plan(*subplan, &sub_needed);
                Plan::Apply { input: Box::new(input), subplan: Box::new(subplan), kind }
            }
            other => {
                let needed = needed.clone();
                other.map_children(&mut |child| self.plan(child, &needed))
            }
        }
    }
}

/// The variables that a subplan takes from outside.
fn arguments(plan: &Plan) -> VarSet {
    match plan {
        Plan::Argument(vars) => vars.iter().copied().collect(),
        Plan::Apply { input, .. } => arguments(input),
        other => other.children().into_iter().flat_map(arguments).collect(),
    }
}
