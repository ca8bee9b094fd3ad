//! Parts of moments, the statement's time, and moments as literals.

use trimorph_types::rdf::lexical::{DateParts, Moment, Span};
use trimorph_types::rdf::names::xsd;
use trimorph_types::rdf::write_canonical;
use trimorph_types::temporal::ZoneId;
use trimorph_types::{Date, DateTime, Decimal, LocalDateTime, Time, Value, Zone};

use super::found::{Found, found, of_terms};
use super::meaning::Meaning;
use super::moment_vectors;
use super::moments::{NANOS_PER_SECOND, SpanType, difference};
use super::number::{Number, of_datatype};
use super::vectors;
use crate::context::Context;
use crate::function::{Function, result};

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!(
        "year",
        (1, 1),
        result::int,
        |_, a| date_part(a, DateParts::has_year, |(year, _, _)| year),
        "year(a): the year"
    )
    .typed(|_, args, at| vectors::date_part(args, at, "year")),
    of_terms!(
        "month",
        (1, 1),
        result::int,
        |_, a| date_part(a, DateParts::has_month, |(_, month, _)| month),
        "month(a): the month"
    )
    .typed(|_, args, at| vectors::date_part(args, at, "month")),
    of_terms!(
        "day",
        (1, 1),
        result::int,
        |_, a| date_part(a, DateParts::has_day, |(_, _, day)| day),
        "day(a): the day"
    )
    .typed(|_, args, at| vectors::date_part(args, at, "day")),
    of_terms!("hours", (1, 1), result::int, |_, a| time_part(a, |s| s / 3_600), "hours(a): the hour")
        .typed(|_, args, at| vectors::time_part(args, at, "hour")),
    of_terms!("minutes", (1, 1), result::int, |_, a| time_part(a, |s| s / 60 % 60), "minutes(a): the minute")
        .typed(|_, args, at| vectors::time_part(args, at, "minute")),
    of_terms!(
        "seconds",
        (1, 1),
        |_| trimorph_types::LogicalType::Decimal,
        |_, a| found(seconds(&a[0])),
        "seconds(a): the seconds with their fraction"
    )
    .typed(|_, args, at| moment_vectors::seconds(args, at)),
    of_terms!(
        "elapsed",
        (2, 2),
        result::any,
        |_, a| found(elapsed(&a[0], &a[1])),
        "elapsed(a, b): the nanoseconds from moment b to moment a, an integer"
    )
    .typed(|_, args, at| moment_vectors::elapsed(args, at)),
    of_terms!(
        "midnight",
        (1, 1),
        result::any,
        |_, a| found(midnight(&a[0])),
        "midnight(a): the moment that the day of a moment or date begins with"
    )
    .typed(|_, args, at| moment_vectors::midnights(args, at)),
    of_terms!(
        "timezone",
        (1, 1),
        result::any,
        |_, a| found(timezone(&a[0])),
        "timezone(a): the offset as a dayTimeDuration"
    ),
    of_terms!("tz", (1, 1), result::string, |_, a| found(tz(&a[0])), "tz(a): the offset as text, or nothing")
        .typed(|_, args, at| moment_vectors::offsets(args, at)),
    of_terms!("now", (0, 0), result::datetime, now, "now(): when the statement started"),
    of_terms!(
        "first_of_instant",
        (1, 1),
        result::datetime,
        |_, a| found(instant(&a[0]).map(|t| Value::DateTime(t.first_of_instant()))),
        "first_of_instant(a): a moment of the same instant that the algebra orders before all others"
    ),
    of_terms!(
        "last_of_instant",
        (1, 1),
        result::datetime,
        |_, a| found(instant(&a[0]).map(|t| Value::DateTime(t.last_of_instant()))),
        "last_of_instant(a): a moment of the same instant that the algebra orders behind all others"
    ),
];

const fn instant(value: &Value) -> Option<&DateTime> {
    if let Value::DateTime(t) = value { Some(t) } else { None }
}

fn now(context: &Context<'_>, _: &[Value]) -> Found {
    let clock = context.statement;
    Ok(Value::DateTime(DateTime::from_utc(clock.seconds, clock.nanos, &ZoneId::UTC)))
}

/// A part of what has it.
fn date_part(args: &[Value], has: fn(DateParts) -> bool, part: fn((i64, i64, i64)) -> i64) -> Found {
    if let Value::Date(date) = &args[0] {
        return Ok(Value::Int(part(date.ymd())));
    }
    match Meaning::of(&args[0]) {
        Meaning::DateTime(moment) | Meaning::Date(moment) => {
            Ok(Value::Int(part(Date { days: moment.local.days() }.ymd())))
        }
        Meaning::PartOfDate(parts, moment) if has(parts) => {
            Ok(Value::Int(part(Date { days: moment.local.days() }.ymd())))
        }
        _ => found(None),
    }
}

fn time_of(value: &Value) -> Option<Moment> {
    match Meaning::of(value) {
        Meaning::DateTime(moment) | Meaning::Time(moment) => Some(moment),
        _ => None,
    }
}

fn time_part(args: &[Value], part: fn(i64) -> i64) -> Found {
    found(time_of(&args[0])).map(|moment| Value::Int(part(moment.local.seconds.rem_euclid(86_400))))
}

fn seconds(value: &Value) -> Option<Value> {
    let LocalDateTime { seconds, nanos } = time_of(value)?.local;
    let nanos = i128::from(seconds.rem_euclid(60)) * NANOS_PER_SECOND + i128::from(nanos);
    Decimal::new(nanos, 9).map(Value::Decimal)
}

/// Nanoseconds between two moments or two dates.
fn elapsed(a: &Value, b: &Value) -> Option<Value> {
    match (Meaning::of(a), Meaning::of(b)) {
        (Meaning::DateTime(a), Meaning::DateTime(b)) | (Meaning::Date(a), Meaning::Date(b)) => {
            Decimal::new(difference(a, b).nanos, 0).map(|nanos| Number::integer(nanos).value())
        }
        _ => None,
    }
}

fn midnight(value: &Value) -> Option<Value> {
    match Meaning::of(value) {
        Meaning::DateTime(moment) | Meaning::Date(moment) => {
            let seconds = moment.local.seconds - moment.local.seconds.rem_euclid(86_400);
            date_time_value(Moment { local: LocalDateTime { seconds, nanos: 0 }, ..moment })
        }
        _ => None,
    }
}

/// The offset of a moment of any kind; the outer `None` is that this is no moment.
#[expect(clippy::option_option, reason = "the two are told apart")]
fn offset(value: &Value) -> Option<Option<i32>> {
    match Meaning::of(value) {
        Meaning::DateTime(moment)
        | Meaning::Time(moment)
        | Meaning::Date(moment)
        | Meaning::PartOfDate(_, moment) => Some(moment.offset),
        _ => None,
    }
}

fn timezone(value: &Value) -> Option<Value> {
    let nanos = i128::from(offset(value)??) * NANOS_PER_SECOND;
    SpanType::Time.value(Span { months: 0, nanos })
}

fn tz(value: &Value) -> Option<Value> {
    Some(match offset(value)? {
        None => Value::string(""),
        Some(offset) => Value::string(offset_text(offset)),
    })
}

/// The literal of `xsd:dateTime`.
pub(super) fn date_time_value(moment: Moment) -> Option<Value> {
    Some(match moment.offset {
        None => Value::LocalDateTime(moment.local),
        Some(offset) => {
            let LocalDateTime { seconds, nanos } = moment.local;
            let seconds = seconds - i64::from(offset);
            Value::DateTime(DateTime { seconds, nanos, zone: Zone::Offset(offset) })
        }
    })
}

/// The literal of `xsd:date`.
pub(super) fn date_value(moment: Moment) -> Option<Value> {
    let date = Value::Date(moment.local.date().ok()?);
    let Some(offset) = moment.offset else { return Some(date) };
    let mut text = String::new();
    write_canonical(&mut text, &date).ok()?;
    text.push_str(&offset_text(offset));
    Some(of_datatype(text, xsd::DATE))
}

fn offset_text(offset: i32) -> String {
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs() / 60);
    if offset == 0 { "Z".into() } else { format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60) }
}

/// The literal of `xsd:time`.
pub(super) fn time_value(moment: Moment) -> Option<Value> {
    let time = moment.local.time();
    Some(match moment.offset {
        None => Value::LocalTime(time),
        Some(offset_seconds) => Value::Time(Time { nanos: time.nanos, offset_seconds }),
    })
}
