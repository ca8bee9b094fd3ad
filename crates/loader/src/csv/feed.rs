//! The files of a load in, one after the other, chunks to parse out.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Dialect;
use super::chunk::Chunker;
use super::table::CsvWork;
use crate::LoadError;
use crate::pipeline::{Feed, Work};
use crate::plan::TablePlan;
use crate::source::Source;

/// A file and what to make of its rows.
pub(crate) struct CsvFile {
    pub(crate) source: Source,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) dialect: Dialect,
    pub(crate) has_header: bool,
}

/// Reads files in order.
pub(crate) struct CsvFeed<'a> {
    files: &'a [CsvFile],
    next_file: usize,
    chunk_bytes: usize,
    stop_at_reject: bool,
    open: Option<Open>,
    bytes_done: Arc<AtomicU64>,
}

struct Open {
    chunker: Chunker<Box<dyn Read + Send>>,
    is_first: bool,
}

impl<'a> CsvFeed<'a> {
    pub(crate) fn new(files: &'a [CsvFile], chunk_bytes: usize, stop_at_reject: bool) -> Self {
        Self { files, next_file: 0, chunk_bytes, stop_at_reject, open: None, bytes_done: Arc::default() }
    }
}

impl Feed for CsvFeed<'_> {
    fn next(&mut self) -> Result<Option<(Box<dyn Work>, usize)>, LoadError> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(file) = self.files.get(self.next_file) else { return Ok(None) };
                let reader = file.source.open(&self.bytes_done)?;
                let chunker = Chunker::new(reader, file.dialect, self.chunk_bytes);
                self.open = Some(Open { chunker, is_first: true });
                self.next_file += 1;
                continue;
            };
            let index = self.next_file - 1;
            let file = &self.files[index];
            let chunk = open.chunker.next().map_err(|e| LoadError::io(file.source.path(), "read", e))?;
            let Some(chunk) = chunk else {
                self.open = None;
                continue;
            };
            let skip_header = std::mem::take(&mut open.is_first) && file.has_header;
            // Text, plus columns that are seldom larger than their text, plus copies of keys.
            let bytes = chunk.bytes.len() * 3;
            let work = CsvWork {
                chunk,
                plan: Arc::clone(&file.plan),
                file: u32::try_from(index).unwrap_or(u32::MAX),
                dialect: file.dialect,
                skip_header,
                stop_at_reject: self.stop_at_reject,
            };
            return Ok(Some((Box::new(work), bytes)));
        }
    }

    fn bytes_done(&self) -> u64 {
        self.bytes_done.load(Ordering::Relaxed)
    }
}
