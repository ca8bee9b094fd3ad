//! Lowering of applies: the subplan is lowered once for every thread, with a row number beside its arguments.

use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Plan, VarId};

use super::join::is_constant;
use super::{Lowered, Lowering, Vars, internal, vars_of};
use crate::ExecError;
use crate::layout::Layout;
use crate::operator::BoxOperator;
use crate::ops;

impl<'s> Lowering<'s> {
    pub(super) fn lower_apply(
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

        // What no row decides ends at its first row, if rows do not go through it together.
        let exists = matches!(kind, ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_));
        let one_by_one = looks_at_rows_together(subplan) || (exists && arguments.is_empty());
        let mut inner = self.clone();
        inner.path.push(1);
        inner.numbers.push(number);
        inner.carried = (!one_by_one).then_some(number);
        let spec = Arc::new(SubplanSpec {
            lowering: inner,
            arguments: arguments.clone(),
            number,
            wanted: wanted.clone(),
            one_by_one,
        });
        let (first, sub_layout) = spec.lower()?;
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
        // The subplan just lowered is used: lowering it twice would double the work with each level of
        // nesting.
        let op = ops::Apply::new(child.op, parts, first);
        Ok(Lowered { op: Box::new(op), layout, forkable: child.forkable })
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
        // Both sides of a join may hold the argument: then rows must agree on their number, which one row at
        // a time ensures.
        Plan::HashJoin { left, right, .. } => !is_constant(right) || looks_at_rows_together(left),
        // A plan that starts from nothing has no row number to carry.
        Plan::Unit | Plan::Empty(_) | Plan::NodeScan(_) => true,
        Plan::Apply { input, .. } | Plan::SemiJoin { input, .. } => looks_at_rows_together(input),
        other => other.children().into_iter().any(looks_at_rows_together),
    }
}
