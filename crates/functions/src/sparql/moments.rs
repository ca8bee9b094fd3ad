//! Moments and durations of XML Schema: comparison where one of two may have no offset, and arithmetic.
//!
//! A moment without offset may be any of 28 hours; it compares with one that has an offset only if all of
//! them do alike.
//!
//! Source: XML Schema 1.1 part 2, §3.3.6.1 (durations), §3.3.7.1 (dateTime), §E.3.3.

use std::cmp::Ordering;

use trimorph_types::rdf::lexical::{Moment, Span};
use trimorph_types::rdf::names::xsd;
use trimorph_types::rdf::write_span;
use trimorph_types::temporal::calendar::{add_months, days_from_date};
use trimorph_types::{LocalDateTime, Value};

use super::number::of_datatype;

/// Seconds that an offset has at most.
pub(super) const OFFSET_MAX: i64 = 14 * 3_600;
pub(super) const NANOS_PER_SECOND: i128 = 1_000_000_000;
const NANOS_PER_DAY: i128 = 86_400 * NANOS_PER_SECOND;

/// The moment in UTC, as far as that is known: without offset, its local time.
pub(super) fn utc(moment: Moment) -> LocalDateTime {
    let LocalDateTime { seconds, nanos } = moment.local;
    LocalDateTime { seconds: seconds - i64::from(moment.offset.unwrap_or(0)), nanos }
}

/// How two moments compare, if that is known.
pub(super) fn compare_moments(a: Moment, b: Moment) -> Option<Ordering> {
    let (x, y) = (utc(a), utc(b));
    if a.offset.is_some() == b.offset.is_some() {
        return Some(x.cmp(&y));
    }
    // Either may be that much later or earlier.
    let later = |moment: LocalDateTime, by: i64| LocalDateTime { seconds: moment.seconds + by, ..moment };
    if later(x, OFFSET_MAX) < y {
        Some(Ordering::Less)
    } else if later(x, -OFFSET_MAX) > y {
        Some(Ordering::Greater)
    } else {
        None
    }
}

/// How two durations compare, if they do so whatever the months' lengths.
pub(super) fn compare_spans(a: Span, b: Span) -> Option<Ordering> {
    if a.months == b.months {
        return Some(a.nanos.cmp(&b.nanos));
    }
    if a.nanos == b.nanos {
        return Some(a.months.cmp(&b.months));
    }
    // Added to each of these four days.
    const DAYS: [i64; 4] = [
        days_from_date(1696, 9, 1),
        days_from_date(1697, 2, 1),
        days_from_date(1903, 3, 1),
        days_from_date(1903, 7, 1),
    ];
    let end = |day: i64, span: Span| {
        let days = add_months(day, span.months)?;
        (i128::from(days) * NANOS_PER_DAY).checked_add(span.nanos)
    };
    let mut orders = DAYS.iter().map(|day| Some(end(*day, a)?.cmp(&end(*day, b)?)));
    let first = orders.next()??;
    orders.all(|order| order == Some(first)).then_some(first)
}

/// A moment a duration later: months first, the day brought into its month, then the rest.
pub(super) fn moment_plus(moment: Moment, span: Span) -> Option<Moment> {
    let LocalDateTime { seconds, nanos } = moment.local;
    let days = add_months(seconds.div_euclid(86_400), span.months)?;
    let start = i128::from(days) * NANOS_PER_DAY
        + i128::from(seconds.rem_euclid(86_400)) * NANOS_PER_SECOND
        + i128::from(nanos);
    let total = start.checked_add(span.nanos)?;
    let local = LocalDateTime {
        seconds: i64::try_from(total.div_euclid(NANOS_PER_SECOND)).ok()?,
        nanos: u32::try_from(total.rem_euclid(NANOS_PER_SECOND)).ok()?,
    };
    // A day that the calendar has.
    local.date().ok()?;
    Some(Moment { local, ..moment })
}

/// What lies between two moments; one without offset is taken to be in UTC.
pub(super) fn difference(a: Moment, b: Moment) -> Span {
    let nanos = |moment: Moment| {
        let LocalDateTime { seconds, nanos } = utc(moment);
        i128::from(seconds) * NANOS_PER_SECOND + i128::from(nanos)
    };
    Span { months: 0, nanos: nanos(a) - nanos(b) }
}

/// Which of the three types a duration is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpanType {
    /// `xsd:duration`.
    Any,
    /// `xsd:yearMonthDuration`.
    Months,
    /// `xsd:dayTimeDuration`.
    Time,
}

impl SpanType {
    /// The IRI of the type.
    pub(super) const fn datatype(self) -> &'static str {
        match self {
            Self::Any => xsd::DURATION,
            Self::Months => xsd::YEAR_MONTH_DURATION,
            Self::Time => xsd::DAY_TIME_DURATION,
        }
    }

    /// The literal of a duration; `None` if its parts differ in sign.
    pub(super) fn value(self, span: Span) -> Option<Value> {
        if span.months < 0 && span.nanos > 0 || span.months > 0 && span.nanos < 0 {
            return None;
        }
        let mut text = String::new();
        if self == Self::Months && span.months == 0 {
            text.push_str("P0M");
        } else {
            write_span(&mut text, span).ok()?;
        }
        Some(of_datatype(text, self.datatype()))
    }
}
