//! What a term means: a value in, one of the kinds that SPARQL's operators tell apart out.

use trimorph_types::rdf::lexical::{self, DateParts, Moment, Span, TIME_DAY};
use trimorph_types::rdf::names::XSD;
use trimorph_types::{Date, Duration, Literal, LiteralKind, LocalDateTime, LocalTime, Value};

use super::moments::SpanType;
use super::number::Number;

/// What a term means.
#[derive(Debug)]
pub(super) enum Meaning<'a> {
    Number(Number),
    Bool(bool),
    /// A text without language.
    Text(&'a str),
    /// A text in a language.
    Tagged(&'a Literal),
    DateTime(Moment),
    Date(Moment),
    Time(Moment),
    /// A date that lacks parts, as the first midnight that it may be.
    PartOfDate(DateParts, Moment),
    Span(SpanType, Span),
    /// An IRI, a blank node or a triple term.
    Resource(&'a str),
    /// A literal of which only the term is known: of another datatype, or badly formed.
    Opaque(&'a Literal),
    /// Anything else.
    Other,
}

impl<'a> Meaning<'a> {
    /// What `value` means. Nodes and relationships must have been asked for their terms.
    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
                Number::of(value).map_or(Self::Other, Self::Number)
            }
            Value::Bool(x) => Self::Bool(*x),
            Value::String(text) => Self::Text(text),
            Value::Iri(iri) => Self::Resource(iri),
            Value::Literal(literal) => Self::of_literal(literal),
            Value::Date(x) => Self::Date(Moment { local: midnight(*x), offset: None }),
            Value::LocalTime(x) => Self::Time(Moment { local: on_time_day(*x), offset: None }),
            Value::Time(x) => {
                Self::Time(Moment { local: on_time_day(x.local()), offset: Some(x.offset_seconds) })
            }
            Value::LocalDateTime(x) => Self::DateTime(Moment { local: *x, offset: None }),
            Value::DateTime(x) => {
                Self::DateTime(Moment { local: x.local(), offset: Some(x.zone.offset_seconds()) })
            }
            Value::Duration(x) => Self::Span(SpanType::Any, span(*x)),
            Value::Null
            | Value::Bytes(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Node(_)
            | Value::Relationship(_)
            | Value::Path(_) => Self::Other,
        }
    }

    fn of_literal(literal: &'a Literal) -> Self {
        let text = &*literal.lexical;
        let part = |parts| Some(Self::PartOfDate(parts, lexical::date_parts(text, parts)?));
        let read = |datatype: &str| {
            Some(match datatype.strip_prefix(XSD)? {
                "string" => Self::Text(text),
                "boolean" => Self::Bool(lexical::boolean(text)?),
                "dateTime" => Self::DateTime(lexical::date_time(text)?),
                "dateTimeStamp" => Self::DateTime(lexical::date_time(text).filter(|m| m.offset.is_some())?),
                "date" => Self::Date(lexical::date(text)?),
                "time" => Self::Time(lexical::time(text)?),
                "gYear" => part(DateParts::Year)?,
                "gYearMonth" => part(DateParts::YearMonth)?,
                "gMonth" => part(DateParts::Month)?,
                "gMonthDay" => part(DateParts::MonthDay)?,
                "gDay" => part(DateParts::Day)?,
                "duration" => Self::Span(SpanType::Any, lexical::duration(text)?),
                "dayTimeDuration" => Self::Span(SpanType::Time, day_time(text)?),
                "yearMonthDuration" => Self::Span(SpanType::Months, year_month(text)?),
                name => Self::Number(Number::read(text, name)?),
            })
        };
        match &literal.kind {
            LiteralKind::Language(_) => Self::Tagged(literal),
            LiteralKind::Datatype(iri) => read(iri).unwrap_or(Self::Opaque(literal)),
        }
    }
}

/// A duration without years and months.
pub(super) fn day_time(text: &str) -> Option<Span> {
    let date = text.split_once('T').map_or(text, |(date, _)| date);
    if date.contains(['Y', 'M']) { None } else { lexical::duration(text) }
}

/// A duration of years and months only.
pub(super) fn year_month(text: &str) -> Option<Span> {
    if text.contains(['D', 'T']) { None } else { lexical::duration(text) }
}

fn midnight(date: Date) -> LocalDateTime {
    LocalDateTime { seconds: date.days_in_calendar() * 86_400, nanos: 0 }
}

fn on_time_day(time: LocalTime) -> LocalDateTime {
    LocalDateTime::from_date_and_time(Date { days: TIME_DAY }, time)
}

fn span(duration: Duration) -> Span {
    let seconds = i128::from(duration.days) * 86_400 + i128::from(duration.seconds);
    Span { months: duration.months, nanos: seconds * 1_000_000_000 + i128::from(duration.nanos) }
}
