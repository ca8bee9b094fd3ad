//! Notices: names of labels, types and properties that nothing in the graph has.
//!
//! Such names are legal and match nothing, so a slip of the pen is an empty answer. Binding notes each name
//! where it looks one up; at the end the first [`NOTICES_MAX`] become texts with suggestions. An empty graph
//! gives none: every name would be unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{Notice, Span};
use trimorph_catalog::{Catalog, Names};
use trimorph_types::LogicalType;

use super::Binder;
use super::check_types::Type;
use super::report::{Bound, suggest};
use crate::ast::{LabelExpr, LabelExprKind};

/// Notices of one query.
const NOTICES_MAX: usize = 10;

/// What a name is the name of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Named {
    Label,
    Type,
    Property,
}

impl Named {
    /// The names there are.
    fn known(self, catalog: &Catalog) -> &Names {
        match self {
            Self::Label => &catalog.labels,
            Self::Type => &catalog.types,
            Self::Property => &catalog.properties,
        }
    }

    fn notice(self, name: &str, span: Span, catalog: &Catalog) -> Notice {
        let (detail, nobody) = match self {
            Self::Label => ("UnknownLabel", "no node has the label"),
            Self::Type => ("UnknownRelationshipType", "no relationship has the type"),
            Self::Property => ("UnknownProperty", "no node or relationship has the property"),
        };
        let hint = suggest(name, self.known(catalog).iter().map(AsRef::as_ref));
        Notice { detail, primary: format!("{nobody} \"{name}\""), hint, span }
    }
}

/// Unknown names, each with the first place it stands at.
#[derive(Default)]
pub(super) struct Unknown(BTreeMap<(Named, Arc<str>), Span>);

impl Unknown {
    fn add(&mut self, what: Named, name: Arc<str>, span: Span) {
        let first = self.0.entry((what, name)).or_insert(span);
        *first = if span.start < first.start { span } else { *first };
    }

    /// The notices in the order of the text.
    pub(super) fn into_notices(self, catalog: &Catalog) -> Vec<Notice> {
        let mut names: Vec<_> = self.0.into_iter().collect();
        names.sort_by_key(|(_, span)| span.start);
        names.truncate(NOTICES_MAX);
        names.into_iter().map(|((what, name), span)| what.notice(&name, span, catalog)).collect()
    }
}

impl Binder<'_> {
    /// Notes the labels of a node, or types of a relationship, that are unknown.
    pub(super) fn note_labels(&mut self, labels: &LabelExpr, what: Named) -> Bound<()> {
        match &labels.kind {
            LabelExprKind::Any => Ok(()),
            LabelExprKind::Not(inner) => self.note_labels(inner, what),
            LabelExprKind::And(parts) | LabelExprKind::Or(parts) => {
                parts.iter().try_for_each(|part| self.note_labels(part, what))
            }
            LabelExprKind::Name(name) => {
                let full = self.full_name(name)?;
                self.note(what, full, name.span);
                Ok(())
            }
        }
    }

    /// Notes a property that is unknown. What may be a map or a value of time has keys that no catalog knows.
    pub(super) fn note_property(&mut self, of: Type, key: &Arc<str>, span: Span) {
        if matches!(of.is, LogicalType::Node | LogicalType::Relationship) {
            self.note(Named::Property, Arc::clone(key), span);
        }
    }

    fn note(&mut self, what: Named, name: Arc<str>, span: Span) {
        let is_empty = self.catalog.node_tables.is_empty();
        if !is_empty && what.known(self.catalog).id(&name).is_none() {
            self.unknown.add(what, name, span);
        }
    }
}
