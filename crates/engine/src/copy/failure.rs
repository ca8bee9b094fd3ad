//! What ends the writing of rows early: their query, or what they are written into.

use std::path::Path;

use crate::{Error, LoadError};

/// What ends the writing of rows early.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The query that they are of.
    Query(Error),
    /// What they are written into.
    Io(std::io::Error),
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        Self::Query(error)
    }
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl WriteError {
    /// The one error enum's form, for writers that are no files of ours.
    pub(crate) fn of_writer(self) -> Error {
        match self {
            Self::Query(error) => error,
            Self::Io(error) => Error::Load(LoadError::io(Path::new("-"), "write", error)),
        }
    }
}
