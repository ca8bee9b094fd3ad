//! Parts of a pattern of which one of several equalities must hold: `a.mail = b.mail OR a.phone = b.phone`,
//! or of which a value of one must be in a list of the other: `a.name IN b.aliases`, which is that it equals
//! one of the elements.
//!
//! Each alternative has a hash join of its own by its equalities, with what else it asks on top; the pairs of
//! which an earlier one is true are left out of those of later ones, so that all pairs together are those of
//! the condition, each once. Both parts are read once for each alternative. Of a list each element is a row
//! of its side, once, so that it finds a pair once.

use trimorph_algebra::{Expr, Op, Plan, VarId};
use trimorph_base::Span;
use trimorph_types::Value;

use super::Planner;
use super::value_joins::Side;
use crate::estimate::Estimate;
use crate::value_keys::keys_across;
use crate::{VarSet, conjunction, conjuncts, vars_of};

/// Alternatives that have joins of their own at most.
const ALTERNATIVES_MAX: usize = 8;

/// The product of two sides is left for joins by alternatives where it has so many times the rows that these
/// read: a row of a join takes longer than a pair of a product.
const PRODUCT_MIN: f64 = 8.0;

/// The same where a value is looked for in a list: a pair of the product takes as long as a row of a join.
/// Chosen.
const MEMBER_PRODUCT_MIN: f64 = 4.0;

impl Planner<'_> {
    /// Joins sides by each alternative of a condition of which one must hold, where all have equalities of a
    /// value of one side with one of the other, or with elements of a list there, and where the product has
    /// many more rows than both sides. `false`, and nothing done, elsewhere.
    pub(super) fn join_by_alternatives(&mut self, sides: &[Side; 2], vars: &VarSet) -> bool {
        let is_left = |var: &VarId| vars.contains(var);
        let is_right = |var: &VarId| self.available.contains(var);
        let own: Vec<VarId> = self.available.iter().copied().collect();
        let places = self.conditions.within(|var| is_left(var) || is_right(var), &own);
        let found = places.iter().find_map(|place| {
            let mut alternatives = Vec::new();
            disjuncts(&self.conditions.get(*place)?.expr, &mut alternatives);
            let joins = alternatives.into_iter().map(|one| self.alternative(one, &is_left, &is_right));
            let joins = joins.collect::<Option<Vec<_>>>()?;
            // Sides that an equality joins without alternatives are joined by now.
            let is_asked = joins.len() > 1 || joins.iter().any(|one| one.member.is_some());
            (is_asked && joins.len() <= ALTERNATIVES_MAX).then_some((*place, joins))
        });
        // What an apply hands in is there once.
        let Some((place, alternatives)) = found.filter(|(_, all)| all.len() == 1 || !self.is_from_rows)
        else {
            return false;
        };
        let [left, right] = sides;
        let read = (left.1.rows + right.1.rows) * alternatives.len() as f64;
        let has_members = alternatives.iter().any(|one| one.member.is_some());
        let least = if has_members { MEMBER_PRODUCT_MIN } else { PRODUCT_MIN };
        if left.1.rows * right.1.rows < least * read {
            return false;
        }
        self.conditions.remove(place);
        let (mut inputs, mut estimates, mut earlier) = (Vec::new(), Vec::new(), Vec::new());
        for Alternative { whole, equal, member, mut rest } in alternatives {
            let [left, right] = sides.clone();
            let (mut left_keys, mut right_keys, mut on) = (Vec::new(), Vec::new(), Vec::new());
            for (a, b) in equal {
                let key = self.with.made.var(format!("key {}", on.len() + 1));
                left_keys.push((key, a));
                right_keys.push((key, b));
                on.push(key);
            }
            let (left, right) = match member {
                None => (left, right),
                Some(Member { value, list, is_left }) => {
                    let key = self.with.made.var("element".to_owned());
                    on.push(key);
                    if is_left {
                        right_keys.push((key, value));
                        (self.with_elements(left, list, key), right)
                    } else {
                        left_keys.push((key, value));
                        (left, self.with_elements(right, list, key))
                    }
                }
            };
            let mut sides = [self.with_keys(left, left_keys), self.with_keys(right, right_keys)];
            // What an apply hands in changes with its rows: the other side is made once.
            if !self.is_from_rows && sides[0].1.rows < sides[1].1.rows {
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
        if let ([_], Some(only)) = (&inputs[..], estimates.pop()) {
            self.plan = inputs.pop().unwrap_or(Plan::Unit);
            self.estimate = only;
            return true;
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

/// One of several conditions of which one must hold: the equalities across in it, or else what must be in a
/// list across, and what else it asks.
struct Alternative {
    whole: Expr,
    equal: Vec<(Expr, Expr)>,
    member: Option<Member>,
    rest: Vec<Expr>,
}

/// A value of one side that must be in a list of the other.
struct Member {
    value: Expr,
    list: Expr,
    /// Whether the list is of the left side.
    is_left: bool,
}

impl Planner<'_> {
    /// `None` where nothing across joins it.
    fn alternative(
        &self,
        expr: &Expr,
        left: &dyn Fn(&VarId) -> bool,
        right: &dyn Fn(&VarId) -> bool,
    ) -> Option<Alternative> {
        let (mut parts, mut equal, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        conjuncts(expr.clone(), &mut parts);
        for part in parts {
            let keys = keys_across(&part, left, right);
            if keys.as_ref().is_none_or(|keys| !keys.is_exact) {
                rest.push(part);
            }
            equal.extend(keys.map(|keys| (keys.left, keys.right)));
        }
        let mut member = None;
        if equal.is_empty() {
            let (place, found) = (rest.iter().enumerate())
                .find_map(|(place, part)| Some((place, self.member(part, left, right)?)))?;
            rest.remove(place);
            member = Some(found);
        }
        Some(Alternative { whole: expr.clone(), equal, member, rest })
    }

    /// That a value of one side is in a list of the other, which is a list, or null, whatever the row.
    fn member(
        &self,
        expr: &Expr,
        left: &dyn Fn(&VarId) -> bool,
        right: &dyn Fn(&VarId) -> bool,
    ) -> Option<Member> {
        let Expr::Op(Op::In, args, _) = expr else { return None };
        let [value, list] = &args[..] else { return None };
        let (of_value, of_list) = (vars_of([value]), vars_of([list]));
        if of_value.is_empty() || of_list.is_empty() || !self.is_list(list) {
            return None;
        }
        let is_left = of_list.iter().all(left) && of_value.iter().all(right);
        let is_across = is_left || (of_list.iter().all(right) && of_value.iter().all(left));
        is_across.then(|| Member { value: value.clone(), list: list.clone(), is_left })
    }

    /// A side with a row for each element of a list, which has equal ones once.
    fn with_elements(&self, (plan, estimate): Side, list: Expr, var: VarId) -> Side {
        let list = Expr::Call("coll.distinct".into(), vec![list], Span::default());
        let plan = Plan::Unwind { input: Box::new(plan), list, var };
        let estimate = Estimate::over(&plan, vec![estimate], self.with.known);
        (plan, estimate)
    }
}
