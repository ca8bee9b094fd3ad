//! Components of dates, times and instants: `d.year`, `t.epochSeconds`.

use trimorph_vector::{Positions, Values, Vector, map};

use super::calendar::{civil, days_of_nanos, hour, minute, quarter_start, second, week, weekday, year_start};

/// The component `name` of a vector of temporal values; `None` where the values are of another type, or have
/// no such component, or one that is no integer.
pub fn component<'s>(vector: &Vector<'s>, name: &str, at: Positions<'_>) -> Option<Vector<'s>> {
    let out = match &vector.values {
        Values::Date(v) => of_date(v, |days| days, name, at)?,
        Values::LocalTime(v) => of_time(v, name, at)?,
        Values::LocalDateTime(v) => of_date(v, days_of_nanos, name, at).or_else(|| of_time(v, name, at))?,
        Values::DateTime(v) => match name {
            "epochSeconds" => map(v, at, |n| n.div_euclid(1_000_000_000)),
            "epochMillis" => map(v, at, |n| n.div_euclid(1_000_000)),
            // Instants of vectors are in UTC.
            "offsetSeconds" | "offsetMinutes" => vec![0; at.len],
            _ => of_date(v, days_of_nanos, name, at).or_else(|| of_time(v, name, at))?,
        },
        _ => return None,
    };
    Some(Vector { values: Values::Int(out), nulls: vector.nulls.clone() })
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

fn of_time(v: &[i64], name: &str, at: Positions<'_>) -> Option<Vec<i64>> {
    Some(match name {
        "hour" => map(v, at, hour),
        "minute" => map(v, at, minute),
        "second" => map(v, at, second),
        "millisecond" => map(v, at, |n| n.rem_euclid(1_000_000_000) / 1_000_000),
        "microsecond" => map(v, at, |n| n.rem_euclid(1_000_000_000) / 1_000),
        "nanosecond" => map(v, at, |n| n.rem_euclid(1_000_000_000)),
        _ => return None,
    })
}
