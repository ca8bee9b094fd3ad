//! Rows refused, by the parser or by the sink: `Rejected` in, `path:line: reason`, a count, a file and a
//! verdict out.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_store::bulk::{BulkError, Rejected, Verdict};

use crate::LoadError;
use crate::files::REJECTS_HEADER;
use crate::json::chunk::{Chunker, records};
use crate::json::is_json;
use crate::source::Source;

/// Reasons kept in memory for a caller that wants to show some.
const SAMPLES_MAX: usize = 20;

/// Counts refused rows and writes them down. Shared by the parser and the sink's later callback:
/// `sink.finish(|rejected| report.rejects.refuse(&rejected, None)).map_err(|error|
/// report.rejects.explain(error))`.
#[derive(Debug)]
pub struct Rejects {
    files: Vec<PathBuf>,
    /// Around fields of each file; that of CSV where it is not said.
    quotes: Vec<u8>,
    /// They are no files, and their rows have numbers.
    are_frames: bool,
    skip: bool,
    path: Option<PathBuf>,
    count: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    writer: Option<BufWriter<File>>,
    samples: Vec<String>,
    failed: Option<std::io::Error>,
}

impl Rejects {
    /// `files` is the loader's own list, which `Rejected::file` points into; with `skip` the verdict is to go
    /// on. The file at `path` is created at the first refused row.
    pub fn new(files: Vec<PathBuf>, skip: bool, path: Option<PathBuf>) -> Self {
        Self {
            files,
            quotes: Vec::new(),
            are_frames: false,
            skip,
            path,
            count: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// The same with what stands around fields of each file.
    pub(crate) fn with_quotes(mut self, quotes: Vec<u8>) -> Self {
        self.quotes = quotes;
        self
    }

    /// The same for frames, which have names instead of paths and rows instead of lines.
    pub(crate) fn of_frames(mut self) -> Self {
        self.are_frames = true;
        self
    }

    /// Takes a refused row in and says what to do. `row` is its raw text, where still at hand; else its
    /// number is written.
    pub fn refuse(&self, rejected: &Rejected, row: Option<&str>) -> Verdict {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut state = self.lock();
        if state.samples.len() < SAMPLES_MAX {
            let text = self.describe(rejected);
            state.samples.push(text);
        }
        if let Some(path) = &self.path
            && state.failed.is_none()
            && let Err(error) = write_row(&mut state, path, self.file(rejected), rejected, row)
        {
            state.failed = Some(error);
        }
        if self.skip { Verdict::Skip } else { Verdict::Abort }
    }

    /// Takes in rows that were refused when all were read, such as those of a key that another row has. Their
    /// text is looked up in their files, where these are still the same.
    pub fn refuse_late(&self, mut rows: Vec<Rejected>) {
        rows.sort_by_key(|row| (row.file, row.line));
        for of_file in rows.chunk_by(|a, b| a.file == b.file) {
            let lines: Vec<u64> = of_file.iter().map(|row| row.line).collect();
            let path = of_file.first().map_or(Path::new("?"), |row| self.file(row));
            let file = of_file.first().map_or(0, |row| row.file as usize);
            let quote = self.quotes.get(file).copied().unwrap_or(b'"');
            let texts = match self.path.is_some() && !self.are_frames {
                true => texts_of(path, quote, &lines),
                false => Vec::new(),
            };
            for (i, row) in of_file.iter().enumerate() {
                let _ = self.refuse(row, texts.get(i).and_then(Option::as_deref));
            }
        }
    }

    /// `path:line: reason`; of a frame `name, row number: reason`.
    pub fn describe(&self, rejected: &Rejected) -> String {
        if self.are_frames {
            let Rejected { line, reason, .. } = rejected;
            return format!("{}, row {line}: {reason}", self.file(rejected).display());
        }
        format!("{}:{}: {}", self.file(rejected).display(), rejected.line, rejected.reason)
    }

    /// What an error of the sink is to a user: a refused row gets its path.
    pub fn explain(&self, error: BulkError) -> LoadError {
        match error {
            BulkError::Rejected(rejected) => {
                LoadError::Rejected { text: self.describe(&rejected), rejected, hint: None }
            }
            other => other.into(),
        }
    }

    /// Rows refused so far.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The first few reasons, as [`Rejects::describe`] gives them.
    pub fn samples(&self) -> Vec<String> {
        self.lock().samples.clone()
    }

    /// Brings the rejects file to disk.
    ///
    /// **Errors**: the first failure to write it, now or earlier.
    pub fn flush(&self) -> Result<(), LoadError> {
        let mut state = self.lock();
        let flushed = match state.failed.take() {
            Some(error) => Err(error),
            None => state.writer.as_mut().map_or(Ok(()), BufWriter::flush),
        };
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        flushed.map_err(|error| LoadError::io(path, "write", error))
    }

    fn file(&self, rejected: &Rejected) -> &Path {
        self.files.get(rejected.file as usize).map_or(Path::new("?"), PathBuf::as_path)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Rejects {
    fn drop(&mut self) {
        // Nobody is left to tell; a caller that cares has called `flush`.
        let _ = self.flush();
    }
}

fn write_row(
    state: &mut State,
    path: &Path,
    file: &Path,
    rejected: &Rejected,
    row: Option<&str>,
) -> std::io::Result<()> {
    let writer = match &mut state.writer {
        Some(writer) => writer,
        none => {
            let mut writer = BufWriter::new(File::create(path)?);
            writeln!(writer, "{REJECTS_HEADER}")?;
            none.insert(writer)
        }
    };
    write_field(writer, &file.display().to_string())?;
    write!(writer, ",{},", rejected.line)?;
    write_field(writer, &rejected.reason)?;
    writer.write_all(b",")?;
    match row {
        Some(row) => write_field(writer, row)?,
        None => write!(writer, "row {}", rejected.line)?,
    }
    writer.write_all(b"\n")
}

fn write_field(writer: &mut impl Write, text: &str) -> std::io::Result<()> {
    if text.contains(['"', ',', '\n', '\r']) {
        write!(writer, "\"{}\"", text.replace('"', "\"\""))
    } else {
        writer.write_all(text.as_bytes())
    }
}

/// Bytes of a row's text that are kept at most: a quote that never closes would be the rest of the file.
const ROW_BYTES_MAX: usize = 1 << 26;

/// The same of a file of objects.
fn texts_of_json(reader: impl std::io::Read, lines: &[u64], texts: &mut [Option<String>]) {
    let mut chunker = Chunker::new(reader, 1 << 20, ROW_BYTES_MAX);
    let mut at = 0;
    while let Ok(Some(chunk)) = chunker.next() {
        for (number, record) in records(&chunk) {
            while lines.get(at).is_some_and(|line| *line < number) {
                at += 1;
            }
            if lines.get(at) == Some(&number) {
                texts[at] = Some(String::from_utf8_lossy(record).into_owned());
                // A row may be refused more than once.
                while lines.get(at + 1) == Some(&number) {
                    at += 1;
                    texts[at] = texts[at - 1].clone();
                }
                at += 1;
            }
        }
        if at >= lines.len() {
            break;
        }
    }
}

/// The texts of the records that begin on `lines`, which ascend, of a file of text; nothing for other files,
/// and for lines that are not there any more.
fn texts_of(path: &Path, quote: u8, lines: &[u64]) -> Vec<Option<String>> {
    let mut texts = vec![None; lines.len()];
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet")) {
        return texts;
    }
    let Ok(reader) = Source::File(path.to_owned()).open(&Arc::default()) else { return texts };
    if is_json(&path.to_string_lossy()) {
        texts_of_json(reader, lines, &mut texts);
        return texts;
    }
    let mut reader = BufReader::new(reader);
    let (mut number, mut line) = (0, Vec::new());
    let mut at = 0;
    // A record goes on where a quote is open at the end of its line.
    let mut open: Option<Vec<u8>> = None;
    while at < lines.len() {
        line.clear();
        if !matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
            break;
        }
        number += 1;
        match &mut open {
            Some(record) => record.extend_from_slice(&line),
            None if number == lines[at] => open = Some(std::mem::take(&mut line)),
            None => continue,
        }
        let Some(record) = &open else { continue };
        let is_whole = record.iter().filter(|b| **b == quote).count() % 2 == 0;
        if is_whole || record.len() > ROW_BYTES_MAX {
            let shown = record.get(..ROW_BYTES_MAX).unwrap_or(record).trim_ascii_end();
            let text = String::from_utf8_lossy(shown).into_owned();
            // A row may be refused more than once.
            while lines.get(at).is_some_and(|l| *l <= number) {
                texts[at] = (!text.is_empty()).then(|| text.clone());
                at += 1;
            }
            open = None;
        }
    }
    texts
}
