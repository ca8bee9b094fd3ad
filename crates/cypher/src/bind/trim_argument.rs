//! Which outer variables a subplan uses: its `Argument` gives these and no others.

use std::collections::HashSet;

use trimorph_algebra::{ApplyKind, Expr, Plan, QueryGraph, Update, VarId};

/// The plan with its leading `Argument` set to those of `visible` that the plan or `value` mentions.
pub(super) fn trim(plan: Plan, visible: &[VarId], value: Option<&Expr>) -> (Plan, Vec<VarId>) {
    let mut mentioned = HashSet::new();
    in_plan(&plan, true, &mut mentioned);
    if let Some(value) = value {
        in_expr(value, &mut mentioned);
    }
    let mut arguments: Vec<VarId> = visible.iter().copied().filter(|v| mentioned.contains(v)).collect();
    arguments.sort_unstable();
    arguments.dedup();
    (with_argument(plan, &arguments), arguments)
}

fn with_argument(plan: Plan, arguments: &[VarId]) -> Plan {
    match plan {
        Plan::Argument(_) => Plan::Argument(arguments.to_vec()),
        Plan::Apply { input, subplan, kind } => {
            Plan::Apply { input: Box::new(with_argument(*input, arguments)), subplan, kind }
        }
        Plan::Merge { input, subplan, merge } => {
            Plan::Merge { input: Box::new(with_argument(*input, arguments)), subplan, merge }
        }
        other => other.map_children(&mut |child| with_argument(child, arguments)),
    }
}

/// Adds the variables that an expression mentions, its own locals included.
fn in_expr(expr: &Expr, out: &mut HashSet<VarId>) {
    if let Expr::Var(var) = expr {
        out.insert(*var);
    }
    expr.for_each_child(&mut |child| in_expr(child, out));
}

/// Adds the variables that a plan mentions; `leading` if its first `Argument` does not count.
fn in_plan(plan: &Plan, leading: bool, out: &mut HashSet<VarId>) {
    match plan {
        Plan::Argument(vars) if !leading => out.extend(vars),
        Plan::Match { graph, .. } => in_graph(graph, out),
        Plan::Apply { subplan, kind, .. } => {
            in_plan(subplan, false, out);
            if let ApplyKind::Collect(_, value) = kind {
                in_expr(value, out);
            }
        }
        Plan::Update { update, .. } => in_update(update, out),
        Plan::Merge { subplan, merge, .. } => {
            in_plan(subplan, false, out);
            merge.create.iter().for_each(|change| out.extend(change.reads()));
            merge.on_create.iter().chain(&merge.on_match).for_each(|update| in_update(update, out));
        }
        Plan::Filter { predicate, .. } => in_expr(predicate, out),
        Plan::Extra { items, .. } | Plan::Project { items, .. } => {
            items.iter().for_each(|(_, e)| in_expr(e, out));
        }
        Plan::Aggregate { keys, aggregates, .. } => {
            keys.iter().for_each(|(_, e)| in_expr(e, out));
            for (_, aggregate) in aggregates {
                aggregate.arg.iter().chain(&aggregate.parameter).for_each(|e| in_expr(e, out));
            }
        }
        Plan::Distinct { vars, .. } => out.extend(vars),
        Plan::Sort { keys, .. } => keys.iter().for_each(|k| in_expr(&k.expr, out)),
        Plan::Unwind { list, .. } => in_expr(list, out),
        Plan::ProcedureCall { call, .. } => call.arguments.iter().for_each(|e| in_expr(e, out)),
        _ => {}
    }
    match plan {
        Plan::Apply { input, .. } | Plan::Merge { input, .. } => in_plan(input, leading, out),
        plan => plan.children().into_iter().for_each(|child| in_plan(child, leading, out)),
    }
}

fn in_update(update: &Update, out: &mut HashSet<VarId>) {
    update.values.iter().for_each(|(_, e)| in_expr(e, out));
    update.changes.iter().for_each(|change| out.extend(change.reads()));
}

fn in_graph(graph: &QueryGraph, out: &mut HashSet<VarId>) {
    out.extend(graph.nodes.iter().map(|n| n.var));
    for edge in &graph.edges {
        out.insert(edge.var);
        if let Some((_, each)) = &edge.each {
            in_expr(each, out);
        }
        edge.whole.iter().for_each(|condition| in_expr(condition, out));
    }
    graph.predicates.iter().for_each(|p| in_expr(p, out));
}
