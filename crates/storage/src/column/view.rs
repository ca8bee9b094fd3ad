//! Column view: the read side. A segment is resolved into slices once, when it is first touched, and pinned
//! by each thread that reads it; then one load, shift and mask per value.
//!
//! Rows at random are read fastest where all segments are pinned: then their codes lie side by side (`codes`)
//! and nothing is asked per value. Until then, and where memory is too short for all, values are read one by
//! one.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use trimorph_encoding::{FsstTable, PackedView, RankView, StringsView, expand};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Decimals, Nulls, Positions, Values, Vector};
use trimorph_vfs::{Decoder, Pins};

use super::behind::spoil;
use super::codes::{Batch, Codes, RowId};
use super::filter::Hashes;
use super::format::{Exceptions, SEGMENT_ROWS, ZONE_ROWS, split, tells_exceptions};
use super::label_rows::{Collected, LabelRows};
use super::pairs::{BATCH_ROWS, Pairs, for_each_pair};
use super::segment::Segment;
use super::segment_view::{DataView, PresenceView, SegmentView};
use super::small_texts::Small;
use super::stored_column::Column;
use super::stored_dictionary::DictionaryView;
use super::writer::of_integer;
use crate::slot::{Content, Resolved};
use trimorph_encoding::value_codec;

/// What the directory says of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownSegment {
    /// Rows, nulls with them.
    pub rows: usize,
    /// Smallest and largest integer; none where no zone maps are kept, or some values are of another type.
    pub range: Option<(i64, i64)>,
}

/// A column as one thread sees it.
pub struct ColumnView<'s> {
    pub(super) ty: LogicalType,
    pub(super) column: &'s Column,
    segments: Resolved<'s, Segment>,
    pub(super) dictionary: DictionaryView<'s>,
    fsst: OnceCell<Option<&'s FsstTable>>,
    pins: Arc<Pins<'s>>,
    /// Whether texts may point into pieces, or must be copies.
    pub(super) in_place: bool,
    /// Whether some values are of another type.
    pub(super) has_exceptions: bool,
    /// All segments side by side, where all are pinned and packed integers (plain floats, codes of the
    /// dictionary): what is gathered in batches.
    codes: Cell<Option<&'s Codes<'s>>>,
    /// How many segments may be missing before codes are looked for again.
    missing_max: Cell<usize>,
    /// All texts, where there are few.
    pub(super) small: RefCell<Small<'s>>,
}

impl<'s> ColumnView<'s> {
    /// The type of its values, but for exceptions.
    #[inline]
    pub fn logical_type(&self) -> LogicalType {
        self.ty
    }

    /// The type of all its values, if it is known that none is of another one.
    pub fn one_type(&self) -> Option<LogicalType> {
        (tells_exceptions(self.ty) && !self.has_exceptions).then_some(self.ty)
    }

    /// Whether some values are of another type. Of general values nobody knows.
    pub fn has_exceptions(&self) -> bool {
        self.has_exceptions
    }

    /// The column for a thread of its own, whose pins go with the view.
    pub fn new(column: &'s Column) -> Self {
        Self::pinned(column, &Arc::default())
    }

    /// The column for the thread of `pins`. Nothing is read yet. **Cost**: a word a segment.
    pub fn pinned(column: &'s Column, pins: &Arc<Pins<'s>>) -> Self {
        Self {
            ty: column.ty,
            column,
            segments: Resolved::new(&column.segments, pins),
            dictionary: DictionaryView::new(&column.dictionary, pins),
            fsst: OnceCell::new(),
            pins: Arc::clone(pins),
            in_place: pins.are_kept(),
            has_exceptions: column.has_exceptions(),
            codes: Cell::new(None),
            missing_max: Cell::new(column.segments.len()),
            small: RefCell::new(Small::Asked(0)),
        }
    }

    /// Forgets what is pinned; vectors read so far must own their texts.
    pub fn forget(&self) {
        self.segments.forget();
        self.dictionary.forget();
        self.codes.set(None);
        *self.small.borrow_mut() = Small::Asked(0);
        self.missing_max.set(self.segments.len());
    }

    /// How many segments there are.
    #[inline(always)]
    pub(super) fn segments_len(&self) -> usize {
        self.segments.len()
    }

    /// A segment; `None` past the last, and where its piece cannot be had.
    #[inline(always)]
    pub(super) fn segment(&self, segment: usize) -> Option<&'s SegmentView<'s>> {
        self.segments.get(segment)
    }

    /// Whether the texts of the segment of a row are compressed, each by itself.
    pub fn has_compressed_texts(&self, row: u64) -> bool {
        let is_compressed =
            |view: &SegmentView<'_>| matches!(view.data, DataView::Compressed(_)) && !self.has_exceptions;
        self.segment(split(row).0).is_some_and(is_compressed) && self.fsst().is_some()
    }

    /// The FSST table.
    #[inline]
    pub(super) fn fsst(&self) -> Option<&'s FsstTable> {
        *self.fsst.get_or_init(|| self.column.fsst.as_ref()?.get(&self.pins).map(Content::view))
    }

    /// All segments side by side, if they are pinned, or are in memory and most likely wanted.
    #[inline]
    pub(super) fn codes(&self) -> Option<&'s Codes<'s>> {
        match self.codes.get() {
            Some(codes) => Some(codes),
            None if self.segments.missing() <= self.missing_max.get() => self.look_for_codes(),
            None => None,
        }
    }

    #[cold]
    fn look_for_codes(&self) -> Option<&'s Codes<'s>> {
        let missing = self.segments.missing();
        // Again when a quarter of what is missing now was touched, or nothing is any more.
        self.missing_max.set(missing - missing.div_ceil(4));
        if !self.segments.take_resident() {
            return None;
        }
        self.codes.set(self.column.codes());
        self.codes.get()
    }

    /// The type of its vectors; `Any` if values are general or there are exceptions.
    pub fn vector_type(&self) -> LogicalType {
        if self.has_exceptions { LogicalType::Any } else { self.ty }
    }

    /// Smallest and largest integer of the zone that `row` is in; `None` when the column has no zone maps or
    /// has exceptions, which they do not cover (a float in an integer column compares with integers).
    pub fn zone_range(&self, row: u64) -> Option<(i64, i64)> {
        if self.has_exceptions {
            return None;
        }
        let (segment, local) = split(row);
        if let Some(view) = self.segments.pinned(segment) {
            return view.zones.get(local / ZONE_ROWS).map(|[low, high]| (*low, *high));
        }
        // What the whole segment has bounds what the zone has, and takes no reading.
        self.segments.given(segment)?.summary?.range
    }

    /// As [`Self::zone_range`] where every row of the segment has a value, else `None`. **Cost**: reads the
    /// segment.
    pub fn full_zone_range(&self, row: u64) -> Option<(i64, i64)> {
        let view = self.segment(split(row).0)?;
        if matches!(view.presence, PresenceView::All) { self.zone_range(row) } else { None }
    }

    /// What is known of each segment without reading.
    pub fn segments(&self) -> impl Iterator<Item = KnownSegment> {
        self.column.segments.iter().map(|slot| {
            let given = slot.given();
            let range = given.summary.filter(|s| !s.exceptions).and_then(|s| s.range);
            KnownSegment { rows: given.rows, range }
        })
    }

    /// The row of the column that is row `row` of a segment.
    pub fn row_of(segment: usize, row: usize) -> u64 {
        (segment * SEGMENT_ROWS + row) as u64
    }

    /// Whether it has no segments: a column that was added, and nothing merged since.
    pub fn is_empty(&self) -> bool {
        self.column.segments.is_empty()
    }

    /// Whether there is such a row: the slots of an edge table have gaps behind each segment of source rows.
    #[inline]
    pub fn has_row(&self, row: u64) -> bool {
        let (segment, local) = split(row);
        self.segments.given(segment).is_some_and(|given| local < given.rows)
    }

    /// Whether what is read of a row is arbitrary.
    fn is_behind(&self, row: u64) -> bool {
        !self.is_empty() && !self.has_row(row)
    }

    /// Reads the rows of `(position, row)` pairs into a vector of `len` positions; others are arbitrary, and
    /// so are those of rows that [`Self::has_row`] denies, unless the column is empty: then they are null.
    ///
    /// **Cost**: constant per row; texts of FSST segments are decoded, others are not touched.
    #[inline]
    pub fn gather(&self, mut rows: impl Iterator<Item = (usize, u64)>, len: usize) -> Vector<'s> {
        if cfg!(debug_assertions) {
            let rows: Vec<(usize, u64)> = rows.collect();
            let mut vector = self.gather_stored(&mut rows.iter().copied(), len);
            let behind = rows.iter().filter(|(_, row)| self.is_behind(*row)).map(|(at, _)| *at as u32);
            spoil(&mut vector, &behind.collect::<Vec<_>>());
            return vector;
        }
        self.gather_stored(&mut rows, len)
    }

    /// Where pieces may be dropped and not all are pinned, rows are read in their order, and the pieces they
    /// need one after the other: those of a vector of rows at random may be more than there is memory.
    fn gather_stored(&self, rows: &mut dyn Pairs, len: usize) -> Vector<'s> {
        if self.in_place || self.segments.missing() == 0 {
            return self.gather_pairs(rows, len);
        }
        let mut rows: Vec<(usize, u64)> = rows.collect();
        let is_missing = |row: u64| self.segments.pinned(split(row).0).is_none();
        if !rows.is_sorted_by_key(|(_, row)| *row) && rows.iter().any(|(_, row)| is_missing(*row)) {
            rows.sort_unstable_by_key(|(_, row)| *row);
        }
        self.segments.one_after_the_other(|| self.gather_pairs(&mut rows.into_iter(), len))
    }

    fn gather_pairs(&self, rows: &mut dyn Pairs, len: usize) -> Vector<'s> {
        if self.has_exceptions {
            if self.ty != LogicalType::DateTime {
                return self.gather_any(rows, len);
            }
            let rows: Vec<(usize, u64)> = rows.collect();
            let zoned = self.gather_zoned(&mut rows.iter().copied(), len);
            return zoned.unwrap_or_else(|| self.gather_any(&mut rows.into_iter(), len));
        }
        match self.ty {
            LogicalType::Int => self.gather_ints(rows, len, Values::Int, |v| v),
            LogicalType::DateTime => self.gather_ints(rows, len, Values::DateTime, |v| v),
            LogicalType::LocalDateTime => self.gather_ints(rows, len, Values::LocalDateTime, |v| v),
            LogicalType::LocalTime => self.gather_ints(rows, len, Values::LocalTime, |v| v),
            LogicalType::Date => self.gather_ints(rows, len, Values::Date, |v| v as i32),
            LogicalType::Bool => self.gather_ints(rows, len, Values::Bool, |v| v != 0),
            LogicalType::Float => {
                let (codes, read) = (self.codes(), |v: &DataView<'s>, p| v.float(p));
                match codes.filter(|codes| codes.has_decimals()) {
                    Some(decimals) => {
                        let convert = |v, place| decimals.float(v, place);
                        self.gather_with(codes, rows, len, 0.0, Values::Float, convert, read)
                    }
                    None => self.gather_with(codes, rows, len, 0.0, Values::Float, bits_of_float, read),
                }
            }
            LogicalType::String => self.gather_texts(rows, len),
            LogicalType::Decimal if self.is_fixed() => {
                let read = |v: &DataView<'s>, p| v.units(p);
                let wrap = |all: Vec<(i64, u8)>| Values::Decimal(Decimals::of_scaled(&all));
                self.gather_with(None, rows, len, (0, 0), wrap, |_, _| (0, 0), read)
            }
            _ => self.gather_general(rows, len),
        }
    }

    /// Reads rows into a vector, one after the other: [`Self::gather`] for positions `0..rows.len()`, in
    /// fewer steps.
    pub fn gather_rows<R: RowId>(&self, rows: &[R]) -> Vector<'s> {
        let mut vector = self.gather_rows_stored(rows);
        if cfg!(debug_assertions) {
            let behind = (0..).zip(rows).filter(|(_, row)| self.is_behind(row.row())).map(|(at, _)| at);
            spoil(&mut vector, &behind.collect::<Vec<u32>>());
        }
        vector
    }

    fn gather_rows_stored<R: RowId>(&self, rows: &[R]) -> Vector<'s> {
        let Some(codes) = self.codes().filter(|_| !self.has_exceptions) else {
            return self.gather(rows.iter().map(|row| row.row()).enumerate(), rows.len());
        };
        match self.ty {
            LogicalType::Int => gather_run(codes, rows, 0, Values::Int, |v, _| v),
            LogicalType::DateTime => gather_run(codes, rows, 0, Values::DateTime, |v, _| v),
            LogicalType::LocalDateTime => gather_run(codes, rows, 0, Values::LocalDateTime, |v, _| v),
            LogicalType::LocalTime => gather_run(codes, rows, 0, Values::LocalTime, |v, _| v),
            LogicalType::Date => gather_run(codes, rows, 0, Values::Date, |v, _| v as i32),
            LogicalType::Bool => gather_run(codes, rows, false, Values::Bool, |v, _| v != 0),
            LogicalType::Float if codes.has_decimals() => {
                gather_run(codes, rows, 0.0, Values::Float, |v, place| codes.float(v, place))
            }
            LogicalType::Float => gather_run(codes, rows, 0.0, Values::Float, bits_of_float),
            LogicalType::String => self.gather_coded(codes, rows),
            _ => self.gather(rows.iter().map(|row| row.row()).enumerate(), rows.len()),
        }
    }

    #[inline]
    fn gather_ints<T: Clone + Default>(
        &self,
        rows: &mut dyn Pairs,
        len: usize,
        wrap: impl FnOnce(Vec<T>) -> Values<'s>,
        convert: impl Fn(i64) -> T,
    ) -> Vector<'s> {
        let codes = self.codes();
        let read = |v: &DataView<'s>, p| convert(v.integer(p));
        self.gather_with(codes, rows, len, T::default(), wrap, |v, _| convert(v), read)
    }

    /// Gathers in batches where all segments are packed integers, which `convert` makes values of, by where
    /// they stand; else value by value with `read`.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the steps of one loop")]
    fn gather_with<T: Clone>(
        &self,
        codes: Option<&Codes<'_>>,
        rows: &mut dyn Pairs,
        len: usize,
        blank: T,
        wrap: impl FnOnce(Vec<T>) -> Values<'s>,
        convert: impl Fn(i64, u64) -> T,
        read: impl Fn(&DataView<'s>, usize) -> T,
    ) -> Vector<'s> {
        let mut out = vec![blank; len];
        let mut nulls = Nulls::NONE;
        match codes {
            Some(codes) if len >= BATCH_LEAST => {
                gather_batches(codes, rows, convert, &mut out, &mut nulls);
            }
            Some(codes) => {
                for (i, row) in rows {
                    let (value, place, present) = codes.get(row);
                    if present {
                        out[i] = convert(value, place);
                    } else {
                        nulls.set(i, len);
                    }
                }
            }
            None => {
                for_each_pair(rows, |i, row| {
                    let (segment, local) = split(row);
                    match self.segment(segment).and_then(|s| Some((s, s.place(local)?))) {
                        Some((segment, place)) => out[i] = read(&segment.data, place),
                        None => nulls.set(i, len),
                    }
                });
            }
        }
        Vector { values: wrap(out), nulls }
    }

    pub(super) fn gather_any(&self, rows: &mut dyn Pairs, len: usize) -> Vector<'s> {
        let mut out = vec![Value::Null; len];
        let mut decoded = Vec::new();
        for (i, row) in rows {
            out[i] = self.value_into(row, &mut decoded);
        }
        self.typed(out)
    }

    /// Values as a vector.
    fn typed(&self, out: Vec<Value>) -> Vector<'s> {
        let len = out.len();
        match self.ty {
            // Stored value by value; read, they are vectors of their type.
            LogicalType::Duration
            | LogicalType::Time
            | LogicalType::DateTime
            | LogicalType::Decimal
            | LogicalType::Iri
            | LogicalType::Literal => Vector::of_values(out, Positions::all(len)),
            _ => Vector::new(Values::Any(out)),
        }
    }

    /// The values of `len` rows of a segment that has exceptions, or values stored one by one, from one on:
    /// those of the column's type by their places, then the exceptions, which are in the order of rows.
    fn scan_mixed(&self, view: &SegmentView<'s>, local: usize, len: usize) -> Vec<Value> {
        let mut decoded = Vec::new();
        let own = |i: usize| {
            view.place(local + i).map(|place| self.value_at(self.ty, &view.data, place, &mut decoded))
        };
        let mut out: Vec<Value> = (0..len).map(own).map(|own| own.unwrap_or(Value::Null)).collect();
        let Some(Exceptions { len: count, rows, ends, bytes }) = view.stored.exceptions.as_ref() else {
            return out;
        };
        let (rows, strings) = (rows.view(), StringsView { ends: ends.view(), bytes: bytes.as_slice() });
        for at in first_at_least(&rows, *count, local)..*count {
            let Ok(row) = usize::try_from(rows.get(at)) else { break };
            let Some(out) = row.checked_sub(local).and_then(|i| out.get_mut(i)) else { break };
            *out = value_codec::decode(&mut Decoder::new(strings.get(at))).unwrap_or(Value::Null);
        }
        out
    }

    /// Reads rows `first..first + len` into a vector.
    ///
    /// **Cost**: as [`Self::gather`], but numbers are unpacked without a branch per value, nulls by 64 rows.
    pub fn scan(&self, first: u64, len: usize) -> Vector<'s> {
        let (segment, local) = split(first);
        if !self.has_exceptions
            && let Some(view) = self.segment(segment)
            && local + len <= view.rows
        {
            if self.ty == LogicalType::String {
                return self.scan_texts(&view.presence, &view.data, local, len);
            }
            if let DataView::Lists(lists) = &view.data
                && matches!(self.ty, LogicalType::List | LogicalType::Any)
                && let Some(lists) = self.scan_lists(&view.presence, lists, local, len)
            {
                return lists;
            }
            if let DataView::Ints(_) | DataView::Linear(_) | DataView::Runs(_) = view.data
                && let Some(wrap) = wrap_integers(self.ty)
            {
                let mut out = vec![0; len];
                let mut nulls = Nulls::NONE;
                match &view.presence {
                    PresenceView::All => view.data.unpack(local, &mut out),
                    PresenceView::None => nulls = Nulls::all(len),
                    PresenceView::Some(rank) => {
                        let unpack = |place, out: &mut [i64]| view.data.unpack(place, out);
                        scan_present(rank, unpack, local, &mut out, &mut nulls);
                    }
                }
                return Vector { values: wrap(out), nulls };
            }
            if let DataView::Fixed(fixed) = &view.data {
                return Self::scan_fixed(fixed, &view.presence, local, len);
            }
            if self.ty == LogicalType::Float {
                let mut out = vec![0.0; len];
                let mut nulls = Nulls::NONE;
                match &view.presence {
                    PresenceView::All => view.data.unpack_floats(local, &mut out),
                    PresenceView::None => nulls = Nulls::all(len),
                    PresenceView::Some(rank) => {
                        let unpack = |place, out: &mut [i64]| {
                            view.data.unpack_floats(place, bytemuck::cast_slice_mut(out))
                        };
                        scan_present(rank, unpack, local, bytemuck::cast_slice_mut(&mut out), &mut nulls);
                    }
                }
                return Vector { values: Values::Float(out), nulls };
            }
        }
        if let Some(view) = self.segment(segment)
            && let DataView::Zoned(zoned) = &view.data
            && view.stored.exceptions.is_none()
            && local + len <= view.rows
            && let Some(zoned) = Self::scan_zoned(zoned, &view.presence, local, len)
        {
            return zoned;
        }
        if (self.has_exceptions || is_value_by_value(self.ty))
            && let Some(view) = self.segment(segment)
            && local + len <= view.rows
        {
            return self.typed(self.scan_mixed(view, local, len));
        }
        self.gather((0..len).map(|i| (i, first + i as u64)), len)
    }

    /// Tells that a value was looked for, which cost what reading so many rows does: once that has paid for
    /// it, segments get filters ([`Column::may_have`]).
    pub fn searched(&self, spent: u64) {
        let all: usize = self.column.segments.iter().map(|slot| slot.given().rows).sum();
        for (number, slot) in self.column.segments.iter().enumerate() {
            let rows = slot.given().rows as u64;
            // Each has its share.
            let spent = (spent * rows).div_ceil(all.max(1) as u64);
            if let Some(segment) = slot.touched()
                && segment.filter.pays(spent, segment.view().cost_of_values())
            {
                self.make_filter(number, slot.given().rows, segment);
            }
        }
    }

    #[cold]
    fn make_filter(&self, number: usize, rows: usize, segment: &Segment) {
        let mut hashes = Hashes::default();
        for first in (0..rows).step_by(ZONE_ROWS) {
            let len = ZONE_ROWS.min(rows - first);
            let row = Self::row_of(number, first);
            let mut there: Vec<u64> = Vec::new();
            self.each_with_value(row, len, &mut |at| there.push(row + at as u64));
            match there.len() {
                0 => {}
                some if some < len => hashes.take(&self.gather_rows(&there), some),
                _ => hashes.take(&self.scan(row, len), len),
            }
            if hashes.are_many() {
                break;
            }
        }
        // What could not be read is missing.
        match self.all_read() {
            true => segment.filter.make(hashes, self.pins.room()),
            false => segment.filter.pays_later(),
        }
    }

    /// Which rows of the segment of a row have which labels, if this is a column of labels, once what was
    /// asked for has paid for making that: `asked` rows now.
    #[inline]
    pub fn label_rows(&self, row: u64, asked: u64) -> Option<&'s LabelRows> {
        let (number, _) = split(row);
        let slot = self.column.segments.get(number)?;
        let segment = match slot.touched() {
            Some(segment) => segment,
            None => slot.get(&self.pins)?,
        };
        let rows = slot.given().rows;
        if segment.labels.get().is_none() && segment.labels.pays(asked, rows as u64) {
            self.make_label_rows(number, rows, segment);
        }
        segment.labels.get()
    }

    /// The different sets of labels of the rows of a segment, if this is a column of labels, but for the
    /// table's; none where they are too many, or could not be read.
    pub(crate) fn label_sets(&self, number: usize) -> Option<Vec<Box<[Arc<str>]>>> {
        let rows = self.column.segments.get(number)?.given().rows;
        let collected = self.collect_labels(number, rows);
        self.all_read().then_some(collected)?.into_sets()
    }

    #[cold]
    fn make_label_rows(&self, number: usize, rows: usize, segment: &Segment) {
        let collected = self.collect_labels(number, rows);
        // What could not be read is missing.
        match self.all_read() {
            true => segment.labels.make(collected, self.pins.room()),
            false => segment.labels.pays_later(),
        }
    }

    fn collect_labels(&self, number: usize, rows: usize) -> Collected {
        let mut collected = Collected::default();
        for first in (0..rows).step_by(ZONE_ROWS) {
            let len = ZONE_ROWS.min(rows - first);
            collected.take(&self.scan(Self::row_of(number, first), len), len);
            if collected.are_many() {
                break;
            }
        }
        collected
    }

    /// Whether all that was asked for could be had, of whatever is read with the same pins.
    pub(crate) fn all_read(&self) -> bool {
        self.pins.failure().is_none()
    }

    /// The bytes of a row's value as they lie, with the number of its segment: within a segment equal bytes
    /// are equal values. None where the row has no value, and where they lie otherwise.
    ///
    /// **Cost**: no more than to find them; a term is not taken out.
    #[inline]
    pub fn stored_bytes(&self, row: u64) -> Option<(usize, &'s [u8])> {
        let (segment, local) = split(row);
        let view = self.segment(segment)?;
        match &view.data {
            DataView::Values(values) | DataView::CompressedValues(values) => {
                Some((segment, values.get(view.place(local)?)))
            }
            _ => None,
        }
    }

    /// The value of one row.
    pub fn value(&self, row: u64) -> Value {
        self.value_into(row, &mut Vec::new())
    }

    /// The same, where bytes that are decompressed go into `decoded`.
    fn value_into(&self, row: u64, decoded: &mut Vec<u8>) -> Value {
        let (segment, local) = split(row);
        let Some(view) = self.segment(segment) else { return Value::Null };
        match view.place(local) {
            Some(place) => self.value_at(self.ty, &view.data, place, decoded),
            None if self.has_exceptions => self.exception(row).unwrap_or(Value::Null),
            None => Value::Null,
        }
    }

    /// The value of a type at a place of a segment, or of the elements of its lists. Bytes that are
    /// decompressed go into `decoded`.
    pub(super) fn value_at(
        &self,
        ty: LogicalType,
        data: &DataView<'s>,
        place: usize,
        decoded: &mut Vec<u8>,
    ) -> Value {
        match data {
            data @ (DataView::Ints(_) | DataView::Linear(_) | DataView::Runs(_))
                if ty != LogicalType::Float =>
            {
                of_integer(ty, data.integer(place))
            }
            data @ (DataView::Floats(_) | DataView::Decimals(_) | DataView::Runs(_)) => {
                Value::Float(data.float(place))
            }
            DataView::Values(strings) => {
                value_codec::decode(&mut Decoder::new(strings.get(place))).unwrap_or(Value::Null)
            }
            DataView::CompressedValues(strings) => {
                let Some(table) = self.fsst() else { return Value::Null };
                decoded.clear();
                table.decode(strings.get(place), decoded);
                value_codec::decode(&mut Decoder::new(decoded)).unwrap_or(Value::Null)
            }
            DataView::Lists(lists) => self.list(lists, place),
            DataView::Fixed(fixed) => Value::Decimal(fixed.get(place)),
            DataView::Zoned(zoned) => Self::zoned_value(zoned, place),
            other => Value::String(self.text(other, place)),
        }
    }

    #[inline]
    pub(super) fn entry(&self, code: i64) -> &'s str {
        self.dictionary.entry(code)
    }

    pub(super) fn exception(&self, row: u64) -> Option<Value> {
        let (segment, local) = split(row);
        let Exceptions { len, rows, ends, bytes } = self.segment(segment)?.stored.exceptions.as_ref()?;
        let rows = rows.view();
        let low = first_at_least(&rows, *len, local);
        if low == *len || rows.get(low) != local as i64 {
            return None;
        }
        let strings = StringsView { ends: ends.view(), bytes: bytes.as_slice() };
        value_codec::decode(&mut Decoder::new(strings.get(low))).ok()
    }
}

/// Whether values of this type are stored each as itself, none of which is a list.
fn is_value_by_value(ty: LogicalType) -> bool {
    use LogicalType as T;
    matches!(ty, T::Duration | T::Time | T::Decimal | T::Iri | T::Literal)
}

/// The first of `len` ascending rows that is not before another one.
fn first_at_least(rows: &PackedView<'_>, len: usize, row: usize) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = usize::midpoint(low, high);
        if rows.get(middle) < row as i64 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// What makes a vector of the integers that values of a type are stored as.
pub(super) fn wrap_integers<'s>(ty: LogicalType) -> Option<fn(Vec<i64>) -> Values<'s>> {
    Some(match ty {
        LogicalType::Int => Values::Int,
        LogicalType::DateTime => Values::DateTime,
        LogicalType::LocalDateTime => Values::LocalDateTime,
        LogicalType::LocalTime => Values::LocalTime,
        LogicalType::Date => |days| Values::Date(days.into_iter().map(|days| days as i32).collect()),
        LogicalType::Bool => |bits| Values::Bool(bits.into_iter().map(|bit| bit != 0).collect()),
        _ => return None,
    })
}

/// Vectors shorter than this are gathered value by value: the buffers of a batch cost more than it saves.
pub(super) const BATCH_LEAST: usize = 16;

/// Gathers 64 rows at a time: while those are finished, the codes of the next ones are on their way, and what
/// tells the places of the ones after them.
#[inline]
pub(super) fn gather_batches<T>(
    codes: &Codes<'_>,
    pairs: &mut dyn Pairs,
    convert: impl Fn(i64, u64) -> T,
    out: &mut [T],
    nulls: &mut Nulls,
) {
    let (mut a, mut b, mut c) = (Batch::new(), Batch::new(), Batch::new());
    let (mut batch, mut next, mut later) = (&mut a, &mut b, &mut c);
    codes.take(pairs, batch);
    codes.take(pairs, next);
    codes.start(batch);
    while batch.len > 0 {
        codes.take(pairs, later);
        codes.start(next);
        finish_batch(codes, batch, &convert, out, nulls);
        (batch, next, later) = (next, later, batch);
    }
}

/// The same for rows that go to positions one after the other.
#[inline]
pub(super) fn gather_run<'s, R: RowId, T: Clone>(
    codes: &Codes<'_>,
    rows: &[R],
    blank: T,
    wrap: impl FnOnce(Vec<T>) -> Values<'s>,
    convert: impl Fn(i64, u64) -> T,
) -> Vector<'s> {
    let (mut out, mut nulls, len) = (vec![blank; rows.len()], Nulls::NONE, rows.len());
    let mut note = |k: usize, present: u64, rows: usize| {
        nulls.set_run(k * BATCH_ROWS, !present & (u64::MAX >> (BATCH_ROWS - rows)), len);
    };
    if codes.are_near() {
        for (k, (rows, out)) in rows.chunks(BATCH_ROWS).zip(out.chunks_mut(BATCH_ROWS)).enumerate() {
            note(k, codes.near_rows(rows, out, &convert), rows.len());
        }
        return Vector { values: wrap(out), nulls };
    }
    let (mut places, mut next_places) = ([0u64; BATCH_ROWS], [0u64; BATCH_ROWS]);
    let batch = |k: usize| rows.chunks(BATCH_ROWS).nth(k).unwrap_or_default();
    codes.ask_for(batch(0));
    codes.ask_for(batch(1));
    let mut present = codes.start_rows(batch(0), &mut places);
    for (k, (rows, out)) in rows.chunks(BATCH_ROWS).zip(out.chunks_mut(BATCH_ROWS)).enumerate() {
        codes.ask_for(batch(k + 2));
        let next = codes.start_rows(batch(k + 1), &mut next_places);
        codes.finish_rows(rows, &places, out, &convert);
        note(k, present, rows.len());
        std::mem::swap(&mut places, &mut next_places);
        present = next;
    }
    Vector { values: wrap(out), nulls }
}

#[inline]
fn finish_batch<T>(
    codes: &Codes<'_>,
    batch: &Batch,
    convert: impl Fn(i64, u64) -> T,
    out: &mut [T],
    nulls: &mut Nulls,
) {
    let Some(first) = batch.positions().first().copied() else { return };
    let absent = !batch.present & (u64::MAX >> (BATCH_ROWS - batch.len));
    let (places, len) = (batch.positions(), out.len());
    // As a rule all of them, one after the other.
    let run = places.iter().enumerate().fold(true, |run, (k, i)| run & (*i == first + k));
    match out.get_mut(first..first + batch.len).filter(|_| run) {
        Some(out) => {
            codes.finish(batch, out, convert);
            nulls.set_run(first, absent, len);
        }
        None => {
            let mut values = [(0i64, 0u64); BATCH_ROWS];
            codes.finish(batch, &mut values, |value, place| (value, place));
            for (k, i) in places.iter().enumerate() {
                out[*i] = convert(values[k].0, values[k].1);
                if (absent >> k) & 1 == 1 {
                    nulls.set(*i, len);
                }
            }
        }
    }
}

/// A float that is stored as its bits.
fn bits_of_float(value: i64, _place: u64) -> f64 {
    f64::from_bits(value.cast_unsigned())
}

/// Rows `from..` of a segment with nulls: the rank once, then a running count, 64 rows at a time. `unpack`
/// gives the values, or their bits, at places from the first one on.
pub(super) fn scan_present(
    rank: &RankView<'_>,
    unpack: impl Fn(usize, &mut [i64]),
    from: usize,
    out: &mut [i64],
    nulls: &mut Nulls,
) {
    let len = out.len();
    let (mut place, _) = rank.look(from);
    let mut dense = [0i64; BATCH_ROWS + 1];
    for (k, out) in out.chunks_mut(BATCH_ROWS).enumerate() {
        let within = u64::MAX >> (BATCH_ROWS - out.len());
        let window = rank.window(from + k * BATCH_ROWS) & within;
        let count = window.count_ones() as usize;
        unpack(place, &mut dense[..count]);
        expand(window, &dense, out);
        nulls.set_run(k * BATCH_ROWS, !window & within, len);
        place += count;
    }
}
