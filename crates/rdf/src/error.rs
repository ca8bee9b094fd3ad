//! What is wrong with a text that was read, and with what was to be written.

use std::fmt;
use std::io;

/// Why a text, or a statement of it, was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The source could not be read.
    #[error("could not read: {0}")]
    Io(#[source] io::Error),
    /// The text is not of the format.
    #[error("{}{reason}", Place(*line, *column))]
    Syntax {
        /// Counted from 1, where it is known.
        line: Option<u64>,
        /// In characters, counted from 1, where it is known.
        column: Option<u64>,
        /// What is wrong, in one clause.
        reason: String,
    },
    /// An option is wrong.
    #[error("{0}")]
    Option(String),
}

struct Place(Option<u64>, Option<u64>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: "),
            (Some(line), None) => write!(f, "line {line}: "),
            _ => Ok(()),
        }
    }
}

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The target could not be written.
    #[error("could not write: {0}")]
    Io(#[source] io::Error),
    /// A value is no RDF term, or not where it stands.
    #[error("cannot write {value} as {place}")]
    Term {
        /// The value, cut where it gets long.
        value: String,
        /// What it was to be, such as `the predicate of a statement`.
        place: &'static str,
    },
    /// The format cannot have that.
    #[error("{0}")]
    Format(String),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        // Some formats cannot have every statement; the libraries say so in this way.
        if error.kind() == io::ErrorKind::InvalidInput {
            return Self::Format(error.to_string());
        }
        Self::Io(error)
    }
}
