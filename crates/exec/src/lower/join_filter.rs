//! Where the keys of a hash join's build side are asked for on its probe side: takes the probe side's plan,
//! gives the node or edge whose property is a key, and puts the question right above what first has it.
//!
//! Rows that go there go nowhere: so nothing on the way up may look at rows together, give rows without them,
//! or fail on one.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_base::Span;
use trimorph_store::access::PropertyAccess;
use trimorph_types::{LogicalType, Value};

use super::lowering::{Lowered, Lowering, Passed};
use crate::ops::JoinFilterSpec;
use crate::physical::Spec;

impl Lowering<'_> {
    /// Has the first of the keys `on` that can be asked for early passed down to `probe`, which is lowered
    /// next: its place among them, and the number by which the keys will be found.
    pub(super) fn pass_keys(&mut self, probe: &Plan, on: &[VarId]) -> Option<(usize, usize)> {
        let (place, (var, property)) =
            on.iter().enumerate().find_map(|(i, key)| Some((i, self.asked_of(probe, *key)?)))?;
        let keys = self.nodes.get();
        self.nodes.set(keys + 1);
        self.passed.push(Passed { var, property, keys });
        Some((place, keys))
    }

    /// The node or edge, and its property, that a variable of the probe side is.
    fn asked_of(&self, probe: &Plan, key: VarId) -> Option<(VarId, Option<Arc<str>>)> {
        let (var, property) = match defined(probe, key) {
            Some(Expr::Property(base, name, _)) => match **base {
                Expr::Var(var) => (var, Some(Arc::clone(name))),
                _ => return None,
            },
            Some(_) => return None,
            None => (key, None),
        };
        let ty = self.query.vars.get(var).ty;
        let is_asked = match property {
            Some(_) => matches!(ty, LogicalType::Node | LogicalType::Relationship),
            None => ty == LogicalType::Node,
        };
        (is_asked && goes_down(probe, var)).then_some((var, property))
    }

    /// Puts the question for keys above a plan that is the first to have what they are asked of.
    pub(super) fn ask_for_keys(&self, plan: &Plan, mut lowered: Lowered) -> Lowered {
        if self.passed.is_empty() || !gives_first(plan) {
            return lowered;
        }
        for passed in &self.passed {
            let Some(place) = lowered.layout.place(passed.var) else { continue };
            if plan.children().iter().any(|child| child.vars().contains(&passed.var))
                || lowered.layout.groups[place.group].flat
            {
                continue;
            }
            let columns = passed.property.as_ref().map(|p| Arc::new(PropertyAccess::new(self.catalog, p)));
            let read = |name: &Arc<str>| {
                let base = Box::new(Expr::Var(passed.var));
                self.compile(&Expr::Property(base, Arc::clone(name), Span::default()), &lowered.layout).ok()
            };
            let property = passed.property.as_ref().and_then(read);
            let spec = JoinFilterSpec { place, columns, property, keys: passed.keys };
            lowered.node = self.node(Spec::JoinFilter(Arc::new(spec)), [lowered.node]);
        }
        lowered
    }
}

/// What a variable is computed as, in a plan or below it.
fn defined(plan: &Plan, var: VarId) -> Option<&Expr> {
    match plan {
        Plan::Extra { input, items } => {
            let own = items.iter().find(|(made, _)| *made == var).map(|(_, expr)| expr);
            own.or_else(|| defined(input, var))
        }
        Plan::Filter { input, .. } => defined(input, var),
        _ => None,
    }
}

/// Whether a plan gives nodes or edges that its inputs do not have, as they come.
fn gives_first(plan: &Plan) -> bool {
    matches!(plan, Plan::NodeScan(_) | Plan::Extend { .. } | Plan::KeyLookup { .. } | Plan::EdgeLookup { .. })
}

/// Whether a question asked where `var` first is asks the same as one at the top of the plan.
fn goes_down(plan: &Plan, var: VarId) -> bool {
    let below =
        |input: &Plan| if input.vars().contains(&var) { goes_down(input, var) } else { gives_first(plan) };
    match plan {
        Plan::NodeScan(scan) => scan.var == var,
        Plan::Filter { input, predicate } => cannot_fail(predicate) && below(input),
        Plan::Extra { input, items } => {
            items.iter().all(|(made, expr)| *made != var && is_plain(expr)) && below(input)
        }
        Plan::Extend { input, .. }
        | Plan::ExtendInto { input, .. }
        | Plan::ExtendCount { input, .. }
        | Plan::Intersect { input, .. }
        | Plan::KeyLookup { input, .. }
        | Plan::EdgeLookup { input, .. }
        | Plan::SemiJoin { input, .. } => below(input),
        Plan::HashJoin { left, right, .. } => {
            if left.vars().contains(&var) {
                goes_down(left, var)
            } else {
                goes_down(right, var)
            }
        }
        _ => false,
    }
}

/// A variable, a constant, or a property of a node or edge that is a variable.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Var(_) | Expr::Const(_) | Expr::Param(_) => true,
        Expr::Property(base, ..) => matches!(**base, Expr::Var(_)),
        _ => false,
    }
}

/// Whether a condition can be asked of any row: comparisons of plain values, and what connects them.
fn cannot_fail(predicate: &Expr) -> bool {
    match predicate {
        Expr::HasLabel(base, _) => is_plain(base),
        Expr::Op(Op::And | Op::Or | Op::Not | Op::Xor, parts, _) => parts.iter().all(cannot_fail),
        Expr::Op(
            Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::IsNull
            | Op::IsNotNull
            | Op::Differs
            | Op::StartsWith
            | Op::EndsWith
            | Op::Contains,
            parts,
            _,
        ) => parts.iter().all(is_plain),
        Expr::Op(Op::In, parts, _) => {
            matches!(&parts[..], [value, Expr::Const(Value::List(_))] if is_plain(value))
        }
        _ => false,
    }
}
