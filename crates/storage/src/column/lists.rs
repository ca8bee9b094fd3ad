//! Lists of a column as vectors: the elements of all of them end to end in one child vector, where they are
//! of one type.
//!
//! Where pieces may be dropped while the query runs, texts are copies.

use trimorph_types::LogicalType;
use trimorph_vector::{Lists, Nulls, Texts, Values, Vector};
use trimorph_vfs::{CodecError, Decoder};

use super::dictionary;
use super::format::split;
use super::segment_view::DataView;
use super::view::ColumnView;
use trimorph_encoding::value_codec::{self, Tag};

/// Elements of one type, in order; those that are null are arbitrary.
struct Elements<'s> {
    values: Option<Values<'s>>,
    /// How many there are; before the first that is not null there are no values.
    len: usize,
    nulls: Vec<u32>,
    in_place: bool,
}

/// Appends a value for an element, and for those before the first that was not null.
fn push<T: Clone + Default>(all: &mut Vec<T>, before: usize, value: T) {
    all.resize(before, T::default());
    all.push(value);
}

impl<'s> Elements<'s> {
    /// Appends the next element that `from` has; `false` where it is of another type than those before, or of
    /// one that has no vectors.
    fn read(&mut self, from: &mut Decoder<'s>) -> Result<bool, CodecError> {
        let (tag, at) = (Tag::read(from)?, self.len);
        if tag == Tag::Null {
            self.nulls.push(u32::try_from(at).unwrap_or(u32::MAX));
            self.len += 1;
            return Ok(true);
        }
        let values = self.values.get_or_insert_with(|| match tag {
            Tag::Bool => Values::Bool(Vec::new()),
            Tag::Int => Values::Int(Vec::new()),
            Tag::Float => Values::Float(Vec::new()),
            Tag::Text => Values::String(Texts::default()),
            Tag::Date => Values::Date(Vec::new()),
            _ => Values::Any(Vec::new()),
        });
        match (values, tag) {
            (Values::Bool(all), Tag::Bool) => push(all, at, from.u8()? != 0),
            (Values::Int(all), Tag::Int) => push(all, at, from.i64()?),
            (Values::Float(all), Tag::Float) => push(all, at, from.f64()?),
            (Values::Date(all), Tag::Date) => match i32::try_from(from.i64()?) {
                Ok(days) => push(all, at, days),
                Err(_) => return Ok(false),
            },
            (Values::String(all), Tag::Text) => {
                let text = from.str()?;
                all.resize(at);
                match self.in_place {
                    true => all.push_stored(text),
                    false => all.push(text),
                }
            }
            _ => return Ok(false),
        }
        self.len += 1;
        Ok(true)
    }

    fn into_vector(self) -> Vector<'s> {
        let len = self.len;
        let mut nulls = Nulls::NONE;
        self.nulls.iter().for_each(|i| nulls.set(*i as usize, len));
        let Some(mut values) = self.values else { return Vector::nulls(len) };
        match &mut values {
            Values::Bool(all) => all.resize(len, false),
            Values::Int(all) => all.resize(len, 0),
            Values::Float(all) => all.resize(len, 0.0),
            Values::Date(all) => all.resize(len, 0),
            Values::String(all) => all.resize(len),
            _ => {}
        }
        Vector { values, nulls }
    }
}

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
        let mut elements = Elements { values: None, len: 0, nulls: Vec::new(), in_place: self.in_place };
        let mut recent = Recent::default();
        for (i, row) in rows {
            let (segment, local) = split(*row);
            let Some((segment, place)) = self.segment(segment).and_then(|s| Some((s, s.place(local)?)))
            else {
                nulls.set(*i, len);
                continue;
            };
            let DataView::Values(strings) = &segment.data else { return Ok(None) };
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
                if !elements.read(&mut from)? {
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
        let lists = Lists::new(runs.into_iter(), elements.into_vector());
        Ok(lists.map(|lists| Vector { values: Values::List(lists), nulls }))
    }
}
