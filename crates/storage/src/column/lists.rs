//! Lists of a column as vectors: the elements of all of them end to end in one child vector, where they are
//! of one type. Those that are stored so are read as runs; others, element by element.
//!
//! Where pieces may be dropped while the query runs, texts are copies.

use std::ops::Range;

use trimorph_encoding::value_codec::{self, Tag};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Lists, Nulls, Values, Vector};
use trimorph_vfs::{CodecError, Decoder};

use super::dictionary;
use super::elements::Elements;
use super::format::split;
use super::segment_view::{DataView, PresenceView};
use super::stored_lists::ListsView;
use super::texts::Ranges;
use super::view::ColumnView;

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

impl<'s> ColumnView<'s> {
    /// The general values of `(position, row)` pairs: as [`Self::gather`]. Lists whose elements are all of
    /// one type that has vectors come as such.
    pub(super) fn gather_general(&self, rows: impl Iterator<Item = (usize, u64)>, len: usize) -> Vector<'s> {
        // In a column of another type nulls alone must not look like lists.
        if !matches!(self.ty, LogicalType::List | LogicalType::Any) {
            return self.gather_any(rows, len);
        }
        let rows: Vec<(usize, u64)> = rows.collect();
        match self.typed_lists(&rows, len) {
            Ok(Some(lists)) => lists,
            // What is damaged is null there, as everywhere.
            Ok(None) | Err(_) => self.gather_any(rows.into_iter(), len),
        }
    }

    /// `None` at the first value that is no list, or at an element that does not go with those before.
    fn typed_lists(&self, rows: &[(usize, u64)], len: usize) -> Result<Option<Vector<'s>>, CodecError> {
        let mut runs = vec![(0u32, 0u32); len];
        let mut nulls = Nulls::NONE;
        let mut elements = Elements::default();
        let mut recent = Recent::default();
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
            let (start, count) = (elements.len, value_codec::count(&mut from)?);
            for _ in 0..count {
                if !elements.read(&mut from, Some(self), self.in_place)? {
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
        let lists = Lists::new(runs.into_iter(), elements.into_vector(Some(self)));
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
        let lists = Lists::new((0..len).map(run), elements.into_vector(Some(self)))?;
        Some(Vector { values: Values::List(lists), nulls })
    }

    /// The list at a place of a segment.
    pub(super) fn list(&self, lists: &ListsView<'s>, place: usize) -> Value {
        let element = |i| match lists.element(i) {
            Some((data, place)) => self.value_at(lists.element, data, place),
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
