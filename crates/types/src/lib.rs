//! Values: what a cell can hold, in every language, with equality, equivalence, order and text form.
//!
//! Data's way through the files: `value` (layout) · `map` · `extent`, `nested` (how large it is) · `decimal`,
//! `literal` (its larger parts) · `compare` (relations) · `temporal` (calendar, zones, ISO 8601, arithmetic)
//! · `format` (text) · `rdf` (values as RDF terms).
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod compare;
mod convert;
mod decimal;
mod extent;
pub mod format;
pub mod iri_names;
mod literal;
mod logical;
mod map;
mod nested;
pub mod number;
mod property_type;
pub mod rdf;
pub mod temporal;
mod value;

#[cfg(test)]
mod decimal_tests;
#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod samples;

pub use compare::{Grouping, compare, equals, equivalent, hash_equivalent, order};
pub use convert::{FromValue, WrongType};
pub use decimal::Decimal;
pub use extent::{EXTENT_MAX, Extent, Nested};
pub use format::{Describe, format_literal, format_value};
pub use literal::{Literal, LiteralKind};
pub use logical::LogicalType;
pub use map::{Entries, Keys, Shape};
pub use nested::ListBuilder;
pub use property_type::PropertyType;
pub use value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Map, Path, Relationship, Time, Value, Zone,
};
