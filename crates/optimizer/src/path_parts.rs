//! What is asked of a path and known of its parts is asked of these: `length(path)` is the number of its
//! relationships, `relationships(path)` the list that its one walk is. Where nobody looks at the path itself,
//! it is not made: a value for each row, with all its nodes.
//!
//! It is done in conditions of a pattern and in what stands right above it, where all of its variables are
//! there.

use std::collections::HashMap;

use trimorph_algebra::{EdgeRange, Expr, Op, PathPattern, PathStep, Plan, QueryGraph, VarId};
use trimorph_base::Span;
use trimorph_types::Value;

use crate::Halt;
use crate::needed::bottom_up;
use crate::planning::Planning;

/// The pass.
pub(crate) fn path_parts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        match &mut plan {
            Plan::Match { graph, .. } => {
                let parts = parts_of(graph);
                graph.predicates.iter_mut().for_each(|predicate| rewrite(predicate, &parts));
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

/// What is known of a path.
struct Parts {
    length: Expr,
    relationships: Option<Expr>,
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
    let relationships = match walks[..] {
        [(var, _)] if single == 0 => Some(Expr::Var(var)),
        _ => None,
    };
    Some(Parts { length, relationships })
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
            "relationships" => parts.relationships.as_ref(),
            _ => None,
        };
        if let Some(part) = part {
            return part.clone();
        }
    }
    expr.map_children(&mut |child| rewritten(child, paths))
}
