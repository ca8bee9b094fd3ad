//! Lowering of filters: which conjuncts go together, and which only count.

use trimorph_algebra::{Expr, Extend, VarId};

use super::lowering::{Lowered, Lowering, Vars, conjuncts, group_needed, vars_of};
use crate::ExecError;
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
        let mut scanned = match &lowered.node.spec {
            Spec::NodeScan(scan) if self.is_folded && lowered.layout.slots() == [1] => Some(scan.place),
            _ => None,
        };
        let mut steps: Vec<ops::FilterStep> = Vec::new();
        for part in parts {
            if lowered.layout.unflat_groups(&[part]).len() > 1 {
                lowered = self.filters(lowered, &mut steps);
                lowered = self.flatten(lowered, &[part]);
            }
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
