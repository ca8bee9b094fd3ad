//! What can be wrong with a temporal value's text, fields or result.

use std::fmt;

/// Why a temporal value could not be made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TemporalError {
    /// The text is not in a form this type is written in.
    Text {
        /// Such as `date`.
        kind: &'static str,
        /// The text.
        text: String,
    },
    /// A component is outside its range.
    Component {
        /// Such as `month`.
        name: &'static str,
        /// What it was.
        value: i64,
    },
    /// A component is given without the larger one it is part of, or together with one it excludes.
    Combination(String),
    /// The time zone is not in the database and not an offset.
    Zone(String),
    /// The text names a zone and an offset that zone never has at that time.
    ZoneOffset(String),
    /// The result is outside the range of its type.
    Overflow(&'static str),
    /// The unit cannot be used here.
    Unit(String),
    /// There is no unit of that name.
    UnknownUnit(String),
}

impl fmt::Display for TemporalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { kind, text } => write!(f, "cannot read \"{text}\" as a {kind}"),
            Self::Component { name, value } => write!(f, "{name} {value} is out of range"),
            Self::Combination(what) => f.write_str(what),
            Self::Zone(name) => write!(f, "unknown time zone \"{name}\""),
            Self::ZoneOffset(name) => {
                write!(f, "time zone \"{name}\" does not have that offset at that time")
            }
            Self::Overflow(kind) => write!(f, "the result is outside the range of a {kind}"),
            Self::Unit(what) => f.write_str(what),
            Self::UnknownUnit(name) => write!(f, "unknown unit \"{name}\""),
        }
    }
}

impl std::error::Error for TemporalError {}
