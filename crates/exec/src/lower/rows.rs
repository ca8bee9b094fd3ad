//! Lowering of what makes new columns: computed items, aggregates, procedure calls.

use std::sync::Arc;

use trimorph_algebra::{AggregateKind, Expr, Plan, ProcedureCall, VarId};
use trimorph_base::Span;
use trimorph_types::LogicalType;

use super::lowering::{Lowered, Lowering, Vars, asked_of, rows_layout, vars_of};
use crate::ExecError;
use crate::expr::{Ex, of_one_property};
use crate::layout::{Layout, Place};
use crate::ops;
use crate::physical::{Node, Spec};
use crate::volatile::is_volatile;

impl Lowering<'_> {
    /// Computes `items`; plain variables become other names of their places.
    pub(super) fn lower_items(
        &self,
        mut lowered: Lowered,
        items: &[&(VarId, Expr)],
    ) -> Result<Lowered, ExecError> {
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
            let spec = ops::ComputeSpec { items: compiled, fresh };
            lowered.node = self.node(Spec::Compute(Arc::new(spec)), [lowered.node]);
        }
        Ok(lowered)
    }

    pub(super) fn lower_procedure_call(
        &mut self,
        input: &Plan,
        call: &ProcedureCall,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let mut below = vars_of(&call.arguments);
        below.extend(needed.iter().filter(|v| call.outputs.iter().all(|(_, output)| output != *v)));
        let lowered = self.child(0, input, &below)?;
        let lowered = self.pack(lowered, &below, false)?;
        let arguments = call.arguments.iter().map(|e| self.compile(e, &lowered.layout));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let wanted = call.outputs.iter().copied().filter(|(_, v)| needed.contains(v));
        let (columns, vars): (Vec<usize>, Vec<VarId>) = wanted.unzip();
        let (keep, layout) = self.keep(&lowered.layout, needed, &vars)?;
        let slots = lowered.layout.groups[0].slots;
        let procedure = Arc::clone(&call.procedure);
        let spec = ops::CallSpec { slots, keep, procedure, arguments, columns, span: call.span };
        Ok(Lowered { node: self.node(Spec::ProcedureCall(Arc::new(spec)), [lowered.node]), layout })
    }

    pub(super) fn lower_aggregate(
        &mut self,
        input: &Plan,
        keys: &[(VarId, Expr)],
        aggregates: &[(VarId, trimorph_algebra::Aggregate)],
    ) -> Result<Lowered, ExecError> {
        let args = || aggregates.iter().flat_map(|(_, a)| a.arg.iter().chain(&a.parameter));
        // Where rows carry a number there are groups of each.
        let number = self.carried.map(|number| (number, Expr::Var(number)));
        let all_keys: Vec<(VarId, Expr)> = keys.iter().cloned().chain(number).collect();
        let exprs: Vec<&Expr> = all_keys.iter().map(|(_, e)| e).chain(args()).collect();
        let below = asked_of(exprs.iter().copied(), input);
        let lowered = self.child(0, input, &below)?;
        let lowered = self.flatten(lowered, &exprs);
        let Lowered { node, layout } = self.aggregate_over(lowered, &exprs, input, &all_keys, aggregates)?;
        let Some(number) = self.carried.filter(|_| keys.is_empty()) else {
            return Ok(Lowered { node, layout });
        };
        let aggregates = aggregates.iter().map(|(var, a)| Ok((self.slot(&layout, *var)?, a.kind)));
        let spec = ops::EachRowSpec {
            slots: layout.groups[0].slots,
            number: self.slot(&layout, number)?,
            aggregates: aggregates.collect::<Result<_, ExecError>>()?,
        };
        Ok(Lowered { node: self.node(Spec::EachRow(Arc::new(spec)), [node]), layout })
    }

    /// The aggregation over lowered rows. By itself, so that plans within each other take less stack.
    #[inline(never)]
    fn aggregate_over(
        &mut self,
        mut lowered: Lowered,
        exprs: &[&Expr],
        input: &Plan,
        keys: &[(VarId, Expr)],
        aggregates: &[(VarId, trimorph_algebra::Aggregate)],
    ) -> Result<Lowered, ExecError> {
        let (keys, told) = self.told_apart(input, keys);
        let keys = &keys[..];
        let main = lowered.layout.unflat_groups(exprs).first().copied();
        let mut apart = Vec::new();
        let mut compile = |expr: &Expr, layout: &mut Layout| {
            let ex = self.compile(expr, layout)?;
            // What may be computed once for each entry of a dictionary is remembered where it is computed.
            let Some(group) = main.filter(|group| of_one_property(&ex, *group).is_some()) else {
                return Ok(ex);
            };
            let place = Place { group, slot: layout.add_slot(group) };
            apart.push((place, ex));
            Ok::<_, ExecError>(Ex::Slot(place))
        };
        let layout = &mut lowered.layout;
        // Keys that are computed once a node are computed there.
        let is_in_main = |node: &VarId| layout.place(*node).is_some_and(|place| Some(place.group) == main);
        let node = self.node_of_keys(input, keys).filter(is_in_main);
        let keys_compiled = (keys.iter())
            .map(|(_, e)| if node.is_some() { self.compile(e, layout) } else { compile(e, layout) })
            .collect::<Result<_, _>>()?;
        let compiled = (aggregates.iter())
            .map(|(_, a)| {
                Ok(ops::AggregateEx {
                    kind: a.kind,
                    arg: a.arg.as_ref().map(|e| compile(e, layout)).transpose()?,
                    parameter: a.parameter.as_ref().map(|e| self.compile(e, layout)).transpose()?,
                    distinct: a.distinct && !matches!(a.kind, AggregateKind::Min | AggregateKind::Max),
                    order: a.order.clone(),
                    span: a.span,
                })
            })
            .collect::<Result<_, ExecError>>()?;
        if !apart.is_empty() {
            let spec = ops::ComputeSpec { items: apart, fresh: None };
            lowered.node = self.node(Spec::Compute(Arc::new(spec)), [lowered.node]);
        }
        let layout = &lowered.layout;
        let spec = ops::AggregateSpec {
            node: node.and_then(|node| layout.place(node)).map(|place| place.slot),
            keys: keys_compiled,
            told,
            aggregates: compiled,
            main,
            slots: layout.slots(),
            runs: None,
        };
        let vars: Vec<VarId> =
            keys.iter().map(|(v, _)| *v).chain(aggregates.iter().map(|(v, _)| *v)).collect();
        if spec.mergeable()
            && let Some(runs) = self.key_in_runs(input, &keys[..told], &lowered.node)
        {
            let spec = Arc::new(ops::AggregateSpec { runs: Some(runs), ..spec });
            let node = self.node(Spec::RunAggregate(spec), [lowered.node]);
            return Ok(Lowered { node, layout: rows_layout(&vars) });
        }
        let (spec, counted) = match aggregates {
            [(_, one)] if self.numbers.is_empty() && self.counts_values(keys, one) => values_counted(spec),
            _ => (spec, None),
        };
        let parallel = lowered.node.forkable && self.numbers.is_empty() && spec.mergeable();
        let mut node = self.node(Spec::Aggregate(Arc::new(spec), parallel), [lowered.node]);
        if let Some(spec) = counted {
            node = self.node(Spec::Aggregate(Arc::new(spec), false), [node]);
        }
        Ok(Lowered { node, layout: rows_layout(&vars) })
    }

    /// Whether rows by `vars` that are told apart are groups: where all of them are asked for before the
    /// first is given, all threads make groups of them, and very many by partition. Rows of several values,
    /// and texts, cost more to put by than to tell apart as they come; of nodes a word of an array is kept.
    pub(super) fn is_grouped(&self, vars: &Vars) -> bool {
        let is_word = |var: &VarId| {
            self.is_named(*var)
                && !matches!(
                    self.query.vars.get(*var).ty,
                    LogicalType::Node
                        | LogicalType::String
                        | LogicalType::Iri
                        | LogicalType::Literal
                        | LogicalType::List
                        | LogicalType::Map
                        | LogicalType::Path
                )
        };
        let is_one = vars.len() == 1 && vars.iter().all(is_word);
        is_one && self.is_whole && self.argument.is_none() && self.numbers.is_empty()
    }

    /// Whether rows by several `vars` are told apart node by node: then each node's are groups of its own,
    /// whatever thread makes them.
    pub(super) fn come_in_runs(&self, input: &Plan, vars: &Vars, made: &Node) -> bool {
        let keys: Vec<(VarId, Expr)> = vars.iter().map(|v| (*v, Expr::Var(*v))).collect();
        keys.len() > 1 && self.key_in_runs(input, &keys, made).is_some()
    }

    /// The groups of lowered rows by `vars`.
    #[inline(never)]
    pub(super) fn lower_groups(
        &mut self,
        lowered: Lowered,
        input: &Plan,
        vars: &Vars,
    ) -> Result<Lowered, ExecError> {
        let keys: Vec<(VarId, Expr)> = vars.iter().map(|v| (*v, Expr::Var(*v))).collect();
        let exprs: Vec<&Expr> = keys.iter().map(|(_, key)| key).collect();
        let lowered = self.flatten(lowered, &exprs);
        self.aggregate_over(lowered, &exprs, input, &keys, &[])
    }

    /// The node that all keys follow from, if it is one that several rows may have, and they are more than
    /// it.
    fn node_of_keys(&self, input: &Plan, keys: &[(VarId, Expr)]) -> Option<VarId> {
        let all = vars_of(keys.iter().map(|(_, key)| key));
        let node = *all.first().filter(|node| all.len() == 1 && self.is_node(**node))?;
        let is_computed = |key: &Expr| !matches!(key, Expr::Var(_) | Expr::Const(_));
        (keys.iter().any(|(_, key)| is_computed(key))
            && !keys.iter().any(|(_, key)| is_volatile(key))
            && !self.comes_once(input, node))
        .then_some(node)
    }

    /// Whether a variable is a node.
    pub(super) fn is_node(&self, var: VarId) -> bool {
        self.is_named(var) && self.query.vars.get(var).ty == LogicalType::Node
    }

    /// Whether all that is asked is how many different values there are: groups are counted faster than
    /// values of one group. Nodes are not: of these a bit each is kept.
    fn counts_values(&self, keys: &[(VarId, Expr)], aggregate: &trimorph_algebra::Aggregate) -> bool {
        let is_node = |arg: &Expr| matches!(arg, Expr::Var(var) if self.is_node(*var));
        keys.is_empty()
            && aggregate.distinct
            && aggregate.kind == AggregateKind::Count
            && aggregate.arg.as_ref().is_some_and(|arg| !is_node(arg))
    }
}

/// For an aggregation that counts the different values of its argument: one whose groups these are, and one
/// that counts those that are not null.
fn values_counted(mut spec: ops::AggregateSpec) -> (ops::AggregateSpec, Option<ops::AggregateSpec>) {
    spec.keys = spec.aggregates.drain(..).filter_map(|a| a.arg).collect();
    spec.told = spec.keys.len();
    let count = ops::AggregateEx {
        kind: AggregateKind::Count,
        arg: Some(Ex::Slot(Place { group: 0, slot: 0 })),
        parameter: None,
        distinct: false,
        order: None,
        span: Span::default(),
    };
    let counted = ops::AggregateSpec {
        keys: Vec::new(),
        told: 0,
        aggregates: vec![count],
        main: Some(0),
        slots: vec![1],
        runs: None,
        node: None,
    };
    (spec, Some(counted))
}
