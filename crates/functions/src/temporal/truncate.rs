//! `date.truncate(unit, value[, fields])` and its kin: the start of the unit a value is in, with smaller
//! fields set.

use trimorph_base::Diagnostic;
use trimorph_types::temporal::{Unit, ZoneId};
use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, Time, Value};

use super::construct::at_clock;
use super::fields::{Fields, days_of, time_of, zone_of};
use super::kind::Kind;
use crate::context::Context;
use crate::error::{Answer, bad_argument, temporal, wrong_type};

/// Truncates `args[1]` to the unit `args[0]` and sets the fields of the map `args[2]`.
pub(super) fn truncate(kind: Kind, context: &Context<'_>, args: &[Value]) -> Answer {
    let Value::String(name) = &args[0] else {
        return Err(wrong_type(kind.name(), "a STRING for the unit", &args[0]));
    };
    let unit = Unit::parse(name).map_err(|error| temporal(&error))?;
    let now;
    let value = match args.get(1) {
        Some(value) => value,
        None => {
            now = at_clock(Kind::DateTime, context.statement, &context.zone);
            &now
        }
    };
    let fields = match args.get(2) {
        None => Fields::default(),
        Some(Value::Map(map)) => Fields::read(kind, map)?,
        Some(other) => return Err(wrong_type(kind.name(), "a MAP of fields", other)),
    };
    let days = days_at_unit(kind, unit, value, &fields)?;
    let time = time_at_unit(kind, unit, value, &fields)?;
    build(kind, context, days, time, value, &fields)
}

fn unsupported(kind: Kind, unit: Unit, value: &Value) -> Diagnostic {
    bad_argument(format!(
        "cannot truncate {} to {} as {}",
        crate::error::type_name(value),
        unit.name(),
        kind.name().trim_end_matches("()")
    ))
}

/// The first day of the unit, with date fields set; 0 if neither the unit nor the result has a date.
fn days_at_unit(kind: Kind, unit: Unit, value: &Value, fields: &Fields) -> Result<i64, Diagnostic> {
    if !kind.has_date() {
        // A time of day can be cut to its day, which is midnight, but not to anything longer.
        return if unit < Unit::Day { Err(unsupported(kind, unit, value)) } else { Ok(0) };
    }
    let days = days_of(value).ok_or_else(|| unsupported(kind, unit, value))?;
    let start = unit.truncate_days(days);
    fields.date.days(Some(start)).map_err(|error| temporal(&error))
}

/// The start of the unit within the day, with time fields set.
fn time_at_unit(kind: Kind, unit: Unit, value: &Value, fields: &Fields) -> Result<LocalTime, Diagnostic> {
    if !kind.has_time() {
        return if unit.is_date_unit() {
            Ok(LocalTime::MIDNIGHT)
        } else {
            Err(unsupported(kind, unit, value))
        };
    }
    let start = match time_of(value) {
        Some(time) => unit.truncate_time(time),
        None if unit.is_date_unit() => LocalTime::MIDNIGHT,
        None => return Err(unsupported(kind, unit, value)),
    };
    let mut time = fields.time;
    let (_, _, _, nanos) = start.parts();
    // Finer fields fill what the unit cut off and must not drop what it kept.
    if unit == Unit::Millisecond && time.microsecond.or(time.nanosecond).is_some() {
        time.millisecond.get_or_insert(nanos / 1_000_000);
    }
    if unit == Unit::Microsecond && time.nanosecond.is_some() {
        time.microsecond.get_or_insert(nanos / 1_000);
    }
    time.time(Some(start)).map_err(|error| temporal(&error))
}

/// The result; a zone among the fields replaces the value's without moving its clock.
fn build(
    kind: Kind,
    context: &Context<'_>,
    days: i64,
    time: LocalTime,
    value: &Value,
    fields: &Fields,
) -> Answer {
    let own_zone = zone_of(value);
    let local = || LocalDateTime::from_days_and_time(days, time).map_err(|error| temporal(&error));
    Ok(match kind {
        Kind::Date => Value::Date(Date::from_days(days).map_err(|error| temporal(&error))?),
        Kind::LocalTime => Value::LocalTime(time),
        Kind::LocalDateTime => Value::LocalDateTime(local()?),
        Kind::Time => {
            let offset_seconds = match (&fields.zone, own_zone) {
                (Some(zone), _) => zone.at(context.statement.seconds).offset_seconds(),
                (None, Some(zone)) => zone.offset_seconds(),
                (None, None) => context.zone.at(context.statement.seconds).offset_seconds(),
            };
            Value::Time(Time { nanos: time.nanos, offset_seconds })
        }
        Kind::DateTime => {
            let own = own_zone.as_ref().map(ZoneId::of);
            let zone = fields.zone.as_ref().or(own.as_ref()).unwrap_or(&context.zone);
            Value::DateTime(match value {
                Value::DateTime(instant) if fields.zone.is_none() => instant.with_local(local()?),
                _ => DateTime::from_local(local()?, zone),
            })
        }
    })
}
