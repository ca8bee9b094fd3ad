//! Who writes, what he writes, and why he could not.

use trimorph_mvcc::{Conflict, Reading};
use trimorph_vector::Vector;

use crate::pages::{Author, Full};

/// Why something could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// Somebody else was first.
    Conflict(Conflict),
    /// The table's delta has as many versions as there are numbers; a merge makes room.
    Full,
}

impl From<Full> for WriteError {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl From<Conflict> for WriteError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

/// Who writes, and what he sees.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'t> {
    /// What he sees; [`trimorph_mvcc::View::own`] is who he is.
    pub reading: Reading<'t>,
    /// The number of the statement's clause that writes.
    pub statement: u32,
}

impl Writer<'_> {
    pub(crate) fn author(&self) -> Option<Author> {
        let handle = self.reading.view.own?;
        Some(Author { stamp: handle.into(), statement: self.statement })
    }
}

/// Columns that are written: their numbers, ascending, and a vector each.
pub type Columns<'v> = [(u32, &'v Vector<'v>)];

/// Versions of rows of a table: runs of numbers that follow each other.
pub type Written = Vec<(u32, usize)>;
