//! A pattern around a relationship that is there before, as in `UNWIND rels AS r MATCH (a)-[r]->(b)`, asks
//! nothing of the graph but the ends of `r`: they are taken from it, and the edge leaves the pattern.
//!
//! Against its direction, or where the pattern names none, the ends are the other way round. Where neither
//! end is known a pattern without direction has two rows for each relationship, and one for a loop.
//!
//! A relationship that was deleted since has no type, and is in no pattern.

use trimorph_algebra::{
    Direction, EdgePattern, EdgeRange, Expr, LabelExpr, Op, Plan, QueryGraph, VarId, Vars,
};
use trimorph_base::Span;
use trimorph_types::{LogicalType, Value};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet};

/// The pass.
pub(crate) fn bound_edges(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Match { input, graph } = &mut plan {
            while let Some((edge, bound)) = take_bound(graph, &input.vars().into_iter().collect()) {
                let below = std::mem::replace(&mut **input, Plan::Unit);
                **input = with_ends(below, &edge, bound, graph, vars);
            }
        }
        Ok(plan)
    })
}

/// Takes an edge off the pattern that a condition says is one of `bound`, and that condition.
fn take_bound(graph: &mut QueryGraph, bound: &VarSet) -> Option<(EdgePattern, VarId)> {
    let QueryGraph { edges, predicates, .. } = graph;
    for (place, edge) in edges.iter().enumerate() {
        if edge.range != EdgeRange::One {
            continue;
        }
        let same = |predicate: &Expr| match predicate {
            Expr::Op(Op::Eq, args, _) => match args[..] {
                [Expr::Var(a), Expr::Var(b)] if a == edge.var && bound.contains(&b) => Some(b),
                [Expr::Var(b), Expr::Var(a)] if a == edge.var && bound.contains(&b) => Some(b),
                _ => None,
            },
            _ => None,
        };
        let found = predicates.iter().enumerate().find_map(|(k, predicate)| Some((k, same(predicate)?)));
        if let Some((k, of)) = found {
            predicates.remove(k);
            return Some((edges.remove(place), of));
        }
    }
    None
}

fn var(var: VarId) -> Expr {
    Expr::Var(var)
}

fn call(function: &str, of: VarId) -> Expr {
    Expr::Call(function.into(), vec![var(of)], Span::default())
}

fn equal(a: Expr, b: Expr) -> Expr {
    Expr::op(Op::Eq, vec![a, b])
}

fn choose(when: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Case { branches: vec![(when, then)], otherwise: Box::new(otherwise) }
}

/// Rows with `edge`, which is `bound`, and its ends; what is asked of ends that rows have already becomes
/// predicates of the pattern.
fn with_ends(input: Plan, edge: &EdgePattern, bound: VarId, graph: &mut QueryGraph, vars: &mut Vars) -> Plan {
    let (start, end) = (call("startNode", bound), call("endNode", bound));
    let (mut is_known, mut items): (VarSet, _) = (input.vars().into_iter().collect(), vec![]);
    let types = edge.types.iter().cloned().map(LabelExpr::Label);
    let types = types.reduce(|a, b| LabelExpr::Or(Box::new(a), Box::new(b)));
    let is_there = Expr::HasLabel(Box::new(var(bound)), types.unwrap_or(LabelExpr::True));
    let mut plan = Plan::Filter { input: Box::new(input), predicate: is_there };
    items.push((edge.var, var(bound)));
    let QueryGraph { predicates, edges, distinct, .. } = graph;
    let mut put = |node: VarId, is: Expr| {
        if is_known.insert(node) { items.push((node, is)) } else { predicates.push(equal(var(node), is)) }
    };
    match edge.direction {
        Direction::Out => {
            put(edge.from, start);
            put(edge.to, end);
        }
        Direction::In => {
            put(edge.from, end);
            put(edge.to, start);
        }
        Direction::Both if edge.from == edge.to => {
            put(edge.from, start.clone());
            predicates.push(equal(start, end));
        }
        Direction::Both => {
            let ends = [edge.from, edge.to];
            match ends.into_iter().find(|node| plan.vars().contains(node)) {
                Some(known) => {
                    let is_at = |end: &Expr| equal(end.clone(), var(known));
                    let other = if known == edge.from { edge.to } else { edge.from };
                    put(other, choose(is_at(&start), end.clone(), start.clone()));
                    predicates.push(Expr::op(Op::Or, vec![is_at(&start), is_at(&end)]));
                }
                None => {
                    let forward = vars.anonymous(LogicalType::Bool);
                    let both = Expr::Const(Value::list(vec![Value::Bool(true), Value::Bool(false)]));
                    plan = Plan::Unwind { input: Box::new(plan), list: both, var: forward };
                    let differ = Expr::op(Op::Ne, vec![start.clone(), end.clone()]);
                    let predicate = Expr::op(Op::Or, vec![var(forward), differ]);
                    plan = Plan::Filter { input: Box::new(plan), predicate };
                    put(edge.from, choose(var(forward), start.clone(), end.clone()));
                    put(edge.to, choose(var(forward), end, start));
                }
            }
        }
    }
    distinct.retain(|(a, b)| {
        let other = if *a == edge.var { *b } else { *a };
        let is_of_edge = [a, b].contains(&&edge.var);
        if is_of_edge {
            let is_walk = edges.iter().any(|e| e.var == other && e.range != EdgeRange::One);
            predicates.push(match is_walk {
                true => Expr::op(Op::Not, vec![Expr::op(Op::In, vec![var(edge.var), var(other)])]),
                false => Expr::op(Op::Ne, vec![var(edge.var), var(other)]),
            });
        }
        !is_of_edge
    });
    Plan::Extra { input: Box::new(plan), items }
}
