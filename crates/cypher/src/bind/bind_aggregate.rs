//! Aggregates, and what may be used with them.
//!
//! An expression over groups sees the grouping keys only: as a whole where the key is a variable or a
//! property, as openCypher wants it; any other key used with an aggregate is an ambiguous aggregation
//! expression.

use trimorph_algebra::{Aggregate, AggregateKind, Expr};
use trimorph_base::Span;
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::{Typed, undefined};
use super::check_types::Type;
use super::context::{Aggregated, Context, Mode};
use super::report::{Bound, semantic, with_hint};
use super::walk_expression::{aggregate_kind, for_each_child, is_plain, is_random};
use crate::ast::{self, ExprKind};

impl<'q> Binder<'q> {
    /// The variable that holds an expression, if it is a key.
    pub(super) fn grouped(&mut self, expr: &'q ast::Expr, cx: &Context<'q>) -> Bound<Option<Typed>> {
        let Mode::Groups(grouping) = &cx.mode else { return Ok(None) };
        if let ExprKind::Variable(name) = &expr.kind
            && (cx.local(name).is_some() || cx.scope.get(name).is_some())
        {
            return Ok(None);
        }
        let Some(key) = grouping.key_indexes.find(expr).and_then(|index| grouping.keys.get(index)) else {
            return Ok(None);
        };
        if !cx.locals.is_empty() && uses(expr, &|name| cx.local(name).is_some()) {
            return Ok(None);
        }
        let ambiguous = grouping.mixed && !key.aggregates && !is_plain(expr);
        if ambiguous && uses(expr, &|_| true) {
            let primary = "an expression that is grouped by is used with an aggregate";
            let error = semantic("AmbiguousAggregationExpression", primary, expr.span);
            return Err(with_hint(error, "give it a name in a WITH first"));
        }
        Ok(Some(self.var(key.var)))
    }

    /// `count(*)` or the call of an aggregate.
    #[inline(never)]
    pub(super) fn aggregate(&mut self, expr: &'q ast::Expr, cx: &mut Context<'q>) -> Bound<Typed> {
        if let Mode::InAggregate = cx.mode {
            let primary = "an aggregate cannot stand within an aggregate";
            let error = semantic("NestedAggregation", primary, expr.span);
            return Err(with_hint(error, "compute the inner one in a WITH first"));
        }
        let Mode::Groups(grouping) = &mut cx.mode else { return Err(misplaced(expr.span)) };
        if !cx.locals.is_empty() || !grouping.may_aggregate {
            return Err(misplaced(expr.span));
        }
        if let Some(known) =
            grouping.aggregate_indexes.find(expr).and_then(|index| grouping.aggregates.get(index))
        {
            return Ok(self.var(known.var));
        }
        if grouping.after {
            check_visible(expr, &cx.scope)?;
        }
        let name = grouping.name.take();
        let mut rows = Context::rows(grouping.rows.clone());
        rows.mode = Mode::InAggregate;
        let (aggregate, ty) = self.aggregate_of(expr, &mut rows)?;
        grouping.below.extend(rows.hoists);
        let var = match name {
            Some(name) => self.named(&name, ty),
            None => self.anonymous(ty),
        };
        grouping.aggregates.push(Aggregated { var, aggregate });
        grouping.aggregate_indexes.add(Some(expr));
        Ok(self.var(var))
    }

    fn aggregate_of(&mut self, expr: &'q ast::Expr, cx: &mut Context<'q>) -> Bound<(Aggregate, Type)> {
        let ExprKind::Function(call) = &expr.kind else {
            let count = Aggregate {
                kind: AggregateKind::CountStar,
                arg: None,
                parameter: None,
                distinct: false,
                order: None,
                span: expr.span,
            };
            return Ok((count, Type::of(LogicalType::Int)));
        };
        let kind = aggregate_kind(call).unwrap_or(AggregateKind::Count);
        let wanted =
            1 + usize::from(matches!(kind, AggregateKind::PercentileCont | AggregateKind::PercentileDisc));
        let arguments = call.arguments.as_slice();
        if arguments.len() != wanted {
            return Err(self.wrong_count(&call.name, (wanted, wanted), arguments.len()));
        }
        if let Some(random) = arguments.iter().find(|a| is_random(a)) {
            let primary = "a random value cannot be aggregated";
            let error = semantic("NonConstantExpression", primary, random.span);
            return Err(with_hint(error, "compute it in a WITH first"));
        }
        let mut bound = Vec::with_capacity(wanted);
        for argument in arguments {
            bound.push(self.expression(argument, cx)?);
        }
        let mut bound = bound.into_iter();
        let arg = bound.next();
        let ty = aggregate_type(kind, arg.as_ref().map_or(Type::ANY, |a| a.ty));
        let parameter: Option<Expr> = bound.next().map(|p| p.expr);
        let arg = arg.map(|a| a.expr);
        Ok((Aggregate { kind, arg, parameter, distinct: call.distinct, order: None, span: expr.span }, ty))
    }
}

fn aggregate_type(kind: AggregateKind, arg: Type) -> Type {
    use AggregateKind as K;
    match kind {
        K::CountStar | K::Count => Type::of(LogicalType::Int),
        K::Collect => Type::list(arg.is),
        K::Min | K::Max => arg,
        K::Sum | K::NumberSum | K::Avg => Type::ANY,
        K::StDev | K::StDevP => Type::of(LogicalType::Float),
        K::PercentileCont => Type::of(LogicalType::Float),
        K::PercentileDisc => Type::ANY,
    }
}

fn misplaced(span: Span) -> Box<trimorph_base::Diagnostic> {
    let error = semantic("InvalidAggregation", "an aggregate cannot stand here", span);
    with_hint(error, "compute it in a WITH first")
}

/// Whether the expression uses a variable whose name `test` accepts.
fn uses(expr: &ast::Expr, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    let mut found = match &expr.kind {
        ExprKind::Variable(name) => is_wanted(name),
        ExprKind::MapProjection(p) => is_wanted(&p.subject.text),
        _ => false,
    };
    if !found {
        for_each_child(expr, &mut |child| found = found || uses(child, is_wanted));
    }
    found
}

/// An aggregate that only `ORDER BY` computes can only use what the projection lets through.
fn check_visible(expr: &ast::Expr, scope: &super::scope::Scope) -> Bound<()> {
    if let ExprKind::Variable(name) = &expr.kind
        && scope.get(name).is_none()
    {
        return Err(undefined(name, expr.span, scope.names()));
    }
    let mut result = Ok(());
    for_each_child(expr, &mut |child| {
        if result.is_ok() {
            result = check_visible(child, scope);
        }
    });
    result
}
