//! Rows refused, by the parser or by the sink: `Rejected` in, `path:line: reason`, a count, a file and a verdict out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use trimorph_store::bulk::{BulkError, Rejected, Verdict};

use crate::LoadError;

/// Reasons kept in memory for a caller that wants to show some.
const SAMPLES_MAX: usize = 20;

/// Counts refused rows and writes them down. Shared by the parser and the sink's later callback:
/// `sink.finish(|rejected| report.rejects.refuse(&rejected, None)).map_err(|error| report.rejects.explain(error))`.
#[derive(Debug)]
pub struct Rejects {
    files: Vec<PathBuf>,
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
    /// `files` is the loader's own list, which `Rejected::file` points into; with `skip` the verdict is to go on.
    /// The file at `path` is created at the first refused row.
    pub fn new(files: Vec<PathBuf>, skip: bool, path: Option<PathBuf>) -> Self {
        Self { files, skip, path, count: AtomicU64::new(0), state: Mutex::default() }
    }

    /// Takes a refused row in and says what to do. `row` is its raw text, where still at hand.
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

    /// `path:line: reason`.
    pub fn describe(&self, rejected: &Rejected) -> String {
        format!("{}:{}: {}", self.file(rejected).display(), rejected.line, rejected.reason)
    }

    /// What an error of the sink is to a user: a refused row gets its path.
    pub fn explain(&self, error: BulkError) -> LoadError {
        match error {
            BulkError::Rejected(rejected) => LoadError::Rejected { text: self.describe(&rejected), rejected },
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
            writer.write_all(b"file,line,reason,row\n")?;
            none.insert(writer)
        }
    };
    write_field(writer, &file.display().to_string())?;
    write!(writer, ",{},", rejected.line)?;
    write_field(writer, &rejected.reason)?;
    writer.write_all(b",")?;
    write_field(writer, row.unwrap_or(""))?;
    writer.write_all(b"\n")
}

fn write_field(writer: &mut impl Write, text: &str) -> std::io::Result<()> {
    if text.contains(['"', ',', '\n', '\r']) {
        write!(writer, "\"{}\"", text.replace('"', "\"\""))
    } else {
        writer.write_all(text.as_bytes())
    }
}
