//! Why a load gave up.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use trimorph_base::OverBudget;
use trimorph_store::bulk::{BulkError, Rejected};

/// Why a load gave up. Nothing of it is visible to readers: a load is all or nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The operating system refused, or a compressed file is broken.
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, such as `read`.
        operation: &'static str,
        /// What came back.
        error: io::Error,
    },
    /// A file, header or mapping does not describe a graph.
    Format {
        /// The file to blame, if one is.
        path: Option<PathBuf>,
        /// What is wrong, in one clause.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A row was refused and bad rows are not skipped.
    Rejected {
        /// `path:line: reason`.
        text: String,
        /// The row.
        rejected: Rejected,
    },
    /// Storage gave up.
    Sink(BulkError),
    /// The memory budget does not hold one chunk.
    Memory(OverBudget),
    /// Cancelled from outside.
    Cancelled,
}

impl LoadError {
    pub(crate) fn io(path: &Path, operation: &'static str, error: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), operation, error }
    }

    pub(crate) fn format(path: &Path, reason: impl Into<String>) -> Self {
        Self::Format { path: Some(path.to_path_buf()), reason: reason.into(), hint: None }
    }

    pub(crate) fn hint(self, text: impl Into<String>) -> Self {
        match self {
            Self::Format { path, reason, .. } => Self::Format { path, reason, hint: Some(text.into()) },
            other => other,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, operation, error } => {
                write!(f, "could not {operation} file \"{}\": {error}", path.display())
            }
            Self::Format { path, reason, hint } => {
                if let Some(path) = path {
                    write!(f, "{}: ", path.display())?;
                }
                f.write_str(reason)?;
                match hint {
                    Some(hint) => write!(f, " ({hint})"),
                    None => Ok(()),
                }
            }
            Self::Rejected { text, .. } => f.write_str(text),
            Self::Sink(error) => error.fmt(f),
            Self::Memory(over) => over.fmt(f),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<BulkError> for LoadError {
    fn from(error: BulkError) -> Self {
        match error {
            BulkError::Memory(over) => Self::Memory(over),
            BulkError::Cancelled => Self::Cancelled,
            other => Self::Sink(other),
        }
    }
}
