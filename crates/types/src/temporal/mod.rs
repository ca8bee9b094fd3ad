//! Temporal values: calendar, time zones, ISO 8601 text, components, truncation, arithmetic, differences.
//!
//! Files in the data's order: `calendar` (days ↔ year, month, day, week) · `tzif`, `posix_zone`, `zone`
//! (offsets of named zones) · `instant` (parts of each type) · `compose` (fields → values) · `fixed`,
//! `ratio`, `duration` · `reader`, `parse_*` · `text` (printing) · `component` (accessors) · `truncate` ·
//! `arithmetic` · `between`.
//!
//! The calendar is the proleptic Gregorian one, years are astronomical (0 is 1 BC). Leap seconds do not
//! exist.
//!
//! Source: openCypher CIP2015-08-06; ISO 8601; the calendar algorithms of H. Hinnant, "chrono-Compatible
//! Low-Level Date Algorithms".

mod arithmetic;
mod between;
pub mod calendar;
mod component;
mod compose;
mod duration;
mod error;
mod fixed;
mod instant;
mod parse;
mod parse_duration;
mod posix_zone;
mod ratio;
mod reader;
mod text;
mod truncate;
mod tzif;
mod zone;

pub use between::{Span, duration_between, duration_in_days, duration_in_months, duration_in_seconds};
pub use component::{component, component_names, duration_component};
pub use compose::{DateFields, TimeFields};
pub use duration::DurationFields;
pub use error::TemporalError;
pub use fixed::Fixed;
pub use parse::{parse_date, parse_datetime, parse_local_datetime, parse_local_time, parse_time};
pub use parse_duration::parse_duration;
pub use ratio::Ratio;
pub use truncate::Unit;
pub use zone::ZoneId;

#[cfg(test)]
mod tests;
