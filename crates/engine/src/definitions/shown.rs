//! Definitions in, rows of `SHOW INDEXES` and `SHOW CONSTRAINTS` out. Columns have Neo4j's names.

use std::sync::Arc;

use trimorph_catalog::{Catalog, Definition, Rule, Schema, Subject};
use trimorph_cypher::ast::SchemaItem;
use trimorph_types::{LogicalType, Value};

use crate::commands::Answer;

/// The answer to `SHOW`.
pub(super) fn answer(item: SchemaItem, catalog: &Catalog) -> Answer {
    let (schema, definitions) = (&catalog.schema, catalog.definitions.iter());
    match item {
        SchemaItem::Index => {
            let columns = [
                ("name", LogicalType::String),
                ("type", LogicalType::String),
                ("entityType", LogicalType::String),
                ("labelsOrTypes", LogicalType::List),
                ("properties", LogicalType::List),
                ("owningConstraint", LogicalType::String),
            ];
            let indexes = definitions.filter(|one| one.rule.is_indexed());
            let rows = indexes.map(|one| {
                let owner = one.rule != Rule::Index;
                let mut row = row(one, "RANGE", schema);
                row.push(if owner { text(&one.name) } else { Value::Null });
                row
            });
            Answer::table(&columns, rows.collect())
        }
        SchemaItem::Constraint => {
            let columns = [
                ("name", LogicalType::String),
                ("type", LogicalType::String),
                ("entityType", LogicalType::String),
                ("labelsOrTypes", LogicalType::List),
                ("properties", LogicalType::List),
                ("propertyType", LogicalType::String),
            ];
            let constraints = definitions.filter(|one| one.rule != Rule::Index);
            let rows = constraints.map(|one| {
                let mut row = row(one, kind(one), schema);
                row.push(match &one.rule {
                    Rule::Typed(ty) => Value::string(ty.to_string()),
                    _ => Value::Null,
                });
                row
            });
            Answer::table(&columns, rows.collect())
        }
    }
}

/// Name, type, and what it is about.
fn row(one: &Definition, kind: &str, schema: &Schema) -> Vec<Value> {
    let properties = one.properties.iter().map(|id| text(&schema.property_name(*id)));
    let entity = if one.label().is_some() { "NODE" } else { "RELATIONSHIP" };
    vec![
        text(&one.name),
        Value::string(kind),
        Value::string(entity),
        Value::list(vec![text(&subject_name(one, schema))]),
        Value::list(properties.collect()),
    ]
}

fn kind(one: &Definition) -> &'static str {
    match (&one.rule, one.subject) {
        (Rule::Index, _) => "RANGE",
        (Rule::Unique, Subject::Label(_)) => "UNIQUENESS",
        (Rule::Unique, Subject::Type(_)) => "RELATIONSHIP_UNIQUENESS",
        (Rule::Key, Subject::Label(_)) => "NODE_KEY",
        (Rule::Key, Subject::Type(_)) => "RELATIONSHIP_KEY",
        (Rule::Exists, Subject::Label(_)) => "NODE_PROPERTY_EXISTENCE",
        (Rule::Exists, Subject::Type(_)) => "RELATIONSHIP_PROPERTY_EXISTENCE",
        (Rule::Typed(_), Subject::Label(_)) => "NODE_PROPERTY_TYPE",
        (Rule::Typed(_), Subject::Type(_)) => "RELATIONSHIP_PROPERTY_TYPE",
    }
}

fn text(text: &Arc<str>) -> Value {
    Value::String(Arc::clone(text))
}

/// The label or type that a definition is about.
pub(super) fn subject_name(one: &Definition, schema: &Schema) -> Arc<str> {
    let name = match one.subject {
        Subject::Label(label) => schema.labels.name(label.0.into()),
        Subject::Type(ty) => schema.types.name(ty.0.into()),
    };
    name.cloned().unwrap_or_else(|| "".into())
}
