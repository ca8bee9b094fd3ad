//! Days of the proleptic Gregorian calendar.
//!
//! Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms".

/// Days since 1970-01-01 of a day that exists.
#[inline]
pub(crate) fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a day count; the reverse of [`days_from_civil`].
pub(crate) fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = u32::try_from(day_of_year - (153 * month_from_march + 2) / 5 + 1).unwrap_or(1);
    let month = u32::try_from((month_from_march + 2) % 12 + 1).unwrap_or(1);
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[inline]
pub(super) fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

#[inline]
pub(super) fn two_digits(text: &[u8], at: usize) -> Option<u32> {
    let high = text.get(at)?.wrapping_sub(b'0');
    let low = text.get(at + 1)?.wrapping_sub(b'0');
    (high <= 9 && low <= 9).then(|| u32::from(high) * 10 + u32::from(low))
}

/// `YYYY-MM-DD`, or a signed year of 4 to 9 digits; a day that exists.
#[inline]
pub(crate) fn parse_date(text: &[u8]) -> Option<i64> {
    let (year, rest) = parse_year(text)?;
    if rest.len() != 6 || rest[0] != b'-' || rest[3] != b'-' {
        return None;
    }
    let (month, day) = (two_digits(rest, 1)?, two_digits(rest, 4)?);
    if !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
        return None;
    }
    Some(days_from_civil(year, month, day))
}

#[inline]
fn parse_year(text: &[u8]) -> Option<(i64, &[u8])> {
    match text.first()? {
        sign @ (b'+' | b'-') => {
            let digits = text[1..].iter().take_while(|b| b.is_ascii_digit()).count();
            if !(4..=9).contains(&digits) {
                return None;
            }
            let year = super::parse_int(&text[1..=digits])?;
            Some((if *sign == b'-' { -year } else { year }, &text[1 + digits..]))
        }
        _ => {
            let year = two_digits(text, 0)? * 100 + two_digits(text, 2)?;
            Some((year.into(), &text[4..]))
        }
    }
}
