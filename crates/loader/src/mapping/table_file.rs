//! Files of one label or of one relationship type in, with the little that a statement says of them, plans
//! out: a mapping of one entry, whose columns need no names.
//!
//! 1. The columns are those of the first file.
//! 2. The key is the column that is named, else that of nodes which are there, else `id`, where there is one.
//!    The ends of relationships are the columns `source` and `target`, or `from` and `to`, which saving
//!    writes, else the first two.
//! 3. All other columns are properties, or those of them that are named.

use std::collections::BTreeMap;
use std::path::Path;

use trimorph_store::bulk::BulkSink;

use super::draft::Draft;
use super::formats::Formats;
use super::guess::delimiter_of;
use super::plan::plan_mapping;
use super::read::{ColumnEntry, EdgeEntry, EdgeLabel, EndEntry, FileEntry, Mapping, NodeEntry};
use crate::csv::{Dialect, NO_QUOTE};
use crate::feed::InputFile;
use crate::files::{files_of, is_rejects};
use crate::plan::{Nulls, Parse};
use crate::{LoadError, LoadOptions};

/// Pairs of names that the columns of ends have, if they are not the first two.
const ENDS: [[&str; 2]; 2] = [["source", "target"], ["from", "to"]];

/// Files of one label or of one relationship type, and how they are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFile {
    /// The file's name, or one with wildcards.
    pub name: String,
    /// What its rows are.
    pub rows: TableRows,
    /// Names of columns, for CSV without a header line.
    pub header: Option<Vec<String>>,
    /// The properties that are taken, beside the key or the ends; none for all.
    pub only: Option<Vec<String>>,
    /// Between the fields of CSV (one ASCII byte); none to find out.
    pub delimiter: Option<u8>,
    /// Around fields of CSV (one ASCII byte).
    pub quote: Option<u8>,
    /// Texts of CSV that are null, beside the empty field.
    pub nulls: Vec<String>,
}

/// What the rows of a file are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableRows {
    /// Nodes.
    Nodes {
        /// Their label.
        label: String,
        /// The column by which relationships find them.
        key: Option<String>,
        /// The key that nodes of this label have, to be taken where the file has it and none is named.
        usual_key: Option<String>,
    },
    /// Relationships.
    Edges {
        /// Their type.
        label: String,
        /// The label of the nodes that they leave, and of those that they go to.
        ends: [String; 2],
    },
}

/// Declares the table to `sink` and says what to make of each file.
pub(crate) fn plan_table(
    table: &TableFile,
    options: &LoadOptions,
    sink: &impl BulkSink,
) -> Result<Vec<InputFile>, LoadError> {
    let place = Path::new(&table.name);
    let paths = files_of(Path::new(""), &table.name).map_err(|reason| LoadError::format(place, reason))?;
    if let Some(path) = paths.iter().find(|path| is_rejects(path)) {
        return Err(LoadError::format(path, "these are rows that a load refused")
            .hint("its column \"row\" has them: mend them in a file of their own"));
    }
    let Some(first) = paths.first().cloned() else {
        return Err(LoadError::format(place, "there is no such file"));
    };
    let quote = table.quote.unwrap_or(NO_QUOTE);
    let delimiter = match table.delimiter {
        Some(delimiter) => delimiter,
        None => delimiter_of(&first, quote)?.unwrap_or(b','),
    };
    let mut file = FileEntry {
        paths,
        header: table.header.clone(),
        columns: BTreeMap::new(),
        dialect: Dialect { delimiter, quote, field_bytes_max: options.field_bytes_max },
        array_delimiter: options.array_delimiter,
        nulls: Nulls::new(&table.nulls),
        formats: Formats::default(),
    };
    let draft = Draft::read(&file, &first)?;
    let names = draft.names().to_vec();
    let taken = match &table.rows {
        TableRows::Nodes { key: Some(key), .. } => {
            draft.column(key)?;
            vec![key.clone()]
        }
        TableRows::Nodes { usual_key, .. } => {
            let usual = usual_key.iter().map(String::as_str).chain(["id"]);
            usual
                .into_iter()
                .find(|key| names.iter().any(|name| name == key))
                .map(str::to_owned)
                .into_iter()
                .collect()
        }
        TableRows::Edges { .. } => ends(&names)
            .ok_or_else(|| draft.wrong("it has one column, and a relationship has two ends".to_owned()))?,
    };
    if let Some(only) = &table.only {
        for name in only {
            draft.column(name)?;
        }
        let skipped = names.iter().filter(|name| !only.contains(name) && !taken.contains(name));
        let skip = || ColumnEntry { parse: Some(Parse::Skip), ..ColumnEntry::default() };
        file.columns = skipped.map(|name| (name.clone(), skip())).collect();
    }
    let mut mapping = Mapping { nodes: Vec::new(), edges: Vec::new() };
    match &table.rows {
        TableRows::Nodes { label, .. } => mapping.nodes.push(NodeEntry {
            file,
            labels: vec![label.clone()],
            label_column: None,
            key: taken.into_iter().next(),
            space: label.clone(),
        }),
        TableRows::Edges { label, ends } => {
            if let Some(end) = ends.iter().find(|end| sink.known_keys(end).is_none()) {
                let reason = format!(
                    "nodes with label \"{end}\" have neither a key nor an \"id\" by which a row could name them"
                );
                return Err(LoadError::format(place, reason).hint("load them first, or give them an \"id\""));
            }
            let mut ends =
                ends.iter().zip(taken).map(|(space, column)| EndEntry { space: space.clone(), column });
            if let (Some(from), Some(to)) = (ends.next(), ends.next()) {
                mapping.edges.push(EdgeEntry { file, label: EdgeLabel::Fixed(label.clone()), from, to });
            }
        }
    }
    plan_mapping(&mapping, &first, options, sink)
}

/// The columns of the two ends.
fn ends(names: &[String]) -> Option<Vec<String>> {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    match ENDS.iter().find(|ends| ends.iter().all(|end| has(end))) {
        Some(ends) => Some(ends.iter().map(|end| (*end).to_owned()).collect()),
        None => names.get(..2).map(<[String]>::to_vec),
    }
}
