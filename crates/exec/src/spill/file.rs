//! Temporary files: bytes are appended, and read again by their place. A file has no name once it is open, so
//! that nothing is left of it however the process ends.

use std::fmt;
use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::tally::FileTally;

/// A file that only its maker knows.
pub trait TemporaryFile: Send + Sync + fmt::Debug {
    /// Writes all of `bytes` from `offset` on.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Fills `buffer` with the bytes from `offset` on.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// Where temporary files are made.
pub trait TemporaryFiles: Send + Sync + fmt::Debug {
    /// A file that is gone when it is dropped.
    fn create(&self) -> io::Result<Box<dyn TemporaryFile>>;
    /// What messages call the place.
    fn place(&self) -> String;
}

impl TemporaryFile for File {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, buffer, offset)
    }
}

/// A directory of the system: files of mode 0600, unlinked as soon as they are open.
#[derive(Debug)]
pub struct TemporaryDirectory(pub PathBuf);

/// Names that are tried before making a file fails: they differ in a number that no other process has.
const NAMES_MAX: u32 = 64;

impl TemporaryFiles for TemporaryDirectory {
    fn create(&self) -> io::Result<Box<dyn TemporaryFile>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut tried = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
            let name = format!(".trimorph-spill-{}-{number}-{nanos}", std::process::id());
            let path = self.0.join(name);
            let opened = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
            match opened {
                Ok(file) => {
                    remove_file(&path)?;
                    return Ok(Box::new(file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < NAMES_MAX => tried += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn place(&self) -> String {
        self.0.display().to_string()
    }
}

/// Why rows could not be put into a file, or could not be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpillError {
    /// All queries together may put no more into files.
    Limit {
        /// Bytes that were to be written.
        asked_bytes: u64,
        /// Bytes in files when asked.
        used_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The system refused: a full disk, a directory that is not there or not writable.
    System {
        /// Where.
        place: String,
        /// What the system says.
        reason: String,
        /// The kind of that.
        kind: io::ErrorKind,
    },
    /// What is read is not what was written.
    Damaged {
        /// Where.
        place: String,
    },
}

impl fmt::Display for SpillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit { asked_bytes, used_bytes, limit_bytes } => write!(
                f,
                "the query needs more memory than it may use, and spill limit exceeded: {asked_bytes} bytes \
                 asked for with {used_bytes} of {limit_bytes} in use; raise the spill limit or the memory limit"
            ),
            Self::System { place, reason, .. } => write!(
                f,
                "the query needs more memory than it may use, and could not spill to \"{place}\": {reason}; \
                 give another temporary directory or raise the memory limit"
            ),
            Self::Damaged { place } => {
                write!(f, "a temporary file in \"{place}\" was changed while a query used it")
            }
        }
    }
}

impl std::error::Error for SpillError {}

/// Where the queries of a database spill to, and how much of that there is.
#[derive(Debug)]
pub struct SpillArea {
    files: Box<dyn TemporaryFiles>,
    limit_bytes: u64,
    used_bytes: AtomicU64,
    written_bytes: AtomicU64,
    read_bytes: AtomicU64,
}

impl SpillArea {
    /// Files of `files`, of at most `limit_bytes` at a time all together.
    pub fn new(files: Box<dyn TemporaryFiles>, limit_bytes: u64) -> Self {
        let (used_bytes, written_bytes, read_bytes) = Default::default();
        Self { files, limit_bytes, used_bytes, written_bytes, read_bytes }
    }

    /// Bytes in files now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that were ever written.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that were ever read.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    fn failed(&self, error: &io::Error) -> SpillError {
        SpillError::System { place: self.files.place(), reason: error.to_string(), kind: error.kind() }
    }

    /// A new file.
    pub(super) fn create(self: &Arc<Self>, tally: FileTally) -> Result<SpillFile, SpillError> {
        let file = self.files.create().map_err(|e| self.failed(&e))?;
        let (area, end, used_bytes) = (Arc::clone(self), AtomicU64::new(0), AtomicU64::new(0));
        Ok(SpillFile { area, file, tally, end, used_bytes })
    }

    fn take(&self, bytes: u64) -> Result<(), SpillError> {
        let used_bytes = self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        if used_bytes.saturating_add(bytes) <= self.limit_bytes {
            return Ok(());
        }
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        Err(SpillError::Limit { asked_bytes: bytes, used_bytes, limit_bytes: self.limit_bytes })
    }
}

/// One temporary file. Any number of threads may write and read it.
#[derive(Debug)]
pub(crate) struct SpillFile {
    area: Arc<SpillArea>,
    file: Box<dyn TemporaryFile>,
    tally: FileTally,
    end: AtomicU64,
    /// Taken from the area.
    used_bytes: AtomicU64,
}

/// Bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    offset: u64,
    len: usize,
}

impl SpillFile {
    /// Appends bytes.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<Place, SpillError> {
        let len = bytes.len() as u64;
        self.area.take(len)?;
        self.used_bytes.fetch_add(len, Ordering::Relaxed);
        let offset = self.end.fetch_add(len, Ordering::Relaxed);
        self.file.write_all_at(bytes, offset).map_err(|e| self.area.failed(&e))?;
        self.area.written_bytes.fetch_add(len, Ordering::Relaxed);
        self.tally.add(len);
        Ok(Place { offset, len: bytes.len() })
    }

    /// Reads what was appended, in the room of `buffer`.
    pub(super) fn read(&self, place: Place, buffer: &mut Vec<u8>) -> Result<(), SpillError> {
        buffer.resize(place.len, 0);
        self.file.read_exact_at(buffer, place.offset).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(),
            _ => self.area.failed(&error),
        })?;
        self.area.read_bytes.fetch_add(place.len as u64, Ordering::Relaxed);
        Ok(())
    }

    /// What is read is not what was written.
    pub(super) fn damaged(&self) -> SpillError {
        SpillError::Damaged { place: self.area.files.place() }
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        self.area.used_bytes.fetch_sub(*self.used_bytes.get_mut(), Ordering::Relaxed);
    }
}
