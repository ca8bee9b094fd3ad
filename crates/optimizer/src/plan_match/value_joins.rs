//! Parts of a pattern that have nothing in common but values.
//!
//! 1. Where an expression of one must equal an expression of the other they are hash joined: both compute
//!    theirs, or its key (`value_keys`), as the same new variable. Null joins nothing, nor does a value that
//!    does not equal itself. Where many have equal values, and a value of one must lie between two of the
//!    other, those that have equal values are kept in order of it.
//! 2. Else, where one of several such equalities must hold, or a value must be in a list, each alternative
//!    has a join (`alternatives`).
//! 3. Else, where a value of one is bounded by values of the other, or begins with one, one side is kept in
//!    order of it.
//! 4. Else they are multiplied. What a condition on pairs computes of one side alone, and cannot fail, is
//!    computed there.

use std::collections::{BTreeSet, HashSet};

use trimorph_algebra::{Band, BandKind, EdgePattern, Expr, Op, Plan, VarId, Wanted};
use trimorph_types::{LogicalType, Value};

use super::Planner;
use super::components::Outer;
use super::one_row::gives_few_rows;
use crate::bounds::Bounds;
use crate::estimate::Estimate;
use crate::value_keys::{KeyPair, equality, keys_across};
use crate::{VarSet, conjunction, vars_of};

/// Rows that have the same values, on the mean, from which on it is worth having those in order that lie
/// within bounds. Chosen.
const WINDOW_MIN: f64 = 8.0;

impl Planner<'_> {
    /// Whether an equality may look at two of these nodes, or at one and at the rows there are.
    pub(super) fn has_equalities(&self, nodes: &[VarId]) -> bool {
        let joins = |expr: &Expr| equality(expr).is_some() && vars_of([expr]).len() > 1;
        nodes.iter().any(|node| self.conditions.on(*node).any(|(_, c)| joins(&c.expr)))
    }

    /// Whether a value of a part with these nodes must equal one of the rows there are.
    pub(super) fn is_equal_to_some(&self, nodes: &[VarId]) -> bool {
        let own: HashSet<&VarId> = nodes.iter().collect();
        let known = |var: &VarId| self.available.contains(var);
        nodes
            .iter()
            .flat_map(|node| self.conditions.on(*node))
            .any(|(_, condition)| keys_across(&condition.expr, known, |var| own.contains(var)).is_some())
    }

    /// Joins the part that was planned by itself with the rows there were.
    pub(super) fn beside(&mut self, outer: Outer) {
        let Some((left, left_estimate, vars)) = outer else { return };
        let (mut left_keys, mut right_keys, mut on) = (Vec::new(), Vec::new(), Vec::new());
        for place in self.equalities(&vars) {
            let Some(expr) = self.conditions.get(place).map(|condition| &condition.expr) else { continue };
            let Some(keys) = keys_across(expr, |v| vars.contains(v), |v| self.available.contains(v)) else {
                continue;
            };
            if keys.is_exact {
                self.conditions.remove(place);
            }
            let key = self.with.made.var(format!("key {}", on.len() + 1));
            left_keys.push((key, keys.left));
            right_keys.push((key, keys.right));
            on.push(key);
        }
        let right = std::mem::replace(&mut self.plan, left);
        let right_estimate = std::mem::replace(&mut self.estimate, left_estimate);
        let sides = [
            (std::mem::replace(&mut self.plan, Plan::Unit), std::mem::take(&mut self.estimate)),
            (right, right_estimate),
        ];
        if on.is_empty() {
            if !self.join_by_alternatives(&sides, &vars) {
                self.beside_in_order(sides, &vars);
            }
        } else {
            let values = |keys: &[(VarId, Expr)]| -> f64 {
                keys.iter().map(|(_, key)| self.values_of(key).max(1.0)).product()
            };
            let groups = values(&left_keys).max(values(&right_keys));
            let [left, right] = sides;
            let least = left.1.rows.min(right.1.rows);
            let window = (least >= groups * WINDOW_MIN).then(|| self.window(&vars)).flatten();
            let mut sides = [self.with_keys(left, left_keys), self.with_keys(right, right_keys)];
            if let Some((bounds, is_of_left)) = window {
                if is_of_left {
                    sides.swap(0, 1);
                }
                self.in_order(sides, bounds, on);
                return self.has_joined(vars);
            }
            // The smaller side is kept. What an apply hands in changes with its rows: the other side is made
            // once.
            if !self.is_from_rows && sides[0].1.rows < sides[1].1.rows {
                sides.swap(0, 1);
            }
            self.join(sides, |left, right| Plan::HashJoin { left, right, on });
        }
        self.has_joined(vars);
    }

    /// Goes on with the rows of both sides, of which the first had these variables.
    fn has_joined(&mut self, mut vars: VarSet) {
        vars.append(&mut self.available);
        self.available = vars;
        self.conditions.joined();
        self.place_filters();
    }

    /// The equalities of a value of the rows there are with one of a side with these variables, taken out;
    /// those that cannot fail, as neither side need have a row that the other has.
    pub(super) fn take_equal(&mut self, side: &VarSet) -> Vec<(Expr, Expr)> {
        let own: Vec<VarId> = side.iter().copied().collect();
        let mut taken = Vec::new();
        for place in self.conditions.within(|v| side.contains(v) || self.available.contains(v), &own) {
            let Some(expr) = self.conditions.get(place).map(|condition| &condition.expr) else { continue };
            // What looks at nodes in common alone is a condition of either side.
            let Some((first, second, _)) = equality(expr) else { continue };
            if self.safe_key(first).is_none() || self.safe_key(second).is_none() {
                continue;
            }
            let found = keys_across(expr, |v| self.available.contains(v), |v| side.contains(v));
            let Some(KeyPair { left: a, right: b, is_exact }) = found else { continue };
            let of_shared =
                |expr: &Expr| vars_of([expr]).iter().all(|v| side.contains(v) && self.available.contains(v));
            if of_shared(&a) || of_shared(&b) {
                continue;
            }
            // Made of decimals, a sum equals another where both have no place among integers: of pairs the
            // equality itself is asked, which says so.
            let is_made = !self.is_safe(first) || !self.is_safe(second);
            let wide = |key: Expr| self.safe_key(&key).unwrap_or(key);
            taken.push((wide(a), wide(b)));
            if is_exact && !is_made {
                self.conditions.remove(place);
            }
        }
        taken
    }

    /// The equalities between values of several of these nodes and edges, as sets of nodes, and the part of
    /// rows in which each holds. What is asked of an edge needs both of its ends, and what is asked of other
    /// values of the rows there are the nodes that these have.
    pub(super) fn equal_parts(&self, nodes: &[VarId], edges: &[EdgePattern]) -> Vec<(u64, f64)> {
        let place = |var: &VarId| nodes.iter().take(64).position(|node| node == var).map(|at| 1u64 << at);
        let of_rows: u64 = nodes.iter().filter(|node| self.available.contains(node)).filter_map(place).sum();
        let places_of = |var: &VarId| {
            let of_edge = || {
                let edge = edges.iter().find(|edge| edge.var == *var)?;
                Some(place(&edge.from)? | place(&edge.to)?)
            };
            let is_of_rows = of_rows != 0 && self.available.contains(var);
            place(var).or_else(of_edge).or(is_of_rows.then_some(of_rows))
        };
        let mut places = BTreeSet::new();
        let vars = nodes.iter().copied().chain(edges.iter().map(|edge| edge.var));
        let conditions = vars.flat_map(|var| self.conditions.on(var));
        let mut parts = Vec::new();
        for (at, condition) in conditions {
            let found = equality(&condition.expr).filter(|_| places.insert(at));
            let Some((a, b, _)) = found else { continue };
            let mut masks = condition.vars.iter().map(places_of);
            let Some(mask) = masks.try_fold(0, |mask, own| Some(mask | own?)) else { continue };
            if condition.vars.len() > 1
                && mask.count_ones() > 1
                && self.safe_key(a).is_some()
                && self.safe_key(b).is_some()
            {
                parts.push((mask, 1.0 / self.values_of(a).max(self.values_of(b)).max(1.0)));
            }
        }
        parts
    }

    /// Puts an operator over both sides.
    pub(super) fn join(
        &mut self,
        [first, second]: [Side; 2],
        operator: impl FnOnce(Box<Plan>, Box<Plan>) -> Plan,
    ) {
        (self.plan, self.estimate) = first;
        self.put_beside(second, operator);
    }

    /// Joins sides that no equality joins: by bounds of a value, else as a product.
    fn beside_in_order(&mut self, [left, right]: [Side; 2], vars: &VarSet) {
        let is_left = |var: &VarId| vars.contains(var);
        let is_right = |var: &VarId| self.available.contains(var);
        let own: Vec<VarId> = self.available.iter().copied().collect();
        let places = self.conditions.within(|var| is_left(var) || is_right(var), &own);
        let found = |left: &dyn Fn(&VarId) -> bool, right: &dyn Fn(&VarId) -> bool| {
            let conditions =
                places.iter().filter_map(|place| Some((*place, &self.conditions.get(*place)?.expr)));
            Bounds::of(conditions, left, right)
        };
        let mut sides = [left, right];
        // Beside one row, as of `WITH avg(n.x) AS mean`, or few, a bound is a condition like any other, and
        // the others need not be kept.
        if !self.is_from_rows && sides.iter().any(|side| gives_few_rows(&side.0)) {
            if gives_few_rows(&sides[0].0) {
                sides.swap(0, 1);
            }
            self.join(sides, |left, right| Plan::HashJoin { left, right, on: Vec::new() });
            return;
        }
        let mut bounds = found(&is_left, &is_right);
        // The side whose value has both its bounds on the other is kept in order; what an apply hands in is
        // always the other.
        if !self.is_from_rows {
            let swapped = found(&is_right, &is_left);
            let counts = [&bounds, &swapped].map(|b| b.as_ref().map_or(0, Bounds::weight));
            let is_smaller = counts[1] > 0 && counts[1] == counts[0] && sides[0].1.rows < sides[1].1.rows;
            if counts[1] > counts[0] || is_smaller {
                bounds = swapped;
                sides.swap(0, 1);
            }
        }
        match bounds {
            Some(bounds) => self.in_order(sides, bounds, Vec::new()),
            None => self.multiply(sides, vars, &places),
        }
    }

    /// Joins sides by bounds that the first has for a value of the second, which is kept in order of it, and
    /// by what must be equal.
    fn in_order(&mut self, [left, right]: [Side; 2], bounds: Bounds, on: Vec<VarId>) {
        let Bounds { key, low, high, kind, places } = bounds;
        for place in places {
            self.conditions.remove(place);
        }
        let mut items = Vec::new();
        let mut bound = |bound: Option<(Expr, bool)>, name: &str| {
            bound.map(|(expr, may_equal)| {
                let var = self.with.made.var(name.to_owned());
                items.push((var, expr));
                (var, may_equal)
            })
        };
        let (low, high) = (bound(low, "low"), bound(high, "high"));
        let band = Band { key: self.with.made.var("key".to_owned()), low, high, kind, wanted: Wanted::All };
        let sides = [self.with_keys(left, items), self.with_keys(right, vec![(band.key, key)])];
        self.join(sides, |left, right| Plan::RangeJoin { left, right, on, band });
    }

    /// Both bounds that one side has for a value of the other, and whether that is the side with `vars`: what
    /// equal values leave are many pairs, of which these leave few. Either side may be computed of rows that
    /// meet none.
    fn window(&self, vars: &VarSet) -> Option<(Bounds, bool)> {
        let is_left = |var: &VarId| vars.contains(var);
        let is_right = |var: &VarId| self.available.contains(var);
        let own: Vec<VarId> = self.available.iter().copied().collect();
        let places = self.conditions.within(|var| is_left(var) || is_right(var), &own);
        let found = |of: &dyn Fn(&VarId) -> bool, bounded: &dyn Fn(&VarId) -> bool| {
            let conditions =
                places.iter().filter_map(|place| Some((*place, &self.conditions.get(*place)?.expr)));
            let bounds = Bounds::of(conditions, of, bounded)?;
            let (Some((low, _)), Some((high, _))) = (&bounds.low, &bounds.high) else { return None };
            let is_safe = [low, high, &bounds.key].into_iter().all(|expr| self.is_safe(expr));
            (bounds.kind == BandKind::Between && is_safe).then_some(bounds)
        };
        let of_right = found(&is_left, &is_right).map(|bounds| (bounds, false));
        // What an apply hands in changes with its rows: the other side is kept.
        let of_left = || if self.is_from_rows { None } else { found(&is_right, &is_left) };
        of_right.or_else(|| of_left().map(|bounds| (bounds, true)))
    }

    /// The product of both sides, of which the first has these variables, with conditions on pairs.
    fn multiply(&mut self, [left, right]: [Side; 2], vars: &VarSet, places: &[usize]) {
        let (mut items, mut asked) = ([Vec::new(), Vec::new()], Vec::new());
        for place in places {
            let Some(expr) = self.conditions.get(*place).map(|condition| condition.expr.clone()) else {
                continue;
            };
            let made = items.iter().map(Vec::len).sum::<usize>();
            let apart = self.apart(&expr, vars, &mut items);
            if items.iter().map(Vec::len).sum::<usize>() > made {
                self.conditions.remove(*place);
                asked.push(apart);
            }
        }
        let [of_left, of_right] = items;
        let sides = [self.with_keys(left, of_left), self.with_keys(right, of_right)];
        self.join(sides, |left, right| Plan::HashJoin { left, right, on: Vec::new() });
        if let Some(predicate) = conjunction(asked) {
            self.put(|input| Plan::Filter { input, predicate });
        }
    }

    /// A condition on pairs in which variables stand for what is computed of one side: of the first, which
    /// has `vars`, or of the second.
    fn apart(&mut self, expr: &Expr, vars: &VarSet, items: &mut [Vec<(VarId, Expr)>; 2]) -> Expr {
        let of = vars_of([expr]);
        let side = match () {
            () if of.is_empty() || matches!(expr, Expr::Var(_)) => return expr.clone(),
            () if of.iter().all(|var| vars.contains(var)) => 0,
            () if of.iter().all(|var| self.available.contains(var)) => 1,
            () => {
                let Expr::Op(op, args, span) = expr else { return expr.clone() };
                let args = args.iter().map(|arg| self.apart(arg, vars, items)).collect();
                return Expr::Op(*op, args, *span);
            }
        };
        if !self.is_safe(expr) && !self.is_text(expr) {
            return expr.clone();
        }
        let key = self.with.made.var(format!("value {}", items.iter().map(Vec::len).sum::<usize>() + 1));
        items[side].push((key, expr.clone()));
        Expr::Var(key)
    }

    /// Whether an expression gives a text or null, whatever the row.
    fn is_text(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(Value::String(_)) => true,
            Expr::Property(base, name, _) => {
                let Expr::Var(var) = **base else { return false };
                let (catalog, tables) = (self.with.known.catalog, self.tables_of(var));
                let columns = catalog.node_columns(Some(std::slice::from_ref(name)));
                let mut own = columns.into_iter().filter(|(table, _)| tables.contains(table));
                self.labels.contains_key(&var)
                    && own.all(|(table, column)| {
                        catalog.column_type(table, column) == Some(LogicalType::String)
                            && catalog.has_one_type(table, column)
                    })
            }
            Expr::Op(Op::Add, args, _) => args.iter().all(|arg| self.is_text(arg)),
            Expr::Call(name, args, _) => {
                const KEEPS: [&str; 8] =
                    ["toLower", "lower", "toUpper", "upper", "trim", "ltrim", "rtrim", "reverse"];
                let keeps = KEEPS.iter().any(|known| known.eq_ignore_ascii_case(name));
                matches!(&args[..], [text] if keeps && self.is_text(text))
            }
            _ => false,
        }
    }

    /// The places of equalities of rows with these variables and those of the part.
    fn equalities(&self, vars: &VarSet) -> Vec<usize> {
        let own: Vec<VarId> = self.available.iter().copied().collect();
        let both = |var: &VarId| vars.contains(var) || self.available.contains(var);
        let mut places = self.conditions.within(both, &own);
        places.retain(|place| {
            self.conditions.get(*place).is_some_and(|condition| {
                keys_across(&condition.expr, |v| vars.contains(v), |v| self.available.contains(v)).is_some()
            })
        });
        places
    }

    /// A side with what it is joined by.
    pub(super) fn with_keys(&self, (plan, estimate): Side, items: Vec<(VarId, Expr)>) -> Side {
        if items.is_empty() {
            return (plan, estimate);
        }
        let plan = Plan::Extra { input: Box::new(plan), items };
        let estimate = Estimate::over(&plan, vec![estimate], self.with.known);
        (plan, estimate)
    }
}

/// A side of a join.
pub(super) type Side = (Plan, Estimate);
