//! Reads ISO 8601 text into the instant types.
//!
//! Dates: `2015-07-21`, `20150721`, `2015-07`, `201507`, `2015-W30-2`, `2015W302`, `2015-W30`, `2015W30`,
//! `2015-202`, `2015202`, `2015-Q2-60`, `2015Q260`, `2015-Q2`, `2015Q2`, `2015`; a signed year (`+`, `-`) may
//! have up to nine digits and must be followed by `-`, `W` or `Q`. Times: `21:40:32.142`, `214032.142`,
//! `21:40`, `2140`, `21`, the fraction after `.` or `,`. Offsets: `Z`, `+01:00`, `+0100`, `+01`, `+01:00:00`;
//! a date-time may end in `[Europe/Stockholm]`.
//!
//! Source: CIP2015-08-06, "ISO 8601 format for temporal instants".

use super::calendar::{
    days_from_date, days_in_month, days_in_quarter, days_in_year, quarter_start, week_year_start,
    weeks_in_year,
};
use super::error::TemporalError;
use super::reader::Reader;
use super::zone::{ZoneId, offset};
use crate::value::{Date, DateTime, LocalDateTime, LocalTime, Time};

/// Reads a date.
#[inline]
pub fn parse_date(text: &str) -> Result<Date, TemporalError> {
    match plain_date(text.as_bytes()) {
        Some(days) => Ok(Date { days }),
        None => other_date(text),
    }
}

/// Days of a date that is written as most are, `2015-07-21`; `None` of what is none, or written otherwise.
#[inline(always)]
fn plain_date(text: &[u8]) -> Option<i64> {
    let text: &[u8; 10] = text.try_into().ok()?;
    let digit = |i: usize| text[i].wrapping_sub(b'0');
    // Not by a closure over places: that is a call for each.
    let digits = [digit(0), digit(1), digit(2), digit(3), digit(5), digit(6), digit(8), digit(9)];
    let most = digits.iter().fold(0, |most: u8, digit| most.max(*digit));
    if most > 9 || text[4] != b'-' || text[7] != b'-' {
        return None;
    }
    let two = |i: usize| i64::from(digits[i] * 10 + digits[i + 1]);
    let (year, month, day) = (two(0) * 100 + two(2), two(4), two(6));
    // All months have 28 days.
    let is_date = (1..=12).contains(&month) && day >= 1 && (day <= 28 || day <= days_in_month(year, month));
    is_date.then(|| days_from_date(year, month, day))
}

/// Reads a date in any form.
fn other_date(text: &str) -> Result<Date, TemporalError> {
    let mut reader = Reader(text);
    let days = reader.date().filter(|_| reader.at_end()).ok_or_else(|| unreadable("date", text))?;
    Date::from_days(days)
}

/// Reads a time of day without offset; a leading `T` is allowed.
pub fn parse_local_time(text: &str) -> Result<LocalTime, TemporalError> {
    let mut reader = Reader(text.strip_prefix('T').unwrap_or(text));
    reader.time().filter(|_| reader.at_end()).ok_or_else(|| unreadable("local time", text))
}

/// Reads a time of day with an offset, `default_offset` (seconds east of UTC) if it has none.
pub fn parse_time(text: &str, default_offset: i32) -> Result<Time, TemporalError> {
    let mut reader = Reader(text.strip_prefix('T').unwrap_or(text));
    let read = |reader: &mut Reader<'_>| {
        let time = reader.time()?;
        let offset_seconds = if reader.at_end() { default_offset } else { offset(reader.0)? };
        Some(Time { nanos: time.nanos, offset_seconds })
    };
    read(&mut reader).ok_or_else(|| unreadable("time", text))
}

/// Reads a date and time of day without zone; a date alone is its midnight.
pub fn parse_local_datetime(text: &str) -> Result<LocalDateTime, TemporalError> {
    let mut reader = Reader(text);
    let local = reader.local_datetime().filter(|_| reader.at_end());
    let (days, time) = local.ok_or_else(|| unreadable("local datetime", text))?;
    LocalDateTime::from_days_and_time(days, time)
}

/// Reads a date and time of day with an offset, a named zone or both; in `default_zone` if it has neither.
pub fn parse_datetime(text: &str, default_zone: &ZoneId) -> Result<DateTime, TemporalError> {
    let unreadable = || unreadable("datetime", text);
    let mut reader = Reader(text);
    let (days, time) = reader.local_datetime().ok_or_else(unreadable)?;
    let local = LocalDateTime::from_days_and_time(days, time)?;
    let (offset_text, name) = match reader.0.strip_suffix(']') {
        Some(rest) => {
            rest.split_once('[').map(|(offset, name)| (offset, Some(name))).ok_or_else(unreadable)?
        }
        None => (reader.0, None),
    };
    let offset = match offset_text {
        "" => None,
        _ => Some(offset(offset_text).ok_or_else(unreadable)?),
    };
    let zone = match (name, offset) {
        (Some(name), _) => ZoneId::parse(name)?,
        (None, Some(offset)) => ZoneId::Offset(offset),
        (None, None) => default_zone.clone(),
    };
    match offset {
        None => Ok(DateTime::from_local(local, &zone)),
        Some(offset) => zone
            .utc_of_local_with_offset(local.seconds, offset)
            .map(|utc| DateTime::from_utc(utc, local.nanos, &zone))
            .ok_or_else(|| TemporalError::ZoneOffset(name.unwrap_or_default().to_owned())),
    }
}

fn unreadable(kind: &'static str, text: &str) -> TemporalError {
    TemporalError::Text { kind, text: text.to_owned() }
}

impl Reader<'_> {
    fn local_datetime(&mut self) -> Option<(i64, LocalTime)> {
        let days = self.date()?;
        let time = if self.eat('T') { self.time()? } else { LocalTime::MIDNIGHT };
        Some((days, time))
    }

    /// A date in any form, as days since 1970-01-01.
    fn date(&mut self) -> Option<i64> {
        let signed = self.0.starts_with(['+', '-']);
        let negative = self.eat('-');
        if !negative {
            self.eat('+');
        }
        let digits = if signed { self.digit_count() } else { 4 };
        let year = self.digits(digits).filter(|_| !signed || (4..=9).contains(&digits))?;
        let year = if negative { -year } else { year };
        if self.eat('W') {
            return self.week_date(year, false);
        }
        if self.eat('Q') {
            return self.quarter_date(year, false);
        }
        if self.eat('-') {
            if self.eat('W') {
                return self.week_date(year, true);
            }
            if self.eat('Q') {
                return self.quarter_date(year, true);
            }
            return match self.digit_count() {
                3 => self.ordinal_date(year),
                1 | 2 => self.dashed_date(year),
                _ => None,
            };
        }
        match self.digit_count() {
            0 => Some(days_from_date(year, 1, 1)),
            _ if signed => None,
            2 => {
                let month = self.digits(2)?;
                calendar_date(year, month, 1)
            }
            3 => self.ordinal_date(year),
            4 => {
                let month = self.digits(2)?;
                let day = self.digits(2)?;
                calendar_date(year, month, day)
            }
            _ => None,
        }
    }

    /// `MM[-DD]` after `YYYY-`.
    fn dashed_date(&mut self, year: i64) -> Option<i64> {
        let month = self.digits(self.digit_count())?;
        if !self.eat('-') {
            return calendar_date(year, month, 1);
        }
        let day = self.digits(self.digit_count().min(2))?;
        calendar_date(year, month, day)
    }

    fn ordinal_date(&mut self, year: i64) -> Option<i64> {
        let day = self.digits(3)?;
        (1..=days_in_year(year)).contains(&day).then(|| days_from_date(year, 1, 1) + day - 1)
    }

    fn week_date(&mut self, year: i64, dashed: bool) -> Option<i64> {
        let week = self.digits(2).filter(|week| (1..=weeks_in_year(year)).contains(week))?;
        let has_day = if dashed { self.eat('-') } else { self.digit_count() > 0 };
        let day = if has_day { self.digits(1).filter(|day| (1..=7).contains(day))? } else { 1 };
        Some(week_year_start(year) + (week - 1) * 7 + day - 1)
    }

    fn quarter_date(&mut self, year: i64, dashed: bool) -> Option<i64> {
        let quarter = self.digits(1).filter(|quarter| (1..=4).contains(quarter))?;
        let has_day = if dashed { self.eat('-') } else { self.digit_count() > 0 };
        let days = 1..=days_in_quarter(year, quarter);
        let day = if has_day { self.digits(2).filter(|day| days.contains(day))? } else { 1 };
        Some(quarter_start(year, quarter) + day - 1)
    }

    fn time(&mut self) -> Option<LocalTime> {
        let hour = self.digits(2)?;
        let separated = self.eat(':');
        let (mut minute, mut second, mut nanos) = (0, 0, 0);
        if separated || self.digit_count() > 0 {
            minute = self.digits(2)?;
            let has_second = if separated { self.eat(':') } else { self.digit_count() > 0 };
            if has_second {
                second = self.digits(2)?;
                if self.eat('.') || self.eat(',') {
                    nanos = self.fraction()?;
                }
            }
        }
        LocalTime::from_parts(hour, minute, second, nanos).ok()
    }

    /// One to nine digits after the point, in nanoseconds.
    fn fraction(&mut self) -> Option<i64> {
        let count = self.digit_count();
        let scale = u32::try_from(9_usize.checked_sub(count)?).ok()?;
        Some(self.digits(count)? * 10_i64.pow(scale))
    }
}

fn calendar_date(year: i64, month: i64, day: i64) -> Option<i64> {
    (1..=days_in_month(year, month)).contains(&day).then(|| days_from_date(year, month, day))
}

/// Reads the alternative form of a duration, a local date-time whose components are amounts.
pub(super) fn parts_of_duration(text: &str) -> Option<(i64, i64, i64, LocalTime)> {
    let mut reader = Reader(text);
    let year = reader.digits(4)?;
    let dashed = reader.eat('-');
    let month = reader.digits(2).filter(|m| *m <= 12)?;
    if dashed && !reader.eat('-') {
        return None;
    }
    let day = reader.digits(2).filter(|d| *d <= 31)?;
    let time = if reader.eat('T') { reader.time()? } else { LocalTime::MIDNIGHT };
    reader.at_end().then_some((year, month, day, time))
}
