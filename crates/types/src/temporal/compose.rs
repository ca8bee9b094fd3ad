//! Instants from components: some fields and perhaps a base value in, a date or time of day out.
//!
//! A date comes from one of four sets: year, month, day · year, week, dayOfWeek · year, ordinalDay · year,
//! quarter, dayOfQuarter. Without a base, a component needs every larger one of its set and smaller ones are
//! their minimum; with a base, whatever is not given is the base's.
//!
//! Source: CIP2015-08-06, "Constructing temporal instant values".

use super::calendar::{
    YEAR_MAX, date_from_days, days_from_date, days_in_month, days_in_quarter, days_in_year, quarter_of_month,
    quarter_start, week_of, week_year_start, weekday, weeks_in_year,
};
use super::error::TemporalError;
use super::instant::{NANOS_PER_SECOND, check};
use crate::value::LocalTime;

/// Components of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(missing_docs, reason = "the names are the components'")]
pub struct DateFields {
    pub year: Option<i64>,
    pub month: Option<i64>,
    pub day: Option<i64>,
    pub week: Option<i64>,
    pub day_of_week: Option<i64>,
    pub ordinal_day: Option<i64>,
    pub quarter: Option<i64>,
    pub day_of_quarter: Option<i64>,
}

impl DateFields {
    /// The names maps use for the components.
    pub const NAMES: [&str; 8] =
        ["year", "month", "day", "week", "dayOfWeek", "ordinalDay", "quarter", "dayOfQuarter"];

    /// The component called `name`.
    pub fn component_mut(&mut self, name: &str) -> Option<&mut Option<i64>> {
        Some(match name {
            "year" => &mut self.year,
            "month" => &mut self.month,
            "day" => &mut self.day,
            "week" => &mut self.week,
            "dayOfWeek" => &mut self.day_of_week,
            "ordinalDay" => &mut self.ordinal_day,
            "quarter" => &mut self.quarter,
            "dayOfQuarter" => &mut self.day_of_quarter,
            _ => return None,
        })
    }

    /// Days since 1970-01-01 of the date these components and `base` (days as well) describe.
    pub fn days(&self, base: Option<i64>) -> Result<i64, TemporalError> {
        if let Some(year) = self.year {
            check("year", year, -YEAR_MAX, YEAR_MAX)?;
        }
        if base.is_none() && self.year.is_none() {
            return Err(TemporalError::Combination("a date needs a year".into()));
        }
        self.check_one_set()?;
        if self.week.is_some() || self.day_of_week.is_some() {
            self.week_date(base)
        } else if let Some(day) = self.ordinal_day {
            let year = self.year_or(base);
            check("ordinalDay", day, 1, days_in_year(year))?;
            Ok(days_from_date(year, 1, 1) + day - 1)
        } else if self.quarter.is_some() || self.day_of_quarter.is_some() {
            self.quarter_date(base)
        } else {
            self.calendar_date(base)
        }
    }

    fn check_one_set(&self) -> Result<(), TemporalError> {
        let sets = [
            ("month or day", self.month.is_some() || self.day.is_some()),
            ("week or dayOfWeek", self.week.is_some() || self.day_of_week.is_some()),
            ("ordinalDay", self.ordinal_day.is_some()),
            ("quarter or dayOfQuarter", self.quarter.is_some() || self.day_of_quarter.is_some()),
        ];
        let mut given = sets.iter().filter(|(_, given)| *given).map(|(name, _)| name);
        match (given.next(), given.next()) {
            (Some(a), Some(b)) => {
                Err(TemporalError::Combination(format!("a date cannot have both {a} and {b}")))
            }
            _ => Ok(()),
        }
    }

    fn year_or(&self, base: Option<i64>) -> i64 {
        self.year.unwrap_or_else(|| base.map_or(1970, |days| date_from_days(days).0))
    }

    fn week_date(&self, base: Option<i64>) -> Result<i64, TemporalError> {
        if base.is_none() && self.week.is_none() {
            return Err(TemporalError::Combination("dayOfWeek needs a week".into()));
        }
        let (base_year, base_week) = base.map_or((1970, 1), week_of);
        let (year, week) = (self.year.unwrap_or(base_year), self.week.unwrap_or(base_week));
        let day = self.day_of_week.unwrap_or_else(|| base.map_or(1, weekday));
        check("week", week, 1, weeks_in_year(year))?;
        check("dayOfWeek", day, 1, 7)?;
        Ok(week_year_start(year) + (week - 1) * 7 + day - 1)
    }

    fn quarter_date(&self, base: Option<i64>) -> Result<i64, TemporalError> {
        if base.is_none() && self.quarter.is_none() {
            return Err(TemporalError::Combination("dayOfQuarter needs a quarter".into()));
        }
        let (_, base_month, base_day) = base.map_or((1970, 1, 1), date_from_days);
        let year = self.year_or(base);
        let quarter = self.quarter.unwrap_or_else(|| quarter_of_month(base_month));
        check("quarter", quarter, 1, 4)?;
        match self.day_of_quarter {
            Some(day) => {
                check("dayOfQuarter", day, 1, days_in_quarter(year, quarter))?;
                Ok(quarter_start(year, quarter) + day - 1)
            }
            None => {
                // The base keeps its place in the quarter: month of the quarter and day of the month.
                let month = (quarter - 1) * 3 + (base_month - 1) % 3 + 1;
                Ok(days_from_date(year, month, base_day.min(days_in_month(year, month))))
            }
        }
    }

    fn calendar_date(&self, base: Option<i64>) -> Result<i64, TemporalError> {
        if base.is_none() && self.day.is_some() && self.month.is_none() {
            return Err(TemporalError::Combination("a day needs a month".into()));
        }
        let (_, base_month, base_day) = base.map_or((1970, 1, 1), date_from_days);
        let (year, month) = (self.year_or(base), self.month.unwrap_or(base_month));
        check("month", month, 1, 12)?;
        let last = days_in_month(year, month);
        if let Some(day) = self.day {
            check("day", day, 1, last)?;
        }
        Ok(days_from_date(year, month, self.day.unwrap_or_else(|| base_day.min(last))))
    }
}

/// Components of a time of day.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(missing_docs, reason = "the names are the components'")]
pub struct TimeFields {
    pub hour: Option<i64>,
    pub minute: Option<i64>,
    pub second: Option<i64>,
    pub millisecond: Option<i64>,
    pub microsecond: Option<i64>,
    pub nanosecond: Option<i64>,
}

impl TimeFields {
    /// The names maps use for the components.
    pub const NAMES: [&str; 6] = ["hour", "minute", "second", "millisecond", "microsecond", "nanosecond"];

    /// The component called `name`.
    pub fn component_mut(&mut self, name: &str) -> Option<&mut Option<i64>> {
        Some(match name {
            "hour" => &mut self.hour,
            "minute" => &mut self.minute,
            "second" => &mut self.second,
            "millisecond" => &mut self.millisecond,
            "microsecond" => &mut self.microsecond,
            "nanosecond" => &mut self.nanosecond,
            _ => return None,
        })
    }

    /// The time of day these components and `base` describe.
    pub fn time(&self, base: Option<LocalTime>) -> Result<LocalTime, TemporalError> {
        if base.is_none() {
            self.check_larger_given()?;
        }
        let (hour, minute, second, nanos) = base.unwrap_or(LocalTime::MIDNIGHT).parts();
        LocalTime::from_parts(
            self.hour.unwrap_or(hour),
            self.minute.unwrap_or(minute),
            self.second.unwrap_or(second),
            self.sub_second()?.unwrap_or(nanos),
        )
    }

    fn check_larger_given(&self) -> Result<(), TemporalError> {
        let sub_second = self.millisecond.or(self.microsecond).or(self.nanosecond);
        let parts = [
            ("hour", self.hour.is_some()),
            ("minute", self.minute.is_some()),
            ("second", self.second.is_some()),
            ("a fraction of a second", sub_second.is_some()),
        ];
        match parts.windows(2).find(|pair| !pair[0].1 && pair[1].1) {
            Some(pair) => {
                Err(TemporalError::Combination(format!("{} needs a value for {}", pair[1].0, pair[0].0)))
            }
            None => Ok(()),
        }
    }

    /// Nanoseconds of the second: the finer components count within the coarser ones that are given.
    fn sub_second(&self) -> Result<Option<i64>, TemporalError> {
        let mut nanos = None;
        let mut limit = NANOS_PER_SECOND;
        for (name, value, unit) in [
            ("millisecond", self.millisecond, 1_000_000),
            ("microsecond", self.microsecond, 1_000),
            ("nanosecond", self.nanosecond, 1),
        ] {
            if let Some(value) = value {
                check(name, value, 0, limit / unit - 1)?;
                nanos = Some(nanos.unwrap_or(0) + value * unit);
                limit = unit;
            }
        }
        Ok(nanos)
    }
}
