//! Lexical forms of XML Schema's datatypes: a text in, the value it writes out, `None` if it writes none.
//!
//! What a type of ours cannot hold is none either: years beyond nine digits, decimals beyond 38. Digits of a
//! second beyond the ninth are dropped.
//!
//! Source: XML Schema 1.1 part 2, §3.3.

use crate::Decimal;
use crate::temporal::calendar::{YEAR_MAX, days_from_date, days_in_month};
use crate::value::LocalDateTime;

const SECONDS_PER_DAY: i64 = 86_400;
const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// What clocks show, and how far east of UTC they stand, if that is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// On the local clock; of a date its midnight, of a time of day the one of 1972-12-31.
    pub local: LocalDateTime,
    /// Seconds east of UTC.
    pub offset: Option<i32>,
}

/// The day that times of day are thought to be of (XML Schema 1.1 part 2, §E.3.3).
pub const TIME_DAY: i64 = days_from_date(1972, 12, 31);

/// A duration: months and a number of seconds, of one sign as XML Schema has it, though not checked to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Years and months.
    pub months: i64,
    /// Days and what is smaller, in nanoseconds.
    pub nanos: i128,
}

/// `true`, `false`, `1` or `0`.
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// `[+-]digits`, of at most 38 digits.
pub fn integer(text: &str) -> Option<Decimal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Decimal::parse(text)
}

/// Whether the text writes a decimal, however many digits that has.
fn writes_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    (!whole.is_empty() || !fraction.is_empty()) && all_digits(whole) && all_digits(fraction)
}

/// A decimal of at most 38 digits, zeros at its ends not counted.
pub fn decimal(text: &str) -> Option<Decimal> {
    if writes_decimal(text) { Decimal::parse(text) } else { None }
}

/// The text of a number with an optional exponent, or `None` if it is none.
fn number_text(text: &str) -> Option<&str> {
    let mantissa = text.find(['e', 'E']).map_or(text, |end| &text[..end]);
    writes_decimal(mantissa).then_some(text)
}

/// A double: `1`, `-1.5`, `1.5e-7`, `INF`, `-INF`, `NaN`.
pub fn double(text: &str) -> Option<f64> {
    match text {
        "INF" | "+INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => number_text(text)?.parse().ok(),
    }
}

/// A float of single precision, written as a double is.
pub fn float(text: &str) -> Option<f32> {
    match text {
        "INF" | "+INF" => Some(f32::INFINITY),
        "-INF" => Some(f32::NEG_INFINITY),
        "NaN" => Some(f32::NAN),
        _ => number_text(text)?.parse().ok(),
    }
}

/// `2005-01-31T23:59:59.5+01:00`; the fraction and the offset may be missing, and `24:00:00` is the next
/// midnight.
pub fn date_time(text: &str) -> Option<Moment> {
    let mut reader = Reader(text.as_bytes());
    let days = reader.date()?;
    reader.eat(b'T')?;
    let (seconds, nanos) = reader.time()?;
    reader.moment(days, seconds, nanos)
}

/// `2005-01-31` with or without an offset.
pub fn date(text: &str) -> Option<Moment> {
    let mut reader = Reader(text.as_bytes());
    let days = reader.date()?;
    reader.moment(days, 0, 0)
}

/// `23:59:59.5` with or without an offset; `24:00:00` is midnight.
pub fn time(text: &str) -> Option<Moment> {
    let mut reader = Reader(text.as_bytes());
    let (seconds, nanos) = reader.time()?;
    reader.moment(TIME_DAY, seconds % SECONDS_PER_DAY, nanos)
}

/// The types of dates that lack parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateParts {
    /// `xsd:gYear`: `2005`.
    Year,
    /// `xsd:gYearMonth`: `2005-01`.
    YearMonth,
    /// `xsd:gMonth`: `--01`.
    Month,
    /// `xsd:gMonthDay`: `--01-31`.
    MonthDay,
    /// `xsd:gDay`: `---31`.
    Day,
}

impl DateParts {
    /// Whether the year is said.
    pub const fn has_year(self) -> bool {
        matches!(self, Self::Year | Self::YearMonth)
    }

    /// Whether the month is said.
    pub const fn has_month(self) -> bool {
        matches!(self, Self::YearMonth | Self::Month | Self::MonthDay)
    }

    /// Whether the day is said.
    pub const fn has_day(self) -> bool {
        matches!(self, Self::MonthDay | Self::Day)
    }
}

/// A date that lacks parts, with or without an offset, as the first midnight that it may be. A year that is
/// not said is 1972, which has all days (XML Schema 1.1 part 2, §E.3.3).
pub fn date_parts(text: &str, parts: DateParts) -> Option<Moment> {
    let mut reader = Reader(text.as_bytes());
    let (mut year, mut month, mut day) = (1972, 1, 1);
    if parts.has_year() {
        year = reader.year()?;
    } else {
        reader.eat(b'-')?;
    }
    if parts.has_month() {
        reader.eat(b'-')?;
        month = reader.digits(2).filter(|month| (1..=12).contains(month))?;
    } else if parts.has_day() {
        reader.eat(b'-')?;
    }
    if parts.has_day() {
        reader.eat(b'-')?;
        day = reader.digits(2)?;
    }
    let exists = (1..=days_in_month(year, month)).contains(&day);
    reader.moment(exists.then(|| days_from_date(year, month, day))?, 0, 0)
}

/// `P1Y2M3DT4H5M6.7S`, any but not all of it left out, with a sign before it.
pub fn duration(text: &str) -> Option<Span> {
    let (negative, body) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let body = body.strip_prefix('P')?;
    let (date, time) = match body.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, Some(time)),
        None => (body, None),
    };
    if date.is_empty() && time.is_none() {
        return None;
    }
    let [years, months, days] = amounts(date, ["Y", "M", "D"], false)?;
    let [hours, minutes, seconds] = amounts(time.unwrap_or(""), ["H", "M", "S"], true)?;
    let units = [(days, 86_400), (hours, 3_600), (minutes, 60), (seconds, 1)];
    let sum = |sum: i128, (amount, unit): &(i128, i128)| sum.checked_add(amount.checked_mul(*unit)?);
    let nanos = units.iter().try_fold(0, sum)?;
    let months = i64::try_from(years.checked_mul(12)?.checked_add(months)? / NANOS_PER_SECOND).ok()?;
    Some(if negative { Span { months: -months, nanos: -nanos } } else { Span { months, nanos } })
}

/// Numbers before three units, in this order, each in units of 10^-9; only the last may have a fraction, if
/// `fraction` says so.
fn amounts(mut text: &str, units: [&str; 3], fraction: bool) -> Option<[i128; 3]> {
    let mut amounts = [0; 3];
    for (i, unit) in units.iter().enumerate() {
        let Some((number, rest)) = text.split_once(unit) else { continue };
        let (whole, digits) = match number.split_once('.') {
            Some((whole, digits)) if fraction && i == 2 && !digits.is_empty() => (whole, digits),
            Some(_) => return None,
            None => (number, ""),
        };
        let mut all = whole.bytes().chain(digits.bytes());
        if whole.is_empty() || !all.all(|b| b.is_ascii_digit()) {
            return None;
        }
        let whole = whole.parse::<i128>().ok()?.checked_mul(NANOS_PER_SECOND)?;
        amounts[i] = whole.checked_add(nanos(digits.as_bytes()).into())?;
        text = rest;
    }
    text.is_empty().then_some(amounts)
}

/// The first nine digits of a fraction of a second.
fn nanos(digits: &[u8]) -> u32 {
    (0..9).fold(0, |sum, i| sum * 10 + digits.get(i).map_or(0, |digit| u32::from(digit - b'0')))
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn eat(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// How many digits come next.
    fn digit_count(&self) -> usize {
        self.0.iter().take_while(|b| b.is_ascii_digit()).count()
    }

    /// A number of exactly that many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = rest;
        Some(digits.iter().fold(0, |n, digit| n * 10 + i64::from(digit - b'0')))
    }

    fn year(&mut self) -> Option<i64> {
        let negative = self.eat(b'-').is_some();
        let count = self.digit_count();
        // Nine digits are the most that a year of ours has; more than four begin with none that says nothing.
        if !(4..=9).contains(&count) || count > 4 && self.0.first() == Some(&b'0') {
            return None;
        }
        let year = self.digits(count)?;
        if negative && year == 0 {
            return None;
        }
        (year <= YEAR_MAX).then_some(if negative { -year } else { year })
    }

    fn date(&mut self) -> Option<i64> {
        let year = self.year()?;
        self.eat(b'-')?;
        let month = self.digits(2)?;
        self.eat(b'-')?;
        let day = self.digits(2)?;
        let exists = (1..=days_in_month(year, month)).contains(&day);
        exists.then(|| days_from_date(year, month, day))
    }

    /// Seconds since midnight, up to those of a whole day, and nanoseconds.
    fn time(&mut self) -> Option<(i64, u32)> {
        let hour = self.digits(2)?;
        self.eat(b':')?;
        let minute = self.digits(2).filter(|n| *n < 60)?;
        self.eat(b':')?;
        let second = self.digits(2).filter(|n| *n < 60)?;
        let mut fraction = 0;
        if self.eat(b'.').is_some() {
            let count = self.digit_count();
            let (digits, rest) = self.0.split_at_checked(count).filter(|_| count > 0)?;
            if hour == 24 && digits.iter().any(|digit| *digit != b'0') {
                return None;
            }
            fraction = nanos(digits);
            self.0 = rest;
        }
        let seconds = (hour * 60 + minute) * 60 + second;
        (hour < 24 || seconds == SECONDS_PER_DAY).then_some((seconds, fraction))
    }

    /// What is left must be an offset, or nothing.
    fn moment(&mut self, days: i64, seconds: i64, nanos: u32) -> Option<Moment> {
        let local = LocalDateTime { seconds: days * SECONDS_PER_DAY + seconds, nanos };
        local.date().ok()?;
        let offset = match self.0 {
            [] => None,
            [b'Z'] => Some(0),
            [sign @ (b'+' | b'-'), rest @ ..] => {
                let mut rest = Reader(rest);
                let hours = rest.digits(2)?;
                rest.eat(b':')?;
                let minutes = rest.digits(2).filter(|n| *n < 60)?;
                let total = hours * 60 + minutes;
                if !rest.0.is_empty() || total > 14 * 60 {
                    return None;
                }
                let seconds = i32::try_from(total * 60).ok()?;
                Some(if *sign == b'-' { -seconds } else { seconds })
            }
            _ => return None,
        };
        Some(Moment { local, offset })
    }
}
