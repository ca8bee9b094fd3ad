//! The nodes of one table that came, changed or went: takes batches of rows and columns, tells what a reader
//! sees of a row.
//!
//! 1. Versions are appended to pages, where nobody finds them.
//! 2. For each row: what is in front of its chain is asked whether it may be written over (the first updater
//!    wins), then the version is put in front, unless somebody was faster; then it is asked again.
//!
//! A version that met a conflict is in no chain; its transaction is undone, and its stamp becomes never.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use trimorph_mvcc::{Conflict, Reading, Stamp};
use trimorph_types::Value;
use trimorph_vector::Vector;

use crate::KeyDelta;
use crate::chain;
use crate::heads::{Heads, ZONE_ROWS, Zone};
use crate::latches::Latches;
use crate::pages::{Body, Event, NO_COLUMN, Page, Pages, Said, Shape, Version};
use crate::places::Places;
use crate::values::{RowsByValue, ValueDelta, Versions};
use crate::writer::{Columns, WriteError, Writer, Written};

/// The column of a row's labels, where they are others than the table's: a list of strings.
pub const LABELS: u32 = u32::MAX;

/// The changed nodes of one table.
#[derive(Debug, Default)]
pub struct NodeDelta {
    pub(crate) heads: Heads,
    pub(crate) pages: Pages,
    pub(crate) rows: Places,
    pub(crate) latches: Latches,
    indexes: RwLock<Vec<(u32, Arc<ValueDelta>)>>,
    /// Whether there are any: who writes looks no further where there are none.
    is_indexed: AtomicBool,
}

impl NodeDelta {
    /// Of a table that has `rows` rows in main, of which nobody has the rows `free`.
    pub fn new(rows: u64, free: Vec<u64>) -> Self {
        Self { rows: Places::from(rows, free), ..Self::default() }
    }

    /// Whether nothing was written, or all of it is main's. **Cost**: a load.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// One past the largest row there is or was.
    pub fn rows_end(&self) -> u64 {
        self.rows.end()
    }

    /// Gives rows that follow each other to who makes nodes elsewhere; gives the first.
    pub fn reserve(&self, count: u64) -> u64 {
        self.rows.take_run(count)
    }

    /// Takes rows back that nobody can see.
    pub fn give_back_rows(&self, rows: std::ops::Range<u64>) {
        self.rows.give_back_run(rows);
    }

    /// Puts the values that rows have, or had, in a column into the keys of the table: it has just got them.
    ///
    /// **Cost**: a look at each version.
    pub fn note_keys(&self, column: u32, keys: &KeyDelta) {
        for number in 0..self.heads.end() {
            let Some(zone) = self.heads.by_number(number) else { continue };
            for row in (number * ZONE_ROWS..).take(ZONE_ROWS as usize) {
                self.pages.all_values(zone.head(row), column, |value| keys.insert(&value, row));
            }
        }
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
        let mut zone: Option<(u64, Arc<Zone>, RwLockReadGuard<'_, ()>)> = None;
        let mut indexed: Vec<(Arc<ValueDelta>, &Vector<'_>)> = Vec::new();
        let mut met = Ok(());
        for (at, (row, version)) in rows.iter().zip(versions).enumerate() {
            let number = row / ZONE_ROWS;
            if zone.as_ref().is_none_or(|(of, ..)| *of != number) {
                // One latch is let go before the next is held.
                drop(zone.take());
                let latch = self.latches.write(number);
                zone = self.heads.zone_to_write(*row, &shape).map(|zone| (number, zone, latch));
                // Under the latch: who makes an index waits for it, then looks at what is there.
                indexed = self.indexed(columns);
            }
            match zone.as_ref().and_then(|(_, zone, _)| zone.slot(*row)) {
                Some(head) if met.is_ok() => {
                    met = chain::link(&self.pages, writer, &shape, head, version);
                    if met.is_err() {
                        self.pages.loosen(version);
                        continue;
                    }
                    for (index, vector) in &indexed {
                        let position = positions.get(at).map_or(at, |position| *position as usize);
                        index.insert(vector.value(position, &|_| Value::Null), *row);
                    }
                }
                _ => self.pages.loosen(version),
            }
        }
        Ok(met?)
    }

    /// The indexes of some columns, with the values that they get.
    pub(crate) fn indexed<'v, 'b>(
        &self,
        columns: &[(u32, &'v Vector<'b>)],
    ) -> Vec<(Arc<ValueDelta>, &'v Vector<'b>)> {
        if !self.is_indexed.load(Ordering::SeqCst) {
            return Vec::new();
        }
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let of = |(column, vector): &(u32, &'v Vector<'b>)| {
            let (_, index) = indexes.iter().find(|(own, _)| own == column)?;
            Some((Arc::clone(index), *vector))
        };
        columns.iter().filter_map(of).collect()
    }

    /// What finds rows by the values of a column that were written since the last merge; none where that was
    /// not asked for.
    pub fn index(self: &Arc<Self>, column: u32) -> Option<RowsByValue> {
        if !self.is_indexed.load(Ordering::SeqCst) {
            return None;
        }
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let (_, values) = indexes.iter().find(|(own, _)| *own == column)?;
        Some(RowsByValue::new(Arc::clone(values), Arc::clone(self) as _, column))
    }

    /// The same for who looks for rows: none, too, while what was written before the index is put into it.
    pub fn whole_index(self: &Arc<Self>, column: u32) -> Option<RowsByValue> {
        self.index(column).filter(RowsByValue::is_whole)
    }

    /// From now on rows are found by the values of a column, those that were written before too.
    ///
    /// **Cost**: a look at everything in the delta of the table, once; writers wait a moment.
    pub fn index_column(&self, column: u32) {
        let index = {
            let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
            if indexes.iter().any(|(own, _)| *own == column) {
                return;
            }
            let index = Arc::new(ValueDelta::default());
            indexes.push((column, Arc::clone(&index)));
            self.is_indexed.store(true, Ordering::SeqCst);
            index
        };
        // Who did not see it has linked what he wrote when this is over.
        self.latches.pass();
        for number in 0..self.heads.end() {
            let Some(zone) = self.heads.by_number(number) else { continue };
            for (row, head) in (number * ZONE_ROWS..).zip(zone.slots()) {
                let head = head.load(Ordering::Acquire);
                self.pages.all_values(head, column, |value| index.insert(value, row));
            }
        }
        index.complete();
    }

    /// Rows are found by the values of a column no more.
    pub fn drop_index(&self, column: u32) {
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|(own, _)| *own != column);
        self.is_indexed.store(!indexes.is_empty(), Ordering::SeqCst);
    }

    /// All indexes.
    pub(crate) fn all_indexes(&self) -> Vec<Arc<ValueDelta>> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        indexes.iter().map(|(_, index)| Arc::clone(index)).collect()
    }

    /// Asks whether rows may get edges, after the edges were put where others find them
    /// ([`crate::Topology::barrier`]). Rows that ascend cost less.
    ///
    /// **Errors**: somebody deletes one of them, or has since the writer began, whatever the level: an edge
    /// would lose its end.
    pub fn hold(&self, writer: &Writer<'_>, rows: impl IntoIterator<Item = u64>) -> Result<(), Conflict> {
        let mut last: Option<(u64, Option<Arc<Zone>>)> = None;
        for row in rows {
            let number = row / ZONE_ROWS;
            let zone = match &last {
                Some((own, zone)) if *own == number => zone,
                _ => &last.insert((number, self.heads.zone(row))).1,
            };
            if let Some(zone) = zone {
                self.hold_in(writer, zone, row)?;
            }
        }
        Ok(())
    }

    fn hold_in(&self, writer: &Writer<'_>, zone: &Zone, row: u64) -> Result<(), Conflict> {
        let met = self.pages.walk_of(zone.head(row), NO_COLUMN, |page, _, body, at| {
            if page.shape.event != Event::Went {
                return None;
            }
            writer.reading.may_replace(body.stamps.get(at)?).err()
        });
        met.map_or(Ok(()), Err)
    }

    /// Asks whether somebody else has written a row's column, or made or deleted the row, and has not
    /// committed, or has since the writer began: what he wrote counts though it is not seen.
    pub fn meets(&self, writer: &Writer<'_>, row: u64, column: u32) -> Result<(), Conflict> {
        let Some(zone) = self.heads.zone(row) else { return Ok(()) };
        let met = self.pages.walk_of(zone.head(row), column, |_, _, body, at| {
            writer.reading.may_replace(body.stamps.get(at)?).err()
        });
        met.map_or(Ok(()), Err)
    }

    /// Gives the columns that versions of a row wrote, whoever sees them; one may come several times.
    pub fn columns_written(&self, row: u64, mut visit: impl FnMut(u32)) {
        let Some(zone) = self.heads.zone(row) else { return };
        let _: Option<()> = self.pages.walk(zone.head(row), |page: &Page, _: &Body, _: usize| {
            page.shape.columns.iter().copied().for_each(&mut visit);
            None
        });
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

    /// Those of some rows that were written in zones where a column was: their places among the rows,
    /// ascending, and their newest versions. What these say of the column is for [`Self::values_of`].
    ///
    /// **Cost**: a load a row.
    pub fn written_rows(&self, rows: impl Iterator<Item = u64>, column: u32) -> (Vec<u32>, Vec<Version>) {
        let heads = self.heads_of(rows, |zone| zone.has_written(column));
        (0..).zip(heads).filter(|(_, head)| *head != 0).unzip()
    }

    /// The values of a column of rows whose newest versions these are: null where a row has none or is gone,
    /// none where main knows. **Cost**: rows that were written together are read together.
    pub fn values_of(&self, versions: &[Version], column: u32, reading: &Reading<'_>) -> Vec<Option<Value>> {
        let said = self.pages.values(versions, column, reading).into_iter();
        let values = said.map(|said| match said {
            Said::Nothing => None,
            Said::Value(value) => Some(value),
            Said::Gone => Some(Value::Null),
        });
        values.collect()
    }

    /// The same as a vector, where nothing of it is main's, nobody wrote a row again whose version is not
    /// seen, and all values are of one type; none where that is not so.
    ///
    /// **Cost**: rows that were written together are copied by columns.
    pub fn vector_of(
        &self,
        versions: &[Version],
        column: u32,
        reading: &Reading<'_>,
    ) -> Option<Vector<'static>> {
        self.pages.vector(versions, column, reading)
    }

    /// Whether all of `len` rows from `first` on came and are there; false where they must be asked.
    pub fn have_all_come(&self, first: u64, len: usize, reading: &Reading<'_>) -> bool {
        let heads: Vec<Version> = self.heads_of((first..).take(len), Zone::has_come_or_gone).collect();
        self.pages.have_all_come(&heads, reading)
    }

    /// Those of `len` rows from `first` on that came or went, as far as a reader sees it: their places,
    /// ascending, and whether they are there. Of others main knows.
    ///
    /// **Cost**: a load a row, and a look at each that was written in zones where some came or went.
    pub fn came_or_went(&self, first: u64, len: usize, reading: &Reading<'_>) -> Vec<(u32, bool)> {
        let heads = self.heads_of((first..).take(len), Zone::has_come_or_gone);
        let (places, versions): (Vec<u32>, Vec<Version>) =
            (0..).zip(heads).filter(|(_, head)| *head != 0).unzip();
        let told = self.pages.are_there(&versions, reading);
        places.into_iter().zip(told).filter_map(|(place, told)| Some((place, told?))).collect()
    }

    /// The newest versions of rows, of those whose zones have what is asked for; 0 of others.
    fn heads_of(
        &self,
        rows: impl Iterator<Item = u64>,
        has: impl Fn(&Zone) -> bool,
    ) -> impl Iterator<Item = Version> {
        let mut last: Option<(u64, Option<Arc<Zone>>)> = None;
        rows.map(move |row| {
            let number = row / ZONE_ROWS;
            let zone = match &last {
                Some((own, zone)) if *own == number => zone,
                _ => &last.insert((number, self.heads.zone(row).filter(|zone| has(zone)))).1,
            };
            zone.as_ref().map_or(0, |zone| zone.head(row))
        })
    }

    /// Whether a row was written in a zone where a column was.
    pub fn is_row_written(&self, row: u64, column: u32) -> bool {
        self.heads.zone(row).is_some_and(|zone| zone.has_written(column) && zone.head(row) != 0)
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
        let Some(handle) = writer.reading.view.own else { return };
        for (first, len) in written {
            (*first..*first + *len as u32).for_each(|v| self.pages.stamp(v, handle, stamp));
        }
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        let indexes: usize = self.all_indexes().iter().map(|index| index.bytes()).sum();
        self.heads.bytes() + self.pages.bytes() + indexes
    }
}

impl Versions for NodeDelta {
    fn values_of(&self, row: u64, column: u32, put: &mut dyn FnMut(Value)) {
        if let Some(zone) = self.heads.zone(row) {
            self.pages.all_values(zone.head(row), column, put);
        }
    }
}
