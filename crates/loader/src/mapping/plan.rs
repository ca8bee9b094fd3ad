//! A mapping in, files with plans out; tables are declared on the way.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use trimorph_base::nearest;
use trimorph_store::bulk::{BulkSink, EdgeSpec, NodeSpec};
use trimorph_types::LogicalType;

use super::infer::infer_types;
use super::read::{FileEntry, Mapping, read_mapping};
use crate::csv::Dialect;
use crate::csv::header::read_head;
use crate::feed::{CsvFile, InputFile};
use crate::parquet::ParquetFile;
use crate::plan::{
    EdgeTable, FieldPlan, NodeTable, Nulls, Output, Parse, Route, Schema, SchemaBuilder, TablePlan,
};
use crate::source::Source;
use crate::{FellToText, LoadError};

/// A file and its columns.
struct Draft<'a> {
    entry: &'a FileEntry,
    names: Vec<String>,
    parses: Vec<Parse>,
    parquet: Option<ParquetFile>,
    /// Why columns are text whose type was found out.
    fell: Vec<Option<FellToText>>,
}

/// Reads the mapping file at `path`, declares its tables to `sink` and says what to make of each data file.
pub(crate) fn plan(
    path: &Path,
    field_bytes_max: usize,
    sink: &impl BulkSink,
) -> Result<Vec<InputFile>, LoadError> {
    let text = std::fs::read(path).map_err(|e| LoadError::io(path, "read", e))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let wrong = |reason: String| LoadError::format(path, reason);
    let mapping = read_mapping(&text, directory).map_err(wrong)?;
    let dialect = Dialect { delimiter: mapping.delimiter, field_bytes_max };
    let mut builder = SchemaBuilder::default();
    let mut key_kinds: HashMap<&str, LogicalType> = HashMap::new();
    let mut nodes: Vec<(Draft<'_>, Option<usize>, NodeTable)> = Vec::new();
    let nulls = Nulls::new(&mapping.nulls);
    for entry in &mapping.nodes {
        let mut draft = Draft::read(&entry.file, dialect, &nulls)?;
        let key = match &entry.key {
            Some(name) => Some(draft.key_column(name)?),
            None => None,
        };
        if let Some(key) = key {
            let kind = draft.parses[key].logical_type();
            if key_kinds.insert(&entry.space, kind).is_some_and(|before| before != kind) {
                return Err(wrong(format!("key space \"{}\" has keys of two types", entry.space)));
            }
        }
        let properties = draft.properties(&[key]);
        if key.is_none() && properties.is_empty() {
            return Err(draft.wrong("it has neither a key nor a property".to_owned()));
        }
        let spec = NodeSpec {
            labels: entry.labels.clone(),
            key_space: key.map(|_| entry.space.clone()),
            key_property: entry.key.clone(),
            properties,
        };
        nodes.push((draft, key, builder.nodes(spec).map_err(wrong)?));
    }
    let kind_of = |space: &str| key_kinds.get(space).copied().or_else(|| sink.known_keys(space));
    let mut edges: Vec<(Draft<'_>, usize, usize, EdgeTable)> = Vec::new();
    for entry in &mapping.edges {
        let mut draft = Draft::read(&entry.file, dialect, &nulls)?;
        let mut end = |end: &super::read::EndEntry| match kind_of(end.space.as_str()) {
            Some(kind) => draft.end_column(&end.column, kind),
            None => Err(wrong(format!("no nodes have key space \"{}\"", end.space))),
        };
        let (from, to) = (end(&entry.from)?, end(&entry.to)?);
        let spec = EdgeSpec {
            label: entry.label.clone(),
            from_space: entry.from.space.clone(),
            to_space: entry.to.space.clone(),
            properties: draft.properties(&[Some(from), Some(to)]),
        };
        edges.push((draft, from, to, builder.edges(spec).map_err(wrong)?));
    }
    let schema = builder.declare(sink)?;
    let mut files = Vec::new();
    for ((draft, key, table), entry) in nodes.into_iter().zip(&mapping.nodes) {
        let (handle, columns) = schema.node(table, &draft.field_of(&[key]));
        let output = Output::Nodes { route: Route::Fixed(handle), key, columns: [(handle, columns)].into() };
        files.push(draft.finish(format!("(:{})", entry.labels.join(":")), &[key], output, &mapping, dialect));
    }
    for ((draft, from, to, table), entry) in edges.into_iter().zip(&mapping.edges) {
        let ends = [Some(from), Some(to)];
        let output = edge_output(&schema, table, &draft, from, to);
        files.push(draft.finish(format!("[:{}]", entry.label), &ends, output, &mapping, dialect));
    }
    Ok(files)
}

fn edge_output(schema: &Schema, table: EdgeTable, draft: &Draft<'_>, from: usize, to: usize) -> Output {
    let (handle, columns) = schema.edge(table, &draft.field_of(&[Some(from), Some(to)]));
    Output::Edges { route: Route::Fixed(handle), from, to, columns: [(handle, columns)].into() }
}

impl<'a> Draft<'a> {
    fn read(entry: &'a FileEntry, dialect: Dialect, nulls: &Nulls) -> Result<Self, LoadError> {
        let is_parquet = entry.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
        let mut draft = if is_parquet {
            let (file, names, parses) = ParquetFile::open(&entry.path, &entry.columns)?;
            Self { entry, names, parses, parquet: Some(file), fell: Vec::new() }
        } else {
            let head = read_head(&Source::File(entry.path.clone()), dialect)?;
            let has_header = entry.header.is_none();
            let names = entry.header.clone().unwrap_or(head.names);
            let found = infer_types(&head.sample.bytes, dialect.delimiter, nulls, names.len(), has_header);
            let parses = found.iter().map(|(ty, _)| Parse::One(*ty)).collect();
            let fell = found.into_iter().map(|(_, fell)| fell).collect();
            Self { entry, names, parses, parquet: None, fell }
        };
        for (name, parse) in &entry.columns {
            let Some(at) = draft.names.iter().position(|n| n == name) else {
                return Err(draft.no_column(name));
            };
            let is_text = draft.parses[at] == Parse::One(LogicalType::String);
            if let Some(fell) = draft.fell.get_mut(at) {
                // Somebody said so.
                *fell = None;
            }
            if !is_parquet || *parse == Parse::Skip || (is_text && *parse == Parse::One(LogicalType::Iri)) {
                draft.parses[at] = *parse;
            } else if draft.parses[at].logical_type() != parse.logical_type() {
                let reason = format!("column \"{name}\" holds {}", draft.parses[at].logical_type());
                return Err(draft
                    .wrong(reason)
                    .hint("the type of a Parquet column cannot be changed, but from text to iri"));
            }
        }
        if let Some((_, name)) = draft.names.iter().enumerate().find(|(i, n)| draft.names[..*i].contains(n)) {
            return Err(draft.wrong(format!("it has column \"{name}\" twice")));
        }
        Ok(draft)
    }

    fn wrong(&self, reason: String) -> LoadError {
        LoadError::format(&self.entry.path, reason)
    }

    fn no_column(&self, name: &str) -> LoadError {
        let error = self.wrong(format!("file has no column \"{name}\""));
        match nearest(name, self.names.iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean \"{near}\"?")),
            None => error.hint(format!("it has {}", self.names.join(", "))),
        }
    }

    fn column(&self, name: &str) -> Result<usize, LoadError> {
        self.names.iter().position(|n| n == name).ok_or_else(|| self.no_column(name))
    }

    /// A node's key: integers, or anything else as a string.
    fn key_column(&mut self, name: &str) -> Result<usize, LoadError> {
        let at = self.column(name)?;
        match self.parses[at].logical_type() {
            LogicalType::Int | LogicalType::String => {}
            other if self.parquet.is_some() || self.entry.columns.contains_key(name) => {
                return Err(self.wrong(format!("key \"{name}\" must be INTEGER or STRING, it is {other}")));
            }
            _ => self.parses[at] = Parse::One(LogicalType::String),
        }
        Ok(at)
    }

    /// An edge's end: of the type of the keys it refers to.
    fn end_column(&mut self, name: &str, kind: LogicalType) -> Result<usize, LoadError> {
        let at = self.column(name)?;
        let found = self.parses[at].logical_type();
        if self.parquet.is_some() && found != kind {
            return Err(self.wrong(format!("column \"{name}\" is {found}, the keys it refers to are {kind}")));
        }
        self.parses[at] = Parse::One(kind);
        Ok(at)
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

    fn finish(
        self,
        name: String,
        keys: &[Option<usize>],
        output: Output,
        mapping: &Mapping,
        dialect: Dialect,
    ) -> InputFile {
        let fields = self.names.iter().zip(&self.parses).enumerate().map(|(i, (name, parse))| FieldPlan {
            name: name.clone(),
            parse: *parse,
            // A row without an end has no edge; a row without a key is none.
            required: matches!(output, Output::Nodes { .. }) && keys.contains(&Some(i)),
            fell: self.fell.get(i).cloned().flatten().filter(|_| *parse == Parse::One(LogicalType::String)),
        });
        let plan = Arc::new(TablePlan {
            name,
            fields: fields.collect(),
            outputs: vec![output],
            nulls: Nulls::new(&mapping.nulls),
            quoted_empty_is_null: false,
        });
        match self.parquet {
            Some(file) => InputFile::Parquet(ParquetFile { plan, ..file }),
            None => InputFile::Csv(CsvFile {
                source: Source::File(self.entry.path.clone()),
                plan,
                dialect,
                has_header: self.entry.header.is_none(),
            }),
        }
    }
}
