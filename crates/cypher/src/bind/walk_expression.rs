//! Looking through syntax trees of expressions without binding them.

use crate::ast::{Expr, ExprKind, FunctionCall, MapProjectionItem};
use trimorph_algebra::AggregateKind;

/// Calls `visit` on the direct children of an expression. What stands in patterns and subqueries is not among
/// them.
pub(super) fn for_each_child<'q>(expr: &'q Expr, visit: &mut dyn FnMut(&'q Expr)) {
    match &expr.kind {
        ExprKind::Literal(_)
        | ExprKind::Variable(_)
        | ExprKind::Parameter(_)
        | ExprKind::CountStar
        | ExprKind::PatternComprehension(_)
        | ExprKind::Pattern(_)
        | ExprKind::ShortestPath(_)
        | ExprKind::Subquery(_) => {}
        ExprKind::List(items) | ExprKind::And(items) | ExprKind::Or(items) | ExprKind::Xor(items) => {
            items.iter().for_each(visit);
        }
        ExprKind::Map(entries) => entries.iter().for_each(|e| visit(&e.value)),
        ExprKind::Property { base, .. } | ExprKind::HasLabels { base, .. } => visit(base),
        ExprKind::Index { base, index } => [base, index].into_iter().for_each(|e| visit(e)),
        ExprKind::Slice { base, from, to } => {
            visit(base);
            from.iter().chain(to).for_each(|e| visit(e));
        }
        ExprKind::Unary { operand, .. } | ExprKind::Not(operand) | ExprKind::IsNull { operand, .. } => {
            visit(operand);
        }
        ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|e| visit(e)),
        ExprKind::Chain { first, rest } => {
            visit(first);
            rest.iter().for_each(|part| visit(&part.right));
        }
        ExprKind::Comparison { first, rest } => {
            visit(first);
            rest.iter().for_each(|part| visit(&part.right));
        }
        ExprKind::Case(case) => {
            case.subject.iter().for_each(&mut *visit);
            for arm in &case.arms {
                arm.when.iter().for_each(&mut *visit);
                visit(&arm.then);
            }
            case.default.iter().for_each(visit);
        }
        ExprKind::Function(call) => call.arguments.iter().for_each(visit),
        ExprKind::ListComprehension(c) => {
            visit(&c.list);
            c.predicate.iter().chain(&c.value).for_each(visit);
        }
        ExprKind::Quantifier(q) => {
            visit(&q.list);
            q.predicate.iter().for_each(visit);
        }
        ExprKind::Reduce(r) => [&r.init, &r.list, &r.body].into_iter().for_each(visit),
        ExprKind::MapProjection(p) => {
            for item in &p.items {
                if let MapProjectionItem::Entry(entry) = item {
                    visit(&entry.value);
                }
            }
        }
    }
}

/// Whether `test` holds for the expression or one within it.
fn any(expr: &Expr, is_wanted: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = is_wanted(expr);
    if !found {
        for_each_child(expr, &mut |child| found = found || any(child, is_wanted));
    }
    found
}

/// The aggregate that a call is, if it is one.
pub(super) fn aggregate_kind(call: &FunctionCall) -> Option<AggregateKind> {
    use AggregateKind as K;
    let [name] = call.name.parts.as_slice() else { return None };
    Some(match name.to_ascii_lowercase().as_str() {
        "count" => K::Count,
        "sum" => K::Sum,
        "avg" => K::Avg,
        "min" => K::Min,
        "max" => K::Max,
        "collect" => K::Collect,
        "stdev" => K::StDev,
        "stdevp" => K::StDevP,
        "percentilecont" => K::PercentileCont,
        "percentiledisc" => K::PercentileDisc,
        _ => return None,
    })
}

/// The names of the aggregates, for suggestions.
pub(super) const AGGREGATES: &[&str] =
    &["count", "sum", "avg", "min", "max", "collect", "stDev", "stDevP", "percentileCont", "percentileDisc"];

/// Whether the expression is an aggregate itself.
pub(super) fn is_aggregate(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::CountStar => true,
        ExprKind::Function(call) => aggregate_kind(call).is_some(),
        _ => false,
    }
}

/// Whether the expression contains an aggregate or is one. Those of subqueries are their own.
pub(super) fn aggregates(expr: &Expr) -> bool {
    any(expr, &is_aggregate)
}

/// Whether the expression contains a subquery or pattern.
pub(super) fn has_subquery(expr: &Expr) -> bool {
    any(expr, &|e| {
        matches!(
            e.kind,
            ExprKind::PatternComprehension(_)
                | ExprKind::Pattern(_)
                | ExprKind::ShortestPath(_)
                | ExprKind::Subquery(_)
        )
    })
}

/// Whether the value differs from call to call.
pub(super) fn is_random(expr: &Expr) -> bool {
    any(expr, &|e| match &e.kind {
        ExprKind::Function(call) => match call.name.parts.as_slice() {
            [name] => name.eq_ignore_ascii_case("rand") || name.eq_ignore_ascii_case("randomuuid"),
            _ => false,
        },
        _ => false,
    })
}

/// Whether the expression is a variable or a property of one: what may be used with an aggregate.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Variable(_) => true,
        ExprKind::Property { base, .. } => matches!(base.kind, ExprKind::Variable(_)),
        _ => false,
    }
}
