//! What to make of the rows of a file: which fields become which columns, and which nodes and edges those
//! make.
//!
//! [`SchemaBuilder`] collects node and edge tables over all files first, so that two files that feed one
//! table agree on its properties; [`SchemaBuilder::declare`] then declares them all, in order, before the
//! first row.

use std::collections::HashMap;
use std::sync::Arc;

use trimorph_store::bulk::{BulkSink, EdgeHandle, EdgeSpec, NodeHandle, NodeSpec};
use trimorph_types::LogicalType;

use crate::LoadError;
use crate::parse::TimeFormat;
use crate::shown::shown;

/// How a field is parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parse {
    /// Not at all.
    Skip,
    /// As one value. `LogicalType::List` stands for a list of strings between `;`.
    One(LogicalType),
    /// As a list of such values with this delimiter.
    List(LogicalType, u8),
}

impl Parse {
    /// The type of the column it makes.
    pub(crate) fn logical_type(self) -> LogicalType {
        match self {
            Self::Skip => LogicalType::Any,
            Self::One(one) => one,
            Self::List(..) => LogicalType::List,
        }
    }
}

/// Texts that stand for null where they are not in quotes: the empty one, and others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nulls(Arc<[Box<[u8]>]>);

impl Nulls {
    /// These, and the empty one.
    pub(crate) fn new(texts: &[String]) -> Self {
        Self(texts.iter().filter(|text| !text.is_empty()).map(|text| text.as_bytes().into()).collect())
    }

    /// Whether it is one of those that were named.
    pub(crate) fn has_named(&self, text: &[u8]) -> bool {
        self.0.iter().any(|null| **null == *text)
    }

    #[inline]
    pub(crate) fn has(&self, text: &[u8]) -> bool {
        text.is_empty() || (!self.0.is_empty() && self.0.iter().any(|null| **null == *text))
    }
}

/// One field of the file.
#[derive(Clone, Debug)]
pub(crate) struct FieldPlan {
    /// For messages.
    pub(crate) name: String,
    pub(crate) parse: Parse,
    /// How dates and times are written, if not as ISO 8601 has them.
    pub(crate) format: Option<Arc<TimeFormat>>,
    /// Null refuses the row.
    pub(crate) required: bool,
    /// Of a column whose type was found out: why it is text.
    pub(crate) fell: Option<FellToText>,
}

/// A column that looked like something until a value came that did not.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FellToText {
    /// What all values before it were.
    pub was: LogicalType,
    /// The value that made it text.
    pub value: String,
}

/// Which table a row goes to.
#[derive(Clone, Debug)]
pub(crate) enum Route<H> {
    /// Always the same.
    Fixed(H),
    /// By the text of a field (parsed as a string); other texts refuse the row.
    ByField { field: usize, tables: Arc<HashMap<Box<[u8]>, H>>, what: &'static str },
}

/// A column of an output: a field of the file, or null throughout.
pub(crate) type ColumnSource = Result<usize, LogicalType>;

/// What a row becomes.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    Nodes {
        route: Route<NodeHandle>,
        key: Option<usize>,
        /// By route: one list for `Fixed`, else one per handle.
        columns: HashMap<NodeHandle, Vec<ColumnSource>>,
    },
    /// No edge where either end is null.
    Edges {
        route: Route<EdgeHandle>,
        from: usize,
        to: usize,
        columns: HashMap<EdgeHandle, Vec<ColumnSource>>,
    },
}

impl Output {
    /// Whether a field decides the table of a row.
    pub(crate) fn has_choice(&self) -> bool {
        match self {
            Self::Nodes { route, .. } => matches!(route, Route::ByField { .. }),
            Self::Edges { route, .. } => matches!(route, Route::ByField { .. }),
        }
    }
}

/// Refuses a row whose route field, whose text `text_of` gives, names no table.
#[inline]
pub(crate) fn check_routes<'t>(
    plan: &TablePlan,
    text_of: &dyn Fn(usize) -> Option<&'t [u8]>,
) -> Result<(), String> {
    plan.outputs.iter().try_for_each(|output| match output {
        Output::Nodes { route, .. } => check_route(route, text_of),
        Output::Edges { route, .. } => check_route(route, text_of),
    })
}

fn check_route<'t, H>(route: &Route<H>, text_of: &dyn Fn(usize) -> Option<&'t [u8]>) -> Result<(), String> {
    let Route::ByField { field, tables, what } = route else { return Ok(()) };
    let text = text_of(*field).unwrap_or(b"");
    if tables.contains_key(text) {
        return Ok(());
    }
    if text.is_empty() {
        return Err(format!("it has no {what}"));
    }
    Err(format!("\"{}\" is not a known {what}", shown(text)))
}

/// What to make of the rows of a file.
#[derive(Clone, Debug)]
pub(crate) struct TablePlan {
    /// For the report.
    pub(crate) name: String,
    pub(crate) fields: Vec<FieldPlan>,
    pub(crate) outputs: Vec<Output>,
    /// Unquoted fields that are null.
    pub(crate) nulls: Nulls,
    /// So is an empty one in quotes.
    pub(crate) quoted_empty_is_null: bool,
}

impl TablePlan {
    /// Fields that are parsed.
    pub(crate) fn parsed_fields(&self) -> usize {
        self.fields.iter().filter(|field| field.parse != Parse::Skip).count()
    }
}

/// A node table as known so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeTable(usize);

/// An edge table as known so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EdgeTable(usize);

/// Node and edge tables over all files of a load.
#[derive(Default)]
pub(crate) struct SchemaBuilder {
    nodes: Vec<NodeSpec>,
    edges: Vec<EdgeSpec>,
}

/// The tables as declared to the sink.
pub(crate) struct Schema {
    nodes: Vec<(NodeHandle, NodeSpec)>,
    edges: Vec<(EdgeHandle, EdgeSpec)>,
}

impl SchemaBuilder {
    /// The node table of a label set; made, or its properties added to.
    pub(crate) fn nodes(&mut self, spec: NodeSpec) -> Result<NodeTable, String> {
        let Some(at) = self.nodes.iter().position(|known| same_labels(&known.labels, &spec.labels)) else {
            self.nodes.push(spec);
            return Ok(NodeTable(self.nodes.len() - 1));
        };
        let known = &mut self.nodes[at];
        let table = known.labels.join(":");
        if known.key_space != spec.key_space || known.key_property != spec.key_property {
            return Err(format!("node table \"{table}\" is given two different keys"));
        }
        add_properties(&mut known.properties, spec.properties, &format!("node table \"{table}\""))?;
        Ok(NodeTable(at))
    }

    /// The edge table of a label and two key spaces; made, or its properties added to.
    pub(crate) fn edges(&mut self, spec: EdgeSpec) -> Result<EdgeTable, String> {
        let same = |known: &EdgeSpec| {
            known.label == spec.label
                && known.from_space == spec.from_space
                && known.to_space == spec.to_space
        };
        let Some(at) = self.edges.iter().position(same) else {
            self.edges.push(spec);
            return Ok(EdgeTable(self.edges.len() - 1));
        };
        let known = &mut self.edges[at];
        let owner = format!("edge table \"{}\"", known.label);
        add_properties(&mut known.properties, spec.properties, &owner)?;
        Ok(EdgeTable(at))
    }

    /// Declares everything: node tables, then edge tables, each in the order first met.
    pub(crate) fn declare(self, sink: &impl BulkSink) -> Result<Schema, LoadError> {
        let mut schema = Schema { nodes: Vec::new(), edges: Vec::new() };
        for spec in self.nodes {
            schema.nodes.push((sink.declare_nodes(spec.clone())?, spec));
        }
        for spec in self.edges {
            schema.edges.push((sink.declare_edges(spec.clone())?, spec));
        }
        Ok(schema)
    }
}

impl Schema {
    /// The handle of a node table, and where each of its properties comes from in a file with these fields.
    pub(crate) fn node(
        &self,
        table: NodeTable,
        field_of: &HashMap<&str, usize>,
    ) -> (NodeHandle, Vec<ColumnSource>) {
        let (handle, spec) = &self.nodes[table.0];
        (*handle, sources(&spec.properties, field_of))
    }

    /// The handle of an edge table, and where each of its properties comes from in a file with these fields.
    pub(crate) fn edge(
        &self,
        table: EdgeTable,
        field_of: &HashMap<&str, usize>,
    ) -> (EdgeHandle, Vec<ColumnSource>) {
        let (handle, spec) = &self.edges[table.0];
        (*handle, sources(&spec.properties, field_of))
    }
}

fn sources(properties: &[(String, LogicalType)], field_of: &HashMap<&str, usize>) -> Vec<ColumnSource> {
    properties.iter().map(|(name, kind)| field_of.get(name.as_str()).copied().ok_or(*kind)).collect()
}

fn same_labels(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().all(|label| b.contains(label))
}

fn add_properties(
    known: &mut Vec<(String, LogicalType)>,
    more: Vec<(String, LogicalType)>,
    owner: &str,
) -> Result<(), String> {
    for (name, kind) in more {
        match known.iter().find(|(n, _)| *n == name) {
            Some((_, before)) if *before != kind => {
                return Err(format!(
                    "{owner} has property \"{name}\" as {before} in one file and {kind} in another"
                ));
            }
            Some(_) => {}
            None => known.push((name, kind)),
        }
    }
    Ok(())
}
