//! Definitions, or open transactions, in; rows of `SHOW INDEXES`, `SHOW CONSTRAINTS` and `SHOW TRANSACTIONS`
//! out. Columns of the former have Neo4j's names.
//!
//! What `WHERE` and `YIELD` ask of the rows is asked by a query over them as a list: the text behind these
//! words stands in it as it is, so that what is wrong with it is told at its place.

use std::sync::Arc;

use trimorph_base::{CancelToken, Span};
use trimorph_catalog::{Catalog, Definition, Rule, Schema, Subject};
use trimorph_cypher::ast::{SchemaItem, Shown};
use trimorph_types::iri_names::ANY_LABEL;
use trimorph_types::{Duration, LogicalType, Map, Value};

use crate::Error;
use crate::commands::Answer;
use crate::connection::Connection;
use crate::params::Params;
use crate::quoted::quoted;
use crate::sessions::OpenTransaction;

/// The parameter that has the rows, and the variable that has one: names that nobody writes.
const ROWS: &str = " shown";

/// The columns of an answer, and whether they are shown where none are named.
type Columns = [(&'static str, LogicalType, bool)];

/// Of `SHOW INDEXES`.
const INDEXES: &Columns = &[
    ("name", LogicalType::String, true),
    ("type", LogicalType::String, true),
    ("entityType", LogicalType::String, true),
    ("labelsOrTypes", LogicalType::List, true),
    ("properties", LogicalType::List, true),
    ("owningConstraint", LogicalType::String, true),
    ("state", LogicalType::String, false),
    ("createStatement", LogicalType::String, false),
];

/// Of `SHOW CONSTRAINTS`.
const CONSTRAINTS: &Columns = &[
    ("name", LogicalType::String, true),
    ("type", LogicalType::String, true),
    ("entityType", LogicalType::String, true),
    ("labelsOrTypes", LogicalType::List, true),
    ("properties", LogicalType::List, true),
    ("propertyType", LogicalType::String, true),
    ("ownedIndex", LogicalType::String, false),
    ("createStatement", LogicalType::String, false),
];

/// The columns of `SHOW TRANSACTIONS`.
const TRANSACTIONS: &Columns = &[
    ("transaction", LogicalType::Int, true),
    ("isolation", LogicalType::String, true),
    ("age", LogicalType::Duration, true),
    ("status", LogicalType::String, true),
    ("statement", LogicalType::String, true),
    ("commitsPinned", LogicalType::Int, true),
];

/// The row of an open transaction.
fn transaction_row(one: OpenTransaction) -> Vec<Value> {
    let seconds = i64::try_from(one.age.as_secs()).unwrap_or(i64::MAX);
    let age = Duration::normalized(0, 0, seconds, i64::from(one.age.subsec_nanos()));
    vec![
        Value::Int(one.number.cast_signed()),
        Value::String(one.isolation.name().into()),
        age.map_or(Value::Null, Value::Duration),
        Value::String(if one.is_running { "running" } else { "idle" }.into()),
        Value::String(one.statement),
        Value::Int(i64::try_from(one.commits_pinned).unwrap_or(i64::MAX)),
    ]
}

fn columns_of(item: SchemaItem) -> &'static Columns {
    match item {
        SchemaItem::Index => INDEXES,
        SchemaItem::Constraint => CONSTRAINTS,
    }
}

impl Connection {
    /// The answer to `SHOW`.
    ///
    /// **Errors**: what is wrong with what is asked of the rows.
    pub(super) fn show(
        &self,
        item: SchemaItem,
        how: Option<&Shown>,
        of: (&str, &Params),
        cancel: &CancelToken,
    ) -> Result<Answer, Error> {
        let rows = rows(item, self.shared().base().catalog());
        self.shown_rows(columns_of(item), rows, how, of, cancel)
    }

    /// The answer to `SHOW TRANSACTIONS`.
    ///
    /// **Errors**: as [`Self::show`].
    pub(super) fn show_transactions(
        &self,
        how: Option<&Shown>,
        of: (&str, &Params),
        cancel: &CancelToken,
    ) -> Result<Answer, Error> {
        let rows = self.transactions().into_iter().map(transaction_row).collect();
        self.shown_rows(TRANSACTIONS, rows, how, of, cancel)
    }

    fn shown_rows(
        &self,
        columns: &Columns,
        rows: Vec<Vec<Value>>,
        how: Option<&Shown>,
        (text, params): (&str, &Params),
        cancel: &CancelToken,
    ) -> Result<Answer, Error> {
        let Some(how) = how else {
            let shown = columns.iter().filter(|(.., is_shown)| *is_shown);
            let names: Vec<(&str, LogicalType)> = shown.map(|(name, ty, _)| (*name, *ty)).collect();
            // Those that are shown come first.
            return Ok(Answer::table(&names, rows));
        };
        let (query, moved) = query_of(columns, how, text);
        let of_row = |row: Vec<Value>| {
            let named = columns.iter().map(|(name, ..)| Arc::from(*name)).zip(row);
            Value::Map(Arc::new(named.collect::<Map>().into()))
        };
        let mut params = params.clone();
        params.insert(ROWS.into(), Value::list(rows.into_iter().map(of_row).collect()));
        self.ask(&query, params, cancel).map_err(|error| match error {
            Error::Query { diagnostic, .. } => {
                let back = |at: u32| at.saturating_sub(moved.0).saturating_add(moved.1);
                let place = |span: Span| Span::new(back(span.start), back(span.end));
                let span = diagnostic.span.map(place);
                Error::query(trimorph_base::Diagnostic { span, ..*diagnostic }, text)
            }
            other => other,
        })
    }

    /// The answer to a query, all of it.
    fn ask(&self, query: &str, params: Params, cancel: &CancelToken) -> Result<Answer, Error> {
        let mut result = self.execute_until(query, Arc::new(params), cancel.clone())?;
        let names: Vec<String> = result.columns().to_vec();
        let mut rows = Vec::new();
        while let Some(row) = result.next_row()? {
            rows.push(row);
        }
        let columns: Vec<(&str, LogicalType)> =
            names.iter().map(|name| (name.as_str(), LogicalType::Any)).collect();
        Ok(Answer::table(&columns, rows))
    }
}

/// The query that asks of rows what a statement does, and where what is written begins in it and in the
/// statement.
fn query_of(columns: &Columns, how: &Shown, text: &str) -> (String, (u32, u32)) {
    let end = text.trim_end().trim_end_matches(';').len();
    let all: Vec<String> = columns.iter().map(|(name, ..)| format!("`{ROWS}`.{name} AS {name}")).collect();
    let mut query = format!("UNWIND $`{ROWS}` AS `{ROWS}` WITH {} ", all.join(", "));
    let names = |shown_only: bool| {
        let shown = columns.iter().filter(|(.., is_shown)| *is_shown || !shown_only);
        shown.map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>().join(", ")
    };
    let (start, rest) = match how {
        Shown::Where { start } => (*start, format!(" RETURN {}", names(true))),
        Shown::Yield { start, names: yielded, returns } => {
            query.push_str("WITH ");
            let own = yielded.iter().map(|name| format!("`{}`", name.text.replace('`', "``")));
            let rest = match yielded.is_empty() {
                true => names(false),
                false => own.collect::<Vec<_>>().join(", "),
            };
            (*start, if *returns { String::new() } else { format!(" RETURN {rest}") })
        }
    };
    // Statements are shorter than 64 KiB.
    let begins = u32::try_from(query.len()).unwrap_or(u32::MAX);
    query.push_str(text.get(start as usize..end).unwrap_or_default());
    query.push_str(&rest);
    (query, (begins, start))
}

/// The rows, with all columns.
fn rows(item: SchemaItem, catalog: &Catalog) -> Vec<Vec<Value>> {
    let (schema, definitions) = (&catalog.schema, catalog.definitions.iter());
    match item {
        SchemaItem::Index => {
            let indexes = definitions.filter(|one| one.rule.is_indexed());
            let rows = indexes.map(|one| {
                let owner = one.rule != Rule::Index;
                let mut row = row(one, "RANGE", schema);
                row.push(if owner { text(&one.name) } else { Value::Null });
                row.push(Value::string("ONLINE"));
                row.push(Value::string(statement(one, schema)));
                row
            });
            rows.collect()
        }
        SchemaItem::Constraint => {
            let constraints = definitions.filter(|one| one.rule != Rule::Index);
            let rows = constraints.map(|one| {
                let mut row = row(one, kind(one), schema);
                row.push(match &one.rule {
                    Rule::Typed(ty) => Value::string(ty.to_string()),
                    _ => Value::Null,
                });
                row.push(if one.rule.is_indexed() { text(&one.name) } else { Value::Null });
                row.push(Value::string(statement(one, schema)));
                row
            });
            rows.collect()
        }
    }
}

/// The statement that makes a definition.
fn statement(one: &Definition, schema: &Schema) -> String {
    let (name, subject) = (quoted(&one.name), quoted(&subject_name(one, schema)));
    let entity = match one.subject {
        Subject::Label(_) if is_of_all(one, schema) => "(n)".to_owned(),
        Subject::Label(_) => format!("(n:{subject})"),
        Subject::Type(_) => format!("()-[n:{subject}]-()"),
    };
    let properties = one.properties.iter().map(|id| format!("n.{}", quoted(&schema.property_name(*id))));
    let properties = properties.collect::<Vec<_>>().join(", ");
    let word = if one.label().is_some() { "NODE" } else { "RELATIONSHIP" };
    let rule = match &one.rule {
        Rule::Index => return format!("CREATE RANGE INDEX {name} FOR {entity} ON ({properties})"),
        Rule::Unique => "UNIQUE".to_owned(),
        Rule::Key => format!("{word} KEY"),
        Rule::Exists => "NOT NULL".to_owned(),
        Rule::Typed(ty) => format!(":: {ty}"),
    };
    format!("CREATE CONSTRAINT {name} FOR {entity} REQUIRE ({properties}) IS {rule}")
}

/// Name, type, and what it is about.
fn row(one: &Definition, kind: &str, schema: &Schema) -> Vec<Value> {
    let properties = one.properties.iter().map(|id| text(&schema.property_name(*id)));
    let entity = if one.label().is_some() { "NODE" } else { "RELATIONSHIP" };
    vec![
        text(&one.name),
        Value::string(kind),
        Value::string(entity),
        Value::list(match is_of_all(one, schema) {
            true => Vec::new(),
            false => vec![text(&subject_name(one, schema))],
        }),
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

/// Whether it is about all nodes.
fn is_of_all(one: &Definition, schema: &Schema) -> bool {
    one.label().is_some() && *subject_name(one, schema) == *ANY_LABEL
}

/// The label or type that a definition is about.
pub(super) fn subject_name(one: &Definition, schema: &Schema) -> Arc<str> {
    let name = match one.subject {
        Subject::Label(label) => schema.labels.name(label.0.into()),
        Subject::Type(ty) => schema.types.name(ty.0.into()),
    };
    name.cloned().unwrap_or_else(|| "".into())
}
