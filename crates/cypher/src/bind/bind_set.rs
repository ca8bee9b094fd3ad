//! `SET` and `REMOVE`: items in their order. An item that reads what an earlier one has set begins an update
//! of its own.

use std::collections::HashSet;
use std::sync::Arc;

use trimorph_algebra::{Change, Expr, Op, PropertyKey};
use trimorph_base::Span;
use trimorph_types::LogicalType;

use super::Binder;
use super::bind_expression::Typed;
use super::bind_update::Making;
use super::check_types::{Type, expect, expect_properties};
use super::context::Hoist;
use super::part::Part;
use super::report::{Bound, semantic};
use super::scope::Scope;
use crate::ast::{self, ExprKind, RemoveItem, SetItem};

/// What changes write.
#[derive(Default)]
struct Written {
    keys: HashSet<Arc<str>>,
    /// Keys that are not known before they are looked at.
    any_key: bool,
    labels: bool,
}

impl Written {
    fn of(changes: &[Change]) -> Self {
        let mut written = Self::default();
        for change in changes {
            match change {
                Change::SetProperty { key: PropertyKey::Name(key), .. } => {
                    written.keys.insert(Arc::clone(key));
                }
                Change::SetProperty { .. } | Change::SetProperties { .. } => written.any_key = true,
                Change::AddLabels { .. } | Change::RemoveLabels { .. } => written.labels = true,
                _ => {}
            }
        }
        written
    }

    fn some_key(&self) -> bool {
        self.any_key || !self.keys.is_empty()
    }

    /// Whether an expression may read something of it.
    fn is_read_by(&self, expr: &Expr) -> bool {
        let own = match expr {
            Expr::Property(_, key, _) => self.any_key || self.keys.contains(key),
            Expr::Op(Op::Index, ..) | Expr::MapProjection { .. } => self.some_key(),
            Expr::HasLabel(..) => self.labels,
            Expr::Call(name, ..) => match &**name {
                "properties" | "keys" => self.some_key(),
                "labels" => self.labels,
                _ => false,
            },
            _ => false,
        };
        let mut reads = own;
        expr.for_each_child(&mut |child| reads |= self.is_read_by(child));
        reads
    }
}

impl<'q> Binder<'q> {
    pub(super) fn set_clause(&mut self, part: Part, items: &'q [SetItem]) -> Bound<Part> {
        let Part { mut plan, scope } = part;
        for making in self.set_items(&scope, items)? {
            plan = self.updated(plan, making)?;
        }
        Ok(Part { plan, scope })
    }

    pub(super) fn remove_clause(&mut self, part: Part, items: &'q [RemoveItem]) -> Bound<Part> {
        let Part { mut plan, scope } = part;
        let mut makings = vec![Making::default()];
        for item in items {
            match item {
                RemoveItem::Property(target) => {
                    let value = Typed::new(Expr::Const(trimorph_types::Value::Null), Type::ANY);
                    self.set_property(&scope, target, (value, Vec::new()), &mut makings)?;
                }
                RemoveItem::Labels { variable, labels, .. } => {
                    let target = self.bound(variable, &scope)?;
                    expect(self.type_of(target), &[LogicalType::Node], "what loses labels", variable.span)?;
                    let labels = self.plain_labels(Some(labels))?;
                    last(&mut makings).push(Change::RemoveLabels { target, labels });
                }
            }
        }
        for making in makings {
            plan = self.updated(plan, taking_turns(making))?;
        }
        Ok(Part { plan, scope })
    }

    /// The updates that items become.
    pub(super) fn set_items(&mut self, scope: &Scope, items: &'q [SetItem]) -> Bound<Vec<Making>> {
        let mut makings = vec![Making::default()];
        for item in items {
            match item {
                SetItem::Property { target, value, .. } => {
                    let value = self.row_expression(value, scope)?;
                    self.set_property(scope, target, value, &mut makings)?;
                }
                SetItem::Replace { variable, value, span } => {
                    self.set_properties(scope, variable, value, (true, *span), &mut makings)?;
                }
                SetItem::Merge { variable, value, span } => {
                    self.set_properties(scope, variable, value, (false, *span), &mut makings)?;
                }
                SetItem::Labels { variable, labels, .. } => {
                    let target = self.bound(variable, scope)?;
                    expect(self.type_of(target), &[LogicalType::Node], "what gets labels", variable.span)?;
                    let labels = self.plain_labels(Some(labels))?;
                    last(&mut makings).push(Change::AddLabels { target, labels });
                }
            }
        }
        Ok(makings.into_iter().map(taking_turns).collect())
    }

    fn set_property(
        &mut self,
        scope: &Scope,
        target: &'q ast::Expr,
        (value, hoists): (Typed, Vec<Hoist>),
        makings: &mut Vec<Making>,
    ) -> Bound<()> {
        self.end_if_read(&value, &hoists, makings);
        let (base, key) = match &target.kind {
            ExprKind::Property { base, key } => (base, PropertyKey::Name(self.full_name(key)?)),
            ExprKind::Index { base, index } => {
                let (index, hoists) = self.row_expression(index, scope)?;
                self.end_if_read(&index, &hoists, makings);
                (base, PropertyKey::Var(self.value_var(index, hoists, last(makings))))
            }
            _ => return Err(semantic("InvalidSyntax", "a property is set by n.key = value", target.span)),
        };
        let (entity, more) = self.row_expression(base, scope)?;
        let named = if let PropertyKey::Name(key) = &key { key } else { "of that name" };
        expect_properties(entity.ty, named, target.span)?;
        self.end_if_read(&entity, &more, makings);
        let making = last(makings);
        let target = self.value_var(entity, more, making);
        let value = self.value_var(value, hoists, making);
        making.push(Change::SetProperty { target, key, value });
        Ok(())
    }

    fn set_properties(
        &mut self,
        scope: &Scope,
        variable: &ast::Ident,
        value: &'q ast::Expr,
        (replace, span): (bool, Span),
        makings: &mut Vec<Making>,
    ) -> Bound<()> {
        use LogicalType as L;
        let target = self.bound(variable, scope)?;
        let (value, hoists) = self.row_expression(value, scope)?;
        if !value.is_null() {
            expect(value.ty, &[L::Map, L::Node, L::Relationship], "what properties are copied from", span)?;
        }
        self.end_if_read(&value, &hoists, makings);
        // A node's properties are read when the change happens.
        let reads_entity = value.ty.may_be(&[L::Node, L::Relationship]);
        if reads_entity && Written::of(&last(makings).update.changes).some_key() {
            makings.push(Making::default());
        }
        let making = last(makings);
        let from = self.value_var(value, hoists, making);
        making.push(Change::SetProperties { target, from, replace });
        Ok(())
    }

    /// Begins a new update if a value reads what the current one sets.
    fn end_if_read(&self, value: &Typed, hoists: &[Hoist], makings: &mut Vec<Making>) {
        let written = Written::of(&last(makings).update.changes);
        let something = written.some_key() || written.labels;
        if written.is_read_by(&value.expr) || (something && !hoists.is_empty()) {
            makings.push(Making::default());
        }
    }
}

fn last(makings: &mut Vec<Making>) -> &mut Making {
    if makings.is_empty() {
        makings.push(Making::default());
    }
    let at = makings.len() - 1;
    &mut makings[at]
}

/// Says whether the values of an update may read what it sets.
fn taking_turns(mut making: Making) -> Making {
    let written = Written::of(&making.update.changes);
    let copies = making.update.changes.iter().any(|c| matches!(c, Change::SetProperties { .. }));
    making.update.takes_turns =
        copies || making.update.values.iter().any(|(_, value)| written.is_read_by(value));
    making
}

/// The keys that updates set; none where not all are known.
pub(super) fn keys_set(changes: &[Change]) -> Option<HashSet<Arc<str>>> {
    let written = Written::of(changes);
    (!written.any_key).then_some(written.keys)
}

/// Whether updates add or take labels.
pub(super) fn sets_labels(changes: &[Change]) -> bool {
    Written::of(changes).labels
}
