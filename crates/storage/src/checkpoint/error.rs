//! Why a database directory could not be read or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use trimorph_base::OverBudget;
use trimorph_vfs::{CodecError, ReadError, same_answer};

use super::place::Wrong;

/// Why a database directory could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The system's answer about a file.
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        error: io::Error,
    },
    /// A file is not what was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The byte at which what is wrong begins.
        offset: u64,
        /// What is wrong in it.
        what: String,
    },
    /// All memory that may be used is in use.
    Memory(OverBudget),
    /// A bug of ours.
    Internal(String),
    /// There are piece files, but no manifest that names them.
    ManifestLost {
        /// The directory.
        dir: PathBuf,
    },
}

impl From<ReadError> for DatabaseError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Damaged { path, offset, error } => {
                Self::codec(&path, usize::try_from(offset).unwrap_or(usize::MAX), error)
            }
            ReadError::OverBudget(over) => Self::Memory(over),
            ReadError::Io { path, error } => Self::Io { path, error: same_answer(&error) },
            other => Self::internal(&other.to_string()),
        }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Memory(over) => write!(f, "{over}"),
            Self::Internal(what) => write!(f, "internal error: {what}"),
            Self::Damaged { path, offset, what } => write!(f, "{}: {what} at byte {offset}", path.display()),
            Self::ManifestLost { dir } => write!(
                f,
                "{}: the file MANIFEST is missing, and without it the files in checkpoint/ cannot be read; \
                 restore MANIFEST from a backup, or, if the data can be loaded again, remove this directory",
                dir.display()
            ),
        }
    }
}

impl std::error::Error for DatabaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Memory(over) => Some(over),
            _ => None,
        }
    }
}

/// Two are equal if they say the same.
impl PartialEq for DatabaseError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for DatabaseError {}

impl DatabaseError {
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    pub(super) fn wrong(path: &Path, (offset, what): Wrong) -> Self {
        Self::Damaged { path: path.to_owned(), offset: offset as u64, what }
    }

    /// A bug of ours.
    pub fn internal(what: &str) -> Self {
        Self::Internal(what.to_owned())
    }

    /// What is wrong within something that begins at byte `from`.
    pub(super) fn codec(path: &Path, from: usize, error: CodecError) -> Self {
        let what = format!("damaged: expected {}, in what begins", error.expected);
        Self::Damaged { path: path.to_owned(), offset: from as u64, what }
    }
}
