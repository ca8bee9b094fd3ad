//! Times of day and instants in ISO 8601's extended form.

use trimorph_types::temporal::ZoneId;
use trimorph_types::{DateTime, LocalDateTime, Time};

use super::date::{days_from_civil, days_in_month, parse_date, two_digits};

pub(crate) const NANOS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.f` with 1 to 9 digits: nanoseconds since midnight.
#[inline]
pub(crate) fn parse_local_time(text: &[u8]) -> Option<i64> {
    let (hour, minute) = (two_digits(text, 0)?, two_digits(text, 3)?);
    if text[2] != b':' || hour > 23 || minute > 59 {
        return None;
    }
    let minutes = i64::from(hour * 60 + minute);
    if text.len() == 5 {
        return Some(minutes * 60 * NANOS_PER_SECOND);
    }
    let second = two_digits(text, 6)?;
    if text[5] != b':' || second > 59 {
        return None;
    }
    let nanos = match text.get(8) {
        None => 0,
        Some(b'.') => fraction(&text[9..])?,
        Some(_) => return None,
    };
    Some((minutes * 60 + i64::from(second)) * NANOS_PER_SECOND + nanos)
}

#[inline]
pub(super) fn fraction(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let mut nanos = 0;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        nanos = nanos * 10 + i64::from(digit);
    }
    for _ in digits.len()..9 {
        nanos *= 10;
    }
    Some(nanos)
}

/// Splits `Z`, `±HH`, `±HHMM`, `±HH:MM` or `±HH:MM:SS` off the end of a time: the rest and seconds east of
/// UTC.
#[inline]
fn split_offset(text: &[u8]) -> Option<(&[u8], Option<i32>)> {
    if let Some((b'Z' | b'z', rest)) = text.split_last() {
        return Some((rest, Some(0)));
    }
    let Some(at) = text.iter().rposition(|b| matches!(b, b'+' | b'-')) else {
        return Some((text, None));
    };
    let (time, zone) = text.split_at(at);
    let minutes = match zone.len() {
        3 => 0,
        5 => two_digits(zone, 3)?,
        6 | 9 if zone[3] == b':' => two_digits(zone, 4)?,
        _ => return None,
    };
    let seconds = match zone.len() {
        9 if zone[6] == b':' => two_digits(zone, 7)?,
        9 => return None,
        _ => 0,
    };
    let hours = two_digits(zone, 1)?;
    if hours > 18 || minutes > 59 || seconds > 59 || (hours == 18 && minutes + seconds > 0) {
        return None;
    }
    let seconds = i32::try_from(hours * 3600 + minutes * 60 + seconds).ok()?;
    Some((time, Some(if zone[0] == b'-' { -seconds } else { seconds })))
}

/// A time of day with an offset, `Z` if there is none.
pub(crate) fn parse_time(text: &[u8]) -> Option<Time> {
    let (time, offset) = split_offset(text)?;
    Some(Time { nanos: parse_local_time(time)?, offset_seconds: offset.unwrap_or(0) })
}

#[inline]
fn split_date(text: &[u8]) -> Option<(&[u8], &[u8])> {
    // The usual year has four digits; a signed one may have more.
    let at = match text.get(10) {
        Some(b'T' | b't' | b' ') => 10,
        _ => text.iter().position(|b| matches!(b, b'T' | b't' | b' '))?,
    };
    Some((&text[..at], &text[at + 1..]))
}

#[inline]
fn combine(days: i64, nanos_of_day: i64, offset_seconds: i32) -> LocalDateTime {
    let seconds = days * SECONDS_PER_DAY + nanos_of_day / NANOS_PER_SECOND - i64::from(offset_seconds);
    // Below a thousand million, so it fits.
    LocalDateTime { seconds, nanos: u32::try_from(nanos_of_day % NANOS_PER_SECOND).unwrap_or(0) }
}

/// A date, `T` or a space, and a time of day.
#[inline]
pub(crate) fn parse_local_datetime(text: &[u8]) -> Option<LocalDateTime> {
    let (date, time) = split_date(text)?;
    Some(combine(parse_date(date)?, parse_local_time(time)?, 0))
}

/// A date, `T` or a space, a time of day and an offset (`Z` if there is none): the instant, and seconds east
/// of UTC.
#[inline]
pub(crate) fn parse_datetime(text: &[u8]) -> Option<(LocalDateTime, i32)> {
    let (date, time) = split_date(text)?;
    let (time, offset) = split_offset(time)?;
    let offset = offset.unwrap_or(0);
    Some((combine(parse_date(date)?, parse_local_time(time)?, offset), offset))
}

/// `YYYY-MM-DDTHH:MM:SS.mmm` and `Z` or `+00:00`, as most programs write an instant: nanoseconds since 1970.
/// `None` for any other form, which says nothing about whether it is an instant.
///
/// **Cost**: a third of [`parse_datetime`]: eight bytes are looked at together.
#[inline]
pub(crate) fn parse_usual_instant(text: &[u8]) -> Option<i64> {
    let (head, rest) = text.split_first_chunk::<8>()?;
    let (middle, rest) = rest.split_first_chunk::<8>()?;
    let (tail, zone) = rest.split_first_chunk::<7>()?;
    if !matches!(zone, b"Z" | b"+00:00") {
        return None;
    }
    let [a, b, c, d, e, f, g] = *tail;
    let date = digits(*head, *b"0000-00-")?;
    let time = digits(*middle, *b"00T00:00")?;
    let end = digits([a, b, c, d, e, f, g, b'0'], *b":00.0000")?;
    let two = |from: [u8; 8], at: usize| u32::from(from[at]) * 10 + u32::from(from[at + 1]);
    let year = i64::from(two(date, 0) * 100 + two(date, 2));
    let (month, day) = (two(date, 5), two(time, 0));
    let (hour, minute, second) = (two(time, 3), two(time, 6), two(end, 1));
    let millis = two(end, 4) * 10 + u32::from(end[6]);
    let exists = (1..=12).contains(&month) && day > 0 && day <= days_in_month(year, month);
    if !exists || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds =
        days_from_civil(year, month, day) * SECONDS_PER_DAY + i64::from((hour * 60 + minute) * 60 + second);
    seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(i64::from(millis) * 1_000_000)
}

/// The digits of a text that has digits where the pattern has `0`, and is like it elsewhere.
#[inline]
fn digits(text: [u8; 8], pattern: [u8; 8]) -> Option<[u8; 8]> {
    // What is added to a byte makes its top bit 1 if it is more than it may be: a digit 9, all else 0.
    let most = pattern.map(|byte| if byte == b'0' { 0x76 } else { 0x7F });
    let differences = u64::from_le_bytes(text) ^ u64::from_le_bytes(pattern);
    let beyond = differences | differences.wrapping_add(u64::from_le_bytes(most));
    (beyond & 0x8080_8080_8080_8080 == 0).then(|| differences.to_le_bytes())
}

/// The same with the name of a zone in brackets behind it. An offset has to be one that the zone has then;
/// without one, a local time that the zone has twice is the earlier instant.
#[cold]
pub(crate) fn parse_datetime_in_zone(text: &[u8]) -> Option<DateTime> {
    let (text, name) = text.strip_suffix(b"]")?.split_at(text.iter().rposition(|b| *b == b'[')?);
    let zone = ZoneId::parse(std::str::from_utf8(&name[1..]).ok()?).ok()?;
    let (date, time) = split_date(text)?;
    let (time, offset) = split_offset(time)?;
    let local = combine(parse_date(date)?, parse_local_time(time)?, 0);
    let utc = match offset {
        Some(offset) => zone.utc_of_local_with_offset(local.seconds, offset)?,
        None => zone.utc_of_local(local.seconds),
    };
    Some(DateTime::from_utc(utc, local.nanos, &zone))
}
