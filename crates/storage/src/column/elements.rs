//! The elements of lists, all of one type, end to end: what is written of lists, and what is read of them.

use std::ops::Range;

use trimorph_encoding::value_codec::Tag;
use trimorph_types::LogicalType;
use trimorph_vector::{Nulls, Texts, Values, Vector};
use trimorph_vfs::{CodecError, Decoder};

use super::segment_view::{DataView, PresenceView};
use super::stored_lists::{Block, ListsView};
use super::view::{ColumnView, scan_present, wrap_integers};

/// Elements in order; the values of those that are null are arbitrary, and missing behind the last other one.
#[derive(Default)]
pub(super) struct Elements<'s> {
    /// Of the values; none before the first that is not null.
    pub(super) ty: Option<LogicalType>,
    /// How many elements there are.
    pub(super) len: usize,
    /// Which are null, in order.
    pub(super) nulls: Vec<u32>,
    /// The values are in one of these: integers as columns keep them, floats, codes of the column's
    /// dictionary, texts.
    pub(super) ints: Vec<i64>,
    pub(super) floats: Vec<f64>,
    codes: Vec<u32>,
    pub(super) texts: Texts<'s>,
}

/// Texts from which on those of a span are decoded together.
const TOGETHER_MIN: usize = 64;

/// Appends a value for an element, and for those before the first that was not null.
fn push<T: Clone + Default>(all: &mut Vec<T>, before: usize, value: T) {
    all.resize(before, T::default());
    all.push(value);
}

fn nanos(seconds: i64, nanos: u32) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())
}

impl<'s> Elements<'s> {
    /// Appends the next element that `from` has; `false` where it is of another type than those before, or of
    /// one that lists of one type are not kept of. Texts are copied unless they may stay `in_place`.
    pub(super) fn read(
        &mut self,
        from: &mut Decoder<'s>,
        column: Option<&ColumnView<'s>>,
        in_place: bool,
    ) -> Result<bool, CodecError> {
        let tag = Tag::read(from)?;
        let ty = match tag {
            Tag::Null => {
                self.nulls.push(u32::try_from(self.len).unwrap_or(u32::MAX));
                self.len += 1;
                return Ok(true);
            }
            Tag::Bool => LogicalType::Bool,
            Tag::Int => LogicalType::Int,
            Tag::Float => LogicalType::Float,
            Tag::Text => LogicalType::String,
            Tag::Date => LogicalType::Date,
            Tag::LocalTime => LogicalType::LocalTime,
            Tag::LocalDateTime => LogicalType::LocalDateTime,
            Tag::DateTime => LogicalType::DateTime,
            _ => return Ok(false),
        };
        if *self.ty.get_or_insert(ty) != ty {
            return Ok(false);
        }
        let at = self.len;
        let integer = match tag {
            Tag::Bool => Some(i64::from(from.u8()? != 0)),
            Tag::Int | Tag::LocalTime => Some(from.i64()?),
            // Vectors hold dates in 32 bits.
            Tag::Date => Some(from.i64()?).filter(|days| i32::try_from(*days).is_ok()),
            Tag::LocalDateTime => nanos(from.i64()?, from.u32()?),
            // In UTC: other zones are shown as they are.
            Tag::DateTime => {
                let instant = nanos(from.i64()?, from.u32()?);
                if from.u8()? == 0 && from.i64()? == 0 { instant } else { None }
            }
            Tag::Float => {
                push(&mut self.floats, at, from.f64()?);
                self.len += 1;
                return Ok(true);
            }
            _ => {
                let text = from.str()?;
                self.uncode(column);
                self.texts.resize(at);
                match in_place {
                    true => self.texts.push_stored(text),
                    false => self.texts.push(text),
                }
                self.len += 1;
                return Ok(true);
            }
        };
        let Some(integer) = integer else { return Ok(false) };
        push(&mut self.ints, at, integer);
        self.len += 1;
        Ok(true)
    }

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
                self.uncode(Some(column));
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
    fn uncode(&mut self, column: Option<&ColumnView<'s>>) {
        let codes = std::mem::take(&mut self.codes);
        if let Some(column) = column.filter(|_| !codes.is_empty()) {
            let positions: Vec<u32> = (0..u32::try_from(codes.len()).unwrap_or(u32::MAX)).collect();
            let mut texts = Texts::default();
            texts.extend(&column.entries_of(codes), &positions);
            self.texts = texts;
        }
    }

    /// All of them as a vector. `column` is that which they were read of.
    pub(super) fn into_vector(mut self, column: Option<&ColumnView<'s>>) -> Vector<'s> {
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
                if let Some(column) = column.filter(|_| !self.codes.is_empty()) {
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
