//! Components of temporal values by name, as `d.year` reads them.
//!
//! Source: CIP2015-08-06, "Accessing components of temporal values".

use super::calendar::{date_from_days, ordinal_day, quarter_of_month, quarter_start, week_of, weekday};
use super::text::OffsetText;
use crate::Value;
use crate::value::{DateTime, Duration, LocalTime, Zone};

const DATE: [&str; 10] = [
    "year",
    "quarter",
    "month",
    "week",
    "weekYear",
    "day",
    "ordinalDay",
    "weekDay",
    "dayOfWeek",
    "dayOfQuarter",
];
const TIME: [&str; 6] = ["hour", "minute", "second", "millisecond", "microsecond", "nanosecond"];
const OFFSET: [&str; 4] = ["timezone", "offset", "offsetMinutes", "offsetSeconds"];
const EPOCH: [&str; 2] = ["epochSeconds", "epochMillis"];
const DURATION: [&str; 20] = [
    "years",
    "quarters",
    "quartersOfYear",
    "months",
    "monthsOfYear",
    "monthsOfQuarter",
    "weeks",
    "days",
    "daysOfWeek",
    "hours",
    "minutes",
    "minutesOfHour",
    "seconds",
    "secondsOfMinute",
    "milliseconds",
    "millisecondsOfSecond",
    "microseconds",
    "microsecondsOfSecond",
    "nanoseconds",
    "nanosecondsOfSecond",
];

/// The component `name` of a temporal value or duration; `None` if its type has no such component or the
/// value is not temporal.
pub fn component(value: &Value, name: &str) -> Option<Value> {
    let number = match value {
        Value::Date(date) => of_date(date.days_in_calendar(), name)?,
        Value::LocalTime(time) => of_time(*time, name)?,
        Value::Time(time) => {
            return of_time(time.local(), name)
                .map(Value::Int)
                .or_else(|| of_zone(&Zone::Offset(time.offset_seconds), name));
        }
        Value::LocalDateTime(local) => of_date(local.days(), name).or_else(|| of_time(local.time(), name))?,
        Value::DateTime(instant) => return of_datetime(instant, name),
        Value::Duration(duration) => of_duration(duration, name)?,
        _ => return None,
    };
    Some(Value::Int(number))
}

/// The components values of the type of `value` have, for suggestions.
pub fn component_names(value: &Value) -> Vec<&'static str> {
    let groups: &[&[&'static str]] = match value {
        Value::Date(_) => &[&DATE],
        Value::LocalTime(_) => &[&TIME],
        Value::Time(_) => &[&TIME, &OFFSET],
        Value::LocalDateTime(_) => &[&DATE, &TIME],
        Value::DateTime(_) => &[&DATE, &TIME, &OFFSET, &EPOCH],
        Value::Duration(_) => &[&DURATION],
        _ => &[],
    };
    groups.concat()
}

fn of_date(days: i64, name: &str) -> Option<i64> {
    let (year, month, day) = date_from_days(days);
    Some(match name {
        "year" => year,
        "quarter" => quarter_of_month(month),
        "month" => month,
        "week" => week_of(days).1,
        "weekYear" => week_of(days).0,
        "day" => day,
        "ordinalDay" => ordinal_day(days),
        "weekDay" | "dayOfWeek" => weekday(days),
        "dayOfQuarter" => days - quarter_start(year, quarter_of_month(month)) + 1,
        _ => return None,
    })
}

fn of_time(time: LocalTime, name: &str) -> Option<i64> {
    let (hour, minute, second, nanos) = time.parts();
    Some(match name {
        "hour" => hour,
        "minute" => minute,
        "second" => second,
        "millisecond" => nanos / 1_000_000,
        "microsecond" => nanos / 1_000,
        "nanosecond" => nanos,
        _ => return None,
    })
}

fn of_zone(zone: &Zone, name: &str) -> Option<Value> {
    let offset = zone.offset_seconds();
    Some(match (name, zone) {
        ("timezone", Zone::Named { name, .. }) => Value::String(name.clone()),
        ("timezone" | "offset", _) => Value::string(OffsetText(offset).to_string()),
        ("offsetMinutes", _) => Value::Int(i64::from(offset / 60)),
        ("offsetSeconds", _) => Value::Int(i64::from(offset)),
        _ => return None,
    })
}

fn of_datetime(instant: &DateTime, name: &str) -> Option<Value> {
    let local = instant.local();
    match name {
        "epochSeconds" => Some(Value::Int(instant.seconds)),
        "epochMillis" => {
            let millis =
                instant.seconds.checked_mul(1_000)?.checked_add(i64::from(instant.nanos / 1_000_000))?;
            Some(Value::Int(millis))
        }
        _ => of_date(local.days(), name)
            .or_else(|| of_time(local.time(), name))
            .map(Value::Int)
            .or_else(|| of_zone(&instant.zone, name)),
    }
}

fn of_duration(duration: &Duration, name: &str) -> Option<i64> {
    duration_component(name).map(|component| component(duration))
}

/// What reads the component `name` of a duration; `None` if durations have no such component.
///
/// Totals saturate: a duration of 300 years in nanoseconds is more than an integer holds.
pub fn duration_component(name: &str) -> Option<fn(&Duration) -> i64> {
    fn total(d: &Duration, per_second: i64) -> i64 {
        let below = i64::from(d.nanos) / (1_000_000_000 / per_second);
        d.seconds.saturating_mul(per_second).saturating_add(below)
    }
    Some(match name {
        "years" => |d| d.months / 12,
        "quarters" => |d| d.months / 3,
        "quartersOfYear" => |d| d.months / 3 % 4,
        "months" => |d| d.months,
        "monthsOfYear" => |d| d.months % 12,
        "monthsOfQuarter" => |d| d.months % 3,
        "weeks" => |d| d.days / 7,
        "days" => |d| d.days,
        "daysOfWeek" => |d| d.days % 7,
        "hours" => |d| d.seconds / 3_600,
        "minutes" => |d| d.seconds / 60,
        "minutesOfHour" => |d| d.seconds / 60 % 60,
        "seconds" => |d| d.seconds,
        "secondsOfMinute" => |d| d.seconds % 60,
        "milliseconds" => |d| total(d, 1_000),
        "millisecondsOfSecond" => |d| i64::from(d.nanos) / 1_000_000,
        "microseconds" => |d| total(d, 1_000_000),
        "microsecondsOfSecond" => |d| i64::from(d.nanos) / 1_000,
        "nanoseconds" => |d| total(d, 1_000_000_000),
        "nanosecondsOfSecond" => |d| i64::from(d.nanos),
        _ => return None,
    })
}
