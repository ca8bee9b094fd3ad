//! Takes statements that create a graph, gives the graph as a model: how a test sets up what the engine
//! cannot make yet.
//!
//! A statement is clauses that read, then clauses that create, such as `UNWIND range(1, 3) AS i CREATE (:A
//! {n: i})`.
//!
//! 1. What comes before the first `CREATE` becomes a query that returns its variables and the values of all
//!    properties, in the order of the text; the naive interpreter answers it on the graph made so far.
//! 2. Each row makes the nodes and edges of the patterns; a variable that the row has, or an earlier pattern,
//!    is not made again.

use std::collections::BTreeMap;
use std::sync::Arc;

use trimorph_base::{Diagnostic, ErrorKind, NodeId, Span};
use trimorph_cypher::ast::{
    Clause, Create, Direction, LabelExpr, MapEntry, NodePattern, PathPattern, Properties,
};
use trimorph_functions::Clock;
use trimorph_types::{LogicalType, Map, Value};

use super::model::node_id;
use super::{EdgeRow, EdgeRows, LoadOptions, Model, NodeRows};
use crate::interpreter;
use crate::queries::bind;

/// The key space of all nodes: the place of a node is its key, which no property shows.
const SPACE: &str = "created";

const NOW: Clock = Clock { seconds: 0, nanos: 0 };

/// A graph that statements add to.
#[derive(Clone, Debug, Default)]
pub struct CreatedGraph {
    nodes: Vec<CreatedNode>,
    edges: Vec<CreatedEdge>,
}

#[derive(Clone, Debug)]
struct CreatedNode {
    labels: Vec<String>,
    properties: Map,
}

/// Ends are places of nodes.
#[derive(Clone, Debug)]
struct CreatedEdge {
    from: usize,
    to: usize,
    label: String,
    properties: Map,
}

/// One row of the reading clauses while its patterns are made.
struct Row {
    /// Variables that are nodes, and their places.
    nodes: BTreeMap<String, usize>,
    /// The values of properties, in the order of the text.
    values: std::vec::IntoIter<Value>,
}

impl CreatedGraph {
    /// Adds what `text` creates.
    ///
    /// **Errors**: the parser's, the binder's and the interpreter's; `Unsupported` for a statement of another
    /// form.
    pub fn execute(&mut self, text: &str) -> Result<(), Diagnostic> {
        let statement = trimorph_cypher::parse(text)?;
        let clauses = &statement.query.first.clauses;
        let reading = clauses.iter().take_while(|clause| !clause.is_updating()).count();
        let (reading, creating) = clauses.split_at(reading);
        if !statement.query.unions.is_empty() || !statement.prefixes.is_empty() {
            return Err(refused("a union or a prefix", statement.query.span));
        }
        let creating = creating.iter().map(|clause| match clause {
            Clause::Create(create) => Ok(create),
            other => Err(refused(other.keyword(), other.span())),
        });
        let creating = creating.collect::<Result<Vec<_>, _>>()?;
        for mut row in self.rows(text, reading, &creating)? {
            for path in creating.iter().flat_map(|create| &create.pattern) {
                self.make_path(path, &mut row)?;
            }
        }
        Ok(())
    }

    /// The graph so far. Node tables are label sets, in the order of their first nodes.
    pub fn model(&self) -> Model {
        let mut model = Model::default();
        let mut ids = Vec::with_capacity(self.nodes.len());
        for (place, node) in self.nodes.iter().enumerate() {
            let table = model.nodes.iter().position(|table| table.labels == node.labels);
            let table = table.unwrap_or_else(|| {
                let alike = self.nodes.iter().filter(|other| other.labels == node.labels);
                model.nodes.push(NodeRows {
                    labels: node.labels.clone(),
                    key_space: Some(SPACE.into()),
                    properties: columns(alike.map(|node| &node.properties)),
                    ..NodeRows::default()
                });
                model.nodes.len() - 1
            });
            let rows = &mut model.nodes[table];
            ids.push(node_id(table, rows.rows.len()));
            rows.keys.push(Value::Int(i64::try_from(place).unwrap_or(i64::MAX)));
            rows.rows.push(values(&rows.properties, &node.properties));
        }
        for edge in &self.edges {
            let label = model.edges.iter().position(|edges| edges.label == edge.label);
            let label = label.unwrap_or_else(|| {
                let alike = self.edges.iter().filter(|other| other.label == edge.label);
                model.edges.push(EdgeRows {
                    label: edge.label.clone(),
                    from_space: SPACE.into(),
                    to_space: SPACE.into(),
                    properties: columns(alike.map(|edge| &edge.properties)),
                    rows: Vec::new(),
                });
                model.edges.len() - 1
            });
            let edges = &mut model.edges[label];
            let values = values(&edges.properties, &edge.properties);
            edges.rows.push(EdgeRow { from: ids[edge.from], to: ids[edge.to], values });
        }
        model
    }

    /// The rows that the reading clauses give, with the values of the properties to come.
    fn rows(&self, text: &str, reading: &[Clause], creating: &[&Create]) -> Result<Vec<Row>, Diagnostic> {
        let mut query = String::new();
        if let (Some(first), Some(last)) = (reading.first(), reading.last()) {
            query.push_str(slice(text, first.span().join(last.span())));
            query.push_str(" RETURN *");
        } else {
            query.push_str("RETURN null");
        }
        let mut count = 0;
        for path in creating.iter().flat_map(|create| &create.pattern) {
            let steps =
                path.steps.iter().flat_map(|step| [&step.relationship.properties, &step.node.properties]);
            for properties in std::iter::once(&path.start.properties).chain(steps) {
                for entry in entries(properties.as_ref())? {
                    query.push_str(&format!(", {} AS `value {count}`", slice(text, entry.value.span)));
                    count += 1;
                }
            }
        }
        let model = self.model();
        let places = self.places(&model);
        let snapshot = model.snapshot(LoadOptions::default()).map_err(|error| internal(error.to_string()))?;
        let bound = bind(&query, snapshot.catalog())?;
        let names: Vec<String> = bound.columns.iter().map(|(name, _)| name.to_string()).collect();
        let rows = interpreter::run(&bound, &snapshot, &BTreeMap::new(), NOW)?;
        let row = |mut row: Vec<Value>| {
            let values = row.split_off(row.len() - count).into_iter();
            let nodes = names.iter().zip(&row).filter_map(|(name, value)| match value {
                Value::Node(id) => Some((name.clone(), *places.get(id)?)),
                _ => None,
            });
            Row { nodes: nodes.collect(), values }
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// The place of each node by its id in `model`: ids count rows of tables, keys are places.
    fn places(&self, model: &Model) -> BTreeMap<NodeId, usize> {
        let place = |id: &NodeId| match model.key(*id) {
            Value::Int(place) => usize::try_from(*place).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        model.node_ids(|_| true).into_iter().map(|id| (id, place(&id))).collect()
    }

    fn make_path(&mut self, path: &PathPattern, row: &mut Row) -> Result<(), Diagnostic> {
        let mut from = self.make_node(&path.start, row)?;
        for step in &path.steps {
            let relationship = &step.relationship;
            let label = relationship.types.as_ref().and_then(LabelExpr::single);
            let label = label.ok_or_else(|| refused("a relationship without a type", relationship.span))?;
            let properties = properties(relationship.properties.as_ref(), row)?;
            let to = self.make_node(&step.node, row)?;
            let ends = if relationship.direction == Direction::Left { (to, from) } else { (from, to) };
            self.edges.push(CreatedEdge { from: ends.0, to: ends.1, label: label.text.clone(), properties });
            from = to;
        }
        Ok(())
    }

    /// The place of a node: a known variable's, or a new one.
    fn make_node(&mut self, node: &NodePattern, row: &mut Row) -> Result<usize, Diagnostic> {
        let properties = properties(node.properties.as_ref(), row)?;
        let known = node.variable.as_ref().and_then(|variable| row.nodes.get(&variable.text));
        if let Some(place) = known {
            return Ok(*place);
        }
        let mut labels = match &node.labels {
            None => Vec::new(),
            Some(labels) => {
                let names = labels.conjunction().ok_or_else(|| refused("a label expression", labels.span))?;
                names.into_iter().map(|name| name.text.clone()).collect()
            }
        };
        labels.sort();
        labels.dedup();
        let place = self.nodes.len();
        self.nodes.push(CreatedNode { labels, properties });
        if let Some(variable) = &node.variable {
            row.nodes.insert(variable.text.clone(), place);
        }
        Ok(place)
    }
}

/// The properties of the pattern that comes next in the text.
fn properties(written: Option<&Properties>, row: &mut Row) -> Result<Map, Diagnostic> {
    let mut properties = Map::new();
    for entry in entries(written)? {
        let value = row.values.next().ok_or_else(|| internal("a property without a value"))?;
        if !value.is_null() {
            properties.insert(Arc::from(entry.key.text.as_str()), value);
        }
    }
    Ok(properties)
}

fn entries(written: Option<&Properties>) -> Result<&[MapEntry], Diagnostic> {
    match written {
        None => Ok(&[]),
        Some(Properties::Map { entries, .. }) => Ok(entries),
        Some(Properties::Parameter { span, .. }) => Err(refused("a parameter", *span)),
    }
}

/// A column for each key, of the type of its first value; values of other types are exceptions of the column.
fn columns<'m>(maps: impl Iterator<Item = &'m Map>) -> Vec<(String, LogicalType)> {
    let mut columns: Vec<(String, LogicalType)> = Vec::new();
    for (key, value) in maps.flat_map(Map::iter) {
        if columns.iter().all(|(name, _)| **name != **key) {
            columns.push((key.to_string(), value.logical_type()));
        }
    }
    columns
}

fn values(columns: &[(String, LogicalType)], properties: &Map) -> Vec<Value> {
    columns.iter().map(|(name, _)| properties.get(name.as_str()).cloned().unwrap_or_default()).collect()
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or_default()
}

fn refused(what: &str, span: Span) -> Diagnostic {
    let primary = format!("{what} cannot stand in a statement that sets up a graph");
    Diagnostic::compile(ErrorKind::Unsupported, "SetUp", primary).at(span)
}

fn internal(what: impl Into<String>) -> Diagnostic {
    Diagnostic::runtime(ErrorKind::Unsupported, "Internal", what)
}
