//! Truncation: the start of the unit (millennium … microsecond) a moment is in.

use super::calendar::weekday;
use super::calendar::{
    date_from_days, days_from_date, quarter_of_month, quarter_start, week_of, week_year_start,
};
use super::error::TemporalError;
use crate::value::LocalTime;

/// A unit to truncate to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are the units'")]
pub enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    WeekYear,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
}

impl Unit {
    /// All units, the longest first.
    pub const ALL: [Self; 14] = [
        Self::Millennium,
        Self::Century,
        Self::Decade,
        Self::Year,
        Self::WeekYear,
        Self::Quarter,
        Self::Month,
        Self::Week,
        Self::Day,
        Self::Hour,
        Self::Minute,
        Self::Second,
        Self::Millisecond,
        Self::Microsecond,
    ];

    /// The name as openCypher's texts write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Millennium => "millennium",
            Self::Century => "century",
            Self::Decade => "decade",
            Self::Year => "year",
            Self::WeekYear => "weekYear",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
            Self::Microsecond => "microsecond",
        }
    }

    /// Reads a unit, whatever its case.
    pub fn parse(text: &str) -> Result<Self, TemporalError> {
        let unknown = || TemporalError::UnknownUnit(text.to_owned());
        Self::ALL.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(text)).ok_or_else(unknown)
    }

    /// Whether the unit is a day or longer.
    pub fn is_date_unit(self) -> bool {
        self <= Self::Day
    }

    /// First day of the unit that the day `days` (since 1970-01-01) is in; units below a day keep the day.
    pub fn truncate_days(self, days: i64) -> i64 {
        let (year, month, _) = date_from_days(days);
        let year_multiple = |n: i64| days_from_date(year.div_euclid(n) * n, 1, 1);
        match self {
            Self::Millennium => year_multiple(1_000),
            Self::Century => year_multiple(100),
            Self::Decade => year_multiple(10),
            Self::Year => year_multiple(1),
            Self::WeekYear => week_year_start(week_of(days).0),
            Self::Quarter => quarter_start(year, quarter_of_month(month)),
            Self::Month => days_from_date(year, month, 1),
            Self::Week => days - (weekday(days) - 1),
            Self::Day | Self::Hour | Self::Minute | Self::Second | Self::Millisecond | Self::Microsecond => {
                days
            }
        }
    }

    /// Start of the unit that `time` is in; midnight for a day or longer.
    pub fn truncate_time(self, time: LocalTime) -> LocalTime {
        let unit_nanos = match self {
            Self::Hour => 3_600_000_000_000,
            Self::Minute => 60_000_000_000,
            Self::Second => 1_000_000_000,
            Self::Millisecond => 1_000_000,
            Self::Microsecond => 1_000,
            _ => return LocalTime::MIDNIGHT,
        };
        LocalTime { nanos: time.nanos.div_euclid(unit_nanos) * unit_nanos }
    }
}
