//! Lowering of hash joins, products with few rows, range joins and semi-join filters.

use std::sync::Arc;

use trimorph_algebra::{Band, FEW_ROWS, Plan, VarId};

use super::lowering::{Lowered, Lowering, Vars, rows_layout};
use crate::ExecError;
use crate::layout::Layout;
use crate::ops;
use crate::physical::Spec;

impl Lowering<'_> {
    pub(super) fn lower_join(
        &mut self,
        left: &Plan,
        right: &Plan,
        on: &[VarId],
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        if on.is_empty() && self.has_one_row && matches!(left, Plan::Argument(_)) && is_constant(right) {
            return self.child(1, right, needed);
        }
        if on.is_empty() {
            // Where rows carry a number, those of each come together.
            let most = if self.numbers.is_empty() { FEW_ROWS } else { 1 };
            for (all, few, child) in [(left, right, 0), (right, left, 1)] {
                if is_constant(few) && few.rows_max().is_some_and(|rows| rows <= most) {
                    return self.lower_few_rows((child, all), (1 - child, few), needed);
                }
            }
        }
        let (left_vars, right_vars): (Vars, Vars) =
            (left.vars().into_iter().collect(), right.vars().into_iter().collect());
        let constant = is_constant(right);
        // Rows that carry a number meet those of the same number.
        let number = self.carried;
        let [of_left, of_right] = [left, right].map(|side| number.filter(|_| !is_constant(side)));
        let mut on = on.to_vec();
        on.extend(of_left.and(of_right));
        let mut probe_vars: Vars =
            needed.iter().copied().filter(|v| left_vars.contains(v) || of_left == Some(*v)).collect();
        let in_build = |v: &VarId| right_vars.contains(v) && !left_vars.contains(v);
        let mut build_vars: Vars = needed.iter().copied().filter(in_build).collect();
        build_vars.extend(of_right.filter(|_| of_left.is_none()));
        let build_keep: Vec<VarId> = build_vars.iter().copied().collect();
        let probe_keep: Vec<VarId> = probe_vars.iter().copied().collect();
        probe_vars.extend(&on);
        build_vars.extend(&on);
        let passed = if constant { self.pass_keys(left, &on) } else { None };
        self.carried = of_left;
        let probe = self.child(0, left, &probe_vars);
        self.carried = number;
        self.passed.truncate(self.passed.len() - usize::from(passed.is_some()));
        let probe = self.pack(probe?, &probe_vars, false)?;
        // Of DISTINCT keys the join itself makes one row.
        let once = constant
            && matches!(right, Plan::Distinct { vars, .. } if vars.iter().copied().collect::<Vars>() == on.iter().copied().collect());
        let build = |l: &mut Self| {
            l.keeps_repeated = once;
            let build = l.child(1, right, &build_vars)?;
            l.gather(build, &build_vars, false)
        };
        let build = if constant { self.apart(build)? } else { build(self)? };
        let slots = |layout: &Layout, vars: &[VarId]| {
            vars.iter().map(|v| self.slot(layout, *v)).collect::<Result<Vec<_>, _>>()
        };
        let shape = ops::JoinShape {
            probe_slots: probe.layout.groups[0].slots,
            build_slots: build.layout.groups[0].slots,
            probe_keys: slots(&probe.layout, &on)?,
            build_keys: slots(&build.layout, &on)?,
            probe_keep: slots(&probe.layout, &probe_keep)?,
            build_keep: slots(&build.layout, &build_keep)?,
            once,
            constant,
            passed,
        };
        let vars: Vec<VarId> = probe_keep.into_iter().chain(build_keep).collect();
        let node = self.node(Spec::HashJoin(Arc::new(shape)), [probe.node, build.node]);
        Ok(Lowered { node, layout: rows_layout(&vars) })
    }

    /// Lowers a product with few rows; both sides with which input of the plan they are.
    fn lower_few_rows(
        &mut self,
        (child, all): (usize, &Plan),
        (other, few): (usize, &Plan),
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let (of_all, of_few): (Vars, Vars) =
            (all.vars().into_iter().collect(), few.vars().into_iter().collect());
        let number = self.carried;
        let below = needed.iter().copied().filter(|v| of_all.contains(v) || number == Some(*v)).collect();
        let wanted: Vars =
            needed.iter().copied().filter(|v| of_few.contains(v) && !of_all.contains(v)).collect();
        let Lowered { node, mut layout } = self.child(child, all, &below)?;
        let few = self.apart(|l| {
            let few = l.child(other, few, &wanted)?;
            l.gather(few, &wanted, false)
        })?;
        let places = wanted.iter().map(|v| self.slot(&few.layout, *v)).collect::<Result<_, _>>()?;
        let group = if wanted.is_empty() { None } else { Some(layout.add_group(true)) };
        if let Some(group) = group {
            wanted.iter().for_each(|var| {
                layout.add(*var, group);
            });
        }
        let spec = ops::RowProductSpec { slots: few.layout.groups[0].slots, wanted: places, group };
        Ok(Lowered { node: self.node(Spec::RowProduct(Arc::new(spec)), [node, few.node]), layout })
    }

    pub(super) fn lower_range_join(
        &mut self,
        left: &Plan,
        right: &Plan,
        (on, band): (&[VarId], &Band),
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let (left_vars, right_vars): (Vars, Vars) =
            (left.vars().into_iter().collect(), right.vars().into_iter().collect());
        let number = self.carried;
        let mut probe_vars: Vars =
            needed.iter().copied().filter(|v| left_vars.contains(v) || number == Some(*v)).collect();
        let mut build_vars: Vars =
            needed.iter().copied().filter(|v| right_vars.contains(v) && !left_vars.contains(v)).collect();
        let build_keep: Vec<VarId> = build_vars.iter().copied().collect();
        let probe_keep: Vec<VarId> = probe_vars.iter().copied().collect();
        probe_vars.extend(band.bounds());
        probe_vars.extend(on);
        build_vars.insert(band.key);
        build_vars.extend(on);
        let probe = self.child(0, left, &probe_vars)?;
        let probe = self.pack(probe, &probe_vars, false)?;
        let constant = is_constant(right);
        let build = |l: &mut Self| {
            let build = l.child(1, right, &build_vars)?;
            l.gather(build, &build_vars, false)
        };
        let build = if constant { self.apart(build)? } else { build(self)? };
        let slots = |layout: &Layout, vars: &[VarId]| {
            vars.iter().map(|v| self.slot(layout, *v)).collect::<Result<Vec<_>, _>>()
        };
        let bound = |bound: Option<(VarId, bool)>| {
            bound
                .map(|(var, may_equal)| Ok::<_, ExecError>((self.slot(&probe.layout, var)?, may_equal)))
                .transpose()
        };
        let spec = ops::RangeJoinSpec {
            probe_slots: probe.layout.groups[0].slots,
            build_slots: build.layout.groups[0].slots,
            probe_on: slots(&probe.layout, on)?,
            build_on: slots(&build.layout, on)?,
            key: self.slot(&build.layout, band.key)?,
            low: bound(band.low)?,
            high: bound(band.high)?,
            kind: band.kind,
            wanted: band.wanted,
            probe_keep: slots(&probe.layout, &probe_keep)?,
            build_keep: slots(&build.layout, &build_keep)?,
            constant,
        };
        let vars: Vec<VarId> = probe_keep.into_iter().chain(build_keep).collect();
        let node = self.node(Spec::RangeJoin(Arc::new(spec)), [probe.node, build.node]);
        Ok(Lowered { node, layout: rows_layout(&vars) })
    }

    pub(super) fn lower_semi_join(
        &mut self,
        input: &Plan,
        filter: &Plan,
        (var, anti): (VarId, bool),
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let mut below = needed.clone();
        below.insert(var);
        let child = self.child(0, input, &below)?;
        let place = self.place(&child.layout, var)?;
        let wanted: Vars = [var].into_iter().collect();
        let build = self.apart(|l| {
            let build = l.child(1, filter, &wanted)?;
            l.gather(build, &wanted, false)
        })?;
        let (slots, slot) = (build.layout.groups[0].slots, self.slot(&build.layout, var)?);
        let spec = Spec::SemiJoin(Arc::new(ops::SemiJoinSpec { place, slots, slot, anti }));
        Ok(Lowered { node: self.node(spec, [child.node, build.node]), layout: child.layout })
    }

    /// Lowers what does not depend on the rows of an apply around, and has no row number.
    fn apart<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let (argument, numbers, carried) =
            (self.argument.take(), std::mem::take(&mut self.numbers), self.carried.take());
        let lowered = lower(self);
        (self.argument, self.numbers, self.carried) = (argument, numbers, carried);
        lowered
    }
}

/// Whether a plan gives the same rows whatever the rows of an apply around.
pub(super) fn is_constant(plan: &Plan) -> bool {
    match plan {
        Plan::Argument(_) => false,
        // The subplan's argument is the rows of the input.
        Plan::Apply { input, .. } => is_constant(input),
        other => other.children().into_iter().all(is_constant),
    }
}
