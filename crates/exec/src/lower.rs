//! Lowering: an optimised plan and the catalog, to a physical plan.
//!
//! ```text
//! lower.rs   one arm per operator, and what all arms use: places, packing, flattening
//! extend     steps along edges: which form each takes
//! filter     which conjuncts go together, and what is asked of encoded columns
//! join       hash joins, semi-join filters
//! apply      subplans
//! rows       computed items, aggregates
//! ```
//!
//! Top down it carries which variables are needed above, bottom up the layout: which list group and slot each
//! variable has. Expressions may read one unflat group: all others are flattened first.

mod apply;
mod extend;
mod filter;
mod join;
mod rows;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_algebra::{BoundQuery, Expr, Op, Plan, SortKey, VarId};
use trimorph_base::{Diagnostic, Phase};
use trimorph_catalog::CatalogView;
use trimorph_store::Snapshot;
use trimorph_store::access::Choice;

use crate::ExecError;
use crate::expr::{Count, Ex, compile};
use crate::layout::{Layout, Place};
use crate::ops::{self, CursorSpec};
use crate::physical::{Node, PhysicalOptions, PhysicalPlan, PlanPath, Spec};
use crate::stack::Stack;

type Vars = BTreeSet<VarId>;

/// An operator and what its chunks look like.
struct Lowered {
    node: Node,
    layout: Layout,
}

/// Lowers one query.
struct Lowering<'q> {
    query: &'q BoundQuery,
    catalog: &'q CatalogView<'q>,
    options: PhysicalOptions,
    /// The variables of the rows of the apply around the plan being lowered, the row number last.
    argument: Option<Vec<VarId>>,
    /// Row-number variables of the applies around.
    numbers: Vec<VarId>,
    /// The row number that the rows of the subplan being lowered carry; none where rows go through it one at
    /// a time.
    carried: Option<VarId>,
    /// Where in the plan tree this lowering is: child indices from the root.
    path: PlanPath,
    /// Whether the extend lowered next is looked at by a filter only.
    counted_extend: bool,
    /// Nodes made so far.
    nodes: Cell<usize>,
}

impl PhysicalPlan {
    /// As [`Self::new`], for the catalog of a snapshot; what the plan relies on is not noted.
    pub fn of_snapshot(
        query: &BoundQuery,
        snapshot: &Snapshot,
        options: PhysicalOptions,
    ) -> Result<Self, ExecError> {
        Self::new(query, &CatalogView::new(snapshot.catalog()), options)
    }

    /// Chooses the operators of a query that the optimizer has planned.
    ///
    /// **Errors**: a bug of the binder or the optimizer.
    pub fn new(
        query: &BoundQuery,
        catalog: &CatalogView<'_>,
        options: PhysicalOptions,
    ) -> Result<Self, ExecError> {
        let depth = query.depth.unwrap_or_else(|| query.plan.depth() + query.plan.expression_depth());
        let stack = Stack::of(depth);
        stack.run(|| Lowering::new(query, catalog, options).root(stack))
    }
}

fn internal(text: &str) -> ExecError {
    ExecError::Query(Diagnostic { phase: Phase::Compile, ..Diagnostic::internal(text) })
}

fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Vars {
    let mut vars = Vars::new();
    for expr in exprs {
        expr.for_each_free_var(&mut |v| {
            vars.insert(v);
        });
    }
    vars
}

fn conjuncts<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Op(Op::And, parts, _) => parts.iter().for_each(|p| conjuncts(p, out)),
        other => out.push(other),
    }
}

impl<'q> Lowering<'q> {
    fn new(query: &'q BoundQuery, catalog: &'q CatalogView<'q>, options: PhysicalOptions) -> Self {
        Self {
            query,
            catalog,
            options,
            argument: None,
            numbers: Vec::new(),
            carried: None,
            path: PlanPath::default(),
            counted_extend: false,
            nodes: Cell::new(0),
        }
    }

    /// The whole query: chunks of one group that has every column.
    fn root(&mut self, stack: Stack) -> Result<PhysicalPlan, ExecError> {
        let query = self.query;
        let needed: Vars = query.columns.iter().map(|(_, v)| *v).collect();
        let Lowered { node, layout } = self.lower(&query.plan, &needed)?;
        let Lowered { node, layout } = self.pack(Lowered { node, layout }, &needed, false)?;
        let columns = query.columns.iter().map(|(_, v)| self.slot(&layout, *v)).collect::<Result<_, _>>()?;
        Ok(PhysicalPlan::of(node, layout.groups[0].slots, columns, stack))
    }

    /// The node of an operator for the part of the plan that is being lowered.
    fn node(&self, spec: Spec, inputs: impl IntoIterator<Item = Node>) -> Node {
        let number = self.nodes.get();
        self.nodes.set(number + 1);
        let inputs: Vec<Arc<Node>> = inputs.into_iter().map(Arc::new).collect();
        let forkable = match &spec {
            Spec::NodeScan(_) => true,
            spec => spec.is_pipelined() && inputs.first().is_some_and(|input| input.forkable),
        };
        Node { spec, inputs, forkable, number, path: self.path.clone(), gives: Vec::new() }
    }

    fn compile(&self, expr: &Expr, layout: &Layout) -> Result<Ex, ExecError> {
        Ok(compile(expr, layout, self.catalog)?)
    }

    /// A count that LIMIT or SKIP was given.
    fn count(&self, expr: &Expr) -> Result<Count, ExecError> {
        Ok(Count::Of(self.compile(expr, &Layout::default())?))
    }

    fn place(&self, layout: &Layout, var: VarId) -> Result<Place, ExecError> {
        layout.place(var).ok_or_else(|| {
            // Row numbers are variables that no text has.
            let named = (var.0 as usize) < self.query.vars.count();
            let name = if named { &self.query.vars.get(var).name } else { "row number" };
            internal(&format!("variable \"{name}\" is not bound where it is used"))
        })
    }

    fn slot(&self, layout: &Layout, var: VarId) -> Result<usize, ExecError> {
        Ok(self.place(layout, var)?.slot)
    }

    fn child(&mut self, index: usize, plan: &Plan, needed: &Vars) -> Result<Lowered, ExecError> {
        let around = self.path.clone();
        self.path = around.child(index);
        let lowered = self.lower(plan, needed);
        self.path = around;
        lowered
    }

    /// Makes chunks of one group that has `vars`.
    fn pack(&self, lowered: Lowered, vars: &Vars, eager: bool) -> Result<Lowered, ExecError> {
        if lowered.layout.groups.len() == 1 {
            return Ok(lowered);
        }
        let vars: Vec<VarId> = vars.iter().copied().collect();
        let exprs: Vec<Expr> = vars.iter().map(|v| Expr::Var(*v)).collect();
        let Lowered { node, layout } = self.flatten(lowered, &exprs.iter().collect::<Vec<_>>());
        let places = vars.iter().map(|v| self.place(&layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let spec = ops::PackSpec { slots: layout.slots(), places, eager };
        Ok(Lowered { node: self.node(Spec::Pack(Arc::new(spec)), [node]), layout: rows_layout(&vars) })
    }

    /// Flattens all unflat groups that `exprs` read but the last.
    fn flatten(&self, mut lowered: Lowered, exprs: &[&Expr]) -> Lowered {
        loop {
            let groups = lowered.layout.unflat_groups(exprs);
            if groups.len() <= 1 {
                return lowered;
            }
            let cursor = cursor(&lowered.layout, groups[0]);
            lowered.node = self.node(Spec::Flatten(cursor), [lowered.node]);
            lowered.layout.groups[groups[0]].flat = true;
        }
    }

    /// Adds the row number that goes along to what is needed.
    fn with_number(&self, mut needed: Vars) -> Vars {
        needed.extend(self.carried);
        needed
    }

    fn lower(&mut self, plan: &Plan, needed: &Vars) -> Result<Lowered, ExecError> {
        let mut lowered = self.lower_plain(plan, needed)?;
        lowered.node.gives.push((self.path.clone(), lowered.layout.groups.len()));
        Ok(lowered)
    }

    fn lower_plain(&mut self, plan: &Plan, needed: &Vars) -> Result<Lowered, ExecError> {
        match plan {
            Plan::Unit => {
                let mut layout = Layout::default();
                layout.add_group(true);
                Ok(Lowered { node: self.node(Spec::Unit, []), layout })
            }
            Plan::Empty(_) => {
                let vars: Vec<VarId> = needed.iter().copied().collect();
                Ok(Lowered { node: self.node(Spec::Empty, []), layout: rows_layout(&vars) })
            }
            Plan::Argument(_) => {
                let vars =
                    self.argument.as_ref().ok_or_else(|| internal("an argument outside of an apply"))?;
                Ok(Lowered { node: self.node(Spec::Argument, []), layout: rows_layout(vars) })
            }
            Plan::Match { .. } => Err(internal("a pattern that was not planned")),
            Plan::NodeScan(scan) => self.lower_scan(scan),
            Plan::KeyLookup { input, lookup } => {
                let mut below = vars_of([&lookup.key]);
                below.extend(needed.iter().filter(|v| **v != lookup.var));
                let child = self.child(0, input, &below)?;
                let child = self.pack(child, &below, false)?;
                let key = self.compile(&lookup.key, &child.layout)?;
                let (keep, layout) = self.keep(&child.layout, needed, &[lookup.var])?;
                let spec = ops::LookupSpec {
                    slots: child.layout.groups[0].slots,
                    keep,
                    key,
                    property: Some(Arc::clone(&lookup.property)),
                    tables: lookup.tables.clone(),
                    by_scan: self.options.access == Choice::Relation,
                };
                Ok(Lowered { node: self.node(Spec::KeyLookup(Arc::new(spec)), [child.node]), layout })
            }
            Plan::IdLookup { input, var, id, tables } => {
                let mut below = vars_of([id]);
                below.extend(needed.iter().filter(|v| *v != var));
                let child = self.child(0, input, &below)?;
                let child = self.pack(child, &below, false)?;
                let key = self.compile(id, &child.layout)?;
                let (keep, layout) = self.keep(&child.layout, needed, &[*var])?;
                let (slots, tables) = (child.layout.groups[0].slots, tables.clone());
                let spec = ops::LookupSpec { slots, keep, key, property: None, tables, by_scan: false };
                Ok(Lowered { node: self.node(Spec::IdLookup(Arc::new(spec)), [child.node]), layout })
            }
            Plan::Extend { input, step } => self.lower_extend(input, step, needed),
            Plan::ExtendInto { input, step } => self.lower_extend_into(input, step, needed),
            Plan::ExtendCount { input, step } => self.lower_extend_count(input, step, needed),
            Plan::VarExtend { input, step } => self.lower_var_extend(input, step, needed),
            Plan::Intersect { input, steps } => self.lower_intersect(input, steps, needed),
            Plan::SemiJoin { input, filter, var } => self.lower_semi_join(input, filter, *var, needed),
            Plan::HashJoin { left, right, on } => self.lower_join(left, right, on, needed),
            Plan::Filter { input, predicate } => {
                let mut below = vars_of([predicate]);
                below.extend(needed);
                self.counted_extend = matches!(&**input, Plan::Extend { step, .. } if !extend::looked_at(step, needed) && filter::tests_only(predicate, step));
                let lowered = self.child(0, input, &below)?;
                self.lower_filter(lowered, predicate, needed)
            }
            Plan::Extra { input, items } => {
                let wanted: Vec<&(VarId, Expr)> = items.iter().filter(|(v, _)| needed.contains(v)).collect();
                let mut below = vars_of(wanted.iter().map(|(_, e)| e));
                let made: Vars = items.iter().map(|(v, _)| *v).collect();
                below.extend(needed.difference(&made));
                let lowered = self.child(0, input, &below)?;
                self.lower_items(lowered, &wanted)
            }
            Plan::Project { input, items } => {
                let wanted: Vec<&(VarId, Expr)> = items.iter().filter(|(v, _)| needed.contains(v)).collect();
                let below = self.with_number(vars_of(wanted.iter().map(|(_, e)| e)));
                let lowered = self.child(0, input, &below)?;
                self.lower_items(lowered, &wanted)
            }
            Plan::Aggregate { input, keys, aggregates } => self.lower_aggregate(input, keys, aggregates),
            Plan::Distinct { input, vars } => {
                let vars = self.with_number(vars.iter().copied().collect());
                let lowered = self.child(0, input, &vars)?;
                let lowered = self.pack(lowered, &vars, false)?;
                let slots =
                    vars.iter().map(|v| self.slot(&lowered.layout, *v)).collect::<Result<Vec<_>, _>>()?;
                let node = self.node(Spec::Distinct(slots.into()), [lowered.node]);
                Ok(Lowered { node, layout: lowered.layout })
            }
            Plan::Sort { input, keys, limit } => {
                let mut below = vars_of(keys.iter().map(|k| &k.expr));
                below.extend(needed);
                let lowered = self.child(0, input, &below)?;
                let lowered = self.pack(lowered, &below, false)?;
                let (keep, layout) = self.keep(&lowered.layout, needed, &[])?;
                let key = |k: &SortKey| Ok((self.compile(&k.expr, &lowered.layout)?, k.descending));
                let spec = ops::SortSpec {
                    slots: lowered.layout.groups[0].slots,
                    keep,
                    keys: keys.iter().map(key).collect::<Result<_, ExecError>>()?,
                    limit: limit.as_ref().map(|l| self.count(l)).transpose()?,
                };
                let spec = Spec::Sort(Arc::new(spec), lowered.node.forkable && self.numbers.is_empty());
                Ok(Lowered { node: self.node(spec, [lowered.node]), layout })
            }
            Plan::Skip { input, count } => {
                let lowered = self.child(0, input, needed)?;
                let Lowered { node, layout } = self.pack(lowered, needed, false)?;
                Ok(Lowered { node: self.node(Spec::Skip(self.count(count)?), [node]), layout })
            }
            Plan::Limit { input, count } => {
                let lowered = self.child(0, input, needed)?;
                let Lowered { node, layout } = self.pack(lowered, needed, true)?;
                Ok(Lowered { node: self.node(Spec::Limit(self.count(count)?), [node]), layout })
            }
            Plan::Shortest { input, edges, all } => {
                let mut below = needed.clone();
                below.insert(*edges);
                let lowered = self.child(0, input, &below)?;
                let Lowered { node, layout } = self.pack(lowered, &below, false)?;
                let spec = ops::ShortestSpec { edges: self.slot(&layout, *edges)?, all: *all };
                Ok(Lowered { node: self.node(Spec::Shortest(spec), [node]), layout })
            }
            Plan::Unwind { input, list, var } => {
                let mut below = vars_of([list]);
                below.extend(needed.iter().filter(|v| *v != var));
                let lowered = self.child(0, input, &below)?;
                let lowered = self.pack(lowered, &below, false)?;
                let list = self.compile(list, &lowered.layout)?;
                let (keep, layout) = self.keep(&lowered.layout, needed, &[*var])?;
                let spec = ops::UnwindSpec { slots: lowered.layout.groups[0].slots, keep, list };
                Ok(Lowered { node: self.node(Spec::Unwind(Arc::new(spec)), [lowered.node]), layout })
            }
            Plan::ProcedureCall { input, call } => self.lower_procedure_call(input, call, needed),
            Plan::Union { inputs, vars } => {
                let vars = self.with_number(vars.iter().copied().collect());
                let (mut nodes, mut specs) = (Vec::new(), Vec::new());
                for (i, input) in inputs.iter().enumerate() {
                    let child = self.child(i, input, &vars)?;
                    let child = self.pack(child, &vars, false)?;
                    let columns =
                        vars.iter().map(|v| self.slot(&child.layout, *v)).collect::<Result<Vec<_>, _>>()?;
                    let slots = child.layout.groups[0].slots;
                    nodes.push(child.node);
                    specs.push(ops::UnionInput { slots, columns: columns.into() });
                }
                let vars: Vec<VarId> = vars.into_iter().collect();
                Ok(Lowered { node: self.node(Spec::Union(specs.into()), nodes), layout: rows_layout(&vars) })
            }
            Plan::Apply { input, subplan, kind } => self.lower_apply(input, subplan, kind, needed),
        }
    }

    /// Slots of a one-group layout to keep, and the layout that has them followed by `new`.
    fn keep(&self, layout: &Layout, needed: &Vars, new: &[VarId]) -> Result<(Vec<usize>, Layout), ExecError> {
        let kept: Vec<VarId> = needed.iter().copied().filter(|v| !new.contains(v)).collect();
        let slots = kept.iter().map(|v| self.slot(layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let mut out = rows_layout(&kept);
        for var in new {
            out.add(*var, 0);
        }
        Ok((slots, out))
    }

    fn lower_scan(&self, scan: &trimorph_algebra::NodeScan) -> Result<Lowered, ExecError> {
        let mut layout = Layout::default();
        let group = layout.add_group(false);
        let place = layout.add(scan.var, group);
        let prune = scan.prune.iter().map(|predicate| {
            let value = self.compile(&predicate.value, &Layout::default())?;
            Ok((Arc::clone(&predicate.property), predicate.op, value))
        });
        let prune = prune.collect::<Result<_, ExecError>>()?;
        let spec = ops::NodeScanSpec { place, tables: scan.tables.clone(), prune };
        Ok(Lowered { node: self.node(Spec::NodeScan(Arc::new(spec)), []), layout })
    }
}

/// A fresh layout: one unflat group with these variables, in this order.
fn rows_layout(vars: &[VarId]) -> Layout {
    let mut layout = Layout::default();
    let group = layout.add_group(false);
    for var in vars {
        layout.add(*var, group);
    }
    layout
}

/// Whether a variable that is needed is in `group`.
fn group_needed(layout: &Layout, group: usize, needed: &Vars) -> bool {
    needed.iter().filter_map(|v| layout.place(*v)).any(|p| p.group == group)
}

/// A cursor over `group`, which leaves the other unflat groups as it found them.
fn cursor(layout: &Layout, group: usize) -> CursorSpec {
    let others: Vec<usize> =
        (0..layout.groups.len()).filter(|g| *g != group && !layout.groups[*g].flat).collect();
    CursorSpec { group, others: others.into() }
}
