//! Notices: names of labels, types and properties that nothing in the graph has, comparisons that are never
//! true, and variables of a subquery that are not those around it.
//!
//! Such names are legal and match nothing, so a slip of the pen is an empty answer. Binding notes each name
//! where it looks one up (`note_names`); at the end the first [`NOTICES_MAX`] become texts with suggestions.
//! An empty graph gives none of these: every name would be unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{Notice, Span};
use trimorph_catalog::{CatalogView, NameKind};

use super::report::suggest;
use crate::ast::ComparisonOp;

/// Notices of one query.
const NOTICES_MAX: usize = 10;

fn notice(kind: NameKind, name: &str, span: Span, catalog: &CatalogView<'_>) -> Notice {
    let (detail, nobody) = match kind {
        NameKind::Label => ("UnknownLabel", "no node has the label"),
        NameKind::Type => ("UnknownRelationshipType", "no relationship has the type"),
        NameKind::Property => ("UnknownProperty", "no node or relationship has the property"),
    };
    let near = suggest(name, catalog.names(kind).iter().map(AsRef::as_ref));
    let hint = near.or_else(|| (kind == NameKind::Property).then(|| no_property(name)).flatten());
    Notice { detail, primary: format!("{nobody} \"{name}\""), hint, span }
}

/// What tells what a name sounds like that no property has.
fn no_property(name: &str) -> Option<String> {
    let instead = match name {
        "type" | "_type" => "write type(r) for the type of a relationship",
        "label" | "labels" | "_label" | "_labels" => "write labels(n) for the labels of a node",
        "id" | "_id" => "write id(n) for the number of a node or relationship",
        _ => return None,
    };
    Some(instead.to_owned())
}

/// What is legal and hardly meant.
#[derive(Default)]
pub(super) struct Odd {
    /// Unknown names, each with the first place it stands at.
    names: BTreeMap<(NameKind, Arc<str>), Span>,
    /// By where they stand: some expressions are bound more than once.
    nulls: BTreeMap<u32, (Span, &'static str)>,
    others: BTreeMap<u32, Notice>,
}

impl Odd {
    pub(super) fn add_name(&mut self, kind: NameKind, name: Arc<str>, span: Span) {
        let first = self.names.entry((kind, name)).or_insert(span);
        *first = if span.start < first.start { span } else { *first };
    }

    /// A comparison with the word `null`, and what to write instead.
    pub(super) fn add_null(&mut self, span: Span, instead: &'static str) {
        self.nulls.insert(span.start, (span, instead));
    }

    /// A comparison of durations by an order that they have not.
    pub(super) fn add_durations(&mut self, span: Span) {
        let primary = "durations have no order: this comparison is never true".to_owned();
        let hint = "compare duration.inSeconds(a, b).seconds, or a moment with another plus a duration";
        let notice = Notice { detail: "NeverTrue", primary, hint: Some(hint.to_owned()), span };
        self.others.insert(span.start, notice);
    }

    /// A variable of a subquery that has the name of one around it, which is not handed in.
    pub(super) fn add_shadowed(&mut self, name: &str, span: Span) {
        let primary = format!("\"{name}\" of the subquery is a new variable, not the one around it");
        let hint = Some(format!("write CALL ({name}) {{ … }} to hand it in"));
        self.others.insert(span.start, Notice { detail: "ShadowedVariable", primary, hint, span });
    }

    /// The notices in the order of the text.
    pub(super) fn into_notices(self, catalog: &CatalogView<'_>) -> Vec<Notice> {
        let mut names: Vec<_> = self.names.into_iter().collect();
        names.sort_by_key(|(_, span)| span.start);
        names.truncate(NOTICES_MAX);
        let names = names.into_iter().map(|((kind, name), span)| notice(kind, &name, span, catalog));
        let nulls = self.nulls.into_values().map(|(span, instead)| Notice {
            detail: "NeverTrue",
            primary: "a comparison with null is never true".to_owned(),
            hint: Some(format!("write {instead}")),
            span,
        });
        let mut all: Vec<_> = names.chain(nulls).chain(self.others.into_values()).collect();
        all.sort_by_key(|notice| notice.span.start);
        all.truncate(NOTICES_MAX);
        all
    }
}

/// What asks for null instead of a comparison with it.
pub(super) fn instead_of_null(op: ComparisonOp) -> &'static str {
    match op {
        ComparisonOp::NotEqual => "IS NOT NULL",
        _ => "IS NULL",
    }
}
