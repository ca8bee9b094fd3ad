//! A mapping in, files with plans out; tables are declared on the way.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use trimorph_store::bulk::{BulkSink, EdgeSpec, NodeSpec};
use trimorph_types::LogicalType;

use super::draft::Draft;
use super::guess::mapping_of_all;
use super::read::{EdgeEntry, EdgeLabel, EndEntry, Mapping, NodeEntry, read_mapping};
use crate::feed::InputFile;
use crate::plan::{EdgeTable, NodeTable, Output, Route, Schema, SchemaBuilder};
use crate::{LoadError, LoadOptions};

/// A file of nodes.
struct Nodes<'a> {
    draft: Draft<'a>,
    entry: &'a NodeEntry,
    key: Option<usize>,
    /// The column of labels.
    route: Option<usize>,
    /// By the text of that column; one with the empty text where there is none.
    tables: Vec<(String, NodeTable)>,
}

/// A file of edges.
struct Edges<'a> {
    draft: Draft<'a>,
    entry: &'a EdgeEntry,
    ends: [usize; 2],
    /// The column of types.
    route: Option<usize>,
    tables: Vec<(String, EdgeTable)>,
}

/// Reads the mapping file at `path`, or guesses one for the directory there, declares its tables to `sink`
/// and says what to make of each data file.
pub(crate) fn plan(
    path: &Path,
    options: &LoadOptions,
    sink: &impl BulkSink,
) -> Result<Vec<InputFile>, LoadError> {
    let (text, directory) = if path.is_dir() {
        (mapping_of_all(path)?.into_bytes(), path)
    } else {
        let text = std::fs::read(path).map_err(|e| LoadError::io(path, "read", e))?;
        (text, path.parent().unwrap_or(Path::new("")))
    };
    let wrong = |reason: String| LoadError::format(path, reason);
    let mapping = read_mapping(&text, directory, options.field_bytes_max).map_err(wrong)?;
    plan_mapping(&mapping, path, options, sink)
}

/// The same for a mapping that was read, or made, at `path`.
pub(super) fn plan_mapping(
    mapping: &Mapping,
    path: &Path,
    options: &LoadOptions,
    sink: &impl BulkSink,
) -> Result<Vec<InputFile>, LoadError> {
    let wrong = |reason: String| LoadError::format(path, reason);
    let is_cancelled = || options.cancel.is_cancelled();
    let mut builder = SchemaBuilder::default();
    let mut key_kinds: HashMap<&str, LogicalType> = HashMap::new();
    let mut nodes: Vec<Nodes<'_>> = Vec::new();
    for entry in &mapping.nodes {
        for draft in Draft::read_all(&entry.file)? {
            let found = nodes_of(draft, entry, &mut builder, &is_cancelled, path)?;
            if let Some(key) = found.key {
                let kind = found.draft.parses[key].logical_type();
                if key_kinds.insert(&entry.space, kind).is_some_and(|before| before != kind) {
                    return Err(wrong(format!("key space \"{}\" has keys of two types", entry.space)));
                }
            }
            nodes.push(found);
        }
    }
    let mut edges: Vec<Edges<'_>> = Vec::new();
    for entry in &mapping.edges {
        for draft in Draft::read_all(&entry.file)? {
            let kind_of = |space: &str| key_kinds.get(space).copied().or_else(|| sink.known_keys(space));
            edges.push(edges_of(draft, entry, &kind_of, &mut builder, &is_cancelled, path)?);
        }
    }
    let schema = builder.declare(sink)?;
    let mut files: Vec<InputFile> = nodes.into_iter().map(|found| found.finish(&schema)).collect();
    files.extend(edges.into_iter().map(|found| found.finish(&schema, mapping)));
    Ok(files)
}

fn nodes_of<'a>(
    mut draft: Draft<'a>,
    entry: &'a NodeEntry,
    builder: &mut SchemaBuilder,
    is_cancelled: &dyn Fn() -> bool,
    path: &Path,
) -> Result<Nodes<'a>, LoadError> {
    let key = entry.key.as_deref().map(|name| draft.key_column(name)).transpose()?;
    let route = entry.label_column.as_deref().map(|name| draft.route_column(name)).transpose()?;
    let taken: Vec<usize> = key.into_iter().chain(route).collect();
    if key.is_some() && key == route {
        return Err(draft.wrong("one column is both its key and its labels".to_owned()));
    }
    let properties = draft.properties(&taken)?;
    if key.is_none() && properties.is_empty() {
        return Err(draft.wrong("it has neither a key nor a property".to_owned()));
    }
    let texts = match route {
        Some(at) => draft.distinct(at, is_cancelled)?,
        None => vec![String::new()],
    };
    let mut tables = Vec::new();
    for text in texts {
        let mut labels = entry.labels.clone();
        let split = char::from(entry.file.array_delimiter);
        for label in text.split(split).map(str::trim).filter(|label| !label.is_empty()) {
            if !labels.iter().any(|known| known == label) {
                labels.push(label.to_owned());
            }
        }
        let spec = NodeSpec {
            labels,
            key_space: key.map(|_| entry.space.clone()),
            key_property: key.map(|key| draft.property(key).to_owned()),
            properties: properties.clone(),
        };
        let table = builder.nodes(spec).map_err(|reason| LoadError::format(path, reason))?;
        tables.push((text, table));
    }
    Ok(Nodes { draft, entry, key, route, tables })
}

fn edges_of<'a>(
    mut draft: Draft<'a>,
    entry: &'a EdgeEntry,
    kind_of: &dyn Fn(&str) -> Option<LogicalType>,
    builder: &mut SchemaBuilder,
    is_cancelled: &dyn Fn() -> bool,
    path: &Path,
) -> Result<Edges<'a>, LoadError> {
    let wrong = |reason: String| LoadError::format(path, reason);
    let mut end = |end: &EndEntry| match kind_of(end.space.as_str()) {
        Some(kind) => draft.end_column(&end.column, kind),
        None => Err(wrong(format!("no nodes have key space \"{}\"", end.space))),
    };
    let ends = [end(&entry.from)?, end(&entry.to)?];
    let route = match &entry.label {
        EdgeLabel::Fixed(_) => None,
        EdgeLabel::Column(name) => Some(draft.route_column(name)?),
    };
    let taken: Vec<usize> = ends.into_iter().chain(route).collect();
    if route.is_some_and(|route| ends.contains(&route)) {
        return Err(draft.wrong("one column is both an end and the type".to_owned()));
    }
    let properties = draft.properties(&taken)?;
    let texts = match (&entry.label, route) {
        (EdgeLabel::Fixed(label), _) => vec![label.clone()],
        (EdgeLabel::Column(_), Some(at)) => {
            let mut texts = draft.distinct(at, is_cancelled)?;
            texts.retain(|text| !text.is_empty());
            texts
        }
        (EdgeLabel::Column(_), None) => Vec::new(),
    };
    let mut tables = Vec::new();
    for label in texts {
        let spec = EdgeSpec {
            label: label.clone(),
            from_space: entry.from.space.clone(),
            to_space: entry.to.space.clone(),
            properties: properties.clone(),
        };
        tables.push((label, builder.edges(spec).map_err(wrong)?));
    }
    Ok(Edges { draft, entry, ends, route, tables })
}

/// Where rows go: by the text of a column, or always to the same table.
fn route_of<H: Copy>(field: Option<usize>, found: &[(String, H)], what: &'static str) -> Route<H> {
    match (field, found) {
        (None, [(_, handle)]) => Route::Fixed(*handle),
        (field, _) => {
            let tables = found.iter().map(|(text, handle)| (text.as_bytes().into(), *handle)).collect();
            Route::ByField { field: field.unwrap_or(0), tables: Arc::new(tables), what }
        }
    }
}

impl Nodes<'_> {
    fn finish(self, schema: &Schema) -> InputFile {
        let Self { draft, entry, key, route, tables } = self;
        let taken: Vec<usize> = key.into_iter().chain(route).collect();
        let fields = draft.field_of(&taken);
        let found: Vec<_> =
            tables.into_iter().map(|(text, table)| (text, schema.node(table, &fields))).collect();
        let handles: Vec<_> = found.iter().map(|(text, (handle, _))| (text.clone(), *handle)).collect();
        drop(fields);
        let columns = found.into_iter().map(|(_, table)| table).collect();
        let output = Output::Nodes { route: route_of(route, &handles, "label set"), key, columns };
        let labels: Vec<&str> = entry.labels.iter().map(String::as_str).chain(route.map(|_| "…")).collect();
        let required: Vec<usize> = key.into_iter().collect();
        draft.finish(format!("(:{})", labels.join(":")), &required, output)
    }
}

/// The nodes of a key space, for reports: their labels, or the space's name where rows say the labels, or the
/// nodes are in the database.
fn shown(space: &str, mapping: &Mapping) -> String {
    let labels = mapping.nodes.iter().find(|entry| entry.space == space).map(|entry| entry.labels.join(":"));
    format!("(:{})", labels.filter(|labels| !labels.is_empty()).unwrap_or_else(|| space.to_owned()))
}

impl Edges<'_> {
    fn finish(self, schema: &Schema, mapping: &Mapping) -> InputFile {
        let Self { draft, entry, ends, route, tables } = self;
        let taken: Vec<usize> = ends.into_iter().chain(route).collect();
        let fields = draft.field_of(&taken);
        let found: Vec<_> =
            tables.into_iter().map(|(text, table)| (text, schema.edge(table, &fields))).collect();
        let handles: Vec<_> = found.iter().map(|(text, (handle, _))| (text.clone(), *handle)).collect();
        drop(fields);
        let columns = found.into_iter().map(|(_, table)| table).collect();
        let [from, to] = ends;
        let output =
            Output::Edges { route: route_of(route, &handles, "relationship type"), from, to, columns };
        let label = match &entry.label {
            EdgeLabel::Fixed(label) => label.as_str(),
            EdgeLabel::Column(_) => "…",
        };
        // A row without an end has no edge: only its type must be there.
        let required: Vec<usize> = route.into_iter().collect();
        let [from, to] = [&entry.from, &entry.to].map(|end| shown(&end.space, mapping));
        draft.finish(format!("{from}-[:{label}]->{to}"), &required, output)
    }
}
