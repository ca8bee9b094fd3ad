//! Lowering: an optimised plan to an operator tree.
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

use std::collections::BTreeSet;
use std::sync::Arc;

use trimorph_algebra::{BoundQuery, Expr, Op, Plan, VarId};
use trimorph_base::{Diagnostic, ErrorKind, Phase};
use trimorph_catalog::CatalogView;
use trimorph_store::Snapshot;
use trimorph_store::access::{Morsels, Prune};
use trimorph_types::Value;
use trimorph_vector::Chunk;

use crate::execution::ProfileCell;
use crate::expr::{Compiler, Ex, Row, compile, integer_range};
use crate::layout::{Layout, Place};
use crate::operator::BoxOperator;
use crate::ops;
use crate::{Context, ExecError, Settings};

/// Rows of a morsel: 8 vectors, enough that the dispenser is not felt, few enough that two cores end
/// together.
const MORSEL_ROWS: usize = 16_384;

/// Morsels that each thread should get at least, and how small they may be for it (four per
/// thread took SNB at scale 1, messages by city, from 1.07 to 1.81 times one thread; 64 is not measured).
const MORSELS_PER_THREAD: usize = 4;
const MORSEL_ROWS_MIN: usize = 64;

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
    catalog: Arc<CatalogView<'s>>,
    settings: Arc<Settings>,
    profile: Option<ProfileCell>,
    /// The argument of the subplan being lowered: its variables, the row number last, and where its rows come
    /// from.
    argument: Option<(Vec<VarId>, ops::ArgumentCell<'s>)>,
    /// Row-number variables of the applies around.
    numbers: Vec<VarId>,
    /// The row number that the rows of the subplan being lowered carry; none where rows go through it one at
    /// a time.
    carried: Option<VarId>,
    /// Where in the plan tree this lowering is: child indices from the root.
    path: Vec<usize>,
    /// Whether the extend lowered next is looked at by a filter only.
    counted_extend: bool,
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

impl<'s> Lowering<'s> {
    pub(crate) fn new(
        query: Arc<BoundQuery>,
        snapshot: &'s Snapshot,
        settings: Arc<Settings>,
        profile: Option<ProfileCell>,
    ) -> Self {
        let catalog = Arc::new(CatalogView::new(snapshot.catalog()));
        Self {
            query,
            snapshot,
            catalog,
            settings,
            profile,
            argument: None,
            numbers: Vec::new(),
            carried: None,
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
            cancel: &self.settings.cancel,
        };
        Ok(compile(expr, layout, &compiler)?)
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
                let ty = if other.is_null() { "NULL" } else { other.logical_type().name() };
                let text = format!("{what} takes an INTEGER, not {ty}");
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

    /// Adds the row number that goes along to what is needed.
    fn with_number(&self, mut needed: Vars) -> Vars {
        needed.extend(self.carried);
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
                Ok(Lowered { op: Box::new(cell.leaf()), layout: rows_layout(&vars), forkable: false })
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
                    property: Arc::clone(&lookup.property),
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
                    parallel: lowered.forkable && self.numbers.is_empty(),
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
            Plan::ProcedureCall { input, call } => self.lower_procedure_call(input, call, needed),
            Plan::Union { inputs, vars } => {
                let vars = self.with_number(vars.iter().copied().collect());
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
            for (table, column) in self.catalog.node_columns(Some(&[Arc::clone(&predicate.property)])) {
                // Zone maps do not cover values of other types.
                if scan.tables.contains(&table)
                    && self.catalog.has_one_type(table, column)
                    && let Some(ty) = self.catalog.column_type(table, column)
                    && let Some((low, high)) = integer_range(ty, predicate.op, &value)
                {
                    prune.push(Prune { table, column, low, high });
                }
            }
        }
        let rows: u64 = scan.tables.iter().map(|t| self.snapshot.rows(*t)).sum();
        // Few rows may still be much work: each thread is to have several morsels.
        let share = usize::try_from(rows).unwrap_or(MORSEL_ROWS)
            / (self.settings.threads.max(1) * MORSELS_PER_THREAD);
        let size = match self.settings.threads {
            0 | 1 => MORSEL_ROWS,
            _ => share.next_power_of_two().clamp(MORSEL_ROWS_MIN, MORSEL_ROWS),
        };
        let morsels = Morsels::new(self.snapshot, &scan.tables, size);
        let forkable = morsels.count() > 1;
        let op = ops::NodeScan::new(place.group, place.slot, morsels, prune);
        Ok(Lowered { op: Box::new(op), layout, forkable })
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
fn cursor(layout: &Layout, group: usize) -> ops::Cursor {
    let others: Vec<usize> =
        (0..layout.groups.len()).filter(|g| *g != group && !layout.groups[*g].flat).collect();
    ops::Cursor::new(group, others.into())
}
