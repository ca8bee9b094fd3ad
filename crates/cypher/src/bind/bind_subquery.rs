//! Subqueries within expressions: patterns, `EXISTS`, `COUNT`, `COLLECT`, pattern comprehensions, shortest
//! paths.
//!
//! Each becomes an `Apply` below the operator of the expression, and a variable in the expression.

use trimorph_algebra::{ApplyKind, Expr, Plan, QueryGraph, VarId};
use trimorph_base::Span;
use trimorph_types::LogicalType;

use super::bind_expression::Typed;
use super::bind_query::Origin;
use super::check_types::Type;
use super::context::{Context, Hoist};
use super::report::{Bound, semantic, too_complex};
use super::trim_argument::trim;
use super::{Binder, OPERATORS_MAX};
use crate::ast::{self, PathSearch, SubqueryBody, SubqueryKind};

impl<'q> Binder<'q> {
    /// `(a)-->(b)` as a predicate. It binds no new variables.
    #[inline(never)]
    pub(super) fn pattern_predicate(
        &mut self,
        path: &'q ast::PathPattern,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let outer = cx.visible();
        let argument = Plan::Argument(Vec::new());
        let part = self.matched(argument, &outer, std::slice::from_ref(path), None, false)?;
        let expr = self.hoist(part.plan, &outer.vars(), None, Type::BOOL, cx, |v, _| ApplyKind::Mark(v))?;
        Ok(Typed::new(expr, Type::BOOL))
    }

    /// `[pattern WHERE predicate | value]`, or how long that list is.
    #[inline(never)]
    pub(super) fn pattern_comprehension(
        &mut self,
        c: &'q ast::PatternComprehension,
        count: bool,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let outer = cx.visible();
        let argument = Plan::Argument(Vec::new());
        let paths = std::slice::from_ref(&c.path);
        let part = self.matched(argument, &outer, paths, c.predicate.as_ref(), true)?;
        let (value, hoists) = self.row_expression(&c.value, &part.scope)?;
        if count {
            let ty = Type::of(LogicalType::Int);
            let expr = self.hoist(part.plan, &outer.vars(), None, ty, cx, |v, _| ApplyKind::Count(v))?;
            return Ok(Typed::new(expr, ty));
        }
        let plan = self.apply(part.plan, hoists)?;
        let ty = Type::list(value.ty.is);
        let expr = self.hoist(plan, &outer.vars(), Some(value.expr), ty, cx, |v, value| {
            ApplyKind::Collect(v, value.unwrap_or_else(Expr::truth))
        })?;
        Ok(Typed::new(expr, ty))
    }

    /// `shortestPath(…)` and `allShortestPaths(…)` as values.
    #[inline(never)]
    pub(super) fn shortest_path_value(
        &mut self,
        path: &'q ast::PathPattern,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let outer = cx.visible();
        let argument = Plan::Argument(Vec::new());
        let mut part = self.matched(argument, &outer, std::slice::from_ref(path), None, false)?;
        let var = graph_of(&mut part.plan).and_then(|graph| self.name_path(graph));
        let value = var.map_or_else(Expr::truth, Expr::Var);
        let ty = Type::list(LogicalType::Path);
        let expr = self.hoist(part.plan, &outer.vars(), Some(value), ty, cx, |v, value| {
            ApplyKind::Collect(v, value.unwrap_or_else(Expr::truth))
        })?;
        if path.search == PathSearch::AllShortest {
            return Ok(Typed::new(expr, ty));
        }
        Ok(Typed::new(Expr::Call("head".into(), vec![expr], path.span), ty.item()))
    }

    /// `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`, or how long that list is.
    #[inline(never)]
    pub(super) fn subquery(
        &mut self,
        subquery: &'q ast::Subquery,
        count: bool,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let outer = cx.visible();
        let (plan, columns) = match &subquery.body {
            SubqueryBody::Pattern { pattern, predicate } => {
                let argument = Plan::Argument(Vec::new());
                let part = self.matched(argument, &outer, pattern, predicate.as_ref(), true)?;
                (part.plan, None)
            }
            SubqueryBody::Query(query) => self.query(query, Origin::Expression(&outer))?,
        };
        if plan.updates() {
            let primary = "a subquery within an expression cannot change the graph";
            return Err(semantic("InvalidClauseComposition", primary, span));
        }
        let vars = outer.vars();
        match subquery.kind {
            SubqueryKind::Exists => {
                let expr = self.hoist(plan, &vars, None, Type::BOOL, cx, |v, _| ApplyKind::Mark(v))?;
                Ok(Typed::new(expr, Type::BOOL))
            }
            SubqueryKind::Count => {
                let ty = Type::of(LogicalType::Int);
                let expr = self.hoist(plan, &vars, None, ty, cx, |v, _| ApplyKind::Count(v))?;
                Ok(Typed::new(expr, ty))
            }
            SubqueryKind::Collect => {
                let Some([(_, column)]) = columns.as_deref() else {
                    let primary = "COLLECT { … } must return exactly one column";
                    return Err(semantic("InvalidSubquery", primary, span));
                };
                if count {
                    let ty = Type::of(LogicalType::Int);
                    let expr = self.hoist(plan, &vars, None, ty, cx, |v, _| ApplyKind::Count(v))?;
                    return Ok(Typed::new(expr, ty));
                }
                let ty = Type::list(self.type_of(*column).is);
                let value = Some(Expr::Var(*column));
                let expr = self.hoist(plan, &vars, value, ty, cx, |v, value| {
                    ApplyKind::Collect(v, value.unwrap_or_else(Expr::truth))
                })?;
                Ok(Typed::new(expr, ty))
            }
        }
    }

    /// Has a subplan computed below the expression's operator; gives the variable of its result.
    pub(super) fn hoist(
        &mut self,
        subplan: Plan,
        visible: &[VarId],
        value: Option<Expr>,
        ty: Type,
        cx: &mut Context<'q>,
        kind: impl FnOnce(VarId, Option<Expr>) -> ApplyKind,
    ) -> Bound<Expr> {
        if cx.hoists.len() >= OPERATORS_MAX {
            return Err(too_complex("an expression has too many subqueries", "split the query"));
        }
        let var = self.anonymous(ty);
        let (subplan, arguments) = trim(subplan, visible, value.as_ref());
        cx.hoists.push(Hoist { subplan, kind: kind(var, value), arguments });
        Ok(Expr::Var(var))
    }

    /// The plan with subqueries computed on top of it.
    pub(super) fn apply(&mut self, mut plan: Plan, hoists: Vec<Hoist>) -> Bound<Plan> {
        for Hoist { subplan, kind, .. } in hoists {
            plan = self.grow(Plan::Apply { input: Box::new(plan), subplan: Box::new(subplan), kind })?;
        }
        Ok(plan)
    }
}

/// The query graph under the conditions on it.
fn graph_of(plan: &mut Plan) -> Option<&mut QueryGraph> {
    match plan {
        Plan::Match { graph, .. } => Some(graph),
        Plan::Filter { input, .. } | Plan::Apply { input, .. } => graph_of(input),
        _ => None,
    }
}
