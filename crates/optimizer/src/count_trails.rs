//! A lone `count(*)` over edges that must differ, as a sum of counts over edges that need not.
//!
//! By inclusion and exclusion over the pairs that must differ: the matches in which every pair of a set S coincides are the matches of
//! the pattern with those edges made one, and each set counts with the sign of its size. A pattern free of such pairs is
//! counted by passing counts along its edges (`hang_counts`) and never enumerated; merged patterns are smaller, and many
//! of them are empty (no self loops in the data).

use trimorph_algebra::{Aggregate, AggregateKind, Direction, EdgeRange, Expr, Op, Plan, QueryGraph, VarId};
use trimorph_types::LogicalType;

use crate::plan_match::{Coincidence, anchored};
use crate::tables::{edge_tables, narrow_tables};
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
        let directed =
            |v: VarId| edge(v).is_some_and(|e| e.range == EdgeRange::One && e.direction != Direction::Both);
        let pairs = std::mem::take(&mut graph.distinct);
        let suits = (1..=PAIRS_MAX).contains(&pairs.len())
            && pairs.iter().all(|(a, b)| directed(*a) && directed(*b))
            && graph.paths.is_empty()
            && !anchored(self.catalog, &graph, &tables);
        if !suits {
            return None;
        }
        let mut terms: Vec<(VarId, bool)> = Vec::new();
        let mut plan: Option<Plan> = None;
        for set in 0..1u32 << pairs.len() {
            let mut merged = graph.clone();
            let chosen = pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, p)| *p);
            // An edge that was merged goes on under the name of the other.
            let mut names: Vec<(VarId, VarId)> = Vec::new();
            let possible = chosen.into_iter().all(|(a, b)| {
                let name =
                    |v: VarId| names.iter().fold(v, |v, (gone, kept)| if v == *gone { *kept } else { v });
                let (a, b) = (name(a), name(b));
                names.push((b, a));
                a == b || self.merge(&mut merged, a, b)
            });
            if !possible {
                continue;
            }
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
                Some(left) => Plan::HashJoin { left: Box::new(left), right: Box::new(term), on: Vec::new() },
            });
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

    /// Makes edge `b` the same as edge `a`; `false` if no edge can be both.
    fn merge(&self, graph: &mut QueryGraph, a: VarId, b: VarId) -> bool {
        let (Some(x), Some(y)) =
            (graph.edges.iter().position(|e| e.var == a), graph.edges.iter().position(|e| e.var == b))
        else {
            return false;
        };
        let ends = |i: usize| {
            let e = &graph.edges[i];
            if e.direction == Direction::Out { (e.from, e.to) } else { (e.to, e.from) }
        };
        let ((source_a, target_a), (source_b, target_b)) = (ends(x), ends(y));
        let (types_a, types_b) = (graph.edges[x].types.clone(), graph.edges[y].types.clone());
        let types = match (types_a.is_empty(), types_b.is_empty()) {
            (true, _) => types_b,
            (_, true) => types_a,
            _ => {
                let both: Vec<_> = types_a.into_iter().filter(|t| types_b.contains(t)).collect();
                if both.is_empty() {
                    return false;
                }
                both
            }
        };
        graph.edges[x].types = types;
        graph.edges.remove(y);
        rename(graph, b, a);
        rename(graph, source_b, source_a);
        let target_b = if target_b == source_b { source_a } else { target_b };
        let target_a = if target_a == source_b { source_a } else { target_a };
        rename(graph, target_b, target_a);
        // A loop where the data has none matches nothing.
        let loops = |e: &trimorph_algebra::EdgePattern| {
            e.from != e.to || edge_tables(self.catalog, e).iter().any(|t| t.self_loops > 0)
        };
        graph.edges.iter().all(loops)
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
