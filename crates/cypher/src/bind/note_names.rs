//! Takes names as binding meets them, notes those that nothing in the graph has.

use std::sync::Arc;

use trimorph_base::Span;
use trimorph_catalog::NameKind;
use trimorph_types::LogicalType;

use super::Binder;
use super::check_types::Type;
use super::report::Bound;
use crate::ast::{LabelExpr, LabelExprKind};

impl Binder<'_> {
    /// Notes the labels of a node, or types of a relationship, that are unknown.
    pub(super) fn note_labels(&mut self, labels: &LabelExpr, kind: NameKind) -> Bound<()> {
        match &labels.kind {
            LabelExprKind::Any => Ok(()),
            LabelExprKind::Not(inner) => self.note_labels(inner, kind),
            LabelExprKind::And(parts) | LabelExprKind::Or(parts) => {
                parts.iter().try_for_each(|part| self.note_labels(part, kind))
            }
            LabelExprKind::Name(name) => {
                let full = self.full_name(name)?;
                self.note(kind, full, name.span);
                Ok(())
            }
        }
    }

    /// Notes a property that is unknown. What may be a map or a value of time has keys that no catalog knows.
    pub(super) fn note_property(&mut self, of: Type, key: &Arc<str>, span: Span) {
        if matches!(of.is, LogicalType::Node | LogicalType::Relationship) {
            self.note(NameKind::Property, Arc::clone(key), span);
        }
    }

    fn note(&mut self, kind: NameKind, name: Arc<str>, span: Span) {
        if self.catalog.has_node_tables() && !self.catalog.is_known(kind, &name) {
            self.odd.add_name(kind, name, span);
        }
    }
}
