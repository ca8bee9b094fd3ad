//! `CASE`. The simple form becomes equalities.

use trimorph_algebra::{Expr, Op};
use trimorph_types::Value;

use super::Binder;
use super::bind_expression::Typed;
use super::bind_operator::balanced;
use super::check_types::Type;
use super::context::Context;
use super::report::Bound;
use crate::ast;

impl<'q> Binder<'q> {
    #[inline(never)]
    pub(super) fn case(&mut self, case: &'q ast::Case, cx: &mut Context<'q>) -> Bound<Typed> {
        let subject = case.subject.as_ref().map(|s| self.expression(s, cx)).transpose()?;
        let mut branches = Vec::with_capacity(case.arms.len());
        let mut ty: Option<Type> = None;
        let mut meet = |value: &Typed| {
            if !value.is_null() {
                ty = Some(ty.map_or(value.ty, |known| known.or(value.ty)));
            }
        };
        for arm in &case.arms {
            let mut fits = Vec::with_capacity(arm.when.len());
            for when in &arm.when {
                fits.push(match &subject {
                    Some(subject) => {
                        let value = self.expression(when, cx)?;
                        if value.is_null() {
                            self.odd.add_null(when.span, "CASE WHEN … IS NULL THEN …");
                        }
                        Expr::Op(Op::Eq, vec![self.copy(&subject.expr)?, value.expr], when.span)
                    }
                    None => self.predicate(when, cx)?,
                });
            }
            let when = balanced(Op::Or, fits);
            let then = self.expression(&arm.then, cx)?;
            meet(&then);
            branches.push((when, then.expr));
        }
        let otherwise = match &case.default {
            Some(default) => {
                let value = self.expression(default, cx)?;
                meet(&value);
                value.expr
            }
            None => Expr::Const(Value::Null),
        };
        let expr = Expr::Case { branches, otherwise: Box::new(otherwise) };
        Ok(Typed::new(expr, ty.unwrap_or(Type::ANY)))
    }
}
