//! Times of day and instants in ISO 8601's extended form.

use trimorph_types::temporal::ZoneId;
use trimorph_types::{DateTime, LocalDateTime, Time};

use super::date::{parse_date, two_digits};

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
