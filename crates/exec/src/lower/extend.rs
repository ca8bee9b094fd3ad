//! Lowering of steps along edges: which form each extend takes (GF-CL §6.2), see `docs/design/execution.md`,
//! "Following edges".

use std::sync::Arc;

use trimorph_algebra::{
    CountStep, Direction, EdgeLookup, Expr, Extend, NodeScan, Plan, ShortestKind, VarExtendMode, VarId,
};
use trimorph_base::{EdgeTableId, TableId};
use trimorph_catalog::CatalogView;
use trimorph_store::access::{AdjacencyRef, Choice, EdgeAccess};

use super::lowering::{Lowered, Lowering, Vars, cursor, group_needed, vars_of};
use crate::ExecError;
use crate::layout::Layout;
use crate::ops;
use crate::physical::Spec;

/// Mean list length from which lists stay factorised: below it, a chunk per list costs more than repeating
/// the start node does (SNB BI 4: lists of 15 cost three times what a flat batch does).
const LIST_LENGTH_MIN: u64 = 128;
/// The same for lists that are only filtered and counted: nothing above costs anything per chunk, but each
/// condition does (transfers of 10 an account: 3.3 times what a flat batch takes).
const FILTERED_LENGTH_MIN: u64 = 64;
/// The same for lists that are only counted.
const COUNTED_LENGTH_MIN: u64 = 4;

impl Lowering<'_> {
    pub(super) fn lower_edge_lookup(
        &mut self,
        input: &Plan,
        lookup: &EdgeLookup,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let step = &lookup.step;
        let made: Vec<VarId> = [step.from, step.to].into_iter().chain(step.edge).collect();
        let mut below = vars_of([&lookup.key]);
        below.extend(needed.iter().filter(|v| !made.contains(v)));
        let child = self.child(0, input, &below)?;
        let child = self.pack(child, &below, false)?;
        let key = self.compile(&lookup.key, &child.layout)?;
        let (keep, layout) = self.keep(&child.layout, needed, &made)?;
        let types = (!step.types.is_empty()).then_some(&*step.types);
        let tables = self.catalog.edge_tables(types).to_vec();
        let (starts, ends) = match step.direction {
            Direction::Out => (&lookup.from_tables, &step.to_tables),
            _ => (&step.to_tables, &lookup.from_tables),
        };
        let catalog = self.catalog;
        let is_any = |edges: &EdgeTableId| {
            let start = starts.as_ref().is_none_or(|all| all.contains(&catalog.source(*edges)));
            start && ends.as_ref().is_none_or(|all| catalog.targets(*edges).all(|end| all.contains(&end)))
        };
        let is_alone = step.direction != Direction::Both
            && !needed.contains(&step.from)
            && !needed.contains(&step.to)
            && tables.iter().all(is_any);
        let spec = ops::EdgeLookupSpec {
            slots: child.layout.groups[0].slots,
            keep,
            key,
            by: lookup.by,
            tables,
            alone: is_alone,
            property: Arc::clone(&lookup.property),
            direction: step.direction,
            from_tables: lookup.from_tables.clone(),
            to_tables: step.to_tables.clone(),
        };
        Ok(Lowered { node: self.node(Spec::EdgeLookup(Arc::new(spec)), [child.node]), layout })
    }

    pub(super) fn step(&self, step: &Extend) -> EdgeAccess {
        use trimorph_algebra::Direction as D;
        let (out, back) = (step.direction != D::In, step.direction != D::Out);
        let tables = step.to_tables.as_deref();
        let patterns = EdgeAccess::patterns(&step.types, out, back, tables, step.edge.is_some(), f64::MAX);
        EdgeAccess::new(self.catalog, patterns)
    }

    pub(super) fn lower_extend(
        &mut self,
        input: &Plan,
        step: &Extend,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let is_filtered = std::mem::take(&mut self.filtered_extend);
        let mut below: Vars =
            needed.iter().copied().filter(|v| *v != step.to && Some(*v) != step.edge).collect();
        below.insert(step.from);
        let child = self.child(0, input, &below)?;
        let edge = step.edge.filter(|e| needed.contains(e));
        let plan = self.step(step);
        let from = self.place(&child.layout, step.from)?;
        let flat = child.layout.groups[from.group].flat;
        let Lowered { node, mut layout } = child;
        if plan.by_table.iter().all(|refs| refs.len() <= 1 && refs.iter().all(|r| r.single)) {
            let to_slot = layout.add(step.to, from.group).slot;
            let edge_slot = edge.map(|e| layout.add(e, from.group).slot);
            let spec = ops::ColumnExtendSpec { from, to_slot, edge_slot, step: plan, flat };
            return Ok(Lowered { node: self.node(Spec::ColumnExtend(Arc::new(spec)), [node]), layout });
        }
        let Lowered { node, mut layout } = self.deal(Lowered { node, layout }, &below)?;
        let from = self.place(&layout, step.from)?;
        let flat = layout.groups[from.group].flat;
        let one_list = plan.only().filter(|a| !a.single && !a.check_table);
        let list_length_min = match one_list {
            Some(_) if is_filtered => FILTERED_LENGTH_MIN,
            // Of several lists a batch has ids, and not places that follow each other.
            _ if is_filtered || !looked_at(step, needed) => COUNTED_LENGTH_MIN,
            _ => LIST_LENGTH_MIN,
        };
        let kept: Vars = below.intersection(needed).copied().collect();
        // In the order of a scan, lists lie end to end: nothing is repeated, or lists are too short to be
        // worth keeping apart.
        let short = |a: &AdjacencyRef| {
            a.edges < list_length_min.saturating_mul(self.catalog.statistics().rows(a.from))
        };
        let is_run = |a: &AdjacencyRef| {
            let is_whole = !a.single && !a.check_table && !a.skip_loops;
            is_whole && (edge.is_none() || a.forward) && (kept.is_empty() || short(a))
        };
        let is_scanned = self.options.access != Choice::Index
            && scan_of(input, step.from).is_some_and(|scan| {
                let of_table = |table: &TableId| plan.by_table.get(usize::from(table.0));
                scan.tables.iter().filter_map(of_table).all(|all| all.len() <= 1 && all.iter().all(is_run))
            });
        // Several lists of a node come one after the other, which its group must be gone through for.
        let has_lists = match one_list {
            Some(adjacency) => !short(&adjacency),
            None => !flat && has_long_lists(&plan, list_length_min, self.catalog),
        };
        if self.options.factorise && !is_scanned && has_lists {
            let cursor = (!flat).then(|| cursor(&layout, from.group));
            layout.groups[from.group].flat = true;
            let group = layout.add_group(false);
            let to = layout.add(step.to, group);
            let edge_slot = edge.map(|e| layout.add(e, group).slot);
            let spec = ops::ListExtendSpec { from, to, edge_slot, step: plan, cursor };
            return Ok(Lowered { node: self.node(Spec::ListExtend(Arc::new(spec)), [node]), layout });
        }
        let child = self.pack(Lowered { node, layout }, &below, false)?;
        let from = self.slot(&child.layout, step.from)?;
        let new: Vec<VarId> = std::iter::once(step.to).chain(edge).collect();
        let (keep, layout) = self.keep(&child.layout, &kept, &new)?;
        let slots = child.layout.groups[0].slots;
        let (want_edge, want_node) = (edge.is_some(), needed.contains(&step.to));
        let lists = ops::BatchExtendSpec { slots, from, keep, want_edge, want_node, step: plan };
        let lists = Arc::new(lists);
        let spec = match is_scanned {
            false => Spec::BatchExtend(lists),
            true => Spec::ScanExtend(Arc::new(ops::ScanExtendSpec { choice: self.options.access, lists })),
        };
        Ok(Lowered { node: self.node(spec, [child.node]), layout })
    }

    pub(super) fn lower_extend_into(
        &mut self,
        input: &Plan,
        step: &Extend,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let mut below: Vars = needed.iter().copied().filter(|v| Some(*v) != step.edge).collect();
        below.extend([step.from, step.to]);
        let child = self.child(0, input, &below)?;
        let child = self.pack(self.deal(child, &below)?, &below, false)?;
        let edge = step.edge.filter(|e| needed.contains(e));
        let (from, to) = (self.slot(&child.layout, step.from)?, self.slot(&child.layout, step.to)?);
        let new: Vec<VarId> = edge.into_iter().collect();
        let (keep, layout) = self.keep(&child.layout, needed, &new)?;
        let slots = child.layout.groups[0].slots;
        let spec = ops::ExpandIntoSpec {
            slots,
            from,
            to,
            keep,
            want_edge: edge.is_some(),
            step: self.step(step),
            reversed: self.step(&Extend {
                from: step.to,
                to: step.from,
                direction: step.direction.reversed(),
                to_tables: None,
                ..step.clone()
            }),
        };
        Ok(Lowered { node: self.node(Spec::ExpandInto(Arc::new(spec)), [child.node]), layout })
    }

    pub(super) fn lower_intersect(
        &mut self,
        input: &Plan,
        steps: &[Extend],
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let Some(to) = steps.first().map(|s| s.to) else { return self.child(0, input, needed) };
        let mut below: Vars = needed.iter().copied().filter(|v| *v != to).collect();
        below.extend(steps.iter().map(|s| s.from));
        let child = self.child(0, input, &below)?;
        let child = self.pack(self.deal(child, &below)?, &below, false)?;
        let lists = (steps.iter())
            .map(|s| Ok((self.slot(&child.layout, s.from)?, self.step(s))))
            .collect::<Result<Vec<_>, ExecError>>()?;
        let want_node = needed.contains(&to);
        let new: Vec<VarId> = want_node.then_some(to).into_iter().collect();
        let (keep, layout) = self.keep(&child.layout, needed, &new)?;
        let slots = child.layout.groups[0].slots;
        let spec = ops::IntersectSpec { slots, lists, keep, want_node };
        Ok(Lowered { node: self.node(Spec::Intersect(Arc::new(spec)), [child.node]), layout })
    }

    pub(super) fn lower_extend_count(
        &mut self,
        input: &Plan,
        step: &CountStep,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let mut below = needed.clone();
        below.insert(step.step.from);
        let Lowered { node, mut layout } = self.child(0, input, &below)?;
        let counted = self.count_step(step)?;
        let from = self.place(&layout, step.step.from)?;
        let fresh = layout.groups[from.group].flat.then(|| layout.add_group(true));
        let whole = !group_needed(&layout, from.group, needed);
        let spec = ops::CountExtendSpec { from, fresh, step: counted, whole };
        Ok(Lowered { node: self.node(Spec::CountExtend(Arc::new(spec)), [node]), layout })
    }

    fn count_step(&self, step: &CountStep) -> Result<ops::CountStepSpec, ExecError> {
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
        let next = step.next.iter().map(|n| self.count_step(n)).collect::<Result<_, _>>()?;
        Ok(ops::CountStepSpec { step: Arc::new(self.step(&step.step)), predicate, edge_only, next })
    }

    pub(super) fn lower_var_extend(
        &mut self,
        input: &Plan,
        extend: &trimorph_algebra::VarExtend,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
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
        below.extend(extend.walk.free_vars(step.edge));
        let child = self.child(0, input, &below)?;
        let child = self.pack(self.deal(child, &below)?, &below, false)?;
        let edge = step.edge.filter(|e| needed.contains(e));
        // Over the row and, in a group of its own, an edge or the list of all and a node.
        let over = |edge: Option<VarId>, node: Option<VarId>, expr: &Expr| {
            let mut layout = child.layout.clone();
            layout.groups[0].flat = true;
            let group = layout.add_group(false);
            for var in [edge, node] {
                match var {
                    Some(var) => drop(layout.add(var, group)),
                    None => drop(layout.add_slot(group)),
                }
            }
            self.compile(expr, &layout)
        };
        let each = extend.each.as_ref().map(|(var, e)| over(Some(*var), None, e)).transpose()?;
        let nodes = extend.walk.nodes.as_ref().map(|(var, e)| over(None, Some(*var), e)).transpose()?;
        let condition = extend.walk.condition.as_ref().map(|e| over(step.edge, None, e)).transpose()?;
        let along = extend.walk.along.map(|v| self.slot(&child.layout, v)).transpose()?;
        let new: Vec<VarId> = new_to.into_iter().chain(edge).collect();
        let (keep, layout) = self.keep(&child.layout, needed, &new)?;
        // The walk goes through nodes of any table; only its end is checked.
        let open = Extend { to_tables: None, ..step.clone() };
        let access = self.step(&open);
        // Trails compare ids where a walk can meet an edge from both of its ends.
        let needs_ids = each.is_some()
            || edge.is_some()
            || match extend.mode {
                VarExtendMode::Trails => !ops::VarSpec::is_one_way(&access),
                VarExtendMode::Reachable | VarExtendMode::ReachableByTrail => false,
                VarExtendMode::Shortest(_) => true,
            };
        // One way, a walk that comes back to its start is a trail, or has one in it.
        let mode = match extend.mode {
            VarExtendMode::ReachableByTrail if extend.min == 0 || ops::VarSpec::is_one_way(&access) => {
                VarExtendMode::Reachable
            }
            mode => mode,
        };
        let back = || self.step(&Extend { direction: open.direction.reversed(), ..open.clone() });
        let reached_once = mode == VarExtendMode::Reachable
            && ops::VarSpec::is_one_way(&access)
            && ops::VarSpec::has_one_each(&back());
        let mut spec = ops::VarSpec {
            reached_once,
            step: Arc::new(access),
            nodes,
            condition,
            back: None,
            along,
            min: extend.min,
            max: extend.max.unwrap_or(u32::MAX),
            mode,
            each,
            into: if extend.into { Some(self.slot(&child.layout, step.to)?) } else { None },
            want_edges: edge.is_some(),
            needs_ids,
            reversed: extend.reversed,
            from: self.slot(&child.layout, step.from)?,
            slots: child.layout.groups[0].slots,
            keep,
            to_tables: step.to_tables.clone(),
        };
        let ordered = extend.mode == VarExtendMode::Shortest(ShortestKind::Ordered);
        spec.back = (ordered || spec.condition.is_some()).then(|| Arc::new(self.back(&spec, open)));
        // The child may keep one unflat group only, and give it as it is; a new node comes before the edges.
        let spec = match ops::ChainExtend::fits(&spec) {
            true => Spec::ChainExtend(Arc::new(spec)),
            false => Spec::VarExtend(Arc::new(spec)),
        };
        Ok(Lowered { node: self.node(spec, [child.node]), layout })
    }

    /// The steps of a walk against their direction, whatever is asked of it.
    fn back(&self, spec: &ops::VarSpec, step: Extend) -> ops::VarSpec {
        let back = Extend { direction: step.direction.reversed(), ..step };
        let (each, nodes, condition) = (None, None, None);
        ops::VarSpec {
            step: Arc::new(self.step(&back)),
            each,
            nodes,
            condition,
            needs_ids: false,
            ..spec.clone()
        }
    }
}

/// Whether a step has lists only, which are as long on the mean.
fn has_long_lists(step: &EdgeAccess, length: u64, catalog: &CatalogView<'_>) -> bool {
    let all = || step.by_table.iter().flatten();
    let rows = |a: &AdjacencyRef| length.saturating_mul(catalog.statistics().rows(a.from));
    all().next().is_some()
        && all().all(|a| !a.single && !a.check_table)
        && all().map(|a| a.edges).fold(0, u64::saturating_add) >= all().map(rows).fold(0, u64::saturating_add)
}

/// The scan in whose order a plan gives `var`.
fn scan_of(plan: &Plan, var: VarId) -> Option<&NodeScan> {
    match plan {
        Plan::NodeScan(scan) => (scan.var == var).then_some(scan),
        Plan::Filter { input, .. } | Plan::ExtendCount { input, .. } => scan_of(input, var),
        _ => None,
    }
}

/// Whether the node reached or the edge of a step is needed.
pub(super) fn looked_at(step: &Extend, needed: &Vars) -> bool {
    needed.contains(&step.to) || step.edge.is_some_and(|e| needed.contains(&e))
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
