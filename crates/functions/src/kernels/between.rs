//! `duration.between`, `.inMonths`, `.inDays` and `.inSeconds` of dates and instants, and their components,
//! which are read without making durations.
//!
//! Vectors hold instants of UTC, so a moment is a day and nanoseconds within it; the rules are those of
//! [`trimorph_types::temporal::Span`]. What has no date of its own is left to the general path.

use trimorph_types::temporal::calendar::{date_from_days, months_later};
use trimorph_types::temporal::{ZoneId, duration_component};
use trimorph_types::{Duration, Value};
use trimorph_vector::{Nulls, Positions, Side, Values, Vector, instant_nanos, local_nanos, zip_checked};

use super::calendar::{DAY, days_of_nanos};
use crate::context::Context;
use crate::kernel::{Argument, nulls_of};

const SECOND: i64 = 1_000_000_000;

/// A day and nanoseconds within it.
type Moment = (i64, i64);

/// Where moments come from.
enum Moments<'a> {
    One(Moment),
    Days(&'a [i32]),
    Nanos(&'a [i64]),
}

impl<'a> Moments<'a> {
    fn of(argument: Argument<'a, '_>) -> Option<Self> {
        let moment = |nanos: i64| (nanos.div_euclid(DAY), nanos.rem_euclid(DAY));
        Some(match argument {
            Argument::Each(vector) => match &vector.values {
                Values::Date(v) => Self::Days(v),
                Values::LocalDateTime(v) | Values::DateTime(v) => Self::Nanos(v),
                _ => return None,
            },
            Argument::One(Value::Date(date)) => Self::One((i32::try_from(date.days).ok()?.into(), 0)),
            Argument::One(Value::LocalDateTime(local)) => Self::One(moment(local_nanos(local)?)),
            Argument::One(Value::DateTime(instant)) => Self::One(moment(instant_nanos(instant)?)),
            Argument::One(_) => return None,
        })
    }

    /// As nanoseconds since the epoch, where they are.
    fn nanos(&self) -> Option<Side<'a, i64>> {
        match self {
            Self::One((day, within)) => day.checked_mul(DAY)?.checked_add(*within).map(Side::One),
            Self::Nanos(v) => Some(Side::Each(v)),
            Self::Days(_) => None,
        }
    }

    /// As days since the epoch, where they are and no more.
    fn days(&self) -> Option<Side<'a, i32>> {
        match self {
            Self::One((day, 0)) => i32::try_from(*day).ok().map(Side::One),
            Self::Days(v) => Some(Side::Each(v)),
            Self::One(_) | Self::Nanos(_) => None,
        }
    }

    #[inline(always)]
    fn at(&self, i: usize) -> Moment {
        match self {
            Self::One(moment) => *moment,
            Self::Days(v) => (v[i].into(), 0),
            Self::Nanos(v) => {
                let day = i64::from(days_of_nanos(v[i]));
                // The first day that 64 bits hold began before what they hold.
                (day, v[i].wrapping_sub(day.wrapping_mul(DAY)))
            }
        }
    }
}

/// The day of `to`, moved one back towards `from` if its time of day has not been reached.
#[inline(always)]
fn whole_days_end(from: Moment, to: Moment) -> i64 {
    to.0 - i64::from(to.0 > from.0 && to.1 < from.1) + i64::from(to.0 < from.0 && to.1 > from.1)
}

/// Whole months between two dates.
#[inline(always)]
fn months_apart(from: (i64, i64, i64), to: (i64, i64, i64)) -> i64 {
    let place = |(year, month, day): (i64, i64, i64)| (year * 12 + month) * 32 + day;
    (place(to) - place(from)) / 32
}

fn months(from: Moment, to: Moment) -> i64 {
    months_apart(date_from_days(from.0), date_from_days(whole_days_end(from, to)))
}

fn in_months(from: Moment, to: Moment) -> Option<Duration> {
    Some(Duration { months: months(from, to), ..Duration::default() })
}

#[inline(always)]
fn in_days(from: Moment, to: Moment) -> Option<Duration> {
    Some(Duration { days: whole_days_end(from, to) - from.0, ..Duration::default() })
}

#[inline(always)]
fn in_seconds(from: Moment, to: Moment) -> Option<Duration> {
    elapsed(0, 0, from, to)
}

fn between(from: Moment, to: Moment) -> Option<Duration> {
    let date = date_from_days(from.0);
    let months = months_apart(date, date_from_days(whole_days_end(from, to)));
    let moved = (months_later(date, months)?, from.1);
    let end = whole_days_end(moved, to);
    // Less than a day is left.
    let nanos = (to.0 - end) * DAY + to.1 - from.1;
    let within = i32::try_from(nanos.rem_euclid(SECOND)).unwrap_or(0);
    Some(Duration { months, days: end - moved.0, seconds: nanos.div_euclid(SECOND), nanos: within })
}

/// Months, days and what is left in seconds.
#[inline(always)]
fn elapsed(months: i64, days: i64, from: Moment, to: Moment) -> Option<Duration> {
    let nanos = (to.1 % SECOND) - (from.1 % SECOND);
    Duration::normalized(months, days, (to.0 - from.0) * 86_400 + to.1 / SECOND - from.1 / SECOND, nanos)
}

/// What every difference has: its two arguments and a default zone that is that of vectors.
fn sides<'a>(
    context: &Context<'_>,
    args: &[Argument<'a, '_>],
    at: Positions<'_>,
) -> Option<(Moments<'a>, Moments<'a>, Nulls)> {
    let [from, to] = args else { return None };
    if context.zone != ZoneId::UTC {
        return None;
    }
    Some((Moments::of(*from)?, Moments::of(*to)?, nulls_of(args, at.len)))
}

/// A duration for each.
#[inline(always)]
fn durations<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(Moment, Moment) -> Option<Duration>,
) -> Option<Vector<'s>> {
    let (from, to, nulls) = sides(context, args, at)?;
    let (mut out, mut ok) = (vec![Duration::default(); at.len], true);
    at.for_each(|i| match of(from.at(i), to.at(i)) {
        Some(duration) => out[i] = duration,
        None => ok &= nulls.get(i),
    });
    ok.then_some(Vector { values: Values::Duration(out), nulls })
}

/// One component of each duration.
#[inline(always)]
fn components<'s>(
    (from, to, nulls): (Moments<'_>, Moments<'_>, Nulls),
    at: Positions<'_>,
    of: impl Fn(Moment, Moment) -> Option<Duration>,
    component: fn(&Duration) -> i64,
) -> Option<Vector<'s>> {
    let (mut out, mut ok) = (vec![0i64; at.len], true);
    at.for_each(|i| match of(from.at(i), to.at(i)) {
        Some(duration) => out[i] = component(&duration),
        None => ok &= nulls.get(i),
    });
    ok.then_some(Vector { values: Values::Int(out), nulls })
}

/// What is made of the nanoseconds between moments that are such; `None` also where one does not fit.
#[inline(always)]
fn apart<'s>(
    (from, to, nulls): &(Moments<'_>, Moments<'_>, Nulls),
    at: Positions<'_>,
    of: impl Fn(i64) -> i64,
) -> Option<Vector<'s>> {
    let out = zip_checked(from.nanos()?, to.nanos()?, nulls, at, |from: i64, to: i64| {
        let (nanos, over) = to.overflowing_sub(from);
        (of(nanos), -i64::from(over))
    })?;
    Some(Vector { values: Values::Int(out), nulls: nulls.clone() })
}

/// `function(from, to).name` where the function is a difference of moments.
pub fn difference_component<'s>(
    context: &Context<'_>,
    (function, name): (&str, &str),
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let component = duration_component(name)?;
    let sides = sides(context, args, at)?;
    if let ("duration.inDays", "days", Some(from), Some(to)) =
        (function, name, sides.0.days(), sides.1.days())
    {
        let out = zip_checked(from, to, &sides.2, at, |from, to| (i64::from(to) - i64::from(from), 0))?;
        return Some(Vector { values: Values::Int(out), nulls: sides.2 });
    }
    // In UTC whole days are those of the nanoseconds between; seconds are rounded down.
    let found = match (function, name) {
        ("duration.inDays", "days") => apart(&sides, at, |nanos| nanos / DAY),
        ("duration.inSeconds", "hours") => apart(&sides, at, |nanos| nanos.div_euclid(SECOND) / 3_600),
        ("duration.inSeconds", "minutes") => apart(&sides, at, |nanos| nanos.div_euclid(SECOND) / 60),
        ("duration.inSeconds", "seconds") => apart(&sides, at, |nanos| nanos.div_euclid(SECOND)),
        ("duration.inSeconds", "milliseconds") => apart(&sides, at, |nanos| nanos.div_euclid(SECOND / 1_000)),
        _ => None,
    };
    if found.is_some() {
        return found;
    }
    // Whoever asks for months alone need not know what is left behind them.
    let are_of_months = matches!(
        name,
        "years" | "quarters" | "quartersOfYear" | "months" | "monthsOfYear" | "monthsOfQuarter"
    );
    match function {
        "duration.between" if are_of_months => components(sides, at, in_months, component),
        "duration.between" => components(sides, at, between, component),
        "duration.inMonths" => components(sides, at, in_months, component),
        "duration.inDays" => components(sides, at, in_days, component),
        "duration.inSeconds" => components(sides, at, in_seconds, component),
        _ => None,
    }
}

/// Differences of nanoseconds as durations, where both sides are such; `None` also where one does not fit.
fn of_nanos<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(i64) -> Duration,
) -> Option<Vector<'s>> {
    let (from, to, nulls) = sides(context, args, at)?;
    let out = zip_checked(from.nanos()?, to.nanos()?, &nulls, at, |from: i64, to: i64| {
        let (nanos, over) = to.overflowing_sub(from);
        (of(nanos), -i64::from(over))
    })?;
    Some(Vector { values: Values::Duration(out), nulls })
}

pub(crate) fn difference_in_days<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    // In UTC whole days are those of the nanoseconds between.
    let whole = |nanos: i64| Duration { days: nanos / DAY, ..Duration::default() };
    of_nanos(context, args, at, whole).or_else(|| durations(context, args, at, in_days))
}

pub(crate) fn difference_in_seconds<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let elapsed = |nanos: i64| Duration {
        seconds: nanos.div_euclid(SECOND),
        nanos: i32::try_from(nanos.rem_euclid(SECOND)).unwrap_or(0),
        ..Duration::default()
    };
    of_nanos(context, args, at, elapsed).or_else(|| durations(context, args, at, in_seconds))
}

macro_rules! kernels {
    ($($name:ident $of:ident),*) => {
        $(pub(crate) fn $name<'s>(
            context: &Context<'_>,
            args: &[Argument<'_, 's>],
            at: Positions<'_>,
        ) -> Option<Vector<'s>> {
            durations(context, args, at, $of)
        })*
    };
}

kernels!(
    difference between,
    difference_in_months in_months
);
