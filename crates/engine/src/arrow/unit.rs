//! Units of instants: how finely each tells them, and how far it reaches.

use arrow_schema::TimeUnit;

/// Units of instants, by how finely they tell them: nanoseconds reach the years 1677 to 2262, microseconds
/// some 292,000 years, milliseconds 292 million. Arrow's seconds are left out: Parquet and Polars have none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    Milli,
    Micro,
    Nano,
}

impl Unit {
    pub(super) const ALL: [Self; 3] = [Self::Nano, Self::Micro, Self::Milli];

    const fn per_second(self) -> i64 {
        match self {
            Self::Milli => 1_000,
            Self::Micro => 1_000_000,
            Self::Nano => 1_000_000_000,
        }
    }

    /// An instant in this unit, what is finer cut off; `None` if it does not fit.
    pub(super) fn count(self, seconds: i64, nanos: u32) -> Option<i64> {
        let below = i64::from(nanos) / (Self::Nano.per_second() / self.per_second());
        // Just before the first second that fits, the part of a second makes it fit.
        let ahead = seconds.checked_add(1)?.checked_mul(self.per_second());
        match seconds.checked_mul(self.per_second()) {
            Some(whole) => whole.checked_add(below),
            None => ahead?.checked_add(below - self.per_second()),
        }
    }

    /// The coarsest in which the nanoseconds of a second are whole.
    pub(super) fn needed(nanos: i64) -> Self {
        match nanos {
            whole if whole % 1_000_000 == 0 => Self::Milli,
            whole if whole % 1_000 == 0 => Self::Micro,
            _ => Self::Nano,
        }
    }

    pub(super) fn time_unit(self) -> TimeUnit {
        match self {
            Self::Milli => TimeUnit::Millisecond,
            Self::Micro => TimeUnit::Microsecond,
            Self::Nano => TimeUnit::Nanosecond,
        }
    }
}
