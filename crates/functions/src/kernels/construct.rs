//! Temporal values of temporal values, and of seconds since the epoch: `date(x)`, `datetime.fromEpoch(…)`.

use trimorph_types::temporal::ZoneId;
use trimorph_types::{Date, Duration};
use trimorph_vector::{Maps, Nulls, Positions, Side, Values, Vector, map, map_checked, zip_checked};

use super::calendar::{DAY, days_of_nanos};
use super::read;
use super::zones::{local, of_maps};
use crate::context::Context;
use crate::kernel::{Argument, nulls_of};

/// The one argument, if it is a vector.
fn only<'a, 's>(args: &[Argument<'a, 's>]) -> Option<&'a Vector<'s>> {
    match args {
        [Argument::Each(vector)] => Some(vector),
        _ => None,
    }
}

pub(crate) fn date<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let out = match &vector.values {
        Values::Date(_) => return Some(vector.clone()),
        Values::LocalDateTime(v) | Values::DateTime(v) => map(v, at, days_of_nanos),
        Values::Zoned(v) => map(&local(v, &vector.nulls, at)?, at, days_of_nanos),
        Values::String(_) => return read::date(context, args, at),
        Values::Map(maps) => of_year_month_day(maps, &vector.nulls, at)?,
        _ => return None,
    };
    Some(Vector { values: Values::Date(out), nulls: vector.nulls.clone() })
}

/// Dates of maps of year, month and day, or of the first of these. `None` where something else is in them,
/// one of them is null, or there is no such date.
fn of_year_month_day(maps: &Maps<'_>, nulls: &Nulls, at: Positions<'_>) -> Option<Vec<i32>> {
    let names = ["year", "month", "day"];
    let fields: Vec<&[i64]> = names
        .iter()
        .map_while(|name| match maps.field(name)? {
            Vector { values: Values::Int(v), nulls } if nulls.is_none() => Some(&v[..]),
            _ => None,
        })
        .collect();
    // A field that is no number, or without the one before it, is one too many.
    if fields.is_empty() || fields.len() != maps.keys().len() {
        return None;
    }
    let part = |k: usize, i: usize| fields.get(k).map_or(1, |v| v[i]);
    let (mut out, mut is) = (vec![0; at.len], true);
    at.for_each(|i| {
        if is && !nulls.get(i) {
            let date = Date::from_ymd(part(0, i), part(1, i), part(2, i)).ok();
            match date.and_then(|date| i32::try_from(date.days).ok()) {
                Some(days) => out[i] = days,
                None => is = false,
            }
        }
    });
    is.then_some(out)
}

/// What a component of a duration is so many of, as [`of_components`] adds them up.
enum Amount {
    Months(i64),
    Days(i64),
    Seconds(i64),
    Nanos(i64),
}

/// The component of that name.
fn amount(name: &str) -> Option<Amount> {
    Some(match name {
        "years" => Amount::Months(12),
        "quarters" => Amount::Months(3),
        "months" => Amount::Months(1),
        "weeks" => Amount::Days(7),
        "days" => Amount::Days(1),
        "hours" => Amount::Seconds(3_600),
        "minutes" => Amount::Seconds(60),
        "seconds" => Amount::Seconds(1),
        "milliseconds" => Amount::Nanos(1_000_000),
        "microseconds" => Amount::Nanos(1_000),
        "nanoseconds" => Amount::Nanos(1),
        _ => return None,
    })
}

pub(crate) fn duration<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let out = match &vector.values {
        Values::Map(maps) => of_components(maps, &vector.nulls, at)?,
        _ => return read::duration(context, args, at),
    };
    Some(Vector { values: Values::Duration(out), nulls: vector.nulls.clone() })
}

/// Durations of maps of whole amounts, one component after the other. `None` where something else is in
/// them, or a sum has no place.
fn of_components(maps: &Maps<'_>, nulls: &Nulls, at: Positions<'_>) -> Option<Vec<Duration>> {
    if maps.keys().is_empty() {
        return None;
    }
    let mut out = vec![Duration::default(); at.len];
    for name in maps.keys() {
        let Vector { values: Values::Int(v), nulls: missing } = maps.field(name)? else { return None };
        if !missing.is_none() {
            return None;
        }
        let more = |sum: i64, n: i64, of: i64| sum.checked_add(n.checked_mul(of)?);
        let (out, each) = (&mut out, (&v[..], nulls, at));
        match amount(name)? {
            Amount::Months(of) => {
                add(out, each, |d, n| Some(Duration { months: more(d.months, n, of)?, ..d }))
            }
            Amount::Days(of) => add(out, each, |d, n| Some(Duration { days: more(d.days, n, of)?, ..d })),
            Amount::Seconds(of) => {
                add(out, each, |d, n| Some(Duration { seconds: more(d.seconds, n, of)?, ..d }))
            }
            Amount::Nanos(of) => add(out, each, |d, n| {
                Duration::normalized(d.months, d.days, d.seconds, more(i64::from(d.nanos), n, of)?)
            }),
        }?;
    }
    Some(out)
}

/// Adds a component to each duration; `None` where a sum has no place.
#[inline(always)]
fn add(
    out: &mut [Duration],
    (values, nulls, at): (&[i64], &Nulls, Positions<'_>),
    sum: impl Fn(Duration, i64) -> Option<Duration>,
) -> Option<()> {
    let mut fits = true;
    at.for_each(|i| {
        if !nulls.get(i) {
            match sum(out[i], values[i]) {
                Some(duration) => out[i] = duration,
                None => fits = false,
            }
        }
    });
    fits.then_some(())
}

pub(crate) fn local_time<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let out = match &vector.values {
        Values::LocalTime(_) => return Some(vector.clone()),
        Values::LocalDateTime(v) | Values::DateTime(v) => map(v, at, |n| n.rem_euclid(DAY)),
        Values::Zoned(v) => map(&local(v, &vector.nulls, at)?, at, |n| n.rem_euclid(DAY)),
        Values::String(_) => return read::local_time(context, args, at),
        _ => return None,
    };
    Some(Vector { values: Values::LocalTime(out), nulls: vector.nulls.clone() })
}

/// Nanoseconds on the local clock; `None` where a day is too far away for them.
fn nanos(vector: &Vector<'_>, at: Positions<'_>) -> Option<Vec<i64>> {
    match &vector.values {
        Values::LocalDateTime(v) | Values::DateTime(v) => Some(v.clone()),
        Values::Zoned(v) => local(v, &vector.nulls, at),
        Values::Date(v) => zip_checked(Side::Each(v), Side::One(DAY), &vector.nulls, at, |days, day| {
            let (nanos, over) = i64::from(days).overflowing_mul(day);
            (nanos, -i64::from(over))
        }),
        _ => None,
    }
}

pub(crate) fn local_datetime<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    if let Values::String(_) = vector.values {
        return read::local_datetime(context, args, at);
    }
    Some(Vector { values: Values::LocalDateTime(nanos(vector, at)?), nulls: vector.nulls.clone() })
}

pub(crate) fn datetime<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match &vector.values {
        Values::String(_) => return read::datetime(context, args, at),
        Values::Zoned(_) => return Some(vector.clone()),
        Values::Map(maps) => {
            let values = of_maps(maps, &vector.nulls, at)?;
            return Some(Vector { values, nulls: vector.nulls.clone() });
        }
        _ => {}
    }
    // What has no zone gets the default one, and vectors hold instants of UTC.
    if context.zone != ZoneId::UTC {
        return None;
    }
    Some(Vector { values: Values::DateTime(nanos(vector, at)?), nulls: vector.nulls.clone() })
}

pub(crate) use super::read::time;

pub(crate) fn from_epoch_seconds<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let [seconds, within] = args else { return None };
    let nulls = nulls_of(args, at.len);
    let out = zip_checked(seconds.ints()?, within.ints()?, &nulls, at, |seconds, within| {
        let (nanos, over) = seconds.overflowing_mul(1_000_000_000);
        let (sum, over_too) = nanos.overflowing_add(within);
        (sum, -i64::from(over | over_too))
    })?;
    Some(Vector { values: Values::DateTime(out), nulls })
}

pub(crate) fn from_epoch_millis<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let [millis] = args else { return None };
    let nulls = nulls_of(args, at.len);
    let Side::Each(millis) = millis.ints()? else { return None };
    let out = map_checked(millis, &nulls, at, |millis: i64| {
        let (nanos, over) = millis.overflowing_mul(1_000_000);
        (nanos, -i64::from(over))
    })?;
    Some(Vector { values: Values::DateTime(out), nulls })
}
