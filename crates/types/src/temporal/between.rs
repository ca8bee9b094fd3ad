//! The duration from one instant to another, of any two instant types.
//!
//! 1. Complete both: a missing zone is the other's, a missing time is midnight, a missing date is the other's
//!    (then only the times differ, and months and days are zero).
//! 2. Show the second in the zone of the first.
//! 3. Months: whole ones between the local times; days: whole ones after those months; the rest in real
//!    seconds.
//!
//! Source: the difference rules of java.time, on which CIP2015-08-06 builds.

use super::calendar::{add_months, date_from_days};
use super::error::TemporalError;

use super::zone::ZoneId;
use crate::Value;
use crate::value::{DateTime, Duration, LocalDateTime, LocalTime};

const OVERFLOW: TemporalError = TemporalError::Overflow("duration");

/// Two instants made comparable.
#[derive(Clone, Debug)]
pub struct Span {
    from: DateTime,
    to: DateTime,
    /// Both have a date of their own.
    dated: bool,
}

impl Span {
    /// The span between two values; `None` if one is not an instant.
    pub fn new(from: &Value, to: &Value) -> Result<Option<Self>, TemporalError> {
        let (Some(a), Some(b)) = (Parts::of(from), Parts::of(to)) else { return Ok(None) };
        let zone_a = a.zone.clone().or_else(|| b.zone.clone()).unwrap_or(ZoneId::UTC);
        let zone_b = b.zone.clone().unwrap_or_else(|| zone_a.clone());
        let instant = |parts: &Parts, other: &Parts, zone: &ZoneId| {
            let day = parts.day.or(other.day).unwrap_or(0);
            let time = parts.time.unwrap_or(LocalTime::MIDNIGHT);
            LocalDateTime::from_days_and_time(day, time).map(|local| DateTime::from_local(local, zone))
        };
        let from = Self::keep(from).map_or_else(|| instant(&a, &b, &zone_a), Ok)?;
        let to = Self::keep(to).map_or_else(|| instant(&b, &a, &zone_b), Ok)?;
        let to = to.with_same_instant(&zone_a);
        Ok(Some(Self { from, to, dated: a.day.is_some() && b.day.is_some() }))
    }

    /// A zoned date-time is taken as it is: its local time may be one its zone has twice.
    fn keep(value: &Value) -> Option<DateTime> {
        match value {
            Value::DateTime(instant) => Some(instant.clone()),
            _ => None,
        }
    }

    fn months(&self) -> i64 {
        if !self.dated {
            return 0;
        }
        let (from, to) = (self.from.local(), self.to.local());
        // A day that is not over yet does not count.
        let day = whole_days_end(from, to);
        let place = |days: i64| {
            let (year, month, day) = date_from_days(days);
            (year * 12 + month) * 32 + day
        };
        (place(day) - place(from.days())) / 32
    }
}

/// The day of `to`, moved one back towards `from` if its time of day has not been reached.
fn whole_days_end(from: LocalDateTime, to: LocalDateTime) -> i64 {
    let (time_from, time_to) = (from.time(), to.time());
    if to.days() > from.days() && time_to < time_from {
        to.days() - 1
    } else if to.days() < from.days() && time_to > time_from {
        to.days() + 1
    } else {
        to.days()
    }
}

/// Months, days and seconds from one instant to the other; `None` if one value is not an instant.
pub fn duration_between(from: &Value, to: &Value) -> Result<Option<Duration>, TemporalError> {
    let Some(span) = Span::new(from, to)? else { return Ok(None) };
    let (mut months, mut days, mut start) = (0, 0, span.from.clone());
    if span.dated {
        months = span.months();
        let from = span.from.local();
        let day = add_months(from.days(), months).ok_or(OVERFLOW)?;
        let moved = LocalDateTime::from_days_and_time(day, from.time())?;
        days = whole_days_end(moved, span.to.local()) - day;
        if months != 0 || days != 0 {
            start = span.from.with_local(moved.plus_days_and_months(0, days)?);
        }
    }
    let (seconds, nanos) = elapsed(&start, &span.to).ok_or(OVERFLOW)?;
    Ok(Some(Duration::normalized(months, days, seconds, nanos).ok_or(OVERFLOW)?))
}

/// Whole months from one instant to the other.
pub fn duration_in_months(from: &Value, to: &Value) -> Result<Option<Duration>, TemporalError> {
    Ok(Span::new(from, to)?.map(|span| Duration { months: span.months(), ..Duration::default() }))
}

/// Whole days from one instant to the other.
pub fn duration_in_days(from: &Value, to: &Value) -> Result<Option<Duration>, TemporalError> {
    Ok(Span::new(from, to)?.map(|span| {
        let (from, to) = (span.from.local(), span.to.local());
        let days = if span.dated { whole_days_end(from, to) - from.days() } else { 0 };
        Duration { days, ..Duration::default() }
    }))
}

/// Seconds from one instant to the other, in real time.
pub fn duration_in_seconds(from: &Value, to: &Value) -> Result<Option<Duration>, TemporalError> {
    let Some(span) = Span::new(from, to)? else { return Ok(None) };
    let (seconds, nanos) = elapsed(&span.from, &span.to).ok_or(OVERFLOW)?;
    Ok(Some(Duration::normalized(0, 0, seconds, nanos).ok_or(OVERFLOW)?))
}

fn elapsed(from: &DateTime, to: &DateTime) -> Option<(i64, i64)> {
    let nanos = i64::from(to.nanos) - i64::from(from.nanos);
    Some((to.seconds.checked_sub(from.seconds)?, nanos))
}

/// What a value has of date, time and zone.
struct Parts {
    day: Option<i64>,
    time: Option<LocalTime>,
    zone: Option<ZoneId>,
}

impl Parts {
    fn of(value: &Value) -> Option<Self> {
        let none = Self { day: None, time: None, zone: None };
        Some(match value {
            Value::Date(date) => Self { day: Some(date.days_in_calendar()), ..none },
            Value::LocalTime(time) => Self { time: Some(*time), ..none },
            Value::Time(time) => {
                Self { time: Some(time.local()), zone: Some(ZoneId::Offset(time.offset_seconds)), ..none }
            }
            Value::LocalDateTime(local) => Self { day: Some(local.days()), time: Some(local.time()), ..none },
            Value::DateTime(instant) => {
                let local = instant.local();
                Self {
                    day: Some(local.days()),
                    time: Some(local.time()),
                    zone: Some(ZoneId::of(&instant.zone)),
                }
            }
            _ => return None,
        })
    }
}
