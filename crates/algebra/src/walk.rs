//! Walking operator trees: what they stand on, what variables their rows have, how deep they are.

use std::collections::HashSet;

use crate::{ApplyKind, CountStep, Expr, GroupLimit, Plan, VarId, Walk};

impl Plan {
    /// The direct inputs, outer before inner, probe before build.
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Unit | Self::Empty(_) | Self::Argument(_) | Self::NodeScan(_) | Self::SpoolRead { .. } => {
                Vec::new()
            }
            Self::Match { input, .. }
            | Self::Filter { input, .. }
            | Self::Extra { input, .. }
            | Self::Project { input, .. }
            | Self::Aggregate { input, .. }
            | Self::Distinct { input, .. }
            | Self::Sort { input, .. }
            | Self::Skip { input, .. }
            | Self::Limit { input, .. }
            | Self::Shortest { input, .. }
            | Self::Unwind { input, .. }
            | Self::ProcedureCall { input, .. }
            | Self::Statements { input, .. }
            | Self::PropertyPath { input, .. }
            | Self::KeyLookup { input, .. }
            | Self::EdgeLookup { input, .. }
            | Self::IdLookup { input, .. }
            | Self::Extend { input, .. }
            | Self::ExtendInto { input, .. }
            | Self::ExtendCount { input, .. }
            | Self::VarExtend { input, .. }
            | Self::Intersect { input, .. }
            | Self::Update { input, .. } => vec![input],
            Self::Apply { input, subplan, .. } | Self::Merge { input, subplan, .. } => vec![input, subplan],
            Self::SemiJoin { input, filter, .. } => vec![input, filter],
            Self::HashJoin { left, right, .. } | Self::RangeJoin { left, right, .. } => vec![left, right],
            Self::Spool { input, rows, .. } => vec![input, rows],
            Self::Union { inputs, .. } => inputs.iter().collect(),
        }
    }

    /// The same with every direct input replaced by what `change` gives for it.
    pub fn map_children(self, change: &mut dyn FnMut(Self) -> Self) -> Self {
        let mut b = |p: Box<Self>| Box::new(change(*p));
        match self {
            Self::Unit | Self::Empty(_) | Self::Argument(_) | Self::NodeScan(_) | Self::SpoolRead { .. } => {
                self
            }
            Self::Match { input, graph } => Self::Match { input: b(input), graph },
            Self::Filter { input, predicate } => Self::Filter { input: b(input), predicate },
            Self::Extra { input, items } => Self::Extra { input: b(input), items },
            Self::Project { input, items } => Self::Project { input: b(input), items },
            Self::Aggregate { input, keys, aggregates } => {
                Self::Aggregate { input: b(input), keys, aggregates }
            }
            Self::Distinct { input, vars } => Self::Distinct { input: b(input), vars },
            Self::Sort { input, keys, limit, of_group } => {
                Self::Sort { input: b(input), keys, limit, of_group }
            }
            Self::Skip { input, count } => Self::Skip { input: b(input), count },
            Self::Limit { input, count } => Self::Limit { input: b(input), count },
            Self::Shortest { input, edges, all } => Self::Shortest { input: b(input), edges, all },
            Self::Unwind { input, list, var } => Self::Unwind { input: b(input), list, var },
            Self::ProcedureCall { input, call } => Self::ProcedureCall { input: b(input), call },
            Self::Statements { input, pattern } => Self::Statements { input: b(input), pattern },
            Self::PropertyPath { input, path } => Self::PropertyPath { input: b(input), path },
            Self::KeyLookup { input, lookup } => Self::KeyLookup { input: b(input), lookup },
            Self::EdgeLookup { input, lookup } => Self::EdgeLookup { input: b(input), lookup },
            Self::IdLookup { input, var, id, tables } => Self::IdLookup { input: b(input), var, id, tables },
            Self::Extend { input, step } => Self::Extend { input: b(input), step },
            Self::ExtendInto { input, step } => Self::ExtendInto { input: b(input), step },
            Self::ExtendCount { input, step } => Self::ExtendCount { input: b(input), step },
            Self::VarExtend { input, step } => Self::VarExtend { input: b(input), step },
            Self::Intersect { input, steps } => Self::Intersect { input: b(input), steps },
            Self::Apply { input, subplan, kind } => {
                let input = b(input);
                Self::Apply { input, subplan: b(subplan), kind }
            }
            Self::Update { input, update } => Self::Update { input: b(input), update },
            Self::Merge { input, subplan, merge } => {
                let input = b(input);
                Self::Merge { input, subplan: b(subplan), merge }
            }
            Self::SemiJoin { input, filter, var, anti } => {
                let input = b(input);
                Self::SemiJoin { input, filter: b(filter), var, anti }
            }
            Self::HashJoin { left, right, on } => {
                let left = b(left);
                Self::HashJoin { left, right: b(right), on }
            }
            Self::RangeJoin { left, right, on, band } => {
                let left = b(left);
                Self::RangeJoin { left, right: b(right), on, band }
            }
            Self::Spool { input, rows, vars, number } => {
                let input = b(input);
                Self::Spool { input, rows: b(rows), vars, number }
            }
            Self::Union { inputs, vars } => {
                Self::Union { inputs: inputs.into_iter().map(change).collect(), vars }
            }
        }
    }

    /// The direct inputs, to be changed in place, in the order of [`Plan::children`].
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Unit | Self::Empty(_) | Self::Argument(_) | Self::NodeScan(_) | Self::SpoolRead { .. } => {
                Vec::new()
            }
            Self::Match { input, .. }
            | Self::Filter { input, .. }
            | Self::Extra { input, .. }
            | Self::Project { input, .. }
            | Self::Aggregate { input, .. }
            | Self::Distinct { input, .. }
            | Self::Sort { input, .. }
            | Self::Skip { input, .. }
            | Self::Limit { input, .. }
            | Self::Shortest { input, .. }
            | Self::Unwind { input, .. }
            | Self::ProcedureCall { input, .. }
            | Self::Statements { input, .. }
            | Self::PropertyPath { input, .. }
            | Self::KeyLookup { input, .. }
            | Self::EdgeLookup { input, .. }
            | Self::IdLookup { input, .. }
            | Self::Extend { input, .. }
            | Self::ExtendInto { input, .. }
            | Self::ExtendCount { input, .. }
            | Self::VarExtend { input, .. }
            | Self::Intersect { input, .. }
            | Self::Update { input, .. } => vec![input],
            Self::Apply { input, subplan, .. } | Self::Merge { input, subplan, .. } => vec![input, subplan],
            Self::SemiJoin { input, filter, .. } => vec![input, filter],
            Self::HashJoin { left, right, .. } | Self::RangeJoin { left, right, .. } => vec![left, right],
            Self::Spool { input, rows, .. } => vec![input, rows],
            Self::Union { inputs, .. } => inputs.iter_mut().collect(),
        }
    }

    /// Whether it changes the graph. Without recursion.
    pub fn updates(&self) -> bool {
        let mut left = vec![self];
        while let Some(plan) = left.pop() {
            if let Self::Update { .. } | Self::Merge { .. } = plan {
                return true;
            }
            left.extend(plan.children());
        }
        false
    }

    /// Drops the plan without recursion.
    pub(crate) fn take_apart(self) {
        let mut left = vec![self];
        while let Some(mut plan) = left.pop() {
            left.extend(plan.children_mut().into_iter().map(|child| std::mem::replace(child, Self::Unit)));
        }
    }

    /// The most operators one above the other, subplans and counted steps included. Without recursion.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut left = vec![(self, 1)];
        while let Some((plan, depth)) = left.pop() {
            deepest = deepest.max(depth);
            match plan {
                Self::ExtendCount { step, .. } => deepest = deepest.max(depth + step.depth()),
                Self::Match { graph, .. } => {
                    let counted = graph.counts.iter().map(|(_, step)| step.depth()).max();
                    deepest = deepest.max(depth + counted.unwrap_or(0));
                }
                _ => {}
            }
            left.extend(plan.children().into_iter().map(|child| (child, depth + 1)));
        }
        deepest
    }

    /// Calls `visit` on the expressions of an operator, not on those of its inputs.
    pub fn for_each_expr<'p>(&'p self, visit: &mut dyn FnMut(&'p Expr)) {
        match self {
            Self::Match { graph, .. } => {
                graph.predicates.iter().for_each(&mut *visit);
                for edge in &graph.edges {
                    edge.each.iter().map(|(_, e)| e).chain(&edge.whole).for_each(&mut *visit);
                }
                graph.walks.values().for_each(|walk| walk.for_each_expr(visit));
                graph.counts.iter().for_each(|(_, step)| step.for_each_expr(visit));
            }
            Self::Apply { kind: ApplyKind::Collect(_, expr), .. } => visit(expr),
            Self::Filter { predicate, .. } => visit(predicate),
            Self::Extra { items, .. } | Self::Project { items, .. } => {
                items.iter().for_each(|(_, e)| visit(e))
            }
            Self::Aggregate { keys, aggregates, .. } => {
                keys.iter().for_each(|(_, e)| visit(e));
                for (_, aggregate) in aggregates {
                    aggregate.arg.iter().chain(&aggregate.parameter).for_each(&mut *visit);
                }
            }
            Self::Sort { keys, limit, of_group, .. } => {
                let of_group = of_group.iter().flat_map(GroupLimit::exprs);
                keys.iter().map(|k| &k.expr).chain(limit).chain(of_group).for_each(visit);
            }
            Self::Skip { count, .. } | Self::Limit { count, .. } => visit(count),
            Self::Unwind { list, .. } => visit(list),
            Self::Update { update, .. } => update.values.iter().for_each(|(_, e)| visit(e)),
            Self::Merge { merge, .. } => {
                let updates = merge.on_create.iter().chain(&merge.on_match);
                updates.flat_map(|update| &update.values).for_each(|(_, e)| visit(e));
            }
            Self::ProcedureCall { call, .. } => call.arguments.iter().for_each(visit),
            Self::NodeScan(scan) => scan.prune.iter().for_each(|p| visit(&p.value)),
            Self::KeyLookup { lookup, .. } => lookup.exprs().for_each(visit),
            Self::EdgeLookup { lookup, .. } => visit(&lookup.key),
            Self::IdLookup { id, .. } => visit(id),
            Self::ExtendCount { step, .. } => step.for_each_expr(visit),
            Self::VarExtend { step, .. } => {
                step.each.iter().for_each(|(_, e)| visit(e));
                step.walk.for_each_expr(visit);
            }
            _ => {}
        }
    }

    /// The most expressions one within the other, in any operator. Without recursion.
    pub fn expression_depth(&self) -> usize {
        let mut deepest = 0;
        let mut plans = vec![self];
        while let Some(plan) = plans.pop() {
            plan.for_each_expr(&mut |expr| deepest = deepest.max(expr.depth()));
            plans.extend(plan.children());
        }
        deepest
    }

    /// The variables this plan's rows have, in no particular order.
    ///
    /// **Cost**: linear in the operators and their variables; no recursion but into the second inputs of
    /// joins and applies.
    pub fn vars(&self) -> Vec<VarId> {
        let mut found = Found::default();
        self.add_vars(&mut found);
        found.order
    }

    fn add_vars(&self, out: &mut Found) {
        let mut plan = self;
        loop {
            plan = match plan {
                Self::Unit => return,
                Self::Argument(vars) | Self::Empty(vars) => return out.add(vars.iter().copied()),
                Self::Distinct { vars, .. } | Self::Union { vars, .. } => {
                    return out.add(vars.iter().copied());
                }
                Self::NodeScan(scan) => return out.add([scan.var]),
                Self::SpoolRead { columns, .. } => return out.add(columns.iter().map(|(v, _)| *v)),
                Self::Project { items, .. } => return out.add(items.iter().map(|(v, _)| *v)),
                Self::Aggregate { keys, aggregates, .. } => {
                    out.add(keys.iter().map(|(v, _)| *v));
                    return out.add(aggregates.iter().map(|(v, _)| *v));
                }
                other => {
                    other.add_own_vars(out);
                    match other.children().first() {
                        Some(input) => input,
                        None => return,
                    }
                }
            };
        }
    }

    /// Adds the variables that an operator adds to those of its first input.
    fn add_own_vars(&self, out: &mut Found) {
        match self {
            Self::Match { graph, .. } => {
                out.add(graph.nodes.iter().map(|n| n.var));
                out.add(graph.edges.iter().map(|e| e.var));
                out.add(graph.paths.iter().map(|p| p.var));
            }
            Self::Apply { subplan, kind, .. } => match kind.answer() {
                ApplyKind::Inner | ApplyKind::Optional => subplan.add_vars(out),
                ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Paired { .. } | ApplyKind::Effects { .. } => {}
                ApplyKind::Mark(v) | ApplyKind::Count(v) | ApplyKind::Collect(v, _) => out.add([*v]),
            },
            Self::Extra { items, .. } => out.add(items.iter().map(|(v, _)| *v)),
            Self::Update { update, .. } => out.add(update.made()),
            Self::Merge { subplan, .. } => subplan.add_vars(out),
            Self::Unwind { var, .. } | Self::IdLookup { var, .. } => out.add([*var]),
            Self::ProcedureCall { call, .. } => out.add(call.outputs.iter().map(|(_, v)| *v)),
            Self::Statements { pattern, .. } => out.add(pattern.vars()),
            Self::PropertyPath { path, .. } => out.add(path.vars()),
            Self::KeyLookup { lookup, .. } => out.add([lookup.var]),
            Self::EdgeLookup { lookup, .. } => {
                out.add([lookup.step.from, lookup.step.to].into_iter().chain(lookup.step.edge));
            }
            Self::Extend { step, .. } | Self::ExtendInto { step, .. } => {
                out.add(step.edge.into_iter().chain([step.to]));
            }
            Self::VarExtend { step, .. } => out.add(step.step.edge.into_iter().chain([step.step.to])),
            Self::Intersect { steps, .. } => {
                out.add(steps.iter().flat_map(|s| s.edge.into_iter().chain([s.to])));
            }
            Self::HashJoin { right, .. } | Self::RangeJoin { right, .. } => right.add_vars(out),
            _ => {}
        }
    }
}

impl CountStep {
    /// The most steps one after the other. Without recursion.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut left = vec![(self, 1)];
        while let Some((step, depth)) = left.pop() {
            deepest = deepest.max(depth);
            left.extend(step.next.iter().map(|next| (next, depth + 1)));
        }
        deepest
    }
}

impl Walk {
    fn for_each_expr<'p>(&'p self, visit: &mut dyn FnMut(&'p Expr)) {
        self.nodes.iter().map(|(_, e)| e).chain(&self.condition).for_each(visit);
    }
}

impl CountStep {
    fn for_each_expr<'p>(&'p self, visit: &mut dyn FnMut(&'p Expr)) {
        let mut left = vec![self];
        while let Some(step) = left.pop() {
            step.predicate.iter().for_each(&mut *visit);
            left.extend(&step.next);
        }
    }
}

impl Expr {
    /// The most expressions one within the other. Without recursion.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut left = vec![(self, 1)];
        while let Some((expr, depth)) = left.pop() {
            deepest = deepest.max(depth);
            expr.for_each_child(&mut |child| left.push((child, depth + 1)));
        }
        deepest
    }
}

/// Variables, each once.
#[derive(Default)]
struct Found {
    order: Vec<VarId>,
    seen: HashSet<VarId>,
}

impl Found {
    fn add(&mut self, vars: impl IntoIterator<Item = VarId>) {
        self.order.extend(vars.into_iter().filter(|v| self.seen.insert(*v)));
    }
}
