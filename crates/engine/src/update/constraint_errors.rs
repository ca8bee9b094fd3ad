//! What is wrong with what was written: a definition and values in, an error out.

use std::sync::Arc;

use trimorph_base::{Diagnostic, ErrorKind, PropertyId};
use trimorph_catalog::{Definition, Rule, Schema};
use trimorph_store::Snapshot;
use trimorph_types::{Value, format_literal};

use crate::Entities;

pub(super) fn violated(primary: String, hint: &str) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::ConstraintValidationFailed, "ConstraintViolated", primary).hint(hint)
}

/// `(:Person) with email "a@b"`.
pub(super) fn described(definition: &Definition, values: &[Value], snapshot: &Snapshot) -> String {
    let schema = snapshot.schema();
    let entities = Entities::new(snapshot.clone());
    let one = |(id, value): (&PropertyId, &Value)| {
        format!("{} {}", schema.property_name(*id), format_literal(value, &entities))
    };
    definition.properties.iter().zip(values).map(one).collect::<Vec<_>>().join(" and ")
}

/// The properties of a definition, for a message.
pub(super) fn property_names(definition: &Definition, schema: &Schema) -> String {
    let names: Vec<Arc<str>> = definition.properties.iter().map(|id| schema.property_name(*id)).collect();
    names.join(", ")
}

pub(super) fn wrong_type(definition: &Definition, value: &Value, schema: &Schema) -> Diagnostic {
    let Rule::Typed(ty) = &definition.rule else { return violated("a wrong type".to_owned(), "") };
    let name = property_names(definition, schema);
    let text = format!(
        "property \"{name}\" must be of type {ty}, not {}: constraint \"{}\"",
        value.logical_type(),
        definition.name
    );
    violated(text, "convert the value, or drop the constraint")
}
