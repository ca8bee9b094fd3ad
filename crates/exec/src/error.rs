//! Why a running query stopped.

use std::fmt;
use std::sync::Arc;

use trimorph_base::{Diagnostic, OverBudget, Span, Stop};
use trimorph_store::DatabaseError;

use crate::spill::SpillError;

/// Why a running query stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecError {
    /// The query's own fault: a value of the wrong type, a division by zero.
    Query(Diagnostic),
    /// The query needs more memory than it may use.
    Memory(OverBudget),
    /// The query needs more memory than it may use, and its rows could not be put into files.
    Spill(SpillError),
    /// A part of the database cannot be read: the file, the place and what is wrong.
    Storage(Arc<DatabaseError>),
    /// Somebody asked it to stop.
    Cancelled,
}

impl ExecError {
    /// The same, where it is the query's own fault, with the part of its text that is to blame.
    pub(crate) fn at(self, span: Span) -> Self {
        match self {
            // What no text has written has no place in it.
            Self::Query(error) if span.start < span.end => Self::Query(error.at(span)),
            other => other,
        }
    }
}

impl From<DatabaseError> for ExecError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Memory(over) => Self::Memory(over),
            other => Self::Storage(Arc::new(other)),
        }
    }
}

impl From<Diagnostic> for ExecError {
    fn from(d: Diagnostic) -> Self {
        match d.stop {
            Some(Stop::Memory(over)) => Self::Memory(over),
            Some(Stop::Cancelled) => Self::Cancelled,
            None => Self::Query(d),
        }
    }
}

impl From<OverBudget> for ExecError {
    fn from(o: OverBudget) -> Self {
        Self::Memory(o)
    }
}

impl From<SpillError> for ExecError {
    fn from(error: SpillError) -> Self {
        Self::Spill(error)
    }
}

impl fmt::Display for ExecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(d) => d.fmt(f),
            Self::Memory(o) => o.fmt(f),
            Self::Spill(error) => error.fmt(f),
            Self::Storage(error) => error.fmt(f),
            Self::Cancelled => f.write_str("the query was cancelled"),
        }
    }
}

impl std::error::Error for ExecError {}
