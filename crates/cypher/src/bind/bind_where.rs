//! Predicates of `WHERE`, split at `AND`.

use trimorph_algebra::{ApplyKind, Expr, Op, Plan, VarId};

use super::Binder;
use super::bind_operator::balanced;
use super::check_types::expect_predicate;
use super::context::{Context, Hoist};
use super::report::Bound;
use super::scope::Scope;
use crate::ast::{self, ExprKind, SubqueryKind};

/// One condition of a `WHERE`.
pub(super) enum Conjunct {
    /// A predicate over rows.
    Plain(Expr),
    /// A predicate that needs subqueries computed below.
    Hoisted(Vec<Hoist>, Expr),
    /// The subquery must have a row, or must not.
    Exists(Box<Hoist>),
}

impl Conjunct {
    /// Adds the variables that the condition uses, those of its own subqueries among them.
    pub(super) fn free_vars(&self, out: &mut Vec<VarId>) {
        match self {
            Self::Plain(expr) | Self::Hoisted(_, expr) => expr.for_each_free_var(&mut |v| out.push(v)),
            Self::Exists(_) => {}
        }
        self.hoists().iter().for_each(|hoist| out.extend(&hoist.arguments));
    }

    /// The subqueries it needs computed below.
    pub(super) fn hoists(&self) -> &[Hoist] {
        match self {
            Self::Plain(_) => &[],
            Self::Hoisted(hoists, _) => hoists,
            Self::Exists(hoist) => std::slice::from_ref(&**hoist),
        }
    }

    /// Whether the rows have more variables after it.
    pub(super) fn adds_variables(&self) -> bool {
        matches!(self, Self::Hoisted(..))
    }
}

impl<'q> Binder<'q> {
    /// The conditions of a predicate.
    pub(super) fn conjuncts(
        &mut self,
        predicate: &'q ast::Expr,
        cx: &mut Context<'q>,
        out: &mut Vec<Conjunct>,
    ) -> Bound<()> {
        match &predicate.kind {
            ExprKind::And(parts) => parts.iter().try_for_each(|part| self.conjuncts(part, cx, out)),
            ExprKind::Not(inner) if is_existence(inner) => self.existence(inner, true, cx, out),
            _ if is_existence(predicate) => self.existence(predicate, false, cx, out),
            _ => {
                let bound = self.expression(predicate, cx)?;
                expect_predicate(bound.ty, "a predicate", predicate.span)?;
                let hoists = cx.take_hoists();
                out.push(match hoists.is_empty() {
                    true => Conjunct::Plain(bound.expr),
                    false => Conjunct::Hoisted(hoists, bound.expr),
                });
                Ok(())
            }
        }
    }

    /// A condition that is a pattern or `EXISTS`, perhaps negated: a semi-join or an anti-join.
    fn existence(
        &mut self,
        condition: &'q ast::Expr,
        negated: bool,
        cx: &mut Context<'q>,
        out: &mut Vec<Conjunct>,
    ) -> Bound<()> {
        let mark = self.expression(condition, cx)?.expr;
        let kind = if negated { ApplyKind::Anti } else { ApplyKind::Semi };
        out.push(match cx.hoists.pop() {
            Some(hoist) => Conjunct::Exists(Box::new(Hoist { kind, ..hoist })),
            None if negated => Conjunct::Plain(Expr::Op(Op::Not, vec![mark], condition.span)),
            None => Conjunct::Plain(mark),
        });
        Ok(())
    }

    /// The plan's rows for which the predicate is true.
    pub(super) fn filter(&mut self, plan: Plan, predicate: &'q ast::Expr, scope: &Scope) -> Bound<Plan> {
        let mut conjuncts = Vec::new();
        let mut cx = Context::rows(scope.clone());
        self.conjuncts(predicate, &mut cx, &mut conjuncts)?;
        self.filter_by(plan, conjuncts)
    }

    /// The plan's rows that meet all conditions; the plain ones are looked at first.
    pub(super) fn filter_by(&mut self, mut plan: Plan, conjuncts: Vec<Conjunct>) -> Bound<Plan> {
        let mut plain = Vec::new();
        let mut others = Vec::new();
        for conjunct in conjuncts {
            match conjunct {
                Conjunct::Plain(expr) => plain.push(expr),
                other => others.push(other),
            }
        }
        if !plain.is_empty() {
            let predicate = balanced(Op::And, plain);
            plan = self.grow(Plan::Filter { input: Box::new(plan), predicate })?;
        }
        for conjunct in others {
            plan = match conjunct {
                Conjunct::Exists(hoist) => self.apply(plan, vec![*hoist])?,
                Conjunct::Hoisted(hoists, predicate) => {
                    let plan = self.apply(plan, hoists)?;
                    self.grow(Plan::Filter { input: Box::new(plan), predicate })?
                }
                Conjunct::Plain(predicate) => self.grow(Plan::Filter { input: Box::new(plan), predicate })?,
            };
        }
        Ok(plan)
    }
}

/// Whether the expression is a pattern, `EXISTS { … }` or `exists(pattern)`.
fn is_existence(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Pattern(_) => true,
        ExprKind::Subquery(subquery) => subquery.kind == SubqueryKind::Exists,
        ExprKind::Function(call) => match (call.name.parts.as_slice(), call.arguments.as_slice()) {
            ([name], [argument]) => {
                name.eq_ignore_ascii_case("exists") && matches!(argument.kind, ExprKind::Pattern(_))
            }
            _ => false,
        },
        _ => false,
    }
}
