//! Durations from components and from other durations.
//!
//! A fraction of a unit goes down to the next smaller kind: of a month to days (30.436875 of them, 2,629,746
//! s), of a day to seconds, of a second to nanoseconds; what is smaller than that is dropped.

use super::error::TemporalError;
use super::fixed::Fixed;
use super::instant::NANOS_PER_SECOND;
use super::ratio::Ratio;
use crate::value::Duration;

const OVERFLOW: TemporalError = TemporalError::Overflow("duration");

/// Components of a duration, each of any size and sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(missing_docs, reason = "the names are the units'")]
pub struct DurationFields {
    pub years: Fixed,
    pub quarters: Fixed,
    pub months: Fixed,
    pub weeks: Fixed,
    pub days: Fixed,
    pub hours: Fixed,
    pub minutes: Fixed,
    pub seconds: Fixed,
    pub milliseconds: Fixed,
    pub microseconds: Fixed,
    pub nanoseconds: Fixed,
}

impl DurationFields {
    /// The component called `name`, as a map names it: `years`, `months`, …
    pub fn component_mut(&mut self, name: &str) -> Option<&mut Fixed> {
        Some(match name {
            "years" => &mut self.years,
            "quarters" => &mut self.quarters,
            "months" => &mut self.months,
            "weeks" => &mut self.weeks,
            "days" => &mut self.days,
            "hours" => &mut self.hours,
            "minutes" => &mut self.minutes,
            "seconds" => &mut self.seconds,
            "milliseconds" => &mut self.milliseconds,
            "microseconds" => &mut self.microseconds,
            "nanoseconds" => &mut self.nanoseconds,
            _ => return None,
        })
    }

    /// The names [`Self::component_mut`] knows.
    pub const NAMES: [&str; 11] = [
        "years",
        "quarters",
        "months",
        "weeks",
        "days",
        "hours",
        "minutes",
        "seconds",
        "milliseconds",
        "microseconds",
        "nanoseconds",
    ];

    /// The duration these components add up to.
    pub fn duration(&self) -> Result<Duration, TemporalError> {
        // What is below a second is summed in seconds: in nanoseconds it would end at 10^11 of them.
        let sum = |parts: &[(Fixed, i128, i128)]| {
            parts.iter().try_fold(Fixed::ZERO, |sum, (part, numerator, denominator)| {
                part.scale(*numerator, *denominator).and_then(|part| sum.plus(part))
            })
        };
        let months = sum(&[(self.years, 12, 1), (self.quarters, 3, 1), (self.months, 1, 1)]);
        let days = sum(&[(self.weeks, 7, 1), (self.days, 1, 1)]);
        let seconds = sum(&[
            (self.hours, 3_600, 1),
            (self.minutes, 60, 1),
            (self.seconds, 1, 1),
            (self.milliseconds, 1, 1_000),
            (self.microseconds, 1, 1_000_000),
            (self.nanoseconds, 1, NANOS_PER_SECOND.into()),
        ]);
        let parts = (|| Some((months?, days?, seconds?)))().ok_or(OVERFLOW)?;
        from_parts(parts.0, parts.1, parts.2)
    }
}

/// Months, days and seconds, each with its fraction.
fn from_parts(months: Fixed, days: Fixed, seconds: Fixed) -> Result<Duration, TemporalError> {
    let carried = || -> Option<Duration> {
        let (months, rest) = months.split()?;
        let (days, rest) = days.plus(rest.scale(30_436_875, 1_000_000)?)?.split()?;
        let (seconds, rest) = seconds.plus(rest.scale(86_400, 1)?)?.split()?;
        let (nanos, _) = rest.scale(i128::from(NANOS_PER_SECOND), 1)?.split()?;
        Duration::normalized(months, days, seconds, nanos)
    };
    carried().ok_or(OVERFLOW)
}

impl Duration {
    /// A duration of the given parts; nanoseconds may be any number. `None` on overflow.
    #[inline]
    pub fn normalized(months: i64, days: i64, seconds: i64, nanos: i64) -> Option<Self> {
        Some(Self {
            months,
            days,
            seconds: seconds.checked_add(nanos.div_euclid(NANOS_PER_SECOND))?,
            nanos: i32::try_from(nanos.rem_euclid(NANOS_PER_SECOND)).ok()?,
        })
    }

    /// Sum by component.
    pub fn plus(self, other: Self) -> Result<Self, TemporalError> {
        let add = || {
            Self::normalized(
                self.months.checked_add(other.months)?,
                self.days.checked_add(other.days)?,
                self.seconds.checked_add(other.seconds)?,
                i64::from(self.nanos) + i64::from(other.nanos),
            )
        };
        add().ok_or(OVERFLOW)
    }

    /// The same length the other way.
    pub fn negated(self) -> Result<Self, TemporalError> {
        let negate = || {
            Self::normalized(
                self.months.checked_neg()?,
                self.days.checked_neg()?,
                self.seconds.checked_neg()?,
                -i64::from(self.nanos),
            )
        };
        negate().ok_or(OVERFLOW)
    }

    /// Difference by component.
    pub fn minus(self, other: Self) -> Result<Self, TemporalError> {
        // Not the sum with the negative: the smallest integer has none.
        let subtract = || {
            Self::normalized(
                self.months.checked_sub(other.months)?,
                self.days.checked_sub(other.days)?,
                self.seconds.checked_sub(other.seconds)?,
                i64::from(self.nanos) - i64::from(other.nanos),
            )
        };
        subtract().ok_or(OVERFLOW)
    }

    /// Each component times `factor`, fractions going down to smaller components.
    pub fn times(self, factor: Ratio) -> Result<Self, TemporalError> {
        let nanos = Fixed::whole(self.nanos.into()).scale(1, NANOS_PER_SECOND.into());
        let seconds = nanos.and_then(|nanos| nanos.plus(Fixed::whole(self.seconds))).ok_or(OVERFLOW)?;
        let times = |part: Fixed| part.times(factor).ok_or(OVERFLOW);
        from_parts(times(Fixed::whole(self.months))?, times(Fixed::whole(self.days))?, times(seconds)?)
    }

    /// Each component divided by `divisor`, fractions going down to smaller components. `divisor` must not be
    /// zero.
    pub fn divided(self, divisor: Ratio) -> Result<Self, TemporalError> {
        self.times(divisor.inverse().ok_or(OVERFLOW)?)
    }
}
