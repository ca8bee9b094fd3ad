//! Whether two expressions say the same, wherever they stand.

use crate::ast::{Expr, ExprKind, Literal, MapEntry, Name};

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
        (K::Comparison { first: x, rest: v }, K::Comparison { first: y, rest: w }) => {
            v.len() == w.len()
                && same(x, y)
                && v.iter().zip(w).all(|(v, w)| v.op == w.op && same(&v.right, &w.right))
        }
        (K::Case(x), K::Case(y)) => {
            same_option(x.subject.as_ref(), y.subject.as_ref())
                && same_option(x.default.as_ref(), y.default.as_ref())
                && x.arms.len() == y.arms.len()
                && x.arms.iter().zip(&y.arms).all(|(x, y)| same(&x.when, &y.when) && same(&x.then, &y.then))
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
