//! A column of a file in, its distinct values out, in the order they appear.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::Dialect;
use super::chunk::Chunker;
use super::split::Splitter;
use crate::LoadError;
use crate::source::Source;

/// Distinct values accepted: each becomes a table, and there are no more ids for tables.
pub(crate) const DISTINCT_MAX: usize = 1 << 16;

/// The distinct values of field `column` in the rows, after the header if there is one, that have `fields`
/// fields.
///
/// **Cost**: one pass over the file on this thread.
pub(crate) fn distinct_values(
    source: &Source,
    dialect: Dialect,
    column: usize,
    fields: usize,
    mut has_header: bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<String>, LoadError> {
    let reader = source.open(&Arc::new(AtomicU64::new(0)))?;
    let mut chunker = Chunker::new(reader, dialect, 1 << 20);
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut values: Vec<String> = Vec::new();
    while let Some(chunk) = chunker.next().map_err(|e| LoadError::io(source.path(), "read", e))? {
        if is_cancelled() {
            return Err(LoadError::Cancelled);
        }
        let mut splitter = Splitter::new(&chunk.bytes, dialect, 1);
        while let Some(record) = splitter.next() {
            if std::mem::take(&mut has_header) || record.fault.is_some() || splitter.fields.len() != fields {
                continue;
            }
            let value = splitter.fields[column].value(&chunk.bytes);
            if values.last().is_some_and(|last| last.as_bytes() == &*value) || seen.contains(&*value) {
                continue;
            }
            // Other rows are refused when they are parsed.
            if let Ok(text) = String::from_utf8(value.to_vec()) {
                seen.insert(value.into_owned());
                values.push(text);
            }
            if values.len() > DISTINCT_MAX {
                let reason = format!("column {} has more than {DISTINCT_MAX} different values", column + 1);
                return Err(LoadError::format(source.path(), reason));
            }
        }
    }
    Ok(values)
}
