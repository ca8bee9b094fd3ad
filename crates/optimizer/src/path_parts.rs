//! What is asked of a path and known of its parts is asked of these: `length(path)` is the number of its
//! relationships, `relationships(path)` the list of these, or the list that its one walk is, `nodes(path)`
//! the nodes between steps and those on walks. Where nobody looks at the path itself, it is not made: a value
//! for each row, with all its nodes.
//!
//! It is done in conditions of a pattern and in what stands right above it, where all of its variables are
//! there. Paths that a sort with a limit does not look at are made of the rows that it leaves.

use std::collections::HashMap;

use trimorph_algebra::{EdgeRange, Expr, Op, PathPattern, PathStep, Plan, QueryGraph, VarId};
use trimorph_base::Span;
use trimorph_types::Value;

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, vars_of};

/// The pass.
pub(crate) fn path_parts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => {
                let parts = parts_of(graph);
                graph.predicates.iter_mut().for_each(|predicate| rewrite(predicate, &parts));
            }
            Plan::Filter { input, predicate: asked } | Plan::Unwind { input, list: asked, .. } => {
                rewrite(asked, &parts_below(input));
            }
            Plan::Sort { input, keys, limit, .. } => {
                let parts = parts_below(input);
                keys.iter_mut().for_each(|key| rewrite(&mut key.expr, &parts));
                if limit.is_some() {
                    let asked = vars_of(keys.iter().map(|key| &key.expr));
                    let items = take_paths(input, asked);
                    if !items.is_empty() {
                        plan = Plan::Extra { input: Box::new(plan), items };
                    }
                }
            }
            Plan::Project { input, items } => {
                let parts = parts_below(input);
                items.iter_mut().for_each(|(_, expr)| rewrite(expr, &parts));
            }
            Plan::Aggregate { input, keys, aggregates } => {
                let parts = parts_below(input);
                keys.iter_mut().for_each(|(_, expr)| rewrite(expr, &parts));
                let args = aggregates.iter_mut().filter_map(|(_, aggregate)| aggregate.arg.as_mut());
                args.for_each(|expr| rewrite(expr, &parts));
            }
            _ => {}
        }
        Ok(plan)
    })
}

/// Takes those paths off the pattern below that nothing on the way to it looks at, and what is `asked`
/// neither: of the rows that are left after a sort few are made.
fn take_paths(mut plan: &mut Plan, mut asked: VarSet) -> Vec<(VarId, Expr)> {
    loop {
        plan = match plan {
            Plan::Match { graph, .. } => {
                asked.extend(vars_of(&graph.predicates));
                let is_late = |path: &mut PathPattern| !asked.contains(&path.var);
                let taken = graph.paths.extract_if(.., is_late);
                return taken
                    .map(|path| (path.var, Expr::Path(path.steps.iter().map(of_step).collect())))
                    .collect();
            }
            Plan::Filter { input, predicate: on_way } | Plan::Unwind { input, list: on_way, .. } => {
                asked.extend(vars_of([&*on_way]));
                input
            }
            Plan::Extra { input, items } => {
                asked.extend(vars_of(items.iter().map(|(_, expr)| expr)));
                input
            }
            _ => return Vec::new(),
        }
    }
}

fn of_step(step: &PathStep) -> Expr {
    match step {
        PathStep::Node(var) | PathStep::Edge(var) => Expr::Var(*var),
    }
}

/// What is known of a path.
struct Parts {
    length: Expr,
    relationships: Expr,
    nodes: Expr,
}

/// The paths of the pattern that rows come from, if nothing else made rows of these.
fn parts_below(mut plan: &Plan) -> HashMap<VarId, Parts> {
    loop {
        plan = match plan {
            Plan::Match { graph, .. } => return parts_of(graph),
            Plan::Filter { input, .. } | Plan::Extra { input, .. } | Plan::Unwind { input, .. } => input,
            _ => return HashMap::new(),
        }
    }
}

fn parts_of(graph: &QueryGraph) -> HashMap<VarId, Parts> {
    let of = |path: &PathPattern| Some((path.var, parts(&path.steps, graph)?));
    graph.paths.iter().filter_map(of).collect()
}

fn parts(steps: &[PathStep], graph: &QueryGraph) -> Option<Parts> {
    let (mut single, mut fixed, mut walks) = (0, 0, Vec::new());
    for step in steps {
        let PathStep::Edge(var) = step else { continue };
        match graph.edges.iter().find(|edge| edge.var == *var)?.range {
            EdgeRange::One => single += 1,
            EdgeRange::Variable { min, max: Some(max), shortest: None } if min == max => {
                fixed += i64::from(min);
                walks.push((*var, true));
            }
            EdgeRange::Variable { .. } => walks.push((*var, false)),
            EdgeRange::Reachable { .. } => return None,
        }
    }
    let size = |var: VarId| Expr::Call("size".into(), vec![Expr::Var(var)], Span::default());
    let mut terms: Vec<Expr> =
        walks.iter().filter(|(_, is_fixed)| !is_fixed).map(|(var, _)| size(*var)).collect();
    if single + fixed > 0 || terms.is_empty() {
        terms.push(Expr::Const(Value::Int(single + fixed)));
    }
    let length = terms.into_iter().reduce(|a, b| Expr::op(Op::Add, vec![a, b]))?;
    Some(Parts { length, relationships: relationships(steps, &walks)?, nodes: nodes(steps, &walks) })
}

/// The relationships of all steps: lists of those between walks, and the walks, one after the other.
fn relationships(steps: &[PathStep], walks: &[(VarId, bool)]) -> Option<Expr> {
    let mut terms = Vec::new();
    for step in steps {
        let PathStep::Edge(var) = *step else { continue };
        match terms.last_mut() {
            _ if walks.iter().any(|(walk, _)| *walk == var) => terms.push(Expr::Var(var)),
            Some(Expr::List(singles)) => singles.push(Expr::Var(var)),
            _ => terms.push(Expr::List(vec![Expr::Var(var)])),
        }
    }
    if terms.is_empty() {
        return Some(Expr::List(Vec::new()));
    }
    terms.into_iter().reduce(|a, b| Expr::op(Op::Add, vec![a, b]))
}

/// The nodes between steps, or the nodes of the path that is made of all its parts.
fn nodes(steps: &[PathStep], walks: &[(VarId, bool)]) -> Expr {
    if walks.is_empty() {
        return Expr::List(
            steps.iter().filter(|step| matches!(step, PathStep::Node(_))).map(of_step).collect(),
        );
    }
    Expr::Call("nodes".into(), vec![Expr::Path(steps.iter().map(of_step).collect())], Span::default())
}

fn rewrite(expr: &mut Expr, paths: &HashMap<VarId, Parts>) {
    if !paths.is_empty() {
        *expr = rewritten(std::mem::replace(expr, Expr::Const(Value::Null)), paths);
    }
}

fn rewritten(expr: Expr, paths: &HashMap<VarId, Parts>) -> Expr {
    if let Expr::Call(name, args, _) = &expr
        && let [Expr::Var(path)] = args[..]
        && let Some(parts) = paths.get(&path)
    {
        let part = match &**name {
            "length" => Some(&parts.length),
            "relationships" => Some(&parts.relationships),
            "nodes" => Some(&parts.nodes),
            _ => None,
        };
        if let Some(part) = part {
            return part.clone();
        }
    }
    expr.map_children(&mut |child| rewritten(child, paths))
}
