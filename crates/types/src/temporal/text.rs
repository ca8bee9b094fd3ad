//! ISO 8601 text of temporal values, in openCypher's form.
//!
//! Seconds are left out if they and the fraction are zero; the fraction has 3, 6 or 9 digits; a duration's
//! components carry their own signs, seconds their own fraction without trailing zeros.

use std::fmt;

use super::calendar::date_from_days;
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, Zone};

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_date(f, self.days_in_calendar())
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute, second, nanos) = self.parts();
        write!(f, "{hour:02}:{minute:02}")?;
        match nanos {
            0 if second == 0 => Ok(()),
            0 => write!(f, ":{second:02}"),
            _ if nanos % 1_000_000 == 0 => write!(f, ":{second:02}.{:03}", nanos / 1_000_000),
            _ if nanos % 1_000 == 0 => write!(f, ":{second:02}.{:06}", nanos / 1_000),
            _ => write!(f, ":{second:02}.{nanos:09}"),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local(), OffsetText(self.offset_seconds))
    }
}

impl fmt::Display for LocalDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_date(f, self.days())?;
        write!(f, "T{}", self.time())
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local(), OffsetText(self.zone.offset_seconds()))?;
        if let Zone::Named { name, .. } = &self.zone {
            write!(f, "[{name}]")?;
        }
        Ok(())
    }
}

fn write_date(f: &mut fmt::Formatter<'_>, days: i64) -> fmt::Result {
    let (year, month, day) = date_from_days(days);
    let sign = match year {
        ..0 => "-",
        0..=9_999 => "",
        _ => "+",
    };
    write!(f, "{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

/// An offset as `Z`, `+01:00` or `-02:05:59`.
pub(super) struct OffsetText(pub(super) i32);

impl fmt::Display for OffsetText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("Z");
        }
        let sign = if self.0 < 0 { '-' } else { '+' };
        let seconds = self.0.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", seconds / 3_600, seconds / 60 % 60)?;
        match seconds % 60 {
            0 => Ok(()),
            rest => write!(f, ":{rest:02}"),
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Seconds and nanoseconds as one number, so that both have the same sign.
        let nanos = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos);
        if self.months == 0 && self.days == 0 && nanos == 0 {
            return f.write_str("PT0S");
        }
        f.write_str("P")?;
        for (amount, unit) in [(self.months / 12, 'Y'), (self.months % 12, 'M'), (self.days, 'D')] {
            if amount != 0 {
                write!(f, "{amount}{unit}")?;
            }
        }
        if nanos == 0 {
            return Ok(());
        }
        f.write_str("T")?;
        let seconds = nanos / 1_000_000_000;
        for (amount, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M')] {
            if amount != 0 {
                write!(f, "{amount}{unit}")?;
            }
        }
        let (second, fraction) = (seconds % 60, nanos % 1_000_000_000);
        if second == 0 && fraction == 0 {
            return Ok(());
        }
        let sign = if nanos < 0 { "-" } else { "" };
        write!(f, "{sign}{}", second.unsigned_abs())?;
        if fraction != 0 {
            let digits = format!("{:09}", fraction.unsigned_abs());
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str("S")
    }
}
