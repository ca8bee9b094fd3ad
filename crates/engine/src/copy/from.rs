//! `COPY … FROM`: files in, nodes of a label or relationships of a type out, by the load that `db.load` is.
//!
//! 1. The name is a relationship type where the options say between which labels, or where it is one
//!    already and no label; else it is a label.
//! 2. Between which labels: those that are named, else those of the only kind of relationships of this type
//!    that there is.
//! 3. The load is a transaction of its own, all or nothing, and no part of another one.

use std::path::PathBuf;
use std::sync::Arc;

use trimorph_base::{CancelToken, Diagnostic, ErrorKind, nearest};
use trimorph_catalog::Catalog;
use trimorph_loader::{
    Compression, LoadOptions, LoadReport, NoProgress, OnConflict, TableFile, TableRows, load_table,
};
use trimorph_types::iri_names::is_hidden;
use trimorph_types::{LogicalType, Value};

use super::options::{each_once, meaning, only_of, sign, takes, text_of, truth, unknown};
use super::{path_of, tables};
use crate::commands::Answer;
use crate::copy_statement::{From, Given, wrong};
use crate::notice::Notice;
use crate::params::Params;
use crate::{Connection, Error, LoadError, QueryResult};

/// What the options say.
#[derive(Debug)]
struct Options {
    has_header: bool,
    delimiter: Option<u8>,
    quote: Option<u8>,
    nulls: Vec<String>,
    key: Option<String>,
    from: Option<String>,
    to: Option<String>,
    on_conflict: OnConflict,
    skip_bad_rows: bool,
    rejects: Option<PathBuf>,
}

const BAD_ROW: &str = "the option IGNORE_ERRORS leaves bad rows out and goes on";
const CONFLICT: &str =
    "ON_CONFLICT skip leaves nodes that are there as they are, ON_CONFLICT merge sets their properties";

const NAMES: [&str; 13] = [
    "HEADER",
    "DELIMITER",
    "DELIM",
    "SEP",
    "QUOTE",
    "NULL",
    "NULLSTR",
    "KEY",
    "FROM",
    "TO",
    "ON_CONFLICT",
    "SKIP_BAD_ROWS",
    "REJECTS",
];

impl Options {
    /// **Errors**: an option that there is not, that is there twice, that only CSV has, or whose value it
    /// does not take.
    fn new(given: &[Given], is_csv: bool) -> Result<Self, Diagnostic> {
        let mut options = Self {
            has_header: true,
            delimiter: None,
            quote: Some(b'"'),
            nulls: Vec::new(),
            key: None,
            from: None,
            to: None,
            on_conflict: OnConflict::Error,
            skip_bad_rows: false,
            rejects: None,
        };
        each_once(given, own_name)?;
        for one in given {
            let name = own_name(&one.name);
            if !is_csv && ["HEADER", "DELIMITER", "QUOTE", "NULL"].contains(&name) {
                return Err(only_of(one, "csv"));
            }
            let text = || text_of(one).map(str::to_owned);
            match name {
                "HEADER" => options.has_header = truth(one)?,
                "DELIMITER" => {
                    let delimiter = sign(one)?.filter(|delimiter| *delimiter != b'"');
                    options.delimiter = Some(delimiter.ok_or_else(|| takes(one, "one character"))?);
                }
                "QUOTE" => options.quote = sign(one)?,
                "NULL" => options.nulls.push(text()?),
                "KEY" => options.key = Some(text()?),
                "FROM" => options.from = Some(text()?),
                "TO" => options.to = Some(text()?),
                "ON_CONFLICT" => {
                    options.on_conflict = match text()?.to_ascii_lowercase().as_str() {
                        "error" => OnConflict::Error,
                        "skip" => OnConflict::Skip,
                        "merge" => OnConflict::Merge,
                        _ => return Err(takes(one, "error, skip or merge")),
                    }
                }
                "SKIP_BAD_ROWS" => options.skip_bad_rows = truth(one)?,
                "REJECTS" => options.rejects = Some(PathBuf::from(text()?)),
                _ => return Err(unknown("COPY … FROM", one, &NAMES)),
            }
        }
        if options.delimiter.is_some() && options.delimiter == options.quote {
            let span = given.iter().map(|one| one.span).next_back().unwrap_or_default();
            return Err(wrong("InvalidOption", "the quote and the delimiter are the same", span));
        }
        // Rows are written down that are left out, and no others.
        options.skip_bad_rows |= options.rejects.is_some();
        Ok(options)
    }
}

/// The option of several names; Kuzu's among them.
fn own_name(name: &str) -> &str {
    match meaning(name) {
        "NULL_STRINGS" => "NULL",
        "IGNORE_ERRORS" => "SKIP_BAD_ROWS",
        "PRIMARY_KEY" => "KEY",
        other => other,
    }
}

impl Connection {
    pub(super) fn copy_from(
        &self,
        text: &str,
        from: &From,
        params: &Arc<Params>,
        cancel: CancelToken,
    ) -> Result<QueryResult, Error> {
        let of_text = |d: Diagnostic| Error::query(d, text);
        self.may_access_files(text, from.target.span())?;
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        if self.in_transaction() {
            let primary = "a load is a transaction of its own, and no part of another";
            let error = Diagnostic::compile(ErrorKind::Unsupported, "CopyFrom", primary).at(from.name_span);
            return Err(of_text(error.hint("commit or roll back first")));
        }
        let path = path_of(&from.target, params).map_err(of_text)?;
        let is_csv = is_csv(&path);
        let options = Options::new(&from.options, is_csv).map_err(of_text)?;
        let names_by_line = is_csv && options.has_header;
        let base = self.shared().base();
        let table = table(base.catalog(), from, &path, &options).map_err(of_text)?;
        let alike = alike(base.catalog(), &table.rows);
        drop(base);
        let load = LoadOptions {
            skip_bad_rows: options.skip_bad_rows,
            on_conflict: options.on_conflict,
            rejects_path: options.rejects,
            cancel: cancel.clone(),
            ..self.shared().load_options()
        };
        let report = self
            .shared()
            .fill(&load, &NoProgress, |sink, options| load_table(&table, options, sink, &NoProgress));
        let report = report.map_err(|error| match error {
            Error::Cancelled => Error::Cancelled.stopped_by(&cancel),
            Error::Load(LoadError::Rejected { text, rejected, .. }) => {
                let hint = if rejected.is_of_known_node() { CONFLICT } else { BAD_ROW };
                Error::Load(LoadError::Rejected { text, rejected, hint: Some(hint) })
            }
            other => other,
        })?;
        let count = |count: u64| Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
        let columns = [
            ("file", LogicalType::String),
            ("nodes", LogicalType::Int),
            ("relationships", LogicalType::Int),
            ("rejected", LogicalType::Int),
        ];
        let row = vec![
            Value::string(path.to_string_lossy().as_ref()),
            count(report.nodes),
            count(report.edges),
            count(report.rejected),
        ];
        let mut result = self.tell(text, Answer::table(&columns, vec![row]), Arc::clone(params), cancel)?;
        let header = if names_by_line { odd_header(&report) } else { None };
        alike.into_iter().chain(header).chain(notices(&report)).for_each(|notice| result.push_notice(notice));
        Ok(result)
    }
}

/// A label or type that is new, and has nearly the name of another.
fn alike(catalog: &Catalog, rows: &TableRows) -> Option<Notice> {
    let (names, name, kind) = match rows {
        TableRows::Nodes { label, .. } => (&catalog.schema.labels, label, "label"),
        TableRows::Edges { label, .. } => (&catalog.schema.types, label, "relationship type"),
    };
    let known = (0..).map_while(|id| names.name(id)).filter(|known| !is_hidden(known));
    let near = match names.id(name) {
        Some(_) => return None,
        None => nearest(name, known.map(|known| &**known))?,
    };
    let primary = format!("{kind} \"{name}\" is new");
    Some(Notice::of_result("NewName", primary, &format!("there is \"{near}\", too")))
}

/// A first line that may be a row.
fn odd_header(report: &LoadReport) -> Option<Notice> {
    let (_, number) = report.odd_header()?;
    let primary =
        format!("the first line was taken for the names of columns, and one is called \"{number}\"");
    let hint = "if it is a row, load the file with (HEADER false)";
    Some(Notice::of_result("OddHeader", primary, hint))
}

/// What a user should know of a load that went well.
fn notices(report: &LoadReport) -> Vec<Notice> {
    let mut notices = Vec::new();
    for column in report.files.iter().flat_map(|file| &file.columns) {
        if let Some(fell) = &column.fell {
            let primary = format!(
                "column \"{}\" is text: it has {:?} among {}",
                column.name,
                fell.value,
                fell.was.name()
            );
            notices.push(Notice::of_result("ColumnAsText", primary, ""));
        }
    }
    if report.without_end > 0 {
        let rows = if report.without_end == 1 { "row has" } else { "rows have" };
        let primary = format!("{} {rows} no relationship: an end is empty", report.without_end);
        notices.push(Notice::of_result("WithoutEnd", primary, ""));
    }
    notices
}

/// Whether a file is CSV, as loads see it.
fn is_csv(path: &std::path::Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let (stem, _) = Compression::of_name(&name);
    ![".parquet", ".json", ".jsonl", ".ndjson"].iter().any(|end| stem.ends_with(end))
}

/// What is loaded from where.
fn table(
    catalog: &Catalog,
    from: &From,
    path: &std::path::Path,
    options: &Options,
) -> Result<TableFile, Diagnostic> {
    let named = match (&options.from, &options.to) {
        (Some(from), Some(to)) => Some([from.clone(), to.clone()]),
        (None, None) => None,
        _ => {
            let primary = "a relationship has two ends, and one is named";
            return Err(wrong("InvalidOption", primary, from.name_span).hint("write (FROM Label, TO Label)"));
        }
    };
    let schema = &catalog.schema;
    let is_type = schema.types.id(&from.name).is_some() && schema.labels.id(&from.name).is_none();
    let (rows, known) = if named.is_some() || is_type {
        if let Some(key) = &options.key {
            let primary = format!("relationships have no key, and \"{key}\" is named as one");
            return Err(wrong("InvalidOption", primary, from.name_span));
        }
        let ends = match named {
            Some(ends) => ends,
            None => tables::ends(catalog, &from.name, from.name_span)?,
        };
        let mut known = vec!["from".to_owned(), "to".to_owned()];
        known.extend(tables::properties_of_type(catalog, &from.name));
        (TableRows::Edges { label: from.name.clone(), ends }, known)
    } else {
        let rows = TableRows::Nodes {
            label: from.name.clone(),
            key: options.key.clone(),
            usual_key: tables::key(catalog, &from.name),
        };
        (rows, tables::properties_of_label(catalog, &from.name))
    };
    let columns: Option<Vec<String>> =
        from.columns.as_ref().map(|columns| columns.iter().map(|(name, _)| name.clone()).collect());
    let (header, only) = match (options.has_header, columns) {
        (true, columns) => (None, columns),
        (false, Some(columns)) => (Some(columns), None),
        (false, None) if !known.is_empty() => (Some(known), None),
        (false, None) => {
            let primary = "the file has no header, so its columns need names";
            let hint = format!("write COPY {} (id, name, …) FROM …", from.name);
            return Err(wrong("InvalidCopy", primary, from.name_span).hint(hint));
        }
    };
    Ok(TableFile {
        name: path.to_string_lossy().into_owned(),
        rows,
        header,
        only,
        delimiter: options.delimiter,
        quote: options.quote,
        nulls: options.nulls.clone(),
    })
}
