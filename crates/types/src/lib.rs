//! Values: what a cell can hold, in every language, with equality, equivalence, order and text form.
#![forbid(unsafe_code)]

mod logical;
mod value;

pub use logical::LogicalType;
pub use value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Map, Path, Relationship, Time, Value, Zone};
