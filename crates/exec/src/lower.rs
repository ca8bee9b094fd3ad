//! Lowering: an optimised plan and the catalog, to a physical plan.
//!
//! ```text
//! lower.rs   one arm per operator, and what all arms use: places, packing, flattening
//! extend     steps along edges: which form each takes
//! filter     which conjuncts go together, and what is asked of encoded columns
//! join       hash joins, semi-join filters
//! apply      subplans
//! rows       computed items, aggregates
//! sort       sorts
//! runs       which groups come one after the other
//! spool      rows that several places read
//! top        which scan a top-k leads
//! ```
//!
//! Top down it carries which variables are needed above, bottom up the layout: which list group and slot each
//! variable has. Expressions may read one unflat group: all others are flattened first.

mod apply;
mod extend;
mod filter;
mod follows;
mod join;
mod join_filter;
mod lowering;
mod rows;
mod runs;
mod sort;
mod spool;
mod statements;
mod top;

use std::sync::Arc;

use trimorph_algebra::{AggregateKind, BoundQuery, Expr, LookupBy, Plan, VarId};
use trimorph_catalog::CatalogView;
use trimorph_store::Snapshot;
use trimorph_store::access::Choice;

use crate::ExecError;
use crate::expr::LabelTest;
use crate::layout::Layout;
use crate::ops;
use crate::physical::{PhysicalOptions, PhysicalPlan, Spec};
use crate::stack::Stack;
use lowering::{Lowered, Lowering, Vars, asked_of, internal, rows_layout, vars_of};

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

impl<'q> Lowering<'q> {
    /// The whole query: chunks of one group that has every column.
    fn root(&mut self, stack: Stack) -> Result<PhysicalPlan, ExecError> {
        let query = self.query;
        let needed: Vars = query.columns.iter().map(|(_, v)| *v).collect();
        let Lowered { node, layout } = self.lower(&query.plan, &needed)?;
        let Lowered { node, layout } = self.gather(Lowered { node, layout }, &needed, false)?;
        let columns = query.columns.iter().map(|(_, v)| self.slot(&layout, *v)).collect::<Result<_, _>>()?;
        Ok(PhysicalPlan::of(node, layout.groups[0].slots, columns, stack))
    }

    fn child(&mut self, index: usize, plan: &Plan, needed: &Vars) -> Result<Lowered, ExecError> {
        let around = self.path.clone();
        self.path = around.child(index);
        let lowered = self.lower(plan, needed);
        self.path = around;
        lowered
    }

    fn lower(&mut self, plan: &Plan, needed: &Vars) -> Result<Lowered, ExecError> {
        let around = (self.is_limited, self.is_shared, self.is_folded, self.is_whole);
        let is_counted = self.is_counted;
        self.is_counted = match plan {
            Plan::Aggregate { aggregates, .. } => {
                use AggregateKind as K;
                let counts = |kind| matches!(kind, K::CountStar | K::Count | K::Min | K::Max);
                aggregates.iter().all(|(_, aggregate)| counts(aggregate.kind))
            }
            Plan::Filter { .. } | Plan::Extra { .. } | Plan::Project { .. } | Plan::Unwind { .. } => {
                is_counted
            }
            _ => false,
        };
        self.is_limited = match plan {
            Plan::Limit { .. } => true,
            Plan::Sort { .. } | Plan::Aggregate { .. } => false,
            _ => self.is_limited,
        };
        self.is_shared = match plan {
            Plan::Aggregate { .. } => self.numbers.is_empty(),
            Plan::Filter { .. } | Plan::Extra { .. } | Plan::Project { .. } | Plan::Unwind { .. } => around.1,
            Plan::Extend { .. } | Plan::ExtendCount { .. } | Plan::Union { .. } => around.1,
            _ => false,
        };
        self.is_folded = match plan {
            Plan::Aggregate { .. } => true,
            Plan::Filter { .. } | Plan::Extra { .. } | Plan::Project { .. } => around.2,
            _ => false,
        };
        self.is_whole = match plan {
            Plan::Aggregate { .. } | Plan::Sort { .. } => true,
            Plan::Filter { .. } | Plan::Extra { .. } | Plan::Project { .. } | Plan::Unwind { .. } => around.3,
            Plan::Extend { .. } | Plan::ExtendCount { .. } | Plan::Union { .. } | Plan::Distinct { .. } => {
                around.3
            }
            _ => false,
        };
        let lowered = self.lower_plain(plan, needed);
        (self.is_limited, self.is_shared, self.is_folded, self.is_whole) = around;
        self.is_counted = is_counted;
        let mut lowered = self.ask_for_keys(plan, lowered?);
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
            Plan::Argument(vars) => {
                let Some(vars) = self.argument.as_ref() else {
                    let spec = Spec::Given(vars.as_slice().into());
                    return Ok(Lowered { node: self.node(spec, []), layout: rows_layout(vars) });
                };
                Ok(Lowered { node: self.node(Spec::Argument, []), layout: rows_layout(vars) })
            }
            Plan::Match { .. } => Err(internal("a pattern that was not planned")),
            Plan::NodeScan(scan) => self.lower_scan(scan),
            Plan::KeyLookup { input, lookup } => {
                let mut below = vars_of(lookup.exprs());
                below.extend(needed.iter().filter(|v| **v != lookup.var));
                let child = self.child(0, input, &below)?;
                let child = self.pack(child, &below, false)?;
                let key = self.compile(&lookup.key, &child.layout)?;
                let together = match &lookup.together {
                    None => None,
                    Some(together) => {
                        let equal = together.equal.iter().map(|equal| self.compile(equal, &child.layout));
                        let equal = equal.collect::<Result<_, _>>()?;
                        Some(ops::TogetherSpec { properties: together.properties.clone(), equal })
                    }
                };
                let (keep, layout) = self.keep(&child.layout, needed, &[lookup.var])?;
                let spec = ops::LookupSpec {
                    slots: child.layout.groups[0].slots,
                    keep,
                    key,
                    property: Some(Arc::clone(&lookup.property)),
                    tables: lookup.tables.clone(),
                    by: lookup.by,
                    by_scan: self.options.access == Choice::Relation,
                    may_read_ahead: !self.is_limited && together.is_none(),
                    together,
                };
                Ok(Lowered { node: self.node(Spec::KeyLookup(Arc::new(spec)), [child.node]), layout })
            }
            Plan::EdgeLookup { input, lookup } => self.lower_edge_lookup(input, lookup, needed),
            Plan::IdLookup { input, var, id, tables } => {
                let mut below = vars_of([id]);
                below.extend(needed.iter().filter(|v| *v != var));
                let child = self.child(0, input, &below)?;
                let child = self.pack(child, &below, false)?;
                let key = self.compile(id, &child.layout)?;
                let (keep, layout) = self.keep(&child.layout, needed, &[*var])?;
                let (slots, tables) = (child.layout.groups[0].slots, tables.clone());
                let spec = ops::LookupSpec {
                    slots,
                    keep,
                    key,
                    by: LookupBy::Equal,
                    property: None,
                    tables,
                    by_scan: false,
                    may_read_ahead: false,
                    together: None,
                };
                Ok(Lowered { node: self.node(Spec::IdLookup(Arc::new(spec)), [child.node]), layout })
            }
            Plan::Extend { input, step } => self.lower_extend(input, step, needed),
            Plan::ExtendInto { input, step } => self.lower_extend_into(input, step, needed),
            Plan::ExtendCount { input, step } => self.lower_extend_count(input, step, needed),
            Plan::VarExtend { input, step } => self.lower_var_extend(input, step, needed),
            Plan::Intersect { input, steps } => self.lower_intersect(input, steps, needed),
            Plan::SemiJoin { input, filter, var, anti } => {
                self.lower_semi_join(input, filter, (*var, *anti), needed)
            }
            Plan::HashJoin { left, right, on } => self.lower_join(left, right, on, needed),
            Plan::Spool { input, rows, vars, number } => {
                self.lower_spool(input, (rows, vars, *number), needed)
            }
            Plan::SpoolRead { columns, number, .. } => self.lower_spool_read(columns, *number, needed),
            Plan::RangeJoin { left, right, on, band } => {
                self.lower_range_join(left, right, (on, band), needed)
            }
            Plan::Filter { input, predicate } => {
                let mut below = asked_of([predicate], input);
                below.extend(needed);
                self.filtered_extend = matches!(&**input, Plan::Extend { step, .. } if !extend::looked_at(step, needed) && filter::filters_only(predicate, step));
                let lowered = self.child(0, input, &below)?;
                self.lower_filter(lowered, predicate, needed)
            }
            Plan::Extra { input, items } => {
                let wanted: Vec<&(VarId, Expr)> = items.iter().filter(|(v, _)| needed.contains(v)).collect();
                let mut below = asked_of(wanted.iter().map(|(_, e)| e), input);
                let made: Vars = items.iter().map(|(v, _)| *v).collect();
                below.extend(needed.difference(&made));
                let lowered = self.child(0, input, &below)?;
                self.lower_items(lowered, &wanted)
            }
            Plan::Project { input, items } => {
                let wanted: Vec<&(VarId, Expr)> = items.iter().filter(|(v, _)| needed.contains(v)).collect();
                let below = self.with_number(asked_of(wanted.iter().map(|(_, e)| e), input));
                let lowered = self.child(0, input, &below)?;
                self.lower_items(lowered, &wanted)
            }
            Plan::Aggregate { input, keys, aggregates } => self.lower_aggregate(input, keys, aggregates),
            Plan::Distinct { input, vars } => {
                if std::mem::take(&mut self.keeps_repeated) {
                    return self.child(0, input, &vars.iter().copied().collect());
                }
                let vars = self.with_number(vars.iter().copied().collect());
                let lowered = self.child(0, input, &vars)?;
                if self.come_in_runs(input, &vars, &lowered.node) {
                    return self.lower_groups(lowered, input, &vars);
                }
                let lowered = self.thin(lowered, &vars)?;
                if self.is_grouped(&vars) {
                    return self.lower_groups(lowered, input, &vars);
                }
                let lowered = self.gather(lowered, &vars, false)?;
                let slots =
                    vars.iter().map(|v| self.slot(&lowered.layout, *v)).collect::<Result<Vec<_>, _>>()?;
                let node = self.node(Spec::Distinct(slots.into()), [lowered.node]);
                Ok(Lowered { node, layout: lowered.layout })
            }
            Plan::Sort { input, keys, limit, of_group } => {
                self.lower_sort(input, keys, (limit.as_ref(), of_group.as_ref()), needed)
            }
            Plan::Skip { input, count } => {
                let lowered = self.child(0, input, needed)?;
                let Lowered { node, layout } = self.gather(lowered, needed, false)?;
                let spec = Spec::Skip(self.count(count)?, self.number_slot(&layout)?);
                Ok(Lowered { node: self.node(spec, [node]), layout })
            }
            Plan::Limit { input, count } => {
                let lowered = self.child(0, input, needed)?;
                let Lowered { node, layout } = self.gather(lowered, needed, true)?;
                let spec = Spec::Limit(self.count(count)?, self.number_slot(&layout)?);
                Ok(Lowered { node: self.node(spec, [node]), layout })
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
                let (slots, in_any_order) = (lowered.layout.groups[0].slots, self.is_counted);
                let spec = ops::UnwindSpec { slots, keep, list, in_any_order };
                Ok(Lowered { node: self.node(Spec::Unwind(Arc::new(spec)), [lowered.node]), layout })
            }
            Plan::ProcedureCall { input, call } => self.lower_procedure_call(input, call, needed),
            Plan::Statements { input, pattern } => self.lower_triple(input, pattern, needed),
            Plan::PropertyPath { input, path } => self.lower_path(input, path, needed),
            Plan::Union { inputs, vars } => {
                let vars = self.with_number(vars.iter().copied().collect());
                let (mut nodes, mut specs) = (Vec::new(), Vec::new());
                for (i, input) in inputs.iter().enumerate() {
                    let child = self.child(i, input, &vars)?;
                    let child = match self.is_shared {
                        true => self.dealt(child, &vars)?,
                        false => self.gather(child, &vars, false)?,
                    };
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
            Plan::Update { .. } | Plan::Merge { .. } => Err(ExecError::from(apply::not_a_read())),
        }
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
        let by_index = self.options.access != Choice::Relation;
        let labels = Some(LabelTest::new(&scan.labels, self.catalog)).filter(LabelTest::asks_rows);
        let spec = ops::NodeScanSpec { place, tables: scan.tables.clone(), prune, by_index, labels };
        Ok(Lowered { node: self.node(Spec::NodeScan(Arc::new(spec)), []), layout })
    }
}
