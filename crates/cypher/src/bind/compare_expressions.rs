//! Whether two expressions say the same, wherever they stand.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use super::walk_expression::for_each_child;
use crate::ast::{Expr, ExprKind, Literal, MapEntry, Name};

/// Expressions up to which each is compared with all.
const COMPARED_MAX: usize = 8;
/// Levels, and children of each, that a sketch looks at.
const SKETCH_LEVELS: usize = 4;
const SKETCH_CHILDREN: usize = 6;

/// Places of expressions, by what they look like: thousands of columns are not compared with thousands of
/// others.
#[derive(Default)]
pub(super) struct Sketches<'q> {
    exprs: Vec<Option<&'q Expr>>,
    indexes: HashMap<u64, Vec<usize>>,
}

impl<'q> Sketches<'q> {
    pub(super) fn new(exprs: impl IntoIterator<Item = Option<&'q Expr>>) -> Self {
        let mut sketches = Self::default();
        exprs.into_iter().for_each(|expr| sketches.add(expr));
        sketches
    }

    /// Adds the next expression; `None` is never found.
    pub(super) fn add(&mut self, expr: Option<&'q Expr>) {
        let index = self.exprs.len();
        self.exprs.push(expr);
        if index == COMPARED_MAX {
            // From now on they are looked up: those before too.
            for (index, expr) in self.exprs.iter().enumerate() {
                if let Some(expr) = expr {
                    self.indexes.entry(sketch(expr)).or_default().push(index);
                }
            }
        } else if index > COMPARED_MAX
            && let Some(expr) = expr
        {
            self.indexes.entry(sketch(expr)).or_default().push(index);
        }
    }

    /// The index of the first that says the same.
    pub(super) fn find(&self, expr: &Expr) -> Option<usize> {
        let is_same =
            |index: &usize| self.exprs.get(*index).is_some_and(|e| e.is_some_and(|e| same(e, expr)));
        if self.exprs.len() <= COMPARED_MAX {
            return (0..self.exprs.len()).find(is_same);
        }
        self.indexes.get(&sketch(expr))?.iter().copied().find(is_same)
    }
}

/// A number that expressions which say the same have in common.
fn sketch(expr: &Expr) -> u64 {
    let mut hasher = DefaultHasher::new();
    add_sketch(expr, SKETCH_LEVELS, &mut hasher);
    hasher.finish()
}

fn add_sketch(expr: &Expr, levels: usize, out: &mut DefaultHasher) {
    discriminant(&expr.kind).hash(out);
    match &expr.kind {
        ExprKind::Variable(name) | ExprKind::Parameter(name) => name.hash(out),
        ExprKind::Property { key, .. } => key.text.hash(out),
        ExprKind::Literal(Literal::Integer(i)) => i.hash(out),
        ExprKind::Literal(Literal::Float(f)) => f.to_bits().hash(out),
        ExprKind::Literal(Literal::String(s)) => s.hash(out),
        ExprKind::Function(call) => call.name.dotted().to_ascii_lowercase().hash(out),
        _ => {}
    }
    if levels > 0 {
        let mut children = 0;
        for_each_child(expr, &mut |child| {
            if children < SKETCH_CHILDREN {
                add_sketch(child, levels - 1, out);
            }
            children += 1;
        });
        children.hash(out);
    }
}

/// Whether the trees are the same apart from spans. Patterns and subqueries are never the same as others.
pub(super) fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    match (&a.kind, &b.kind) {
        (K::Literal(x), K::Literal(y)) => same_literal(x, y),
        (K::Variable(x), K::Variable(y)) | (K::Parameter(x), K::Parameter(y)) => x == y,
        (K::List(x), K::List(y)) | (K::And(x), K::And(y)) | (K::Or(x), K::Or(y)) | (K::Xor(x), K::Xor(y)) => {
            same_all(x, y)
        }
        (K::Map(x), K::Map(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_entry(x, y)),
        (K::Property { base: x, key: k }, K::Property { base: y, key: l }) => same_name(k, l) && same(x, y),
        (K::Index { base: x, index: i }, K::Index { base: y, index: j }) => same(x, y) && same(i, j),
        (K::Slice { base: x, from: f, to: t }, K::Slice { base: y, from: g, to: u }) => {
            same(x, y) && same_option(f.as_deref(), g.as_deref()) && same_option(t.as_deref(), u.as_deref())
        }
        (K::Unary { op: p, operand: x }, K::Unary { op: q, operand: y }) => p == q && same(x, y),
        (K::Not(x), K::Not(y)) => same(x, y),
        (K::IsNull { operand: x, negated: m }, K::IsNull { operand: y, negated: n }) => m == n && same(x, y),
        (K::CountStar, K::CountStar) => true,
        _ => same_large(a, b),
    }
}

fn same_large(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    match (&a.kind, &b.kind) {
        (K::Binary { op: p, left: x, right: v, .. }, K::Binary { op: q, left: y, right: w, .. }) => {
            p == q && same(x, y) && same(v, w)
        }
        (K::Chain { first: x, rest: v }, K::Chain { first: y, rest: w }) => {
            v.len() == w.len()
                && same(x, y)
                && v.iter().zip(w).all(|(v, w)| v.op == w.op && same(&v.right, &w.right))
        }
        (K::Comparison { first: x, rest: v }, K::Comparison { first: y, rest: w }) => {
            v.len() == w.len()
                && same(x, y)
                && v.iter().zip(w).all(|(v, w)| v.op == w.op && same(&v.right, &w.right))
        }
        (K::Case(x), K::Case(y)) => {
            same_option(x.subject.as_ref(), y.subject.as_ref())
                && same_option(x.default.as_ref(), y.default.as_ref())
                && x.arms.len() == y.arms.len()
                && x.arms
                    .iter()
                    .zip(&y.arms)
                    .all(|(x, y)| same_all(&x.when, &y.when) && same(&x.then, &y.then))
        }
        (K::Function(x), K::Function(y)) => {
            x.distinct == y.distinct
                && x.name.dotted().eq_ignore_ascii_case(&y.name.dotted())
                && same_all(&x.arguments, &y.arguments)
        }
        (K::ListComprehension(x), K::ListComprehension(y)) => {
            x.variable.text == y.variable.text
                && same(&x.list, &y.list)
                && same_option(x.predicate.as_ref(), y.predicate.as_ref())
                && same_option(x.value.as_ref(), y.value.as_ref())
        }
        (K::Quantifier(x), K::Quantifier(y)) => {
            x.kind == y.kind
                && x.variable.text == y.variable.text
                && same(&x.list, &y.list)
                && same_option(x.predicate.as_ref(), y.predicate.as_ref())
        }
        (K::Reduce(x), K::Reduce(y)) => {
            x.accumulator.text == y.accumulator.text
                && x.variable.text == y.variable.text
                && same(&x.init, &y.init)
                && same(&x.list, &y.list)
                && same(&x.body, &y.body)
        }
        _ => false,
    }
}

fn same_literal(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Float(a), Literal::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn same_all(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn same_option(a: Option<&Expr>, b: Option<&Expr>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn same_entry(a: &MapEntry, b: &MapEntry) -> bool {
    same_name(&a.key, &b.key) && same(&a.value, &b.value)
}

fn same_name(a: &Name, b: &Name) -> bool {
    a.text == b.text && a.prefix.as_ref().map(|p| &p.text) == b.prefix.as_ref().map(|p| &p.text)
}
