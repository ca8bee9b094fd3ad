//! Lowering of filters: which conjuncts go together, which only count, and what is read before pairs are made
//! of the rows of two lists.

use std::sync::Arc;

use trimorph_algebra::{Expr, Extend, VarId};
use trimorph_types::LogicalType;

use super::lowering::{Lowered, Lowering, Vars, conjuncts, group_needed, vars_of};
use crate::ExecError;
use crate::layout::Layout;
use crate::ops;
use crate::physical::Spec;

impl Lowering<'_> {
    /// A step of a filter for each conjunct.
    pub(super) fn lower_filter(
        &self,
        mut lowered: Lowered,
        predicate: &Expr,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let mut parts = Vec::new();
        conjuncts(predicate, &mut parts);
        let mut parts: Vec<Expr> = parts.into_iter().cloned().collect();
        let mut scanned = match &lowered.node.spec {
            Spec::NodeScan(scan) if self.is_folded && lowered.layout.slots() == [1] => Some(scan.place),
            _ => None,
        };
        let mut steps: Vec<ops::FilterStep> = Vec::new();
        for place in 0..parts.len() {
            if lowered.layout.unflat_groups(&[&parts[place]]).len() > 1 {
                lowered = self.filters(lowered, &mut steps);
                lowered = self.read_before(lowered, &mut parts[place..])?;
                lowered = self.flatten(lowered, &[&parts[place]]);
            }
            let part = &parts[place];
            let predicate = self.compile(part, &lowered.layout)?;
            let group = lowered.layout.unflat_groups(&[part]).first().copied();
            steps.push(ops::FilterStep { predicate, group, counted: false });
        }
        if let Some(last) = steps.last_mut() {
            last.counted = last.group.is_some_and(|g| !group_needed(&lowered.layout, g, needed));
            scanned = scanned.filter(|_| !last.counted);
        }
        let mut lowered = self.filters(lowered, &mut steps);
        if let Some(place) = scanned {
            lowered.node = self.node(Spec::Compact(place), [lowered.node]);
        }
        Ok(lowered)
    }

    /// Reads what conditions on pairs ask of either row for all rows of the lists that they are made of: once
    /// a row, and not once a pair. Other expressions might fail where no pair asks for them.
    fn read_before(&self, mut lowered: Lowered, conditions: &mut [Expr]) -> Result<Lowered, ExecError> {
        let mut read: Vec<(VarId, Arc<str>, VarId)> = Vec::new();
        let mut items = Vec::new();
        for condition in conditions {
            let mut properties = Vec::new();
            self.properties(condition, &lowered.layout, &mut properties);
            for (var, key, expr) in properties {
                if read.iter().any(|(of, known, _)| *of == var && *known == key) {
                    continue;
                }
                let Some(group) = lowered.layout.place(var).map(|place| place.group) else { continue };
                let value = self.made_var();
                items.push((lowered.layout.add(value, group), self.compile(&expr, &lowered.layout)?));
                read.push((var, key, value));
            }
            let with_values = std::mem::replace(condition, Expr::truth()).with_values(&read);
            *condition = with_values;
        }
        if !items.is_empty() {
            let spec = ops::ComputeSpec { items, fresh: None };
            lowered.node = self.node(Spec::Compute(Arc::new(spec)), [lowered.node]);
        }
        Ok(lowered)
    }

    /// The properties of nodes and relationships of unflat groups in an expression.
    fn properties(&self, expr: &Expr, layout: &Layout, found: &mut Vec<(VarId, Arc<str>, Expr)>) {
        if let Expr::Property(base, key, _) = expr
            && let Expr::Var(var) = **base
            && layout.place(var).is_some_and(|place| !layout.groups[place.group].flat)
            && matches!(self.query.vars.get(var).ty, LogicalType::Node | LogicalType::Relationship)
        {
            found.push((var, Arc::clone(key), expr.clone()));
            return;
        }
        expr.for_each_child(&mut |child| self.properties(child, layout, found));
    }

    /// Puts a filter on, if there is anything to test.
    fn filters(&self, mut lowered: Lowered, steps: &mut Vec<ops::FilterStep>) -> Lowered {
        if !steps.is_empty() {
            lowered.node = self.node(Spec::Filter(steps.drain(..).collect()), [lowered.node]);
        }
        lowered
    }
}

/// Whether a predicate compares properties of what a step reaches with what is known before, and nothing
/// else: a list costs it next to nothing, while the general evaluator makes vectors for each.
pub(super) fn filters_only(predicate: &Expr, step: &Extend) -> bool {
    let reached = |v: &VarId| *v == step.to || Some(*v) == step.edge;
    let property =
        |e: &Expr| matches!(e, Expr::Property(base, ..) if matches!(&**base, Expr::Var(v) if reached(v)));
    let mut parts = Vec::new();
    conjuncts(predicate, &mut parts);
    parts.into_iter().all(|part| match part {
        Expr::Op(_, args, _) => {
            args.iter().filter(|a| property(a)).count() == 1
                && args.iter().all(|a| property(a) || vars_of([a]).is_empty())
        }
        _ => false,
    })
}
