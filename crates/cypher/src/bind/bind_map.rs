//! Maps: literals and projections.

use trimorph_algebra::Expr;
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::Typed;
use super::check_types::{Type, expect_properties};
use super::context::Context;
use super::report::Bound;
use crate::ast::{self, MapProjectionItem};

impl<'q> Binder<'q> {
    #[inline(never)]
    pub(super) fn map(&mut self, entries: &'q [ast::MapEntry], cx: &mut Context<'q>) -> Bound<Typed> {
        let mut bound = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.full_name(&entry.key)?;
            bound.push((key, self.expression(&entry.value, cx)?.expr));
        }
        Ok(Typed::new(Expr::Map(bound), Type::of(LogicalType::Map)))
    }

    /// `n {.*, .name, other, key: value}`.
    #[inline(never)]
    pub(super) fn map_projection(
        &mut self,
        projection: &'q ast::MapProjection,
        cx: &mut Context<'q>,
    ) -> Bound<Typed> {
        let subject = &projection.subject;
        let base = self.variable(&subject.text, subject.span, cx)?;
        expect_properties(base.ty, "*", subject.span)?;
        let mut all = false;
        let mut entries = Vec::with_capacity(projection.items.len());
        for item in &projection.items {
            match item {
                MapProjectionItem::All(_) => all = true,
                MapProjectionItem::Property(name) => {
                    let key = self.full_name(name)?;
                    self.note_property(base.ty, &key, name.span);
                    let value = Expr::Property(Box::new(base.expr.clone()), key.clone(), name.span);
                    entries.push((key, value));
                }
                MapProjectionItem::Variable(ident) => {
                    let value = self.variable(&ident.text, ident.span, cx)?;
                    entries.push((ident.text.as_str().into(), value.expr));
                }
                MapProjectionItem::Entry(entry) => {
                    let key = self.full_name(&entry.key)?;
                    entries.push((key, self.expression(&entry.value, cx)?.expr));
                }
            }
        }
        let expr = Expr::MapProjection { base: Box::new(base.expr), all, entries };
        Ok(Typed::new(expr, Type::of(LogicalType::Map)))
    }
}
