//! A file in, the names in its first record out.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::Dialect;
use super::chunk::{Chunk, Chunker};
use super::split::Splitter;
use crate::LoadError;
use crate::source::Source;

/// Bytes looked at for the header (and for a sample of the rows after it).
const SAMPLE_BYTES: usize = 1 << 18;

/// The first record of a file and some of the text after it.
pub(crate) struct Head {
    /// The names in the first record.
    pub(crate) names: Vec<String>,
    /// The first chunk, header included.
    pub(crate) sample: Chunk,
}

/// Reads the first record of `source`.
///
/// **Errors**: the file cannot be read, is empty, or its first record is not UTF-8 or broken.
pub(crate) fn read_head(source: &Source, dialect: Dialect) -> Result<Head, LoadError> {
    let reader: Box<dyn Read + Send> = source.open(&Arc::new(AtomicU64::new(0)))?;
    let mut chunker = Chunker::new(reader, dialect, SAMPLE_BYTES);
    let sample = chunker
        .next()
        .map_err(|e| LoadError::io(source.path(), "read", e))?
        .ok_or_else(|| LoadError::format(source.path(), "file is empty; a header line was expected"))?;
    if sample.over_long {
        return Err(LoadError::format(source.path(), "header line is too long"));
    }
    let mut splitter = Splitter::new(&sample.bytes, dialect, 1);
    let record =
        splitter.next().ok_or_else(|| LoadError::format(source.path(), "file has no header line"))?;
    if record.fault.is_some() {
        return Err(LoadError::format(source.path(), "header line has a broken quote"));
    }
    let mut names = Vec::with_capacity(splitter.fields.len());
    for field in &splitter.fields {
        match String::from_utf8(field.value(&sample.bytes).into_owned()) {
            Ok(name) => names.push(name),
            Err(_) => return Err(LoadError::format(source.path(), "header line is not UTF-8")),
        }
    }
    Ok(Head { names, sample })
}
