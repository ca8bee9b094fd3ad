//! Lists: literals, elements, slices, comprehensions, quantifiers and `reduce`.

use std::sync::Arc;

use trimorph_algebra::{ApplyKind, Expr, Op, QuantifierKind, VarId};
use trimorph_base::Span;
use trimorph_types::{LogicalType, Value};

use super::Binder;
use super::bind_expression::Typed;
use super::check_types::{Type, expect, expect_predicate};
use super::context::Context;
use super::report::Bound;
use super::walk_expression::has_subquery;
use crate::ast;

impl<'q> Binder<'q> {
    #[inline(never)]
    pub(super) fn list(&mut self, items: &'q [ast::Expr], cx: &mut Context<'q>) -> Bound<Typed> {
        let mut bound = Vec::with_capacity(items.len());
        let mut element: Option<Type> = None;
        for item in items {
            let item = self.expression(item, cx)?;
            if !item.is_null() {
                element = Some(element.map_or(item.ty, |known| known.or(item.ty)));
            }
            bound.push(item.expr);
        }
        let element = element.map_or(LogicalType::Any, |ty| ty.is);
        Ok(Typed::new(Expr::List(bound), Type::list(element)))
    }

    #[inline(never)]
    pub(super) fn index(
        &mut self,
        base: &'q ast::Expr,
        index: &'q ast::Expr,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let base = self.expression(base, cx)?;
        let place = index.span;
        let index = self.expression(index, cx)?;
        if let Expr::Const(Value::String(key)) = &index.expr {
            self.note_property(base.ty, key, place);
            if let LogicalType::Node | LogicalType::Relationship = base.ty.is {
                let property = Expr::Property(Box::new(base.expr), Arc::from(&**key), span);
                return Ok(Typed::new(property, Type::ANY));
            }
        }
        Ok(Typed::new(Expr::Op(Op::Index, vec![base.expr, index.expr], span), base.ty.item()))
    }

    /// An absent bound is the first or the last possible position; a null one makes the slice null.
    #[inline(never)]
    pub(super) fn slice_of(
        &mut self,
        base: &'q ast::Expr,
        from: Option<&'q ast::Expr>,
        to: Option<&'q ast::Expr>,
        span: Span,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let base = self.expression(base, cx)?;
        let from = self.bound_or(from, 0, cx)?;
        let to = self.bound_or(to, i64::MAX, cx)?;
        Ok(Typed::new(Expr::Op(Op::Slice, vec![base.expr, from, to], span), base.ty))
    }

    fn bound_or(&mut self, bound: Option<&'q ast::Expr>, default: i64, cx: &mut Context<'q>) -> Bound<Expr> {
        match bound {
            Some(bound) => Ok(self.expression(bound, cx)?.expr),
            None => Ok(Expr::Const(Value::Int(default))),
        }
    }

    #[inline(never)]
    pub(super) fn list_comprehension(
        &mut self,
        c: &'q ast::ListComprehension,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let list = self.list_of(&c.list, cx)?;
        if c.predicate.iter().chain(&c.value).any(has_subquery) {
            return self.unwound(list, &c.variable, c.predicate.as_ref(), c.value.as_ref(), cx);
        }
        let var = self.named(&c.variable.text, list.ty.item());
        cx.locals.push((&c.variable.text, var));
        let filter = c.predicate.as_ref().map(|p| self.predicate(p, cx)).transpose()?;
        let map = c.value.as_ref().map(|v| self.expression(v, cx)).transpose()?;
        cx.locals.pop();
        let element = map.as_ref().map_or(list.ty.element, |m| m.ty.is);
        let expr = Expr::ListComprehension {
            var,
            list: Box::new(list.expr),
            filter: filter.map(Box::new),
            map: map.map(|m| Box::new(m.expr)),
        };
        Ok(Typed::new(expr, Type::list(element)))
    }

    #[inline(never)]
    pub(super) fn quantifier(&mut self, q: &'q ast::Quantifier, cx: &mut Context<'q>) -> Bound<Typed> {
        let kind = match q.kind {
            ast::QuantifierKind::All => QuantifierKind::All,
            ast::QuantifierKind::Any => QuantifierKind::Any,
            ast::QuantifierKind::None => QuantifierKind::None,
            ast::QuantifierKind::Single => QuantifierKind::Single,
        };
        let list = self.list_of(&q.list, cx)?;
        if let Some(predicate) = q.predicate.as_ref().filter(|p| has_subquery(p)) {
            let truths = self.unwound(list, &q.variable, None, Some(predicate), cx)?;
            expect(truths.ty.item(), &[LogicalType::Bool], "the predicate", predicate.span)?;
            let var = self.anonymous(Type::BOOL);
            return Ok(quantified(kind, var, truths.expr, Expr::Var(var)));
        }
        let var = self.named(&q.variable.text, list.ty.item());
        cx.locals.push((&q.variable.text, var));
        let predicate = match &q.predicate {
            Some(predicate) => self.predicate(predicate, cx)?,
            None => Expr::Var(var),
        };
        cx.locals.pop();
        Ok(quantified(kind, var, list.expr, predicate))
    }

    #[inline(never)]
    pub(super) fn reduce(&mut self, r: &'q ast::Reduce, cx: &mut Context<'q>) -> Bound<Typed> {
        let init = self.expression(&r.init, cx)?;
        let list = self.list_of(&r.list, cx)?;
        let acc = self.named(&r.accumulator.text, Type::ANY);
        let var = self.named(&r.variable.text, list.ty.item());
        cx.locals.push((&r.accumulator.text, acc));
        cx.locals.push((&r.variable.text, var));
        let body = self.expression(&r.body, cx)?;
        cx.locals.truncate(cx.locals.len().saturating_sub(2));
        let expr = Expr::Reduce {
            acc,
            init: Box::new(init.expr),
            var,
            list: Box::new(list.expr),
            body: Box::new(body.expr),
        };
        Ok(Typed::new(expr, Type::ANY))
    }

    /// What a comprehension goes through.
    fn list_of(&mut self, list: &'q ast::Expr, cx: &mut Context<'q>) -> Bound<Typed> {
        let bound = self.expression(list, cx)?;
        expect(bound.ty, &[LogicalType::List], "what IN goes through", list.span)?;
        Ok(bound)
    }

    /// A predicate within an expression.
    pub(super) fn predicate(&mut self, predicate: &'q ast::Expr, cx: &mut Context<'q>) -> Bound<Expr> {
        let bound = self.expression(predicate, cx)?;
        expect_predicate(bound.ty, "a predicate", predicate.span)?;
        Ok(bound.expr)
    }

    /// A list comprehension whose body contains subqueries: `UNWIND`, filter and collect, for each row.
    fn unwound(
        &mut self,
        list: Typed,
        variable: &'q ast::Ident,
        predicate: Option<&'q ast::Expr>,
        value: Option<&'q ast::Expr>,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let source = self.copy(&list.expr)?;
        self.refuse_locals(&source, cx, variable.span)?;
        let var = self.named(&variable.text, list.ty.item());
        let outer = cx.visible();
        let mut scope = outer.clone();
        scope.insert(&variable.text, var);
        let mut arguments = outer.vars();
        source.free_vars(&mut arguments);

        let argument = Box::new(trimorph_algebra::Plan::Argument(Vec::new()));
        let plan = trimorph_algebra::Plan::Unwind { input: argument, list: source, var };
        let mut plan = self.grow(plan)?;
        if let Some(predicate) = predicate {
            plan = self.filter(plan, predicate, &scope)?;
        }
        let value = match value {
            Some(value) => {
                let (value, hoists) = self.row_expression(value, &scope)?;
                plan = self.apply(plan, hoists)?;
                value
            }
            None => self.var(var),
        };
        let ty = Type::list(value.ty.is);
        let collected = self.hoist(plan, &arguments, Some(value.expr), ty, cx, |v, value| {
            ApplyKind::Collect(v, value.unwrap_or_else(Expr::truth))
        })?;
        let is_null = Expr::op(Op::IsNull, vec![list.expr]);
        let branches = vec![(is_null, Expr::Const(Value::Null))];
        let expr = Expr::Case { branches, otherwise: Box::new(collected) };
        Ok(Typed::new(expr, ty))
    }

    /// A list that a subplan goes through cannot depend on variables that rows do not have.
    fn refuse_locals(&self, expr: &Expr, cx: &Context<'q>, span: Span) -> Bound<()> {
        let mut free = Vec::new();
        expr.free_vars(&mut free);
        match cx.locals.iter().find(|(_, var)| free.contains(var)) {
            Some((name, _)) => Err(super::bind_expression::local_in_subquery(name, span)),
            None => Ok(()),
        }
    }
}

fn quantified(kind: QuantifierKind, var: VarId, list: Expr, predicate: Expr) -> Typed {
    let expr = Expr::Quantifier { kind, var, list: Box::new(list), predicate: Box::new(predicate) };
    Typed::new(expr, Type::BOOL)
}
