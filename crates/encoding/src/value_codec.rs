//! General values as bytes, for columns whose values are lists, maps or of mixed types, and for the log.

use std::sync::Arc;

use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LiteralKind, LocalDateTime, LocalTime, Time, Value, Zone,
};
use trimorph_vfs::{CodecError, Decoder, Encoder};

/// Lists and maps nest at most this deep in what is stored.
pub const DEPTH_MAX: usize = 64;

/// What the first byte of a value says: its type.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Text,
    Bytes,
    List,
    Map,
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
    Duration,
    Decimal,
    Iri,
    InLanguage,
    OfDatatype,
}

impl Tag {
    const ALL: [Self; 18] = [
        Self::Null,
        Self::Bool,
        Self::Int,
        Self::Float,
        Self::Text,
        Self::Bytes,
        Self::List,
        Self::Map,
        Self::Date,
        Self::LocalTime,
        Self::Time,
        Self::LocalDateTime,
        Self::DateTime,
        Self::Duration,
        Self::Decimal,
        Self::Iri,
        Self::InLanguage,
        Self::OfDatatype,
    ];

    /// Reads the first byte of a value.
    pub fn read(from: &mut Decoder<'_>) -> Result<Self, CodecError> {
        let here = from.error("a known value type");
        Self::ALL.get(usize::from(from.u8()?)).copied().ok_or(here)
    }

    fn write(self, out: &mut Encoder) {
        out.u8(self as u8);
    }
}

/// How many values a list or map has, after its tag; each takes a byte or more.
pub fn count(from: &mut Decoder<'_>) -> Result<usize, CodecError> {
    from.count(from.remaining())
}

/// Appends the bytes of `value`. Nodes, relationships and paths are not property values and are stored as
/// null.
pub fn encode(value: &Value, out: &mut Encoder) {
    match value {
        Value::Null | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => Tag::Null.write(out),
        Value::Bool(b) => {
            Tag::Bool.write(out);
            out.u8(u8::from(*b));
        }
        Value::Int(i) => {
            Tag::Int.write(out);
            out.i64(*i);
        }
        Value::Float(f) => {
            Tag::Float.write(out);
            out.f64(*f);
        }
        Value::String(s) => {
            Tag::Text.write(out);
            out.str(s);
        }
        Value::Bytes(b) => {
            Tag::Bytes.write(out);
            out.bytes(b);
        }
        Value::List(items) => {
            Tag::List.write(out);
            out.u64(items.len() as u64);
            items.iter().for_each(|item| encode(item, out));
        }
        Value::Map(map) => {
            Tag::Map.write(out);
            out.u64(map.len() as u64);
            for (key, item) in map.iter() {
                out.str(key);
                encode(item, out);
            }
        }
        Value::Date(d) => {
            Tag::Date.write(out);
            out.i64(d.days);
        }
        Value::LocalTime(t) => {
            Tag::LocalTime.write(out);
            out.i64(t.nanos);
        }
        Value::Time(t) => {
            Tag::Time.write(out);
            out.i64(t.nanos);
            out.i64(t.offset_seconds.into());
        }
        Value::LocalDateTime(t) => {
            Tag::LocalDateTime.write(out);
            out.i64(t.seconds);
            out.u32(t.nanos);
        }
        Value::DateTime(t) => {
            Tag::DateTime.write(out);
            out.i64(t.seconds);
            out.u32(t.nanos);
            match &t.zone {
                Zone::Offset(seconds) => {
                    out.u8(0);
                    out.i64((*seconds).into());
                }
                Zone::Named { name, offset_seconds } => {
                    out.u8(1);
                    out.i64((*offset_seconds).into());
                    out.str(name);
                }
            }
        }
        Value::Duration(d) => {
            Tag::Duration.write(out);
            out.i64(d.months);
            out.i64(d.days);
            out.i64(d.seconds);
            out.i64(d.nanos.into());
        }
        Value::Decimal(d) => {
            Tag::Decimal.write(out);
            out.u8(d.scale());
            out.bytes(&d.unscaled().to_le_bytes());
        }
        Value::Iri(iri) => {
            Tag::Iri.write(out);
            out.str(iri);
        }
        Value::Literal(literal) => {
            let (tag, of) = match &literal.kind {
                LiteralKind::Language(tag) => (Tag::InLanguage, tag),
                LiteralKind::Datatype(iri) => (Tag::OfDatatype, iri),
            };
            tag.write(out);
            out.str(&literal.lexical);
            out.str(of);
        }
    }
}

/// Reads one value.
pub fn decode(from: &mut Decoder<'_>) -> Result<Value, CodecError> {
    decode_nested(from, 0)
}

fn small(from: &mut Decoder<'_>) -> Result<i32, CodecError> {
    let here = from.error("a 32-bit number");
    i32::try_from(from.i64()?).map_err(|_| here)
}

fn decimal(from: &mut Decoder<'_>) -> Result<Decimal, CodecError> {
    let here = from.error("a decimal of at most 38 digits");
    let scale = from.u8()?;
    let unscaled: Option<[u8; 16]> = from.bytes()?.try_into().ok();
    unscaled.and_then(|bytes| Decimal::new(i128::from_le_bytes(bytes), scale)).ok_or(here)
}

fn decode_nested(from: &mut Decoder<'_>, depth: usize) -> Result<Value, CodecError> {
    if depth > DEPTH_MAX {
        return Err(from.error("a value that nests less deep"));
    }
    Ok(match Tag::read(from)? {
        Tag::Null => Value::Null,
        Tag::Bool => Value::Bool(from.u8()? != 0),
        Tag::Int => Value::Int(from.i64()?),
        Tag::Float => Value::Float(from.f64()?),
        Tag::Text => Value::string(from.str()?),
        Tag::Bytes => Value::Bytes(Arc::from(from.bytes()?)),
        Tag::List => {
            let len = count(from)?;
            let items = (0..len).map(|_| decode_nested(from, depth + 1)).collect::<Result<_, _>>()?;
            Value::list(items)
        }
        Tag::Map => {
            let len = count(from)?;
            let mut entries = Vec::new();
            for _ in 0..len {
                entries.push((Arc::from(from.str()?), decode_nested(from, depth + 1)?));
            }
            Value::map(entries.into_iter().collect())
        }
        Tag::Date => {
            let here = from.error("a date of the calendar");
            Value::Date(Date::from_days(from.i64()?).map_err(|_| here)?)
        }
        Tag::LocalTime => Value::LocalTime(LocalTime { nanos: from.i64()? }),
        Tag::Time => Value::Time(Time { nanos: from.i64()?, offset_seconds: small(from)? }),
        Tag::LocalDateTime => {
            Value::LocalDateTime(LocalDateTime { seconds: from.i64()?, nanos: from.u32()? })
        }
        Tag::DateTime => {
            let (seconds, nanos) = (from.i64()?, from.u32()?);
            let named = from.u8()? == 1;
            let offset_seconds = small(from)?;
            let zone = if named {
                Zone::Named { name: from.str()?.into(), offset_seconds }
            } else {
                Zone::Offset(offset_seconds)
            };
            Value::DateTime(DateTime { seconds, nanos, zone })
        }
        Tag::Duration => Value::Duration(Duration {
            months: from.i64()?,
            days: from.i64()?,
            seconds: from.i64()?,
            nanos: small(from)?,
        }),
        Tag::Decimal => Value::Decimal(decimal(from)?),
        Tag::Iri => Value::iri(from.str()?),
        Tag::InLanguage => Value::Literal(Arc::new(Literal::in_language(from.str()?, from.str()?))),
        Tag::OfDatatype => Value::Literal(Arc::new(Literal::of_datatype(from.str()?, from.str()?))),
    })
}
