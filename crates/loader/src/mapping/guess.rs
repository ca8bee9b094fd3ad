//! A directory of CSV, JSON and Parquet files in, a mapping for them out, which people look at and change.
//!
//! 1. Files are read as far as their names, their columns and a sample of rows go.
//! 2. A file with two columns of keys that name ends (`source`, `target` and the like; or two columns named
//!    like other files, and no `id`) is edges, the others are nodes. A node's label is its file's name; its
//!    key is `id`, `NAME_id`, or else, if edges need one, the first column of integers or texts without a
//!    value twice in the sample.
//! 3. Which nodes an end names: those whose label the column's name begins with, else those whose keys the
//!    sample's values are among most often, else the only ones there are.
//! 4. A column `OTHER_id` of nodes whose values are keys of others makes edges out of the same file, too.
//! 5. Types are those that a load would find; they are written down, so that they can be changed.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use trimorph_types::LogicalType;

use super::formats::Formats;
use super::infer::infer_types;
use crate::csv::Dialect;
use crate::csv::header::read_head;
use crate::csv::split::Splitter;
use crate::detect::is_mapping_file;
use crate::files::is_rejects;
use crate::json::{self, is_json};
use crate::parquet::ParquetFile;
use crate::plan::{Nulls, Parse};
use crate::report::odd_name;
use crate::source::Source;
use crate::{ColumnReport, Compression, LoadError};

/// Pairs of names that the ends of edges have.
const ENDS: &[(&str, &str)] = &[
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("start", "end"),
    ("head", "tail"),
    ("subject", "object"),
    ("a", "b"),
];

/// Longest field of a sample.
const FIELD_BYTES_MAX: usize = 1 << 20;

/// A data file, as far as it was looked at.
struct Seen {
    /// Its name in the directory.
    file: String,
    /// Its name without endings.
    stem: String,
    columns: Vec<(String, LogicalType)>,
    /// Those that are text because of a value.
    fell: Vec<ColumnReport>,
    /// Its types are written in it.
    has_types: bool,
    /// Between its columns, where it has several.
    delimiter: Option<u8>,
    /// Values of each column in the sample.
    values: Vec<HashSet<String>>,
    /// Columns of which the sample has a value twice, or none.
    repeats: Vec<bool>,
}

impl Seen {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }
}

/// Nodes that a file has.
struct Nodes<'s> {
    seen: &'s Seen,
    label: String,
    key: Option<usize>,
    /// The key is called one, and not only without a value twice in the sample.
    is_called_key: bool,
}

/// A mapping that was guessed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GuessedMapping {
    /// What the mapping file is to have.
    pub text: String,
    /// Columns that are text because of a value in the sample, and the names of their files.
    pub fell: Vec<(String, ColumnReport)>,
    /// Files that the mapping does without, each with the reason: `DIR/a.csv: file is empty; …`.
    pub left_out: Vec<String>,
    /// Files of CSV with a column that is called by a number, and that name: the first line may be a row.
    pub odd_headers: Vec<(String, String)>,
}

/// Guesses a mapping for the files in `directory`.
///
/// **Errors**: a directory that cannot be read; no such files, or none that can be read.
pub fn guess_mapping(directory: &Path) -> Result<GuessedMapping, LoadError> {
    let mut looked = look_at_all(directory)?;
    if looked.seen.is_empty()
        && let Some((_, error)) = looked.unread.drain(..).next()
    {
        return Err(error);
    }
    let unread = looked.unread.iter().map(|(path, error)| (path, error.to_string()));
    let double =
        |path: &PathBuf, plain: &PathBuf| format!("{}: {} is there, too", path.display(), plain.display());
    let doubles = looked.doubles.iter().map(|(path, plain)| (path, double(path, plain)));
    let mut left_out: Vec<(&PathBuf, String)> = unread.chain(doubles).collect();
    left_out.sort();
    let left_out = left_out.into_iter().map(|(_, reason)| reason).collect();
    let all = looked.seen;
    let text = write(&all, true);
    let odd = |seen: &Seen| {
        Some((seen.file.clone(), odd_name(seen.names().filter(|_| !seen.has_types))?.to_owned()))
    };
    let odd_headers = all.iter().filter_map(odd).collect();
    let of_file = |seen: Seen| seen.fell.into_iter().map(move |column| (seen.file.clone(), column));
    Ok(GuessedMapping { text, fell: all.into_iter().flat_map(of_file).collect(), left_out, odd_headers })
}

/// The text of a mapping for all files in `directory`, to load them: nothing is left out but compressed
/// copies.
///
/// **Errors**: as [`guess_mapping`], and a file that cannot be read, or relationships without any nodes.
pub(super) fn mapping_of_all(directory: &Path) -> Result<String, LoadError> {
    let looked = look_at_all(directory)?;
    if let Some((_, error)) = looked.unread.into_iter().next() {
        let dir = directory.display();
        return Err(error.hint(format!(
            "take it out of the directory, or load the others: trimorph map {dir} --out {dir}/mapping.json, \
             then trimorph load DB {dir}/mapping.json"
        )));
    }
    let all = looked.seen;
    let mut between = all.iter().filter_map(|seen| ends(seen, &all).map(|ends| (seen, ends)));
    if let Some((seen, (from, to))) = between.next().filter(|_| between.count() + 1 == all.len()) {
        let [from, to] = [from, to].map(|at| &seen.columns[at].0);
        let reason = "directory has files of relationships, and none of the nodes that they are between";
        return Err(LoadError::format(directory, reason).hint(format!(
            "add a file with a column id, which has the keys that columns \"{from}\" and \"{to}\" of {} name",
            seen.file
        )));
    }
    // A load finds the same types by itself, and tells which columns are text because of a value.
    Ok(write(&all, false))
}

/// The data files of a directory, as far as they were looked at.
#[derive(Default)]
struct Looked {
    seen: Vec<Seen>,
    /// Those that cannot be read, and why.
    unread: Vec<(PathBuf, LoadError)>,
    /// Compressed files whose contents are there, too, and those.
    doubles: Vec<(PathBuf, PathBuf)>,
}

/// Looks at all data files of a directory.
fn look_at_all(directory: &Path) -> Result<Looked, LoadError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(|e| LoadError::io(directory, "list", e))? {
        let path = entry.map_err(|e| LoadError::io(directory, "list", e))?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
        let stem = Compression::of_name(&name).0;
        let is_data = name.ends_with(".parquet")
            || [".csv", ".tsv"].iter().any(|end| stem.ends_with(end))
            || (is_json(&name) && !is_mapping_file(&path));
        let is_ours = name.starts_with(['.', '_']) || is_rejects(&path);
        if path.is_file() && !is_ours && is_data {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let error =
            LoadError::format(directory, "directory has no .csv, .tsv, .jsonl, .json or .parquet files");
        return Err(error.hint("give the directory that the data files are in"));
    }
    let mut looked = Looked::default();
    for path in &files {
        if let Some(plain) = decompressed(path).filter(|plain| files.contains(plain)) {
            looked.doubles.push((path.clone(), plain));
            continue;
        }
        match look(path) {
            Ok(seen) => looked.seen.push(seen),
            Err(error) => looked.unread.push((path.clone(), error)),
        }
    }
    Ok(looked)
}

/// The path of a compressed file without the ending that says so.
fn decompressed(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let plain = Compression::of_name(name).0;
    (plain.len() < name.len()).then(|| path.with_file_name(plain))
}

/// Reads a file's names, types and sample.
fn look(path: &Path) -> Result<Seen, LoadError> {
    let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default().to_owned();
    let lower = file.to_lowercase();
    if lower.ends_with(".parquet") {
        let (_, names, parses) = ParquetFile::open(path, &|_| false)?;
        let columns: Vec<_> =
            names.into_iter().zip(parses.iter().map(|p: &Parse| p.logical_type())).collect();
        let (values, repeats) = (vec![HashSet::new(); columns.len()], vec![false; columns.len()]);
        let fell = Vec::new();
        return Ok(Seen { file, stem, columns, fell, has_types: true, delimiter: None, values, repeats });
    }
    let source = Source::File(path.to_owned());
    if is_json(&lower) {
        return look_at_json(&source, file, stem);
    }
    let delimiter = delimiter_of(path, b'"')?;
    let found =
        Dialect { delimiter: delimiter.unwrap_or(b','), quote: b'"', field_bytes_max: FIELD_BYTES_MAX };
    let head = read_head(&source, found)?;
    let text = &head.sample.bytes;
    let types = infer_types(text, found, &Nulls::default(), &Formats::default(), head.names.len(), true);
    let found_out = head.names.into_iter().zip(types);
    let found_out = found_out.map(|(name, (ty, fell))| ColumnReport { name, ty, fell }).collect::<Vec<_>>();
    let columns: Vec<_> = found_out.iter().map(|column| (column.name.clone(), column.ty)).collect();
    let fell = found_out.into_iter().filter(|column| column.fell.is_some()).collect();
    let mut values = vec![HashSet::new(); columns.len()];
    let mut repeats = vec![false; columns.len()];
    let mut splitter = Splitter::new(text, found, 1);
    splitter.next();
    while let Some(record) = splitter.next() {
        if record.fault.is_some() || splitter.fields.len() != columns.len() {
            continue;
        }
        for (index, field) in splitter.fields.iter().enumerate() {
            let value = String::from_utf8_lossy(&field.value(text)).into_owned();
            repeats[index] |= value.is_empty() || !values[index].insert(value);
        }
    }
    Ok(Seen { file, stem, columns, fell, has_types: false, delimiter, values, repeats })
}

/// The delimiter that cuts the first line of a file of CSV into most names; none if it has only one. Other
/// files have none.
pub(super) fn delimiter_of(path: &Path, quote: u8) -> Result<Option<u8>, LoadError> {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    if name.ends_with(".parquet") || is_json(&name) {
        return Ok(None);
    }
    let source = Source::File(path.to_owned());
    let mut best = (1, None);
    for candidate in *b",;\t|" {
        let dialect = Dialect { delimiter: candidate, quote, field_bytes_max: FIELD_BYTES_MAX };
        let names = read_head(&source, dialect)?.names.len();
        best = if names > best.0 { (names, Some(candidate)) } else { best };
    }
    Ok(best.1)
}

/// The same of a file of objects.
fn look_at_json(source: &Source, file: String, stem: String) -> Result<Seen, LoadError> {
    let (nulls, formats) = (Nulls::default(), Formats::default());
    let found = json::infer::columns(source, &nulls, &formats, FIELD_BYTES_MAX, &|_| false)?;
    let columns: Vec<_> = found.iter().map(|column| (column.name(), column.parse.logical_type())).collect();
    let mut keys = json::keys::Keys::default();
    for (at, column) in found.iter().enumerate() {
        let path: Vec<&str> = column.path.iter().map(String::as_str).collect();
        keys.insert(&path, at);
    }
    let mut values = vec![HashSet::new(); columns.len()];
    let mut repeats = vec![false; columns.len()];
    json::each_sample(
        source,
        &keys,
        FIELD_BYTES_MAX,
        &mut |row: Vec<Option<String>>| {
            for (index, value) in row.into_iter().enumerate() {
                repeats[index] |= value.is_none_or(|value| !values[index].insert(value));
            }
        },
        columns.len(),
    )?;
    // Its types are its own, as those of Parquet are.
    let fell = Vec::new();
    Ok(Seen { file, stem, columns, fell, has_types: true, delimiter: None, values, repeats })
}

/// A name with its words begun by capitals: `film_star` is `FilmStar`.
fn label(stem: &str) -> String {
    let words = stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let label: String = words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
        })
        .collect();
    if label.is_empty() { "Node".to_owned() } else { label }
}

/// A name in capitals with underscores: `actedIn` is `ACTED_IN`.
fn edge_type(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if !c.is_alphanumeric() {
            out.push(if out.ends_with('_') || out.is_empty() { continue } else { '_' });
        } else {
            if c.is_uppercase() && before.is_lowercase() {
                out.push('_');
            }
            out.extend(c.to_uppercase());
        }
        before = c;
    }
    let out = out.trim_end_matches('_').to_owned();
    if out.is_empty() { "EDGE".to_owned() } else { out }
}

/// The name of another file that a column's name is made of: `movie_id`, `movieId`, `movie` and `movie2` name
/// `movies`.
fn refers_to(column: &str, stem: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    let (column, stem) = (plain(column), plain(stem));
    let column = ["id", "key", "code"].iter().find_map(|end| column.strip_suffix(end)).unwrap_or(&column);
    let column = column.trim_end_matches(|c: char| c.is_ascii_digit());
    let singular =
        stem.strip_suffix("ies").map_or_else(|| stem.trim_end_matches('s').to_owned(), |s| format!("{s}y"));
    !column.is_empty() && (column == stem || column == singular)
}

/// The columns of the two ends, if the file is one of edges.
fn ends(seen: &Seen, all: &[Seen]) -> Option<(usize, usize)> {
    let lower: Vec<String> = seen.columns.iter().map(|(name, _)| name.to_lowercase()).collect();
    let bare = |name: &str| name.trim_end_matches("id").trim_end_matches('_').to_owned();
    let at = |end: &str| lower.iter().position(|name| name == end || bare(name) == end);
    // Keys are integers or texts: a start and an end that are dates name none.
    let may_be_keys = |at: usize| matches!(seen.columns[at].1, LogicalType::Int | LogicalType::String);
    for (from, to) in ENDS {
        if let (Some(from), Some(to)) = (at(from), at(to))
            && may_be_keys(from)
            && may_be_keys(to)
        {
            return Some((from, to));
        }
    }
    let own = lower.iter().any(|name| name == "id") || lower.iter().any(|name| refers_to(name, &seen.stem));
    let others = || all.iter().filter(|other| other.stem != seen.stem);
    let refers = |name: &String| others().any(|other| refers_to(name, &other.stem));
    let mut referring = (0..lower.len()).filter(|i| refers(&lower[*i]));
    let pair = referring.next().zip(referring.next());
    pair.filter(|_| !own)
}

/// How a mapping is written.
#[derive(Clone, Copy)]
struct Style {
    /// Between columns, unless a file says another.
    delimiter: u8,
    /// Whether the types of columns are written down.
    has_types: bool,
}

/// The text of a mapping.
fn write(all: &[Seen], has_types: bool) -> String {
    // What most files have between columns is said once.
    let count = |delimiter: u8| all.iter().filter(|seen| seen.delimiter == Some(delimiter)).count();
    let delimiter = *b",;\t|".iter().rev().max_by_key(|delimiter| count(**delimiter)).unwrap_or(&b',');
    let style = Style { delimiter, has_types };
    let is_edges = |seen: &&Seen| ends(seen, all).is_some();
    let mut nodes: Vec<Nodes<'_>> = all.iter().filter(|seen| !is_edges(seen)).map(nodes_of).collect();
    let mut edges: Vec<String> = Vec::new();
    let mut named: HashSet<String> = HashSet::new();
    for seen in all.iter().filter(is_edges) {
        if let Some((from, to)) = ends(seen, all) {
            let name = between(&seen.stem, &nodes);
            let ends = [(from, space_of(seen, from, &nodes)), (to, space_of(seen, to, &nodes))];
            named.extend(ends.iter().map(|(_, label)| label.clone()));
            edges.push(edge(seen, &edge_type(&name), ends, true, style));
        }
    }
    for node in &nodes {
        let Some(key) = node.key else { continue };
        for (at, (name, _)) in node.seen.columns.iter().enumerate().filter(|(at, _)| *at != key) {
            let target = nodes.iter().find(|other| other.key.is_some() && refers_to(name, &other.seen.stem));
            let is_key = |other: &&Nodes<'_>| other.seen.has_types || holds(node.seen, at, other) > 0;
            let lower = name.to_lowercase();
            let has_end = ["id", "key", "code"].iter().any(|end| lower.ends_with(end));
            if let Some(target) = target.filter(is_key).filter(|_| has_end) {
                let bare = ["id", "Id", "ID"].iter().find_map(|id| name.strip_suffix(id)).unwrap_or(name);
                let ends = [(key, node.label.clone()), (at, target.label.clone())];
                named.extend(ends.iter().map(|(_, label)| label.clone()));
                edges.push(edge(node.seen, &edge_type(&format!("has_{bare}")), ends, false, style));
            }
        }
    }
    // A value may come twice behind the sample: what nobody needs as a key is none.
    for node in nodes.iter_mut().filter(|node| !node.is_called_key && !named.contains(&node.label)) {
        node.key = None;
    }
    let nodes: Vec<String> = nodes.iter().map(|node| node_entry(node, style)).collect();
    format!(
        "{{\n  \"delimiter\": {},\n  \"null\": \"\",\n  \"nodes\": [\n{}\n  ],\n  \"edges\": [\n{}\n  ]\n}}\n",
        quoted(&char::from(delimiter).to_string()),
        nodes.join(",\n"),
        edges.join(",\n")
    )
}

fn nodes_of(seen: &Seen) -> Nodes<'_> {
    let named =
        |is: &dyn Fn(&str) -> bool| seen.columns.iter().position(|(name, _)| is(&name.to_lowercase()));
    let is_unique = |key: &usize| !seen.repeats[*key];
    let called = named(&|name| name == "id").or_else(|| named(&|name| refers_to(name, &seen.stem)));
    let may_be_key = |at: &usize| matches!(seen.columns[*at].1, LogicalType::Int | LogicalType::String);
    let first = || (0..seen.columns.len()).find(|at| is_unique(at) && may_be_key(at));
    let key = called.map_or_else(first, |called| Some(called).filter(is_unique));
    Nodes { seen, label: label(&seen.stem), key, is_called_key: called.is_some() }
}

/// How many of a column's values are keys of some nodes.
fn holds(seen: &Seen, column: usize, nodes: &Nodes<'_>) -> usize {
    let keys = nodes.key.map(|key| &nodes.seen.values[key]);
    keys.map_or(0, |keys| seen.values[column].iter().filter(|value| keys.contains(*value)).count())
}

/// The nodes that a column of ends names.
fn space_of(seen: &Seen, column: usize, nodes: &[Nodes<'_>]) -> String {
    let name = &seen.columns[column].0;
    let by_name = nodes.iter().find(|node| node.key.is_some() && refers_to(name, &node.seen.stem));
    let by_values = || {
        let counted = nodes.iter().map(|node| (holds(seen, column, node), node));
        counted.filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count).map(|(_, node)| node)
    };
    let found = by_name.or_else(by_values).or_else(|| nodes.iter().find(|node| node.key.is_some()));
    found.map_or_else(|| "Node".to_owned(), |node| node.label.clone())
}

/// A file's name without the names of nodes around it: `person_knows_person` is `knows`.
fn between(stem: &str, nodes: &[Nodes<'_>]) -> String {
    let words: Vec<&str> = stem.split('_').collect();
    let is_node = |word: &&str| nodes.iter().any(|node| refers_to(word, &node.seen.stem));
    match &words[..] {
        [first, inner @ .., last] if !inner.is_empty() && is_node(first) && is_node(last) => inner.join("_"),
        _ => stem.to_owned(),
    }
}

fn node_entry(node: &Nodes<'_>, style: Style) -> String {
    let key =
        node.key.map_or(String::new(), |key| format!(", \"key\": {}", quoted(&node.seen.columns[key].0)));
    let head = format!("{}, \"labels\": [{}]{key}", file_of(node.seen, style.delimiter), quoted(&node.label));
    let columns = |at: usize| (Some(at) != node.key).then(|| type_name(node.seen.columns[at].1)).flatten();
    entry(&head, node.seen, style, columns)
}

fn edge(seen: &Seen, name: &str, ends: [(usize, String); 2], with_columns: bool, style: Style) -> String {
    let end = |(column, space): &(usize, String)| {
        format!("{{ \"space\": {}, \"column\": {} }}", quoted(space), quoted(&seen.columns[*column].0))
    };
    let [from, to] = &ends;
    let head = format!(
        "{}, \"type\": {},\n      \"from\": {}, \"to\": {}",
        file_of(seen, style.delimiter),
        quoted(name),
        end(from),
        end(to)
    );
    let columns = |at: usize| match [from.0, to.0].contains(&at) {
        true => None,
        false if with_columns => type_name(seen.columns[at].1),
        false => Some("skip"),
    };
    entry(&head, seen, style, columns)
}

/// A file, and its delimiter if that is not the usual one.
fn file_of(seen: &Seen, usual: u8) -> String {
    let file = format!("\"file\": {}", quoted(&seen.file));
    match seen.delimiter.filter(|delimiter| *delimiter != usual) {
        Some(other) => format!("{file}, \"delimiter\": {}", quoted(&char::from(other).to_string())),
        None => file,
    }
}

/// An entry with the columns that are to be named.
fn entry(head: &str, seen: &Seen, style: Style, column: impl Fn(usize) -> Option<&'static str>) -> String {
    let mut columns = String::new();
    for (at, (name, _)) in seen.columns.iter().enumerate() {
        // Those of the file itself are not repeated.
        let is_written = |ty: &&str| (style.has_types && !seen.has_types) || *ty == "skip";
        if let Some(ty) = column(at).filter(is_written) {
            let comma = if columns.is_empty() { "" } else { ", " };
            // Infallible: it is a text.
            let _ = write!(columns, "{comma}{}: \"{ty}\"", quoted(name));
        }
    }
    match columns.is_empty() {
        true => format!("    {{ {head} }}"),
        false => format!("    {{ {head},\n      \"columns\": {{ {columns} }} }}"),
    }
}

/// The name of a type in a mapping.
fn type_name(ty: LogicalType) -> Option<&'static str> {
    Some(match ty {
        LogicalType::Int => "int",
        LogicalType::Float => "float",
        LogicalType::Bool => "boolean",
        LogicalType::Date => "date",
        LogicalType::LocalTime => "localtime",
        LogicalType::LocalDateTime => "localdatetime",
        LogicalType::DateTime => "datetime",
        LogicalType::String => "string",
        _ => return None,
    })
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
