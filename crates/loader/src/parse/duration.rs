//! Durations in ISO 8601's form with designators.

use trimorph_types::Duration;

use super::time::fraction;

/// `P1Y2M3W4DT5H6M7.8S`: each part once and in this order, at least one; any part and the whole may be
/// signed. Only seconds may have a fraction.
pub(crate) fn parse_duration(text: &[u8]) -> Option<Duration> {
    let (sign, rest) = match text.split_first()? {
        (b'-', rest) => (-1, rest),
        (b'+', rest) => (1, rest),
        _ => (1, text),
    };
    let mut rest = rest.strip_prefix(b"P")?;
    let mut found = Duration::default();
    let mut nanos: i128 = 0;
    let mut in_time = false;
    let mut rank_before = 0;
    while !rest.is_empty() {
        if !in_time && rest[0] == b'T' {
            in_time = true;
            rest = &rest[1..];
            if rest.is_empty() {
                return None;
            }
        }
        let unit_at = rest.iter().position(u8::is_ascii_alphabetic)?;
        let (number, unit) = (&rest[..unit_at], rest[unit_at]);
        rest = &rest[unit_at + 1..];
        let (whole, part_nanos) = split_number(number)?;
        let whole = whole.checked_mul(sign)?;
        let rank = match (in_time, unit) {
            (false, b'Y') => add(&mut found.months, whole, 12, 1),
            (false, b'M') => add(&mut found.months, whole, 1, 2),
            (false, b'W') => add(&mut found.days, whole, 7, 3),
            (false, b'D') => add(&mut found.days, whole, 1, 4),
            (true, b'H') => add(&mut found.seconds, whole, 3600, 5),
            (true, b'M') => add(&mut found.seconds, whole, 60, 6),
            (true, b'S') => add(&mut found.seconds, whole, 1, 7),
            _ => None,
        }?;
        if rank <= rank_before || (part_nanos.is_some() && rank != 7) {
            return None;
        }
        rank_before = rank;
        nanos += i128::from(part_nanos.unwrap_or(0)) * i128::from(sign);
    }
    if rank_before == 0 {
        return None;
    }
    found.seconds = found.seconds.checked_add(i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?)?;
    found.nanos = i32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
    Some(found)
}

fn add(to: &mut i64, whole: i64, unit: i64, rank: u8) -> Option<u8> {
    *to = to.checked_add(whole.checked_mul(unit)?)?;
    Some(rank)
}

/// Whole part, and nanoseconds (with the number's sign) if there is a fraction.
fn split_number(number: &[u8]) -> Option<(i64, Option<i64>)> {
    match number.iter().position(|b| *b == b'.') {
        None => Some((super::parse_int(number)?, None)),
        Some(at) => {
            let whole = super::parse_int(&number[..at])?;
            let nanos = fraction(&number[at + 1..])?;
            Some((whole, Some(if number[0] == b'-' { -nanos } else { nanos })))
        }
    }
}
