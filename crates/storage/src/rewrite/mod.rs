//! Main versions with some pieces replaced: takes a main version and changes, gives the next one, which
//! shares every piece that they did not touch. What a merge publishes.
//!
//! ```text
//! columns   some segments of a column written anew
//! nodes     rows of a node table that come, change or go
//! rows      rows put behind the last of a node table
//! edges     edges put in and taken out of an edge table
//! load      what a bulk load made put into the tables it is for
//! ```
//!
//! Invariants: rows and edge ids stay what they are; dictionary codes stay what they are; a reader of the
//! older version is not touched.
//!
//! **Cost**: the segments touched, in time and bytes, and a few words for each piece of the columns and
//! directions they belong to.
//!
//! Source: design `live.md` §1.

mod columns;
mod edges;
mod load;
mod nodes;
mod rows;

use std::fmt;

use trimorph_vfs::{CodecError, Pins, ReadError};

pub use edges::{EdgeChanges, EdgeMerge, NewEdge, NewEdgeValues, PlacedEdge};
pub use nodes::{NewValues, NodeChanges};

/// Why a main version could not be changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum RewriteError {
    /// A change that does not fit the version: a table, row or edge that it does not have, or too many
    /// values.
    Unknown(String),
    /// Somebody asked it to stop.
    Cancelled,
    /// A key that another node has.
    DuplicateKey(String),
    /// A piece of the old version that cannot be had.
    Read(ReadError),
    /// The system has no memory to give.
    Memory(std::io::Error),
    /// What was written just now cannot be read: a bug.
    Internal(CodecError),
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(what) => write!(f, "{what}"),
            Self::Cancelled => write!(f, "cancelled"),
            Self::DuplicateKey(key) => write!(f, "another node has the key {key}"),
            Self::Read(e) => write!(f, "{e}"),
            Self::Memory(e) => write!(f, "could not get memory for a new version: {e}"),
            Self::Internal(e) => write!(f, "a new version cannot be read: {e}"),
        }
    }
}

impl std::error::Error for RewriteError {}

impl From<std::io::Error> for RewriteError {
    fn from(e: std::io::Error) -> Self {
        Self::Memory(e)
    }
}

/// Whether all that was read could be had.
fn check(pins: &Pins<'_>) -> Result<(), RewriteError> {
    pins.failure().map_or(Ok(()), |error| Err(RewriteError::Read(error)))
}

impl From<CodecError> for RewriteError {
    fn from(e: CodecError) -> Self {
        Self::Internal(e)
    }
}
