//! Days to years, months and days in arithmetic that compilers vectorise: no branch, no signed division.
//!
//! Days of vectors have 32 bits; they are moved up by whole eras of 400 years so that all of them are
//! positive.
//!
//! Source: C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms",
//! 2023.

use trimorph_types::temporal::calendar::{days_from_date, week_year_start};

/// Nanoseconds of a day.
pub(super) const DAY: i64 = 86_400_000_000_000;

/// Eras that days are moved up by: more than 2^31 days.
const ERAS: i64 = 14_705;

/// Year, month and day.
#[inline(always)]
pub(super) fn civil(days: i32) -> (i64, i64, i64) {
    let n = (i64::from(days) + 719_468 + ERAS * 146_097).cast_unsigned();
    let quarter_days = 4 * n + 3;
    let century = quarter_days / 146_097;
    let day_of_century = quarter_days % 146_097 / 4;
    let scaled = 2_939_745 * (4 * day_of_century + 3);
    let year_of_century = scaled >> 32;
    let day_of_year = (scaled & 0xFFFF_FFFF) / 2_939_745 / 4;
    let month_and_day = 2_141 * day_of_year + 197_913;
    let (month, day) = (month_and_day >> 16, (month_and_day & 0xFFFF) / 2_141 + 1);
    // Years of this algorithm begin in March.
    let is_next = u64::from(day_of_year >= 306);
    let year = (100 * century + year_of_century + is_next).cast_signed() - ERAS * 400;
    (year, (month - 12 * is_next).cast_signed(), day.cast_signed())
}

/// How often a unit of `2^BITS × ODD` nanoseconds has passed since some midnight before all that 64 bits
/// hold. The shift leaves room to count from there without a sign: a division is a multiplication then.
#[inline(always)]
fn units<const BITS: u32, const ODD: u64>(nanos: i64) -> u64 {
    ((nanos >> BITS) + ((DAY >> BITS) * DAYS)).cast_unsigned() / ODD
}

/// Days that moments of 64 bits are moved up by.
const DAYS: i64 = 106_752;

/// Days of nanoseconds since the epoch: fewer than 107,000 either way.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "2^63 nanoseconds are 106,751 days")]
pub(super) fn days_of_nanos(nanos: i64) -> i32 {
    units::<16, 1_318_359_375>(nanos) as i32 - DAYS as i32
}

/// Hour of the day.
#[inline(always)]
pub(super) fn hour(nanos: i64) -> i64 {
    (units::<13, 439_453_125>(nanos) % 24).cast_signed()
}

/// Minute of the hour.
#[inline(always)]
pub(super) fn minute(nanos: i64) -> i64 {
    (units::<11, 29_296_875>(nanos) % 60).cast_signed()
}

/// Second of the minute.
#[inline(always)]
pub(super) fn second(nanos: i64) -> i64 {
    (units::<9, 1_953_125>(nanos) % 60).cast_signed()
}

/// Day of the week, Monday being 1.
#[inline(always)]
pub(super) fn weekday(days: i32) -> i64 {
    (i64::from(days) + 3).rem_euclid(7) + 1
}

/// Week year and week.
#[inline(always)]
pub(super) fn week(days: i32) -> (i64, i64) {
    // The week belongs to the year its Thursday is in; the last days that 32 bits hold stand in for it, as
    // they are of the same year.
    let thursday = i64::from(days) - weekday(days) + 4;
    let (year, _, _) = civil(i32::try_from(thursday).unwrap_or(days));
    (year, (i64::from(days) - week_year_start(year)) / 7 + 1)
}

/// First day of the quarter.
#[inline(always)]
pub(super) fn quarter_start(days: i32) -> i64 {
    let (year, month, _) = civil(days);
    days_from_date(year, (month - 1) / 3 * 3 + 1, 1)
}

/// First day of the year.
#[inline(always)]
pub(super) fn year_start(days: i32) -> i64 {
    days_from_date(civil(days).0, 1, 1)
}
