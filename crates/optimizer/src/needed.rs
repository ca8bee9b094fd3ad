//! Takes a plan and what is looked at above it, walks it with what is looked at above each of its operators.

use trimorph_algebra::{ApplyKind, Change, Expr, GroupLimit, PathStep, Plan, QueryGraph, Update, VarId};

use crate::{Halt, VarSet, calls_volatile, vars_of};

/// Changes a plan bottom up: `change` gets each operator, its inputs changed already, and the variables that
/// are looked at above it.
pub(crate) fn bottom_up(
    mut plan: Plan,
    needed: &VarSet,
    change: &mut dyn FnMut(Plan, &VarSet) -> Result<Plan, Halt>,
) -> Result<Plan, Halt> {
    bottom_up_within(&mut plan, needed, &mut |_| {}, change)?;
    Ok(plan)
}

/// The same, where `within` is told the rows that an apply hands in before its subplan is changed, and
/// nothing once it is.
pub(crate) fn bottom_up_within(
    plan: &mut Plan,
    needed: &VarSet,
    within: &mut dyn FnMut(Option<&Plan>),
    change: &mut dyn FnMut(Plan, &VarSet) -> Result<Plan, Halt>,
) -> Result<(), Halt> {
    let below = below(plan, needed);
    if let Plan::Apply { input, subplan, .. } = plan {
        for (place, (child, needed)) in [&mut **input, &mut **subplan].into_iter().zip(&below).enumerate() {
            bottom_up_within(child, needed, within, change)?;
            if place == 0 {
                within(Some(child));
            }
        }
        within(None);
    } else {
        for (child, needed) in plan.children_mut().into_iter().zip(&below) {
            bottom_up_within(child, needed, within, change)?;
        }
    }
    *plan = change(std::mem::replace(plan, Plan::Unit), needed)?;
    Ok(())
}

/// What is looked at above each input of an operator.
pub(crate) fn below(plan: &Plan, needed: &VarSet) -> Vec<VarSet> {
    let with = |vars: VarSet| vec![vars.union(needed).copied().collect::<VarSet>()];
    // What gives something else for each row needs each row: none may stand for several.
    let each = |vars: VarSet, is_volatile: bool, input: &Plan| match is_volatile {
        true => vars.into_iter().chain(input.vars()).collect(),
        false => vars,
    };
    let wanted =
        |items: &[(VarId, Expr)]| vars_of(items.iter().filter(|(v, _)| needed.contains(v)).map(|(_, e)| e));
    match plan {
        Plan::Unit | Plan::Empty(_) | Plan::Argument(_) | Plan::NodeScan(_) | Plan::SpoolRead { .. } => {
            Vec::new()
        }
        Plan::Match { graph, .. } => with(asked_by(graph)),
        Plan::Filter { predicate, input } => {
            with(each(vars_of([predicate]), calls_volatile(predicate), input))
        }
        Plan::Extra { items, input } => {
            with(each(wanted(items), items.iter().any(|(_, e)| calls_volatile(e)), input))
        }
        Plan::Project { items, input } => {
            vec![each(wanted(items), items.iter().any(|(_, e)| calls_volatile(e)), input)]
        }
        Plan::Aggregate { keys, aggregates, input } => {
            let args = || aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter));
            let exprs = || keys.iter().map(|(_, e)| e).chain(args());
            vec![each(vars_of(exprs()), exprs().any(calls_volatile), input)]
        }
        Plan::Distinct { vars, .. } => vec![vars.iter().copied().collect()],
        Plan::Sort { keys, of_group, .. } => {
            let of_group = of_group.iter().flat_map(GroupLimit::exprs);
            with(vars_of(keys.iter().map(|k| &k.expr).chain(of_group)))
        }
        Plan::Skip { .. } | Plan::Limit { .. } => vec![needed.clone()],
        Plan::Shortest { edges, .. } => with(VarSet::from([*edges])),
        Plan::Unwind { list, .. } => with(vars_of([list])),
        Plan::ProcedureCall { call, .. } => with(vars_of(&call.arguments)),
        Plan::Statements { pattern, .. } => with(pattern.vars().collect()),
        Plan::PropertyPath { path, .. } => with(path.vars().collect()),
        Plan::Union { inputs, vars } => vec![vars.iter().copied().collect(); inputs.len()],
        Plan::Apply { subplan, kind, .. } => {
            let inner = match kind {
                ApplyKind::Inner | ApplyKind::Optional => needed.clone(),
                ApplyKind::Semi
                | ApplyKind::Anti
                | ApplyKind::Mark(_)
                | ApplyKind::Count(_)
                | ApplyKind::Effects { .. } => VarSet::new(),
                ApplyKind::Collect(_, expr) => vars_of([expr]),
                ApplyKind::Paired { found, .. } => VarSet::from([*found]),
            };
            let mut outer = arguments(subplan);
            outer.extend(if let ApplyKind::Paired { node, .. } = kind { Some(*node) } else { None });
            outer.extend(needed);
            vec![outer, inner]
        }
        Plan::Update { update, .. } => with(asked_by_update(update)),
        Plan::Merge { input, subplan, merge } => {
            let updates = merge.on_create.iter().chain(&merge.on_match);
            let mut all: VarSet = updates.flat_map(asked_by_update).collect();
            all.extend(merge.create.iter().flat_map(|change| change.reads()));
            all.extend(needed);
            let (outer, inner) = (input.vars(), subplan.vars());
            let of = |vars: Vec<VarId>| all.iter().copied().filter(|v| vars.contains(v)).collect::<VarSet>();
            let mut outer = of(outer);
            outer.extend(arguments(subplan));
            vec![outer, of(inner)]
        }
        Plan::KeyLookup { lookup, .. } => with(vars_of(lookup.exprs())),
        Plan::EdgeLookup { lookup, .. } => with(vars_of([&lookup.key])),
        Plan::IdLookup { id, .. } => with(vars_of([id])),
        Plan::Extend { step, .. } => with(VarSet::from([step.from])),
        Plan::ExtendInto { step, .. } => with(VarSet::from([step.from, step.to])),
        Plan::ExtendCount { step, .. } => with(VarSet::from([step.step.from])),
        Plan::VarExtend { step, .. } => {
            let mut vars = VarSet::from([step.step.from]);
            vars.extend(step.into.then_some(step.step.to));
            vars.extend(vars_of(step.each.iter().map(|(_, e)| e)));
            vars.extend(step.walk.free_vars(step.step.edge));
            with(vars)
        }
        Plan::Intersect { steps, .. } => with(steps.iter().map(|s| s.from).collect()),
        Plan::SemiJoin { var, .. } => {
            let mut outer = needed.clone();
            outer.insert(*var);
            vec![outer, VarSet::from([*var])]
        }
        Plan::Spool { vars, .. } => vec![needed.clone(), vars.iter().copied().collect()],
        Plan::HashJoin { on, .. } => {
            let mut both = needed.clone();
            both.extend(on);
            vec![both.clone(), both]
        }
        Plan::RangeJoin { on, band, .. } => {
            let mut both = needed.clone();
            both.extend(on);
            both.insert(band.key);
            both.extend(band.bounds());
            vec![both.clone(), both]
        }
    }
}

/// The variables that an update looks at.
fn asked_by_update(update: &Update) -> VarSet {
    let mut vars = vars_of(update.values.iter().map(|(_, e)| e));
    vars.extend(update.changes.iter().flat_map(Change::reads));
    vars
}

/// The variables that a pattern looks at in the rows it starts from.
fn asked_by(graph: &QueryGraph) -> VarSet {
    let mut vars = vars_of(&graph.predicates);
    vars.extend(vars_of(graph.edges.iter().filter_map(|e| e.each.as_ref().map(|(_, x)| x))));
    vars.extend(vars_of(graph.edges.iter().flat_map(|e| &e.whole)));
    vars.extend(asked_with(graph));
    vars.extend(graph.nodes.iter().map(|n| n.var));
    vars
}

/// The variables that walks are asked about with.
fn asked_with(graph: &QueryGraph) -> impl Iterator<Item = VarId> {
    graph.walks.iter().flat_map(|(edges, walk)| walk.free_vars(Some(*edges)))
}

/// What must be made of a pattern: what is needed above, what walks are asked about with, and of paths that
/// are needed or asked for their steps too.
pub(crate) fn made_of(graph: &QueryGraph, needed: &VarSet) -> VarSet {
    let mut made = needed.clone();
    if !graph.walks.is_empty() {
        made.extend(asked_with(graph));
        // What is asked of a whole walk is asked between its ends.
        let is_asked = |v: &VarId| graph.walks.get(v).is_some_and(|walk| walk.condition.is_some());
        made.extend(graph.edges.iter().filter(|e| is_asked(&e.var)).flat_map(|e| [e.from, e.to]));
    }
    if graph.paths.is_empty() {
        return made;
    }
    // A path that a predicate looks at is made first, then looked at.
    let looked_at = vars_of(&graph.predicates);
    made.extend(graph.paths.iter().map(|p| p.var).filter(|v| looked_at.contains(v)));
    let paths: Vec<_> = graph.paths.iter().filter(|p| made.contains(&p.var)).collect();
    for path in paths {
        made.extend(path.steps.iter().map(|s| match s {
            PathStep::Node(v) | PathStep::Edge(v) => *v,
        }));
    }
    made
}

/// The variables that a subplan takes from outside.
pub(crate) fn arguments(plan: &Plan) -> VarSet {
    let mut found = VarSet::new();
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        match plan {
            Plan::Argument(vars) => found.extend(vars),
            Plan::Apply { input, .. } => left.push(input),
            other => left.extend(other.children()),
        }
    }
    found
}
