//! The engine's dates and times in, those of Python's module `datetime` out, where these hold them.

use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyTime, PyTzInfo};

/// Fields that are known to be small.
fn small(number: i64) -> u8 {
    u8::try_from(number).unwrap_or_default()
}

/// `datetime.date`, `None` outside the years 1 to 9999.
pub(crate) fn date<'py>(py: Python<'py>, date: trimorph::Date) -> PyResult<Option<Bound<'py, PyDate>>> {
    let (year, month, day) = date.ymd();
    match i32::try_from(year) {
        Ok(year @ 1..=9999) => PyDate::new(py, year, small(month), small(day)).map(Some),
        _ => Ok(None),
    }
}

/// `datetime.time`, cut to microseconds.
pub(crate) fn time<'py>(
    py: Python<'py>,
    time: trimorph::LocalTime,
    offset: Option<i32>,
) -> PyResult<Bound<'py, PyTime>> {
    let (hour, minute, second, nanos) = time.parts();
    let zone = offset.map(|seconds| fixed_offset(py, seconds)).transpose()?;
    PyTime::new(py, small(hour), small(minute), small(second), micros(nanos), zone.as_ref())
}

fn micros(nanos: i64) -> u32 {
    u32::try_from(nanos / 1000).unwrap_or_default()
}

/// `datetime.datetime`, cut to microseconds; `None` outside the years 1 to 9999.
pub(crate) fn datetime<'py>(
    py: Python<'py>,
    local: trimorph::LocalDateTime,
    zone: Option<&Bound<'py, PyTzInfo>>,
) -> PyResult<Option<Bound<'py, PyDateTime>>> {
    let (year, month, day) = trimorph::temporal::calendar::date_from_days(local.days());
    let Ok(year @ 1..=9999) = i32::try_from(year) else { return Ok(None) };
    let (hour, minute, second, nanos) = local.time().parts();
    let (month, day) = (small(month), small(day));
    PyDateTime::new(py, year, month, day, small(hour), small(minute), small(second), micros(nanos), zone)
        .map(Some)
}

/// `datetime.timezone` of an offset.
pub(crate) fn fixed_offset(py: Python<'_>, seconds: i32) -> PyResult<Bound<'_, PyTzInfo>> {
    if seconds == 0 {
        return Ok(PyTzInfo::utc(py)?.to_owned());
    }
    PyTzInfo::fixed_offset(py, PyDelta::new(py, 0, seconds, 0, true)?)
}
