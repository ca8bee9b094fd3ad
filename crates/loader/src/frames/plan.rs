//! Frames in, frames with plans out; tables are declared on the way.
//!
//! A key space has the name of the first label of its nodes, unless told. An edge's end names any label:
//! that of the nodes of one frame, whose space it then is, or of nodes of the database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use trimorph_base::nearest;
use trimorph_store::bulk::{BulkSink, ColumnBatch, EdgeSpec, NodeSpec};
use trimorph_types::LogicalType;

use super::frame::{EdgeFrame, Frame, FrameEnd, Frames, Rows, wrong};
use super::values::{as_keys, typed};
use crate::LoadError;
use crate::arrays::parse_of;
use crate::plan::{FieldPlan, Nulls, Output, Parse, Route, SchemaBuilder, TablePlan};

/// The columns of a frame.
pub(super) enum Columns {
    Batches(Box<dyn RecordBatchReader + Send>),
    /// Columns, and why some rows are bad.
    Values(Vec<ColumnBatch>, Vec<Option<String>>),
}

/// A frame and what to make of its rows.
pub(super) struct Planned {
    pub(super) name: String,
    pub(super) plan: Arc<TablePlan>,
    pub(super) columns: Columns,
    pub(super) bytes: Option<u64>,
}

/// A frame whose columns are known.
struct Draft {
    name: String,
    names: Vec<String>,
    parses: Vec<Parse>,
    columns: Columns,
    bytes: Option<u64>,
}

/// The column that is the key where none is named.
const KEY: &str = "id";
/// The columns that are the ends where none are named.
const ENDS: [&str; 2] = ["source", "target"];

/// Declares the tables of frames to `sink` and says what to make of each.
pub(super) fn plan(frames: Frames, sink: &impl BulkSink) -> Result<Vec<Planned>, LoadError> {
    let mut builder = SchemaBuilder::default();
    // By label: the spaces of frames that have it, and the types of keys by space.
    let mut spaces: HashMap<String, Vec<String>> = HashMap::new();
    let mut key_kinds: HashMap<String, LogicalType> = HashMap::new();
    let mut nodes = Vec::new();
    let labels: HashSet<String> = frames.nodes.iter().flat_map(|node| node.labels.iter().cloned()).collect();
    for node in frames.nodes {
        let mut draft = Draft::read(node.frame)?;
        let space = node.space.or_else(|| node.labels.first().cloned()).unwrap_or_default();
        let key = match &node.key {
            Some(name) => Some(draft.column(name)?),
            None => draft.names.iter().position(|name| name == KEY),
        };
        for label in node.labels.iter().filter(|_| key.is_some()) {
            let of = spaces.entry(label.clone()).or_default();
            if !of.contains(&space) {
                of.push(space.clone());
            }
        }
        if let Some(key) = key {
            let known = key_kinds.get(&space).copied().or_else(|| sink.known_keys(&space));
            let kind = draft.key_column(key, known)?;
            key_kinds.insert(space.clone(), kind);
        }
        if draft.names.is_empty() {
            continue;
        }
        let properties = draft.properties(&[key]);
        if key.is_none() && properties.is_empty() {
            return Err(wrong(&draft.name, "it has neither a key nor a property"));
        }
        let spec = NodeSpec {
            labels: node.labels.clone(),
            key_space: key.map(|_| space),
            key_property: key.filter(|_| !node.hides_key).map(|key| draft.names[key].clone()),
            properties,
        };
        let table = builder.nodes(spec).map_err(|reason| wrong(&draft.name, reason))?;
        nodes.push((draft, key, table, node.labels));
    }
    let mut edges = Vec::new();
    for EdgeFrame { frame, label, from, to } in frames.edges {
        let mut draft = Draft::read(frame)?;
        if draft.names.is_empty() {
            continue;
        }
        let (at_from, at_to) = draft.ends(from.column.as_deref(), to.column.as_deref())?;
        let mut end = |end: &FrameEnd, at: usize| {
            let space = match spaces.get(&end.label).map(Vec::as_slice) {
                None | Some([]) => end.label.clone(),
                Some([space]) => space.clone(),
                Some(several) if several.contains(&end.label) => end.label.clone(),
                Some(several) => {
                    let reason = format!("label \"{}\" is of nodes of different keys", end.label);
                    return Err(hinted(&draft.name, reason, format!("name one of {}", several.join(", "))));
                }
            };
            let Some(kind) = key_kinds.get(&space).copied().or_else(|| sink.known_keys(&space)) else {
                let reason = format!("no nodes with label \"{}\" have a key", end.label);
                let hint = match nearest(&end.label, labels.iter().map(String::as_str)) {
                    _ if labels.contains(&end.label) => "name their key column with key=".to_owned(),
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "load these nodes first, or with them".to_owned(),
                };
                return Err(hinted(&draft.name, reason, hint));
            };
            draft.end_column(at, kind)?;
            Ok(space)
        };
        let (from_space, to_space) = (end(&from, at_from)?, end(&to, at_to)?);
        let properties = draft.properties(&[Some(at_from), Some(at_to)]);
        let spec = EdgeSpec { label: label.clone(), from_space, to_space, properties };
        let table = builder.edges(spec).map_err(|reason| wrong(&draft.name, reason))?;
        edges.push((draft, at_from, at_to, table, label));
    }
    let schema = builder.declare(sink)?;
    let mut planned = Vec::new();
    for (draft, key, table, labels) in nodes {
        let (handle, columns) = schema.node(table, &draft.field_of(&[key]));
        let output = Output::Nodes { route: Route::Fixed(handle), key, columns: [(handle, columns)].into() };
        planned.push(draft.finish(format!("(:{})", labels.join(":")), &[key], output));
    }
    for (draft, from, to, table, label) in edges {
        let ends = [Some(from), Some(to)];
        let (handle, columns) = schema.edge(table, &draft.field_of(&ends));
        let columns = [(handle, columns)].into();
        let output = Output::Edges { route: Route::Fixed(handle), from, to, columns };
        planned.push(draft.finish(format!("[:{label}]"), &ends, output));
    }
    Ok(planned)
}

fn hinted(frame: &str, reason: String, hint: impl Into<String>) -> LoadError {
    wrong(frame, reason).hint(hint)
}

impl Draft {
    fn read(frame: Frame) -> Result<Self, LoadError> {
        let Frame { name, rows, bytes } = frame;
        let (mut names, mut parses) = (Vec::new(), Vec::new());
        let columns = match rows {
            Rows::Batches(reader) => {
                for field in reader.schema().fields() {
                    let Some(parse) = parse_of(field.data_type()) else {
                        let kind = field.data_type();
                        let reason =
                            format!("column \"{}\" has type {kind}, which no property has", field.name());
                        return Err(hinted(&name, reason, "leave it out, or give its parts as columns"));
                    };
                    names.push(field.name().clone());
                    parses.push(parse);
                }
                Columns::Batches(reader)
            }
            Rows::Values(given) => {
                let rows = given.first().map_or(0, |(_, values)| values.len());
                let mut bad = vec![None; rows];
                let mut columns = Vec::new();
                for (column, values) in given {
                    if values.len() != rows {
                        let reason =
                            format!("column \"{column}\" has {} rows, others have {rows}", values.len());
                        return Err(wrong(&name, reason));
                    }
                    let (parse, batch) = typed(values, &column, &mut bad);
                    names.push(column);
                    parses.push(parse);
                    columns.push(batch);
                }
                Columns::Values(columns, bad)
            }
        };
        if let Some((_, twice)) = names.iter().enumerate().find(|(i, n)| names[..*i].contains(n)) {
            return Err(wrong(&name, format!("it has column \"{twice}\" twice")));
        }
        Ok(Self { name, names, parses, columns, bytes })
    }

    fn column(&self, name: &str) -> Result<usize, LoadError> {
        if let Some(at) = self.names.iter().position(|n| n == name) {
            return Ok(at);
        }
        let hint = match nearest(name, self.names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("it has {}", self.names.join(", ")),
        };
        Err(hinted(&self.name, format!("it has no column \"{name}\""), hint))
    }

    /// The columns of the ends.
    fn ends(&self, from: Option<&str>, to: Option<&str>) -> Result<(usize, usize), LoadError> {
        let usual = ENDS.map(|end| self.names.iter().position(|name| name == end));
        let at = |named: Option<&str>, place: usize| match (named, usual) {
            (Some(name), _) => self.column(name),
            (None, [Some(from), Some(to)]) => Ok([from, to][place]),
            (None, _) if place < self.names.len() => Ok(place),
            _ => {
                let count = self.names.len();
                let reason = format!("it has {count} columns; a frame of relationships has one for each end");
                Err(wrong(&self.name, reason))
            }
        };
        Ok((at(from, 0)?, at(to, 1)?))
    }

    /// A node's key: integers or texts, as the keys are that it joins.
    fn key_column(&mut self, at: usize, known: Option<LogicalType>) -> Result<LogicalType, LoadError> {
        let found = self.parses[at].logical_type();
        let kind = match (found, known) {
            (LogicalType::Int | LogicalType::String, _) => found,
            // Whole numbers, which pandas made floats because some are missing; or no number at all.
            (LogicalType::Float, _) => LogicalType::Int,
            (_, Some(known)) if self.parses[at] == Parse::Skip => known,
            _ if self.parses[at] == Parse::Skip => LogicalType::Int,
            _ => {
                let name = &self.names[at];
                let reason = format!("key \"{name}\" is {found}; keys are INTEGER or STRING");
                return Err(wrong(&self.name, reason));
            }
        };
        if let Some(known) = known.filter(|known| *known != kind) {
            let reason = format!("key \"{}\" is {kind}, the keys that are there are {known}", self.names[at]);
            return Err(wrong(&self.name, reason));
        }
        self.take_as(at, kind);
        Ok(kind)
    }

    /// An edge's end: of the type of the keys it refers to.
    fn end_column(&mut self, at: usize, kind: LogicalType) -> Result<(), LoadError> {
        let found = self.parses[at].logical_type();
        let is_taken = found == kind
            || self.parses[at] == Parse::Skip
            || (found == LogicalType::Float && kind == LogicalType::Int);
        if !is_taken {
            let name = &self.names[at];
            let reason = format!("column \"{name}\" is {found}, the keys it refers to are {kind}");
            let hint = "give both one type, as with astype in pandas or cast in Polars";
            return Err(wrong(&self.name, reason).hint(hint));
        }
        self.take_as(at, kind);
        Ok(())
    }

    /// Takes a column of keys as what keys are.
    fn take_as(&mut self, at: usize, kind: LogicalType) {
        if self.parses[at] == Parse::One(kind) {
            return;
        }
        self.parses[at] = Parse::One(kind);
        if let Columns::Values(columns, bad) = &mut self.columns {
            as_keys(&mut columns[at], kind, &self.names[at], bad);
        }
    }

    fn properties(&self, keys: &[Option<usize>]) -> Vec<(String, LogicalType)> {
        let all = self.names.iter().zip(&self.parses).enumerate();
        all.filter(|(i, (_, parse))| !keys.contains(&Some(*i)) && **parse != Parse::Skip)
            .map(|(_, (name, parse))| (name.clone(), parse.logical_type()))
            .collect()
    }

    fn field_of(&self, keys: &[Option<usize>]) -> HashMap<&str, usize> {
        let all = self.names.iter().enumerate();
        all.filter(|(i, _)| !keys.contains(&Some(*i)) && self.parses[*i] != Parse::Skip)
            .map(|(i, name)| (name.as_str(), i))
            .collect()
    }

    fn finish(self, name: String, keys: &[Option<usize>], output: Output) -> Planned {
        let fields = self.names.iter().zip(&self.parses).enumerate().map(|(i, (name, parse))| FieldPlan {
            format: None,
            name: name.clone(),
            parse: *parse,
            // A row without an end has no edge; a row without a key is none.
            required: matches!(output, Output::Nodes { .. }) && keys.contains(&Some(i)),
            fell: None,
        });
        let plan = TablePlan {
            name,
            fields: fields.collect(),
            outputs: vec![output],
            nulls: Nulls::default(),
            quoted_empty_is_null: false,
        };
        Planned { name: self.name, plan: Arc::new(plan), columns: self.columns, bytes: self.bytes }
    }
}
