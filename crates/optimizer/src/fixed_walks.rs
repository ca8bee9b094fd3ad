//! A walk of a fixed number of edges becomes so many edges: `(a)-[:T*2..2]->(b)` is `(a)-[:T]->()-[:T]->(b)`.
//!
//! Then its steps are ordered by cost, met from both ends, counted without being made and kept as lists like
//! those of any pattern. It is done
//!
//! 1. for one or two edges, also where somebody looks at the list of the edges: it is made of them then, and
//!    what is asked of one of them, or of a node between them, is asked of that;
//! 2. for more where nobody looks at the list and both ends are known: half of the way from each end is
//!    little beside all of it from one;
//! 3. for three that are only counted, from everywhere: `count_trails` does that without making them.
//!
//! Elsewhere walking is faster: it tells edges apart as it goes.

use std::collections::HashMap;

use trimorph_algebra::{
    EdgePattern, EdgeRange, Expr, LabelExpr, NodePattern, Op, PathStep, Plan, QueryGraph, VarId, Vars,
};
use trimorph_types::{LogicalType, Value};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::selectivity::anchors;
use crate::tables::tables_of;
use crate::walks::renamed;
use crate::{Halt, VarSet, vars_of};

/// Edges of a walk up to which it is written out anyhow.
const SHORT: u32 = 2;
/// Those that `count_trails` can count: as many pairs of edges as it takes.
pub(crate) const COUNTED: u32 = 3;
/// Those between two known ends.
const LONG: u32 = 6;
/// Edges of a pattern up to which its walks are written out: pairs to tell apart grow with the square.
const PATTERN_MAX: usize = 32;

/// What a walk became: its edges, and the nodes between them.
struct Steps {
    edges: Vec<VarId>,
    between: Vec<VarId>,
}

/// What walks became, by their variables.
type Written = HashMap<VarId, Steps>;

/// The pass.
pub(crate) fn fixed_walks(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let known = planning.statistics();
    let vars = &mut *planning.vars;
    let mut written = Written::new();
    bottom_up(plan, &planning.needed, &mut |mut plan, needed| {
        match &mut plan {
            Plan::Match { input, graph } if graph.edges.len() <= PATTERN_MAX => {
                let longest = graph.edges.iter().filter_map(fixed).max();
                if let Some(longest) = longest {
                    let of_few = match longest {
                        ..=SHORT => VarSet::new(),
                        _ => anchors(known, graph, &tables_of(known.catalog, graph))
                            .chain(input.vars())
                            .collect(),
                    };
                    let lists = write_out(graph, needed, &of_few, (vars, &mut written));
                    if !lists.is_empty() {
                        return Ok(Plan::Extra { input: Box::new(plan), items: lists });
                    }
                }
            }
            // The edges are there as long as nothing else made rows of these.
            Plan::Filter { input, predicate: asked } | Plan::Unwind { input, list: asked, .. }
                if is_of_pattern(input) =>
            {
                ask_steps(asked, &written);
            }
            Plan::Sort { input, keys, .. } if is_of_pattern(input) => {
                keys.iter_mut().for_each(|key| ask_steps(&mut key.expr, &written));
            }
            Plan::Project { input, items } if is_of_pattern(input) => {
                items.iter_mut().for_each(|(_, expr)| ask_steps(expr, &written));
            }
            Plan::Aggregate { input, keys, aggregates } if is_of_pattern(input) => {
                keys.iter_mut().for_each(|(_, expr)| ask_steps(expr, &written));
                let args = aggregates.iter_mut().filter_map(|(_, aggregate)| aggregate.arg.as_mut());
                args.for_each(|expr| ask_steps(expr, &written));
            }
            _ => {}
        }
        Ok(plan)
    })
}

/// Writes all walks of a pattern out of which nothing is looked at elsewhere; `false` where one stays, or a
/// list of its edges is asked for.
pub(crate) fn written_out(graph: &mut QueryGraph, vars: &mut Vars) -> bool {
    let none = VarSet::new();
    let lists = write_out(graph, &none, &none, (vars, &mut Written::new()));
    lists.is_empty() && graph.edges.iter().all(|edge| edge.range == EdgeRange::One)
}

/// Whether rows have all variables of the pattern that they come from.
fn is_of_pattern(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Match { .. } => return true,
            Plan::Filter { input, .. } | Plan::Extra { input, .. } | Plan::Unwind { input, .. } => input,
            _ => return false,
        }
    }
}

/// Asks of single edges and nodes what is asked of them by their places in a walk or its path.
fn ask_steps(expr: &mut Expr, written: &Written) {
    if !written.is_empty() {
        let asked = std::mem::replace(expr, Expr::Const(Value::Null));
        *expr = with_steps(asked, written, &|walk| Expr::Var(walk));
    }
}

/// The same with `list` for what is left of walks.
fn with_steps(expr: Expr, written: &Written, list: &dyn Fn(VarId) -> Expr) -> Expr {
    let element = |items: &[VarId], index: i64| {
        let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let place = usize::try_from(if index < 0 { index + len } else { index }).ok();
        place.and_then(|place| items.get(place)).map_or(Expr::Const(Value::Null), |var| Expr::Var(*var))
    };
    match &expr {
        Expr::Var(var) if written.contains_key(var) => return list(*var),
        Expr::Op(Op::Index, args, _) => {
            if let [whole, Expr::Const(Value::Int(index))] = &args[..]
                && let Some(items) = items_of(whole, written)
            {
                return element(&items, *index);
            }
        }
        Expr::Call(name, args, _) => {
            let wanted = match (&**name, &args[..]) {
                ("size", [whole]) => items_of(whole, written)
                    .map(|items| Expr::Const(Value::Int(i64::try_from(items.len()).unwrap_or(i64::MAX)))),
                ("head", [whole]) => items_of(whole, written).map(|items| element(&items, 0)),
                ("last", [whole]) => items_of(whole, written).map(|items| element(&items, -1)),
                ("nodes", _) => items_of(&expr, written)
                    .map(|items| Expr::List(items.into_iter().map(Expr::Var).collect())),
                _ => None,
            };
            if let Some(wanted) = wanted {
                return wanted;
            }
        }
        _ => {}
    }
    expr.map_children(&mut |child| with_steps(child, written, list))
}

/// The edges of a walk, or the nodes of the path of a pattern with walks, if all of these were written out.
fn items_of(expr: &Expr, written: &Written) -> Option<Vec<VarId>> {
    if let Expr::Var(walk) = expr {
        return written.get(walk).map(|steps| steps.edges.clone());
    }
    let Expr::Call(name, args, _) = expr else { return None };
    let ("nodes", [Expr::Path(parts)]) = (&**name, &args[..]) else { return None };
    let mut nodes = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        match part {
            Expr::Var(node) if place % 2 == 0 => nodes.push(*node),
            // A single edge has no node between.
            Expr::Var(edge) => nodes.extend(written.get(edge).iter().flat_map(|steps| &steps.between)),
            _ => return None,
        }
    }
    let is_known = |part: &Expr| matches!(part, Expr::Var(walk) if written.contains_key(walk));
    parts.iter().skip(1).step_by(2).all(is_known).then_some(nodes)
}

/// The number of edges of a walk that has always as many, a few.
fn fixed(edge: &EdgePattern) -> Option<u32> {
    match edge.range {
        EdgeRange::Variable { min, max: Some(max), shortest: None }
            if min == max && (1..=LONG).contains(&min) && edge.whole.is_empty() =>
        {
            Some(min)
        }
        _ => None,
    }
}

/// Whether steps are less work than a walk of so many; `of_few` are nodes that are bound or one of few.
fn pays(walk: &EdgePattern, len: u32, needed: &VarSet, of_few: &VarSet) -> bool {
    len <= SHORT
        || (of_few.contains(&walk.from) && of_few.contains(&walk.to))
        || (len <= COUNTED && needed.is_empty() && of_few.is_empty())
}

/// Writes walks out, gives the lists that are to be made of their edges.
fn write_out(
    graph: &mut QueryGraph,
    needed: &VarSet,
    of_few: &VarSet,
    (vars, written): (&mut Vars, &mut Written),
) -> Vec<(VarId, Expr)> {
    // What the list of a walk must be there for while it is walked, or is known before.
    let mut asked = vars_of(graph.edges.iter().flat_map(|edge| edge.each.iter().map(|(_, each)| each)));
    asked.extend(graph.edges.iter().flat_map(|edge| vars_of(&edge.whole)));
    asked.extend(graph.predicates.iter().filter(|p| is_equality(p)).flat_map(|p| vars_of([p])));
    let mut looked_at = vars_of(&graph.predicates);
    // A path of which only parts were asked is not made.
    graph.paths.retain(|path| {
        asked.contains(&path.var) || looked_at.contains(&path.var) || needed.contains(&path.var)
    });
    looked_at.extend(graph.paths.iter().flat_map(|path| &path.steps).filter_map(|step| match step {
        PathStep::Edge(var) => Some(*var),
        PathStep::Node(_) => None,
    }));
    // What each walk became.
    let (mut steps_of, mut lists) = (Written::new(), Vec::new());
    for walk in std::mem::take(&mut graph.edges) {
        let is_looked_at = looked_at.contains(&walk.var) || needed.contains(&walk.var);
        let wanted = |len: &u32| {
            !asked.contains(&walk.var)
                && (!is_looked_at || *len <= SHORT)
                && pays(&walk, *len, needed, of_few)
        };
        let Some(len) = fixed(&walk).filter(wanted) else {
            graph.edges.push(walk);
            continue;
        };
        let mut from = walk.from;
        let mut steps = Steps { edges: Vec::new(), between: Vec::new() };
        for step in 1..=len {
            let to = if step == len { walk.to } else { vars.anonymous(LogicalType::Node) };
            if step < len {
                graph.nodes.push(NodePattern { var: to, labels: LabelExpr::True });
                steps.between.push(to);
            }
            let var = vars.anonymous(LogicalType::Relationship);
            let each = walk.each.iter().map(|(each, condition)| renamed(condition.clone(), *each, var));
            graph.predicates.extend(each);
            let (types, direction) = (walk.types.clone(), walk.direction);
            let (each, whole) = (None, Vec::new());
            graph.edges.push(EdgePattern {
                var,
                from,
                to,
                types,
                direction,
                range: EdgeRange::One,
                each,
                whole,
            });
            steps.edges.push(var);
            from = to;
        }
        let pairs = steps.edges.iter().enumerate();
        graph.distinct.extend(pairs.flat_map(|(i, a)| steps.edges[..i].iter().map(|b| (*b, *a))));
        if is_looked_at {
            lists.push((walk.var, list_of(&steps.edges)));
        }
        steps_of.insert(walk.var, steps);
    }
    for (a, b) in std::mem::take(&mut graph.distinct) {
        let [of_a, of_b] =
            [a, b].map(|var| steps_of.get(&var).map_or_else(|| vec![var], |steps| steps.edges.clone()));
        graph.distinct.extend(of_a.iter().flat_map(|a| of_b.iter().map(|b| (*a, *b))));
    }
    if !steps_of.is_empty() {
        let list = |walk: VarId| steps_of.get(&walk).map_or(Expr::Var(walk), |steps| list_of(&steps.edges));
        for predicate in &mut graph.predicates {
            let asked = std::mem::replace(predicate, Expr::Const(Value::Null));
            *predicate = with_steps(asked, &steps_of, &list);
        }
        graph.paths.iter_mut().for_each(|path| path.steps = path_steps(&path.steps, &steps_of));
        written.extend(steps_of);
    }
    lists
}

/// Whether a condition may say which list a walk is.
fn is_equality(predicate: &Expr) -> bool {
    matches!(predicate, Expr::Op(Op::Eq, args, _) if args.iter().all(|arg| matches!(arg, Expr::Var(_))))
}

fn list_of(edges: &[VarId]) -> Expr {
    Expr::List(edges.iter().map(|edge| Expr::Var(*edge)).collect())
}

/// The steps of a path with those that its walks became.
fn path_steps(steps: &[PathStep], written: &Written) -> Vec<PathStep> {
    let mut out = Vec::with_capacity(steps.len());
    for step in steps {
        match step {
            PathStep::Edge(walk) if let Some(steps) = written.get(walk) => {
                for (place, edge) in steps.edges.iter().enumerate() {
                    out.push(PathStep::Edge(*edge));
                    out.extend(steps.between.get(place).map(|node| PathStep::Node(*node)));
                }
            }
            step => out.push(*step),
        }
    }
    out
}
