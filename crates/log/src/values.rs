//! The values of a column <-> bytes, by columns: no general value is made of a plain one.
//!
//! A form (1 byte): the type as columns on disk number it, 0 for general values, and 128 if a bit for each
//! null follows. Then the values side by side: Booleans as bits, dates of 4 bytes, other plain ones of 8,
//! texts as a length and UTF-8, general ones as `value_codec` writes them. Every value takes a bit or more,
//! so what is allocated is bounded by the bytes.

use trimorph_encoding::value_codec;
use trimorph_types::Value;
use trimorph_vector::{Nulls, Texts, Values, Vector, bits_of};
use trimorph_vfs::{CodecError, Decoder, Encoder};

use crate::bytes::{Reader, put_text};

const HAS_NULLS: u8 = 128;

/// What a form says, but for nulls.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Form {
    Any = 0,
    Bool = 1,
    Int = 2,
    Float = 3,
    String = 4,
    Date = 6,
    LocalTime = 7,
    LocalDateTime = 9,
    DateTime = 10,
}

/// Appends values that have places of `N` bytes; zeros where they are null, so that equal columns have equal
/// bytes.
fn put_plain<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    v: &[T],
    nulls: &Nulls,
    bytes: impl Fn(T) -> [u8; N],
) {
    out.reserve(v.len() * N);
    if nulls.is_none() {
        v.iter().for_each(|v| out.extend_from_slice(&bytes(*v)));
    } else {
        let one = |(i, v): (usize, &T)| if nulls.get(i) { [0; N] } else { bytes(*v) };
        v.iter().enumerate().for_each(|item| out.extend_from_slice(&one(item)));
    }
}

fn put_bits(out: &mut Vec<u8>, words: impl Iterator<Item = u64>, len: usize) {
    let end = out.len() + len.div_ceil(8);
    words.for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    out.resize(end, 0);
}

/// Appends the first `len` values; false if they are no property values.
pub(crate) fn put(out: &mut Vec<u8>, vector: &Vector<'_>, len: usize) -> bool {
    let form = match &vector.values {
        Values::Bool(_) => Form::Bool,
        Values::Int(_) => Form::Int,
        Values::Float(_) => Form::Float,
        Values::String(_) => Form::String,
        Values::Date(_) => Form::Date,
        Values::LocalTime(_) => Form::LocalTime,
        Values::LocalDateTime(_) => Form::LocalDateTime,
        Values::DateTime(_) => Form::DateTime,
        Values::Zoned(_)
        | Values::Time(_)
        | Values::Duration(_)
        | Values::Decimal(_)
        | Values::Iri(_)
        | Values::Literal(_)
        | Values::List(_)
        | Values::Map(_)
        | Values::Tuple(_)
        | Values::Number(_)
        | Values::Any(_) => Form::Any,
        Values::Node(_) | Values::Edge(_) => return false,
    };
    let nulls = if form == Form::Any { &Nulls::NONE } else { &vector.nulls };
    if nulls.is_none() {
        out.push(form as u8);
    } else {
        out.push(form as u8 | HAS_NULLS);
        let words = nulls.words();
        let of = |k: usize| {
            let word = words.get(k).copied().unwrap_or(0);
            // Bits behind the last value say nothing.
            if (k + 1) * 64 <= len { word } else { word & ((1 << (len % 64)) - 1) }
        };
        put_bits(out, (0..len.div_ceil(64)).map(of), len);
    }
    match &vector.values {
        Values::Bool(v) => {
            let words = v.chunks(64).enumerate().map(|(k, v)| {
                let null = nulls.words().get(k).copied().unwrap_or(0);
                bits_of(v) & !null
            });
            put_bits(out, words, len);
        }
        Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => {
            put_plain(out, v, nulls, i64::to_le_bytes);
        }
        Values::Float(v) => put_plain(out, v, nulls, |f| f.to_bits().to_le_bytes()),
        Values::Date(v) => put_plain(out, v, nulls, i32::to_le_bytes),
        Values::String(v) => {
            (0..len).for_each(|i| put_text(out, if nulls.get(i) { "" } else { v.get(i) }));
        }
        Values::Zoned(_)
        | Values::Time(_)
        | Values::Duration(_)
        | Values::Decimal(_)
        | Values::Iri(_)
        | Values::Literal(_)
        | Values::List(_)
        | Values::Map(_)
        | Values::Tuple(_)
        | Values::Number(_)
        | Values::Any(_) => {
            let mut encoder = Encoder::new();
            for i in 0..len {
                let value = vector.value(i, &|_| Value::Null);
                if !is_property(&value) {
                    return false;
                }
                value_codec::encode(&value, &mut encoder);
            }
            out.extend_from_slice(&encoder.finish());
        }
        Values::Node(_) | Values::Edge(_) => return false,
    }
    true
}

/// Whether a value can be read again: no node, and no deeper than what is read.
fn is_property(value: &Value) -> bool {
    let is_entity = matches!(value, Value::Node(_) | Value::Relationship(_) | Value::Path(_));
    !is_entity && value.extent().depth as usize <= value_codec::DEPTH_MAX
}

fn plain<T, const N: usize>(
    from: &mut Reader<'_>,
    len: usize,
    of: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, CodecError> {
    let bytes = from.take(len.saturating_mul(N), "values")?;
    let (chunks, _) = bytes.as_chunks::<N>();
    Ok(chunks.iter().map(|chunk| of(*chunk)).collect())
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// Reads `len` values.
pub(crate) fn read<'a>(from: &mut Reader<'a>, len: usize) -> Result<Vector<'a>, CodecError> {
    let here = from.error("a known form of values");
    let form = from.u8()?;
    let nulls = if form & HAS_NULLS == 0 {
        Nulls::NONE
    } else {
        Nulls::of_words(words(from.take(len.div_ceil(8), "bits of nulls")?))
    };
    const ANY: u8 = Form::Any as u8;
    let form = form & !HAS_NULLS;
    let values = match FORMS.iter().find(|f| **f as u8 == form).ok_or(here)? {
        Form::Bool => {
            let words = words(from.take(len.div_ceil(8), "bits")?);
            Values::Bool((0..len).map(|i| words[i >> 6] >> (i & 63) & 1 == 1).collect())
        }
        Form::Int => Values::Int(plain(from, len, i64::from_le_bytes)?),
        Form::LocalTime => Values::LocalTime(plain(from, len, i64::from_le_bytes)?),
        Form::LocalDateTime => Values::LocalDateTime(plain(from, len, i64::from_le_bytes)?),
        Form::DateTime => Values::DateTime(plain(from, len, i64::from_le_bytes)?),
        Form::Float => Values::Float(plain(from, len, |b| f64::from_bits(u64::from_le_bytes(b)))?),
        Form::Date => Values::Date(plain(from, len, i32::from_le_bytes)?),
        Form::String => {
            if len > from.rest().len() {
                return Err(from.error("as many texts as rows"));
            }
            let mut texts = Texts::blank(len);
            for i in 0..len {
                texts.set_stored(i, from.text()?);
            }
            Values::String(texts)
        }
        Form::Any => {
            if len > from.rest().len() {
                return Err(from.error("as many values as rows"));
            }
            let rest = from.rest();
            let mut decoder = Decoder::new(rest);
            let start = from.at();
            let at = |e: CodecError| CodecError { offset: e.offset + start, ..e };
            let values = (0..len).map(|_| value_codec::decode(&mut decoder).map_err(at));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            from.take(rest.len() - decoder.remaining(), "values")?;
            Values::Any(values)
        }
    };
    let nulls = if form == ANY { Nulls::NONE } else { nulls };
    Ok(Vector { values, nulls })
}

const FORMS: [Form; 9] = [
    Form::Any,
    Form::Bool,
    Form::Int,
    Form::Float,
    Form::String,
    Form::Date,
    Form::LocalTime,
    Form::LocalDateTime,
    Form::DateTime,
];
