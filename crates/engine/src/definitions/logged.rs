//! Definitions and operations of the log, each as the other.

use std::borrow::Cow;

use trimorph_catalog::{Definition, Rule, Schema, Subject};
use trimorph_log::Operation;
use trimorph_types::PropertyType;

/// The operation that makes a definition.
pub(crate) fn operation_of(definition: &Definition) -> Operation<'_> {
    let (kind, detail) = match &definition.rule {
        Rule::Index => (0, String::new()),
        Rule::Unique => (1, String::new()),
        Rule::Key => (2, String::new()),
        Rule::Exists => (3, String::new()),
        Rule::Typed(ty) => (4, ty.to_string()),
    };
    Operation::Defined {
        name: Cow::Borrowed(&definition.name),
        kind,
        detail: Cow::Owned(detail),
        subject: match definition.subject {
            Subject::Label(label) => trimorph_log::Subject::Nodes(label),
            Subject::Type(ty) => trimorph_log::Subject::Edges(ty),
        },
        properties: definition.properties.clone(),
    }
}

/// The definition that an operation makes; none if it is no such operation, or makes no sense.
pub(crate) fn definition_of(operation: &Operation<'_>, schema: &Schema) -> Option<Definition> {
    let Operation::Defined { name, kind, detail, subject, properties } = operation else { return None };
    let rule = match kind {
        0 => Rule::Index,
        1 => Rule::Unique,
        2 => Rule::Key,
        3 => Rule::Exists,
        4 => Rule::Typed(PropertyType::parse(detail).ok()?),
        _ => return None,
    };
    let subject = match subject {
        trimorph_log::Subject::Nodes(label) => Subject::Label(*label),
        trimorph_log::Subject::Edges(ty) => Subject::Type(*ty),
    };
    let definition = Definition { name: (**name).into(), subject, properties: properties.clone(), rule };
    schema.can_have(&definition).then_some(definition)
}
