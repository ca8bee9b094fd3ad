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
    let duration = match fields(body) {
        Some(fields) => fields.duration()?,
        None => alternative(body).ok_or_else(unreadable)?,
    };
    if negative { duration.negated() } else { Ok(duration) }
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
