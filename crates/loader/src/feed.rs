//! The files of a load in, one after the other, chunks of text and row groups to parse out.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::LoadError;
use crate::csv::Dialect;
use crate::csv::chunk::{Buffers, Chunker};
use crate::csv::table::CsvWork;
use crate::json::JsonFile;
use crate::json::chunk::Chunker as JsonChunker;
use crate::json::table::JsonWork;
use crate::parquet::{ParquetFile, ParquetWork};
use crate::pipeline::{Feed, Unit};
use crate::plan::TablePlan;
use crate::report::Described;
use crate::source::Source;

/// A file and what to make of its rows.
pub(crate) struct CsvFile {
    pub(crate) source: Source,
    pub(crate) plan: Arc<TablePlan>,
    pub(crate) dialect: Dialect,
    pub(crate) has_header: bool,
}

impl CsvFile {
    pub(crate) fn described(&self) -> Described {
        let (path, table) = (self.source.path().to_path_buf(), self.plan.name.clone());
        Described { path, table, quote: self.dialect.quote }
    }
}

/// Any file.
pub(crate) enum InputFile {
    Csv(CsvFile),
    Json(JsonFile),
    Parquet(ParquetFile),
}

impl InputFile {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Csv(file) => file.source.path(),
            Self::Json(file) => file.source.path(),
            Self::Parquet(file) => &file.path,
        }
    }

    pub(crate) fn described(&self) -> Described {
        match self {
            Self::Csv(file) => file.described(),
            other => {
                let (path, table) = (other.path().to_path_buf(), other.plan().name.clone());
                Described { path, table, quote: b'"' }
            }
        }
    }

    pub(crate) fn plan(&self) -> &TablePlan {
        match self {
            Self::Csv(file) => &file.plan,
            Self::Json(file) => &file.plan,
            Self::Parquet(file) => &file.plan,
        }
    }

    /// Bytes as stored.
    pub(crate) fn bytes_total(&self) -> u64 {
        match self {
            Self::Csv(file) => file.source.bytes_total(),
            Self::Json(file) => file.source.bytes_total(),
            Self::Parquet(file) => file.bytes_total(),
        }
    }
}

/// Reads files in order.
pub(crate) struct FileFeed<'a> {
    files: &'a [InputFile],
    next_file: usize,
    chunk_bytes: usize,
    stop_at_reject: bool,
    buffers: Buffers,
    open: Option<Open>,
    bytes_done: Arc<AtomicU64>,
}

enum Open {
    Csv { chunker: Chunker<Box<dyn Read + Send>>, is_first: bool },
    Json { chunker: JsonChunker<Box<dyn Read + Send>> },
    Parquet { next_group: usize },
}

impl<'a> FileFeed<'a> {
    pub(crate) fn new(files: &'a [InputFile], chunk_bytes: usize, stop_at_reject: bool) -> Self {
        Self {
            files,
            next_file: 0,
            chunk_bytes,
            stop_at_reject,
            buffers: Buffers::default(),
            open: None,
            bytes_done: Arc::default(),
        }
    }
}

impl FileFeed<'_> {
    fn index(&self) -> u32 {
        u32::try_from(self.next_file.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The next unit of the open file; `None` at its end.
    fn next_of_open(&mut self) -> Result<Option<Unit>, LoadError> {
        let index = self.index();
        match (&mut self.open, &self.files[index as usize]) {
            (Some(Open::Csv { chunker, is_first }), InputFile::Csv(file)) => {
                let chunk = chunker.next().map_err(|e| LoadError::io(file.source.path(), "read", e))?;
                let Some(chunk) = chunk else { return Ok(None) };
                // Text, plus columns that are seldom larger than their text, plus copies of keys.
                let bytes = chunk.bytes.len() * 3;
                let work = CsvWork {
                    chunk,
                    plan: Arc::clone(&file.plan),
                    file: index,
                    dialect: file.dialect,
                    skip_header: std::mem::take(is_first) && file.has_header,
                    stop_at_reject: self.stop_at_reject,
                };
                Ok(Some((Box::new(work), bytes)))
            }
            (Some(Open::Json { chunker }), InputFile::Json(file)) => {
                let chunk = chunker.next().map_err(|e| LoadError::io(file.source.path(), "read", e))?;
                let Some(chunk) = chunk else { return Ok(None) };
                let bytes = chunk.bytes.len() * 3;
                let work = JsonWork {
                    chunk,
                    plan: Arc::clone(&file.plan),
                    keys: Arc::clone(&file.keys),
                    file: index,
                    field_bytes_max: file.field_bytes_max,
                    stop_at_reject: self.stop_at_reject,
                };
                Ok(Some((Box::new(work), bytes)))
            }
            (Some(Open::Parquet { next_group }), InputFile::Parquet(file)) => {
                let Some((bytes_stored, bytes)) = file.group_bytes(*next_group) else { return Ok(None) };
                let work = ParquetWork::new(file, index, *next_group);
                *next_group += 1;
                self.bytes_done.fetch_add(bytes_stored, Ordering::Relaxed);
                Ok(Some((Box::new(work), bytes)))
            }
            _ => Ok(None),
        }
    }
}

impl Feed for FileFeed<'_> {
    fn next(&mut self) -> Result<Option<Unit>, LoadError> {
        loop {
            if self.open.is_some() {
                if let Some(unit) = self.next_of_open()? {
                    return Ok(Some(unit));
                }
                self.open = None;
            }
            let Some(file) = self.files.get(self.next_file) else { return Ok(None) };
            self.open = Some(match file {
                InputFile::Csv(file) => {
                    let reader = file.source.open(&self.bytes_done)?;
                    let chunker =
                        Chunker::new(reader, file.dialect, self.chunk_bytes).with_buffers(&self.buffers);
                    Open::Csv { chunker, is_first: true }
                }
                InputFile::Json(file) => {
                    let reader = file.source.open(&self.bytes_done)?;
                    Open::Json { chunker: JsonChunker::new(reader, self.chunk_bytes, file.field_bytes_max) }
                }
                InputFile::Parquet(_) => Open::Parquet { next_group: 0 },
            });
            self.next_file += 1;
        }
    }

    fn bytes_done(&self) -> u64 {
        self.bytes_done.load(Ordering::Relaxed)
    }
}
