//! Reads a duration: `P1Y2M3W4DT5H6M7.8S`, any part of it left out, each number with its own sign and
//! fraction, or the alternative form `P2012-02-02T14:37:21.545`.

use super::duration::DurationFields;
use super::error::TemporalError;
use super::fixed::Fixed;
use super::parse;
use crate::value::Duration;

/// Reads a duration; a sign before the `P` turns it round.
pub fn parse_duration(text: &str) -> Result<Duration, TemporalError> {
    let unreadable = || TemporalError::Text { kind: "duration", text: text.to_owned() };
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let body = unsigned.strip_prefix('P').ok_or_else(unreadable)?;
    let duration = match whole(body.as_bytes()) {
        Some(duration) => duration,
        None => match fields(body) {
            Some(fields) => fields.duration()?,
            None => alternative(body).ok_or_else(unreadable)?,
        },
    };
    if negative { duration.negated() } else { Ok(duration) }
}

/// Digits of a number up to which no sum of parts leaves 64 bits.
const PLAIN_DIGITS: usize = 9;

/// The unit form where every number is a whole one without a sign, as most are; `None` of all others,
/// whether they are durations or not. In a tenth of the time that exact fractions take.
fn whole(body: &[u8]) -> Option<Duration> {
    let mut out = Duration::default();
    // The last unit of those that come in order, from 1 on, and whether the `T` has been read.
    let (mut last, mut is_time, mut rest) = (0, false, body);
    while let [first, behind @ ..] = rest {
        if *first == b'T' && !is_time {
            (last, is_time, rest) = (0, true, behind);
            continue;
        }
        let (mut number, mut digits) = (0i64, 0);
        while let Some(digit) = rest.get(digits).map(|byte| byte.wrapping_sub(b'0')).filter(|d| *d < 10) {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            digits += 1;
        }
        if digits == 0 || digits > PLAIN_DIGITS {
            return None;
        }
        let (unit, behind) = rest[digits..].split_first()?;
        rest = behind;
        let (place, sum, factor) = match (unit, is_time) {
            (b'Y', false) => (1, &mut out.months, 12),
            (b'M', false) => (2, &mut out.months, 1),
            (b'W', false) => (3, &mut out.days, 7),
            (b'D', false) => (4, &mut out.days, 1),
            (b'H', true) => (1, &mut out.seconds, 3_600),
            (b'M', true) => (2, &mut out.seconds, 60),
            (b'S', true) => (3, &mut out.seconds, 1),
            _ => return None,
        };
        if place <= last {
            return None;
        }
        *sum += number * factor;
        last = place;
    }
    // Behind a `T` there must be something, and so there must behind the `P`.
    (last > 0).then_some(out)
}

/// The unit form, after the `P`. Units must come in order, each at most once, and there must be one.
fn fields(body: &str) -> Option<DurationFields> {
    const DATE_UNITS: &str = "YMWD";
    const TIME_UNITS: &str = "HMS";
    let (date, time) = match body.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (body, None),
    };
    let mut fields = DurationFields::default();
    let dates = amounts(date, DATE_UNITS)?;
    for (unit, amount) in &dates {
        *fields.component_mut(match unit {
            'Y' => "years",
            'M' => "months",
            'W' => "weeks",
            _ => "days",
        })? = *amount;
    }
    let times = match time {
        Some(time) => amounts(time, TIME_UNITS).filter(|times| !times.is_empty())?,
        None => Vec::new(),
    };
    for (unit, amount) in &times {
        *fields.component_mut(match unit {
            'H' => "hours",
            'M' => "minutes",
            _ => "seconds",
        })? = *amount;
    }
    (!dates.is_empty() || !times.is_empty()).then_some(fields)
}

/// Numbers followed by one of `units`, which must come in that order.
fn amounts(mut text: &str, mut units: &str) -> Option<Vec<(char, Fixed)>> {
    let mut amounts = Vec::new();
    while !text.is_empty() {
        let end = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, rest) = text.split_at_checked(end)?;
        let unit = rest.chars().next()?;
        let position = units.find(unit)?;
        units = units.get(position + 1..)?;
        text = rest.get(1..)?;
        amounts.push((unit, Fixed::parse(number)?));
    }
    Some(amounts)
}

fn alternative(body: &str) -> Option<Duration> {
    let (years, months, days, time) = parse::parts_of_duration(body)?;
    let (hours, minutes, seconds, nanos) = time.parts();
    Duration::normalized(years * 12 + months, days, (hours * 60 + minutes) * 60 + seconds, nanos)
}

#[cfg(test)]
mod tests {
    use super::{fields, whole};
    use trimorph_base::Random;

    #[test]
    fn whole_numbers_are_read_as_exact_fractions_are() {
        let mut random = Random::new(11);
        let parts = ["Y", "M", "W", "D", "T", "H", "M", "S", "1", "23", "999999999", "1000000000", "-", "."];
        let mut read = 0;
        for _ in 0..200_000 {
            let mut body = String::new();
            for _ in 0..random.below(9) {
                if random.chance(70) {
                    body.push_str(&random.below(2_000).to_string());
                }
                body.push_str(parts[random.below(parts.len())]);
            }
            if let Some(found) = whole(body.as_bytes()) {
                read += 1;
                assert_eq!(Ok(found), fields(&body).unwrap().duration(), "{body}");
            }
        }
        assert!(read > 5_000, "{read}");
        for (body, is_whole) in [
            ("1Y2M3W4DT5H6M7S", true),
            ("T0S", true),
            ("5D", true),
            ("", false),
            ("T", false),
            ("5DT", false),
            ("1D1D", false),
            ("1D1M", false),
            ("1H", false),
            ("T1D", false),
            ("T1HT1M", false),
            ("1", false),
            ("1.5D", false),
            ("-1D", false),
            ("1é", false),
            ("1000000000D", false),
        ] {
            assert_eq!(whole(body.as_bytes()).is_some(), is_whole, "{body}");
        }
    }
}
