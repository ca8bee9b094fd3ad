//! A lone `count(*)` over edges that must differ, as a sum of counts over edges that need not.
//!
//! By inclusion and exclusion over the pairs that must differ: the matches in which every pair of a set S coincides are the matches of
//! the pattern with those edges made one, and each set counts with the sign of its size. A pattern free of such pairs is
//! counted by passing counts along its edges (`hang_counts`) and never enumerated; merged patterns are smaller, and many
//! of them are empty (no self loops in the data).

use trimorph_algebra::{Aggregate, AggregateKind, Direction, EdgeRange, Expr, Op, Plan, QueryGraph, VarId};
use trimorph_types::LogicalType;

use crate::plan_match::anchored;
use crate::tables::{edge_tables, narrow_tables};
use crate::tell_apart::Coincidence;
use crate::{Optimizer, conjuncts, vars_of};

/// Most pairs for which the sum is made: 2^3 patterns.
const PAIRS_MAX: usize = 3;

impl Optimizer<'_> {
    /// The sum, where `input` is a pattern that it suits.
    pub(crate) fn count_trails(
        &mut self,
        input: &Plan,
        keys: &[(VarId, Expr)],
        aggregates: &[(VarId, Aggregate)],
    ) -> Option<Plan> {
        let [(result, Aggregate { kind: AggregateKind::CountStar, .. })] = aggregates else { return None };
        if !keys.is_empty() || !self.options.count {
            return None;
        }
        let mut graph = pattern(input)?;
        let tables = narrow_tables(self.catalog, &graph);
        let coincidence = Coincidence { catalog: self.catalog, tables: &tables };
        let edges = graph.edges.clone();
        let edge = |v: VarId| edges.iter().find(|e| e.var == v);
        graph.distinct.retain(|(a, b)| match (edge(*a), edge(*b)) {
            (Some(a), Some(b)) => coincidence.possible(a, b),
            _ => true,
        });
        // An undirected edge can be another in two ways, which are told apart only where no edge is a loop.
        let single = |v: VarId| {
            edge(v).is_some_and(|e| {
                e.range == EdgeRange::One
                    && (e.direction != Direction::Both
                        || edge_tables(self.catalog, e).iter().all(|t| t.self_loops == 0))
            })
        };
        let pairs = std::mem::take(&mut graph.distinct);
        let suits = (1..=PAIRS_MAX).contains(&pairs.len())
            && pairs.iter().all(|(a, b)| single(*a) && single(*b))
            && graph.paths.is_empty()
            && graph.edges.iter().all(|e| e.whole.is_empty())
            && !anchored(self.statistics(), &graph, &tables);
        if !suits {
            return None;
        }
        let mut terms: Vec<(VarId, bool)> = Vec::new();
        let mut plan: Option<Plan> = None;
        for set in 0..1u32 << pairs.len() {
            let chosen = pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, p)| *p);
            // Each pattern that the chosen pairs can become, with the names that merged edges go on under.
            let mut merged: Vec<(QueryGraph, Vec<(VarId, VarId)>)> = vec![(graph.clone(), Vec::new())];
            for (a, b) in chosen {
                merged = (merged.into_iter())
                    .flat_map(|(graph, mut names)| {
                        let name = |v: VarId| {
                            names.iter().fold(v, |v, (gone, kept)| if v == *gone { *kept } else { v })
                        };
                        let (a, b) = (name(a), name(b));
                        let options = if a == b { vec![graph] } else { self.merge(&graph, a, b) };
                        names.push((b, a));
                        options.into_iter().map(move |g| (g, names.clone()))
                    })
                    .collect();
            }
            for (merged, _) in merged {
                let count = self.vars.anonymous(LogicalType::Int);
                terms.push((count, set.count_ones() % 2 == 1));
                let star = Aggregate {
                    kind: AggregateKind::CountStar,
                    arg: None,
                    parameter: None,
                    distinct: false,
                    span: Default::default(),
                };
                let input = Box::new(Plan::Match { input: Box::new(Plan::Unit), graph: merged });
                let term = Plan::Aggregate { input, keys: Vec::new(), aggregates: vec![(count, star)] };
                plan = Some(match plan {
                    None => term,
                    Some(left) => {
                        Plan::HashJoin { left: Box::new(left), right: Box::new(term), on: Vec::new() }
                    }
                });
            }
        }
        let mut sum: Option<Expr> = None;
        for (var, negative) in terms {
            let op = if negative { Op::Sub } else { Op::Add };
            sum = Some(match sum {
                None => Expr::Var(var),
                Some(left) => Expr::op(op, vec![left, Expr::Var(var)]),
            });
        }
        Some(Plan::Project { input: Box::new(plan?), items: vec![(*result, sum?)] })
    }

    /// The patterns in which edge `b` is the same as edge `a`: none where their labels differ, two where one is undirected.
    fn merge(&self, graph: &QueryGraph, a: VarId, b: VarId) -> Vec<QueryGraph> {
        let find = |v: VarId| graph.edges.iter().find(|e| e.var == v);
        let (Some(x), Some(y)) = (find(a), find(b)) else { return Vec::new() };
        let types = match (x.types.is_empty(), y.types.is_empty()) {
            (true, _) => y.types.clone(),
            (_, true) => x.types.clone(),
            _ => {
                let both: Vec<_> = x.types.iter().filter(|t| y.types.contains(t)).cloned().collect();
                if both.is_empty() {
                    return Vec::new();
                }
                both
            }
        };
        // `a` read from `x.from`; `b` read the same way or the other way round.
        let readings = [(y.from, y.to, y.direction), (y.to, y.from, y.direction.reversed())];
        (readings.into_iter())
            .filter_map(|(from, to, direction)| {
                let direction = match (x.direction, direction) {
                    (Direction::Both, d) | (d, Direction::Both) => d,
                    (d, e) if d == e => d,
                    _ => return None,
                };
                let mut merged = graph.clone();
                merged.edges.retain(|e| e.var != b);
                let kept = merged.edges.iter_mut().find(|e| e.var == a)?;
                kept.types = types.clone();
                kept.direction = direction;
                rename(&mut merged, b, a);
                rename(&mut merged, from, x.from);
                // The first renaming may have touched the second pair.
                let same = |v: VarId| if v == from { x.from } else { v };
                rename(&mut merged, same(to), same(x.to));
                // One edge from a node to itself, where the data has none, matches nothing; several may come back, and none stays.
                let possible = |e: &trimorph_algebra::EdgePattern| {
                    e.range != EdgeRange::One
                        || e.from != e.to
                        || edge_tables(self.catalog, e).iter().any(|t| t.self_loops > 0)
                };
                merged.edges.iter().all(possible).then_some(merged)
            })
            .collect()
    }
}

/// The pattern of a plan that is one, filters included.
fn pattern(plan: &Plan) -> Option<QueryGraph> {
    match plan {
        Plan::Match { input, graph } if matches!(**input, Plan::Unit) => Some(graph.clone()),
        Plan::Filter { input, predicate } => {
            let mut graph = pattern(input)?;
            conjuncts(predicate.clone(), &mut graph.predicates);
            Some(graph)
        }
        // Names given to things that a count does not look at.
        Plan::Project { input, items }
            if items.iter().all(|(_, e)| matches!(e, Expr::Var(_) | Expr::Const(_))) =>
        {
            pattern(input)
        }
        _ => None,
    }
}

/// Replaces a variable everywhere in a pattern; two nodes that become one must satisfy both label conditions.
fn rename(graph: &mut QueryGraph, from: VarId, to: VarId) {
    if from == to {
        return;
    }
    let swap = |v: &mut VarId| {
        if *v == from {
            *v = to;
        }
    };
    if let Some(i) = graph.nodes.iter().position(|n| n.var == from) {
        let gone = graph.nodes.remove(i);
        match graph.nodes.iter_mut().find(|n| n.var == to) {
            Some(node) => node.labels = node.labels.clone().and(gone.labels),
            None => graph.nodes.push(trimorph_algebra::NodePattern { var: to, ..gone }),
        }
    }
    for edge in &mut graph.edges {
        swap(&mut edge.from);
        swap(&mut edge.to);
    }
    for predicate in &mut graph.predicates {
        if vars_of([&*predicate]).contains(&from) {
            *predicate = substitute(std::mem::replace(predicate, Expr::truth()), from, to);
        }
    }
}

fn substitute(expr: Expr, from: VarId, to: VarId) -> Expr {
    match expr {
        Expr::Var(v) if v == from => Expr::Var(to),
        other => other.map_children(&mut |child| substitute(child, from, to)),
    }
}
