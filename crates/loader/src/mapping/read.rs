//! JSON in, a checked mapping out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use trimorph_base::nearest;

use crate::plan::Parse;
use crate::type_name::{TYPE_NAMES, parse_type};

/// What a mapping file says.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) delimiter: u8,
    pub(super) nulls: Vec<String>,
    pub(super) nodes: Vec<NodeEntry>,
    pub(super) edges: Vec<EdgeEntry>,
}

/// What nodes and edges have in common.
#[derive(Debug)]
pub(super) struct FileEntry {
    pub(super) path: PathBuf,
    /// Column names, for files without a header line.
    pub(super) header: Option<Vec<String>>,
    pub(super) columns: BTreeMap<String, Parse>,
}

#[derive(Debug)]
pub(super) struct NodeEntry {
    pub(super) file: FileEntry,
    pub(super) labels: Vec<String>,
    pub(super) key: Option<String>,
    pub(super) space: String,
}

#[derive(Debug)]
pub(super) struct EdgeEntry {
    pub(super) file: FileEntry,
    pub(super) label: String,
    pub(super) from: EndEntry,
    pub(super) to: EndEntry,
}

#[derive(Debug)]
pub(super) struct EndEntry {
    pub(super) space: String,
    pub(super) column: String,
}

/// Reads a mapping. File names are taken relative to `directory`.
///
/// **Errors**: a clause that says what is wrong with it.
pub(super) fn read_mapping(text: &[u8], directory: &Path) -> Result<Mapping, String> {
    let value: Value = serde_json::from_slice(text).map_err(|e| format!("mapping is not valid JSON: {e}"))?;
    let top = object(&value, "mapping")?;
    check_keys(top, "mapping", &["delimiter", "null", "array_delimiter", "nodes", "edges"])?;
    let delimiter = byte(top, "delimiter", b',')?;
    let array_delimiter = byte(top, "array_delimiter", b';')?;
    let nulls = match top.get("null") {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(_)) | None => strings(top.get("null"), "\"null\"")?,
        Some(_) => return Err("\"null\" must be a string or a list of strings".to_owned()),
    };
    let mut nodes = Vec::new();
    for (i, value) in list(top, "nodes")?.iter().enumerate() {
        let what = format!("nodes[{i}]");
        nodes.push(node(object(value, &what)?, &what, directory, array_delimiter)?);
    }
    let mut edges = Vec::new();
    for (i, value) in list(top, "edges")?.iter().enumerate() {
        let what = format!("edges[{i}]");
        edges.push(edge(object(value, &what)?, &what, directory, array_delimiter)?);
    }
    if nodes.is_empty() && edges.is_empty() {
        return Err("mapping has neither nodes nor edges".to_owned());
    }
    Ok(Mapping { delimiter, nulls, nodes, edges })
}

fn node(
    entry: &Map<String, Value>,
    what: &str,
    directory: &Path,
    array_delimiter: u8,
) -> Result<NodeEntry, String> {
    check_keys(entry, what, &["file", "header", "labels", "key", "space", "columns"])?;
    let labels = strings(entry.get("labels"), &format!("{what}.labels"))?;
    let space = match entry.get("space") {
        Some(space) => text_of(space, &format!("{what}.space"))?,
        None => labels.join(":"),
    };
    let key = match entry.get("key") {
        Some(key) => Some(text_of(key, &format!("{what}.key"))?),
        None => None,
    };
    Ok(NodeEntry { file: file(entry, what, directory, array_delimiter)?, labels, key, space })
}

fn edge(
    entry: &Map<String, Value>,
    what: &str,
    directory: &Path,
    array_delimiter: u8,
) -> Result<EdgeEntry, String> {
    check_keys(entry, what, &["file", "header", "type", "from", "to", "columns"])?;
    let label = text_of(required(entry, "type", what)?, &format!("{what}.type"))?;
    let end = |name: &str| {
        let what = format!("{what}.{name}");
        let entry = object(required(entry, name, &what)?, &what)?;
        check_keys(entry, &what, &["space", "column"])?;
        let space = text_of(required(entry, "space", &what)?, &format!("{what}.space"))?;
        let column = text_of(required(entry, "column", &what)?, &format!("{what}.column"))?;
        Ok::<_, String>(EndEntry { space, column })
    };
    Ok(EdgeEntry {
        from: end("from")?,
        to: end("to")?,
        file: file(entry, what, directory, array_delimiter)?,
        label,
    })
}

fn file(
    entry: &Map<String, Value>,
    what: &str,
    directory: &Path,
    array_delimiter: u8,
) -> Result<FileEntry, String> {
    let path = directory.join(text_of(required(entry, "file", what)?, &format!("{what}.file"))?);
    let header = match entry.get("header") {
        None => None,
        Some(names) => Some(strings(Some(names), &format!("{what}.header"))?),
    };
    let mut columns = BTreeMap::new();
    if let Some(value) = entry.get("columns") {
        for (column, kind) in object(value, &format!("{what}.columns"))? {
            let name = text_of(kind, &format!("{what}.columns.{column}"))?;
            let parse = if name == "skip" { Some(Parse::Skip) } else { parse_type(&name, array_delimiter) };
            let Some(parse) = parse else {
                return Err(format!(
                    "{what}: column \"{column}\" has unknown type \"{name}\"; known are skip, {TYPE_NAMES}"
                ));
            };
            columns.insert(column.clone(), parse);
        }
    }
    Ok(FileEntry { path, header, columns })
}

fn check_keys(entry: &Map<String, Value>, what: &str, known: &[&str]) -> Result<(), String> {
    let Some(odd) = entry.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let near =
        nearest(odd, known.iter().copied()).map_or(String::new(), |n| format!("; did you mean \"{n}\"?"));
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

fn byte(top: &Map<String, Value>, key: &str, default: u8) -> Result<u8, String> {
    let Some(value) = top.get(key) else { return Ok(default) };
    match value.as_str().map(str::as_bytes) {
        Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
        _ => Err(format!("\"{key}\" must be one ASCII character, neither a quote nor a line end")),
    }
}
