//! The elements of lists, all of one type, end to end: what is written of lists, and what is read of them.

use trimorph_encoding::value_codec::Tag;
use trimorph_types::{LocalDateTime, LogicalType};
use trimorph_vector::{Texts, local_nanos};
use trimorph_vfs::{CodecError, Decoder};

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
    pub(super) codes: Vec<u32>,
    pub(super) texts: Texts<'s>,
}

/// Appends a value for an element, and for those before the first that was not null.
fn push<T: Clone + Default>(all: &mut Vec<T>, before: usize, value: T) {
    all.resize(before, T::default());
    all.push(value);
}

impl<'s> Elements<'s> {
    /// Appends the next element that `from` has; `false` where it is of another type than those before, or of
    /// one that lists of one type are not kept of. Texts are copied unless they may stay `in_place`.
    pub(super) fn read(&mut self, from: &mut Decoder<'s>, in_place: bool) -> Result<bool, CodecError> {
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
            Tag::LocalDateTime => local_nanos(&LocalDateTime { seconds: from.i64()?, nanos: from.u32()? }),
            // In UTC: other zones are shown as they are.
            Tag::DateTime => {
                let instant = local_nanos(&LocalDateTime { seconds: from.i64()?, nanos: from.u32()? });
                if from.u8()? == 0 && from.i64()? == 0 { instant } else { None }
            }
            Tag::Float => {
                push(&mut self.floats, at, from.f64()?);
                self.len += 1;
                return Ok(true);
            }
            _ => {
                let text = from.str()?;
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
}
