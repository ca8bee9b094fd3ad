//! What is asked of a path and known of its parts is asked of these: `length(path)` is the number of its
//! relationships, `relationships(path)` the list of these, or the list that its one walk is, `nodes(path)`
//! the nodes between steps and those on walks. Where nobody looks at the path itself, it is not made: a value
//! for each row, with all its nodes.
//!
//! It is done in conditions of a pattern and in what stands right above it, where all of its variables are
//! there. Nodes on walks that are asked for within a body, as in `all(i IN range(0, 3) WHERE nodes(p)[i].x <
//! nodes(p)[i + 1].x)`, are listed once for each row, and not for each element. Paths that a sort with a
//! limit does not look at are made of the rows that it leaves.

use std::collections::HashMap;

use trimorph_algebra::{EdgeRange, Expr, Op, PathPattern, PathStep, Plan, QueryGraph, VarId, Vars};
use trimorph_base::Span;
use trimorph_types::{LogicalType, Value};

use crate::needed::bottom_up;
use crate::planning::Planning;
use crate::{Halt, VarSet, conjunction, conjuncts, vars_of};

/// The pass.
pub(crate) fn path_parts(plan: Plan, planning: &mut Planning<'_>) -> Result<Plan, Halt> {
    let vars = &mut *planning.vars;
    bottom_up(plan, &planning.needed, &mut |mut plan, _| {
        let mut listed = Listed { vars: &mut *vars, lists: Vec::new() };
        match &mut plan {
            Plan::Match { graph, .. } => {
                let parts = parts_of(graph);
                let asked = std::mem::take(&mut graph.predicates);
                let mut asked_of_lists = Vec::new();
                for mut predicate in asked {
                    rewrite(&mut predicate, &parts, &mut listed);
                    match listed.are_in(&predicate) {
                        true => asked_of_lists.push(predicate),
                        false => graph.predicates.push(predicate),
                    }
                }
                if let (Some(items), Some(predicate)) = (listed.items(), conjunction(asked_of_lists)) {
                    let input = Box::new(Plan::Extra { input: Box::new(plan), items });
                    plan = Plan::Filter { input, predicate };
                }
            }
            Plan::Filter { input, predicate } => {
                rewrite(predicate, &parts_below(input), &mut listed);
                if !listed.lists.is_empty() {
                    plan = listed.filter(plan);
                }
            }
            Plan::Unwind { input, list: asked, .. } => {
                rewrite(asked, &parts_below(input), &mut listed);
                listed.put_below(input);
            }
            Plan::Sort { input, keys, limit, .. } => {
                let parts = parts_below(input);
                keys.iter_mut().for_each(|key| rewrite(&mut key.expr, &parts, &mut listed));
                listed.put_below(input);
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
                items.iter_mut().for_each(|(_, expr)| rewrite(expr, &parts, &mut listed));
                listed.put_below(input);
            }
            Plan::Aggregate { input, keys, aggregates } => {
                let parts = parts_below(input);
                keys.iter_mut().for_each(|(_, expr)| rewrite(expr, &parts, &mut listed));
                let args = aggregates.iter_mut().filter_map(|(_, aggregate)| aggregate.arg.as_mut());
                args.for_each(|expr| rewrite(expr, &parts, &mut listed));
                listed.put_below(input);
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

/// Lists of nodes that bodies ask for, which are made below.
struct Listed<'v> {
    vars: &'v mut Vars,
    /// By their paths.
    lists: Vec<(VarId, VarId, Expr)>,
}

impl Listed<'_> {
    /// The variable of the nodes of a path.
    fn nodes_of(&mut self, path: VarId, nodes: &Expr) -> Expr {
        if let Some((_, list, _)) = self.lists.iter().find(|(of, ..)| *of == path) {
            return Expr::Var(*list);
        }
        let list = self.vars.anonymous(LogicalType::List);
        self.lists.push((path, list, nodes.clone()));
        Expr::Var(list)
    }

    fn are_in(&self, expr: &Expr) -> bool {
        let asked = vars_of([expr]);
        self.lists.iter().any(|(_, list, _)| asked.contains(list))
    }

    /// The lists as items of an operator, if there are any.
    fn items(&mut self) -> Option<Vec<(VarId, Expr)>> {
        let items: Vec<_> = self.lists.drain(..).map(|(_, list, nodes)| (list, nodes)).collect();
        (!items.is_empty()).then_some(items)
    }

    /// Makes the lists of the rows of a plan.
    fn put_below(&mut self, input: &mut Box<Plan>) {
        if let Some(items) = self.items() {
            let below = std::mem::replace(&mut **input, Plan::Unit);
            **input = Plan::Extra { input: Box::new(below), items };
        }
    }

    /// A filter whose lists are made after all conditions that need none.
    fn filter(&mut self, plan: Plan) -> Plan {
        let Plan::Filter { mut input, predicate } = plan else { return plan };
        let mut conditions = Vec::new();
        conjuncts(predicate, &mut conditions);
        let (late, early): (Vec<Expr>, Vec<Expr>) =
            conditions.into_iter().partition(|condition| self.are_in(condition));
        if let Some(predicate) = conjunction(early) {
            input = Box::new(Plan::Filter { input, predicate });
        }
        self.put_below(&mut input);
        match conjunction(late) {
            Some(predicate) => Plan::Filter { input, predicate },
            None => *input,
        }
    }
}

fn rewrite(expr: &mut Expr, paths: &HashMap<VarId, Parts>, listed: &mut Listed<'_>) {
    if !paths.is_empty() {
        *expr = rewritten(std::mem::replace(expr, Expr::Const(Value::Null)), paths, false, listed);
    }
}

/// `in_body`: whether it is computed for each element of a list.
fn rewritten(expr: Expr, paths: &HashMap<VarId, Parts>, in_body: bool, listed: &mut Listed<'_>) -> Expr {
    if let Expr::Call(name, args, _) = &expr
        && let [Expr::Var(path)] = args[..]
        && let Some(parts) = paths.get(&path)
    {
        let part = match &**name {
            "length" => Some(&parts.length),
            "relationships" => Some(&parts.relationships),
            "nodes" if in_body && matches!(parts.nodes, Expr::Call(..)) => {
                return listed.nodes_of(path, &parts.nodes);
            }
            "nodes" => Some(&parts.nodes),
            _ => None,
        };
        if let Some(part) = part {
            return part.clone();
        }
    }
    let mut of = |child: Box<Expr>, in_body| Box::new(rewritten(*child, paths, in_body, listed));
    match expr {
        Expr::Quantifier { kind, var, list, predicate } => {
            Expr::Quantifier { kind, var, list: of(list, in_body), predicate: of(predicate, true) }
        }
        Expr::ListComprehension { var, list, filter, map } => Expr::ListComprehension {
            var,
            list: of(list, in_body),
            filter: filter.map(|filter| of(filter, true)),
            map: map.map(|map| of(map, true)),
        },
        Expr::Reduce { acc, init, var, list, body } => {
            Expr::Reduce { acc, init: of(init, in_body), var, list: of(list, in_body), body: of(body, true) }
        }
        other => other.map_children(&mut |child| rewritten(child, paths, in_body, listed)),
    }
}
