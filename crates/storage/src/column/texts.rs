//! Texts of a column as vectors: a dictionary's as codes, plain ones in place, compressed ones decoded end to
//! end into one block.
//!
//! Where pieces may be dropped while the query runs, all of them are copies.

use std::sync::Arc;

use trimorph_encoding::{FsstTable, PackedView};
use trimorph_types::LogicalType;
use trimorph_vector::{Dictionary, Nulls, Texts, Values, Vector};

use super::codes::{Codes, RowId};
use super::format::{SEGMENT_ROWS, split};
use super::pairs::{Pairs, for_each_pair};
use super::segment_view::{DataView, PresenceView, SegmentView, text_at};
use super::small_texts::{Small, SmallTexts};
use super::view::{BATCH_LEAST, ColumnView, gather_batches, gather_run};

/// A code as vectors keep it; one past 32 bits has no entry.
fn code_of(code: i64, _place: u64) -> u32 {
    u32::try_from(code).unwrap_or(u32::MAX)
}

/// Bytes that one compressed byte stands for, about.
const DECODED: usize = 3;

/// Texts after which it is known whether looking for the bytes of a part is worth it, and the part of them
/// that may have it: more are taken out faster side by side.
const CONTAINING_SAMPLE: usize = 128;
const CONTAINING_PART: usize = 4;

impl<'s> ColumnView<'s> {
    /// The texts of `(position, row)` pairs: as [`Self::gather`].
    pub(super) fn gather_texts(&self, rows: &mut dyn Pairs, len: usize) -> Vector<'s> {
        let mut nulls = Nulls::NONE;
        if let Some(codes) = self.codes() {
            let mut out = vec![0; len];
            if len >= BATCH_LEAST {
                gather_batches(codes, rows, code_of, &mut out, &mut nulls);
            } else {
                for (i, row) in rows {
                    match codes.get(row) {
                        (code, place, true) => out[i] = code_of(code, place),
                        _ => nulls.set(i, len),
                    }
                }
            }
            return Vector { values: Values::String(self.entries_of(out)), nulls };
        }
        if let Some(small) = self.small_texts(len) {
            let mut codes = vec![0; len];
            for_each_pair(rows, |i, row| match usize::try_from(row) {
                Ok(row) if row < small.entries.len() && !small.nulls.get(row) => codes[i] = row as u32,
                _ => nulls.set(i, len),
            });
            return Vector { values: Values::String(Texts::coded(codes, &small.entries)), nulls };
        }
        let mut texts = Texts::blank(len);
        for_each_pair(rows, |i, row| {
            let (segment, local) = split(row);
            match self.segment(segment).and_then(|s| Some((s, s.place(local)?))) {
                Some((segment, place)) => self.put(&mut texts, i, &segment.data, place),
                None => nulls.set(i, len),
            }
        });
        Vector { values: Values::String(texts), nulls }
    }

    /// The texts of all rows of a column of few, decoded once as many were asked for as there are: rows of a
    /// large table lead to each of them again and again. `more` are asked for now.
    fn small_texts(&self, more: usize) -> Option<Arc<SmallTexts<'s>>> {
        let asked = match &*self.small.borrow() {
            Small::Kept(texts) => return Some(Arc::clone(texts)),
            Small::Never => return None,
            Small::Asked(asked) => asked.saturating_add(more),
        };
        if asked < self.segments().next()?.rows {
            self.small.replace(Small::Asked(asked));
            return None;
        }
        let kept = self.read_small_texts();
        self.small.replace(kept.clone().map_or(Small::Never, Small::Kept));
        kept
    }

    #[cold]
    fn read_small_texts(&self) -> Option<Arc<SmallTexts<'s>>> {
        let mut segments = self.segments();
        let only = segments.next().filter(|only| segments.next().is_none() && only.rows <= SMALL_ROWS)?;
        let segment = self.segment(0).filter(|segment| only.rows <= segment.rows && !self.has_exceptions)?;
        // What would be copied.
        let bytes = match &segment.data {
            DataView::Compressed(strings) => strings.bytes.len().saturating_mul(DECODED),
            DataView::Strings { text, .. } if !self.in_place => text.len(),
            DataView::Strings { .. } => 0,
            // Codes are as good.
            _ => return None,
        };
        if bytes > SMALL_BYTES {
            return None;
        }
        let Vector { values: Values::String(texts), nulls } =
            self.scan_texts(&segment.presence, &segment.data, 0, only.rows)
        else {
            return None;
        };
        Some(Arc::new(SmallTexts { entries: Arc::new(Dictionary::new(texts)), nulls }))
    }

    /// The texts of rows, all of which are codes of the dictionary.
    pub(super) fn gather_coded<R: RowId>(&self, codes: &Codes<'_>, rows: &[R]) -> Vector<'s> {
        gather_run(codes, rows, 0, |codes| Values::String(self.entries_of(codes)), code_of)
    }

    /// The texts of `len` rows of one segment, or elements of its lists, from `local` on.
    pub(super) fn scan_texts(
        &self,
        presence: &PresenceView<'s>,
        data: &DataView<'s>,
        local: usize,
        len: usize,
    ) -> Vector<'s> {
        if let (PresenceView::All, DataView::Dictionary(codes)) = (presence, data) {
            let mut out = Vec::with_capacity(len);
            codes.append(local, len, &mut out, |code| code_of(code, 0));
            return Vector::new(Values::String(self.entries_of(out)));
        }
        let (nulls, first, count) = presence.run(local, len);
        if count == 0 {
            return Vector { values: Values::String(Texts::blank(len)), nulls: Nulls::all(len) };
        }
        if let DataView::Dictionary(codes) = data {
            let mut present = Vec::with_capacity(count);
            codes.append(first, count, &mut present, |code| code_of(code, 0));
            let mut rest = present.into_iter();
            // What is null has any code that there is.
            let code = |i: usize| if nulls.get(i) { Some(0) } else { rest.next() };
            let out = (0..len).map(code).map(|code| code.unwrap_or(0)).collect();
            return Vector { values: Values::String(self.entries_of(out)), nulls };
        }
        let present = (0..len).filter(|i| !nulls.get(*i));
        let texts = match data {
            DataView::Strings { ends, text } => {
                let mut texts = Texts::blank(len);
                for (i, range) in present.zip(Ranges::new(ends, first, count)) {
                    let text = text.get(range.0..range.1).unwrap_or_default();
                    self.put_stored(&mut texts, i, text);
                }
                texts
            }
            DataView::Compressed(strings) => {
                let ranges = Ranges::new(&strings.ends, first, count);
                let mut texts = Texts::blank_with_room(len, ranges.bytes().saturating_mul(DECODED));
                let Some(table) = self.fsst() else {
                    return Vector { values: Values::String(texts), nulls };
                };
                let codes = present.zip(ranges).map(|(i, range)| {
                    let codes = strings.bytes.get(range.0..range.1).unwrap_or_default();
                    (i, FsstTable::room(codes.len()), codes)
                });
                texts.set_many(codes, |codes, room| table.decode_into(codes, room));
                texts
            }
            _ => {
                let mut texts = Texts::blank(len);
                present.zip(first..).for_each(|(i, place)| self.put(&mut texts, i, data, place));
                texts
            }
        };
        Vector { values: Values::String(texts), nulls }
    }

    /// The numbers of characters of `len` rows from `first` on, where their texts are compressed in one
    /// segment: they are counted as they lie.
    pub fn scan_lengths(&self, first: u64, len: usize) -> Option<Vector<'s>> {
        let (segment, local) = split(first);
        let is_here = |view: &&SegmentView<'s>| {
            local + len <= view.rows && !self.has_exceptions && self.ty == LogicalType::String
        };
        let view = self.segment(segment).filter(is_here)?;
        let DataView::Compressed(strings) = &view.data else { return None };
        let by_code = self.fsst()?.chars_by_code();
        let nulls = self.scan_nulls(first, len)?;
        let (first, count) = match &view.presence {
            PresenceView::All => (local, len),
            PresenceView::None => (0, 0),
            PresenceView::Some(rank) => (rank.look(local).0, (0..len).filter(|i| !nulls.get(*i)).count()),
        };
        let mut out = vec![0; len];
        if count > 0 {
            let present = (0..len).filter(|i| !nulls.get(*i));
            for (i, range) in present.zip(Ranges::new(&strings.ends, first, count)) {
                let codes = strings.bytes.get(range.0..range.1).unwrap_or_default();
                out[i] = i64::try_from(FsstTable::chars(&by_code, codes)).unwrap_or(i64::MAX);
            }
        }
        Some(Vector { values: Values::Int(out), nulls })
    }

    /// Which of `len` rows from `first` on may contain `part`, where their texts are compressed in one
    /// segment: those that have all of its bytes, found as they lie; and whether all of these do contain it.
    /// `None` where most would have to be looked at.
    pub fn scan_containing(&self, first: u64, len: usize, part: &str) -> Option<(Vec<u32>, bool)> {
        let (segment, local) = split(first);
        let is_here = |view: &&SegmentView<'s>| local + len <= view.rows && !self.has_exceptions;
        let view = self.segment(segment).filter(is_here)?;
        let DataView::Compressed(strings) = &view.data else { return None };
        let mut bytes: Vec<u8> = part.bytes().collect();
        bytes.sort_unstable();
        bytes.dedup();
        // Eight of them tell enough.
        let bytes = &bytes[..bytes.len().min(8)];
        let wanted = 1u8.checked_shl(bytes.len() as u32).map_or(u8::MAX, |end| end - 1);
        if bytes.is_empty() {
            return None;
        }
        let by_code = self.fsst()?.bytes_by_code(bytes);
        let has_all = |range: (usize, usize)| {
            let codes = strings.bytes.get(range.0..range.1).unwrap_or_default();
            FsstTable::bytes_in(&by_code, bytes, codes) == wanted
        };
        let (nulls, start, count) = match &view.presence {
            PresenceView::All => (Nulls::NONE, local, len),
            PresenceView::None => return Some((Vec::new(), true)),
            PresenceView::Some(rank) => {
                let nulls = self.scan_nulls(first, len)?;
                let count = (0..len).filter(|i| !nulls.get(*i)).count();
                (nulls, rank.look(local).0, count)
            }
        };
        // Of one byte, that is the answer.
        let sample = if part.len() == 1 { 0 } else { count.min(CONTAINING_SAMPLE) };
        let passing = Ranges::new(&strings.ends, start, sample).filter(|range| has_all(*range)).count();
        if passing > sample / CONTAINING_PART {
            return None;
        }
        let present = (0..len).filter(|i| !nulls.get(*i));
        let ranges = Ranges::new(&strings.ends, start, count);
        let found = present.zip(ranges).filter(|(_, range)| has_all(*range)).map(|(i, _)| i as u32).collect();
        Some((found, part.len() == 1))
    }

    /// The entries of codes: as codes where the entries side by side are worth their making.
    pub(super) fn entries_of(&self, codes: Vec<u32>) -> Texts<'s> {
        if self.in_place
            && let Some(entries) = self.dictionary.entries(codes.len())
        {
            return Texts::coded(codes, &entries);
        }
        let mut texts = Texts::blank(codes.len());
        if self.in_place || self.dictionary.missing() == 0 {
            for (i, code) in codes.into_iter().enumerate() {
                self.put_stored(&mut texts, i, self.entry(code.into()));
            }
            return texts;
        }
        // As rows at random are read: pieces one after the other, of which there may be more than fit.
        let mut codes: Vec<(usize, u32)> = codes.into_iter().enumerate().collect();
        codes.sort_unstable_by_key(|(_, code)| *code);
        self.dictionary.one_after_the_other(|| {
            for (i, code) in codes {
                texts.set(i, self.entry(code.into()));
            }
        });
        texts
    }

    /// A text of a piece: in place if pins are kept.
    #[inline]
    fn put_stored(&self, texts: &mut Texts<'s>, i: usize, text: &'s str) {
        if self.in_place { texts.set_stored(i, text) } else { texts.set(i, text) }
    }

    /// The text at a place of a segment.
    pub(super) fn put(&self, texts: &mut Texts<'s>, i: usize, data: &DataView<'s>, place: usize) {
        match data {
            DataView::Dictionary(codes) => self.put_stored(texts, i, self.entry(codes.get(place))),
            DataView::Strings { ends, text } => self.put_stored(texts, i, text_at(ends, text, place)),
            DataView::Compressed(strings) => {
                if let Some(table) = self.fsst() {
                    decode(table, strings.get(place), texts, i);
                }
            }
            _ => {}
        }
    }

    /// The text at a place of a segment, by itself.
    pub(super) fn text(&self, data: &DataView<'s>, place: usize) -> std::sync::Arc<str> {
        let mut texts = Texts::blank(1);
        self.put(&mut texts, 0, data, place);
        texts.get(0).into()
    }
}

/// Rows of a column of few, and the most bytes of its texts that a thread keeps decoded.
const SMALL_ROWS: usize = SEGMENT_ROWS;
const SMALL_BYTES: usize = 8 << 20;

fn decode(table: &FsstTable, compressed: &[u8], texts: &mut Texts<'_>, i: usize) {
    texts.set_with(i, FsstTable::room(compressed.len()), |room| table.decode_into(compressed, room));
}

/// Where texts, or lists, that follow each other start and end, read one after the other.
pub(super) struct Ranges {
    /// The ends, that before the first text included.
    ends: Vec<usize>,
    next: usize,
}

impl Ranges {
    pub(super) fn new(ends: &PackedView<'_>, first: usize, count: usize) -> Self {
        let end = |end: i64| usize::try_from(end).unwrap_or(0);
        let mut all = Vec::with_capacity(count + 1);
        match first.checked_sub(1) {
            None => {
                all.push(0);
                ends.append(first, count, &mut all, end);
            }
            Some(before) => ends.append(before, count + 1, &mut all, end),
        }
        Self { ends: all, next: 0 }
    }

    /// Where the first one starts.
    pub(super) fn first(&self) -> usize {
        self.ends.first().copied().unwrap_or(0)
    }

    /// Bytes, or elements, from the first one to the last.
    pub(super) fn bytes(&self) -> usize {
        let (Some(first), Some(last)) = (self.ends.first(), self.ends.last()) else { return 0 };
        last.saturating_sub(*first)
    }
}

impl Iterator for Ranges {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let range = (*self.ends.get(self.next)?, *self.ends.get(self.next + 1)?);
        self.next += 1;
        Some(range)
    }
}
