//! Label expressions.

use std::sync::Arc;

use trimorph_algebra::{Expr, LabelExpr, Op};
use trimorph_base::Span;
use trimorph_catalog::NameKind;
use trimorph_types::{LogicalType, Value};

use super::Binder;
use super::bind_expression::Typed;
use super::bind_operator::balanced;
use super::check_types::{Type, expect};
use super::context::Context;
use super::report::Bound;
use crate::ast::{self, LabelExprKind};

impl<'q> Binder<'q> {
    /// `n:Label` as a predicate.
    #[inline(never)]
    pub(super) fn label_predicate(
        &mut self,
        base: &'q ast::Expr,
        labels: &'q ast::LabelExpr,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let subject = self.expression(base, cx)?;
        let allowed = [LogicalType::Node, LogicalType::Relationship];
        expect(subject.ty, &allowed, "what is asked for its labels", base.span)?;
        match subject.ty {
            Type::NODE => self.note_labels(labels, NameKind::Label)?,
            Type::RELATIONSHIP => self.note_labels(labels, NameKind::Type)?,
            _ => {}
        }
        let expr = self.labels_of(&subject.expr, labels, subject.ty == Type::RELATIONSHIP)?;
        Ok(Typed::new(expr, Type::BOOL))
    }

    /// The condition that `subject` has these labels, or this type if it is a relationship.
    pub(super) fn labels_of(
        &mut self,
        subject: &Expr,
        labels: &ast::LabelExpr,
        relationship: bool,
    ) -> Bound<Expr> {
        if let Some(plain) = self.labels(labels, relationship)? {
            return Ok(Expr::HasLabel(Box::new(self.copy(subject)?), plain));
        }
        match &labels.kind {
            LabelExprKind::Any => has_any_label(self.copy(subject)?, labels.span),
            LabelExprKind::Not(inner) => {
                let inner = self.labels_of(subject, inner, relationship)?;
                Ok(Expr::Op(Op::Not, vec![inner], labels.span))
            }
            LabelExprKind::And(parts) | LabelExprKind::Or(parts) => {
                let op = if matches!(labels.kind, LabelExprKind::And(_)) { Op::And } else { Op::Or };
                let parts: Bound<Vec<Expr>> =
                    parts.iter().map(|p| self.labels_of(subject, p, relationship)).collect();
                Ok(balanced(op, parts?))
            }
            LabelExprKind::Name(name) => {
                let label = LabelExpr::Label(self.full_name(name)?);
                Ok(Expr::HasLabel(Box::new(self.copy(subject)?), label))
            }
        }
    }

    /// The algebra's label expression, or none if there is a `%` on a node, which it cannot say.
    pub(super) fn labels(&self, labels: &ast::LabelExpr, relationship: bool) -> Bound<Option<LabelExpr>> {
        Ok(match &labels.kind {
            LabelExprKind::Name(name) => Some(LabelExpr::Label(self.full_name(name)?)),
            // Every relationship has a type.
            LabelExprKind::Any => relationship.then_some(LabelExpr::True),
            LabelExprKind::Not(inner) => {
                self.labels(inner, relationship)?.map(|inner| LabelExpr::Not(Box::new(inner)))
            }
            LabelExprKind::And(parts) => (self.label_list(parts, relationship)?)
                .map(|parts| parts.into_iter().fold(LabelExpr::True, LabelExpr::and)),
            LabelExprKind::Or(parts) => self.label_list(parts, relationship)?.map(either),
        })
    }

    fn label_list(&self, parts: &[ast::LabelExpr], relationship: bool) -> Bound<Option<Vec<LabelExpr>>> {
        parts.iter().map(|part| self.labels(part, relationship)).collect()
    }

    /// The types of a relationship pattern if it names some, or none if it needs a condition.
    pub(super) fn type_names(&self, types: &ast::LabelExpr) -> Bound<Option<Vec<Arc<str>>>> {
        let Some(names) = types.disjunction() else { return Ok(None) };
        let mut types: Vec<Arc<str>> = Vec::with_capacity(names.len());
        for name in names {
            types.push(self.full_name(name)?);
        }
        types.sort();
        types.dedup();
        Ok(Some(types))
    }
}

/// The disjunction, as a tree of logarithmic height.
fn either(mut parts: Vec<LabelExpr>) -> LabelExpr {
    if parts.len() > 1 {
        let right = either(parts.split_off(parts.len() / 2));
        return LabelExpr::Or(Box::new(either(parts)), Box::new(right));
    }
    parts.pop().unwrap_or(LabelExpr::True)
}

/// `size(labels(n)) > 0`
fn has_any_label(subject: Expr, span: Span) -> Bound<Expr> {
    let labels = Expr::Call("labels".into(), vec![subject], span);
    let count = Expr::Call("size".into(), vec![labels], span);
    Ok(Expr::Op(Op::Gt, vec![count, Expr::Const(Value::Int(0))], span))
}
