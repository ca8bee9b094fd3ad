//! Functions of temporal values, all kinds of instant through the same steps.
//!
//! `fields` reads maps · `construct` makes instants of fields, text, other instants and the clock ·
//! `truncate` · `durations` · `functions` is the table.
//!
//! Source: CIP2015-08-06.

mod construct;
mod durations;
mod fields;
mod functions;
mod truncate;

use crate::function::Function;

/// The kinds of instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
}

impl Kind {
    /// The constructor's name.
    const fn name(self) -> &'static str {
        match self {
            Self::Date => "date()",
            Self::LocalTime => "localtime()",
            Self::Time => "time()",
            Self::LocalDateTime => "localdatetime()",
            Self::DateTime => "datetime()",
        }
    }

    const fn has_date(self) -> bool {
        matches!(self, Self::Date | Self::LocalDateTime | Self::DateTime)
    }

    const fn has_time(self) -> bool {
        !matches!(self, Self::Date)
    }
}

/// All tables.
pub(crate) fn families() -> impl Iterator<Item = &'static [Function]> {
    [functions::CONSTRUCTORS, functions::CLOCKS, functions::TRUNCATIONS, durations::FUNCTIONS].into_iter()
}
