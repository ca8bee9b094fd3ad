//! Notices: names of labels, types and properties that nothing in the graph has.
//!
//! Such names are legal and match nothing, so a slip of the pen is an empty answer. Binding notes each name
//! where it looks one up (`note_names`); at the end the first [`NOTICES_MAX`] become texts with suggestions.
//! An empty graph gives none: every name would be unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{Notice, Span};
use trimorph_catalog::{CatalogView, NameKind};

use super::report::suggest;

/// Notices of one query.
const NOTICES_MAX: usize = 10;

fn notice(kind: NameKind, name: &str, span: Span, catalog: &CatalogView<'_>) -> Notice {
    let (detail, nobody) = match kind {
        NameKind::Label => ("UnknownLabel", "no node has the label"),
        NameKind::Type => ("UnknownRelationshipType", "no relationship has the type"),
        NameKind::Property => ("UnknownProperty", "no node or relationship has the property"),
    };
    let hint = suggest(name, catalog.names(kind).iter().map(AsRef::as_ref));
    Notice { detail, primary: format!("{nobody} \"{name}\""), hint, span }
}

/// Unknown names, each with the first place it stands at.
#[derive(Default)]
pub(super) struct Unknown(BTreeMap<(NameKind, Arc<str>), Span>);

impl Unknown {
    pub(super) fn add(&mut self, kind: NameKind, name: Arc<str>, span: Span) {
        let first = self.0.entry((kind, name)).or_insert(span);
        *first = if span.start < first.start { span } else { *first };
    }

    /// The notices in the order of the text.
    pub(super) fn into_notices(self, catalog: &CatalogView<'_>) -> Vec<Notice> {
        let mut names: Vec<_> = self.0.into_iter().collect();
        names.sort_by_key(|(_, span)| span.start);
        names.truncate(NOTICES_MAX);
        names.into_iter().map(|((kind, name), span)| notice(kind, &name, span, catalog)).collect()
    }
}
