//! Lowering of filters: which conjuncts go together, which are asked of encoded columns, which only count.

use std::sync::Arc;

use trimorph_algebra::{Expr, Extend, Op, VarId};
use trimorph_base::Span;

use super::{Lowered, Lowering, Vars, conjuncts, group_needed, vars_of};
use crate::ExecError;
use crate::expr::{Ex, PropertyTest};
use crate::ops;

impl<'s> Lowering<'s> {
    /// A step of a filter for each conjunct, but comparisons of one property that follow each other in one.
    pub(super) fn lower_filter(
        &self,
        mut lowered: Lowered<'s>,
        predicate: &Expr,
        needed: &Vars,
    ) -> Result<Lowered<'s>, ExecError> {
        let mut parts = Vec::new();
        conjuncts(predicate, &mut parts);
        let mut specs: Vec<ops::FilterSpec> = Vec::new();
        for part in parts {
            if lowered.layout.unflat_groups(&[part]).len() > 1 {
                lowered = filters(lowered, &mut specs);
                lowered = self.flatten(lowered, &[part]);
            }
            let predicate = self.compile(part, &lowered.layout)?;
            let group = lowered.layout.unflat_groups(&[part]).first().copied();
            let test = PropertyTest::of(&predicate).filter(|t| Some(t.place.group) == group);
            if let (Some(last), Some(_)) = (specs.last_mut(), &test)
                && last.group == group
                && last.test.is_some()
            {
                let parts = parts_of(&last.predicate).iter().chain([&predicate]).cloned();
                let both = Ex::Op(Op::And, parts.collect(), Span::default());
                if let Some(test) = PropertyTest::of(&both) {
                    (last.predicate, last.test) = (both, Some(test));
                    continue;
                }
            }
            specs.push(ops::FilterSpec { predicate, test, group, counted: false });
        }
        if let Some(last) = specs.last_mut() {
            last.counted = last.group.is_some_and(|g| !group_needed(&lowered.layout, g, needed));
        }
        Ok(filters(lowered, &mut specs))
    }
}

fn parts_of(predicate: &Ex) -> &[Ex] {
    match predicate {
        Ex::Op(Op::And, parts, _) => parts,
        other => std::slice::from_ref(other),
    }
}

/// Puts a filter on, if there is anything to test.
fn filters<'s>(mut lowered: Lowered<'s>, specs: &mut Vec<ops::FilterSpec>) -> Lowered<'s> {
    if !specs.is_empty() {
        lowered.op = Box::new(ops::Filter::new(lowered.op, specs.drain(..).map(Arc::new)));
    }
    lowered
}

/// Whether a predicate compares properties of what a step reaches with what is known before, and nothing else: a list costs it next
/// to nothing, while the general evaluator makes vectors for each.
pub(super) fn tests_only(predicate: &Expr, step: &Extend) -> bool {
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
