//! Lowering of filters: which conjuncts go together, which are asked of encoded columns, which only count.

use std::sync::Arc;

use trimorph_algebra::{Expr, Extend, Op, VarId};
use trimorph_base::Span;
use trimorph_types::Value;

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
            let test_of = |ex: &Ex| PropertyTest::of(ex).filter(|t| Some(t.place.group) == group);
            let test = test_of(&predicate);
            if let Some(last) = specs.last_mut().filter(|last| last.group == group && test.is_some())
                && let Some(first) = last.test.take()
                && let Some(more) = test_of(&predicate)
            {
                match first.and(more) {
                    Ok(both) => {
                        last.test = Some(both);
                        add_part(&mut last.predicate, predicate);
                        continue;
                    }
                    Err(first) => last.test = Some(first),
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

/// Makes a predicate the conjunction of it and another.
fn add_part(predicate: &mut Ex, part: Ex) {
    match predicate {
        Ex::Op(Op::And, parts, _) => parts.push(part),
        first => {
            let first_part = std::mem::replace(first, Ex::Const(Value::Null));
            *first = Ex::Op(Op::And, vec![first_part, part], Span::default());
        }
    }
}

/// Puts a filter on, if there is anything to test.
fn filters<'s>(mut lowered: Lowered<'s>, specs: &mut Vec<ops::FilterSpec>) -> Lowered<'s> {
    if !specs.is_empty() {
        lowered.op = Box::new(ops::Filter::new(lowered.op, specs.drain(..).map(Arc::new)));
    }
    lowered
}

/// Whether a predicate compares properties of what a step reaches with what is known before, and nothing
/// else: a list costs it next to nothing, while the general evaluator makes vectors for each.
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
