//! Takes a physical plan and what one execution is run with, gives the specs that stand in the place of the
//! plan's: parameters are values, counts of rows are numbers.
//!
//! Most specs are the same in every execution, and stay where they are: a plan knows which are not
//! ([`bound_anew`]), and only those are made again.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::Value;
use trimorph_vector::Chunk;

use super::few::Few;
use super::{Node, PhysicalPlan, Spec};
use crate::expr::{Binder, Count, Ex, Row};
use crate::ops::{
    AggregateEx, AggregateSpec, ApplyMode, ApplySpec, CallSpec, ComputeSpec, CountExtendSpec, CountStepSpec,
    EdgeLookupSpec, FilterStep, LookupSpec, NodeScanSpec, SortSpec, TogetherSpec, UnwindSpec, VarSpec,
};
use crate::stack::Stack;
use crate::{Context, ExecError};

/// The specs that one execution has in the place of its plan's, by the numbers of their nodes, ascending.
pub(crate) struct Bound(Vec<(usize, Spec)>);

impl Bound {
    /// The spec of a node.
    pub(crate) fn spec<'b>(&'b self, node: &'b Node) -> &'b Spec {
        match self.0.binary_search_by_key(&node.number, |(number, _)| *number) {
            Ok(at) => &self.0[at].1,
            Err(_) => &node.spec,
        }
    }
}

impl PhysicalPlan {
    /// A plan, which knows what each execution has of its own.
    pub(crate) fn of(root: Node, group_slots: usize, columns: Vec<usize>, stack: Stack) -> Self {
        let root = Arc::new(root);
        let (bound_anew, breakers) = looked_over(&root);
        // What is that deep is not small.
        let few = if stack.0.is_none() { Few::of(&root) } else { None };
        Self { bound_anew, breakers, root, group_slots, columns, stack, few }
    }
}

/// The nodes of a plan whose specs each execution has its own of, by their numbers, and how many keep rows.
fn looked_over(root: &Arc<Node>) -> (Vec<Arc<Node>>, usize) {
    let (mut found, mut breakers) = (BTreeMap::new(), 0);
    let (mut left, mut spools) = (vec![root], HashSet::new());
    while let Some(node) = left.pop() {
        if !is_bound(&node.spec) {
            found.insert(node.number, Arc::clone(node));
        }
        // What makes the rows of a spool stands below each place that reads them.
        let is_known = matches!(&node.spec, Spec::SpoolRead(spool) if !spools.insert(spool.number));
        breakers += usize::from(!is_known && node.spec.keeps_rows());
        left.extend(node.inputs.iter().filter(|_| !is_known));
    }
    (found.into_values().collect(), breakers)
}

/// Whether a spec is the same in every execution.
fn is_bound(spec: &Spec) -> bool {
    let count_is = |count: &Count| matches!(count, Count::Rows(_));
    match spec {
        Spec::Unit
        | Spec::Empty
        | Spec::Argument
        | Spec::Given(_)
        | Spec::ListExtend(_)
        | Spec::ColumnExtend(_)
        | Spec::BatchExtend(_)
        | Spec::ScanExtend(_)
        | Spec::ExpandInto(_)
        | Spec::Intersect(_)
        | Spec::SemiJoin(_)
        | Spec::RowProduct(_)
        | Spec::HashJoin(_)
        | Spec::JoinFilter(_)
        | Spec::RangeJoin(_)
        | Spec::Flatten(_)
        | Spec::Pack(_)
        | Spec::Compact(_)
        | Spec::Distinct(_)
        | Spec::EachRow(_)
        | Spec::Thin(_)
        | Spec::Shortest(_)
        | Spec::SpoolRead(_)
        | Spec::Deal(_)
        | Spec::DealFew(_)
        | Spec::Gather(_)
        | Spec::Statements(_)
        | Spec::Union(_) => true,
        Spec::NodeScan(scan) => scan.prune.iter().all(|(_, _, ex)| ex.is_bound()),
        Spec::Filter(steps) => steps.iter().all(|step| step.predicate.is_bound()),
        Spec::Compute(compute) => compute.items.iter().all(|(_, ex)| ex.is_bound()),
        Spec::Skip(count, _) | Spec::Limit(count, _) => count_is(count),
        // Either has parameters as a rule, or is little beside what it does.
        Spec::KeyLookup(_)
        | Spec::EdgeLookup(_)
        | Spec::IdLookup(_)
        | Spec::CountExtend(_)
        | Spec::VarExtend(_)
        | Spec::ChainExtend(_)
        | Spec::RunAggregate(_)
        | Spec::Aggregate(..)
        | Spec::Sort(..)
        | Spec::Unwind(_)
        | Spec::ProcedureCall(_)
        | Spec::Apply(_) => false,
    }
}

/// The start of one execution.
pub(crate) struct Start<'a, 's> {
    binder: Binder<'a>,
    cx: &'a Context<'s>,
}

impl<'a, 's> Start<'a, 's> {
    pub(crate) fn new(cx: &'a Context<'s>) -> Self {
        let settings = &*cx.settings;
        let (parameters, clock, cancel) = (&*settings.parameters, settings.clock, &settings.cancel);
        let binder = Binder { parameters, clock, budget: &settings.budget, cancel };
        Self { binder, cx }
    }

    /// The specs of this execution.
    ///
    /// **Errors**: a parameter without a value, a LIMIT that is no count.
    pub(crate) fn bind(&self, plan: &PhysicalPlan) -> Result<Bound, ExecError> {
        let spec = |node: &Arc<Node>| Ok((node.number, self.spec(&node.spec)?));
        Ok(Bound(plan.bound_anew.iter().map(spec).collect::<Result<_, ExecError>>()?))
    }

    fn spec(&self, spec: &Spec) -> Result<Spec, ExecError> {
        let Self { binder, .. } = self;
        Ok(match spec {
            Spec::Unit
            | Spec::Empty
            | Spec::Argument
            | Spec::Given(_)
            | Spec::ListExtend(_)
            | Spec::ColumnExtend(_)
            | Spec::BatchExtend(_)
            | Spec::ScanExtend(_)
            | Spec::ExpandInto(_)
            | Spec::Intersect(_)
            | Spec::SemiJoin(_)
            | Spec::RowProduct(_)
            | Spec::HashJoin(_)
            | Spec::JoinFilter(_)
            | Spec::RangeJoin(_)
            | Spec::Flatten(_)
            | Spec::Pack(_)
            | Spec::Compact(_)
            | Spec::Distinct(_)
            | Spec::EachRow(_)
            | Spec::Thin(_)
            | Spec::Shortest(_)
            | Spec::SpoolRead(_)
            | Spec::Deal(_)
            | Spec::DealFew(_)
            | Spec::Gather(_)
            | Spec::Union(_) => spec.clone(),
            Spec::NodeScan(scan) => {
                let part = |(name, op, ex): &(Arc<str>, _, Ex)| Ok((Arc::clone(name), *op, binder.bind(ex)?));
                let prune = scan.prune.iter().map(part).collect::<Result<_, Diagnostic>>()?;
                Spec::NodeScan(Arc::new(NodeScanSpec {
                    place: scan.place,
                    tables: scan.tables.clone(),
                    prune,
                    by_index: scan.by_index,
                    labels: scan.labels.clone(),
                }))
            }
            Spec::KeyLookup(lookup) => Spec::KeyLookup(self.lookup(lookup)?),
            Spec::EdgeLookup(lookup) => Spec::EdgeLookup(Arc::new(EdgeLookupSpec {
                key: binder.bind(&lookup.key)?,
                keep: lookup.keep.clone(),
                tables: lookup.tables.clone(),
                property: Arc::clone(&lookup.property),
                from_tables: lookup.from_tables.clone(),
                to_tables: lookup.to_tables.clone(),
                ..**lookup
            })),
            Spec::IdLookup(lookup) => Spec::IdLookup(self.lookup(lookup)?),
            Spec::CountExtend(count) => Spec::CountExtend(Arc::new(CountExtendSpec {
                from: count.from,
                fresh: count.fresh,
                step: self.count_step(&count.step)?,
                whole: count.whole,
            })),
            Spec::VarExtend(spec) => Spec::VarExtend(self.walk(spec)?),
            Spec::ChainExtend(spec) => Spec::ChainExtend(self.walk(spec)?),
            Spec::Filter(steps) => {
                let step = |step: &FilterStep| {
                    Ok(FilterStep {
                        predicate: binder.bind(&step.predicate)?,
                        group: step.group,
                        counted: step.counted,
                    })
                };
                Spec::Filter(steps.iter().map(step).collect::<Result<_, Diagnostic>>()?)
            }
            Spec::Compute(compute) => {
                let items = compute.items.iter().map(|(place, ex)| Ok((*place, binder.bind(ex)?)));
                let items = items.collect::<Result<_, Diagnostic>>()?;
                Spec::Compute(Arc::new(ComputeSpec { items, fresh: compute.fresh }))
            }
            Spec::RunAggregate(aggregate) => Spec::RunAggregate(Arc::new(self.aggregate(aggregate)?)),
            Spec::Aggregate(aggregate, parallel) => {
                Spec::Aggregate(Arc::new(self.aggregate(aggregate)?), *parallel)
            }
            Spec::Sort(sort, parallel) => {
                let keys = sort.keys.iter().map(|(ex, descending)| Ok((binder.bind(ex)?, *descending)));
                let sort = SortSpec {
                    slots: sort.slots,
                    keep: sort.keep.clone(),
                    keys: keys.collect::<Result<_, Diagnostic>>()?,
                    limit: sort.limit.as_ref().map(|limit| self.count(limit, "LIMIT")).transpose()?,
                    leads: sort.leads.clone(),
                    of_group: sort
                        .of_group
                        .as_ref()
                        .map(|limit| limit.map(|ex| binder.bind(ex)))
                        .transpose()?,
                };
                Spec::Sort(Arc::new(sort), *parallel)
            }
            Spec::Skip(count, each) => Spec::Skip(self.count(count, "SKIP")?, *each),
            Spec::Limit(count, each) => Spec::Limit(self.count(count, "LIMIT")?, *each),
            Spec::Unwind(unwind) => Spec::Unwind(Arc::new(UnwindSpec {
                slots: unwind.slots,
                keep: unwind.keep.clone(),
                list: binder.bind(&unwind.list)?,
                in_any_order: unwind.in_any_order,
            })),
            Spec::ProcedureCall(call) => Spec::ProcedureCall(Arc::new(CallSpec {
                slots: call.slots,
                keep: call.keep.clone(),
                procedure: Arc::clone(&call.procedure),
                arguments: binder.all(&call.arguments)?,
                columns: call.columns.clone(),
                span: call.span,
            })),
            Spec::Statements(spec) => Spec::Statements(Arc::clone(spec)),
            Spec::Apply(apply) => Spec::Apply(Arc::new(ApplySpec {
                slots: apply.slots,
                keep: apply.keep.clone(),
                sub_slots: apply.sub_slots,
                arguments: apply.arguments.clone(),
                number: apply.number,
                mode: match &apply.mode {
                    ApplyMode::Collect(ex) => ApplyMode::Collect(binder.bind(ex)?),
                    mode => mode.clone(),
                },
                pair: apply.pair,
                once_a_node: apply.once_a_node,
                is_whole: apply.is_whole,
            })),
        })
    }

    fn lookup(&self, lookup: &LookupSpec) -> Result<Arc<LookupSpec>, Diagnostic> {
        Ok(Arc::new(LookupSpec {
            slots: lookup.slots,
            keep: lookup.keep.clone(),
            key: self.binder.bind(&lookup.key)?,
            property: lookup.property.clone(),
            tables: lookup.tables.clone(),
            by: lookup.by,
            by_scan: lookup.by_scan,
            may_read_ahead: lookup.may_read_ahead,
            together: match &lookup.together {
                None => None,
                Some(together) => Some(TogetherSpec {
                    properties: together.properties.clone(),
                    equal: self.binder.all(&together.equal)?,
                }),
            },
        }))
    }

    fn count_step(&self, step: &CountStepSpec) -> Result<CountStepSpec, Diagnostic> {
        Ok(CountStepSpec {
            step: Arc::clone(&step.step),
            predicate: self.binder.option(step.predicate.as_ref())?,
            edge_only: step.edge_only,
            next: step.next.iter().map(|next| self.count_step(next)).collect::<Result<_, _>>()?,
        })
    }

    /// The steps back ask for nothing that is bound.
    fn walk(&self, walk: &VarSpec) -> Result<Arc<VarSpec>, Diagnostic> {
        Ok(Arc::new(VarSpec {
            each: self.binder.option(walk.each.as_ref())?,
            nodes: self.binder.option(walk.nodes.as_ref())?,
            condition: self.binder.option(walk.condition.as_ref())?,
            ..walk.clone()
        }))
    }

    fn aggregate(&self, aggregate: &AggregateSpec) -> Result<AggregateSpec, Diagnostic> {
        let one = |a: &AggregateEx| {
            Ok(AggregateEx {
                kind: a.kind,
                arg: self.binder.option(a.arg.as_ref())?,
                parameter: self.binder.option(a.parameter.as_ref())?,
                distinct: a.distinct,
                order: a.order.clone(),
                span: a.span,
            })
        };
        Ok(AggregateSpec {
            keys: self.binder.all(&aggregate.keys)?,
            told: aggregate.told,
            aggregates: aggregate.aggregates.iter().map(one).collect::<Result<_, Diagnostic>>()?,
            main: aggregate.main,
            slots: aggregate.slots.clone(),
            runs: aggregate.runs,
            node: aggregate.node,
        })
    }

    /// The number of rows that `clause` was given.
    fn count(&self, count: &Count, clause: &str) -> Result<Count, ExecError> {
        let Count::Of(ex) = count else { return Ok(count.clone()) };
        // An expression without variables: evaluated over nothing.
        let value = Row::new(&Chunk::default(), usize::MAX, 0).eval(&self.binder.bind(ex)?, self.cx)?;
        let wrong = |detail: &'static str, text: String| {
            Err(ExecError::Query(Diagnostic::runtime(ErrorKind::SyntaxError, detail, text)))
        };
        match value {
            Value::Int(i) => match u64::try_from(i) {
                Ok(rows) => Ok(Count::Rows(rows)),
                Err(_) => {
                    wrong("NegativeIntegerArgument", format!("{clause} takes a count of rows, not {i}"))
                }
            },
            other => {
                let ty = if other.is_null() { "NULL" } else { other.logical_type().name() };
                wrong("InvalidArgumentType", format!("{clause} takes an INTEGER, not {ty}"))
            }
        }
    }
}
