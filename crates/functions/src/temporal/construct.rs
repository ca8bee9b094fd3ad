//! Makes instants: from the clock, from text, from another instant, from a map.
//!
//! A selected value with a zone gives its zone to the result; if the map names another one, the moment is
//! kept and shown there. A selected value without a zone keeps what its clock shows.

use trimorph_base::Diagnostic;
use trimorph_types::temporal::{
    ZoneId, parse_date, parse_datetime, parse_local_datetime, parse_local_time, parse_time,
};
use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, Time, Value};

use super::fields::{Fields, days_of, time_of, zone, zone_of};
use super::kind::Kind;
use crate::context::{Clock, Context};
use crate::error::{Answer, overflow, temporal, wrong_type};

/// `date(…)`, `time(…)` and their kin, with no argument or one.
pub(super) fn construct(kind: Kind, context: &Context<'_>, args: &[Value]) -> Answer {
    match args.first() {
        None => Ok(at_clock(kind, context.statement, &context.zone)),
        Some(Value::String(text)) => read(kind, context, text),
        Some(Value::Map(map)) => {
            let fields = Fields::read(kind, map)?;
            if fields.asks_for_now() {
                let zone = fields.zone.as_ref().unwrap_or(&context.zone);
                return Ok(at_clock(kind, context.statement, zone));
            }
            compose(kind, context, &fields)
        }
        Some(other) => select(kind, context, other),
    }
}

/// What clocks in `zone` show at the instant `clock`.
pub(super) fn at_clock(kind: Kind, clock: Clock, zone: &ZoneId) -> Value {
    let instant = DateTime::from_utc(clock.seconds, clock.nanos, zone);
    let local = instant.local();
    match kind {
        Kind::Date => local.date().map_or(Value::Null, Value::Date),
        Kind::LocalTime => Value::LocalTime(local.time()),
        Kind::Time => Value::Time(instant.time()),
        Kind::LocalDateTime => Value::LocalDateTime(local),
        Kind::DateTime => Value::DateTime(instant),
    }
}

/// `date.transaction([zone])` and its kin.
pub(super) fn clock(kind: Kind, context: &Context<'_>, clock: Clock, args: &[Value]) -> Answer {
    let zone = match args.first() {
        None => context.zone.clone(),
        Some(Value::Map(map)) => Fields::read(kind, map)?.zone.unwrap_or_else(|| context.zone.clone()),
        Some(name) => zone(kind.name(), name)?,
    };
    Ok(at_clock(kind, clock, &zone))
}

fn read(kind: Kind, context: &Context<'_>, text: &str) -> Answer {
    match kind {
        Kind::Date => parse_date(text).map(Value::Date),
        Kind::LocalTime => parse_local_time(text).map(Value::LocalTime),
        Kind::Time => parse_time(text, default_offset(context)).map(Value::Time),
        Kind::LocalDateTime => parse_local_datetime(text).map(Value::LocalDateTime),
        Kind::DateTime => parse_datetime(text, &context.zone).map(Value::DateTime),
    }
    .map_err(|error| temporal(&error))
}

/// Seconds east of UTC of the default zone now.
fn default_offset(context: &Context<'_>) -> i32 {
    context.zone.at(context.statement.seconds).offset_seconds()
}

/// The part of another instant that `kind` has; a missing time is midnight, a missing zone the default one.
fn select(kind: Kind, context: &Context<'_>, value: &Value) -> Answer {
    let missing = |what| wrong_type(kind.name(), what, value);
    let days = || days_of(value).ok_or_else(|| missing("a STRING, a MAP or a value with a date"));
    let time = || time_of(value).ok_or_else(|| missing("a STRING, a MAP or a value with a time"));
    let local = || {
        let time = time_of(value).unwrap_or(LocalTime::MIDNIGHT);
        LocalDateTime::from_days_and_time(days()?, time).map_err(|error| temporal(&error))
    };
    Ok(match (kind, value) {
        (Kind::DateTime, Value::DateTime(_)) => value.clone(),
        (Kind::Date, _) => Value::Date(date(days()?)?),
        (Kind::LocalTime, _) => Value::LocalTime(time()?),
        (Kind::Time, _) => {
            let offset_seconds =
                zone_of(value).map_or_else(|| default_offset(context), |zone| zone.offset_seconds());
            Value::Time(Time { nanos: time()?.nanos, offset_seconds })
        }
        (Kind::LocalDateTime, _) => Value::LocalDateTime(local()?),
        (Kind::DateTime, _) => Value::DateTime(DateTime::from_local(local()?, &context.zone)),
    })
}

fn date(days: i64) -> Result<Date, Diagnostic> {
    Date::from_days(days).map_err(|error| temporal(&error))
}

/// Puts a map's components and selections together.
fn compose(kind: Kind, context: &Context<'_>, fields: &Fields) -> Answer {
    match kind {
        Kind::Date => Ok(Value::Date(date(compose_days(kind, fields)?)?)),
        Kind::LocalTime => Ok(Value::LocalTime(compose_time(kind, fields)?)),
        Kind::Time => compose_zoned_time(context, fields).map(Value::Time),
        Kind::LocalDateTime => compose_local(kind, fields).map(Value::LocalDateTime),
        Kind::DateTime => match compose_epoch(fields)? {
            Some(instant) => Ok(Value::DateTime(instant)),
            None => compose_datetime(context, fields).map(Value::DateTime),
        },
    }
}

fn compose_days(kind: Kind, fields: &Fields) -> Result<i64, Diagnostic> {
    fields.date.days(fields.base_days(kind)?).map_err(|error| temporal(&error))
}

fn compose_time(kind: Kind, fields: &Fields) -> Result<LocalTime, Diagnostic> {
    fields.time.time(fields.base_time(kind)?).map_err(|error| temporal(&error))
}

fn compose_local(kind: Kind, fields: &Fields) -> Result<LocalDateTime, Diagnostic> {
    let (days, time) = (compose_days(kind, fields)?, compose_time(kind, fields)?);
    LocalDateTime::from_days_and_time(days, time).map_err(|error| temporal(&error))
}

fn compose_zoned_time(context: &Context<'_>, fields: &Fields) -> Result<Time, Diagnostic> {
    let nanos = compose_time(Kind::Time, fields)?.nanos;
    let base = fields.base_time_value();
    // A named zone has an offset only at an instant: that of the selected value, else now.
    let instant = match base {
        Some(Value::DateTime(instant)) => instant.seconds,
        _ => context.statement.seconds,
    };
    let wanted = fields.zone.as_ref().map(|zone| zone.at(instant).offset_seconds());
    Ok(match (base.and_then(zone_of), wanted) {
        (Some(zone), Some(wanted)) => {
            Time { nanos, offset_seconds: zone.offset_seconds() }.with_same_instant(wanted)
        }
        (Some(zone), None) => Time { nanos, offset_seconds: zone.offset_seconds() },
        (None, Some(wanted)) => Time { nanos, offset_seconds: wanted },
        (None, None) => Time { nanos, offset_seconds: default_offset(context) },
    })
}

fn compose_datetime(context: &Context<'_>, fields: &Fields) -> Result<DateTime, Diagnostic> {
    let local = compose_local(Kind::DateTime, fields)?;
    let base = match fields.base_time_value() {
        // Keeps the offset where a local time occurs twice.
        Some(Value::DateTime(instant)) => Some(instant.with_local(local)),
        Some(value) => zone_of(value).map(|zone| DateTime::from_local(local, &ZoneId::of(&zone))),
        None => None,
    };
    Ok(match (base, &fields.zone) {
        (Some(instant), Some(zone)) => instant.with_same_instant(zone),
        (Some(instant), None) => instant,
        (None, zone) => DateTime::from_local(local, zone.as_ref().unwrap_or(&context.zone)),
    })
}

/// `{epochSeconds: …}` or `{epochMillis: …}`, perhaps with nanoseconds and a zone.
fn compose_epoch(fields: &Fields) -> Result<Option<DateTime>, Diagnostic> {
    let nanos = fields.time.nanosecond.unwrap_or(0);
    let zone = fields.zone.as_ref().unwrap_or(&ZoneId::UTC);
    match (fields.epoch_seconds, fields.epoch_millis) {
        (Some(seconds), _) => from_epoch(seconds, nanos, zone).map(Some),
        (None, Some(millis)) => {
            let (seconds, rest) = (millis.div_euclid(1_000), millis.rem_euclid(1_000));
            let nanos = nanos.checked_add(rest * 1_000_000).ok_or_else(|| overflow("datetime()"))?;
            from_epoch(seconds, nanos, zone).map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// The instant `seconds` and `nanos` after 1970-01-01T00:00Z.
pub(super) fn from_epoch(seconds: i64, nanos: i64, zone: &ZoneId) -> Result<DateTime, Diagnostic> {
    let overflow = || overflow("datetime()");
    let seconds = seconds.checked_add(nanos.div_euclid(1_000_000_000)).ok_or_else(overflow)?;
    let nanos = u32::try_from(nanos.rem_euclid(1_000_000_000)).map_err(|_| overflow())?;
    // Checks the range of years.
    let moment = LocalDateTime { seconds, nanos };
    LocalDateTime::from_days_and_time(moment.days(), moment.time()).map_err(|error| temporal(&error))?;
    Ok(DateTime::from_utc(seconds, nanos, zone))
}
