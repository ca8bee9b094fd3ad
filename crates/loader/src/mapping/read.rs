//! JSON in, a checked mapping out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use trimorph_base::nearest;
use trimorph_types::LogicalType;

use super::formats::Formats;
use crate::csv::{Dialect, NO_QUOTE};
use crate::files::files_of;
use crate::parse::TimeFormat;
use crate::plan::{Nulls, Parse};
use crate::type_name::{TYPE_NAMES, parse_type};

/// What a mapping file says.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) nodes: Vec<NodeEntry>,
    pub(super) edges: Vec<EdgeEntry>,
}

/// What nodes and edges have in common.
#[derive(Debug)]
pub(super) struct FileEntry {
    pub(super) paths: Vec<PathBuf>,
    /// Column names, for files without a header line.
    pub(super) header: Option<Vec<String>>,
    pub(super) columns: BTreeMap<String, ColumnEntry>,
    pub(super) dialect: Dialect,
    pub(super) array_delimiter: u8,
    pub(super) nulls: Nulls,
    pub(super) formats: Formats,
}

/// What is said of a column.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnEntry {
    pub(super) parse: Option<Parse>,
    /// The property that it becomes, if that has another name.
    pub(super) name: Option<String>,
    pub(super) format: Option<Arc<TimeFormat>>,
}

#[derive(Debug)]
pub(super) struct NodeEntry {
    pub(super) file: FileEntry,
    pub(super) labels: Vec<String>,
    /// The column that has more labels, by row.
    pub(super) label_column: Option<String>,
    pub(super) key: Option<String>,
    pub(super) space: String,
}

#[derive(Debug)]
pub(super) struct EdgeEntry {
    pub(super) file: FileEntry,
    pub(super) label: EdgeLabel,
    pub(super) from: EndEntry,
    pub(super) to: EndEntry,
}

/// The relationship type of rows.
#[derive(Debug)]
pub(super) enum EdgeLabel {
    Fixed(String),
    /// That of this column.
    Column(String),
}

#[derive(Debug)]
pub(super) struct EndEntry {
    pub(super) space: String,
    pub(super) column: String,
}

/// What an entry may say for itself and the mapping for all entries.
const SHARED: [&str; 7] =
    ["delimiter", "quote", "null", "array_delimiter", "date_format", "time_format", "datetime_format"];

/// Reads a mapping. File names are taken relative to `directory`.
///
/// **Errors**: a clause that says what is wrong with it.
pub(super) fn read_mapping(text: &[u8], directory: &Path, field_bytes_max: usize) -> Result<Mapping, String> {
    let value: Value = serde_json::from_slice(text).map_err(|e| format!("mapping is not valid JSON: {e}"))?;
    let top = object(&value, "mapping")?;
    check_keys(top, "mapping", &[&["nodes", "edges"], &SHARED])?;
    byte(top.get("delimiter"), "delimiter", b',')?;
    byte(top.get("array_delimiter"), "array_delimiter", b';')?;
    let reader = Reader { top, directory, field_bytes_max };
    let mut nodes = Vec::new();
    for (i, value) in list(top, "nodes")?.iter().enumerate() {
        let what = format!("nodes[{i}]");
        nodes.push(reader.node(object(value, &what)?, &what)?);
    }
    let mut edges = Vec::new();
    for (i, value) in list(top, "edges")?.iter().enumerate() {
        let what = format!("edges[{i}]");
        edges.push(reader.edge(object(value, &what)?, &what)?);
    }
    if nodes.is_empty() && edges.is_empty() {
        return Err("mapping has neither nodes nor edges".to_owned());
    }
    Ok(Mapping { nodes, edges })
}

/// A mapping, to read its entries.
struct Reader<'m> {
    top: &'m Map<String, Value>,
    directory: &'m Path,
    field_bytes_max: usize,
}

impl<'m> Reader<'m> {
    fn node(&self, entry: &Map<String, Value>, what: &str) -> Result<NodeEntry, String> {
        let own = ["file", "header", "labels", "label_column", "key", "space", "columns"];
        check_keys(entry, what, &[&own, &SHARED])?;
        let labels = strings(entry.get("labels"), &format!("{what}.labels"))?;
        let text = |key: &str| match entry.get(key) {
            Some(value) => text_of(value, &format!("{what}.{key}")).map(Some),
            None => Ok(None),
        };
        let (key, label_column) = (text("key")?, text("label_column")?);
        let space = match text("space")? {
            Some(space) => space,
            None if key.is_some() && label_column.is_some() && labels.is_empty() => {
                return Err(format!(
                    "{what} takes its labels from a column, so its keys need a name: give it a \"space\", by which edges name it"
                ));
            }
            None => labels.join(":"),
        };
        Ok(NodeEntry { file: self.file(entry, what)?, labels, label_column, key, space })
    }

    fn edge(&self, entry: &Map<String, Value>, what: &str) -> Result<EdgeEntry, String> {
        let own = ["file", "header", "type", "type_column", "from", "to", "columns"];
        check_keys(entry, what, &[&own, &SHARED])?;
        let label = match (entry.get("type"), entry.get("type_column")) {
            (Some(_), Some(_)) => {
                return Err(format!("{what} has both a \"type\" and a \"type_column\": one of them"));
            }
            (Some(label), None) => EdgeLabel::Fixed(text_of(label, &format!("{what}.type"))?),
            (None, Some(column)) => EdgeLabel::Column(text_of(column, &format!("{what}.type_column"))?),
            (None, None) => return Err(format!("{what} has neither a \"type\" nor a \"type_column\"")),
        };
        let end = |name: &str| {
            let what = format!("{what}.{name}");
            let entry = object(required(entry, name, &what)?, &what)?;
            check_keys(entry, &what, &[&["space", "column"]])?;
            let space = text_of(required(entry, "space", &what)?, &format!("{what}.space"))?;
            let column = text_of(required(entry, "column", &what)?, &format!("{what}.column"))?;
            Ok::<_, String>(EndEntry { space, column })
        };
        Ok(EdgeEntry { from: end("from")?, to: end("to")?, file: self.file(entry, what)?, label })
    }

    /// What an entry says, or the mapping for all entries.
    fn shared<'v>(&self, entry: &'v Map<String, Value>, key: &str) -> Option<&'v Value>
    where
        'm: 'v,
    {
        entry.get(key).or_else(|| self.top.get(key))
    }

    fn file(&self, entry: &Map<String, Value>, what: &str) -> Result<FileEntry, String> {
        let paths = self.paths(required(entry, "file", what)?, &format!("{what}.file"))?;
        let header = match entry.get("header") {
            None => None,
            Some(names) => Some(strings(Some(names), &format!("{what}.header"))?),
        };
        let delimiter = byte(self.shared(entry, "delimiter"), "delimiter", b',')?;
        let array_delimiter = byte(self.shared(entry, "array_delimiter"), "array_delimiter", b';')?;
        let quote = match self.shared(entry, "quote") {
            None => b'"',
            Some(Value::String(text)) if text.is_empty() => NO_QUOTE,
            Some(Value::String(text)) if matches!(text.as_bytes(), [b] if b.is_ascii() && !b"\n\r\0".contains(b)) => {
                text.as_bytes()[0]
            }
            Some(_) => return Err("\"quote\" must be one ASCII character, or \"\" for none".to_owned()),
        };
        if quote == delimiter {
            return Err(format!("{what}: \"quote\" and \"delimiter\" are the same"));
        }
        let nulls = match self.shared(entry, "null") {
            Some(Value::String(text)) => vec![text.clone()],
            other @ (Some(Value::Array(_)) | None) => strings(other, "\"null\"")?,
            Some(_) => return Err("\"null\" must be a string or a list of strings".to_owned()),
        };
        let formats = Formats {
            date: self.format(entry, "date_format")?,
            time: self.format(entry, "time_format")?,
            datetime: self.format(entry, "datetime_format")?,
        };
        let mut columns = BTreeMap::new();
        if let Some(value) = entry.get("columns") {
            for (column, said) in object(value, &format!("{what}.columns"))? {
                let said = column_entry(said, column, what, array_delimiter)?;
                columns.insert(column.clone(), said);
            }
        }
        let dialect = Dialect { delimiter, quote, field_bytes_max: self.field_bytes_max };
        Ok(FileEntry { paths, header, columns, dialect, array_delimiter, nulls: Nulls::new(&nulls), formats })
    }

    fn paths(&self, value: &Value, what: &str) -> Result<Vec<PathBuf>, String> {
        let names = match value {
            Value::Array(_) => strings(Some(value), what)?,
            other => vec![
                text_of(other, what).map_err(|_| format!("{what} must be a string or a list of strings"))?,
            ],
        };
        let mut paths = Vec::new();
        for name in &names {
            paths.extend(files_of(self.directory, name)?);
        }
        match paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path)) {
            Some((_, twice)) => Err(format!("{what} names \"{}\" twice", twice.display())),
            None if paths.is_empty() => Err(format!("{what} names no file")),
            None => Ok(paths),
        }
    }

    fn format(&self, entry: &Map<String, Value>, key: &str) -> Result<Option<Arc<TimeFormat>>, String> {
        match self.shared(entry, key) {
            None => Ok(None),
            Some(value) => time_format(value, &format!("\"{key}\"")).map(Some),
        }
    }
}

fn time_format(value: &Value, what: &str) -> Result<Arc<TimeFormat>, String> {
    let text = text_of(value, what)?;
    TimeFormat::new(&text).map(Arc::new).map_err(|why| format!("{what}: {why}"))
}

/// `"int"`, or `{ "type": "int", "name": "age", "format": …, "array_delimiter": … }`.
fn column_entry(value: &Value, column: &str, what: &str, delimiter: u8) -> Result<ColumnEntry, String> {
    let parse = |name: &str, delimiter: u8| match name {
        "skip" => Ok(Parse::Skip),
        name => parse_type(name, delimiter).ok_or_else(|| {
            format!("{what}: column \"{column}\" has unknown type \"{name}\"; known are skip, {TYPE_NAMES}")
        }),
    };
    let what = format!("{what}.columns.{column}");
    let entry = match value {
        Value::String(name) => {
            return Ok(ColumnEntry { parse: Some(parse(name, delimiter)?), ..ColumnEntry::default() });
        }
        Value::Object(entry) => entry,
        _ => return Err(format!("{what} must be the name of a type, or an object")),
    };
    check_keys(entry, &what, &[&["type", "name", "format", "array_delimiter"]])?;
    let delimiter = byte(entry.get("array_delimiter"), "array_delimiter", delimiter)?;
    let name = entry.get("name").map(|name| text_of(name, &format!("{what}.name"))).transpose()?;
    let format =
        entry.get("format").map(|format| time_format(format, &format!("{what}.format"))).transpose()?;
    let ty = entry.get("type").map(|ty| text_of(ty, &format!("{what}.type"))).transpose()?;
    let parse = ty.map(|ty| parse(&ty, delimiter)).transpose()?;
    if name.as_deref() == Some("") {
        return Err(format!("{what}.name is empty"));
    }
    let is_time = |parse: Parse| {
        use LogicalType as L;
        matches!(parse, Parse::One(L::Date | L::LocalTime | L::Time | L::LocalDateTime | L::DateTime))
    };
    let parse = match (parse, &format) {
        (Some(parse), Some(_)) if !is_time(parse) => {
            return Err(format!("{what} has a \"format\", which only dates and times have"));
        }
        (None, Some(format)) => Some(Parse::One(format.kind())),
        (parse, _) => parse,
    };
    Ok(ColumnEntry { parse, name, format })
}

fn check_keys(entry: &Map<String, Value>, what: &str, known: &[&[&str]]) -> Result<(), String> {
    let known = || known.iter().copied().flatten().copied();
    let Some(odd) = entry.keys().find(|key| !known().any(|one| one == key.as_str())) else { return Ok(()) };
    let near = match nearest(odd, known()) {
        Some(near) => format!("; did you mean \"{near}\"?"),
        None => format!("; known are {}", known().collect::<Vec<_>>().join(", ")),
    };
    Err(format!("{what} has unknown key \"{odd}\"{near}"))
}

fn required<'a>(entry: &'a Map<String, Value>, key: &str, what: &str) -> Result<&'a Value, String> {
    entry.get(key).ok_or_else(|| format!("{what} has no \"{key}\""))
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{what} must be an object"))
}

fn text_of(value: &Value, what: &str) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("{what} must be a string"))
}

fn strings(value: Option<&Value>, what: &str) -> Result<Vec<String>, String> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| text_of(item, what)).collect(),
        Some(_) => Err(format!("{what} must be a list of strings")),
    }
}

fn list<'a>(top: &'a Map<String, Value>, key: &str) -> Result<&'a [Value], String> {
    match top.get(key) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(format!("\"{key}\" must be a list")),
    }
}

fn byte(value: Option<&Value>, key: &str, default: u8) -> Result<u8, String> {
    let Some(value) = value else { return Ok(default) };
    match value.as_str().map(str::as_bytes) {
        Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
        _ => Err(format!("\"{key}\" must be one ASCII character, neither a quote nor a line end")),
    }
}
