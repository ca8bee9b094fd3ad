//! Days since 1970-01-01 against year, month, day, week and quarter.
//!
//! All functions take and give `i64` and hold for |year| ≤ 10^12; range checks are the callers'.
//!
//! Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"; Neri and Schneider, "Euclidean Affine
//! Functions and Their Application to Calendar Algorithms" 2023, for years from about -32,800 to 1 million,
//! which take less than half of the time; ISO 8601 week dates.

/// The largest year a value may show, and the smallest with a minus sign.
pub const YEAR_MAX: i64 = 999_999_999;

/// Whether February has 29 days.
pub const fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a year.
pub const fn days_in_year(year: i64) -> i64 {
    if is_leap_year(year) { 366 } else { 365 }
}

/// Days of a month; 0 for a month that is none.
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year(year) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Near days and years are counted from March 1st of -32,800: they are positive and fit into 32 bits.
const NEAR_YEARS: i64 = 400 * 82;
const NEAR_DAYS: i64 = 146_097 * 82 + 719_468;

/// Days since 1970-01-01 of a date whose month is 1–12.
#[inline]
pub const fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let near = year.wrapping_add(NEAR_YEARS);
    if 0 < near && near < 1 << 20 {
        near_days(near as u32, month as u32) + day - 1
    } else {
        far_days(year, month, day)
    }
}

/// Days from March 1st of -32,800 to the first of a month, less those to 1970-01-01.
const fn near_days(year: u32, month: u32) -> i64 {
    // The year begins in March: what is added to February is added to its end.
    let is_before_march = (month <= 2) as u32;
    let (year, month) = (year - is_before_march, month + 12 * is_before_march);
    let century = year / 100;
    let of_years = 1_461 * year / 4 - century + century / 4;
    let of_months = (979 * month - 2_919) / 32;
    (of_years + of_months) as i64 - NEAR_DAYS
}

/// The same for any year.
pub(super) const fn far_days(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y - era * 400;
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
#[inline]
pub const fn date_from_days(days: i64) -> (i64, i64, i64) {
    let near = days.wrapping_add(NEAR_DAYS);
    if 0 <= near && near < 1 << 28 { near_date(near as u32) } else { far_date(days) }
}

/// The date of a number of days since March 1st of -32,800. Each division is by a constant, or is the upper
/// part of a product whose lower part gives the remainder.
const fn near_date(days: u32) -> (i64, i64, i64) {
    let quarters = 4 * days + 3;
    let (century, day_of_century) = (quarters / 146_097, quarters % 146_097 / 4);
    let years = 2_939_745 * (4 * day_of_century + 3) as u64;
    let (year_of_century, day_of_year) = ((years >> 32) as u32, years as u32 / 2_939_745 / 4);
    let months = 2_141 * day_of_year + 197_913;
    let (month, day) = (months >> 16, (months & 0xffff) / 2_141);
    let is_next_year = (day_of_year >= 306) as u32;
    let year = (100 * century + year_of_century + is_next_year) as i64 - NEAR_YEARS;
    (year, (month - 12 * is_next_year) as i64, day as i64 + 1)
}

/// The same for any day.
pub(super) const fn far_date(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z - era * 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Day of the week, Monday being 1.
pub const fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// Day of the year, January 1st being 1.
pub const fn ordinal_day(days: i64) -> i64 {
    let (year, _, _) = date_from_days(days);
    days - days_from_date(year, 1, 1) + 1
}

/// Monday of week 1: the week that holds January 4th.
pub const fn week_year_start(week_year: i64) -> i64 {
    let fourth = days_from_date(week_year, 1, 4);
    fourth - (weekday(fourth) - 1)
}

/// Weeks of a week year: 52 or 53.
pub const fn weeks_in_year(week_year: i64) -> i64 {
    (week_year_start(week_year + 1) - week_year_start(week_year)) / 7
}

/// Week year and week of a day.
pub const fn week_of(days: i64) -> (i64, i64) {
    // The week belongs to the year its Thursday is in.
    let (week_year, _, _) = date_from_days(days - (weekday(days) - 1) + 3);
    (week_year, (days - week_year_start(week_year)) / 7 + 1)
}

/// First day of a quarter (1–4).
pub const fn quarter_start(year: i64, quarter: i64) -> i64 {
    days_from_date(year, quarter * 3 - 2, 1)
}

/// Quarter of a month.
pub const fn quarter_of_month(month: i64) -> i64 {
    (month - 1) / 3 + 1
}

/// Days of a quarter.
pub const fn days_in_quarter(year: i64, quarter: i64) -> i64 {
    let next = if quarter == 4 { quarter_start(year + 1, 1) } else { quarter_start(year, quarter + 1) };
    next - quarter_start(year, quarter)
}

/// The same day `months` later, or the last day of that month if it is shorter; `None` on overflow.
#[inline]
pub fn add_months(days: i64, months: i64) -> Option<i64> {
    months_later(date_from_days(days), months)
}

/// The same of a date that is known by year, month and day.
#[inline]
pub fn months_later((year, month, day): (i64, i64, i64), months: i64) -> Option<i64> {
    let index = year.checked_mul(12)?.checked_add(month - 1)?.checked_add(months)?;
    let (year, month) = (index.div_euclid(12), index.rem_euclid(12) + 1);
    // All months have 28 days.
    let day = if day <= 28 { day } else { day.min(days_in_month(year, month)) };
    (year.abs() <= YEAR_MAX).then(|| days_from_date(year, month, day))
}
