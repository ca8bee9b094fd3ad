//! A file of an entry in, its columns and what they are read as out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trimorph_base::nearest;
use trimorph_types::LogicalType;

use super::infer::infer_types;
use super::read::FileEntry;
use crate::csv::header::read_head;
use crate::csv::scan::distinct_values;
use crate::feed::{CsvFile, InputFile};
use crate::json::keys::Keys;
use crate::json::{self, JsonFile, is_json};
use crate::parquet::ParquetFile;
use crate::parse::TimeFormat;
use crate::plan::{FieldPlan, Output, Parse, TablePlan};
use crate::source::Source;
use crate::{FellToText, LoadError};

/// What a file is.
enum Kind {
    Csv,
    Parquet(Box<ParquetFile>),
    Json(Keys),
}

/// A file and its columns.
pub(super) struct Draft<'a> {
    pub(super) entry: &'a FileEntry,
    path: PathBuf,
    names: Vec<String>,
    pub(super) parses: Vec<Parse>,
    formats: Vec<Option<Arc<TimeFormat>>>,
    kind: Kind,
    /// Why columns are text whose type was found out.
    fell: Vec<Option<FellToText>>,
}

impl<'a> Draft<'a> {
    /// Reads the files of an entry: a column has one type in all of them.
    pub(super) fn read_all(entry: &'a FileEntry) -> Result<Vec<Self>, LoadError> {
        let mut drafts: Vec<Self> =
            entry.paths.iter().map(|path| Self::read(entry, path)).collect::<Result<_, _>>()?;
        let mut types: HashMap<String, Parse> = HashMap::new();
        for draft in drafts.iter().filter(|draft| !draft.is_parquet()) {
            for (name, parse) in draft.names.iter().zip(&draft.parses) {
                types
                    .entry(name.clone())
                    .and_modify(|known| *known = joined(*known, *parse))
                    .or_insert(*parse);
            }
        }
        for draft in drafts.iter_mut().filter(|draft| !draft.is_parquet()) {
            for (name, parse) in draft.names.iter().zip(&mut draft.parses) {
                *parse = types.get(name).copied().unwrap_or(*parse);
            }
        }
        drafts.iter_mut().for_each(Self::set_formats);
        Ok(drafts)
    }

    /// Reads one file of an entry.
    pub(super) fn read(entry: &'a FileEntry, path: &Path) -> Result<Self, LoadError> {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let mut draft = if name.ends_with(".parquet") {
            let is_skipped =
                |name: &str| entry.columns.get(name).is_some_and(|c| c.parse == Some(Parse::Skip));
            let (file, names, parses) = ParquetFile::open(path, &is_skipped)?;
            Self::new(entry, path, Kind::Parquet(Box::new(file)), names, parses)
        } else if is_json(&name) {
            Self::read_json(entry, path)?
        } else {
            Self::read_csv(entry, path)?
        };
        draft.take_columns()?;
        if let Some((_, name)) = draft.names.iter().enumerate().find(|(i, n)| draft.names[..*i].contains(n)) {
            return Err(draft.wrong(format!("it has column \"{name}\" twice")));
        }
        Ok(draft)
    }

    fn new(entry: &'a FileEntry, path: &Path, kind: Kind, names: Vec<String>, parses: Vec<Parse>) -> Self {
        let (formats, fell) = (vec![None; names.len()], vec![None; names.len()]);
        Self { entry, path: path.to_owned(), names, parses, formats, kind, fell }
    }

    fn read_csv(entry: &'a FileEntry, path: &Path) -> Result<Self, LoadError> {
        let head = read_head(&Source::File(path.to_owned()), entry.dialect)?;
        let has_header = entry.header.is_none();
        let names = entry.header.clone().unwrap_or(head.names);
        let (text, columns) = (&head.sample.bytes, names.len());
        let found = infer_types(text, entry.dialect, &entry.nulls, &entry.formats, columns, has_header);
        let parses = found.iter().map(|(ty, _)| Parse::One(*ty)).collect();
        let fell = found.into_iter().map(|(_, fell)| fell).collect();
        Ok(Self { fell, ..Self::new(entry, path, Kind::Csv, names, parses) })
    }

    fn read_json(entry: &'a FileEntry, path: &Path) -> Result<Self, LoadError> {
        let source = Source::File(path.to_owned());
        let is_whole = |name: &str| entry.columns.get(name).is_some_and(|column| column.parse.is_some());
        let longest = entry.dialect.field_bytes_max;
        let found = json::infer::columns(&source, &entry.nulls, &entry.formats, longest, &is_whole)?;
        let mut paths: Vec<Vec<String>> = found.iter().map(|column| column.path.clone()).collect();
        let mut names: Vec<String> = found.iter().map(json::infer::Column::name).collect();
        let mut parses: Vec<Parse> = found.iter().map(|column| column.parse).collect();
        let mut fell: Vec<Option<FellToText>> = found.into_iter().map(|column| column.fell).collect();
        // Keys that come later, and have a type.
        for (name, column) in &entry.columns {
            if let Some(parse) = column.parse.filter(|_| !names.contains(name)) {
                paths.push(name.split('.').map(str::to_owned).collect());
                names.push(name.clone());
                parses.push(parse);
                fell.push(None);
            }
        }
        let mut keys = Keys::default();
        for (at, key) in paths.iter().enumerate() {
            let key: Vec<&str> = key.iter().map(String::as_str).collect();
            if !keys.insert(&key, at) {
                let reason =
                    format!("key \"{}\" is an object in one place and a value in another", names[at]);
                return Err(
                    LoadError::format(path, reason).hint("name the outer key with a type, or skip it")
                );
            }
        }
        Ok(Self { fell, ..Self::new(entry, path, Kind::Json(keys), names, parses) })
    }

    /// What the mapping says of columns.
    fn take_columns(&mut self) -> Result<(), LoadError> {
        let entry = self.entry;
        for (name, column) in &entry.columns {
            let Some(at) = self.names.iter().position(|n| n == name) else {
                // In one file of several it may be missing.
                if entry.paths.len() > 1 {
                    continue;
                }
                return Err(self.no_column(name));
            };
            let Some(parse) = column.parse else { continue };
            // Somebody said so.
            self.fell[at] = None;
            let found = self.parses[at];
            let is_text = found == Parse::One(LogicalType::String);
            if !self.is_parquet()
                || parse == Parse::Skip
                || (is_text && parse == Parse::One(LogicalType::Iri))
            {
                self.parses[at] = parse;
            } else if found.logical_type() != parse.logical_type() {
                let reason = format!("column \"{name}\" holds {}", found.logical_type());
                return Err(self
                    .wrong(reason)
                    .hint("the type of a Parquet column cannot be changed, but from text to iri"));
            }
        }
        Ok(())
    }

    fn set_formats(&mut self) {
        if self.is_parquet() {
            return;
        }
        let all = self.names.iter().zip(&self.parses);
        self.formats = all
            .map(|(name, parse)| {
                let Parse::One(kind) = parse else { return None };
                let own = self.entry.columns.get(name).and_then(|column| column.format.as_ref());
                own.or_else(|| self.entry.formats.of(*kind)).cloned()
            })
            .collect();
    }

    /// The names of its columns.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    fn is_parquet(&self) -> bool {
        matches!(self.kind, Kind::Parquet(_))
    }

    pub(super) fn wrong(&self, reason: String) -> LoadError {
        LoadError::format(&self.path, reason)
    }

    fn no_column(&self, name: &str) -> LoadError {
        let error = self.wrong(format!("file has no column \"{name}\""));
        match nearest(name, self.names.iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean \"{near}\"?")),
            None => error.hint(format!("it has {}", self.names.join(", "))),
        }
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Result<usize, LoadError> {
        self.names.iter().position(|n| n == name).ok_or_else(|| self.no_column(name))
    }

    /// A node's key: integers, or anything else as a string.
    pub(super) fn key_column(&mut self, name: &str) -> Result<usize, LoadError> {
        let at = self.column(name)?;
        match self.parses[at].logical_type() {
            LogicalType::Int | LogicalType::String => {}
            other if self.is_parquet() || self.entry.columns.get(name).is_some_and(|c| c.parse.is_some()) => {
                return Err(self.wrong(format!("key \"{name}\" must be INTEGER or STRING, it is {other}")));
            }
            _ => self.read_as(at, LogicalType::String),
        }
        Ok(at)
    }

    /// An edge's end: of the type of the keys it refers to.
    pub(super) fn end_column(&mut self, name: &str, kind: LogicalType) -> Result<usize, LoadError> {
        let at = self.column(name)?;
        let found = self.parses[at].logical_type();
        if self.is_parquet() && found != kind {
            return Err(self.wrong(format!("column \"{name}\" is {found}, the keys it refers to are {kind}")));
        }
        self.read_as(at, kind);
        Ok(at)
    }

    /// A column of labels or types: text.
    pub(super) fn route_column(&mut self, name: &str) -> Result<usize, LoadError> {
        let at = self.column(name)?;
        let found = self.parses[at].logical_type();
        if self.is_parquet() && found != LogicalType::String {
            return Err(self.wrong(format!("column \"{name}\" holds {found}; labels and types are text")));
        }
        self.read_as(at, LogicalType::String);
        Ok(at)
    }

    fn read_as(&mut self, at: usize, kind: LogicalType) {
        (self.parses[at], self.formats[at], self.fell[at]) = (Parse::One(kind), None, None);
    }

    /// The distinct texts of a column of labels or types.
    pub(super) fn distinct(
        &self,
        at: usize,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, LoadError> {
        let source = Source::File(self.path.clone());
        let longest = self.entry.dialect.field_bytes_max;
        match &self.kind {
            Kind::Csv => {
                let has_header = self.entry.header.is_none();
                distinct_values(&source, self.entry.dialect, at, self.names.len(), has_header, is_cancelled)
            }
            Kind::Parquet(file) => file.distinct_values(at, is_cancelled),
            Kind::Json(keys) => json::distinct_values(&source, keys, at, longest, is_cancelled),
        }
    }

    /// The property that a column becomes.
    pub(super) fn property(&self, at: usize) -> &str {
        let name = self.names[at].as_str();
        self.entry.columns.get(name).and_then(|column| column.name.as_deref()).unwrap_or(name)
    }

    /// The places of columns that are properties: all but these, and those that are skipped.
    fn kept(&self, taken: &[usize]) -> impl Iterator<Item = usize> {
        (0..self.names.len()).filter(move |i| !taken.contains(i) && self.parses[*i] != Parse::Skip)
    }

    /// The properties of all columns but these.
    ///
    /// **Errors**: two columns that become one property.
    pub(super) fn properties(&self, taken: &[usize]) -> Result<Vec<(String, LogicalType)>, LoadError> {
        let mut all: Vec<(String, LogicalType)> = Vec::new();
        for at in self.kept(taken) {
            let name = self.property(at);
            if all.iter().any(|(known, _)| known == name) {
                return Err(self.wrong(format!("two of its columns become property \"{name}\"")));
            }
            all.push((name.to_owned(), self.parses[at].logical_type()));
        }
        Ok(all)
    }

    /// Columns by the properties that they become.
    pub(super) fn field_of(&self, taken: &[usize]) -> HashMap<&str, usize> {
        self.kept(taken).map(|at| (self.property(at), at)).collect()
    }

    /// What to make of the file. Rows are refused that lack a value in one of `required`.
    pub(super) fn finish(self, name: String, required: &[usize], output: Output) -> InputFile {
        let fields = (0..self.names.len()).map(|i| FieldPlan {
            name: self.names[i].clone(),
            parse: self.parses[i],
            format: self.formats[i].clone(),
            required: required.contains(&i),
            fell: self.fell[i].clone().filter(|_| self.parses[i] == Parse::One(LogicalType::String)),
        });
        let plan = Arc::new(TablePlan {
            name,
            fields: fields.collect(),
            outputs: vec![output],
            nulls: self.entry.nulls.clone(),
            quoted_empty_is_null: false,
        });
        let source = Source::File(self.path.clone());
        let dialect = self.entry.dialect;
        match self.kind {
            Kind::Parquet(file) => InputFile::Parquet(ParquetFile { plan, ..*file }),
            Kind::Json(keys) => {
                let field_bytes_max = dialect.field_bytes_max;
                InputFile::Json(JsonFile { source, plan, keys: Arc::new(keys), field_bytes_max })
            }
            Kind::Csv => {
                let has_header = self.entry.header.is_none();
                InputFile::Csv(CsvFile { source, plan, dialect, has_header })
            }
        }
    }
}

/// What a column is read as that is one thing in one file and another in the next.
fn joined(a: Parse, b: Parse) -> Parse {
    use LogicalType::{Float, Int, String};
    match (a, b) {
        _ if a == b => a,
        (Parse::Skip, other) | (other, Parse::Skip) => other,
        (Parse::One(Int), Parse::One(Float)) | (Parse::One(Float), Parse::One(Int)) => Parse::One(Float),
        _ => Parse::One(String),
    }
}
