//! Components of dates, times and instants: `d.year`, `t.epochSeconds`.

use std::sync::Arc;

use trimorph_types::temporal::{self, duration_component};
use trimorph_types::{DateTime, Duration, Time, Value, Zone};
use trimorph_vector::{Dictionary, Nulls, Positions, Texts, Values, Vector, Zoned, map};

use super::calendar::{civil, days_of_nanos, hour, minute, quarter_start, second, week, weekday, year_start};
use super::zones::local;

/// The component `name` of a vector of temporal values; `None` where the values are of another type, or have
/// no such component, or one that is no integer.
pub fn component<'s>(vector: &Vector<'s>, name: &str, at: Positions<'_>) -> Option<Vector<'s>> {
    let out = match &vector.values {
        Values::Date(v) => of_date(v, |days| days, name, at)?,
        Values::LocalTime(v) => of_time(v, |n| n, name, at)?,
        Values::LocalDateTime(v) => {
            of_date(v, days_of_nanos, name, at).or_else(|| of_time(v, |n| n, name, at))?
        }
        Values::DateTime(v) => match name {
            "epochSeconds" => map(v, at, |n| n.div_euclid(1_000_000_000)),
            "epochMillis" => map(v, at, |n| n.div_euclid(1_000_000)),
            // Instants of vectors are in UTC.
            "offsetSeconds" | "offsetMinutes" => vec![0; at.len],
            _ => of_date(v, days_of_nanos, name, at).or_else(|| of_time(v, |n| n, name, at))?,
        },
        Values::Duration(v) => of_duration(v, name, at)?,
        Values::Time(v) => match name {
            "offsetSeconds" => map(v, at, |t: Time| t.offset_seconds.into()),
            "offsetMinutes" => map(v, at, |t: Time| (t.offset_seconds / 60).into()),
            _ => of_time(v, |t: Time| t.nanos, name, at)?,
        },
        Values::Zoned(v) => return of_zoned(v, &vector.nulls, name, at),
        _ => return None,
    };
    Some(Vector { values: Values::Int(out), nulls: vector.nulls.clone() })
}

/// Components of instants by the clocks of their zones, which have few offsets and texts.
fn of_zoned<'s>(v: &Zoned, nulls: &Nulls, name: &str, at: Positions<'_>) -> Option<Vector<'s>> {
    let codes = v.codes();
    let by_zone = |of: fn(&Zone) -> i64| {
        let table = v.table(0, of);
        map(codes, at, |code| table[usize::from(code)])
    };
    let out = match name {
        "epochSeconds" => map(v.values(), at, |n| n.div_euclid(1_000_000_000)),
        "epochMillis" => map(v.values(), at, |n| n.div_euclid(1_000_000)),
        "offsetSeconds" => by_zone(|zone| zone.offset_seconds().into()),
        "offsetMinutes" => by_zone(|zone| (zone.offset_seconds() / 60).into()),
        "timezone" | "offset" => {
            let mut entries = Texts::with_capacity(v.tags().len());
            for zone in v.tags() {
                let instant = DateTime { seconds: 0, nanos: 0, zone: zone.clone() };
                match temporal::component(&Value::DateTime(instant), name) {
                    Some(Value::String(text)) => entries.push(&text),
                    _ => return None,
                }
            }
            if entries.is_empty() {
                return None;
            }
            let codes = codes.iter().map(|code| u32::from(*code)).collect();
            let texts = Texts::coded(codes, &Arc::new(Dictionary::new(entries)));
            return Some(Vector { values: Values::String(texts), nulls: nulls.clone() });
        }
        _ => {
            let local = local(v, nulls, at)?;
            of_date(&local, days_of_nanos, name, at).or_else(|| of_time(&local, |n| n, name, at))?
        }
    };
    Some(Vector { values: Values::Int(out), nulls: nulls.clone() })
}

/// One loop per component, so that the loop has no branch on it.
#[inline(always)]
fn of_date<T: Copy>(
    v: &[T],
    days: impl Fn(T) -> i32 + Copy,
    name: &str,
    at: Positions<'_>,
) -> Option<Vec<i64>> {
    Some(match name {
        "year" => map(v, at, |d| civil(days(d)).0),
        "month" => map(v, at, |d| civil(days(d)).1),
        "day" => map(v, at, |d| civil(days(d)).2),
        "quarter" => map(v, at, |d| (civil(days(d)).1 - 1) / 3 + 1),
        "week" => map(v, at, |d| week(days(d)).1),
        "weekYear" => map(v, at, |d| week(days(d)).0),
        "ordinalDay" => map(v, at, |d| i64::from(days(d)) - year_start(days(d)) + 1),
        "weekDay" | "dayOfWeek" => map(v, at, |d| weekday(days(d))),
        "dayOfQuarter" => map(v, at, |d| i64::from(days(d)) - quarter_start(days(d)) + 1),
        _ => return None,
    })
}

#[inline(always)]
fn of_time<T: Copy>(
    v: &[T],
    nanos: impl Fn(T) -> i64 + Copy,
    name: &str,
    at: Positions<'_>,
) -> Option<Vec<i64>> {
    Some(match name {
        "hour" => map(v, at, |t| hour(nanos(t))),
        "minute" => map(v, at, |t| minute(nanos(t))),
        "second" => map(v, at, |t| second(nanos(t))),
        "millisecond" => map(v, at, |t| nanos(t).rem_euclid(1_000_000_000) / 1_000_000),
        "microsecond" => map(v, at, |t| nanos(t).rem_euclid(1_000_000_000) / 1_000),
        "nanosecond" => map(v, at, |t| nanos(t).rem_euclid(1_000_000_000)),
        _ => return None,
    })
}

/// Those that are asked for often have a loop of their own; the others call what reads them.
fn of_duration(v: &[Duration], name: &str, at: Positions<'_>) -> Option<Vec<i64>> {
    Some(match name {
        "years" => map(v, at, |d| d.months / 12),
        "months" => map(v, at, |d| d.months),
        "weeks" => map(v, at, |d| d.days / 7),
        "days" => map(v, at, |d| d.days),
        "hours" => map(v, at, |d| d.seconds / 3_600),
        "minutes" => map(v, at, |d| d.seconds / 60),
        "seconds" => map(v, at, |d| d.seconds),
        _ => {
            let of = duration_component(name)?;
            map(v, at, |d| of(&d))
        }
    })
}
