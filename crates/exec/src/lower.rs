//! Lowering: an optimised plan to an operator tree.
//!
//! Top down it carries which variables are needed above, bottom up the layout: which list group and slot each variable has. It
//! decides the form of each extend (GF-CL §6.2): a vertex column extends in place; one adjacency with long lists stays a list group;
//! everything else becomes a flat batch. Expressions may read one unflat group: all others are flattened first.

mod filter;

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_algebra::{ApplyKind, BoundQuery, CountStep, Expr, Extend, Op, Plan, VarId};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_catalog::Catalog;
use trimorph_store::Snapshot;
use trimorph_store::access::{AdjacencyRef, Choice, EdgeAccess, Morsels, Prune};
use trimorph_types::Value;
use trimorph_vector::Chunk;

use crate::execution::ProfileCell;
use crate::expr::{Compiler, Ex, Row, compile, integer_range};
use crate::layout::{Layout, Place};
use crate::operator::BoxOperator;
use crate::ops;
use crate::{Context, ExecError, Settings};

/// Rows of a morsel: 8 vectors, enough that the dispenser is not felt, few enough that two cores end together.
const MORSEL_ROWS: usize = 16_384;
/// Mean list length from which lists stay factorised: below it, a chunk per list costs more than repeating the start node does
/// (SNB BI 4: lists of 15 cost three times what a flat batch does).
const LIST_LENGTH_MIN: u64 = 64;
/// The same for lists that are only filtered and counted: nothing above costs anything per chunk.
const COUNTED_LENGTH_MIN: u64 = 4;

type Vars = BTreeSet<VarId>;

/// An operator and what its chunks look like.
pub(crate) struct Lowered<'s> {
    pub(crate) op: BoxOperator<'s>,
    pub(crate) layout: Layout,
    /// Whether twins of it may share its work.
    forkable: bool,
}

/// Lowers one query.
#[derive(Clone)]
pub(crate) struct Lowering<'s> {
    query: Arc<BoundQuery>,
    snapshot: &'s Snapshot,
    catalog: Arc<Catalog>,
    settings: Arc<Settings>,
    profile: Option<ProfileCell>,
    /// The argument of the subplan being lowered: its variables, the row number last, and where its rows come from.
    argument: Option<(Vec<VarId>, ops::ArgumentCell<'s>)>,
    /// Row-number variables of the applies around.
    numbers: Vec<VarId>,
    /// Where in the plan tree this lowering is: child indices from the root.
    path: Vec<usize>,
    /// Whether the extend lowered next is looked at by a filter only.
    counted_extend: bool,
}

fn internal(text: &str) -> ExecError {
    ExecError::Query(
        Diagnostic::compile(ErrorKind::SemanticError, "InternalError", format!("internal error: {text}"))
            .hint("this is a bug in Trimorph: please report the query"),
    )
}

fn vars_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Vars {
    let mut vars = Vec::new();
    exprs.into_iter().for_each(|e| e.free_vars(&mut vars));
    vars.into_iter().collect()
}

fn conjuncts<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Op(Op::And, parts, _) => parts.iter().for_each(|p| conjuncts(p, out)),
        other => out.push(other),
    }
}

impl<'s> Lowering<'s> {
    pub(crate) fn new(
        query: Arc<BoundQuery>,
        snapshot: &'s Snapshot,
        settings: Arc<Settings>,
        profile: Option<ProfileCell>,
    ) -> Self {
        let catalog = Arc::clone(snapshot.catalog());
        Self {
            query,
            snapshot,
            catalog,
            settings,
            profile,
            argument: None,
            numbers: Vec::new(),
            path: Vec::new(),
            counted_extend: false,
        }
    }

    /// The whole query: chunks of one group that has every column.
    pub(crate) fn root(&mut self) -> Result<(BoxOperator<'s>, usize, Vec<usize>), ExecError> {
        let query = Arc::clone(&self.query);
        let needed: Vars = query.columns.iter().map(|(_, v)| *v).collect();
        let lowered = self.lower(&query.plan, &needed)?;
        let lowered = self.pack(lowered, &needed, false)?;
        let slots =
            query.columns.iter().map(|(_, v)| self.slot(&lowered.layout, *v)).collect::<Result<_, _>>()?;
        Ok((lowered.op, lowered.layout.groups[0].slots, slots))
    }

    fn compile(&self, expr: &Expr, layout: &Layout) -> Result<Ex, ExecError> {
        let compiler = Compiler {
            catalog: &self.catalog,
            parameters: &self.settings.parameters,
            clock: self.settings.clock,
        };
        Ok(compile(expr, layout, &compiler)?)
    }

    fn place(&self, layout: &Layout, var: VarId) -> Result<Place, ExecError> {
        layout.place(var).ok_or_else(|| {
            internal(&format!("variable \"{}\" is not bound where it is used", self.query.vars.get(var).name))
        })
    }

    fn slot(&self, layout: &Layout, var: VarId) -> Result<usize, ExecError> {
        Ok(self.place(layout, var)?.slot)
    }

    /// A count that LIMIT or SKIP was given.
    fn count(&self, expr: &Expr, what: &str) -> Result<u64, ExecError> {
        let ex = self.compile(expr, &Layout::default())?;
        let value = match ex {
            Ex::Const(v) => v,
            // An expression without variables: evaluated over nothing.
            other => {
                let cx = Context::new(self.snapshot, Arc::clone(&self.settings));
                Row::new(&Chunk::default(), usize::MAX, 0).eval(&other, &cx)?
            }
        };
        match value {
            Value::Int(i) => u64::try_from(i).map_err(|_| {
                let text = format!("{what} takes a count of rows, not {i}");
                ExecError::Query(Diagnostic::runtime(ErrorKind::SyntaxError, "NegativeIntegerArgument", text))
            }),
            other => {
                let text = format!("{what} takes an integer, not {}", other.logical_type().name());
                Err(ExecError::Query(Diagnostic::runtime(
                    ErrorKind::SyntaxError,
                    "InvalidArgumentType",
                    text,
                )))
            }
        }
    }

    fn child(&mut self, index: usize, plan: &Plan, needed: &Vars) -> Result<Lowered<'s>, ExecError> {
        self.path.push(index);
        let lowered = self.lower(plan, needed);
        self.path.pop();
        lowered
    }

    /// Makes chunks of one group that has `vars`.
    fn pack(&self, lowered: Lowered<'s>, vars: &Vars, eager: bool) -> Result<Lowered<'s>, ExecError> {
        if lowered.layout.groups.len() == 1 {
            return Ok(lowered);
        }
        let vars: Vec<VarId> = vars.iter().copied().collect();
        let exprs: Vec<Expr> = vars.iter().map(|v| Expr::Var(*v)).collect();
        let lowered = self.flatten(lowered, &exprs.iter().collect::<Vec<_>>());
        let places = vars.iter().map(|v| self.place(&lowered.layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let slots = lowered.layout.slots();
        let op = ops::Pack::new(lowered.op, slots.into(), places.into(), eager);
        Ok(Lowered { op: Box::new(op), layout: rows_layout(&vars), forkable: lowered.forkable })
    }

    /// Flattens all unflat groups that `exprs` read but the last.
    fn flatten(&self, mut lowered: Lowered<'s>, exprs: &[&Expr]) -> Lowered<'s> {
        loop {
            let groups = lowered.layout.unflat_groups(exprs);
            if groups.len() <= 1 {
                return lowered;
            }
            let cursor = cursor(&lowered.layout, groups[0]);
            lowered.op = Box::new(ops::Flatten::new(lowered.op, cursor));
            lowered.layout.groups[groups[0]].flat = true;
        }
    }

    /// Adds the row numbers of the applies around to what is needed.
    fn with_numbers(&self, mut needed: Vars) -> Vars {
        needed.extend(self.numbers.last());
        needed
    }

    fn lower(&mut self, plan: &Plan, needed: &Vars) -> Result<Lowered<'s>, ExecError> {
        let lowered = self.lower_plain(plan, needed)?;
        Ok(match &self.profile {
            None => lowered,
            Some(cell) => {
                let op = cell.wrap(self.path.clone(), lowered.layout.groups.len(), lowered.op);
                Lowered { op, ..lowered }
            }
        })
    }

    fn lower_plain(&mut self, plan: &Plan, needed: &Vars) -> Result<Lowered<'s>, ExecError> {
        match plan {
            Plan::Unit => {
                let mut layout = Layout::default();
                layout.add_group(true);
                Ok(Lowered { op: Box::new(ops::Unit::new()), layout, forkable: false })
            }
            Plan::Empty(_) => {
                let vars: Vec<VarId> = needed.iter().copied().collect();
                Ok(Lowered { op: Box::new(ops::Empty), layout: rows_layout(&vars), forkable: false })
            }
            Plan::Argument(_) => {
                let (vars, cell) =
                    self.argument.clone().ok_or_else(|| internal("an argument outside of an apply"))?;
                Ok(Lowered {
                    op: Box::new(ops::Argument { cell }),
                    layout: rows_layout(&vars),
                    forkable: false,
                })
            }
            Plan::Match { .. } => Err(internal("a pattern that was not planned")),
            Plan::NodeScan(scan) => self.lower_scan(scan),
            Plan::KeyLookup { input, lookup } => {
                let mut below = vars_of([&lookup.key]);
                below.extend(needed.iter().filter(|v| **v != lookup.var));
                let child = self.child(0, input, &below)?;
                let child = self.pack(child, &below, false)?;
                let key = Arc::new(self.compile(&lookup.key, &child.layout)?);
                let (keep, layout) = self.keep(&child.layout, needed, &[lookup.var])?;
                let slots = child.layout.groups[0].slots;
                let op = ops::KeyLookup {
                    child: child.op,
                    inner: Chunk::with_slots(&[slots]),
                    slots,
                    keep,
                    key,
                    tables: lookup.tables.clone().into(),
                };
                Ok(Lowered { op: Box::new(op), layout, forkable: child.forkable })
            }
            Plan::IdLookup { input, var, id, tables } => {
                let mut below = vars_of([id]);
                below.extend(needed.iter().filter(|v| *v != var));
                let child = self.child(0, input, &below)?;
                let child = self.pack(child, &below, false)?;
                let id = Arc::new(self.compile(id, &child.layout)?);
                let (keep, layout) = self.keep(&child.layout, needed, &[*var])?;
                let slots = child.layout.groups[0].slots;
                let inner = Chunk::with_slots(&[slots]);
                let op =
                    ops::IdLookup { child: child.op, inner, slots, keep, id, tables: tables.clone().into() };
                Ok(Lowered { op: Box::new(op), layout, forkable: child.forkable })
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
                self.counted_extend = matches!(&**input, Plan::Extend { step, .. } if !looked_at(step, needed) && filter::tests_only(predicate, step));
                let lowered = self.child(0, input, &below)?;
                self.lower_filter(lowered, predicate, needed)
            }
            Plan::Extra { input, items } => {
                let wanted: Vec<&(VarId, Expr)> = items.iter().filter(|(v, _)| needed.contains(v)).collect();
                let mut below = vars_of(wanted.iter().map(|(_, e)| e));
                below.extend(needed.iter().filter(|v| items.iter().all(|(i, _)| i != *v)));
                let lowered = self.child(0, input, &below)?;
                self.lower_items(lowered, &wanted)
            }
            Plan::Project { input, items } => {
                let wanted: Vec<&(VarId, Expr)> = items.iter().filter(|(v, _)| needed.contains(v)).collect();
                let below = self.with_numbers(vars_of(wanted.iter().map(|(_, e)| e)));
                let lowered = self.child(0, input, &below)?;
                self.lower_items(lowered, &wanted)
            }
            Plan::Aggregate { input, keys, aggregates } => self.lower_aggregate(input, keys, aggregates),
            Plan::Distinct { input, vars } => {
                let vars = self.with_numbers(vars.iter().copied().collect());
                let lowered = self.child(0, input, &vars)?;
                let lowered = self.pack(lowered, &vars, false)?;
                let slots =
                    vars.iter().map(|v| self.slot(&lowered.layout, *v)).collect::<Result<Vec<_>, _>>()?;
                let op = ops::Distinct::new(lowered.op, slots.into());
                Ok(Lowered { op: Box::new(op), layout: lowered.layout, forkable: false })
            }
            Plan::Sort { input, keys, limit } => {
                let mut below = vars_of(keys.iter().map(|k| &k.expr));
                below.extend(needed);
                let lowered = self.child(0, input, &below)?;
                let lowered = self.pack(lowered, &below, false)?;
                let spec = ops::SortSpec {
                    keys: (keys.iter())
                        .map(|k| Ok((self.compile(&k.expr, &lowered.layout)?, k.descending)))
                        .collect::<Result<_, ExecError>>()?,
                    limit: limit.as_ref().map(|l| self.count(l, "LIMIT")).transpose()?,
                };
                let (keep, layout) = self.keep(&lowered.layout, needed, &[])?;
                let slots = lowered.layout.groups[0].slots;
                let op = ops::Sort::new(lowered.op, slots, keep, Arc::new(spec));
                Ok(Lowered { op: Box::new(op), layout, forkable: false })
            }
            Plan::Skip { input, count } => {
                let lowered = self.child(0, input, needed)?;
                let lowered = self.pack(lowered, needed, false)?;
                let op = ops::Limit::new(lowered.op, self.count(count, "SKIP")?, u64::MAX);
                Ok(Lowered { op: Box::new(op), layout: lowered.layout, forkable: false })
            }
            Plan::Limit { input, count } => {
                let lowered = self.child(0, input, needed)?;
                let lowered = self.pack(lowered, needed, true)?;
                let op = ops::Limit::new(lowered.op, 0, self.count(count, "LIMIT")?);
                Ok(Lowered { op: Box::new(op), layout: lowered.layout, forkable: false })
            }
            Plan::Unwind { input, list, var } => {
                let mut below = vars_of([list]);
                below.extend(needed.iter().filter(|v| *v != var));
                let lowered = self.child(0, input, &below)?;
                let lowered = self.pack(lowered, &below, false)?;
                let list = Arc::new(self.compile(list, &lowered.layout)?);
                let (keep, layout) = self.keep(&lowered.layout, needed, &[*var])?;
                let slots = lowered.layout.groups[0].slots;
                let op = ops::Unwind::new(lowered.op, slots, keep, list);
                Ok(Lowered { op: Box::new(op), layout, forkable: lowered.forkable })
            }
            Plan::Union { inputs, vars } => {
                let vars = self.with_numbers(vars.iter().copied().collect());
                let mut lowered = Vec::new();
                for (i, input) in inputs.iter().enumerate() {
                    let child = self.child(i, input, &vars)?;
                    let child = self.pack(child, &vars, false)?;
                    let columns =
                        vars.iter().map(|v| self.slot(&child.layout, *v)).collect::<Result<Vec<_>, _>>()?;
                    let slots = child.layout.groups[0].slots;
                    lowered.push((child.op, slots, Arc::from(columns)));
                }
                let vars: Vec<VarId> = vars.into_iter().collect();
                Ok(Lowered {
                    op: Box::new(ops::Union::new(lowered)),
                    layout: rows_layout(&vars),
                    forkable: false,
                })
            }
            Plan::Apply { input, subplan, kind } => self.lower_apply(input, subplan, kind, needed),
        }
    }

    /// Slots of a one-group layout to keep, and the layout that has them followed by `new`.
    fn keep(
        &self,
        layout: &Layout,
        needed: &Vars,
        new: &[VarId],
    ) -> Result<(Arc<[usize]>, Layout), ExecError> {
        let kept: Vec<VarId> = needed.iter().copied().filter(|v| !new.contains(v)).collect();
        let slots = kept.iter().map(|v| self.slot(layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let mut out = rows_layout(&kept);
        for var in new {
            out.add(*var, 0);
        }
        Ok((slots.into(), out))
    }

    fn lower_scan(&self, scan: &trimorph_algebra::NodeScan) -> Result<Lowered<'s>, ExecError> {
        let mut layout = Layout::default();
        let group = layout.add_group(false);
        let place = layout.add(scan.var, group);
        let mut prune = Vec::new();
        for predicate in &scan.prune {
            let Ex::Const(value) = self.compile(&predicate.value, &Layout::default())? else { continue };
            for table in &scan.tables {
                let Some(column) = self.catalog.node_property(*table, &predicate.property) else { continue };
                let ty = self.catalog.node_tables[table.0 as usize].properties[column].ty;
                if let Some((low, high)) = integer_range(ty, predicate.op, &value) {
                    prune.push(Prune { table: *table, column, low, high });
                }
            }
        }
        let morsels = Morsels::new(&self.catalog, &scan.tables, MORSEL_ROWS);
        let op = ops::NodeScan::new(place.group, place.slot, morsels, prune);
        Ok(Lowered { op: Box::new(op), layout, forkable: true })
    }

    fn step(&self, step: &Extend) -> EdgeAccess {
        use trimorph_algebra::Direction as D;
        let (out, back) = (step.direction != D::In, step.direction != D::Out);
        let tables = step.to_tables.as_deref();
        let patterns = EdgeAccess::patterns(&step.types, out, back, tables, step.edge.is_some(), f64::MAX);
        EdgeAccess::new(&self.catalog, patterns)
    }

    fn lower_extend(&mut self, input: &Plan, step: &Extend, needed: &Vars) -> Result<Lowered<'s>, ExecError> {
        let counted = std::mem::take(&mut self.counted_extend) || !looked_at(step, needed);
        let list_length_min = if counted { COUNTED_LENGTH_MIN } else { LIST_LENGTH_MIN };
        let mut below: Vars =
            needed.iter().copied().filter(|v| *v != step.to && Some(*v) != step.edge).collect();
        below.insert(step.from);
        let child = self.child(0, input, &below)?;
        let edge = step.edge.filter(|e| needed.contains(e));
        let plan = self.step(step);
        let from = self.place(&child.layout, step.from)?;
        let flat = child.layout.groups[from.group].flat;
        let Lowered { op, mut layout, forkable } = child;
        if plan.by_table.iter().all(|refs| refs.len() <= 1 && refs.iter().all(|r| r.single)) {
            let to_slot = layout.add(step.to, from.group).slot;
            let edge_slot = edge.map(|e| layout.add(e, from.group).slot);
            let op = ops::ColumnExtend { child: op, from, to_slot, edge_slot, step: Arc::new(plan), flat };
            return Ok(Lowered { op: Box::new(op), layout, forkable });
        }
        let one_list = plan.only().filter(|a| !a.single && !a.check_table);
        let kept: Vars = below.intersection(needed).copied().collect();
        // In the order of a scan, lists lie end to end: nothing is repeated, or lists are too short to be worth keeping apart.
        let short =
            |a: &AdjacencyRef| a.edges < list_length_min * self.catalog.node_tables[a.from.0 as usize].rows;
        let scanned = in_scan_order(input, step.from)
            .then_some(one_list)
            .flatten()
            .filter(|a| (edge.is_none() || a.forward) && !a.skip_loops && (kept.is_empty() || short(a)))
            .filter(|_| self.settings.access != Choice::Index);
        if self.settings.factorise
            && scanned.is_none()
            && let Some(adjacency) = one_list
            && adjacency.edges >= list_length_min * self.catalog.node_tables[adjacency.from.0 as usize].rows
        {
            let cursor = (!flat).then(|| cursor(&layout, from.group));
            layout.groups[from.group].flat = true;
            let group = layout.add_group(false);
            let to = layout.add(step.to, group);
            let edge_slot = edge.map(|e| layout.add(e, group).slot);
            let op = ops::ListExtend::new(op, from, to, edge_slot, adjacency, cursor);
            return Ok(Lowered { op: Box::new(op), layout, forkable });
        }
        let child = self.pack(Lowered { op, layout, forkable }, &below, false)?;
        let from = self.slot(&child.layout, step.from)?;
        let new: Vec<VarId> = std::iter::once(step.to).chain(edge).collect();
        let (keep, layout) = self.keep(&child.layout, &kept, &new)?;
        let slots = child.layout.groups[0].slots;
        let batch = ops::Batch::new(slots, from, Arc::clone(&keep), edge.is_some(), Arc::new(plan));
        let op: BoxOperator<'s> = match scanned {
            None => Box::new(ops::BatchExtend::new(child.op, batch)),
            Some(adjacency) => {
                let (want_edge, choice) = (edge.is_some(), self.settings.access);
                let spec = ops::ScanExtendSpec { slots, from, keep, want_edge, adjacency, choice };
                Box::new(ops::ScanExtend::new(child.op, spec, batch))
            }
        };
        Ok(Lowered { op, layout, forkable: child.forkable })
    }

    fn lower_extend_into(
        &mut self,
        input: &Plan,
        step: &Extend,
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let mut below: Vars = needed.iter().copied().filter(|v| Some(*v) != step.edge).collect();
        below.extend([step.from, step.to]);
        let child = self.child(0, input, &below)?;
        let child = self.pack(child, &below, false)?;
        let edge = step.edge.filter(|e| needed.contains(e));
        let (from, to) = (self.slot(&child.layout, step.from)?, self.slot(&child.layout, step.to)?);
        let new: Vec<VarId> = edge.into_iter().collect();
        let (keep, layout) = self.keep(&child.layout, needed, &new)?;
        let slots = child.layout.groups[0].slots;
        let op = ops::ExpandInto {
            child: child.op,
            inner: Chunk::with_slots(&[slots]),
            slots,
            from,
            to,
            keep,
            want_edge: edge.is_some(),
            step: Arc::new(self.step(step)),
            reversed: Arc::new(self.step(&Extend {
                from: step.to,
                to: step.from,
                direction: step.direction.reversed(),
                to_tables: None,
                ..step.clone()
            })),
            hub: ops::Hub::default(),
        };
        Ok(Lowered { op: Box::new(op), layout, forkable: child.forkable })
    }

    fn lower_intersect(
        &mut self,
        input: &Plan,
        steps: &[Extend],
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let Some(to) = steps.first().map(|s| s.to) else { return self.child(0, input, needed) };
        let mut below: Vars = needed.iter().copied().filter(|v| *v != to).collect();
        below.extend(steps.iter().map(|s| s.from));
        let child = self.child(0, input, &below)?;
        let child = self.pack(child, &below, false)?;
        let lists = (steps.iter())
            .map(|s| Ok((self.slot(&child.layout, s.from)?, self.step(s))))
            .collect::<Result<Vec<_>, ExecError>>()?;
        let want_node = needed.contains(&to);
        let new: Vec<VarId> = want_node.then_some(to).into_iter().collect();
        let (keep, layout) = self.keep(&child.layout, needed, &new)?;
        let slots = child.layout.groups[0].slots;
        let op = ops::Intersect::new(child.op, slots, lists.into(), keep, want_node);
        Ok(Lowered { op: Box::new(op), layout, forkable: child.forkable })
    }

    fn lower_extend_count(
        &mut self,
        input: &Plan,
        step: &CountStep,
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let mut below = needed.clone();
        below.insert(step.step.from);
        let Lowered { op, mut layout, forkable } = self.child(0, input, &below)?;
        let target = Arc::new(self.count_target(step)?);
        let from = self.place(&layout, step.step.from)?;
        let fresh = layout.groups[from.group].flat.then(|| layout.add_group(true));
        let whole = !group_needed(&layout, from.group, needed);
        let op = ops::CountExtend { child: op, from, fresh, target, whole };
        Ok(Lowered { op: Box::new(op), layout, forkable })
    }

    fn count_target(&self, step: &CountStep) -> Result<ops::CountTarget, ExecError> {
        let mut layout = Layout::default();
        let group = layout.add_group(false);
        match step.step.edge {
            Some(edge) => drop(layout.add(edge, group)),
            None => drop(layout.add_slot(group)),
        }
        layout.add(step.step.to, group);
        let predicate = step.predicate.as_ref().map(|p| self.compile(p, &layout)).transpose()?;
        let edge_only = match (&step.predicate, step.step.edge) {
            (Some(p), Some(edge)) => reads_only_properties(p, edge),
            _ => false,
        };
        let next = step.next.iter().map(|n| self.count_target(n)).collect::<Result<_, _>>()?;
        Ok(ops::CountTarget::new(self.step(&step.step), predicate, edge_only, next))
    }

    fn lower_var_extend(
        &mut self,
        input: &Plan,
        extend: &trimorph_algebra::VarExtend,
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let step = &extend.step;
        let new_to = (!extend.into).then_some(step.to);
        let mut below: Vars =
            needed.iter().copied().filter(|v| Some(*v) != new_to && Some(*v) != step.edge).collect();
        below.insert(step.from);
        if extend.into {
            below.insert(step.to);
        }
        if let Some((var, each)) = &extend.each {
            below.extend(vars_of([each]).into_iter().filter(|v| v != var));
        }
        let child = self.child(0, input, &below)?;
        let child = self.pack(child, &below, false)?;
        let edge = step.edge.filter(|e| needed.contains(e));
        let each = match &extend.each {
            None => None,
            Some((var, each)) => {
                let mut layout = child.layout.clone();
                layout.groups[0].flat = true;
                let group = layout.add_group(false);
                layout.add(*var, group);
                Some(self.compile(each, &layout)?)
            }
        };
        let new: Vec<VarId> = new_to.into_iter().chain(edge).collect();
        let (keep, layout) = self.keep(&child.layout, needed, &new)?;
        // The walk goes through nodes of any table; only its end is checked.
        let open = Extend { to_tables: None, ..step.clone() };
        let spec = ops::VarSpec {
            step: self.step(&open),
            min: extend.min,
            max: extend.max.unwrap_or(u32::MAX),
            mode: extend.mode,
            each,
            into: if extend.into { Some(self.slot(&child.layout, step.to)?) } else { None },
            want_edges: edge.is_some(),
            reversed: extend.reversed,
            from: self.slot(&child.layout, step.from)?,
            slots: child.layout.groups[0].slots,
            keep: keep.to_vec(),
            to_tables: step.to_tables.clone(),
        };
        // The child may keep one unflat group only, and give it as it is; a new node comes before the edges.
        let op: BoxOperator<'s> = match ops::ChainExtend::fits(&spec) {
            true => Box::new(ops::ChainExtend::new(child.op, Arc::new(spec))),
            false => Box::new(ops::VarExtend::new(child.op, Arc::new(spec))),
        };
        Ok(Lowered { op, layout, forkable: child.forkable })
    }

    fn lower_join(
        &mut self,
        left: &Plan,
        right: &Plan,
        on: &[VarId],
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let (left_vars, right_vars): (Vars, Vars) =
            (left.vars().into_iter().collect(), right.vars().into_iter().collect());
        let numbers: Vars = self.numbers.last().copied().into_iter().collect();
        let mut probe_vars: Vars =
            needed.iter().copied().filter(|v| left_vars.contains(v) || numbers.contains(v)).collect();
        let mut build_vars: Vars =
            needed.iter().copied().filter(|v| right_vars.contains(v) && !left_vars.contains(v)).collect();
        let build_keep: Vec<VarId> = build_vars.iter().copied().collect();
        let probe_keep: Vec<VarId> = probe_vars.iter().copied().collect();
        probe_vars.extend(on);
        build_vars.extend(on);
        let probe = self.child(0, left, &probe_vars)?;
        let probe = self.pack(probe, &probe_vars, false)?;
        let build = self.child(1, right, &build_vars)?;
        let build = self.pack(build, &build_vars, false)?;
        let slots = |layout: &Layout, vars: &[VarId]| {
            vars.iter().map(|v| self.slot(layout, *v)).collect::<Result<Vec<_>, _>>()
        };
        let shape = ops::JoinShape {
            probe_slots: probe.layout.groups[0].slots,
            build_slots: build.layout.groups[0].slots,
            probe_keys: slots(&probe.layout, on)?,
            build_keys: slots(&build.layout, on)?,
            probe_keep: slots(&probe.layout, &probe_keep)?,
            build_keep: slots(&build.layout, &build_keep)?,
        };
        let vars: Vec<VarId> = probe_keep.into_iter().chain(build_keep).collect();
        let op = ops::HashJoin::new(probe.op, build.op, Arc::new(shape));
        Ok(Lowered { op: Box::new(op), layout: rows_layout(&vars), forkable: probe.forkable })
    }

    fn lower_semi_join(
        &mut self,
        input: &Plan,
        filter: &Plan,
        var: VarId,
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let mut below = needed.clone();
        below.insert(var);
        let child = self.child(0, input, &below)?;
        let place = self.place(&child.layout, var)?;
        // The set does not depend on the rows of an apply around.
        let (argument, numbers) = (self.argument.take(), std::mem::take(&mut self.numbers));
        let wanted: Vars = [var].into_iter().collect();
        let build = self.child(1, filter, &wanted);
        (self.argument, self.numbers) = (argument, numbers);
        let build = self.pack(build?, &wanted, false)?;
        let (slots, slot) = (build.layout.groups[0].slots, self.slot(&build.layout, var)?);
        let op = ops::SemiJoin::new(child.op, place, build.op, slots, slot);
        Ok(Lowered { op: Box::new(op), layout: child.layout, forkable: child.forkable })
    }

    /// Computes `items`; plain variables become other names of their places.
    fn lower_items(
        &self,
        mut lowered: Lowered<'s>,
        items: &[&(VarId, Expr)],
    ) -> Result<Lowered<'s>, ExecError> {
        // Names are given at the end: an item may read a variable that another item renames.
        let mut aliases = Vec::new();
        let mut computed: Vec<(VarId, &Expr)> = Vec::new();
        for (var, expr) in items {
            match expr {
                Expr::Var(v) => aliases.push((*var, self.place(&lowered.layout, *v)?)),
                expr => computed.push((*var, expr)),
            }
        }
        for (_, expr) in &computed {
            lowered = self.flatten(lowered, &[expr]);
        }
        let mut fresh = None;
        let mut places = Vec::new();
        let mut compiled = Vec::new();
        for (var, expr) in computed {
            let ex = self.compile(expr, &lowered.layout)?;
            let group = match lowered.layout.unflat_groups(&[expr]).first() {
                Some(group) => *group,
                None => match lowered.layout.groups.len() {
                    // A chunk of one group stays one.
                    1 => 0,
                    _ => *fresh.get_or_insert_with(|| lowered.layout.add_group(true)),
                },
            };
            let slot = lowered.layout.add_slot(group);
            places.push((var, Place { group, slot }));
            compiled.push((Place { group, slot }, ex));
        }
        for (var, place) in aliases.into_iter().chain(places) {
            lowered.layout.alias(var, place);
        }
        if !compiled.is_empty() {
            lowered.op = Box::new(ops::Compute { child: lowered.op, items: compiled.into(), fresh });
        }
        Ok(lowered)
    }

    fn lower_aggregate(
        &mut self,
        input: &Plan,
        keys: &[(VarId, Expr)],
        aggregates: &[(VarId, trimorph_algebra::Aggregate)],
    ) -> Result<Lowered<'s>, ExecError> {
        let args = || aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter));
        let exprs: Vec<&Expr> = keys.iter().map(|(_, e)| e).chain(args()).collect();
        let below = vars_of(exprs.iter().copied());
        let lowered = self.child(0, input, &below)?;
        let lowered = self.flatten(lowered, &exprs);
        let layout = &lowered.layout;
        let spec = ops::AggregateSpec {
            keys: keys.iter().map(|(_, e)| self.compile(e, layout)).collect::<Result<_, _>>()?,
            aggregates: (aggregates.iter())
                .map(|(_, a)| {
                    Ok(ops::AggregateEx {
                        kind: a.kind,
                        arg: a.arg.as_ref().map(|e| self.compile(e, layout)).transpose()?,
                        parameter: a.parameter.as_ref().map(|e| self.compile(e, layout)).transpose()?,
                        distinct: a.distinct,
                    })
                })
                .collect::<Result<_, ExecError>>()?,
            main: layout.unflat_groups(&exprs).first().copied(),
            slots: layout.slots(),
            parallel: lowered.forkable && self.numbers.is_empty(),
        };
        let vars: Vec<VarId> =
            keys.iter().map(|(v, _)| *v).chain(aggregates.iter().map(|(v, _)| *v)).collect();
        let op = ops::Aggregate::new(lowered.op, Arc::new(spec));
        Ok(Lowered { op: Box::new(op), layout: rows_layout(&vars), forkable: false })
    }

    fn lower_apply(
        &mut self,
        input: &Plan,
        subplan: &Plan,
        kind: &ApplyKind,
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let arguments: Vec<VarId> = arguments_of(subplan).unwrap_or_default();
        let input_vars: Vars = input.vars().into_iter().collect();
        let arguments: Vec<VarId> = arguments.into_iter().filter(|v| input_vars.contains(v)).collect();
        let number = VarId(u32::MAX - u32::try_from(self.numbers.len()).unwrap_or(0));
        let (added, wanted): (Vec<VarId>, Vars) = match kind {
            ApplyKind::Inner | ApplyKind::Optional => {
                let sub: Vars = subplan.vars().into_iter().collect();
                let added: Vec<VarId> =
                    needed.iter().copied().filter(|v| sub.contains(v) && !input_vars.contains(v)).collect();
                (added.clone(), added.into_iter().collect())
            }
            ApplyKind::Semi | ApplyKind::Anti => (Vec::new(), Vars::new()),
            ApplyKind::Mark(v) | ApplyKind::Count(v) => (vec![*v], Vars::new()),
            ApplyKind::Collect(v, expr) => (vec![*v], vars_of([expr])),
        };
        let keep_vars: Vars = needed.iter().copied().filter(|v| !added.contains(v)).collect();
        let mut below = keep_vars.clone();
        below.extend(&arguments);
        let child = self.child(0, input, &below)?;
        let child = self.pack(child, &below, false)?;
        let (keep, layout) = self.keep(&child.layout, &keep_vars, &added)?;

        let one_by_one = looks_at_rows_together(subplan);
        let mut inner = self.clone();
        inner.path.push(1);
        inner.numbers.push(number);
        let spec = Arc::new(SubplanSpec {
            lowering: inner,
            arguments: arguments.clone(),
            number,
            wanted: wanted.clone(),
            one_by_one,
        });
        let (_, sub_layout) = spec.lower()?;
        let mode = match kind {
            ApplyKind::Inner | ApplyKind::Optional => ops::ApplyMode::Join {
                slots: added
                    .iter()
                    .map(|v| self.slot(&sub_layout, *v))
                    .collect::<Result<Vec<_>, _>>()?
                    .into(),
                optional: matches!(kind, ApplyKind::Optional),
            },
            ApplyKind::Semi => ops::ApplyMode::Semi { anti: false },
            ApplyKind::Anti => ops::ApplyMode::Semi { anti: true },
            ApplyKind::Mark(_) => ops::ApplyMode::Mark,
            ApplyKind::Count(_) => ops::ApplyMode::Count,
            ApplyKind::Collect(_, expr) => {
                ops::ApplyMode::Collect(Arc::new(self.compile(expr, &sub_layout)?))
            }
        };
        let argument_slots =
            arguments.iter().map(|v| self.slot(&child.layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let parts = ops::ApplyParts {
            slots: child.layout.groups[0].slots,
            keep,
            sub_slots: sub_layout.groups[0].slots,
            arguments: argument_slots.into(),
            number: if one_by_one { None } else { Some(self.slot(&sub_layout, number)?) },
            mode,
            one_by_one,
            make: Arc::new(move || match spec.lower() {
                Ok((made, _)) => made,
                // It was lowered once already: it cannot fail now.
                Err(_) => (Box::new(ops::Empty) as BoxOperator<'s>, ops::ArgumentCell::default()),
            }),
        };
        let op = ops::Apply::new(child.op, parts);
        Ok(Lowered { op: Box::new(op), layout, forkable: child.forkable })
    }
}

/// Whether a plan gives `var` in the order of a scan.
fn in_scan_order(plan: &Plan, var: VarId) -> bool {
    match plan {
        Plan::NodeScan(scan) => scan.var == var,
        Plan::Filter { input, .. } | Plan::ExtendCount { input, .. } => in_scan_order(input, var),
        _ => false,
    }
}

/// What it takes to lower a subplan again, for another worker.
struct SubplanSpec<'s> {
    lowering: Lowering<'s>,
    arguments: Vec<VarId>,
    number: VarId,
    wanted: Vars,
    one_by_one: bool,
}

impl<'s> SubplanSpec<'s> {
    fn lower(&self) -> Result<((BoxOperator<'s>, ops::ArgumentCell<'s>), Layout), ExecError> {
        let query = Arc::clone(&self.lowering.query);
        let mut plan = &query.plan;
        for step in &self.lowering.path {
            plan = plan.children().get(*step).copied().ok_or_else(|| internal("a lost subplan"))?;
        }
        let cell = ops::ArgumentCell::default();
        let mut lowering = self.lowering.clone();
        let mut vars = self.arguments.clone();
        vars.push(self.number);
        lowering.argument = Some((vars, cell.clone()));
        let mut wanted = self.wanted.clone();
        if !self.one_by_one {
            wanted.insert(self.number);
        }
        let lowered = lowering.lower(plan, &wanted)?;
        let lowered = lowering.pack(lowered, &wanted, false)?;
        Ok(((lowered.op, cell), lowered.layout))
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

/// Whether the node reached or the edge of a step is needed.
fn looked_at(step: &Extend, needed: &Vars) -> bool {
    needed.contains(&step.to) || step.edge.is_some_and(|e| needed.contains(&e))
}

/// A cursor over `group`, which leaves the other unflat groups as it found them.
fn cursor(layout: &Layout, group: usize) -> ops::Cursor {
    let others: Vec<usize> =
        (0..layout.groups.len()).filter(|g| *g != group && !layout.groups[*g].flat).collect();
    ops::Cursor::new(group, others.into())
}

/// The variables that the argument of a subplan hands down, if it has one.
fn arguments_of(plan: &Plan) -> Option<Vec<VarId>> {
    match plan {
        Plan::Argument(vars) => Some(vars.clone()),
        // The subplan of an inner apply has an argument of its own.
        Plan::Apply { input, .. } => arguments_of(input),
        other => {
            let mut found: Option<Vec<VarId>> = None;
            for child in other.children() {
                if let Some(vars) = arguments_of(child) {
                    let all = found.get_or_insert_default();
                    all.extend(vars.into_iter().filter(|v| !all.contains(v)).collect::<Vec<_>>());
                }
            }
            found
        }
    }
}

/// Whether a subplan must see the rows of one outer row and no others: it counts, orders or compares rows.
fn looks_at_rows_together(plan: &Plan) -> bool {
    match plan {
        Plan::Aggregate { .. }
        | Plan::Distinct { .. }
        | Plan::Sort { .. }
        | Plan::Skip { .. }
        | Plan::Limit { .. } => true,
        Plan::Union { inputs, .. } => {
            inputs.iter().any(|i| arguments_of(i).is_none() || looks_at_rows_together(i))
        }
        // Both sides of a join may hold the argument: then rows must agree on their number, which one row at a time ensures.
        Plan::HashJoin { .. } => true,
        // A plan that starts from nothing has no row number to carry.
        Plan::Unit | Plan::Empty(_) | Plan::NodeScan(_) => true,
        Plan::Apply { input, .. } | Plan::SemiJoin { input, .. } => looks_at_rows_together(input),
        other => other.children().into_iter().any(looks_at_rows_together),
    }
}

/// Whether an expression reads properties of `edge` and nothing else of it, nor any other variable.
fn reads_only_properties(expr: &Expr, edge: VarId) -> bool {
    match expr {
        Expr::Var(_) => false,
        Expr::Property(base, _, _) if matches!(&**base, Expr::Var(v) if *v == edge) => true,
        other => {
            let mut ok = true;
            other.for_each_child(&mut |child| ok &= reads_only_properties(child, edge));
            ok
        }
    }
}
