//! Text of one field in, one typed value out; strict, without allocation except for lists.

mod bool;
mod date;
mod decimal;
mod duration;
mod float;
mod format;
mod int;
mod iri;
mod time;

pub(crate) use bool::parse_bool;
pub(crate) use date::{civil_from_days, days_from_civil, parse_date};
pub(crate) use decimal::parse_decimal;
pub(crate) use duration::parse_duration;
pub(crate) use float::parse_float;
pub(crate) use format::TimeFormat;
pub(crate) use int::parse_int;
pub(crate) use iri::parse_iri;
pub(crate) use time::{
    NANOS_PER_SECOND, parse_datetime, parse_datetime_in_zone, parse_local_datetime, parse_local_time,
    parse_time, parse_usual_instant,
};

#[cfg(test)]
mod tests;
