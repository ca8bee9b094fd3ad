//! The rule of a zone for all later years, such as `CET-1CEST,M3.5.0,M10.5.0/3`: text in, offset at a time
//! out.
//!
//! Grammar: name offset \[name \[offset\] , start \[/time\] , end \[/time\]\]; a name is letters or `<…>`; an
//! offset is hours west of UTC; a day is `Mm.w.d`, `Jn` (1–365, never February 29th) or `n` (0–365).
//!
//! Source: POSIX.1-2017 §8.3 (`TZ`), RFC 9636 §3.3.1 (hours from -167 to 167).

use std::ops::Range;

use super::calendar::{date_from_days, days_from_date, days_in_month, is_leap_year, weekday};

/// Standard time, and daylight time if the zone has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PosixRule {
    standard: i32,
    daylight: Option<Daylight>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Daylight {
    offset: i32,
    start: Change,
    end: Change,
}

/// A day of the year and the local second of that day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    day: Day,
    second: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Day {
    /// Month, week (5 is the last), weekday (0 is Sunday).
    MonthWeek(i64, i64, i64),
    /// 1–365, February 29th not counted.
    Julian(i64),
    /// 0–365.
    Zero(i64),
}

impl PosixRule {
    /// Reads a rule; `None` if the text is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader(text);
        reader.name()?;
        let standard = -reader.clock()?;
        if reader.0.is_empty() {
            return Some(Self { standard: i32::try_from(standard).ok()?, daylight: None });
        }
        reader.name()?;
        let daylight = if reader.0.starts_with(',') { standard + 3_600 } else { -reader.clock()? };
        let start = reader.change()?;
        let end = reader.change()?;
        let daylight = Daylight { offset: i32::try_from(daylight).ok()?, start, end };
        Some(Self { standard: i32::try_from(standard).ok()?, daylight: Some(daylight) })
    }

    /// Seconds east of UTC at the UTC second `utc`.
    pub(super) fn offset_at(&self, utc: i64) -> i32 {
        let Some(daylight) = self.daylight else { return self.standard };
        let local = utc.saturating_add(i64::from(self.standard));
        let (year, _, _) = date_from_days(local.div_euclid(86_400));
        let start = daylight.start.utc(year, self.standard);
        let end = daylight.end.utc(year, daylight.offset);
        let inside = if start < end { (start..end).contains(&utc) } else { !(end..start).contains(&utc) };
        if inside { daylight.offset } else { self.standard }
    }

    /// The same, and seconds around it that have the same offset.
    pub(super) fn run_at(&self, utc: i64) -> (i32, Range<i64>) {
        let offset = self.offset_at(utc);
        let Some(daylight) = self.daylight else { return (offset, i64::MIN..i64::MAX) };
        let standard = i64::from(self.standard);
        let (year, _, _) = date_from_days(utc.saturating_add(standard).div_euclid(86_400));
        // The changes of a year are those of the year that standard time shows.
        let first = |year| days_from_date(year, 1, 1).saturating_mul(86_400).saturating_sub(standard);
        let (start, end) = (daylight.start.utc(year, self.standard), daylight.end.utc(year, daylight.offset));
        let mut run = first(year)..first(year + 1);
        for change in [start, end] {
            if change <= utc {
                run.start = run.start.max(change);
            } else {
                run.end = run.end.min(change);
            }
        }
        (offset, run)
    }
}

impl Change {
    /// The UTC second of this change in `year`, `offset` being what holds before it.
    fn utc(&self, year: i64, offset: i32) -> i64 {
        self.day.days(year) * 86_400 + self.second - i64::from(offset)
    }
}

impl Day {
    fn days(self, year: i64) -> i64 {
        match self {
            Self::MonthWeek(month, week, day) => {
                let first = days_from_date(year, month, 1);
                let to_first = (day - weekday(first)).rem_euclid(7);
                let in_month = to_first + (week - 1) * 7;
                let last = days_in_month(year, month) - 1;
                first + if in_month > last { in_month - 7 } else { in_month }
            }
            Self::Julian(n) => days_from_date(year, 1, 1) + n - 1 + i64::from(is_leap_year(year) && n >= 60),
            Self::Zero(n) => days_from_date(year, 1, 1) + n,
        }
    }
}

struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn eat(&mut self, prefix: char) -> Option<()> {
        self.0 = self.0.strip_prefix(prefix)?;
        Some(())
    }

    fn name(&mut self) -> Option<()> {
        let end = if self.0.starts_with('<') {
            self.0.find('>')? + 1
        } else {
            self.0.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.0.len())
        };
        self.0 = &self.0[end..];
        (end > 0).then_some(())
    }

    fn number(&mut self) -> Option<i64> {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        digits.parse().ok().filter(|n| *n < 1_000)
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    fn clock(&mut self) -> Option<i64> {
        let negative = self.eat('-').is_some();
        if !negative {
            _ = self.eat('+');
        }
        let mut seconds = self.number()? * 3_600;
        for unit in [60, 1] {
            if self.eat(':').is_none() {
                break;
            }
            seconds += self.number()? * unit;
        }
        Some(if negative { -seconds } else { seconds })
    }

    fn change(&mut self) -> Option<Change> {
        self.eat(',')?;
        let day = if self.eat('M').is_some() {
            let month = self.number().filter(|m| (1..=12).contains(m))?;
            self.eat('.')?;
            let week = self.number().filter(|w| (1..=5).contains(w))?;
            self.eat('.')?;
            Day::MonthWeek(month, week, self.number().filter(|d| *d < 7)?)
        } else if self.eat('J').is_some() {
            Day::Julian(self.number()?)
        } else {
            Day::Zero(self.number()?)
        };
        let second = if self.eat('/').is_some() { self.clock()? } else { 7_200 };
        Some(Change { day, second })
    }
}
