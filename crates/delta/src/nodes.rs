//! The nodes of one table that came, changed or went: takes batches of rows and columns, tells what a reader
//! sees of a row.
//!
//! 1. Versions are appended to pages, where nobody finds them.
//! 2. For each row: what is in front of its chain is asked whether it may be written over (the first updater
//!    wins), then the version is put in front, unless somebody was faster; then it is asked again.
//!
//! A version that met a conflict is in no chain; its transaction is undone, and its stamp becomes never.
//!
//! Invariant: versions that write one column of a row stand in their chain in the order of their commits.

use trimorph_mvcc::{Conflict, Isolation, Reading, Stamp};
use trimorph_types::Value;
use trimorph_vector::Vector;

use crate::heads::{Heads, ZONE_ROWS, Zone};
use crate::pages::{Author, Body, Event, Full, Page, Pages, Said, Shape, Version};
use crate::places::Places;

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
    /// His isolation level.
    pub level: Isolation,
}

impl Writer<'_> {
    fn author(&self) -> Option<Author> {
        let handle = self.reading.view.own?;
        Some(Author { handle, statement: self.statement })
    }
}

/// Columns that are written: their numbers, ascending, and a vector each.
pub type Columns<'v> = [(u32, &'v Vector<'v>)];

/// Versions of rows of a table: runs of numbers that follow each other.
pub type Written = Vec<(u32, usize)>;

/// The changed nodes of one table.
#[derive(Debug, Default)]
pub struct NodeDelta {
    heads: Heads,
    pages: Pages,
    rows: Places,
}

impl NodeDelta {
    /// Of a table that has `rows` rows in main.
    pub fn new(rows: u64) -> Self {
        Self { rows: Places::from(rows), ..Self::default() }
    }

    /// Whether nothing was ever written. **Cost**: a load.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// One past the largest row there is or was.
    pub fn rows_end(&self) -> u64 {
        self.rows.end()
    }

    /// Makes nodes: a row for each of `positions`, appended to `rows`. Columns that are not given have no
    /// value. What was written is added to `written`.
    ///
    /// **Cost**: by columns, some 20 ns a row and a copy of its values.
    pub fn insert(
        &self,
        writer: &Writer<'_>,
        columns: &Columns<'_>,
        positions: &[u32],
        rows: &mut Vec<u64>,
        written: &mut Written,
    ) -> Result<(), WriteError> {
        let from = rows.len();
        self.rows.take(positions.len(), rows);
        self.write(writer, Event::Came, columns, positions, &rows[from..], written)
    }

    /// Writes values of rows, one for each of `positions`. A row may be there more than once; its last values
    /// count.
    pub fn set(
        &self,
        writer: &Writer<'_>,
        columns: &Columns<'_>,
        positions: &[u32],
        rows: &[u64],
        written: &mut Written,
    ) -> Result<(), WriteError> {
        self.write(writer, Event::Changed, columns, positions, rows, written)
    }

    /// Rows go.
    pub fn delete(&self, writer: &Writer<'_>, rows: &[u64], written: &mut Written) -> Result<(), WriteError> {
        self.write(writer, Event::Went, &[], &[], rows, written)
    }

    fn write(
        &self,
        writer: &Writer<'_>,
        event: Event,
        columns: &Columns<'_>,
        positions: &[u32],
        rows: &[u64],
        written: &mut Written,
    ) -> Result<(), WriteError> {
        // Who has no handle reads only: he has no way to get here.
        let Some(author) = writer.author() else { return Ok(()) };
        let shape = Shape { event, columns: columns.iter().map(|(column, _)| *column).collect() };
        let values: Vec<&Vector<'_>> = columns.iter().map(|(_, vector)| *vector).collect();
        let runs = self.pages.append(&shape, author, rows, &values, positions)?;
        written.extend_from_slice(&runs);
        let versions = runs.into_iter().flat_map(|(first, len)| first..first + len as u32);
        let mut zone = None;
        for (row, version) in rows.iter().zip(versions) {
            let number = row / ZONE_ROWS;
            if zone.as_ref().is_none_or(|(of, _)| *of != number) {
                zone = self.heads.zone_to_write(*row, &shape).map(|zone| (number, zone));
            }
            if let Some((_, zone)) = &zone {
                self.link(writer, &shape, zone, *row, version)?;
            }
        }
        Ok(())
    }

    /// Puts a version in front of its row's chain.
    fn link(
        &self,
        writer: &Writer<'_>,
        shape: &Shape,
        zone: &Zone,
        row: u64,
        version: Version,
    ) -> Result<(), Conflict> {
        let mut head = zone.head(row);
        loop {
            if head != 0 {
                self.ask(writer, shape, head)?;
                self.pages.set_previous(version, head);
            }
            match zone.put(row, head, version) {
                Ok(()) => return Ok(()),
                Err(faster) => head = faster,
            }
        }
    }

    /// Whether a version of `shape` may stand in front of a chain.
    fn ask(&self, writer: &Writer<'_>, shape: &Shape, head: Version) -> Result<(), Conflict> {
        // Columns of which no version that counts was met.
        let mut open: Vec<u32> = shape.columns.to_vec();
        let met = self.pages.walk(head, |page: &Page, body: &Body, at: usize| {
            let existence = page.shape.event != Event::Changed;
            let same = |column: &u32| page.place_of(*column).is_some();
            if !existence && shape.event != Event::Went && !open.iter().any(same) {
                return None;
            }
            let stamp = body.stamps.get(at)?;
            match writer.reading.may_replace(stamp, writer.level) {
                Err(conflict) => return Some(Err(conflict)),
                Ok(false) => return None,
                Ok(true) => open.retain(|column| !same(column)),
            }
            // What is below was there when this was written, and did not stand in its way.
            let done = existence || (shape.event == Event::Changed && open.is_empty());
            done.then_some(Ok(()))
        });
        met.unwrap_or(Ok(()))
    }

    /// What is known of a row's column; [`Said::Nothing`] where main knows.
    pub(crate) fn said(&self, row: u64, column: u32, reading: &Reading<'_>) -> Said {
        match self.heads.zone(row) {
            Some(zone) if zone.has_written(column) => self.pages.value(zone.head(row), column, reading),
            _ => Said::Nothing,
        }
    }

    /// The value of a row's column, null if it has none or is gone; none where main knows.
    pub fn value(&self, row: u64, column: u32, reading: &Reading<'_>) -> Option<Value> {
        match self.said(row, column, reading) {
            Said::Nothing => None,
            Said::Value(value) => Some(value),
            Said::Gone => Some(Value::Null),
        }
    }

    /// Whether a row is there; none where main knows.
    pub fn is_there(&self, row: u64, reading: &Reading<'_>) -> Option<bool> {
        let zone = self.heads.zone(row).filter(|zone| zone.has_come_or_gone())?;
        self.pages.is_there(zone.head(row), reading)
    }

    /// To how many of `len` rows from `first` on nothing was written, in whole zones but for the first: to
    /// `column`, or, without one, none came or went.
    ///
    /// **Cost**: a look-up a zone, as long as they are clean; one load where the table has no versions.
    pub fn clean_run(&self, first: u64, len: u64, column: Option<u32>) -> u64 {
        if self.is_empty() {
            return len;
        }
        let end = first + len;
        let dirty = |zone: &Zone| match column {
            Some(column) => zone.has_written(column),
            None => zone.has_come_or_gone(),
        };
        let mut at = first;
        while at < end && !self.heads.zone(at).is_some_and(|zone| dirty(&zone)) {
            at = (at / ZONE_ROWS + 1) * ZONE_ROWS;
            if at / ZONE_ROWS >= self.heads.end() {
                return len;
            }
        }
        at.min(end) - first
    }

    /// Writes the stamp of versions that this writer made.
    pub fn stamp(&self, writer: &Writer<'_>, written: &Written, stamp: Stamp) {
        let Some(author) = writer.author() else { return };
        for (first, len) in written {
            (*first..*first + *len as u32).for_each(|v| self.pages.stamp(v, author.handle, stamp));
        }
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        self.heads.bytes() + self.pages.bytes()
    }
}
