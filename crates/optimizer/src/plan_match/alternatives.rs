//! Parts of a pattern of which one of several equalities must hold: `a.mail = b.mail OR a.phone = b.phone`.
//!
//! Each alternative has a hash join of its own by its equalities, with what else it asks on top; the pairs of
//! which an earlier one is true are left out of those of later ones, so that all pairs together are those of
//! the condition, each once. Both parts are read once for each alternative.

use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_types::Value;

use super::Planner;
use super::value_joins::Side;
use crate::estimate::Estimate;
use crate::value_keys::keys_across;
use crate::{VarSet, conjunction, conjuncts};

/// Alternatives that have joins of their own at most.
const ALTERNATIVES_MAX: usize = 8;

/// The product of two sides is left for joins by alternatives where it has so many times the rows that these
/// read: a row of a join takes longer than a pair of a product.
const PRODUCT_MIN: f64 = 8.0;

impl Planner<'_> {
    /// Joins sides by each alternative of a condition of which one must hold, where all have equalities of a
    /// value of one side with one of the other, and where the product has many more rows than both sides.
    /// `false`, and nothing done, elsewhere.
    pub(super) fn join_by_alternatives(&mut self, sides: &[Side; 2], vars: &VarSet) -> bool {
        let is_left = |var: &VarId| vars.contains(var);
        let is_right = |var: &VarId| self.available.contains(var);
        let own: Vec<VarId> = self.available.iter().copied().collect();
        let places = self.conditions.within(|var| is_left(var) || is_right(var), &own);
        let found = places.iter().find_map(|place| {
            let mut alternatives = Vec::new();
            disjuncts(&self.conditions.get(*place)?.expr, &mut alternatives);
            let joins = alternatives.into_iter().map(|one| Alternative::of(one, &is_left, &is_right));
            Some((*place, joins.collect::<Option<Vec<_>>>()?))
        });
        let Some((place, alternatives)) =
            found.filter(|(_, all)| (2..=ALTERNATIVES_MAX).contains(&all.len()))
        else {
            return false;
        };
        let [left, right] = sides;
        let read = (left.1.rows + right.1.rows) * alternatives.len() as f64;
        if left.1.rows * right.1.rows < PRODUCT_MIN * read {
            return false;
        }
        self.conditions.remove(place);
        let (mut inputs, mut estimates, mut earlier) = (Vec::new(), Vec::new(), Vec::new());
        for Alternative { whole, equal, mut rest } in alternatives {
            let [left, right] = sides.clone();
            let (mut left_keys, mut right_keys, mut on) = (Vec::new(), Vec::new(), Vec::new());
            for (a, b) in equal {
                let key = self.with.made.var(format!("key {}", on.len() + 1));
                left_keys.push((key, a));
                right_keys.push((key, b));
                on.push(key);
            }
            let mut sides = [self.with_keys(left, left_keys), self.with_keys(right, right_keys)];
            if sides[0].1.rows < sides[1].1.rows {
                sides.swap(0, 1);
            }
            self.join(sides, |left, right| Plan::HashJoin { left, right, on });
            // A pair of which an earlier one is true comes from there.
            rest.extend(earlier.iter().cloned());
            if let Some(predicate) = conjunction(rest) {
                self.put(|input| Plan::Filter { input, predicate });
            }
            let not = vec![(whole, Expr::Const(Value::Bool(false)))];
            earlier.push(Expr::Case { branches: not, otherwise: Box::new(Expr::Const(Value::Bool(true))) });
            inputs.push(std::mem::replace(&mut self.plan, Plan::Unit));
            estimates.push(std::mem::take(&mut self.estimate));
        }
        let vars = vars.iter().chain(&self.available).copied().collect::<VarSet>().into_iter().collect();
        self.plan = Plan::Union { inputs, vars };
        self.estimate = Estimate::over(&self.plan, estimates, self.with.known);
        true
    }
}

/// Conditions of which one must hold.
fn disjuncts<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Op(Op::Or, parts, _) => parts.iter().for_each(|part| disjuncts(part, out)),
        other => out.push(other),
    }
}

/// One of several conditions of which one must hold: the equalities across in it, and what else it asks.
struct Alternative {
    whole: Expr,
    equal: Vec<(Expr, Expr)>,
    rest: Vec<Expr>,
}

impl Alternative {
    /// `None` where it has no equality across.
    fn of(expr: &Expr, left: &dyn Fn(&VarId) -> bool, right: &dyn Fn(&VarId) -> bool) -> Option<Self> {
        let (mut parts, mut equal, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        conjuncts(expr.clone(), &mut parts);
        for part in parts {
            let keys = keys_across(&part, left, right);
            if keys.as_ref().is_none_or(|keys| !keys.is_exact) {
                rest.push(part);
            }
            equal.extend(keys.map(|keys| (keys.left, keys.right)));
        }
        (!equal.is_empty()).then(|| Self { whole: expr.clone(), equal, rest })
    }
}
