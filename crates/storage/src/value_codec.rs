//! General values as bytes, for columns whose values are lists, maps or of mixed types.

use std::sync::Arc;

use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LiteralKind, LocalDateTime, LocalTime, Map, Time, Value, Zone,
};
use trimorph_vfs::{CodecError, Decoder, Encoder};

/// Lists and maps nest at most this deep in what is stored.
const DEPTH_MAX: usize = 64;

/// Appends the bytes of `value`. Nodes, relationships and paths are not property values and are stored as
/// null.
pub(crate) fn encode(value: &Value, out: &mut Encoder) {
    match value {
        Value::Null | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => out.u8(0),
        Value::Bool(b) => {
            out.u8(1);
            out.u8(u8::from(*b));
        }
        Value::Int(i) => {
            out.u8(2);
            out.i64(*i);
        }
        Value::Float(f) => {
            out.u8(3);
            out.f64(*f);
        }
        Value::String(s) => {
            out.u8(4);
            out.str(s);
        }
        Value::Bytes(b) => {
            out.u8(5);
            out.bytes(b);
        }
        Value::List(items) => {
            out.u8(6);
            out.u64(items.len() as u64);
            items.iter().for_each(|item| encode(item, out));
        }
        Value::Map(map) => {
            out.u8(7);
            out.u64(map.len() as u64);
            for (key, item) in map.iter() {
                out.str(key);
                encode(item, out);
            }
        }
        Value::Date(d) => {
            out.u8(8);
            out.i64(d.days);
        }
        Value::LocalTime(t) => {
            out.u8(9);
            out.i64(t.nanos);
        }
        Value::Time(t) => {
            out.u8(10);
            out.i64(t.nanos);
            out.i64(t.offset_seconds.into());
        }
        Value::LocalDateTime(t) => {
            out.u8(11);
            out.i64(t.seconds);
            out.u32(t.nanos);
        }
        Value::DateTime(t) => {
            out.u8(12);
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
            out.u8(13);
            out.i64(d.months);
            out.i64(d.days);
            out.i64(d.seconds);
            out.i64(d.nanos.into());
        }
        Value::Decimal(d) => {
            out.u8(14);
            out.u8(d.scale());
            out.bytes(&d.unscaled().to_le_bytes());
        }
        Value::Iri(iri) => {
            out.u8(15);
            out.str(iri);
        }
        Value::Literal(literal) => {
            let (tag, of) = match &literal.kind {
                LiteralKind::Language(tag) => (16, tag),
                LiteralKind::Datatype(iri) => (17, iri),
            };
            out.u8(tag);
            out.str(&literal.lexical);
            out.str(of);
        }
    }
}

/// Reads one value.
pub(crate) fn decode(from: &mut Decoder<'_>) -> Result<Value, CodecError> {
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
    Ok(match from.u8()? {
        0 => Value::Null,
        1 => Value::Bool(from.u8()? != 0),
        2 => Value::Int(from.i64()?),
        3 => Value::Float(from.f64()?),
        4 => Value::string(from.str()?),
        5 => Value::Bytes(Arc::from(from.bytes()?)),
        6 => {
            let len = from.count(from.remaining())?;
            let items = (0..len).map(|_| decode_nested(from, depth + 1)).collect::<Result<_, _>>()?;
            Value::list(items)
        }
        7 => {
            let len = from.count(from.remaining())?;
            let mut map = Map::new();
            for _ in 0..len {
                let key = Arc::from(from.str()?);
                map.insert(key, decode_nested(from, depth + 1)?);
            }
            Value::map(map)
        }
        8 => {
            let here = from.error("a date of the calendar");
            Value::Date(Date::from_days(from.i64()?).map_err(|_| here)?)
        }
        9 => Value::LocalTime(LocalTime { nanos: from.i64()? }),
        10 => Value::Time(Time { nanos: from.i64()?, offset_seconds: small(from)? }),
        11 => Value::LocalDateTime(LocalDateTime { seconds: from.i64()?, nanos: from.u32()? }),
        12 => {
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
        13 => Value::Duration(Duration {
            months: from.i64()?,
            days: from.i64()?,
            seconds: from.i64()?,
            nanos: small(from)?,
        }),
        14 => Value::Decimal(decimal(from)?),
        15 => Value::iri(from.str()?),
        16 => Value::Literal(Arc::new(Literal::in_language(from.str()?, from.str()?))),
        17 => Value::Literal(Arc::new(Literal::of_datatype(from.str()?, from.str()?))),
        _ => return Err(from.error("a known value type")),
    })
}
