//! Value index: the rows of a node table, or the edges of an edge table, that have a value in one column, in
//! the order of their values. Serves equality, ranges, prefixes and order.
//!
//! ```text
//! mod       pieces of rows, and the index as one thread sees it: positions by binary search
//! build     a column in, its index out
//! in_turn   many values in, in their order, the positions of each out
//! by_hash   an IRI in, its positions out, where many were looked for
//! near      a whole number in, its position out, where nearly all numbers are there
//! change    an index and rows that lost or got values in, the next index out; other pieces are shared
//! ```
//!
//! The order is that of all values (`types::order`), then by row; values are not stored twice: a search
//! compares with the column. A piece is a blob of 32-bit rows, or of 64-bit places of edges: those stay when
//! the properties of an edge move.

mod build;
mod by_hash;
mod change;
mod in_turn;
mod near;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ops::{Bound, Range};
use std::sync::{Arc, OnceLock};

use self_cell::self_cell;
use trimorph_types::{Value, compare, order};
use trimorph_vfs::{Bytes, CodecError, Decoder, Piece, PieceWriter, Pins};

use by_hash::ByHash;

use crate::RewriteError;
use crate::column::{ColumnView, put_blob};
use crate::slot::{Content, Resolved, Slot};

pub(crate) use build::{WrittenIndex, sorted, together};
pub(crate) use change::Changed;

/// Rows of a piece at most: 64 KiB, so that one value more writes little anew.
const PIECE_ROWS: usize = 1 << 14;
/// Places of edges are below this.
const PLACE_END: u64 = 1 << trimorph_base::EdgeId::PLACE_BITS;

/// What is in a piece: rows, in the order of their values.
#[derive(Debug)]
pub(crate) struct Sorted(Bytes);

self_cell! {
    /// One piece.
    pub(crate) struct SortedRows {
        owner: Sorted,
        #[covariant]
        dependent: SortedView,
    }
}

/// The rows of a piece, or the places of edges.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SortedView<'v> {
    Rows(&'v [u32]),
    Places(&'v [u64]),
}

impl Default for SortedView<'_> {
    fn default() -> Self {
        Self::Rows(&[])
    }
}

impl SortedView<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Places(places) => places.len(),
        }
    }

    fn get(&self, at: usize) -> Option<u64> {
        match self {
            Self::Rows(rows) => rows.get(at).map(|row| u64::from(*row)),
            Self::Places(places) => places.get(at).copied(),
        }
    }

    fn append(&self, from: usize, to: usize, out: &mut Vec<u64>) {
        match self {
            Self::Rows(rows) => {
                out.extend(rows.get(from..to).unwrap_or_default().iter().map(|row| u64::from(*row)));
            }
            Self::Places(places) => out.extend(places.get(from..to).unwrap_or_default()),
        }
    }

    /// The first of which a predicate, true up to some and false from there on, is false.
    fn partition(&self, is_low: impl Fn(u64) -> bool) -> usize {
        match self {
            Self::Rows(rows) => rows.partition_point(|row| is_low(u64::from(*row))),
            Self::Places(places) => places.partition_point(|place| is_low(*place)),
        }
    }
}

/// Whose values are in an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    /// The nodes of a table of so many rows.
    Rows(u64),
    /// The edges of a table.
    Edges,
}

/// What is known of a piece: whose values they are, and how many are in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenRows {
    pub(crate) of: Of,
    pub(crate) len: u32,
}

/// Gives the value of a row, or of the edge at a place.
pub type ValueOf<'a> = dyn Fn(u64) -> Value + 'a;

impl Content for SortedRows {
    type Given = GivenRows;
    type View<'v> = SortedView<'v>;

    fn read(piece: &Arc<Piece>, given: &GivenRows) -> Result<Self, CodecError> {
        let mut meta = Decoder::new(piece.metadata());
        let blob = piece.read_blob(&mut meta)?;
        let len = given.len as usize;
        let fits = match given.of {
            Of::Rows(end) => bytemuck::try_cast_slice::<u8, u32>(blob.as_slice())
                .is_ok_and(|rows| rows.len() == len && rows.iter().all(|row| u64::from(*row) < end)),
            Of::Edges => bytemuck::try_cast_slice::<u8, u64>(blob.as_slice())
                .is_ok_and(|places| places.len() == len && places.iter().all(|at| *at < PLACE_END)),
        };
        if !fits {
            return Err(meta.error("a value index of rows of the table"));
        }
        let is_wide = given.of == Of::Edges;
        Ok(Self::new(Sorted(blob), |e| match is_wide {
            false => SortedView::Rows(bytemuck::try_cast_slice(e.0.as_slice()).unwrap_or_default()),
            true => SortedView::Places(bytemuck::try_cast_slice(e.0.as_slice()).unwrap_or_default()),
        }))
    }

    fn view(&self) -> &SortedView<'_> {
        self.borrow_dependent()
    }
}

/// The rows of one column in the order of their values.
#[derive(Clone, Debug, Default)]
pub struct ValueIndex {
    pub(crate) pieces: Vec<Arc<Slot<SortedRows>>>,
    /// One past the last position of each piece.
    ends: Vec<u64>,
    /// The first and the last value, where they are short and somebody has asked: an IRI or a literal is
    /// looked for in many tables, most of which cannot have it.
    extremes: OnceLock<[Value; 2]>,
    /// The positions of rows whose value is a list, once somebody has asked.
    lists: OnceLock<Range<u64>>,
    /// The different IRIs, once somebody has collected them; none where they are many.
    iris: OnceLock<Option<Box<[Arc<str>]>>>,
    by_hash: Arc<ByHash>,
}

/// A value index as one thread sees it.
pub struct ValueIndexView<'s> {
    pieces: Resolved<'s, SortedRows>,
    ends: &'s [u64],
    extremes: &'s OnceLock<[Value; 2]>,
    lists: &'s OnceLock<Range<u64>>,
    iris: &'s OnceLock<Option<Box<[Arc<str>]>>>,
    by_hash: &'s ByHash,
}

impl ValueIndex {
    /// The index of its pieces.
    pub(crate) fn of(pieces: Vec<Arc<Slot<SortedRows>>>) -> Self {
        let mut end = 0;
        let ends = pieces.iter().map(|piece| {
            end += u64::from(piece.given().len);
            end
        });
        let ends = ends.collect();
        let (extremes, lists, iris) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { pieces, ends, extremes, lists, iris, by_hash: Arc::default() }
    }

    /// Rows that have a value.
    pub fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether it is known, from what earlier searches have left, that no row has an IRI. Nothing is read.
    pub fn lacks_iri(&self, iri: &str) -> bool {
        is_outside(&self.extremes, iri) || self.by_hash.lacks(iri)
    }

    /// Finds IRIs by hash at once, if the index before did: of a column of which this is the index.
    pub(crate) fn hashed_as(mut self, before: &Self, value_of: &ValueOf<'_>) -> Self {
        if let Some(budget) = before.by_hash.budget() {
            let made = {
                let pins = Arc::<Pins<'_>>::default();
                let own = self.view(&pins);
                ByHash::made(self.len(), &|position| own.row(position).map(value_of), budget)
            };
            self.by_hash = Arc::new(made);
        }
        self
    }

    /// Whether no row has a value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As one thread sees it.
    pub fn view<'s>(&'s self, pins: &Arc<Pins<'s>>) -> ValueIndexView<'s> {
        ValueIndexView {
            pieces: Resolved::new(&self.pieces, pins),
            ends: &self.ends,
            extremes: &self.extremes,
            lists: &self.lists,
            iris: &self.iris,
            by_hash: &self.by_hash,
        }
    }
}

/// Whether an IRI is before the first value or behind the last: most tables have names of another kind.
fn is_outside(extremes: &OnceLock<[Value; 2]>, iri: &str) -> bool {
    matches!(extremes.get(), Some([Value::Iri(low), Value::Iri(high)]) if iri < &**low || iri > &**high)
}

/// Rows that are asked one by one before the end of a range is searched for.
const FEW_ROWS: usize = 4;

/// Letters of a value that is kept to tell whether others can be there.
const SHORT: usize = 256;

/// Whether a value was read and takes little.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Iri(text) | Value::String(text) => text.len() <= SHORT,
        Value::Literal(literal) => literal.lexical.len() <= SHORT,
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Decimal(_) | Value::Date(_) => true,
        _ => false,
    }
}

/// How a value stands to another where both are looked for: what compares as equal is, whatever else tells
/// them apart, as the zones of the same instant.
#[inline]
fn standing(value: &Value, bound: &Value) -> Ordering {
    match (value, bound) {
        // What is looked for most, some ten times in a search.
        (Value::Int(value), Value::Int(bound)) => value.cmp(bound),
        _ => compare(value, bound).unwrap_or_else(|| order(value, bound)),
    }
}

fn is_before(value: &Value, bound: &Value) -> bool {
    standing(value, bound).is_lt()
}

fn is_behind(value: &Value, bound: &Value) -> bool {
    standing(value, bound).is_gt()
}

/// The different IRIs of an index.
#[derive(Clone, Copy, Debug)]
pub enum Iris<'s> {
    /// Nobody has collected them.
    Unknown,
    /// They are more than are kept.
    Many,
    /// All of them.
    These(&'s [Arc<str>]),
}

/// IRIs that an index keeps: 10 kB at their usual length (chosen).
const IRIS_MAX: usize = 128;

impl<'s> ValueIndexView<'s> {
    /// The different IRIs that [`Self::note_iris`] was told.
    pub fn iris(&self) -> Iris<'s> {
        match self.iris.get() {
            None => Iris::Unknown,
            Some(None) => Iris::Many,
            Some(Some(iris)) => Iris::These(iris),
        }
    }

    /// Somebody has collected the different IRIs.
    pub fn note_iris(&self, iris: Vec<Arc<str>>) {
        self.iris.get_or_init(|| (iris.len() <= IRIS_MAX).then(|| iris.into()));
    }

    /// Rows that have a value.
    pub fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether no row has a value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets what is pinned.
    pub fn forget(&self) {
        self.pieces.forget();
    }

    /// The rows of a piece; none where it cannot be had, which the pins tell.
    fn piece(&self, number: usize) -> SortedView<'_> {
        self.pieces.get(number).copied().unwrap_or_default()
    }

    /// The row at a position.
    pub fn row(&self, position: u64) -> Option<u64> {
        let number = self.ends.partition_point(|end| *end <= position);
        let rows = self.piece(number);
        let first = self.ends.get(number)?.checked_sub(rows.len() as u64)?;
        rows.get(usize::try_from(position.checked_sub(first)?).ok()?)
    }

    /// Appends the rows at some positions.
    pub fn rows(&self, positions: Range<u64>, out: &mut Vec<u64>) {
        let mut number = self.ends.partition_point(|end| *end <= positions.start);
        let mut at = positions.start;
        while at < positions.end {
            let rows = self.piece(number);
            let (Some(end), false) = (self.ends.get(number), rows.len() == 0) else { return };
            let first = end - rows.len() as u64;
            let (from, to) = ((at - first) as usize, (positions.end.min(*end) - first) as usize);
            rows.append(from, to, out);
            at = *end;
            number += 1;
        }
    }

    /// The first position of which a predicate, true up to some position and false from there on, is false.
    ///
    /// **Cost**: a value of each row that is asked, some twenty.
    fn partition(&self, value_of: &ValueOf<'_>, is_low: impl Fn(&Value, u64) -> bool) -> u64 {
        let low = |row: u64| is_low(&value_of(row), row);
        let count = self.ends.len();
        // The first piece whose last row is not low; one by one they would all be read.
        let (mut from, mut to) = (0, count);
        while from < to {
            let middle = from.midpoint(to);
            let rows = self.piece(middle);
            match rows.len().checked_sub(1).and_then(|last| rows.get(last)) {
                Some(last) if low(last) => from = middle + 1,
                _ => to = middle,
            }
        }
        if from == count {
            return self.len();
        }
        let before = if from == 0 { 0 } else { self.ends[from - 1] };
        before + self.piece(from).partition(low) as u64
    }

    /// The first and the last value.
    fn extremes(&self, value_of: &ValueOf<'_>) -> Option<[Value; 2]> {
        let at = |position: u64| self.row(position).map(value_of);
        Some([at(0)?, at(self.len().checked_sub(1)?)?])
    }

    /// The positions of rows with values between two bounds. Rows of other types than the bounds' may be
    /// among them where one is open.
    pub fn range(&self, low: Bound<&Value>, high: Bound<&Value>, column: &ColumnView<'_>) -> Range<u64> {
        self.range_by(low, high, &|row| column.value(row))
    }

    /// The positions of rows whose value is a list. Other values may be among them.
    pub fn lists(&self, column: &ColumnView<'_>) -> Range<u64> {
        if let Some(known) = self.lists.get() {
            return known.clone();
        }
        // In the order of all values IRIs are the next that a property can hold.
        let (low, high) = (Value::list(Vec::new()), Value::iri(""));
        let found = self.range(Bound::Included(&low), Bound::Excluded(&high), column);
        // What could not be read stands nowhere.
        if column.all_read() {
            _ = self.lists.set(found.clone());
        }
        found
    }

    /// The positions of rows whose values in several columns, as lists, stand between two lists.
    pub fn range_together(
        &self,
        low: Bound<&Value>,
        high: Bound<&Value>,
        columns: &[&ColumnView<'_>],
    ) -> Range<u64> {
        let value_of = |row: u64| Value::list(columns.iter().map(|column| column.value(row)).collect());
        self.range_by(low, high, &value_of)
    }

    /// The same where a function gives the values of rows, or of the edges at places.
    pub fn range_by(&self, low: Bound<&Value>, high: Bound<&Value>, value_of: &ValueOf<'_>) -> Range<u64> {
        // Most tables have nothing that is looked for: their first and last values tell.
        if let (Bound::Included(low), Bound::Included(high)) = (low, high) {
            let is_outside = |first: &Value, last: &Value| is_before(last, low) || is_behind(first, high);
            let outside = match self.extremes.get() {
                Some([first, last]) => is_outside(first, last),
                None => self.extremes(value_of).is_some_and(|[first, last]| {
                    let outside = is_outside(&first, &last);
                    if is_short(&first) && is_short(&last) {
                        _ = self.extremes.set([first, last]);
                    }
                    outside
                }),
            };
            if outside {
                return 0..0;
            }
            if let (Value::Iri(iri), Value::Iri(other)) = (low, high)
                && iri == other
                && let Some(found) = self.find_by_hash(iri, value_of)
            {
                return found.map_or(0..0, |start| start..self.end_of(start, high, value_of));
            }
        }
        let start = match low {
            Bound::Unbounded => 0,
            Bound::Included(low) => match self.guess(low) {
                Some(guess) => self.partition_near(guess, value_of, |value| is_before(value, low)),
                None => self.partition(value_of, |value, _| is_before(value, low)),
            },
            Bound::Excluded(low) => self.partition(value_of, |value, _| !is_behind(value, low)),
        };
        let end = match high {
            Bound::Unbounded => self.len(),
            Bound::Included(high) => self.end_of(start, high, value_of),
            Bound::Excluded(high) => self.partition(value_of, |value, _| is_before(value, high)),
        };
        start..end.max(start)
    }

    /// The first row with an IRI, if any has it; `None` where it is to be searched for.
    ///
    /// **Cost**: a look at a table of hashes, and at the value where one is alike.
    pub fn find_iri(&self, iri: &str, column: &ColumnView<'_>) -> Option<Option<u64>> {
        if is_outside(self.extremes, iri) {
            return Some(None);
        }
        let position = self.find_by_hash(iri, &|row| column.value(row))?;
        Some(position.and_then(|position| self.row(position)))
    }

    fn find_by_hash(&self, iri: &str, value_of: &ValueOf<'_>) -> Option<Option<u64>> {
        let value_at = |position| self.row(position).map(value_of);
        self.by_hash.find(iri, self.len(), &value_at, self.pieces.pins())
    }

    /// The first position from one on that is behind a value.
    fn end_of(&self, start: u64, high: &Value, value_of: &ValueOf<'_>) -> u64 {
        // Few rows, as a rule: the next ones are asked before all are.
        let next = (start..self.len()).take(FEW_ROWS);
        let behind = |position: &u64| self.row(*position).is_none_or(|row| is_behind(&value_of(row), high));
        match next.clone().find(behind) {
            Some(end) => end,
            None if next.count() < FEW_ROWS => self.len(),
            None => self.partition(value_of, |value, _| !is_behind(value, high)),
        }
    }

    /// The places of rows with values, which are put in order: a row's own, or where it would stand.
    ///
    /// **Cost**: each is looked for from the one before on, in steps of twice the length each.
    fn places(&self, rows: &mut [(Value, u64)], value_of: &ValueOf<'_>) -> Vec<u64> {
        rows.sort_unstable_by(|(a, i), (b, j)| order(a, b).then(i.cmp(j)));
        let (len, step) = (self.len(), (self.len() / (rows.len() as u64).max(1)).max(1));
        let mut from = 0_u64;
        let mut place = |(value, row): &(Value, u64)| {
            let is_low = |position: u64| {
                let Some(at) = self.row(position) else { return false };
                match order(&value_of(at), value) {
                    Ordering::Equal => at < *row,
                    ordering => ordering.is_lt(),
                }
            };
            let (mut low, mut step) = (from, step);
            let mut high = low.saturating_add(step - 1);
            while high < len && is_low(high) {
                step = step.saturating_mul(2);
                (low, high) = (high + 1, high.saturating_add(step));
            }
            high = high.min(len);
            while low < high {
                let middle = low.midpoint(high);
                match is_low(middle) {
                    true => low = middle + 1,
                    false => high = middle,
                }
            }
            from = low;
            low
        };
        rows.iter().map(&mut place).collect()
    }
}

/// Whether all was read that was asked for.
pub(crate) fn settle(pins: &Pins<'_>) -> Result<(), RewriteError> {
    pins.failure().map_or(Ok(()), |error| Err(RewriteError::Read(error)))
}

/// The finished piece of some rows, or places of edges.
fn finish(rows: &[u64], of: Of) -> Vec<u8> {
    let mut piece = PieceWriter::new();
    let mut bytes = Vec::with_capacity(rows.len() * 8);
    match of {
        // Rows of a table are below 2^32.
        Of::Rows(_) => rows
            .iter()
            .for_each(|row| bytes.extend_from_slice(&u32::try_from(*row).unwrap_or(u32::MAX).to_le_bytes())),
        Of::Edges => rows.iter().for_each(|place| bytes.extend_from_slice(&place.to_le_bytes())),
    }
    put_blob(bytes, &mut piece);
    piece.finish()
}
