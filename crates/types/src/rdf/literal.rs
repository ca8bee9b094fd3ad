//! Literals: a lexical form and a datatype or language in, the value that is this term out.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use super::canonical::write_canonical;
use super::lexical;
use super::names::{XSD, rdf, xsd};
use super::tag::split_tag;
use crate::temporal::ZoneId;
use crate::value::{Date, DateTime, Duration, LocalTime, Time};
use crate::{Literal, LiteralKind, Value};

/// The literal of that text and datatype.
///
/// **Cost**: nothing is allocated for what numbers, booleans and temporal values hold.
pub fn literal(text: &str, datatype: &str) -> Value {
    if datatype == xsd::STRING {
        return Value::string(text);
    }
    held(text, datatype)
        .unwrap_or_else(|| Value::Literal(Arc::new(Literal::of_datatype(text, shared_datatype(datatype)))))
}

/// The literal of that text in a language: `en`, or with a base direction `ar--rtl`.
pub fn tagged(text: &str, tag: &str) -> Value {
    Value::Literal(Arc::new(Literal::in_language(text, tag)))
}

/// The value that a literal is kept as, if that gives back its text.
fn held(text: &str, datatype: &str) -> Option<Value> {
    let value = match datatype.strip_prefix(XSD)? {
        "integer" => Value::Int(text.parse().ok()?),
        "boolean" => Value::Bool(lexical::boolean(text)?),
        "decimal" => Value::Decimal(lexical::decimal(text)?),
        "double" => Value::Float(lexical::double(text)?),
        "date" => {
            let moment = lexical::date(text).filter(|moment| moment.offset.is_none())?;
            Value::Date(Date { days: moment.local.days() })
        }
        "dateTime" => {
            let moment = lexical::date_time(text)?;
            match moment.offset {
                None => Value::LocalDateTime(moment.local),
                Some(offset) => Value::DateTime(DateTime::from_local(moment.local, &ZoneId::Offset(offset))),
            }
        }
        "time" => {
            let moment = lexical::time(text)?;
            let LocalTime { nanos } = moment.local.time();
            match moment.offset {
                None => Value::LocalTime(LocalTime { nanos }),
                Some(offset_seconds) => Value::Time(Time { nanos, offset_seconds }),
            }
        }
        "duration" => Value::Duration(duration(text)?),
        _ => return None,
    };
    let mut rest = Expected(text);
    let written = write_canonical(&mut rest, &value) == Ok(true);
    (written && rest.0.is_empty()).then_some(value)
}

/// The duration with the parts that are written: days are not seconds here.
fn duration(text: &str) -> Option<Duration> {
    let span = lexical::duration(text)?;
    let time = &text[text.find('T').unwrap_or(text.len())..];
    let time = if time.is_empty() { 0 } else { lexical::duration(&format!("P{time}"))?.nanos };
    let time = if text.starts_with('-') { -time } else { time };
    let days = i64::try_from((span.nanos - time) / 86_400_000_000_000).ok()?;
    let seconds = i64::try_from(time.div_euclid(1_000_000_000)).ok()?;
    Duration::normalized(span.months, days, seconds, i64::try_from(time.rem_euclid(1_000_000_000)).ok()?)
}

/// Takes what is written as long as it is what was expected.
struct Expected<'a>(&'a str);

impl fmt::Write for Expected<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// The IRI of a datatype as a text that is shared with all others of the same well-known one.
pub fn shared_datatype(iri: &str) -> Arc<str> {
    static KNOWN: LazyLock<HashMap<&str, Arc<str>>> =
        LazyLock::new(|| xsd::ALL.iter().chain(rdf::ALL).map(|iri| (*iri, Arc::from(*iri))).collect());
    KNOWN.get(iri).cloned().unwrap_or_else(|| iri.into())
}

/// The datatype of a literal; `None` for what is no literal.
pub fn datatype(value: &Value) -> Option<&str> {
    Some(match value {
        Value::Bool(_) => xsd::BOOLEAN,
        Value::Int(_) => xsd::INTEGER,
        Value::Decimal(_) => xsd::DECIMAL,
        Value::Float(_) => xsd::DOUBLE,
        Value::String(_) => xsd::STRING,
        Value::Bytes(_) => xsd::HEX_BINARY,
        Value::Date(_) => xsd::DATE,
        Value::LocalTime(_) | Value::Time(_) => xsd::TIME,
        Value::LocalDateTime(_) | Value::DateTime(_) => xsd::DATE_TIME,
        Value::Duration(_) => xsd::DURATION,
        Value::Literal(literal) => match &literal.kind {
            LiteralKind::Datatype(iri) => iri,
            LiteralKind::Language(tag) => match split_tag(tag) {
                (_, Some(_)) => rdf::DIR_LANG_STRING,
                (_, None) => rdf::LANG_STRING,
            },
        },
        Value::Null
        | Value::Iri(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Node(_)
        | Value::Relationship(_)
        | Value::Path(_) => return None,
    })
}

/// The same term in the one form in which values are equivalent only if they are the same term.
///
/// Types of which openCypher calls different terms equal, or mixes with others, become literals of their
/// text: decimals, floats, zoned times, durations, bytes. A literal whose text is the canonical one of
/// another type becomes a value of it.
pub fn normalise(value: Value) -> Value {
    match &value {
        Value::Decimal(_)
        | Value::Float(_)
        | Value::DateTime(_)
        | Value::Time(_)
        | Value::Duration(_)
        | Value::Bytes(_) => {
            let mut text = String::new();
            match (write_canonical(&mut text, &value), datatype(&value)) {
                (Ok(true), Some(iri)) => {
                    Value::Literal(Arc::new(Literal::of_datatype(text, shared_datatype(iri))))
                }
                _ => value,
            }
        }
        Value::Literal(literal) => match &literal.kind {
            LiteralKind::Datatype(iri) if &**iri == xsd::STRING => Value::String(literal.lexical.clone()),
            LiteralKind::Datatype(iri) => held_as_term(&literal.lexical, iri).unwrap_or(value),
            LiteralKind::Language(_) => value,
        },
        _ => value,
    }
}

/// The value that a literal is kept as in term form, if it is no literal there.
fn held_as_term(text: &str, datatype: &str) -> Option<Value> {
    held(text, datatype).filter(|held| {
        matches!(
            held,
            Value::Bool(_) | Value::Int(_) | Value::Date(_) | Value::LocalTime(_) | Value::LocalDateTime(_)
        )
    })
}

/// Whether the literal of that text is what [`normalise`] gives for it.
///
/// **Cost**: nothing is allocated.
pub fn is_in_term_form(text: &str, kind: &LiteralKind) -> bool {
    match kind {
        LiteralKind::Datatype(iri) => &**iri != xsd::STRING && held_as_term(text, iri).is_none(),
        LiteralKind::Language(_) => true,
    }
}
