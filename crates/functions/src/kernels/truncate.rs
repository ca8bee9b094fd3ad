//! `date.truncate(unit, value)` and its kin with a constant unit and no fields.

use trimorph_types::temporal::calendar::{days_from_date, week_year_start};
use trimorph_types::temporal::{Unit, ZoneId};
use trimorph_types::{Value, Zone};
use trimorph_vector::{Nulls, Positions, Side, Values, Vector, Zoned, map, map_checked, zip_checked};

use super::calendar::{DAY, civil, days_of_nanos, quarter_start, week, weekday, year_start};
use super::zones::{local, offsets, with_clocks};
use crate::context::Context;
use crate::kernel::Argument;

/// The unit and the vector.
fn given<'a, 's>(args: &[Argument<'a, 's>]) -> Option<(Unit, &'a Vector<'s>)> {
    match args {
        [Argument::One(Value::String(unit)), Argument::Each(vector)] => {
            Some((Unit::parse(unit).ok()?, vector))
        }
        _ => None,
    }
}

/// The first day of each value's unit, as `make` has it: one loop per unit. `None` where `make` tells, with a
/// negative sign, that it cannot.
#[inline(always)]
fn first_days<T: Copy, D: Copy + Default>(
    (v, nulls): (&[T], &Nulls),
    at: Positions<'_>,
    unit: Unit,
    days: impl Fn(T) -> i32 + Copy,
    make: impl Fn(i64) -> (D, i64) + Copy,
) -> Option<Vec<D>> {
    macro_rules! fill {
        ($start:expr) => {{
            let start = $start;
            zip_checked(Side::Each(v), Side::One(()), nulls, at, |d, ()| make(start(days(d))))
        }};
    }
    match unit {
        Unit::Millennium => fill!(|d| multiple_of(d, 1_000)),
        Unit::Century => fill!(|d| multiple_of(d, 100)),
        Unit::Decade => fill!(|d| multiple_of(d, 10)),
        Unit::Year => fill!(year_start),
        Unit::WeekYear => fill!(|d| week_year_start(week(d).0)),
        Unit::Quarter => fill!(quarter_start),
        Unit::Month => fill!(|d| i64::from(d) - civil(d).2 + 1),
        Unit::Week => fill!(|d| i64::from(d) - weekday(d) + 1),
        _ => fill!(|d| i64::from(d)),
    }
}

/// Days of 32 bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "checked to be the same")]
fn short(days: i64) -> (i32, i64) {
    (days as i32, -i64::from(days != i64::from(days as i32)))
}

/// Nanoseconds of 64 bits.
#[inline(always)]
fn midnight(days: i64) -> (i64, i64) {
    let (nanos, over) = days.overflowing_mul(DAY);
    (nanos, -i64::from(over))
}

/// The first day of a number of years.
#[inline(always)]
fn multiple_of(days: i32, years: i64) -> i64 {
    days_from_date(civil(days).0.div_euclid(years) * years, 1, 1)
}

pub(crate) fn date<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let (unit, vector) = given(args)?;
    if !unit.is_date_unit() {
        return None;
    }
    let nulls = &vector.nulls;
    let out = match &vector.values {
        Values::Date(v) => first_days((v, nulls), at, unit, |d| d, short)?,
        Values::LocalDateTime(v) | Values::DateTime(v) => {
            first_days((v, nulls), at, unit, days_of_nanos, short)?
        }
        Values::Zoned(v) => first_days((&local(v, nulls, at)?, nulls), at, unit, days_of_nanos, short)?,
        _ => return None,
    };
    Some(Vector { values: Values::Date(out), nulls: nulls.clone() })
}

/// Nanoseconds at the start of the unit.
fn nanos(unit: Unit, vector: &Vector<'_>, at: Positions<'_>) -> Option<Vec<i64>> {
    let nulls = &vector.nulls;
    if let Values::Zoned(v) = &vector.values {
        let local = Vector::new(Values::LocalDateTime(local(v, nulls, at)?));
        return nanos(unit, &Vector { nulls: nulls.clone(), ..local }, at);
    }
    match (&vector.values, unit.is_date_unit()) {
        (Values::Date(v), true) => first_days((v, nulls), at, unit, |d| d, midnight),
        (Values::LocalDateTime(v) | Values::DateTime(v), true) => {
            first_days((v, nulls), at, unit, days_of_nanos, midnight)
        }
        (Values::LocalDateTime(v) | Values::DateTime(v), false) => start_of_time(unit, (v, nulls), at),
        _ => None,
    }
}

/// The start of a unit below a day: one loop per unit, as dividing by a constant is cheap.
fn start_of_time(unit: Unit, (v, nulls): (&[i64], &Nulls), at: Positions<'_>) -> Option<Vec<i64>> {
    macro_rules! fill {
        ($nanos:literal) => {
            map_checked(v, nulls, at, |n: i64| {
                // Days begin at whole multiples of every unit.
                let (start, over) = n.overflowing_sub(n.rem_euclid($nanos));
                (start, -i64::from(over))
            })
        };
    }
    match unit {
        Unit::Hour => fill!(3_600_000_000_000),
        Unit::Minute => fill!(60_000_000_000),
        Unit::Second => fill!(1_000_000_000),
        Unit::Millisecond => fill!(1_000_000),
        Unit::Microsecond => fill!(1_000),
        _ => None,
    }
}

pub(crate) fn local_datetime<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (unit, vector) = given(args)?;
    Some(Vector { values: Values::LocalDateTime(nanos(unit, vector, at)?), nulls: vector.nulls.clone() })
}

pub(crate) fn datetime<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (unit, vector) = given(args)?;
    if let Values::Zoned(v) = &vector.values {
        return in_zones(unit, v, &vector.nulls, at);
    }
    // What has no zone gets the default one, and vectors hold instants of UTC.
    if context.zone != ZoneId::UTC {
        return None;
    }
    Some(Vector { values: Values::DateTime(nanos(unit, vector, at)?), nulls: vector.nulls.clone() })
}

/// Starts of units by the clocks of zones; those that are never changed need no look at when they are.
fn in_zones<'s>(unit: Unit, v: &Zoned, nulls: &Nulls, at: Positions<'_>) -> Option<Vector<'s>> {
    let local = Vector { values: Values::LocalDateTime(local(v, nulls, at)?), nulls: nulls.clone() };
    let starts = nanos(unit, &local, at)?;
    if !v.tags().iter().all(|zone| matches!(zone, Zone::Offset(_))) {
        let zoned = with_clocks(v, &starts, nulls, at)?;
        return Some(Vector { values: Values::Zoned(zoned), nulls: nulls.clone() });
    }
    let offsets = offsets(v);
    let out = zip_checked(Side::Each(&starts), Side::Each(v.codes()), nulls, at, |start: i64, code: u8| {
        let (utc, over) = start.overflowing_sub(offsets[usize::from(code)]);
        (utc, -i64::from(over))
    })?;
    Some(Vector { values: Values::Zoned(v.with_values(out)?), nulls: nulls.clone() })
}

pub(crate) fn local_time<'s>(
    _: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let (unit, vector) = given(args)?;
    if unit < Unit::Day {
        return None;
    }
    let by_clock;
    let v = match &vector.values {
        Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v) => v,
        Values::Zoned(v) => {
            by_clock = local(v, &vector.nulls, at)?;
            &by_clock
        }
        _ => return None,
    };
    // One loop per unit, as dividing by a constant is cheap.
    macro_rules! fill {
        ($nanos:literal) => {
            map(v, at, |n| {
                let time = n.rem_euclid(DAY);
                time - time % $nanos
            })
        };
    }
    let out = match unit {
        Unit::Hour => fill!(3_600_000_000_000),
        Unit::Minute => fill!(60_000_000_000),
        Unit::Second => fill!(1_000_000_000),
        Unit::Millisecond => fill!(1_000_000),
        Unit::Microsecond => fill!(1_000),
        _ => vec![0; at.len],
    };
    Some(Vector { values: Values::LocalTime(out), nulls: vector.nulls.clone() })
}
