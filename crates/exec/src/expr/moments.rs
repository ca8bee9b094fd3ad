//! Dates, times and instants, moved by durations: a constant one, or one for each position.
//!
//! The rules are those of `trimorph_types`: months first, then days, then seconds. Vectors hold instants of
//! UTC, where a day is 24 hours, so that instants and local date-times move alike. What leaves the range of a
//! vector is left to the scalar evaluator: it may still be within the range of values, or have an error.

use trimorph_algebra::Op;
use trimorph_types::temporal::calendar::add_months;
use trimorph_types::{Duration, Time, Value, Zone};
use trimorph_vector::{Nulls, Positions, Side, Values, Vector, Zoned, map, map_checked, zip_checked};

use super::evaluated::Evaluated;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Days of a duration beyond which what is moved first by days may leave the calendar, though seconds bring
/// it back.
const DAYS_MAX: i64 = 300_000_000_000;

/// `moment + duration`, `duration + moment` or `moment - duration`.
pub(super) fn moved<'s>(
    op: Op,
    a: &Evaluated<'_, 's>,
    b: &Evaluated<'_, 's>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let is_duration = |side: &Evaluated<'_, '_>| match side {
        Evaluated::Const(value) => matches!(value, Value::Duration(_)),
        side => matches!(side.vector(), Some(Vector { values: Values::Duration(_), .. })),
    };
    let (moments, by) = match op {
        Op::Add if is_duration(a) && !is_duration(b) => (b, a),
        Op::Add | Op::Sub if is_duration(b) && !is_duration(a) => (a, b),
        _ => return None,
    };
    let constant;
    let moments = match moments {
        Evaluated::Const(moment) => {
            constant = Vector::constant(moment, at.len);
            &constant
        }
        moments => moments.vector()?,
    };
    let signed = |d: Duration| if op == Op::Sub { d.negated().ok() } else { Some(d) };
    match by {
        Evaluated::Const(Value::Duration(d)) => by_constant(moments, signed(*d)?, at),
        Evaluated::Const(_) => None,
        by => match by.vector() {
            Some(Vector { values: Values::Duration(v), nulls }) => by_each(moments, (v, nulls), signed, at),
            _ => None,
        },
    }
}

/// Days and nanoseconds of a duration, where there is no month in it; `None` where they do not fit.
fn nanos(d: Duration) -> Option<i64> {
    if d.days.abs() > DAYS_MAX {
        return None;
    }
    let seconds = d.days.checked_mul(86_400)?.checked_add(d.seconds)?;
    seconds.checked_mul(SECOND)?.checked_add(d.nanos.into())
}

/// Whole days of a duration, its seconds towards zero.
fn days(d: Duration) -> Option<i64> {
    let seconds = if d.seconds < 0 && d.nanos > 0 { d.seconds + 1 } else { d.seconds };
    d.days.checked_add(seconds / 86_400)
}

/// What a time of day is moved by.
fn within_day(d: Duration) -> i64 {
    d.seconds.rem_euclid(86_400) * SECOND + i64::from(d.nanos)
}

#[inline(always)]
fn time_later(time: i64, by: i64) -> i64 {
    time.wrapping_add(by).rem_euclid(DAY)
}

/// A date later by months and days; `None` where 32 bits do not hold it.
fn date_later(date: i32, d: Duration) -> Option<i32> {
    let day = add_months(date.into(), d.months)?.checked_add(days(d)?)?;
    i32::try_from(day).ok()
}

/// Nanoseconds since the epoch later by months, days and seconds; `None` where 64 bits do not hold them.
fn nanos_later(moment: i64, d: Duration) -> Option<i64> {
    let by = nanos(d)?;
    let day = add_months(moment.div_euclid(DAY), d.months)?;
    // Far days need more bits until the rest brings them back.
    let rest = moment.rem_euclid(DAY);
    let near = day.checked_mul(DAY).and_then(|day| day.checked_add(rest)?.checked_add(by));
    near.or_else(|| i64::try_from(i128::from(day) * i128::from(DAY) + i128::from(rest) + i128::from(by)).ok())
}

/// The least integer stands for what does not fit: its sign says so.
fn checked<T: Default>(value: Option<T>) -> (T, i64) {
    value.map_or_else(|| (T::default(), -1), |v| (v, 0))
}

fn by_constant<'s>(moments: &Vector<'s>, d: Duration, at: Positions<'_>) -> Option<Vector<'s>> {
    let nulls = &moments.nulls;
    let values = match &moments.values {
        Values::LocalTime(v) => {
            let by = within_day(d);
            Values::LocalTime(map(v, at, |time| time_later(time, by)))
        }
        Values::Date(v) if d.months == 0 => {
            // Beyond 2^40 days no date is left, and sums of 64 bits are safe below.
            let by = days(d).filter(|by| by.abs() < 1 << 40)?;
            Values::Date(zip_checked(Side::Each(v), Side::One(by), nulls, at, |date, by| {
                checked(i32::try_from(i64::from(date) + by).ok())
            })?)
        }
        Values::Date(v) => Values::Date(zip_checked(Side::Each(v), Side::One(d), nulls, at, |date, d| {
            checked(date_later(date, d))
        })?),
        Values::LocalDateTime(v) | Values::DateTime(v) => {
            let out = if d.months == 0 {
                let by = nanos(d)?;
                map_checked(v, nulls, at, move |moment: i64| {
                    let sum = moment.wrapping_add(by);
                    (sum, (moment ^ sum) & (by ^ sum))
                })?
            } else {
                let later = |moment, d| checked(nanos_later(moment, d));
                zip_checked(Side::Each(v), Side::One(d), nulls, at, later)?
            };
            instants(moments, out)
        }
        Values::Time(v) => Values::Time(map(v, at, |time: Time| time.plus_duration(d))),
        Values::Zoned(v) => return zoned_later(v, nulls.clone(), |_| Some(d), at),
        _ => return None,
    };
    Some(Vector { values, nulls: nulls.clone() })
}

/// Instants of zones. Where all offsets are fixed, months and days move on local clocks that never change;
/// else each is moved by itself.
fn zoned_later<'s>(
    v: &Zoned,
    nulls: Nulls,
    by: impl Fn(usize) -> Option<Duration>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    if v.tags().iter().all(|zone| matches!(zone, Zone::Offset(_))) {
        let offsets = v.table(0, |zone| i64::from(zone.offset_seconds()) * SECOND);
        let (mut out, mut ok) = (vec![0; at.len], true);
        at.for_each(|i| {
            let offset = offsets[usize::from(v.codes()[i])];
            let local = v.values()[i].checked_add(offset);
            let later = local.zip(by(i)).and_then(|(local, d)| nanos_later(local, d));
            match later.and_then(|later| later.checked_sub(offset)) {
                Some(later) => out[i] = later,
                None => ok &= nulls.get(i),
            }
        });
        let values = Values::Zoned(v.with_values(out).filter(|_| ok)?);
        return Some(Vector { values, nulls });
    }
    let (mut out, mut ok) = (vec![Value::Null; at.len], true);
    let moments = Vector::new(Values::Zoned(v.clone()));
    at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        match (moments.value(i, &|_| Value::Null), by(i)) {
            (Value::DateTime(instant), Some(d)) => match instant.plus(d) {
                Ok(later) => out[i] = Value::DateTime(later),
                Err(_) => ok = false,
            },
            _ => ok = false,
        }
    });
    ok.then(|| Vector::of_values(out, at))
}

/// Nanoseconds as values of the type that others are of.
fn instants<'s>(like: &Vector<'s>, out: Vec<i64>) -> Values<'s> {
    if matches!(like.values, Values::DateTime(_)) {
        Values::DateTime(out)
    } else {
        Values::LocalDateTime(out)
    }
}

fn by_each<'s>(
    moments: &Vector<'s>,
    (by, unknown): (&[Duration], &Nulls),
    signed: impl Fn(Duration) -> Option<Duration>,
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (nulls, mut ok) = (moments.nulls.union(unknown, at.len), true);
    // One loop per type of moment.
    macro_rules! fill {
        ($v:expr, $later:expr) => {{
            let mut out = vec![Default::default(); at.len];
            at.for_each(|i| match signed(by[i]).and_then(|d| $later($v[i], d)) {
                Some(later) => out[i] = later,
                None => ok &= nulls.get(i),
            });
            out
        }};
    }
    let values = match &moments.values {
        Values::LocalTime(v) => Values::LocalTime(fill!(v, |time, d| Some(time_later(time, within_day(d))))),
        Values::Date(v) => Values::Date(fill!(v, date_later)),
        Values::LocalDateTime(v) | Values::DateTime(v) => instants(moments, fill!(v, nanos_later)),
        Values::Time(v) => Values::Time(fill!(v, |time: Time, d| Some(time.plus_duration(d)))),
        Values::Zoned(v) => return zoned_later(v, nulls, |i| signed(by[i]), at),
        _ => return None,
    };
    ok.then_some(Vector { values, nulls })
}
