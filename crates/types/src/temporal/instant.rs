//! The five instant types against their parts: date, time of day, zone.

use super::calendar::{self, YEAR_MAX};
use super::error::TemporalError;
use super::zone::ZoneId;
use crate::value::{Date, DateTime, LocalDateTime, LocalTime, Time, Zone};

pub(super) const NANOS_PER_SECOND: i64 = 1_000_000_000;
pub(super) const SECONDS_PER_DAY: i64 = 86_400;
pub(super) const NANOS_PER_DAY: i64 = SECONDS_PER_DAY * NANOS_PER_SECOND;

const FIRST_DAY: i64 = calendar::days_from_date(-YEAR_MAX, 1, 1);
const LAST_DAY: i64 = calendar::days_from_date(YEAR_MAX, 12, 31);

impl Date {
    /// The date `days` after 1970-01-01, if its year has at most nine digits.
    pub fn from_days(days: i64) -> Result<Self, TemporalError> {
        if in_range(days) { Ok(Self { days }) } else { Err(TemporalError::Overflow("date")) }
    }

    /// A date of the calendar.
    pub fn from_ymd(year: i64, month: i64, day: i64) -> Result<Self, TemporalError> {
        check("year", year, -YEAR_MAX, YEAR_MAX)?;
        check("month", month, 1, 12)?;
        check("day", day, 1, calendar::days_in_month(year, month))?;
        Self::from_days(calendar::days_from_date(year, month, day))
    }

    /// Days since 1970-01-01, brought into the range that the calendar holds for: the field is public and may
    /// be nonsense.
    pub fn days_in_calendar(self) -> i64 {
        self.days.clamp(FIRST_DAY, LAST_DAY)
    }

    /// Year, month and day.
    pub fn ymd(self) -> (i64, i64, i64) {
        calendar::date_from_days(self.days_in_calendar())
    }
}

/// Whether a day is of a year that values may have.
fn in_range(days: i64) -> bool {
    (FIRST_DAY..=LAST_DAY).contains(&days)
}

/// `Ok` if `min <= value <= max`.
pub(super) fn check(name: &'static str, value: i64, min: i64, max: i64) -> Result<(), TemporalError> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(TemporalError::Component { name, value }) }
}

impl LocalTime {
    /// Midnight.
    pub const MIDNIGHT: Self = Self { nanos: 0 };

    /// A time of day.
    pub fn from_parts(hour: i64, minute: i64, second: i64, nanos: i64) -> Result<Self, TemporalError> {
        check("hour", hour, 0, 23)?;
        check("minute", minute, 0, 59)?;
        check("second", second, 0, 59)?;
        check("nanosecond", nanos, 0, NANOS_PER_SECOND - 1)?;
        Ok(Self { nanos: ((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND + nanos })
    }

    /// Hour, minute, second and nanoseconds of the second.
    pub const fn parts(self) -> (i64, i64, i64, i64) {
        let seconds = self.nanos.div_euclid(NANOS_PER_SECOND);
        (seconds / 3_600, seconds / 60 % 60, seconds % 60, self.nanos.rem_euclid(NANOS_PER_SECOND))
    }

    /// The time of day `nanos` later, rolling over at midnight.
    pub(super) fn plus(self, seconds: i64, nanos: i64) -> Self {
        let total =
            i128::from(self.nanos) + i128::from(seconds) * i128::from(NANOS_PER_SECOND) + i128::from(nanos);
        let nanos = total.rem_euclid(i128::from(NANOS_PER_DAY));
        Self { nanos: i64::try_from(nanos).unwrap_or_default() }
    }
}

impl Time {
    /// The time of day without its offset.
    pub const fn local(self) -> LocalTime {
        LocalTime { nanos: self.nanos }
    }

    /// The same instant of the day shown with another offset.
    pub fn with_same_instant(self, offset_seconds: i32) -> Self {
        let shift = i64::from(offset_seconds) - i64::from(self.offset_seconds);
        Self { nanos: self.local().plus(shift, 0).nanos, offset_seconds }
    }
}

impl LocalDateTime {
    /// A day (since 1970-01-01) and a time of day.
    pub fn from_days_and_time(days: i64, time: LocalTime) -> Result<Self, TemporalError> {
        let overflow = TemporalError::Overflow("local datetime");
        if !in_range(days) {
            return Err(overflow);
        }
        let seconds = days * SECONDS_PER_DAY + time.nanos.div_euclid(NANOS_PER_SECOND);
        let nanos = u32::try_from(time.nanos.rem_euclid(NANOS_PER_SECOND)).map_err(|_| overflow)?;
        Ok(Self { seconds, nanos })
    }

    /// A date and a time of day.
    pub fn from_date_and_time(date: Date, time: LocalTime) -> Self {
        Self {
            seconds: date.days_in_calendar() * SECONDS_PER_DAY + time.nanos.div_euclid(NANOS_PER_SECOND),
            nanos: u32::try_from(time.nanos.rem_euclid(NANOS_PER_SECOND)).unwrap_or_default(),
        }
    }

    /// Days since 1970-01-01.
    pub const fn days(self) -> i64 {
        self.seconds.div_euclid(SECONDS_PER_DAY)
    }

    /// The date, if a [`Date`] can hold it.
    pub fn date(self) -> Result<Date, TemporalError> {
        Date::from_days(self.days())
    }

    /// The time of day.
    pub const fn time(self) -> LocalTime {
        LocalTime { nanos: self.seconds.rem_euclid(SECONDS_PER_DAY) * NANOS_PER_SECOND + self.nanos as i64 }
    }
}

impl DateTime {
    /// The instant at which clocks of `zone` show `local`.
    pub fn from_local(local: LocalDateTime, zone: &ZoneId) -> Self {
        Self::from_utc(zone.utc_of_local(local.seconds), local.nanos, zone)
    }

    /// An instant shown in `zone`.
    pub fn from_utc(seconds: i64, nanos: u32, zone: &ZoneId) -> Self {
        Self { seconds, nanos, zone: zone.at(seconds) }
    }

    /// One of the same instant that is ordered before all others: its offset is below those that values have.
    pub fn first_of_instant(&self) -> Self {
        Self { zone: Zone::Offset(-86_400), ..*self }
    }

    /// One of the same instant that is ordered behind all others.
    pub fn last_of_instant(&self) -> Self {
        Self { zone: Zone::Offset(86_400), ..*self }
    }

    /// What clocks of its zone show.
    pub fn local(&self) -> LocalDateTime {
        let seconds = self.seconds.saturating_add(i64::from(self.zone.offset_seconds()));
        LocalDateTime { seconds, nanos: self.nanos }
    }

    /// Another local time in the same zone, keeping the offset if that is still possible.
    pub fn with_local(&self, local: LocalDateTime) -> Self {
        let zone = ZoneId::of(&self.zone);
        let utc = zone
            .utc_of_local_with_offset(local.seconds, self.zone.offset_seconds())
            .unwrap_or_else(|| zone.utc_of_local(local.seconds));
        Self::from_utc(utc, local.nanos, &zone)
    }

    /// The same instant shown in another zone.
    pub fn with_same_instant(&self, zone: &ZoneId) -> Self {
        Self::from_utc(self.seconds, self.nanos, zone)
    }

    /// The local time of day with the offset of this instant.
    pub fn time(&self) -> Time {
        Time { nanos: self.local().time().nanos, offset_seconds: self.zone.offset_seconds() }
    }
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self::Offset(0);
}
