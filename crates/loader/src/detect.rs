//! Paths and perhaps a format in, files of one format out.
//!
//! A directory with an LDBC SNB snapshot is that; any other directory stands for its mapping file, if it has
//! just one `.json` file, else for its CSV files. A `.json` file is a mapping, CSV files are neo4j-style.

use std::path::{Path, PathBuf};

use crate::{Format, LoadError, snb};

/// What to load and as what.
pub(crate) fn detect(paths: &[PathBuf], format: Option<Format>) -> Result<(Vec<PathBuf>, Format), LoadError> {
    let Some(first) = paths.first() else {
        return Err(LoadError::Format { path: None, reason: "nothing to load".to_owned(), hint: None });
    };
    let format = match format {
        Some(format) => format,
        None => guess(first)?,
    };
    let of_directory: fn(&str) -> bool = match format {
        Format::LdbcSnb => return Ok((paths.to_vec(), format)),
        Format::Csv | Format::Parquet => is_mapping,
        Format::Neo4jCsv => is_csv,
        Format::Frames => return Err(LoadError::format(first, "frames are no files")),
    };
    let mut files = Vec::new();
    for path in paths {
        if file_name(path).ends_with(".parquet") {
            return Err(LoadError::format(path, "a Parquet file does not say what its columns mean")
                .hint("give a mapping file that names it"));
        }
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = files_of(path, of_directory)?;
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
    if is_mapping(&name) {
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
        Ok(Format::LdbcSnb)
    } else if files_of(path, is_mapping)?.len() == 1 {
        Ok(Format::Csv)
    } else if !files_of(path, is_csv)?.is_empty() {
        Ok(Format::Neo4jCsv)
    } else {
        // Its error says what was looked for.
        Ok(Format::LdbcSnb)
    }
}

/// The files right in `directory` with a name of that kind, by name.
fn files_of(directory: &Path, is_kind: fn(&str) -> bool) -> Result<Vec<PathBuf>, LoadError> {
    let failed = |e| LoadError::io(directory, "list", e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = file_name(&path);
        if !name.starts_with(['.', '_']) && is_kind(&name) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn is_mapping(name: &str) -> bool {
    name.ends_with(".json")
}

fn is_csv(name: &str) -> bool {
    [".csv", ".csv.gz", ".csv.zst"].iter().any(|end| name.ends_with(end))
}
