//! Dates and times in a form that somebody names: a text such as `%d/%m/%Y %H:%M` in, what reads it out.
//!
//! Directives are `strptime`'s: what a text must have, character for character, is anything else. Numbers may
//! lack leading zeros, and a `-` behind `%` is passed over.
//!
//! | directive | is |
//! |---|---|
//! | `%Y` `%y` | the year, of four digits or of two (69 to 99 are of the last century) |
//! | `%m` `%b` `%B` | the month, as a number or by its English name, short or long |
//! | `%d` `%e` `%j` | the day of the month, or of the year |
//! | `%a` `%A` | the English name of the weekday, which says nothing more |
//! | `%H` `%I` `%p` | the hour, of 24 or of 12 with AM or PM |
//! | `%M` `%S` `%f` | the minute, the second, up to nine digits behind it |
//! | `%z` | the offset from UTC, or `Z` |
//! | `%s` | seconds since 1970 |
//! | `%F` `%T` `%R` `%D` | `%Y-%m-%d`, `%H:%M:%S`, `%H:%M`, `%m/%d/%y` |
//! | `%%` | a percent sign |

use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, LogicalType, Time, Value, Zone};

use super::NANOS_PER_SECOND;
use super::date::{days_from_civil, days_in_month};
use super::time::fraction;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const SECONDS_PER_DAY: i64 = 86_400;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Item {
    Byte(u8),
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    DayOfYear,
    Weekday,
    Hour,
    Hour12,
    Half,
    Minute,
    Second,
    Fraction,
    Offset,
    Epoch,
}

/// A form that dates and times are written in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TimeFormat {
    items: Vec<Item>,
}

/// What a text of the form says.
#[derive(Default)]
struct Read {
    year: Option<i64>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    hour: Option<u32>,
    is_afternoon: Option<bool>,
    minute: u32,
    second: u32,
    nanos: i64,
    offset: Option<i32>,
    epoch: Option<i64>,
}

impl TimeFormat {
    /// Reads a form.
    ///
    /// **Errors**: a clause that says what is wrong with it.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let mut items = Vec::new();
        let mut letters = text.bytes();
        while let Some(byte) = letters.next() {
            if byte != b'%' {
                items.push(Item::Byte(byte));
                continue;
            }
            let mut directive = letters.next();
            if directive == Some(b'-') {
                directive = letters.next();
            }
            let bytes = |text: &'static [u8]| text.iter().map(|b| Item::Byte(*b));
            match directive {
                Some(b'Y') => items.push(Item::Year),
                Some(b'y') => items.push(Item::ShortYear),
                Some(b'm') => items.push(Item::Month),
                Some(b'b' | b'B' | b'h') => items.push(Item::MonthName),
                Some(b'd' | b'e') => items.push(Item::Day),
                Some(b'j') => items.push(Item::DayOfYear),
                Some(b'a' | b'A') => items.push(Item::Weekday),
                Some(b'H' | b'k') => items.push(Item::Hour),
                Some(b'I' | b'l') => items.push(Item::Hour12),
                Some(b'p') => items.push(Item::Half),
                Some(b'M') => items.push(Item::Minute),
                Some(b'S') => items.push(Item::Second),
                Some(b'f') => items.push(Item::Fraction),
                Some(b'z') => items.push(Item::Offset),
                Some(b's') => items.push(Item::Epoch),
                Some(b'F') => {
                    items.extend([Item::Year, Item::Byte(b'-'), Item::Month, Item::Byte(b'-'), Item::Day]);
                }
                Some(b'T') => {
                    items.extend([
                        Item::Hour,
                        Item::Byte(b':'),
                        Item::Minute,
                        Item::Byte(b':'),
                        Item::Second,
                    ]);
                }
                Some(b'R') => items.extend([Item::Hour, Item::Byte(b':'), Item::Minute]),
                Some(b'D') => {
                    items.extend([Item::Month, Item::Byte(b'/'), Item::Day, Item::Byte(b'/')]);
                    items.push(Item::ShortYear);
                }
                Some(b'%') => items.extend(bytes(b"%")),
                Some(other) => {
                    let sign = char::from(other);
                    return Err(format!(
                        "\"{text}\" has the unknown directive %{sign}; known are %Y %y %m %b %B %d %j %a %A %H %I %p %M %S %f %z %s %F %T %R %D"
                    ));
                }
                None => return Err(format!("\"{text}\" ends with a lone %")),
            }
        }
        if !items.iter().any(|item| !matches!(item, Item::Byte(_))) {
            return Err(format!("\"{text}\" has no directive, such as %Y"));
        }
        Ok(Self { items })
    }

    /// Whether it says an offset from UTC.
    pub(crate) fn has_offset(&self) -> bool {
        self.items.contains(&Item::Offset) || self.items.contains(&Item::Epoch)
    }

    /// The type of what is written so.
    pub(crate) fn kind(&self) -> LogicalType {
        let has = |some: &[Item]| self.items.iter().any(|item| some.contains(item));
        let has_date =
            has(&[Item::Year, Item::ShortYear, Item::Month, Item::MonthName, Item::Day, Item::DayOfYear]);
        match (has_date, has(&[Item::Hour, Item::Hour12]), self.has_offset()) {
            (true, _, true) | (false, false, true) => LogicalType::DateTime,
            (true, true, false) => LogicalType::LocalDateTime,
            (true, false, false) => LogicalType::Date,
            (false, _, true) => LogicalType::Time,
            (false, _, false) => LogicalType::LocalTime,
        }
    }

    /// The value of a type that a text of this form says; `None` if it is not of the form, names no day or
    /// time that exists, or lacks what the type needs.
    pub(crate) fn value(&self, kind: LogicalType, text: &[u8]) -> Option<Value> {
        let read = self.read(text)?;
        Some(match kind {
            LogicalType::Date => Value::Date(Date { days: read.days()? }),
            LogicalType::LocalTime => Value::LocalTime(LocalTime { nanos: read.nanos_of_day()? }),
            LogicalType::Time => {
                Value::Time(Time { nanos: read.nanos_of_day()?, offset_seconds: read.offset.unwrap_or(0) })
            }
            LogicalType::LocalDateTime => {
                let (seconds, nanos) = read.local()?;
                Value::LocalDateTime(LocalDateTime { seconds, nanos })
            }
            LogicalType::DateTime => {
                let (seconds, nanos) = read.local()?;
                let offset = read.offset.unwrap_or(0);
                let seconds = seconds.checked_sub(offset.into())?;
                Value::DateTime(DateTime { seconds, nanos, zone: Zone::Offset(offset) })
            }
            _ => return None,
        })
    }

    fn read(&self, mut text: &[u8]) -> Option<Read> {
        let mut read = Read::default();
        for item in &self.items {
            match item {
                Item::Byte(byte) => text = text.strip_prefix(&[*byte])?,
                Item::Year => read.year = Some(number(&mut text, 4, 4)?.into()),
                Item::ShortYear => {
                    let year = i64::from(number(&mut text, 2, 2)?);
                    read.year = Some(if year < 69 { 2000 + year } else { 1900 + year });
                }
                Item::Month => read.month = Some(number(&mut text, 1, 2)?),
                Item::MonthName => read.month = Some(name(&mut text, &MONTHS)?),
                Item::Day => {
                    // `%e` has a blank where a digit is missing.
                    text = text.strip_prefix(b" ").unwrap_or(text);
                    read.day = Some(number(&mut text, 1, 2)?);
                }
                Item::DayOfYear => read.day_of_year = Some(number(&mut text, 1, 3)?),
                Item::Weekday => {
                    name(&mut text, &DAYS)?;
                }
                Item::Hour => read.hour = Some(number(&mut text, 1, 2).filter(|hour| *hour < 24)?),
                Item::Hour12 => {
                    read.hour = Some(number(&mut text, 1, 2).filter(|hour| (1..=12).contains(hour))?);
                }
                Item::Half => {
                    let half = text.split_off(..2)?;
                    read.is_afternoon = match &half.to_ascii_lowercase()[..] {
                        b"am" => Some(false),
                        b"pm" => Some(true),
                        _ => return None,
                    };
                }
                Item::Minute => read.minute = number(&mut text, 1, 2).filter(|minute| *minute < 60)?,
                Item::Second => read.second = number(&mut text, 1, 2).filter(|second| *second < 60)?,
                Item::Fraction => {
                    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
                    read.nanos = fraction(text.split_off(..digits)?)?;
                }
                Item::Offset => read.offset = Some(offset(&mut text)?),
                Item::Epoch => {
                    let sign = usize::from(text.first() == Some(&b'-'));
                    let digits = text[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
                    let seconds = super::parse_int(text.split_off(..sign + digits)?)?;
                    // Within the years that a date may have.
                    read.epoch = Some(seconds).filter(|s| s.unsigned_abs() < 31_556_952 * 999_999_999);
                    read.epoch?;
                }
            }
        }
        text.is_empty().then_some(read)
    }
}

impl Read {
    fn days(&self) -> Option<i64> {
        if let Some(epoch) = self.epoch {
            return Some(epoch.div_euclid(SECONDS_PER_DAY));
        }
        let year = self.year?;
        if let Some(day) = self.day_of_year {
            let length = if days_in_month(year, 2) == 29 { 366 } else { 365 };
            return (1..=length).contains(&day).then(|| days_from_civil(year, 1, 1) + i64::from(day) - 1);
        }
        // A month without a day is its first.
        let (month, day) = (self.month?, self.day.unwrap_or(1));
        let exists = (1..=12).contains(&month) && day > 0 && day <= days_in_month(year, month);
        exists.then(|| days_from_civil(year, month, day))
    }

    fn nanos_of_day(&self) -> Option<i64> {
        if let Some(epoch) = self.epoch {
            return Some(epoch.rem_euclid(SECONDS_PER_DAY) * NANOS_PER_SECOND + self.nanos);
        }
        let hour = match (self.hour?, self.is_afternoon) {
            (hour, None) => hour,
            (12, Some(half)) => {
                if half {
                    12
                } else {
                    0
                }
            }
            (hour @ ..12, Some(half)) => hour + if half { 12 } else { 0 },
            _ => return None,
        };
        Some(i64::from((hour * 60 + self.minute) * 60 + self.second) * NANOS_PER_SECOND + self.nanos)
    }

    /// Seconds since 1970 as the clock shows them, and nanoseconds: midnight where there is no time.
    fn local(&self) -> Option<(i64, u32)> {
        let days = self.days()?;
        let nanos = match (self.epoch, self.hour) {
            (None, None) => 0,
            _ => self.nanos_of_day()?,
        };
        let seconds = days * SECONDS_PER_DAY + nanos / NANOS_PER_SECOND;
        Some((seconds, u32::try_from(nanos % NANOS_PER_SECOND).ok()?))
    }
}

fn number(text: &mut &[u8], least: usize, most: usize) -> Option<u32> {
    let digits = text.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
    if digits < least {
        return None;
    }
    Some(text.split_off(..digits)?.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0')))
}

/// The number, from 1, of the name that comes: whole, or its first three letters.
fn name(text: &mut &[u8], names: &[&str]) -> Option<u32> {
    let letters = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = text.split_off(..letters)?.to_ascii_lowercase();
    let is = |name: &&str| name.as_bytes() == word || (word.len() == 3 && name.as_bytes()[..3] == word[..]);
    names.iter().position(is).and_then(|at| u32::try_from(at + 1).ok())
}

/// `Z`, `±HH`, `±HHMM` or `±HH:MM`: seconds east of UTC.
fn offset(text: &mut &[u8]) -> Option<i32> {
    let (sign, rest) = text.split_first()?;
    *text = rest;
    let sign = match sign {
        b'Z' | b'z' => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = number(text, 2, 2).filter(|hours| *hours <= 18)?;
    let has_colon = text.first() == Some(&b':');
    if has_colon {
        *text = &text[1..];
    }
    let minutes = match text.first() {
        Some(b) if has_colon || b.is_ascii_digit() => number(text, 2, 2).filter(|minutes| *minutes < 60)?,
        _ => 0,
    };
    let seconds = hours * 3600 + minutes * 60;
    if seconds > 18 * 3600 {
        return None;
    }
    i32::try_from(seconds).ok().map(|seconds| sign * seconds)
}
