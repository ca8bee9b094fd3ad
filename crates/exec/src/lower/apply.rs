//! Lowering of applies: the subplan has a row number besides its arguments.

use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Plan, VarId};
use trimorph_base::{Diagnostic, ErrorKind};

use super::join::is_constant;
use super::lowering::{Lowered, Lowering, Vars, vars_of};
use crate::ExecError;
use crate::ops;
use crate::physical::Spec;
use crate::volatile::is_volatile;

impl Lowering<'_> {
    pub(super) fn lower_apply(
        &mut self,
        input: &Plan,
        subplan: &Plan,
        kind: &ApplyKind,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let arguments: Vec<VarId> = arguments_of(subplan).unwrap_or_default();
        let input_vars: Vars = input.vars().into_iter().collect();
        let arguments: Vec<VarId> = arguments.into_iter().filter(|v| input_vars.contains(v)).collect();
        let number = VarId(u32::MAX - u32::try_from(self.numbers.len()).unwrap_or(0));
        let pair =
            if let ApplyKind::Paired { node, found, .. } = kind { Some((*node, *found)) } else { None };
        let kind = kind.answer();
        let (added, mut wanted): (Vec<VarId>, Vars) = match kind {
            ApplyKind::Inner | ApplyKind::Optional => {
                let sub: Vars = subplan.vars().into_iter().collect();
                let added: Vec<VarId> =
                    needed.iter().copied().filter(|v| sub.contains(v) && !input_vars.contains(v)).collect();
                (added.clone(), added.into_iter().collect())
            }
            ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Paired { .. } | ApplyKind::Effects { .. } => {
                (Vec::new(), Vars::new())
            }
            ApplyKind::Mark(v) | ApplyKind::Count(v) => (vec![*v], Vars::new()),
            ApplyKind::Collect(v, expr) => (vec![*v], vars_of([expr])),
        };
        let keep_vars: Vars = needed.iter().copied().filter(|v| !added.contains(v)).collect();
        let mut below = keep_vars.clone();
        below.extend(&arguments);
        below.extend(pair.map(|(node, _)| node));
        wanted.extend(pair.map(|(_, found)| found));
        let child = self.child(0, input, &below)?;
        let child = self.pack(child, &below, false)?;
        let (keep, layout) = self.keep(&child.layout, &keep_vars, &added)?;

        // What no row decides ends at its first row, if rows do not go through it together.
        let exists = matches!(kind, ApplyKind::Semi | ApplyKind::Anti | ApplyKind::Mark(_));
        // Of one row there is nothing to go through together.
        let is_one = arguments.is_empty() && input.rows_max() == Some(1);
        let one_by_one = goes_one_by_one(subplan) || (exists && arguments.is_empty()) || is_one;
        let (sub, sub_layout) = {
            let mut handed = arguments.clone();
            handed.push(number);
            let mut wanted = wanted.clone();
            if !one_by_one {
                wanted.insert(number);
            }
            let around = (self.argument.replace(handed), self.carried, self.has_one_row);
            self.has_one_row = is_one;
            self.carried = (!one_by_one).then_some(number);
            self.numbers.push(number);
            let sub = self.child(1, subplan, &wanted)?;
            let sub = self.pack(sub, &wanted, false)?;
            self.numbers.pop();
            (self.argument, self.carried, self.has_one_row) = around;
            (sub.node, sub.layout)
        };
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
            ApplyKind::Collect(_, expr) => ops::ApplyMode::Collect(self.compile(expr, &sub_layout)?),
            ApplyKind::Paired { .. } | ApplyKind::Effects { .. } => {
                return Err(ExecError::from(not_a_read()));
            }
        };
        let argument_slots =
            arguments.iter().map(|v| self.slot(&child.layout, *v)).collect::<Result<Vec<_>, _>>()?;
        let spec = ops::ApplySpec {
            slots: child.layout.groups[0].slots,
            keep,
            sub_slots: sub_layout.groups[0].slots,
            arguments: argument_slots,
            number: if one_by_one { None } else { Some(self.slot(&sub_layout, number)?) },
            mode,
            pair: match pair {
                Some((node, found)) => Some(ops::Pair {
                    of_rows: self.slot(&child.layout, node)?,
                    found: self.slot(&sub_layout, found)?,
                    by_value: is_computed(subplan, found),
                }),
                None => None,
            },
            once_a_node: exists && pair.is_none() && is_asked_again(input, subplan, &arguments),
            is_whole: takes_all(subplan),
        };
        Ok(Lowered { node: self.node(Spec::Apply(Arc::new(spec)), [child.node, sub]), layout })
    }
}

/// Whether a plan computes a variable last: others are found by a pattern.
fn is_computed(plan: &Plan, var: VarId) -> bool {
    matches!(plan, Plan::Extra { items, .. } if items.iter().any(|(item, _)| *item == var))
}

/// Whether a subplan looks at one node alone, which may come again, and gives the same for it each time.
fn is_asked_again(input: &Plan, subplan: &Plan, arguments: &[VarId]) -> bool {
    let [var] = arguments else { return false };
    !comes_once(input, *var) && !gives_something_else(subplan)
}

/// Whether a node comes in the order of a scan, once each.
fn comes_once(mut plan: &Plan, var: VarId) -> bool {
    loop {
        plan = match plan {
            Plan::NodeScan(scan) => return scan.var == var,
            Plan::Filter { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Project { input, .. }
            | Plan::SemiJoin { input, .. }
            | Plan::ExtendCount { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. } => input,
            Plan::Apply { input, kind, .. } if !matches!(kind, ApplyKind::Inner | ApplyKind::Optional) => {
                input
            }
            _ => return false,
        }
    }
}

/// Whether a plan may give other rows when it is run again: it draws lots, calls a procedure or changes the
/// graph.
fn gives_something_else(plan: &Plan) -> bool {
    let mut left = vec![plan];
    while let Some(plan) = left.pop() {
        let mut found = matches!(plan, Plan::ProcedureCall { .. } | Plan::Update { .. } | Plan::Merge { .. });
        plan.for_each_expr(&mut |expr| found |= is_volatile(expr));
        if found {
            return true;
        }
        left.extend(plan.children());
    }
    false
}

/// Who writes cuts plans at what changes the graph and lowers what is between.
pub(super) fn not_a_read() -> Diagnostic {
    let primary = "a plan that changes the graph was run as one that reads";
    Diagnostic::runtime(ErrorKind::Unsupported, "NotARead", primary)
}

/// The variables that the argument of a subplan hands down, if it has one.
pub(super) fn arguments_of(plan: &Plan) -> Option<Vec<VarId>> {
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

/// Whether all rows of a subplan are taken before it gives one.
fn takes_all(plan: &Plan) -> bool {
    match plan {
        Plan::Aggregate { .. } | Plan::Sort { .. } => true,
        Plan::Apply { input, .. } | Plan::SemiJoin { input, .. } => takes_all(input),
        other => other.children().into_iter().any(|child| !is_constant(child) && takes_all(child)),
    }
}

/// Whether rows must go through a subplan one at a time. What groups, orders or compares rows does so among
/// those of one number; but what comes out of some operators has none, and what ends at the first rows would
/// find those of all.
fn goes_one_by_one(plan: &Plan) -> bool {
    match plan {
        Plan::Shortest { .. } => true,
        // What one row finds several steps away is told apart in less time than what many find.
        Plan::Distinct { input, .. } => steps(input) > 1 || goes_one_by_one(input),
        Plan::Skip { input, .. } | Plan::Limit { input, .. } => !is_ordered(input) || goes_one_by_one(input),
        Plan::Union { inputs, .. } => {
            inputs.iter().any(|input| arguments_of(input).is_none() || goes_one_by_one(input))
        }
        Plan::HashJoin { left, right, .. } => {
            let mut sides = [left, right].into_iter().filter(|side| !is_constant(side)).peekable();
            sides.peek().is_none() || sides.any(|side| goes_one_by_one(side))
        }
        Plan::RangeJoin { left, right, .. } => !is_constant(right) || goes_one_by_one(left),
        // A plan that starts from nothing has no row number to carry.
        Plan::Unit | Plan::Empty(_) | Plan::NodeScan(_) | Plan::SpoolRead { .. } => true,
        Plan::Apply { input, .. } | Plan::SemiJoin { input, .. } => goes_one_by_one(input),
        other => other.children().into_iter().any(goes_one_by_one),
    }
}

/// How many steps along edges lead to the rows of a plan.
fn steps(mut plan: &Plan) -> usize {
    let mut steps = 0;
    loop {
        steps += match plan {
            Plan::Extend { .. } => 1,
            Plan::VarExtend { .. } | Plan::PropertyPath { .. } => 2,
            _ => 0,
        };
        plan = match plan.children()[..] {
            [input, ..] => input,
            [] => return steps,
        };
    }
}

/// Whether all rows below are asked for before the first is given, as a sort does.
fn is_ordered(mut plan: &Plan) -> bool {
    loop {
        plan = match plan {
            Plan::Sort { .. } => return true,
            Plan::Project { input, .. }
            | Plan::Extra { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Skip { input, .. }
            | Plan::Limit { input, .. } => input,
            _ => return false,
        }
    }
}
