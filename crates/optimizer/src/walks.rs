//! Takes what is asked of walks as wholes off their pattern, makes it part of the search for them.
//!
//! 1. A walk whose list of relationships is bound before the pattern goes along that list: there is nothing
//!    to search for.
//! 2. Conditions on the whole of a shortest path: those that every node or every relationship must meet prune
//!    the search; upper bounds of the length end it; what is left is asked of whole paths, shorter ones
//!    first. For that both ends must be bound, and all that is asked about.

use std::collections::BTreeMap;

use trimorph_algebra::{
    EdgePattern, EdgeRange, Expr, Extend, Op, PathStep, Plan, QuantifierKind, QueryGraph, VarExtend,
    VarExtendMode, VarId, Walk,
};
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, conjunction, vars_of};

/// Walks by the variables of their edges.
pub(crate) type Walks = BTreeMap<VarId, Walk>;

/// The pass.
pub(crate) fn walks(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        if let Plan::Match { input, graph } = &mut plan
            && graph.edges.iter().any(|e| e.range != EdgeRange::One)
        {
            let bound = input.vars().into_iter().collect();
            graph.walks = take_walks(graph, &bound);
        }
        Ok(plan)
    })
}

/// Takes what is asked of walks off `graph`; `bound` is bound before it.
fn take_walks(graph: &mut QueryGraph, bound: &VarSet) -> Walks {
    let mut walks = Walks::new();
    let QueryGraph { edges, predicates, paths, .. } = graph;
    for path in paths.iter() {
        if let [PathStep::Node(from), PathStep::Edge(walk), PathStep::Node(to)] = path.steps[..]
            && edges.iter().any(|e| e.var == walk && e.range != EdgeRange::One)
        {
            let parts = [from, walk, to].map(Expr::Var);
            predicates.iter_mut().for_each(|predicate| name_parts(predicate, path.var, &parts));
        }
    }
    for edge in edges {
        let EdgeRange::Variable { shortest, .. } = edge.range else { continue };
        let mut walk = Walk::default();
        if shortest.is_none() {
            let known = predicates.iter().position(|p| bound_list(p, edge.var, bound).is_some());
            if let Some(at) = known {
                walk.along = bound_list(&predicates.remove(at), edge.var, bound);
            }
        }
        for condition in std::mem::take(&mut edge.whole) {
            place_condition(condition, edge, &mut walk, bound);
        }
        if walk.along.is_some() || walk.nodes.is_some() || walk.condition.is_some() {
            walks.insert(edge.var, walk);
        }
    }
    walks
}

/// Has a condition on all nodes or relationships of a path speak of the parts of the path, so that it can be
/// asked while the path is walked.
fn name_parts(predicate: &mut Expr, path: VarId, parts: &[Expr]) {
    let Expr::Quantifier { list, .. } = predicate else { return };
    let Expr::Call(_, args, _) = &mut **list else { return };
    for arg in args {
        if matches!(arg, Expr::Var(var) if *var == path) {
            *arg = Expr::Path(parts.to_vec());
        }
    }
}

/// Whether a walk must have the rows that were there before: a condition on each of its parts, or the list it
/// goes along, is of them.
pub(crate) fn asks_of_rows(edge: &EdgePattern, walk: Option<&Walk>) -> bool {
    let each = edge.each.iter().any(|(var, each)| vars_of([each]).iter().any(|v| v != var));
    each || walk.is_some_and(|w| !w.free_vars(Some(edge.var)).is_empty())
}

/// The bound list that a predicate says is the list `edges`.
fn bound_list(predicate: &Expr, edges: VarId, bound: &VarSet) -> Option<VarId> {
    let Expr::Op(Op::Eq, args, _) = predicate else { return None };
    match &args[..] {
        [Expr::Var(a), Expr::Var(b)] if *a == edges && bound.contains(b) => Some(*b),
        [Expr::Var(b), Expr::Var(a)] if *a == edges && bound.contains(b) => Some(*b),
        _ => None,
    }
}

fn place_condition(condition: Expr, edge: &mut EdgePattern, walk: &mut Walk, bound: &VarSet) {
    match element_of(&condition, edge.var, bound) {
        Some((Element::Node, var, each)) => {
            walk.nodes = joined(walk.nodes.take(), var, each);
            return;
        }
        Some((Element::Edge, var, each)) => {
            edge.each = joined(edge.each.take(), var, each);
            return;
        }
        None => {}
    }
    let limit = length_limit(&condition, edge.var);
    if let (Some((longest, _)), EdgeRange::Variable { max, .. }) = (limit, &mut edge.range) {
        *max = Some(max.map_or(longest, |max| max.min(longest)));
    }
    if limit.is_none_or(|(_, whole)| !whole) {
        walk.condition = conjunction(walk.condition.take().into_iter().chain([condition]));
    }
}

/// The walk of an edge of variable length.
pub(crate) fn var_extend(
    input: Box<Plan>,
    step: Extend,
    edge: &EdgePattern,
    into: bool,
    reversed: bool,
    walk: Option<&Walk>,
) -> Plan {
    let (min, max, mode) = match edge.range {
        EdgeRange::One => return *input,
        EdgeRange::Variable { min, max, shortest } => {
            (min, max, shortest.map_or(VarExtendMode::Trails, VarExtendMode::Shortest))
        }
        EdgeRange::Reachable { min, max, trail: true } => (min, max, VarExtendMode::ReachableByTrail),
        EdgeRange::Reachable { min, max, trail: false } => (min, max, VarExtendMode::Reachable),
    };
    let (each, walk) = (edge.each.clone(), Box::new(walk.cloned().unwrap_or_default()));
    Plan::VarExtend { input, step: VarExtend { step, min, max, each, walk, into, reversed, mode } }
}

/// The condition that every edge or node of `edge`'s walk must meet, where the predicate says no more and
/// looks at nothing else but what is `there`: asked of each it cuts walks short.
pub(crate) fn each_of(
    predicate: &Expr,
    edge: &EdgePattern,
    there: &VarSet,
) -> Option<(Element, VarId, Expr)> {
    element_of(predicate, edge.var, there)
}

/// What a condition is on.
pub(crate) enum Element {
    Node,
    Edge,
}

/// What every node or edge of a path must meet, where the condition says no more and asks nothing but what is
/// bound.
fn element_of(condition: &Expr, edges: VarId, bound: &VarSet) -> Option<(Element, VarId, Expr)> {
    let Expr::Quantifier { kind, var, list, predicate } = condition else { return None };
    let element = match &**list {
        Expr::Var(v) if *v == edges => Element::Edge,
        Expr::Call(name, args, _) if matches!(&args[..], [path] if is_path(path, edges)) => match &**name {
            "nodes" => Element::Node,
            "relationships" => Element::Edge,
            _ => return None,
        },
        _ => return None,
    };
    let each = match kind {
        QuantifierKind::All => Expr::clone(predicate),
        QuantifierKind::None => Expr::op(Op::Not, vec![Expr::clone(predicate)]),
        QuantifierKind::Any | QuantifierKind::Single => return None,
    };
    vars_of([&**predicate]).iter().all(|v| v == var || bound.contains(v)).then_some((element, *var, each))
}

fn is_path(expr: &Expr, edges: VarId) -> bool {
    matches!(expr, Expr::Path(parts) if matches!(&parts[..], [_, Expr::Var(v), _] if *v == edges))
}

/// The most edges that a condition on the length lets through, and whether it says no more than that.
fn length_limit(condition: &Expr, edges: VarId) -> Option<(u32, bool)> {
    let Expr::Op(op, args, _) = condition else { return None };
    let (op, length, limit) = match &args[..] {
        [length, Expr::Const(Value::Int(limit))] => (*op, length, *limit),
        [Expr::Const(Value::Int(limit)), length] => {
            let turned = match op {
                Op::Gt => Op::Lt,
                Op::Ge => Op::Le,
                Op::Eq => Op::Eq,
                _ => return None,
            };
            (turned, length, *limit)
        }
        _ => return None,
    };
    let Expr::Call(name, args, _) = length else { return None };
    let measured = match (&**name, &args[..]) {
        ("length", [path]) => is_path(path, edges),
        ("size", [Expr::Var(v)]) => *v == edges,
        ("size", [Expr::Call(list, args, _)]) => {
            &**list == "relationships" && matches!(&args[..], [path] if is_path(path, edges))
        }
        _ => false,
    };
    if !measured {
        return None;
    }
    // Below the shortest there is nothing: what is left of the range says so, or the condition.
    let most = |n: i64| u32::try_from(n.max(0)).unwrap_or(u32::MAX);
    match op {
        Op::Le => Some((most(limit), limit >= 0)),
        Op::Lt => Some((most(limit.saturating_sub(1)), limit > 0)),
        Op::Eq => Some((most(limit), false)),
        _ => None,
    }
}

/// Both conditions, over the variable of the first.
pub(crate) fn joined(first: Option<(VarId, Expr)>, var: VarId, each: Expr) -> Option<(VarId, Expr)> {
    let Some((known, others)) = first else { return Some((var, each)) };
    Some((known, conjunction([others, renamed(each, var, known)])?))
}

pub(crate) fn renamed(expr: Expr, from: VarId, to: VarId) -> Expr {
    match expr {
        Expr::Var(v) if v == from => Expr::Var(to),
        other => other.map_children(&mut |child| renamed(child, from, to)),
    }
}
