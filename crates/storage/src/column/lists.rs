//! Lists of a column as vectors: the elements of all of them end to end in one child vector, where they are
//! of one type. Those that are stored so are read as runs; others, element by element.
//!
//! Where pieces may be dropped while the query runs, texts are copies.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trimorph_encoding::value_codec::{self, Tag};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Lists, Nulls, Texts, Values, Vector};
use trimorph_vfs::{CodecError, Decoder};

use super::dictionary;
use super::elements::Elements;
use super::format::split;
use super::pairs::Pairs;
use super::segment_view::{Block, DataView, ListsView, PresenceView};
use super::texts::Ranges;
use super::view::{ColumnView, scan_present, wrap_integers};

/// Lists that were read a moment ago, by their bytes: labels and tags come again and again, and equal lists
/// are the same run of elements.
struct Recent<'s> {
    lists: Vec<Read<'s>>,
    found: usize,
    asked: usize,
}

/// The bytes of a list and its run.
type Read<'s> = (&'s [u8], (u32, u32));

/// A power of two.
const RECENT_LISTS: usize = 256;
/// Lists after which it is known whether enough of them come again.
const RECENT_SAMPLE: usize = 512;

impl Default for Recent<'_> {
    fn default() -> Self {
        Self { lists: vec![(&[], (0, 0)); RECENT_LISTS], found: 0, asked: 0 }
    }
}

impl<'s> Recent<'s> {
    /// The run of a list with these bytes, or where to note it, if it is worth it.
    #[inline]
    fn find(&mut self, bytes: &[u8]) -> Result<(u32, u32), Option<&mut Read<'s>>> {
        if self.asked >= RECENT_SAMPLE && self.found * 2 < self.asked {
            return Err(None);
        }
        self.asked += 1;
        // No list has no bytes.
        let known = &mut self.lists[dictionary::hash(bytes) as usize % RECENT_LISTS];
        if known.0 == bytes {
            self.found += 1;
            return Ok(known.1);
        }
        Err(Some(known))
    }
}

/// Elements from which on a list is read once, however many rows have it: to look a row up costs as much as
/// to read some.
const LONG_LIST: usize = 32;
/// Texts from which on those of a span are decoded together.
const TOGETHER_MIN: usize = 64;

impl<'s> Elements<'s> {
    /// Appends some elements of a segment of `column`; `false` where they are of another type than those
    /// before.
    pub(super) fn append(
        &mut self,
        lists: &ListsView<'s>,
        range: Range<usize>,
        column: &ColumnView<'s>,
    ) -> bool {
        for (block, range) in lists.parts(range) {
            if !self.append_part(block, lists.element, range, column) {
                return false;
            }
        }
        true
    }

    fn append_part(
        &mut self,
        (presence, data): &Block<'s>,
        ty: LogicalType,
        range: Range<usize>,
        column: &ColumnView<'s>,
    ) -> bool {
        let (at, len) = (self.len, range.len());
        if let PresenceView::None = presence {
            self.nulls.extend((at..at + len).map(|i| u32::try_from(i).unwrap_or(u32::MAX)));
            self.len += len;
            return true;
        }
        if *self.ty.get_or_insert(ty) != ty {
            return false;
        }
        self.len += len;
        let nulls = match (data, ty) {
            (DataView::Dictionary(codes), _) if self.texts.is_empty() => {
                self.codes.resize(at, 0);
                match presence {
                    PresenceView::Some(rank) => {
                        let (mut out, mut nulls) = (vec![0; len], Nulls::NONE);
                        let unpack = |place, out: &mut [i64]| codes.unpack(place, out);
                        scan_present(rank, unpack, range.start, &mut out, &mut nulls);
                        self.codes.extend(out.into_iter().map(code_of));
                        nulls
                    }
                    _ => {
                        codes.append(range.start, len, &mut self.codes, code_of);
                        Nulls::NONE
                    }
                }
            }
            (child, LogicalType::String) => {
                self.uncode(column);
                self.texts.resize(at);
                let nulls = if len >= TOGETHER_MIN {
                    let read = column.scan_texts(presence, child, range.start, len);
                    if let Values::String(texts) = &read.values {
                        let all: Vec<u32> = (0..u32::try_from(len).unwrap_or(u32::MAX)).collect();
                        self.texts.extend(texts, &all);
                    }
                    read.nulls
                } else {
                    self.texts.resize(at + len);
                    let mut nulls = Nulls::NONE;
                    for (i, element) in range.enumerate() {
                        let place = match presence {
                            PresenceView::Some(rank) => rank.place(element),
                            _ => Some(element),
                        };
                        match place {
                            Some(place) => column.put(&mut self.texts, at + i, child, place),
                            None => nulls.set(i, len),
                        }
                    }
                    nulls
                };
                self.texts.resize(at + len);
                nulls
            }
            (child, LogicalType::Float) => {
                self.floats.resize(at + len, 0.0);
                let out = &mut self.floats[at..];
                match presence {
                    PresenceView::Some(rank) => {
                        let unpack = |place, out: &mut [i64]| {
                            child.unpack_floats(place, bytemuck::cast_slice_mut(out));
                        };
                        let mut nulls = Nulls::NONE;
                        scan_present(rank, unpack, range.start, bytemuck::cast_slice_mut(out), &mut nulls);
                        nulls
                    }
                    _ => {
                        child.unpack_floats(range.start, out);
                        Nulls::NONE
                    }
                }
            }
            (child, _) => {
                self.ints.resize(at + len, 0);
                let out = &mut self.ints[at..];
                match presence {
                    PresenceView::Some(rank) => {
                        let mut nulls = Nulls::NONE;
                        let unpack = |place, out: &mut [i64]| child.unpack(place, out);
                        scan_present(rank, unpack, range.start, out, &mut nulls);
                        nulls
                    }
                    _ => {
                        child.unpack(range.start, out);
                        Nulls::NONE
                    }
                }
            }
        };
        if !nulls.is_none() {
            let absent = (0..len).filter(|i| nulls.get(*i));
            self.nulls.extend(absent.map(|i| u32::try_from(at + i).unwrap_or(u32::MAX)));
        }
        true
    }

    /// Texts for codes: others follow.
    fn uncode(&mut self, column: &ColumnView<'s>) {
        let codes = std::mem::take(&mut self.codes);
        if !codes.is_empty() {
            let positions: Vec<u32> = (0..u32::try_from(codes.len()).unwrap_or(u32::MAX)).collect();
            let mut texts = Texts::default();
            texts.extend(&column.entries_of(codes), &positions);
            self.texts = texts;
        }
    }

    /// All of them as a vector. `column` is that which they were read of.
    pub(super) fn into_vector(mut self, column: &ColumnView<'s>) -> Vector<'s> {
        let len = self.len;
        let mut nulls = Nulls::NONE;
        self.nulls.iter().for_each(|i| nulls.set(*i as usize, len));
        let values = match self.ty {
            None => return Vector::nulls(len),
            Some(LogicalType::Float) => {
                self.floats.resize(len, 0.0);
                Values::Float(self.floats)
            }
            Some(LogicalType::String) => {
                if !self.codes.is_empty() {
                    self.codes.resize(len, 0);
                    Values::String(column.entries_of(self.codes))
                } else {
                    self.texts.resize(len);
                    Values::String(self.texts)
                }
            }
            Some(ty) => {
                self.ints.resize(len, 0);
                let Some(wrap) = wrap_integers(ty) else { return Vector::nulls(len) };
                wrap(self.ints)
            }
        };
        Vector { values, nulls }
    }
}

fn code_of(code: i64) -> u32 {
    u32::try_from(code).unwrap_or(u32::MAX)
}

impl<'s> ColumnView<'s> {
    /// The general values of `(position, row)` pairs: as [`Self::gather`]. Lists whose elements are all of
    /// one type that has vectors come as such.
    pub(super) fn gather_general(&self, rows: &mut dyn Pairs, len: usize) -> Vector<'s> {
        // In a column of another type nulls alone must not look like lists.
        if !matches!(self.ty, LogicalType::List | LogicalType::Any) {
            return self.gather_any(rows, len);
        }
        let rows: Vec<(usize, u64)> = rows.collect();
        match self.typed_lists(&rows, len) {
            Ok(Some(lists)) => lists,
            // What is damaged is null there, as everywhere.
            Ok(None) | Err(_) => self.gather_any(&mut rows.into_iter(), len),
        }
    }

    /// `None` at the first value that is no list, or at an element that does not go with those before.
    fn typed_lists(&self, rows: &[(usize, u64)], len: usize) -> Result<Option<Vector<'s>>, CodecError> {
        let mut runs = vec![(0u32, 0u32); len];
        let mut nulls = Nulls::NONE;
        let mut elements = Elements::default();
        let mut recent = Recent::default();
        // Long lists that were read: rows of a join or a step lead to each again and again.
        let mut long: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
        // Elements that follow each other in a segment are read together.
        let mut span = Span::default();
        for (i, row) in rows {
            let (segment, local) = split(*row);
            let Some((segment, place)) = self.segment(segment).and_then(|s| Some((s, s.place(local)?)))
            else {
                nulls.set(*i, len);
                continue;
            };
            let strings = match &segment.data {
                DataView::Values(strings) => strings,
                DataView::Lists(lists) => {
                    let range = lists.range(place);
                    if range.len() >= LONG_LIST
                        && let Some(run) = long.get(row)
                    {
                        runs[*i] = *run;
                        continue;
                    }
                    if !span.goes_on(lists, range.start) {
                        if !span.take(self, &mut elements) {
                            return Ok(None);
                        }
                        span = Span { of: Some(lists), range: range.start..range.start };
                    }
                    let start = elements.len + span.range.len();
                    span.range.end = range.end.max(range.start);
                    let (Ok(start), Ok(count)) = (u32::try_from(start), u32::try_from(range.len())) else {
                        return Ok(None);
                    };
                    runs[*i] = (start, count);
                    if range.len() >= LONG_LIST {
                        long.insert(*row, runs[*i]);
                    }
                    continue;
                }
                _ => return Ok(None),
            };
            if !span.take(self, &mut elements) {
                return Ok(None);
            }
            let bytes = strings.get(place);
            let known = match recent.find(bytes) {
                Ok(run) => {
                    runs[*i] = run;
                    continue;
                }
                Err(known) => known,
            };
            let mut from = Decoder::new(bytes);
            if Tag::read(&mut from)? != Tag::List {
                return Ok(None);
            }
            elements.uncode(self);
            let (start, count) = (elements.len, value_codec::count(&mut from)?);
            for _ in 0..count {
                if !elements.read(&mut from, self.in_place)? {
                    return Ok(None);
                }
            }
            let (Ok(start), Ok(count)) = (u32::try_from(start), u32::try_from(count)) else {
                return Ok(None);
            };
            runs[*i] = (start, count);
            if let Some(known) = known {
                *known = (bytes, runs[*i]);
            }
        }
        if !span.take(self, &mut elements) {
            return Ok(None);
        }
        let lists = Lists::new(runs.into_iter(), elements.into_vector(self));
        Ok(lists.map(|lists| Vector { values: Values::List(lists), nulls }))
    }

    /// The lists of `len` rows of one segment, from its row `local` on.
    pub(super) fn scan_lists(
        &self,
        presence: &PresenceView<'s>,
        lists: &ListsView<'s>,
        local: usize,
        len: usize,
    ) -> Option<Vector<'s>> {
        let (nulls, first, count) = presence.run(local, len);
        let ranges = Ranges::new(&lists.ends, first, count);
        let (begin, bytes) = (ranges.first(), ranges.bytes());
        let mut elements = Elements::default();
        if !elements.append(lists, begin..begin + bytes, self) {
            return None;
        }
        let mut ranges = ranges.map(|(start, end)| {
            (u32::try_from(start - begin).ok().zip(u32::try_from(end - start).ok()))
                .unwrap_or((u32::MAX, u32::MAX))
        });
        let run = |i: usize| if nulls.get(i) { (0, 0) } else { ranges.next().unwrap_or((0, 0)) };
        let lists = Lists::new((0..len).map(run), elements.into_vector(self))?;
        Some(Vector { values: Values::List(lists), nulls })
    }

    /// The list at a place of a segment.
    pub(super) fn list(&self, lists: &ListsView<'s>, place: usize) -> Value {
        let element = |i| match lists.element(i) {
            Some((data, place)) => self.value_at(lists.element, data, place, &mut Vec::new()),
            None => Value::Null,
        };
        Value::list(lists.range(place).map(element).collect())
    }
}

/// Elements of a segment that are wanted and not read yet.
#[derive(Default)]
struct Span<'v, 's> {
    of: Option<&'v ListsView<'s>>,
    range: Range<usize>,
}

impl<'s> Span<'_, 's> {
    /// Whether the elements from `start` on of these lists go on with it.
    #[inline]
    fn goes_on(&self, lists: &ListsView<'s>, start: usize) -> bool {
        self.of.is_some_and(|of| std::ptr::eq(of, lists)) && self.range.end == start
    }

    /// Reads them; `false` where they do not go with those before.
    fn take(&mut self, column: &ColumnView<'s>, elements: &mut Elements<'s>) -> bool {
        match std::mem::take(self) {
            Self { of: Some(lists), range } => elements.append(lists, range, column),
            Self { of: None, .. } => true,
        }
    }
}
