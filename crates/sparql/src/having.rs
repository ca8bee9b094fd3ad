//! `HAVING` that uses what `SELECT` names: a tree in, the same with such filters where the names are bound.
//! are bound.
//!
//! The parser puts `HAVING` below what `SELECT` computes, so that a name of `SELECT` has no value in it. The
//! standard's text says the same (§18.2.4), but what people write is `HAVING(?n > 1)`, and other systems take
//! it. A filter over groups that uses such a name goes above it; all others stay.

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::Variable;
use spargebra::{GraphUpdateOperation, Query, Update};

/// Raises the filters of a query.
pub(crate) fn raise_in_query(query: &mut Query) {
    match query {
        Query::Select { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }
        | Query::Ask { pattern, .. } => raise(pattern),
    }
}

/// Raises the filters of an update.
pub(crate) fn raise_in_update(update: &mut Update) {
    for operation in &mut update.operations {
        if let GraphUpdateOperation::DeleteInsert { pattern, .. } = operation {
            raise(pattern);
        }
    }
}

fn raise(pattern: &mut GraphPattern) {
    match pattern {
        GraphPattern::Extend { .. } => raise_above(pattern),
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
        GraphPattern::Join { left, right }
        | GraphPattern::LeftJoin { left, right, .. }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => {
            raise(left);
            raise(right);
        }
        GraphPattern::Filter { inner, expr } => {
            raise_in(expr);
            raise(inner);
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Service { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Group { inner, .. } => raise(inner),
    }
}

/// In the groups of `EXISTS`, where they are a filter or a part of one.
fn raise_in(expression: &mut Expression) {
    match expression {
        Expression::Exists(pattern) => raise(pattern),
        Expression::Not(inner) => raise_in(inner),
        Expression::And(left, right) | Expression::Or(left, right) => {
            raise_in(left);
            raise_in(right);
        }
        _ => {}
    }
}

/// Of names above one another, the filter below them goes to the top.
fn raise_above(pattern: &mut GraphPattern) {
    let mut names = Vec::new();
    if let Some(expr) = filter_below(pattern, &mut names) {
        let inner = Box::new(std::mem::take(pattern));
        *pattern = GraphPattern::Filter { expr, inner };
    }
}

/// Takes the filter out that stands on groups, below names and `VALUES`, if it uses one of the names.
fn filter_below(pattern: &mut GraphPattern, names: &mut Vec<Variable>) -> Option<Expression> {
    let mut at = pattern;
    while let GraphPattern::Extend { inner, variable, .. } = at {
        names.push(variable.clone());
        at = inner;
    }
    if matches!(at, GraphPattern::Join { right, .. } if matches!(**right, GraphPattern::Values { .. }))
        && let GraphPattern::Join { left, .. } = at
    {
        return filter_below(left, names);
    }
    let is_meant = matches!(at, GraphPattern::Filter { expr, inner }
        if matches!(**inner, GraphPattern::Group { .. }) && names.iter().any(|name| uses(expr, name)));
    if !is_meant {
        raise(at);
        return None;
    }
    let GraphPattern::Filter { mut expr, mut inner } = std::mem::take(at) else {
        return None;
    };
    raise_in(&mut expr);
    raise(&mut inner);
    *at = *inner;
    Some(expr)
}

/// Whether an expression asks for a variable, patterns of `EXISTS` aside.
fn uses(expression: &Expression, name: &Variable) -> bool {
    match expression {
        Expression::Variable(variable) | Expression::Bound(variable) => variable == name,
        Expression::NamedNode(_) | Expression::Literal(_) | Expression::Exists(_) => false,
        Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
            uses(inner, name)
        }
        Expression::Or(left, right)
        | Expression::And(left, right)
        | Expression::Equal(left, right)
        | Expression::SameTerm(left, right)
        | Expression::Greater(left, right)
        | Expression::GreaterOrEqual(left, right)
        | Expression::Less(left, right)
        | Expression::LessOrEqual(left, right)
        | Expression::Add(left, right)
        | Expression::Subtract(left, right)
        | Expression::Multiply(left, right)
        | Expression::Divide(left, right) => uses(left, name) || uses(right, name),
        Expression::In(left, list) => uses(left, name) || list.iter().any(|item| uses(item, name)),
        Expression::If(condition, then, other) => {
            uses(condition, name) || uses(then, name) || uses(other, name)
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
            list.iter().any(|item| uses(item, name))
        }
    }
}
