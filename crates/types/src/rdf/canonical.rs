//! Canonical texts: a value that is an RDF literal in, its lexical form out.
//!
//! A value's text is that of XML Schema 1.1 where that has one, but that a decimal always shows its point
//! (`2.0`), and that a duration keeps the parts that openCypher keeps apart (`PT25H` is not `P1DT1H`). Values
//! that no lexical form writes (offsets with seconds, durations of two signs) have a text of their own, which
//! makes a literal without a value.

use std::fmt::{self, Write};

use super::lexical::Span;
use crate::value::{Date, Duration, LocalDateTime, LocalTime};
use crate::{Decimal, Value};

/// Writes the lexical form of a value; `false`, and nothing written, if it is no literal.
pub fn write_canonical(out: &mut impl Write, value: &Value) -> Result<bool, fmt::Error> {
    match value {
        Value::Bool(x) => out.write_str(if *x { "true" } else { "false" })?,
        Value::Int(x) => write!(out, "{x}")?,
        Value::Decimal(x) => write_decimal(out, *x)?,
        Value::Float(x) => write_double(out, *x)?,
        Value::String(text) => out.write_str(text)?,
        Value::Literal(literal) => out.write_str(&literal.lexical)?,
        Value::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(out, "{byte:02X}"))?,
        Value::Date(x) => write_date(out, *x)?,
        Value::LocalTime(x) => write_time(out, *x)?,
        Value::Time(x) => {
            write_time(out, x.local())?;
            write_offset(out, x.offset_seconds)?;
        }
        Value::LocalDateTime(x) => write_date_time(out, *x)?,
        Value::DateTime(x) => {
            write_date_time(out, x.local())?;
            write_offset(out, x.zone.offset_seconds())?;
        }
        Value::Duration(x) => write_duration(out, *x)?,
        Value::Null
        | Value::Iri(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Node(_)
        | Value::Relationship(_)
        | Value::Path(_) => return Ok(false),
    }
    Ok(true)
}

fn write_decimal(out: &mut impl Write, number: Decimal) -> fmt::Result {
    write!(out, "{number}")?;
    if number.scale() == 0 { out.write_str(".0") } else { Ok(()) }
}

/// A double, such as `1.5E0`, `INF`, `NaN`.
pub fn write_double(out: &mut impl Write, number: f64) -> fmt::Result {
    write_exponential(out, number.is_finite(), number.is_nan(), number < 0.0, format_args!("{number:E}"))
}

/// A float of single precision, written as a double is.
pub fn write_float(out: &mut impl Write, number: f32) -> fmt::Result {
    write_exponential(out, number.is_finite(), number.is_nan(), number < 0.0, format_args!("{number:E}"))
}

fn write_exponential(
    out: &mut impl Write,
    finite: bool,
    nan: bool,
    negative: bool,
    digits: fmt::Arguments<'_>,
) -> fmt::Result {
    if nan {
        return out.write_str("NaN");
    }
    if !finite {
        return out.write_str(if negative { "-INF" } else { "INF" });
    }
    // Shortest digits, but `1E6` for what is `1.0E6`. The longest is `-1.7976931348623157E308`.
    let mut text = Buffer { bytes: [0; 32], len: 0 };
    text.write_fmt(digits)?;
    let text = text.text();
    match text.split_once('E') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => write!(out, "{mantissa}.0E{exponent}"),
        _ => out.write_str(text),
    }
}

struct Buffer {
    bytes: [u8; 32],
    len: usize,
}

impl Buffer {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// A number below 100 in two digits.
fn two_digits(number: i64) -> [u8; 2] {
    let digit = |number: i64| b'0' + u8::try_from(number.rem_euclid(10)).unwrap_or_default();
    [digit(number / 10), digit(number)]
}

/// Bytes of ASCII.
fn write_ascii(out: &mut impl Write, bytes: &[u8]) -> fmt::Result {
    out.write_str(std::str::from_utf8(bytes).map_err(|_| fmt::Error)?)
}

fn write_date(out: &mut impl Write, date: Date) -> fmt::Result {
    let (year, month, day) = date.ymd();
    if (0..10_000).contains(&year) {
        let ([a, b], [c, d]) = (two_digits(year / 100), two_digits(year % 100));
        let ([e, f], [g, h]) = (two_digits(month), two_digits(day));
        return write_ascii(out, &[a, b, c, d, b'-', e, f, b'-', g, h]);
    }
    let sign = if year < 0 { "-" } else { "" };
    write!(out, "{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

fn write_date_time(out: &mut impl Write, moment: LocalDateTime) -> fmt::Result {
    write_date(out, Date { days: moment.days() })?;
    out.write_char('T')?;
    write_time(out, moment.time())
}

fn write_time(out: &mut impl Write, time: LocalTime) -> fmt::Result {
    let (hour, minute, second, nanos) = time.parts();
    let ([a, b], [c, d], [e, f]) = (two_digits(hour), two_digits(minute), two_digits(second));
    write_ascii(out, &[a, b, b':', c, d, b':', e, f])?;
    write_fraction(out, nanos.unsigned_abs())
}

/// `.5` and so on, nothing for nothing.
fn write_fraction(out: &mut impl Write, mut nanos: u64) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    let mut width = 9;
    while nanos.is_multiple_of(10) {
        (nanos, width) = (nanos / 10, width - 1);
    }
    write!(out, ".{nanos:0width$}")
}

fn write_offset(out: &mut impl Write, offset: i32) -> fmt::Result {
    if offset == 0 {
        return out.write_char('Z');
    }
    let (sign, seconds) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    write!(out, "{sign}{:02}:{:02}", seconds / 3_600, seconds / 60 % 60)?;
    if seconds % 60 == 0 { Ok(()) } else { write!(out, ":{:02}", seconds % 60) }
}

fn write_duration(out: &mut impl Write, duration: Duration) -> fmt::Result {
    let time = i128::from(duration.seconds) * 1_000_000_000 + i128::from(duration.nanos);
    let any =
        |test: fn(i128) -> bool| [duration.months.into(), duration.days.into(), time].into_iter().any(test);
    if any(|part| part < 0) && any(|part| part > 0) {
        // Parts of both signs, which XML Schema does not have.
        return write!(out, "{duration}");
    }
    if any(|part| part < 0) {
        out.write_char('-')?;
    }
    write_parts(
        out,
        duration.months.unsigned_abs().into(),
        duration.days.unsigned_abs().into(),
        time.unsigned_abs(),
    )
}

/// A duration in its canonical form, days being 24 hours. The two parts must not differ in sign.
pub fn write_span(out: &mut impl Write, span: Span) -> fmt::Result {
    const NANOS_PER_DAY: u128 = 86_400_000_000_000;
    if span.months < 0 || span.nanos < 0 {
        out.write_char('-')?;
    }
    let nanos = span.nanos.unsigned_abs();
    write_parts(out, span.months.unsigned_abs().into(), nanos / NANOS_PER_DAY, nanos % NANOS_PER_DAY)
}

fn write_parts(out: &mut impl Write, months: u128, days: u128, nanos: u128) -> fmt::Result {
    if months == 0 && days == 0 && nanos == 0 {
        return out.write_str("PT0S");
    }
    out.write_char('P')?;
    for (amount, unit) in [(months / 12, 'Y'), (months % 12, 'M'), (days, 'D')] {
        if amount != 0 {
            write!(out, "{amount}{unit}")?;
        }
    }
    if nanos == 0 {
        return Ok(());
    }
    out.write_char('T')?;
    let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    for (amount, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M')] {
        if amount != 0 {
            write!(out, "{amount}{unit}")?;
        }
    }
    if seconds % 60 != 0 || fraction != 0 {
        write!(out, "{}", seconds % 60)?;
        write_fraction(out, u64::try_from(fraction).unwrap_or_default())?;
        out.write_char('S')?;
    }
    Ok(())
}
