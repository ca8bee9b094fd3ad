//! Files in, plans out; tables are declared on the way.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_store::bulk::{BulkSink, EdgeSpec, NodeSpec};
use trimorph_types::LogicalType;

use super::header::{Role, is_special, read_field};
use crate::csv::Dialect;
use crate::csv::header::read_head;
use crate::csv::scan::distinct_values;
use crate::feed::CsvFile;
use crate::plan::{
    EdgeTable, FieldPlan, NodeTable, Nulls, Output, Parse, Route, Schema, SchemaBuilder, TablePlan,
};
use crate::progress::{Meter, Phase, ProgressState};
use crate::source::Source;
use crate::{FileGroup, IdType, LoadError, LoadOptions};

/// What else may stand between fields.
const DELIMITERS: [u8; 4] = *b",;\t|";

/// A file, its header, and the tables its rows go to.
struct Draft {
    source: Source,
    dialect: Dialect,
    has_header: bool,
    names: Vec<String>,
    roles: Vec<Role>,
    tables: Tables,
}

/// A file to read, and what is said of it elsewhere.
struct Input<'a> {
    path: &'a Path,
    /// The file that has its header: itself, as a rule.
    header: &'a Path,
    group: Option<&'a FileGroup>,
}

/// Files, or those of groups.
fn inputs<'a>(paths: &'a [PathBuf], groups: &'a [FileGroup]) -> Vec<Input<'a>> {
    let alone = paths.iter().map(|path| Input { path, header: path, group: None });
    let grouped = groups.iter().flat_map(|group| {
        let header = group.files.first();
        let input = move |path| Some(Input { path, header: header?, group: Some(group) });
        group.files.iter().filter_map(move |path| input(path))
    });
    alone.chain(grouped).collect()
}

enum Tables {
    /// By the text of the label column; one with the empty text where there is no such column.
    Nodes { by_label: Vec<(String, NodeTable)> },
    /// By the text of the type column.
    Edges { by_type: Vec<(String, EdgeTable)> },
}

/// Declares the tables of the files to `sink` and says what to make of each file: node files first.
pub(crate) fn plan(
    paths: &[PathBuf],
    options: &LoadOptions,
    sink: &impl BulkSink,
    meter: &mut Meter<'_>,
) -> Result<Vec<CsvFile>, LoadError> {
    let mut builder = SchemaBuilder::default();
    let mut drafts = Vec::new();
    let inputs = inputs(paths, &options.groups);
    for (done, input) in inputs.iter().enumerate() {
        meter.report(&ProgressState {
            bytes_done: done as u64,
            bytes_total: inputs.len() as u64,
            rows: 0,
            rejected: 0,
            phase: Phase::Scan,
        });
        drafts.push(draft(input, options, &mut builder)?);
    }
    let mut kinds = key_kinds(&drafts)?;
    for role in drafts.iter().flat_map(|draft| &draft.roles) {
        if let Role::Start { space } | Role::End { space } = role
            && let (None, Some(kind)) = (kinds.get(space), sink.known_keys(space))
        {
            kinds.insert(space.clone(), kind);
        }
    }
    let schema = builder.declare(sink)?;
    drafts.sort_by_key(|draft| matches!(draft.tables, Tables::Edges { .. }));
    let finish = |draft: Draft| {
        let (dialect, has_header) = (draft.dialect, draft.has_header);
        let (source, plan) = finish(draft, &schema, &kinds)?;
        Ok(CsvFile { source, plan: Arc::new(plan), dialect, has_header })
    };
    drafts.into_iter().map(finish).collect()
}

fn draft(input: &Input<'_>, options: &LoadOptions, builder: &mut SchemaBuilder) -> Result<Draft, LoadError> {
    let source = Source::File(input.path.to_path_buf());
    let (names, dialect) = read_names(&Source::File(input.header.to_path_buf()), options)?;
    let has_header = input.path == input.header;
    let wrong = |reason: String| LoadError::format(input.header, reason);
    let id_type = match options.id_type {
        IdType::String => LogicalType::String,
        IdType::Integer => LogicalType::Int,
    };
    let read = |name: &String| read_field(name, options.array_delimiter, id_type).map_err(wrong);
    let roles: Vec<Role> = names.iter().map(read).collect::<Result<_, _>>()?;
    check_roles(&roles, input.group).map_err(|reason| {
        wrong(reason).hint(
            "files with other headers are loaded one by one with COPY Label FROM 'file.csv', \
             or all with a mapping: trimorph map DIR --out DIR/mapping.json",
        )
    })?;
    let given: &[String] = input.group.map_or(&[], |group| &group.names);
    let properties = properties_of(&roles);
    let scan = |role: &Role| match roles.iter().position(|r| r == role) {
        Some(column) => {
            let cancel = || options.cancel.is_cancelled();
            distinct_values(&source, dialect, column, roles.len(), has_header, &cancel)
        }
        None => Ok(vec![String::new()]),
    };
    let tables = match ends_of(&roles) {
        Some((from, to)) => {
            let mut by_type = Vec::new();
            for text in scan(&Role::Type)? {
                // A row that names no type has that of its group.
                let Some(label) = Some(&text).filter(|text| !text.is_empty()).or(given.first()) else {
                    continue;
                };
                let spec = EdgeSpec {
                    label: label.clone(),
                    from_space: from.to_owned(),
                    to_space: to.to_owned(),
                    properties: properties.clone(),
                };
                by_type.push((text, builder.edges(spec).map_err(wrong)?));
            }
            Tables::Edges { by_type }
        }
        None => {
            let mut by_label = Vec::new();
            let (key_space, key_property) = key_of(&roles);
            for text in scan(&Role::Label)? {
                let spec = NodeSpec {
                    labels: labels_of(given, &text, options.array_delimiter),
                    key_space: key_space.clone(),
                    key_property: key_property.clone(),
                    properties: properties.clone(),
                };
                by_label.push((text, builder.nodes(spec).map_err(wrong)?));
            }
            Tables::Nodes { by_label }
        }
    };
    Ok(Draft { source, dialect, has_header, names, roles, tables })
}

/// The names in the header, and the delimiter: where the chosen one does not occur, the one of the usual
/// others that cuts the header into most fields.
fn read_names(source: &Source, options: &LoadOptions) -> Result<(Vec<String>, Dialect), LoadError> {
    let dialect =
        |delimiter| Dialect { delimiter, quote: options.quote, field_bytes_max: options.field_bytes_max };
    let chosen = dialect(options.delimiter);
    let mut best = (read_head(source, chosen)?.names, chosen);
    if best.0.len() == 1 {
        for other in DELIMITERS.map(dialect) {
            let names = read_head(source, other)?.names;
            if names.len() > best.0.len() {
                best = (names, other);
            }
        }
    }
    Ok(best)
}

/// Whether a column of the file is named as only a neo4j-style header names one.
pub(crate) fn has_header(path: &Path) -> bool {
    let names = read_names(&Source::File(path.to_owned()), &LoadOptions::default());
    names.is_ok_and(|(names, _)| names.iter().any(|name| is_special(name)))
}

fn check_roles(roles: &[Role], group: Option<&FileGroup>) -> Result<(), String> {
    let count = |is: fn(&Role) -> bool| roles.iter().filter(|r| is(r)).count();
    let ids = count(|r| matches!(r, Role::Id { .. }));
    let starts = count(|r| matches!(r, Role::Start { .. }));
    let ends = count(|r| matches!(r, Role::End { .. }));
    let types = count(|r| matches!(r, Role::Type));
    let labels = count(|r| matches!(r, Role::Label));
    if [ids, starts, ends, types, labels].iter().any(|n| *n > 1) {
        return Err("header has two columns of one kind (ID, START_ID, END_ID, LABEL or TYPE)".to_owned());
    }
    match group {
        Some(group) if group.is_relationships && ids + labels > 0 => {
            return Err("header is one of nodes, the files are given as relationships".to_owned());
        }
        Some(group) if !group.is_relationships && starts + ends + types > 0 => {
            return Err("header is one of relationships, the files are given as nodes".to_owned());
        }
        _ => {}
    }
    let has_name = group.is_some_and(|group| !group.names.is_empty());
    match (ids + labels, starts, ends, types) {
        (1.., 0, 0, 0) | (0, 1, 1, 1) => {}
        (0, 1, 1, 0) if has_name => {}
        (0, 0, 0, 0) if group.is_some_and(|group| !group.is_relationships) => {}
        (0, 0, 0, 0) => return Err("header has neither an :ID nor a :START_ID column".to_owned()),
        (0, ..) => {
            return Err(
                "header needs :START_ID, :END_ID and :TYPE, or a type given with the files".to_owned()
            );
        }
        _ => return Err("header has columns of both nodes and relationships".to_owned()),
    }
    let mut names: Vec<&str> = roles
        .iter()
        .filter_map(|role| match role {
            Role::Property { name, .. } => Some(name.as_str()),
            Role::Id { name, .. } => name.as_deref(),
            _ => None,
        })
        .collect();
    if ids == 0 && starts == 0 && names.is_empty() {
        return Err("header has labels, but neither an :ID nor a property".to_owned());
    }
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("header has property \"{}\" twice", pair[0])),
        None => Ok(()),
    }
}

fn properties_of(roles: &[Role]) -> Vec<(String, LogicalType)> {
    roles
        .iter()
        .filter_map(|role| match role {
            Role::Property { name, parse } => Some((name.clone(), parse.logical_type())),
            _ => None,
        })
        .collect()
}

fn key_of(roles: &[Role]) -> (Option<String>, Option<String>) {
    roles
        .iter()
        .find_map(|role| match role {
            Role::Id { name, space, .. } => Some((Some(space.clone()), name.clone())),
            _ => None,
        })
        .unwrap_or((None, None))
}

fn ends_of(roles: &[Role]) -> Option<(&str, &str)> {
    let from =
        roles.iter().find_map(|r| if let Role::Start { space } = r { Some(space.as_str()) } else { None });
    let to = roles.iter().find_map(|r| if let Role::End { space } = r { Some(space.as_str()) } else { None });
    from.zip(to)
}

fn labels_of(given: &[String], text: &str, delimiter: u8) -> Vec<String> {
    let mut labels: Vec<String> = given.to_vec();
    for label in text.split(char::from(delimiter)).map(str::trim).filter(|l| !l.is_empty()) {
        if !labels.iter().any(|known| known == label) {
            labels.push(label.to_owned());
        }
    }
    labels
}

/// The type of the keys of each space, by the node files; edges must agree.
fn key_kinds(drafts: &[Draft]) -> Result<HashMap<String, LogicalType>, LoadError> {
    let mut kinds: HashMap<String, LogicalType> = HashMap::new();
    for draft in drafts {
        for role in &draft.roles {
            let Role::Id { space, kind, .. } = role else { continue };
            if kinds.insert(space.clone(), *kind).is_some_and(|before| before != *kind) {
                let reason = format!("key space \"{space}\" has two id types");
                return Err(LoadError::format(draft.source.path(), reason));
            }
        }
    }
    Ok(kinds)
}

fn finish(
    draft: Draft,
    schema: &Schema,
    kinds: &HashMap<String, LogicalType>,
) -> Result<(Source, TablePlan), LoadError> {
    let Draft { source, names, roles, tables, .. } = draft;
    let has_type =
        matches!(&tables, Tables::Edges { by_type } if by_type.iter().any(|(text, _)| text.is_empty()));
    let mut fields = Vec::new();
    for (name, role) in names.iter().zip(&roles) {
        let (parse, required) = match role {
            Role::Ignore => (Parse::Skip, false),
            Role::Property { parse, .. } => (*parse, false),
            Role::Label => (Parse::One(LogicalType::String), false),
            // Where a row without a type has none either.
            Role::Type => (Parse::One(LogicalType::String), !has_type),
            Role::Id { kind, .. } => (Parse::One(*kind), true),
            Role::Start { space } | Role::End { space } => match kinds.get(space) {
                // A row without an end has no edge.
                Some(kind) => (Parse::One(*kind), false),
                None => {
                    let reason = format!("no node file has key space \"{space}\"");
                    return Err(LoadError::format(source.path(), reason));
                }
            },
        };
        fields.push(FieldPlan { name: name.clone(), parse, format: None, required, fell: None });
    }
    let at = |is: fn(&Role) -> bool| roles.iter().position(is);
    let mut field_of: HashMap<&str, usize> = HashMap::new();
    for (index, role) in roles.iter().enumerate() {
        if let Role::Property { name, .. } = role {
            field_of.insert(name, index);
        }
    }
    let (name, output) = match tables {
        Tables::Nodes { by_label } => {
            let found = by_label.iter().map(|(text, table)| (text, schema.node(*table, &field_of)));
            let found: Vec<_> = found.collect();
            let route = route_of(at(|r| *r == Role::Label), &found, "label set");
            let key = at(|r| matches!(r, Role::Id { .. }));
            let columns = found.into_iter().map(|(_, table)| table).collect();
            ("nodes".to_owned(), Output::Nodes { route, key, columns })
        }
        Tables::Edges { by_type } => {
            let found = by_type.iter().map(|(text, table)| (text, schema.edge(*table, &field_of)));
            let found: Vec<_> = found.collect();
            let route = route_of(at(|r| *r == Role::Type), &found, "relationship type");
            // `check_roles` has seen both.
            let from = at(|r| matches!(r, Role::Start { .. })).unwrap_or(0);
            let to = at(|r| matches!(r, Role::End { .. })).unwrap_or(0);
            let columns = found.into_iter().map(|(_, table)| table).collect();
            ("relationships".to_owned(), Output::Edges { route, from, to, columns })
        }
    };
    let plan = TablePlan {
        name,
        fields,
        outputs: vec![output],
        nulls: Nulls::default(),
        quoted_empty_is_null: false,
    };
    Ok((source, plan))
}

fn route_of<H: Copy, C>(field: Option<usize>, found: &[(&String, (H, C))], what: &'static str) -> Route<H> {
    match (field, found) {
        (None, [(_, (handle, _))]) => Route::Fixed(*handle),
        (field, _) => {
            let tables = found.iter().map(|(text, (handle, _))| (text.as_bytes().into(), *handle)).collect();
            Route::ByField { field: field.unwrap_or(0), tables: Arc::new(tables), what }
        }
    }
}
