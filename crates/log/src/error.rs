//! Why the log could not be read or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why the log could not be read or written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The system's answer about a file.
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        error: Arc<io::Error>,
    },
    /// There is no room for a new segment. Nothing was logged; trying again may work.
    NoRoom {
        /// The segment that could not be made.
        path: PathBuf,
        /// The system's answer.
        error: Arc<io::Error>,
    },
    /// A write or a sync has failed before: nothing is logged until the log is opened again.
    Poisoned {
        /// The file.
        path: PathBuf,
        /// The answer of then.
        error: Arc<io::Error>,
    },
    /// What was synced is not there as it was written.
    Damaged {
        /// The segment.
        path: PathBuf,
        /// The byte at which it begins.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// Bytes are as they were written and make no sense: written by a newer version, or beside other files.
    Meaningless {
        /// The segment.
        path: PathBuf,
        /// The byte at which the block begins.
        offset: u64,
        /// What makes no sense.
        what: String,
    },
    /// A segment that is needed is not there.
    Missing {
        /// The segment.
        path: PathBuf,
    },
    /// A segment of another database.
    OtherDatabase {
        /// The segment.
        path: PathBuf,
    },
}

impl LogError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error: Arc::new(error) }
    }

    pub(crate) fn damaged(path: &Path, offset: u32, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), offset: offset.into(), what: what.into() }
    }

    pub(crate) fn meaningless(path: &Path, offset: u32, what: impl Into<String>) -> Self {
        Self::Meaningless { path: path.to_owned(), offset: offset.into(), what: what.into() }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::NoRoom { path, error } => {
                write!(f, "{}: could not make a segment of the log: {error}; make room", path.display())
            }
            Self::Poisoned { path, error } => {
                write!(f, "{}: could not write the log: {error}; open the database again", path.display())
            }
            Self::Damaged { path, offset, what } => write!(
                f,
                "{}: {what} at byte {offset}; restore it from a backup, or open with recover_to_damage \
                 to lose what follows",
                path.display()
            ),
            Self::Meaningless { path, offset, what } => write!(
                f,
                "{}: {what} in the block at byte {offset}; open it with the version that wrote it",
                path.display()
            ),
            Self::Missing { path } => {
                write!(f, "{}: this segment of the log is missing; restore it from a backup", path.display())
            }
            Self::OtherDatabase { path } => {
                write!(
                    f,
                    "{}: this segment belongs to another database; put back the right one",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } | Self::NoRoom { error, .. } | Self::Poisoned { error, .. } => Some(error),
            _ => None,
        }
    }
}
