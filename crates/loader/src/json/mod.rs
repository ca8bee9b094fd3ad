//! JSON: objects in, typed batches out: one on each line, in one array, or one after the other.
//!
//! 1. [`chunk`] cuts a stream between objects.
//! 2. [`scan`] finds the keys and values of an object, as slices of its text.
//! 3. [`infer`] finds the columns of a sample; [`keys`] says which column a key is.
//! 4. [`table`] parses them into columns, as `csv` does: what is no JSON, or does not fit, is a bad row.
//!
//! An object within an object is columns of its own, named with a dot: `{"home": {"city": "Rome"}}` has
//! column `home.city`, because no property holds a map. A list is a list; one that holds objects is text.

pub(crate) mod chunk;
pub(crate) mod infer;
pub(crate) mod keys;
pub(crate) mod scan;
pub(crate) mod table;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use self::chunk::{Chunker, records};
use self::keys::{Found, Keys};
use self::scan::{Token, object, text_of};
use crate::LoadError;
use crate::plan::TablePlan;
use crate::source::Source;

/// A file of objects and what to make of them.
#[derive(Clone, Debug)]
pub(crate) struct JsonFile {
    pub(crate) source: Source,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) field_bytes_max: usize,
}

/// Whether a file of this name holds objects.
pub(crate) fn is_json(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = crate::Compression::of_name(&name).0;
    [".jsonl", ".ndjson", ".json"].iter().any(|end| stem.ends_with(end))
}

/// The distinct texts of a column, in the order they appear; the empty one where it is null.
pub(crate) fn distinct_values(
    source: &Source,
    keys: &Keys,
    field: usize,
    field_bytes_max: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<String>, LoadError> {
    let reader = source.open(&Arc::default())?;
    let mut chunker = Chunker::new(reader, 1 << 20, field_bytes_max);
    let (mut seen, mut values) = (HashSet::new(), Vec::new());
    while let Some(chunk) = chunker.next().map_err(|e| LoadError::io(source.path(), "read", e))? {
        if is_cancelled() {
            return Err(LoadError::Cancelled);
        }
        for (_, record) in records(&chunk) {
            // Other rows are refused when they are parsed.
            let text = find(record, keys, field).unwrap_or_default();
            if !seen.contains(&text) {
                seen.insert(text.clone());
                values.push(text);
            }
            if values.len() > crate::csv::scan::DISTINCT_MAX {
                let most = crate::csv::scan::DISTINCT_MAX;
                let reason = format!("a column of labels or types has more than {most} different values");
                return Err(LoadError::format(source.path(), reason));
            }
        }
    }
    Ok(values)
}

/// Calls `each` with the texts of the columns of the first objects of a file.
pub(crate) fn each_sample(
    source: &Source,
    keys: &Keys,
    field_bytes_max: usize,
    each: &mut dyn FnMut(Vec<Option<String>>),
    columns: usize,
) -> Result<(), LoadError> {
    let reader = source.open(&Arc::default())?;
    let mut chunker = Chunker::new(reader, 1 << 18, field_bytes_max);
    let chunk = chunker.next().map_err(|e| LoadError::io(source.path(), "read", e))?;
    for (_, record) in chunk.iter().flat_map(records) {
        each((0..columns).map(|field| find(record, keys, field)).collect());
    }
    Ok(())
}

/// The text of one column of an object.
fn find(record: &[u8], keys: &Keys, field: usize) -> Option<String> {
    let (mut out, mut hint) = (None, 0);
    object(record, &mut |key, token| {
        match (keys.find(key, &mut hint), token) {
            (Some(Found::Field(at)), token) if *at == field => {
                out = text_of(&token).and_then(|text| String::from_utf8(text.into_owned()).ok());
            }
            (Some(Found::Within(inner)), Token::Object(raw)) => {
                out = find(raw, inner, field).or_else(|| out.take());
            }
            _ => {}
        }
        Ok(())
    })
    .ok()?;
    out
}
