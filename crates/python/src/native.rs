//! The engine's dates and times in, those of Python's module `datetime` out, where these hold them.
//!
//! Date-times and dates are made of bytes in the form in which the module pickles them, which every version of
//! it takes: that parses no arguments, and takes half the time.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDelta, PyTime, PyTzInfo};

/// Fields that are known to be small.
fn small(number: i64) -> u8 {
    u8::try_from(number).unwrap_or_default()
}

/// The two bytes of a year that Python has.
fn year_bytes(year: i64) -> Option<[u8; 2]> {
    let year = u16::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    Some(year.to_be_bytes())
}

/// `datetime.date`, `None` outside the years 1 to 9999.
pub(crate) fn date<'py>(py: Python<'py>, date: trimorph::Date) -> PyResult<Option<Bound<'py, PyDate>>> {
    let (year, month, day) = date.ymd();
    let Some([high, low]) = year_bytes(year) else { return Ok(None) };
    let state = PyBytes::new(py, &[high, low, small(month), small(day)]);
    let date = py.get_type::<PyDate>().call1((state,))?;
    Ok(Some(date.cast_into()?))
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
    let Some([high, low]) = year_bytes(year) else { return Ok(None) };
    let (hour, minute, second, nanos) = local.time().parts();
    let [_, micros @ ..] = micros(nanos).to_be_bytes();
    let [hour, minute, second] = [hour, minute, second].map(small);
    let state = [high, low, small(month), small(day), hour, minute, second, micros[0], micros[1], micros[2]];
    let (class, state) = (py.get_type::<PyDateTime>(), PyBytes::new(py, &state));
    let datetime = match zone {
        Some(zone) => class.call1((state, zone))?,
        None => class.call1((state,))?,
    };
    Ok(Some(datetime.cast_into()?))
}

/// `datetime.timezone` of an offset.
pub(crate) fn fixed_offset(py: Python<'_>, seconds: i32) -> PyResult<Bound<'_, PyTzInfo>> {
    if seconds == 0 {
        return Ok(PyTzInfo::utc(py)?.to_owned());
    }
    PyTzInfo::fixed_offset(py, PyDelta::new(py, 0, seconds, 0, true)?)
}
