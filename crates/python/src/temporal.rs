//! Temporal values that Python's own types cannot hold: a nanosecond, a year beyond 9999, a named zone,
//! months besides days.
#![expect(clippy::wrong_self_convention, reason = "methods of Python classes take `&self`")]

use std::cmp::Ordering;
use std::fmt;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyTime, PyTzInfo};
use trimorph::temporal::{self, ZoneId};

use crate::native;

/// A value error with the text of an engine error.
fn invalid(error: impl fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What all the classes have: text, `parse`, `__repr__` and pickling through the text.
macro_rules! text_methods {
    ($name:ident, $python:literal, $parse:expr, { $($body:tt)* }) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        #[pymethods]
        impl $name {
            $($body)*

            /// Reads the openCypher text form.
            #[staticmethod]
            fn parse(text: &str) -> PyResult<Self> {
                let parse = $parse;
                parse(text).map(Self).map_err(invalid)
            }

            fn __repr__(&self) -> String {
                format!(concat!("trimorph.", $python, ".parse('{}')"), self.0)
            }

            fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (String,))> {
                Ok((py.get_type::<Self>().getattr("parse")?.unbind(), (self.0.to_string(),)))
            }
        }
    };
}

/// A day of any year.
#[pyclass(frozen, eq, ord, hash, str, module = "trimorph")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash)]
pub(crate) struct Date(pub(crate) trimorph::Date);

text_methods!(Date, "Date", temporal::parse_date, {
    #[new]
    fn new(year: i64, month: i64, day: i64) -> PyResult<Self> {
        trimorph::Date::from_ymd(year, month, day).map(Self).map_err(invalid)
    }

    #[getter]
    fn year(&self) -> i64 {
        self.0.ymd().0
    }

    #[getter]
    fn month(&self) -> i64 {
        self.0.ymd().1
    }

    #[getter]
    fn day(&self) -> i64 {
        self.0.ymd().2
    }

    /// As `datetime.date`; `OverflowError` outside the years 1 to 9999.
    fn to_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDate>> {
        native::date(py, self.0)?.ok_or_else(|| beyond(&self.0))
    }
});

fn beyond(value: &impl fmt::Display) -> PyErr {
    PyOverflowError::new_err(format!("{value} is outside the years 1 to 9999 that Python's datetime holds"))
}

/// A time of day without zone, to the nanosecond.
#[pyclass(frozen, eq, ord, hash, str, module = "trimorph")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash)]
pub(crate) struct LocalTime(pub(crate) trimorph::LocalTime);

text_methods!(LocalTime, "LocalTime", temporal::parse_local_time, {
    #[new]
    #[pyo3(signature = (hour, minute = 0, second = 0, nanosecond = 0))]
    fn new(hour: i64, minute: i64, second: i64, nanosecond: i64) -> PyResult<Self> {
        trimorph::LocalTime::from_parts(hour, minute, second, nanosecond).map(Self).map_err(invalid)
    }

    #[getter]
    fn hour(&self) -> i64 {
        self.0.parts().0
    }

    #[getter]
    fn minute(&self) -> i64 {
        self.0.parts().1
    }

    #[getter]
    fn second(&self) -> i64 {
        self.0.parts().2
    }

    #[getter]
    fn nanosecond(&self) -> i64 {
        self.0.parts().3
    }

    /// As `datetime.time`, cut to microseconds.
    fn to_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTime>> {
        native::time(py, self.0, None)
    }
});

/// A time of day with an offset from UTC, to the nanosecond.
#[pyclass(frozen, eq, ord, hash, str, module = "trimorph")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Time(pub(crate) trimorph::Time);

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let key = |t: &Self| (t.0.nanos - i64::from(t.0.offset_seconds) * 1_000_000_000, t.0.offset_seconds);
        key(self).partial_cmp(&key(other))
    }
}

text_methods!(Time, "Time", |text| temporal::parse_time(text, 0), {
    #[new]
    #[pyo3(signature = (hour, minute = 0, second = 0, nanosecond = 0, offset_seconds = 0))]
    fn new(hour: i64, minute: i64, second: i64, nanosecond: i64, offset_seconds: i32) -> PyResult<Self> {
        let local = trimorph::LocalTime::from_parts(hour, minute, second, nanosecond).map_err(invalid)?;
        check_offset(offset_seconds)?;
        Ok(Self(trimorph::Time { nanos: local.nanos, offset_seconds }))
    }

    #[getter]
    fn hour(&self) -> i64 {
        self.0.local().parts().0
    }

    #[getter]
    fn minute(&self) -> i64 {
        self.0.local().parts().1
    }

    #[getter]
    fn second(&self) -> i64 {
        self.0.local().parts().2
    }

    #[getter]
    fn nanosecond(&self) -> i64 {
        self.0.local().parts().3
    }

    #[getter]
    fn offset_seconds(&self) -> i32 {
        self.0.offset_seconds
    }

    /// As `datetime.time` with a fixed offset, cut to microseconds.
    fn to_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTime>> {
        native::time(py, self.0.local(), Some(self.0.offset_seconds))
    }
});

/// Largest offset from UTC, as ISO 8601 implementations have it.
pub(crate) const OFFSET_SECONDS_MAX: i32 = 18 * 3600;

fn check_offset(seconds: i32) -> PyResult<()> {
    if seconds.abs() <= OFFSET_SECONDS_MAX {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("an offset of {seconds} seconds is more than 18 hours")))
}

/// A date and time of day without zone, to the nanosecond, of any year.
#[pyclass(frozen, eq, ord, hash, str, module = "trimorph")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash)]
pub(crate) struct LocalDateTime(pub(crate) trimorph::LocalDateTime);

/// Year, month, day, hour, minute, second, nanosecond.
fn fields(local: trimorph::LocalDateTime) -> [i64; 7] {
    let (year, month, day) = temporal::calendar::date_from_days(local.days());
    let (hour, minute, second, nanos) = local.time().parts();
    [year, month, day, hour, minute, second, nanos]
}

pub(crate) fn local(
    [year, month, day, hour, minute, second, nanos]: [i64; 7],
) -> PyResult<trimorph::LocalDateTime> {
    let date = trimorph::Date::from_ymd(year, month, day).map_err(invalid)?;
    let time = trimorph::LocalTime::from_parts(hour, minute, second, nanos).map_err(invalid)?;
    Ok(trimorph::LocalDateTime::from_date_and_time(date, time))
}

text_methods!(LocalDateTime, "LocalDateTime", temporal::parse_local_datetime, {
    #[new]
    #[pyo3(signature = (year, month, day, hour = 0, minute = 0, second = 0, nanosecond = 0))]
    fn new(
        year: i64,
        month: i64,
        day: i64,
        hour: i64,
        minute: i64,
        second: i64,
        nanosecond: i64,
    ) -> PyResult<Self> {
        local([year, month, day, hour, minute, second, nanosecond]).map(Self)
    }

    #[getter]
    fn year(&self) -> i64 {
        fields(self.0)[0]
    }

    #[getter]
    fn month(&self) -> i64 {
        fields(self.0)[1]
    }

    #[getter]
    fn day(&self) -> i64 {
        fields(self.0)[2]
    }

    #[getter]
    fn hour(&self) -> i64 {
        fields(self.0)[3]
    }

    #[getter]
    fn minute(&self) -> i64 {
        fields(self.0)[4]
    }

    #[getter]
    fn second(&self) -> i64 {
        fields(self.0)[5]
    }

    #[getter]
    fn nanosecond(&self) -> i64 {
        fields(self.0)[6]
    }

    /// As `datetime.datetime`, cut to microseconds; `OverflowError` outside the years 1 to 9999.
    fn to_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDateTime>> {
        native::datetime(py, self.0, None)?.ok_or_else(|| beyond(&self.0))
    }
});

/// An instant and the zone it is shown in, to the nanosecond, of any year.
#[pyclass(frozen, eq, ord, hash, str, module = "trimorph")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct DateTime(pub(crate) trimorph::DateTime);

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let name = |d: &Self| {
            if let trimorph::Zone::Named { name, .. } = &d.0.zone { Some(name.clone()) } else { None }
        };
        let key = |d: &Self| (d.0.seconds, d.0.nanos, d.0.zone.offset_seconds(), name(d));
        key(self).partial_cmp(&key(other))
    }
}

text_methods!(DateTime, "DateTime", |text| temporal::parse_datetime(text, &ZoneId::UTC), {
    /// `zone` is `Z`, an offset such as `+01:00`, or a name such as `Europe/Stockholm`; of a local time that
    /// a named zone has twice, `offset_seconds` says which is meant (the earlier otherwise).
    #[new]
    #[pyo3(signature = (year, month, day, hour = 0, minute = 0, second = 0, nanosecond = 0, zone = "Z", offset_seconds = None))]
    #[expect(clippy::too_many_arguments, reason = "a date, a time and a zone")]
    fn new(
        year: i64,
        month: i64,
        day: i64,
        hour: i64,
        minute: i64,
        second: i64,
        nanosecond: i64,
        zone: &str,
        offset_seconds: Option<i32>,
    ) -> PyResult<Self> {
        let local = local([year, month, day, hour, minute, second, nanosecond])?;
        let zone = ZoneId::parse(zone).map_err(invalid)?;
        Ok(Self(in_zone(local, &zone, offset_seconds)))
    }

    #[getter]
    fn year(&self) -> i64 {
        fields(self.0.local())[0]
    }

    #[getter]
    fn month(&self) -> i64 {
        fields(self.0.local())[1]
    }

    #[getter]
    fn day(&self) -> i64 {
        fields(self.0.local())[2]
    }

    #[getter]
    fn hour(&self) -> i64 {
        fields(self.0.local())[3]
    }

    #[getter]
    fn minute(&self) -> i64 {
        fields(self.0.local())[4]
    }

    #[getter]
    fn second(&self) -> i64 {
        fields(self.0.local())[5]
    }

    #[getter]
    fn nanosecond(&self) -> i64 {
        fields(self.0.local())[6]
    }

    /// Seconds east of UTC at this instant.
    #[getter]
    fn offset_seconds(&self) -> i32 {
        self.0.zone.offset_seconds()
    }

    /// The zone's name, `None` for a fixed offset.
    #[getter]
    fn zone(&self) -> Option<String> {
        if let trimorph::Zone::Named { name, .. } = &self.0.zone { Some(name.to_string()) } else { None }
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    #[getter]
    fn epoch_seconds(&self) -> i64 {
        self.0.seconds
    }

    /// As `datetime.datetime`, cut to microseconds, with a fixed offset or `zoneinfo.ZoneInfo`;
    /// `OverflowError` outside the years 1 to 9999.
    fn to_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let trimorph::Zone::Named { name, .. } = &self.0.zone else {
            let zone = native::fixed_offset(py, self.0.zone.offset_seconds())?;
            let native = native::datetime(py, self.0.local(), Some(&zone))?;
            return Ok(native.ok_or_else(|| beyond(&self.0))?.into_any());
        };
        // By way of UTC: only the zone itself knows which of two equal local times it is, and its data may be
        // newer than ours.
        let (zone, utc) = (PyTzInfo::timezone(py, &**name)?, PyTzInfo::utc(py)?);
        let instant = trimorph::LocalDateTime { seconds: self.0.seconds, nanos: self.0.nanos };
        let instant = native::datetime(py, instant, Some(&utc))?.ok_or_else(|| beyond(&self.0))?;
        instant.call_method1("astimezone", (zone,))
    }
});

/// The instant at which clocks of `zone` show `local`, with `offset` if they can.
pub(crate) fn in_zone(
    local: trimorph::LocalDateTime,
    zone: &ZoneId,
    offset: Option<i32>,
) -> trimorph::DateTime {
    match offset.and_then(|o| zone.utc_of_local_with_offset(local.seconds, o)) {
        Some(utc) => trimorph::DateTime::from_utc(utc, local.nanos, zone),
        None => trimorph::DateTime::from_local(local, zone),
    }
}

/// Months, days, seconds and nanoseconds, kept apart as openCypher does.
#[pyclass(frozen, eq, hash, str, module = "trimorph")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Duration(pub(crate) trimorph::Duration);

text_methods!(Duration, "Duration", temporal::parse_duration, {
    /// Nanoseconds beyond a second are carried into the seconds; nothing else is carried.
    #[new]
    #[pyo3(signature = (months = 0, days = 0, seconds = 0, nanos = 0))]
    fn new(months: i64, days: i64, seconds: i64, nanos: i64) -> PyResult<Self> {
        let duration = trimorph::Duration::normalized(months, days, seconds, nanos);
        duration
            .map(Self)
            .ok_or_else(|| PyOverflowError::new_err("the seconds of a duration do not fit in 64 bits"))
    }

    #[getter]
    fn months(&self) -> i64 {
        self.0.months
    }

    #[getter]
    fn days(&self) -> i64 {
        self.0.days
    }

    #[getter]
    fn seconds(&self) -> i64 {
        self.0.seconds
    }

    #[getter]
    fn nanos(&self) -> i32 {
        self.0.nanos
    }

    /// As `datetime.timedelta`, cut to microseconds; `ValueError` if there are months, which have no fixed
    /// length.
    fn to_native<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDelta>> {
        if self.0.months != 0 {
            return Err(PyValueError::new_err(format!("{} has months, which have no fixed length", self.0)));
        }
        let too_long =
            || PyOverflowError::new_err(format!("{} is longer than datetime.timedelta holds", self.0));
        let day = self.0.seconds.div_euclid(86_400).checked_add(self.0.days);
        let days = day
            .and_then(|d| i32::try_from(d).ok())
            .filter(|d| d.abs() <= 999_999_999)
            .ok_or_else(too_long)?;
        let seconds = i32::try_from(self.0.seconds.rem_euclid(86_400)).map_err(invalid)?;
        PyDelta::new(py, days, seconds, self.0.nanos / 1000, true)
    }
});

/// A duration of a `datetime.timedelta`'s fields.
pub(crate) fn from_delta(days: i32, seconds: i32, microseconds: i32, below: i64) -> trimorph::Duration {
    let nanos = i64::from(microseconds) * 1000 + below;
    trimorph::Duration::normalized(0, i64::from(days), i64::from(seconds), nanos).unwrap_or_default()
}
