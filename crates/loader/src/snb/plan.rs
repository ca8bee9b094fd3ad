//! Entities in, files with plans out; tables are declared on the way.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use trimorph_base::nearest;
use trimorph_store::bulk::{BulkSink, EdgeSpec, NodeSpec};
use trimorph_types::LogicalType;

use super::discover::Entity;
use super::rules::{EDGES, EdgeRule, NODES, NodeRule};
use crate::LoadError;
use crate::csv::Dialect;
use crate::csv::header::read_head;
use crate::feed::CsvFile;
use crate::plan::{
    EdgeTable, FieldPlan, NodeTable, Nulls, Output, Parse, Route, Schema, SchemaBuilder, TablePlan,
};
use crate::source::Source;

/// A part and the names in its header.
struct Part<'a> {
    entity: &'a str,
    source: &'a Source,
    names: Vec<String>,
}

struct Tables {
    /// One per `NODES` rule and kind; one only where there are no kinds.
    nodes: Vec<Vec<NodeTable>>,
    edges: Vec<Option<EdgeTable>>,
    schema: Schema,
}

/// Declares the tables of `entities` to `sink` and says what to make of each part. `path` is for messages.
pub(crate) fn plan(
    path: &Path,
    entities: &[Entity],
    field_bytes_max: usize,
    sink: &impl BulkSink,
) -> Result<Vec<CsvFile>, LoadError> {
    let dialect = Dialect { delimiter: b'|', quote: b'"', field_bytes_max };
    let mut parts = Vec::new();
    for entity in entities {
        check_name(path, &entity.name)?;
        for source in &entity.parts {
            let head = read_head(source, dialect)?;
            check_distinct(source.path(), &head.names)?;
            parts.push(Part { entity: &entity.name, source, names: head.names });
        }
    }
    if parts.is_empty() {
        return Err(LoadError::format(path, "no LDBC SNB files found")
            .hint("give the directory that holds static/ and dynamic/"));
    }
    let tables = declare(path, &parts, sink)?;
    parts.sort_by_key(|part| rank(part.entity));
    parts
        .iter()
        .map(|part| {
            let plan = plan_part(part, &tables)?;
            Ok(CsvFile { source: part.source.clone(), plan: Arc::new(plan), dialect, has_header: true })
        })
        .collect()
}

/// Nodes first, in the order of the rules.
fn rank(entity: &str) -> usize {
    NODES
        .iter()
        .position(|rule| rule.entity == entity)
        .or_else(|| EDGES.iter().position(|rule| rule.file.0 == entity).map(|i| i + NODES.len()))
        .unwrap_or(usize::MAX)
}

fn check_name(path: &Path, name: &str) -> Result<(), LoadError> {
    let known = || NODES.iter().map(|rule| rule.entity).chain(EDGES.iter().map(|rule| rule.file.0));
    if known().any(|k| k == name) {
        return Ok(());
    }
    let error = LoadError::format(path, format!("directory \"{name}\" is not an entity of LDBC SNB"));
    Err(match nearest(name, known()) {
        Some(near) => error.hint(format!("did you mean \"{near}\"?")),
        None => error,
    })
}

fn check_distinct(path: &Path, names: &[String]) -> Result<(), LoadError> {
    match names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        Some((_, name)) => Err(LoadError::format(path, format!("header has column \"{name}\" twice"))),
        None => Ok(()),
    }
}

fn declare(path: &Path, parts: &[Part<'_>], sink: &impl BulkSink) -> Result<Tables, LoadError> {
    let mut builder = SchemaBuilder::default();
    let wrong = |reason| LoadError::format(path, reason);
    let mut nodes = Vec::new();
    for rule in NODES {
        let mut tables = Vec::new();
        if parts.iter().any(|p| p.entity == rule.entity) {
            for spec in node_specs(rule) {
                tables.push(builder.nodes(spec).map_err(wrong)?);
            }
        }
        nodes.push(tables);
    }
    let mut edges = Vec::new();
    for rule in EDGES {
        let as_file = parts.iter().any(|p| p.entity == rule.file.0);
        let as_key = parts.iter().any(|p| foreign_key_of(p, rule).is_some());
        if as_file && as_key {
            let reason = format!("\"{}\" is there both as a file and as a foreign key", rule.file.0);
            return Err(wrong(reason));
        }
        edges.push(if as_file || as_key {
            Some(builder.edges(edge_spec(rule)).map_err(wrong)?)
        } else {
            None
        });
    }
    Ok(Tables { nodes, edges, schema: builder.declare(sink)? })
}

fn owned(properties: &[(&str, LogicalType)]) -> Vec<(String, LogicalType)> {
    properties.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
}

fn node_specs(rule: &NodeRule) -> Vec<NodeSpec> {
    let spec = |kind: Option<&&str>| NodeSpec {
        labels: rule.labels.iter().chain(kind).map(|l| (*l).to_owned()).collect(),
        key_space: Some(rule.entity.to_owned()),
        key_property: Some("id".to_owned()),
        properties: owned(rule.properties),
    };
    if rule.kinds.is_empty() { vec![spec(None)] } else { rule.kinds.iter().map(|k| spec(Some(k))).collect() }
}

fn edge_spec(rule: &EdgeRule) -> EdgeSpec {
    EdgeSpec {
        label: rule.label.to_owned(),
        from_space: rule.from.to_owned(),
        to_space: rule.to.to_owned(),
        properties: owned(rule.properties),
    }
}

/// The field of `part` that is the foreign key of `rule`.
fn foreign_key_of(part: &Part<'_>, rule: &EdgeRule) -> Option<usize> {
    let (entity, column) = rule.foreign_key?;
    if part.entity != entity {
        return None;
    }
    part.names.iter().position(|name| name == column)
}

/// A plan under construction: every field is skipped until somebody needs it.
struct Draft<'a> {
    part: &'a Part<'a>,
    fields: Vec<FieldPlan>,
}

impl<'a> Draft<'a> {
    fn new(part: &'a Part<'a>) -> Self {
        let skipped = |name: &String| FieldPlan {
            name: name.clone(),
            parse: Parse::Skip,
            format: None,
            required: false,
            fell: None,
        };
        Self { part, fields: part.names.iter().map(skipped).collect() }
    }

    fn need(&mut self, column: &str, kind: LogicalType, required: bool) -> Result<usize, LoadError> {
        let Some(at) = self.part.names.iter().position(|name| name == column) else {
            return Err(LoadError::format(
                self.part.source.path(),
                format!("header has no column \"{column}\""),
            )
            .hint(format!("it has {}", self.part.names.join(", "))));
        };
        self.fields[at].parse = match kind {
            LogicalType::List => Parse::List(LogicalType::String, b';'),
            other => Parse::One(other),
        };
        self.fields[at].required |= required;
        Ok(at)
    }

    fn need_all(
        &mut self,
        properties: &[(&'static str, LogicalType)],
    ) -> Result<HashMap<&'static str, usize>, LoadError> {
        properties.iter().map(|(name, kind)| Ok((*name, self.need(name, *kind, false)?))).collect()
    }

    fn finish(self, name: String, outputs: Vec<Output>) -> TablePlan {
        // Datagen's writer (Spark's) writes an empty string as `""` and a null as nothing; SNB means the same
        // by both.
        TablePlan { name, fields: self.fields, outputs, nulls: Nulls::default(), quoted_empty_is_null: true }
    }
}

fn plan_part(part: &Part<'_>, tables: &Tables) -> Result<TablePlan, LoadError> {
    match NODES.iter().position(|rule| rule.entity == part.entity) {
        Some(rule) => plan_nodes(part, rule, tables),
        None => plan_edges(part, tables),
    }
}

fn plan_nodes(part: &Part<'_>, rule_index: usize, tables: &Tables) -> Result<TablePlan, LoadError> {
    let rule = &NODES[rule_index];
    let mut draft = Draft::new(part);
    let id = draft.need("id", LogicalType::Int, true)?;
    let fields = draft.need_all(rule.properties)?;
    let handles: Vec<_> = tables.nodes[rule_index].iter().map(|t| tables.schema.node(*t, &fields)).collect();
    let route = if rule.kinds.is_empty() {
        Route::Fixed(handles[0].0)
    } else {
        let field = draft.need("type", LogicalType::String, true)?;
        let by_kind =
            rule.kinds.iter().zip(&handles).map(|(kind, (handle, _))| (kind.as_bytes().into(), *handle));
        Route::ByField { field, tables: Arc::new(by_kind.collect()), what: "type" }
    };
    let mut outputs = vec![Output::Nodes { route, key: Some(id), columns: handles.into_iter().collect() }];
    for (rule, table) in EDGES.iter().zip(&tables.edges) {
        let (Some(table), Some(key)) = (table, foreign_key_of(part, rule)) else { continue };
        let key = draft.need(&part.names[key], LogicalType::Int, false)?;
        let (from, to) = if rule.reversed { (key, id) } else { (id, key) };
        let (handle, columns) = tables.schema.edge(*table, &HashMap::new());
        outputs.push(Output::Edges {
            route: Route::Fixed(handle),
            from,
            to,
            columns: [(handle, columns)].into(),
        });
    }
    Ok(draft.finish(format!("(:{})", rule.entity), outputs))
}

fn plan_edges(part: &Part<'_>, tables: &Tables) -> Result<TablePlan, LoadError> {
    let found = EDGES.iter().zip(&tables.edges).find(|(rule, _)| rule.file.0 == part.entity);
    let Some((rule, Some(table))) = found else {
        return Err(LoadError::format(part.source.path(), "not an entity of LDBC SNB"));
    };
    let mut draft = Draft::new(part);
    let from = draft.need(rule.file.1, LogicalType::Int, true)?;
    let to = draft.need(rule.file.2, LogicalType::Int, true)?;
    let fields = draft.need_all(rule.properties)?;
    let (handle, columns) = tables.schema.edge(*table, &fields);
    let output = Output::Edges { route: Route::Fixed(handle), from, to, columns: [(handle, columns)].into() };
    Ok(draft.finish(format!("(:{})-[:{}]->(:{})", rule.from, rule.label, rule.to), vec![output]))
}
