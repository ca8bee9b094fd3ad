//! The kinds of instant: one list for all functions that make or take them.

/// The kinds of instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
}

impl Kind {
    /// The constructor's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Date => "date()",
            Self::LocalTime => "localtime()",
            Self::Time => "time()",
            Self::LocalDateTime => "localdatetime()",
            Self::DateTime => "datetime()",
        }
    }

    pub(super) const fn has_date(self) -> bool {
        matches!(self, Self::Date | Self::LocalDateTime | Self::DateTime)
    }

    pub(super) const fn has_time(self) -> bool {
        !matches!(self, Self::Date)
    }
}
