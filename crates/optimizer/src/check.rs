//! Looks whether a plan holds together: every variable is there where it is looked at, is of a type that its
//! operator can work with, and what operators rely on is so. Takes a plan, gives a sentence on what is wrong.
//!
//! On in debug builds and tests, after each pass; nothing in it is needed for answers.

use std::collections::HashSet;

use trimorph_algebra::{
    ApplyKind, CountStep, Expr, Extend, GroupLimit, Plan, QueryGraph, ShortestKind, VarExtendMode, VarId,
    Vars, Walk,
};
use trimorph_catalog::CatalogView;
use trimorph_types::LogicalType;

use crate::planning::Planning;

type Checked = Result<(), String>;
type Scope = HashSet<VarId>;

/// Checks a whole plan.
pub(crate) fn check(plan: &Plan, planning: &Planning<'_>) -> Checked {
    let checker = Checker { vars: &*planning.vars, catalog: planning.catalog };
    let scope = checker.plan(plan, None)?;
    match planning.needed.iter().find(|v| !scope.contains(v)) {
        Some(lost) => Err(format!("the result has lost {}", checker.name(*lost))),
        None => Ok(()),
    }
}

struct Checker<'a> {
    vars: &'a Vars,
    catalog: &'a CatalogView<'a>,
}

impl Checker<'_> {
    /// Checks a plan, which may take variables from the rows of an apply around; gives the variables its rows
    /// have.
    ///
    /// The line of first inputs is walked in a loop from its end: only second inputs are calls within calls.
    fn plan(&self, plan: &Plan, outer: Option<&Scope>) -> Result<Scope, String> {
        let mut line = vec![plan];
        while let Some(input) = line.last().and_then(|p| p.children().first().copied()) {
            line.push(input);
        }
        let mut scope = Scope::new();
        for plan in line.into_iter().rev() {
            scope = self.operator(plan, scope, outer)?;
        }
        Ok(scope)
    }

    /// Checks one operator over rows with the variables in `scope`.
    fn operator(&self, plan: &Plan, mut scope: Scope, outer: Option<&Scope>) -> Result<Scope, String> {
        match plan {
            Plan::Unit => {}
            Plan::Empty(vars) => scope.extend(vars),
            Plan::Argument(vars) => {
                // Outside of an apply they are given: the rows that a statement's last update left.
                if let Some(outer) = outer {
                    vars.iter().try_for_each(|v| self.is_there(*v, outer, "Argument"))?;
                }
                scope.extend(vars);
            }
            Plan::Match { graph, .. } => self.graph(graph, &mut scope)?,
            Plan::Filter { predicate, .. } => self.expr(predicate, &scope, "Filter")?,
            Plan::Extra { items, .. } => {
                // An item that nobody looks at is not made, and may look at what is not made either: it is
                // missed where it is needed.
                let made: Vec<VarId> = self.made(items, &scope);
                scope.extend(made);
            }
            Plan::Project { items, .. } => {
                scope = self.made(items, &scope).into_iter().collect();
            }
            Plan::Aggregate { keys, aggregates, .. } => {
                let args = aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter));
                keys.iter()
                    .map(|(_, e)| e)
                    .chain(args)
                    .try_for_each(|e| self.expr(e, &scope, "Aggregate"))?;
                scope = keys.iter().map(|(v, _)| *v).chain(aggregates.iter().map(|(v, _)| *v)).collect();
            }
            Plan::Distinct { vars, .. } => {
                vars.iter().try_for_each(|v| self.is_there(*v, &scope, "Distinct"))?;
                scope = vars.iter().copied().collect();
            }
            Plan::Sort { keys, of_group, .. } => {
                let of_group = of_group.iter().flat_map(GroupLimit::exprs);
                let mut exprs = keys.iter().map(|k| &k.expr).chain(of_group);
                exprs.try_for_each(|e| self.expr(e, &scope, "Sort"))?;
            }
            Plan::Skip { count, .. } | Plan::Limit { count, .. } => {
                self.expr(count, &Scope::new(), "Limit")?
            }
            Plan::Shortest { edges, .. } => self.is_there(*edges, &scope, "Shortest")?,
            Plan::Unwind { list, var, .. } => {
                self.expr(list, &scope, "Unwind")?;
                scope.insert(*var);
            }
            Plan::ProcedureCall { call, .. } => {
                call.arguments.iter().try_for_each(|e| self.expr(e, &scope, "ProcedureCall"))?;
                scope.extend(call.outputs.iter().map(|(_, v)| *v));
            }
            Plan::Statements { pattern, .. } => scope.extend(pattern.vars()),
            Plan::PropertyPath { path, .. } => scope.extend(path.vars()),
            other => return self.with_second_input(other, scope, outer),
        }
        Ok(scope)
    }

    /// The items whose variables are there.
    fn made(&self, items: &[(VarId, Expr)], scope: &Scope) -> Vec<VarId> {
        items.iter().filter(|(_, e)| self.expr(e, scope, "an item").is_ok()).map(|(v, _)| *v).collect()
    }

    /// Operators with several inputs.
    fn with_second_input(
        &self,
        plan: &Plan,
        mut scope: Scope,
        outer: Option<&Scope>,
    ) -> Result<Scope, String> {
        match plan {
            Plan::Apply { subplan, kind, .. } => {
                let inner = self.plan(subplan, Some(&scope))?;
                if let ApplyKind::Paired { node, found, .. } = kind {
                    self.is_there(*node, &scope, "Apply")?;
                    self.is_there(*found, &inner, "Apply")?;
                }
                match kind.answer() {
                    ApplyKind::Inner | ApplyKind::Optional => scope.extend(inner),
                    ApplyKind::Semi
                    | ApplyKind::Anti
                    | ApplyKind::Paired { .. }
                    | ApplyKind::Effects { .. } => {}
                    ApplyKind::Mark(v) | ApplyKind::Count(v) => drop(scope.insert(*v)),
                    ApplyKind::Collect(v, expr) => {
                        self.expr(expr, &inner, "CollectApply")?;
                        scope.insert(*v);
                    }
                }
            }
            Plan::Union { inputs, vars } => {
                for input in inputs {
                    let own = self.plan(input, outer)?;
                    vars.iter().try_for_each(|v| self.is_there(*v, &own, "Union"))?;
                }
                scope = vars.iter().copied().collect();
            }
            Plan::SemiJoin { filter, var, .. } => {
                self.is_node(*var, &scope, "SemiJoin")?;
                self.is_there(*var, &self.plan(filter, outer)?, "SemiJoin")?;
            }
            Plan::Spool { rows, vars, .. } => {
                let own = self.plan(rows, None)?;
                vars.iter().try_for_each(|v| self.is_there(*v, &own, "Spool"))?;
            }
            Plan::SpoolRead { columns, .. } => scope.extend(columns.iter().map(|(v, _)| *v)),
            Plan::HashJoin { right, on, .. } => {
                let own = self.plan(right, outer)?;
                on.iter().try_for_each(|v| self.is_there(*v, &scope, "HashJoin"))?;
                on.iter().try_for_each(|v| self.is_there(*v, &own, "HashJoin"))?;
                match own.iter().find(|v| scope.contains(v) && !on.contains(v)) {
                    // Both sides may stand on the same argument.
                    Some(_) if outer.is_some() => {}
                    Some(twice) => {
                        return Err(format!("both inputs of a HashJoin give {}", self.name(*twice)));
                    }
                    None => {}
                }
                scope.extend(own);
            }
            Plan::RangeJoin { right, on, band, .. } => {
                let own = self.plan(right, outer)?;
                on.iter().try_for_each(|v| self.is_there(*v, &scope, "RangeJoin"))?;
                on.iter().try_for_each(|v| self.is_there(*v, &own, "RangeJoin"))?;
                if let Some(twice) = own.iter().find(|v| scope.contains(v) && !on.contains(v)) {
                    return Err(format!("both inputs of a RangeJoin give {}", self.name(*twice)));
                }
                band.bounds().try_for_each(|v| self.is_there(v, &scope, "RangeJoin"))?;
                self.is_there(band.key, &own, "RangeJoin")?;
                scope.extend(own);
            }
            other => return self.planned(other, scope),
        }
        Ok(scope)
    }

    /// Operators that only the optimizer makes.
    fn planned(&self, plan: &Plan, mut scope: Scope) -> Result<Scope, String> {
        match plan {
            Plan::NodeScan(scan) => {
                self.are_tables(&scan.tables, "NodeScan")?;
                scan.prune.iter().try_for_each(|p| self.expr(&p.value, &Scope::new(), "NodeScan"))?;
                self.new_var(scan.var, LogicalType::Node, "NodeScan", &mut scope)?;
            }
            Plan::KeyLookup { lookup, .. } => {
                self.are_tables(&lookup.tables, "KeyLookup")?;
                lookup.exprs().try_for_each(|expr| self.expr(expr, &scope, "KeyLookup"))?;
                if let Some(together) = &lookup.together
                    && !(1..together.properties.len()).contains(&together.equal.len())
                {
                    return Err(
                        "a KeyLookup asks for as many properties as its index has, or more".to_owned()
                    );
                }
                self.new_var(lookup.var, LogicalType::Node, "KeyLookup", &mut scope)?;
            }
            Plan::EdgeLookup { lookup, .. } => {
                let step = &lookup.step;
                let tables = [&lookup.from_tables, &step.to_tables].into_iter().flatten();
                tables.into_iter().try_for_each(|tables| self.are_tables(tables, "EdgeLookup"))?;
                self.expr(&lookup.key, &scope, "EdgeLookup")?;
                self.new_var(step.from, LogicalType::Node, "EdgeLookup", &mut scope)?;
                self.new_var(step.to, LogicalType::Node, "EdgeLookup", &mut scope)?;
                self.new_edge(step, LogicalType::Relationship, &mut scope)?;
            }
            Plan::IdLookup { var, id, tables, .. } => {
                self.are_tables(tables, "IdLookup")?;
                self.expr(id, &scope, "IdLookup")?;
                self.new_var(*var, LogicalType::Node, "IdLookup", &mut scope)?;
            }
            Plan::Extend { step, .. } => {
                self.step(step, &scope, "Extend")?;
                self.new_var(step.to, LogicalType::Node, "Extend", &mut scope)?;
                self.new_edge(step, LogicalType::Relationship, &mut scope)?;
            }
            Plan::ExtendInto { step, .. } => {
                self.step(step, &scope, "ExtendInto")?;
                self.is_node(step.to, &scope, "ExtendInto")?;
                self.new_edge(step, LogicalType::Relationship, &mut scope)?;
            }
            Plan::ExtendCount { step, .. } => {
                self.is_node(step.step.from, &scope, "ExtendCount")?;
                self.counted(step, &scope)?;
            }
            Plan::VarExtend { step, .. } => {
                self.step(&step.step, &scope, "VarExtend")?;
                if step.into {
                    self.is_node(step.step.to, &scope, "VarExtend")?;
                } else {
                    self.new_var(step.step.to, LogicalType::Node, "VarExtend", &mut scope)?;
                }
                if let Some((var, each)) = &step.each {
                    let mut within = scope.clone();
                    within.insert(*var);
                    self.expr(each, &within, "VarExtend")?;
                }
                self.walk(&step.walk, step.step.edge, &scope, "VarExtend")?;
                let ordered = step.mode == VarExtendMode::Shortest(ShortestKind::Ordered);
                if (ordered || step.walk.condition.is_some()) && !step.into {
                    return Err("a VarExtend asks about whole walks to an end that is not there".to_owned());
                }
                self.new_edge(&step.step, LogicalType::List, &mut scope)?;
            }
            Plan::Intersect { steps, .. } => {
                steps.iter().try_for_each(|s| self.step(s, &scope, "Intersect"))?;
                let to = steps.first().ok_or("an Intersect has no lists")?.to;
                if steps.iter().any(|s| s.to != to) {
                    return Err("the lists of an Intersect lead to different nodes".to_owned());
                }
                self.new_var(to, LogicalType::Node, "Intersect", &mut scope)?;
                scope.extend(steps.iter().filter_map(|s| s.edge));
            }
            _ => {}
        }
        Ok(scope)
    }

    /// A pattern over rows: what it looks at is there or its own.
    fn graph(&self, graph: &QueryGraph, scope: &mut Scope) -> Checked {
        let nodes: Scope = graph.nodes.iter().map(|n| n.var).collect();
        for edge in &graph.edges {
            self.is_there(edge.from, &nodes, "Match")?;
            self.is_there(edge.to, &nodes, "Match")?;
        }
        scope.extend(nodes);
        scope.extend(graph.edges.iter().map(|e| e.var));
        scope.extend(graph.paths.iter().map(|p| p.var));
        graph.predicates.iter().try_for_each(|p| self.expr(p, scope, "Match"))?;
        let mut pairs = graph.distinct.iter().flat_map(|(a, b)| [a, b]);
        pairs.try_for_each(|v| self.is_there(*v, scope, "Match"))?;
        for edge in &graph.edges {
            if let Some((var, each)) = &edge.each {
                let mut within = scope.clone();
                within.insert(*var);
                self.expr(each, &within, "Match")?;
            }
            edge.whole.iter().try_for_each(|condition| self.expr(condition, scope, "Match"))?;
        }
        graph.walks.iter().try_for_each(|(edges, walk)| self.walk(walk, Some(*edges), scope, "Match"))?;
        for (at, step) in &graph.counts {
            self.is_there(*at, scope, "Match")?;
            self.counted(step, scope)?;
        }
        graph.tables.values().try_for_each(|tables| self.are_tables(tables, "Match"))
    }

    /// What is asked of a walk besides its own list of edges.
    fn walk(&self, walk: &Walk, edges: Option<VarId>, scope: &Scope, at: &str) -> Checked {
        walk.free_vars(edges).into_iter().try_for_each(|v| self.is_there(v, scope, at))
    }

    /// A counted step and all that hang at it.
    fn counted(&self, step: &CountStep, scope: &Scope) -> Checked {
        let mut left = vec![(step, None)];
        while let Some((step, at)) = left.pop() {
            if at.is_some_and(|at| at != step.step.from) {
                return Err(format!(
                    "a counted step starts at {}, where nothing leads",
                    self.name(step.step.from)
                ));
            }
            if let Some(predicate) = &step.predicate {
                let mut within = scope.clone();
                within.extend(step.step.edge.into_iter().chain([step.step.to]));
                self.expr(predicate, &within, "ExtendCount")?;
            }
            if let Some(tables) = &step.step.to_tables {
                self.are_tables(tables, "ExtendCount")?;
            }
            left.extend(step.next.iter().map(|next| (next, Some(step.step.to))));
        }
        Ok(())
    }

    fn step(&self, step: &Extend, scope: &Scope, at: &str) -> Checked {
        self.is_node(step.from, scope, at)?;
        step.to_tables.as_ref().map_or(Ok(()), |tables| self.are_tables(tables, at))
    }

    fn new_edge(&self, step: &Extend, ty: LogicalType, scope: &mut Scope) -> Checked {
        step.edge.map_or(Ok(()), |edge| self.new_var(edge, ty, "a step", scope))
    }

    /// A variable that an operator makes: of its type, and not there before.
    fn new_var(&self, var: VarId, ty: LogicalType, at: &str, scope: &mut Scope) -> Checked {
        self.is_of(var, ty, at)?;
        match scope.insert(var) {
            true => Ok(()),
            false => Err(format!("{at} makes {} again", self.name(var))),
        }
    }

    fn is_node(&self, var: VarId, scope: &Scope, at: &str) -> Checked {
        self.is_there(var, scope, at)?;
        self.is_of(var, LogicalType::Node, at)
    }

    fn is_of(&self, var: VarId, ty: LogicalType, at: &str) -> Checked {
        let own = self.vars.get(var).ty;
        match own == ty || own == LogicalType::Any {
            true => Ok(()),
            false => Err(format!("{at} has {} as {ty}, which is {own}", self.name(var))),
        }
    }

    fn is_there(&self, var: VarId, scope: &Scope, at: &str) -> Checked {
        match scope.contains(&var) {
            true => Ok(()),
            false => Err(format!("{at} looks at {}, which is not there", self.name(var))),
        }
    }

    fn expr(&self, expr: &Expr, scope: &Scope, at: &str) -> Checked {
        let mut lost = None;
        expr.for_each_free_var(&mut |v| {
            if lost.is_none() && !scope.contains(&v) {
                lost = Some(v);
            }
        });
        lost.map_or(Ok(()), |v| self.is_there(v, scope, at))
    }

    fn are_tables(&self, tables: &[trimorph_base::TableId], at: &str) -> Checked {
        match tables.iter().find(|t| !self.catalog.has_node_table(**t)) {
            Some(unknown) => Err(format!("{at} has node table {}, which does not exist", unknown.0)),
            None => Ok(()),
        }
    }

    fn name(&self, var: VarId) -> String {
        match (var.0 as usize) < self.vars.count() {
            true => format!("variable \"{}\"", self.vars.get(var).name),
            false => format!("variable number {}", var.0),
        }
    }
}
