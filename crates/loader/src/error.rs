//! Why a load gave up.

use std::io;
use std::path::{Path, PathBuf};

use trimorph_base::OverBudget;
use trimorph_store::bulk::{BulkError, Rejected};

/// Why a load gave up. Nothing of it is visible to readers: a load is all or nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The operating system refused, or a compressed file is broken.
    #[error("could not {operation} file \"{}\": {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, such as `read`.
        operation: &'static str,
        /// What came back.
        #[source]
        error: io::Error,
    },
    /// A file, header or mapping does not describe a graph.
    #[error("{}{reason}{}", before(path.as_deref()), behind(hint.as_deref()))]
    Format {
        /// The file to blame, if one is.
        path: Option<PathBuf>,
        /// What is wrong, in one clause.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A row was refused and bad rows are not skipped.
    #[error("{text}{}", hint.map_or_else(String::new, |hint| format!("\n hint: {hint}")))]
    Rejected {
        /// `path:line: reason`.
        text: String,
        /// The row.
        rejected: Rejected,
        /// What to do about it, as the door spells it through which the load came.
        hint: Option<&'static str>,
    },
    /// Storage gave up.
    #[error("{0}")]
    Sink(BulkError),
    /// The memory budget does not hold one chunk.
    #[error("{0}")]
    Memory(OverBudget),
    /// Cancelled from outside.
    #[error("cancelled")]
    Cancelled,
}

/// The path that a message begins with.
fn before(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!("{}: ", path.display()))
}

/// The hint that it ends with.
fn behind(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!(" ({hint})"))
}

impl LoadError {
    /// A file could not be opened, read or written.
    pub fn io(path: &Path, operation: &'static str, error: io::Error) -> Self {
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

impl From<BulkError> for LoadError {
    fn from(error: BulkError) -> Self {
        match error {
            BulkError::Memory(over) => Self::Memory(over),
            BulkError::Cancelled => Self::Cancelled,
            other => Self::Sink(other),
        }
    }
}
