//! Paths and perhaps a format in, files of one format out.
//!
//! A directory with an LDBC SNB snapshot is that; any other directory stands for its mapping file, if it has
//! just one (a `.json` file that names nodes or edges), else for its CSV files, if one of them has a
//! neo4j-style header (those aside that a load wrote its bad rows into), else for itself: a mapping is
//! guessed for it. A `.json` file is a mapping, CSV files are neo4j-style.

use std::path::{Path, PathBuf};

use crate::files::is_rejects;
use crate::json::is_json;
use crate::{Format, LoadError, neo4j, snb};

/// What to load and as what.
pub(crate) fn detect(paths: &[PathBuf], format: Option<Format>) -> Result<(Vec<PathBuf>, Format), LoadError> {
    let Some(first) = paths.first() else {
        return Err(LoadError::Format { path: None, reason: "nothing to load".to_owned(), hint: None });
    };
    let format = match format {
        Some(format) => format,
        None => guess(first)?,
    };
    let of_directory: fn(&Path) -> bool = match format {
        Format::LdbcSnb => return Ok((paths.to_vec(), format)),
        Format::Csv | Format::Parquet => is_mapping_file,
        Format::Neo4jCsv => is_csv_file,
        Format::Frames => return Err(LoadError::format(first, "frames are no files")),
    };
    let mut files = Vec::new();
    for path in paths {
        let name = file_name(path);
        let is_data = is_json(&name) && path.is_file() && kind_of(path) == JsonKind::Data;
        if name.ends_with(".parquet") || is_data {
            let kind = if is_data { "JSON" } else { "Parquet" };
            return Err(LoadError::format(path, format!("a {kind} file does not say what its columns mean"))
                .hint("give a mapping file that names it; trimorph map DIR writes one"));
        }
        if format == Format::Neo4jCsv && is_rejects(path) {
            return Err(LoadError::format(path, "these are rows that a load refused")
                .hint("its column \"row\" has them: mend them in a file of their own"));
        }
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = files_of(path, of_directory)?;
        if found.is_empty() && format != Format::Neo4jCsv {
            // Its mapping is guessed.
            files.push(path.clone());
            continue;
        }
        if found.is_empty() {
            return Err(LoadError::format(
                path,
                format!("directory has no files of format {}", format.name()),
            ));
        }
        files.extend(found);
    }
    Ok((files, format))
}

fn guess(path: &Path) -> Result<Format, LoadError> {
    let meta = std::fs::metadata(path).map_err(|e| LoadError::io(path, "open", e))?;
    if meta.is_dir() {
        return guess_directory(path);
    }
    let name = file_name(path);
    if is_json(&name) {
        Ok(Format::Csv)
    } else if name.ends_with(".parquet") {
        Ok(Format::Parquet)
    } else if is_csv(&name) {
        Ok(Format::Neo4jCsv)
    } else {
        let names = Format::ALL.map(Format::name).join(", ");
        Err(LoadError::format(path, "cannot tell its format from its name")
            .hint(format!("name one of {names}")))
    }
}

fn guess_directory(path: &Path) -> Result<Format, LoadError> {
    if snb::find_snapshot(path).is_some() {
        return Ok(Format::LdbcSnb);
    }
    let mappings = files_of(path, is_mapping_file)?;
    if mappings.len() != 1 && files_of(path, is_csv_file)?.iter().any(|file| neo4j::has_header(file)) {
        return Ok(Format::Neo4jCsv);
    }
    match &mappings[..] {
        [] | [_] => Ok(Format::Csv),
        [first, ..] => {
            let reason = format!("directory has {} mapping files", mappings.len());
            let name = first.display();
            Err(LoadError::format(path, reason).hint(format!("give the one that is meant, such as {name}")))
        }
    }
}

/// The files right in `directory` with a name of that kind, by name.
fn files_of(directory: &Path, is_kind: fn(&Path) -> bool) -> Result<Vec<PathBuf>, LoadError> {
    let failed = |e| LoadError::io(directory, "list", e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = file_name(&path);
        if !name.starts_with(['.', '_']) && path.is_file() && is_kind(&path) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// What a file of JSON is by its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonKind {
    /// It has nodes or edges, or is too broken to be told from a mapping.
    Mapping,
    /// Objects: several, or a list of them.
    Data,
    /// One object of something else.
    Other,
}

fn kind_of(path: &Path) -> JsonKind {
    let name = file_name(path);
    let is_small = || std::fs::metadata(path).is_ok_and(|found| found.len() <= MAPPING_BYTES_MAX);
    if !is_mapping(&name) || !is_small() {
        return JsonKind::Data;
    }
    let text = std::fs::read(path).unwrap_or_default();
    match serde_json::from_slice::<serde_json::Value>(&text) {
        Ok(serde_json::Value::Array(items)) if items.first().is_some_and(serde_json::Value::is_object) => {
            JsonKind::Data
        }
        Ok(serde_json::Value::Object(top)) if !top.contains_key("nodes") && !top.contains_key("edges") => {
            JsonKind::Other
        }
        Ok(_) => JsonKind::Mapping,
        Err(_) => {
            // One object behind the other is data.
            let mut values = serde_json::Deserializer::from_slice(&text).into_iter::<serde_json::Value>();
            match (values.next(), values.next()) {
                (Some(Ok(first)), Some(_)) if first.is_object() => JsonKind::Data,
                _ => JsonKind::Mapping,
            }
        }
    }
}

/// Whether a file of a directory is a mapping.
pub(crate) fn is_mapping_file(path: &Path) -> bool {
    is_mapping(&file_name(path)) && kind_of(path) == JsonKind::Mapping
}

fn is_mapping(name: &str) -> bool {
    name.ends_with(".json")
}

/// No mapping is longer.
const MAPPING_BYTES_MAX: u64 = 16 << 20;

fn is_csv_file(path: &Path) -> bool {
    is_csv(&file_name(path)) && !is_rejects(path)
}

fn is_csv(name: &str) -> bool {
    crate::Compression::of_name(name).0.ends_with(".csv")
}
