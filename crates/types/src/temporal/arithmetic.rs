//! Instant plus and minus duration: months first (clamped to the end of the month), then days, then seconds.
//!
//! A date takes whole days of the seconds and drops the rest; a time of day takes the seconds only and rolls
//! over at midnight; a zoned date-time moves months and days on its local clock and seconds in real time.

use super::calendar::add_months;
use super::error::TemporalError;
use super::instant::{NANOS_PER_SECOND, SECONDS_PER_DAY};
use super::zone::ZoneId;
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};

impl Date {
    /// The date `duration` later.
    pub fn plus(self, duration: Duration) -> Result<Self, TemporalError> {
        let later = || {
            // Towards zero: minus half a day is no day.
            let whole = duration.seconds_toward_zero() / SECONDS_PER_DAY;
            add_months(self.days_in_calendar(), duration.months)?
                .checked_add(duration.days)?
                .checked_add(whole)
        };
        Self::from_days(later().ok_or(TemporalError::Overflow("date"))?)
    }

    /// The date `duration` earlier.
    pub fn minus(self, duration: Duration) -> Result<Self, TemporalError> {
        self.plus(duration.negated()?)
    }
}

impl LocalTime {
    /// The time of day `duration` later; months and days do not count.
    pub fn plus_duration(self, duration: Duration) -> Self {
        self.plus(duration.seconds, i64::from(duration.nanos))
    }
}

impl Time {
    /// The time of day `duration` later; months and days do not count.
    pub fn plus_duration(self, duration: Duration) -> Self {
        Self { nanos: self.local().plus_duration(duration).nanos, offset_seconds: self.offset_seconds }
    }
}

impl LocalDateTime {
    /// The moment `duration` later.
    pub fn plus(self, duration: Duration) -> Result<Self, TemporalError> {
        self.plus_days_and_months(duration.months, duration.days)?
            .plus_seconds(duration.seconds, i64::from(duration.nanos))
    }

    /// The moment `duration` earlier.
    pub fn minus(self, duration: Duration) -> Result<Self, TemporalError> {
        self.plus(duration.negated()?)
    }

    pub(super) fn plus_days_and_months(self, months: i64, days: i64) -> Result<Self, TemporalError> {
        let day = add_months(self.days(), months).and_then(|day| day.checked_add(days));
        Self::from_days_and_time(day.ok_or(TemporalError::Overflow("local datetime"))?, self.time())
    }

    fn plus_seconds(self, seconds: i64, nanos: i64) -> Result<Self, TemporalError> {
        let overflow = || TemporalError::Overflow("local datetime");
        let (seconds, nanos) = later(self.seconds, self.nanos, seconds, nanos).ok_or_else(overflow)?;
        let moment = Self { seconds, nanos };
        Self::from_days_and_time(moment.days(), moment.time())
    }
}

impl DateTime {
    /// The instant `duration` later.
    pub fn plus(&self, duration: Duration) -> Result<Self, TemporalError> {
        let moved = if duration.months == 0 && duration.days == 0 {
            self.clone()
        } else {
            self.with_local(self.local().plus_days_and_months(duration.months, duration.days)?)
        };
        let overflow = || TemporalError::Overflow("datetime");
        let (seconds, nanos) = later(moved.seconds, moved.nanos, duration.seconds, i64::from(duration.nanos))
            .ok_or_else(overflow)?;
        // Checks the range.
        let day = seconds.div_euclid(SECONDS_PER_DAY);
        LocalDateTime::from_days_and_time(day, LocalTime::MIDNIGHT).map_err(|_| overflow())?;
        Ok(Self::from_utc(seconds, nanos, &ZoneId::of(&moved.zone)))
    }

    /// The instant `duration` earlier.
    pub fn minus(&self, duration: Duration) -> Result<Self, TemporalError> {
        self.plus(duration.negated()?)
    }
}

impl Duration {
    /// The seconds without their fraction, rounded towards zero.
    fn seconds_toward_zero(self) -> i64 {
        if self.seconds < 0 && self.nanos > 0 { self.seconds + 1 } else { self.seconds }
    }
}

/// Seconds and nanoseconds of the second, moved on.
fn later(seconds: i64, nanos: u32, more_seconds: i64, more_nanos: i64) -> Option<(i64, u32)> {
    let total = i64::from(nanos).checked_add(more_nanos)?;
    let seconds = seconds.checked_add(more_seconds)?.checked_add(total.div_euclid(NANOS_PER_SECOND))?;
    Some((seconds, u32::try_from(total.rem_euclid(NANOS_PER_SECOND)).ok()?))
}
