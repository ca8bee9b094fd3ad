//! How dates and times are written in a file: a form for each kind that is not as ISO 8601 has it.

use std::sync::Arc;

use trimorph_types::LogicalType;

use crate::parse::{
    TimeFormat, parse_date, parse_datetime, parse_datetime_in_zone, parse_local_datetime, parse_local_time,
    parse_time,
};

/// Forms by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formats {
    pub(crate) date: Option<Arc<TimeFormat>>,
    pub(crate) time: Option<Arc<TimeFormat>>,
    pub(crate) datetime: Option<Arc<TimeFormat>>,
}

impl Formats {
    /// The form of values of a type; none if it is ISO 8601's.
    pub(crate) fn of(&self, kind: LogicalType) -> Option<&Arc<TimeFormat>> {
        match kind {
            LogicalType::Date => self.date.as_ref(),
            LogicalType::LocalTime | LogicalType::Time => self.time.as_ref(),
            LogicalType::LocalDateTime | LogicalType::DateTime => self.datetime.as_ref(),
            _ => None,
        }
    }

    /// Whether a text is a date or time of a type, as it is written here.
    pub(crate) fn is_valid(&self, text: &[u8], kind: LogicalType) -> bool {
        if let Some(format) = self.of(kind) {
            let has_right_zone =
                format.has_offset() == matches!(kind, LogicalType::DateTime | LogicalType::Time);
            return has_right_zone && format.value(kind, text).is_some();
        }
        match kind {
            LogicalType::Date => parse_date(text).is_some(),
            LogicalType::LocalTime => parse_local_time(text).is_some(),
            LogicalType::Time => parse_time(text).is_some(),
            LogicalType::LocalDateTime => parse_local_datetime(text).is_some(),
            LogicalType::DateTime => parse_datetime(text).is_some() || parse_datetime_in_zone(text).is_some(),
            _ => false,
        }
    }
}
