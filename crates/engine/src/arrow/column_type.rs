//! Types of values in, the Arrow type that holds all of them out.
//!
//! Types are joined as values are seen; the order in which they are seen does not matter:
//! 1. null has no type and joins anything;
//! 2. integers and floats are floats; integers and decimals are decimals;
//! 3. decimals are `Decimal128` of all 38 digits, with as many behind the point as the longest has, where all
//!    fit that;
//! 4. instants are nanoseconds where they fit that, else the coarser unit that all fit and none loses
//!    anything in; where there is none they are text, and so are dates whose days do not fit 32 bits, and a
//!    notice says so;
//! 5. anything else together is text, and so are lists, maps, nodes, relationships, paths, durations, zoned
//!    times and RDF terms.

use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, TimeUnit};
use trimorph_types::{Decimal, LogicalType, Value};

/// The type of a column of a result, as far as its values were seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColumnType {
    /// Nothing but nulls.
    Unknown,
    /// One of the types that Arrow has too, strings among them.
    Plain(LogicalType),
    /// At most so many digits before and behind the point.
    Decimal { whole: u8, scale: u8 },
    /// Dates and times of day, zoned or not: the unit that the finest needs, and the finest that the furthest
    /// fits in.
    Instant { zoned: bool, needs: Unit, reach: Unit },
    /// The text form of dates or instants that no Arrow type holds together.
    Spelled(LogicalType),
    /// The openCypher text form.
    Text,
}

/// Units of instants, by how finely they tell them: nanoseconds reach the years 1677 to 2262, microseconds
/// some 292,000 years, milliseconds 292 million. Arrow's seconds are left out: Parquet and Polars have none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    Milli,
    Micro,
    Nano,
}

impl Unit {
    const ALL: [Self; 3] = [Self::Nano, Self::Micro, Self::Milli];

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
    fn needed(nanos: i64) -> Self {
        match nanos {
            whole if whole % 1_000_000 == 0 => Self::Milli,
            whole if whole % 1_000 == 0 => Self::Micro,
            _ => Self::Nano,
        }
    }

    fn time_unit(self) -> TimeUnit {
        match self {
            Self::Milli => TimeUnit::Millisecond,
            Self::Micro => TimeUnit::Microsecond,
            Self::Nano => TimeUnit::Nanosecond,
        }
    }
}

/// Digits of the largest `i64`.
const INT_DIGITS: u8 = 19;

/// Digits behind the point that a stream leaves room for, because the ones to come may have more than the
/// first: as many as a quotient has.
const STREAM_SCALE: u8 = 18;

impl ColumnType {
    /// What a query says of its column; that of decimals is settled by its values.
    pub(super) fn declared(ty: LogicalType) -> Self {
        match ty {
            LogicalType::Any | LogicalType::Decimal => Self::Unknown,
            LogicalType::Bool
            | LogicalType::Int
            | LogicalType::Float
            | LogicalType::String
            | LogicalType::Date
            | LogicalType::LocalTime => Self::Plain(ty),
            LogicalType::LocalDateTime => Self::in_nanos(false),
            LogicalType::DateTime => Self::in_nanos(true),
            _ => Self::Text,
        }
    }

    /// Instants that fit nanoseconds.
    pub(super) const fn in_nanos(zoned: bool) -> Self {
        Self::Instant { zoned, needs: Unit::Milli, reach: Unit::Nano }
    }

    /// Whether this is the type of instants in nanoseconds.
    pub(super) fn is_in_nanos(self) -> bool {
        matches!(self, Self::Instant { reach: Unit::Nano, .. })
    }

    /// Whether values of this type, of which a query says no more, may turn out to be of another.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Unknown | Self::Instant { .. })
    }

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Decimal(number) => Self::of_decimal(*number),
            Value::LocalDateTime(t) => Self::of_instant(false, t.seconds, t.nanos),
            Value::DateTime(t) => Self::of_instant(true, t.seconds, t.nanos),
            Value::Date(date) if i32::try_from(date.days).is_err() => Self::Spelled(LogicalType::Date),
            other => Self::declared(other.logical_type()),
        }
    }

    fn of_instant(zoned: bool, seconds: i64, nanos: u32) -> Self {
        let reach = Unit::ALL.into_iter().find(|unit| unit.count(seconds, nanos).is_some());
        let needs = Unit::needed(nanos.into());
        reach.map_or(Self::spelled(zoned), |reach| Self::instant(zoned, needs, reach))
    }

    /// The exact type of instants that are nanoseconds already.
    pub(super) fn of_nanos(zoned: bool, nanos: impl Iterator<Item = i64>) -> Self {
        let mut needs = Unit::Milli;
        for nanos in nanos {
            needs = needs.max(Unit::needed(nanos));
            if needs == Unit::Nano {
                break;
            }
        }
        Self::instant(zoned, needs, Unit::Nano)
    }

    fn instant(zoned: bool, needs: Unit, reach: Unit) -> Self {
        if needs <= reach { Self::Instant { zoned, needs, reach } } else { Self::spelled(zoned) }
    }

    fn spelled(zoned: bool) -> Self {
        Self::Spelled(if zoned { LogicalType::DateTime } else { LogicalType::LocalDateTime })
    }

    /// The type of values that [`Self::Spelled`] may spell, where this is of one such.
    fn spells(self) -> Option<LogicalType> {
        match self {
            Self::Spelled(ty) | Self::Plain(ty @ LogicalType::Date) => Some(ty),
            Self::Instant { zoned: true, .. } => Some(LogicalType::DateTime),
            Self::Instant { zoned: false, .. } => Some(LogicalType::LocalDateTime),
            _ => None,
        }
    }

    fn of_decimal(number: Decimal) -> Self {
        let digits = number.unscaled().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
        let digits = u8::try_from(digits).unwrap_or(Decimal::DIGITS_MAX);
        Self::Decimal { whole: digits.saturating_sub(number.scale()), scale: number.scale() }
    }

    /// The type that holds values of both.
    pub(super) fn join(self, other: Self) -> Self {
        use LogicalType::{Float, Int};
        match (self, other) {
            (Self::Unknown, ty) | (ty, Self::Unknown) => ty,
            (a, b) if a == b => a,
            (Self::Plain(Int), Self::Plain(Float)) | (Self::Plain(Float), Self::Plain(Int)) => {
                Self::Plain(Float)
            }
            (Self::Plain(Int), Self::Decimal { whole, scale })
            | (Self::Decimal { whole, scale }, Self::Plain(Int)) => {
                Self::decimal(whole.max(INT_DIGITS), scale)
            }
            (Self::Decimal { whole: a, scale: s }, Self::Decimal { whole: b, scale: t }) => {
                Self::decimal(a.max(b), s.max(t))
            }
            (
                Self::Instant { zoned, needs: a, reach: s },
                Self::Instant { zoned: other, needs: b, reach: t },
            ) if zoned == other => Self::instant(zoned, a.max(b), s.min(t)),
            (a, b) => match (a.spells(), b.spells()) {
                (Some(x), Some(y)) if x == y => Self::Spelled(x),
                _ => Self::Text,
            },
        }
    }

    fn decimal(whole: u8, scale: u8) -> Self {
        if whole + scale <= DECIMAL128_MAX_PRECISION { Self::Decimal { whole, scale } } else { Self::Text }
    }

    /// The type for a column of which only the first values were seen.
    pub(super) fn with_room(self) -> Self {
        match self {
            Self::Decimal { whole, scale }
                if scale <= STREAM_SCALE && whole <= DECIMAL128_MAX_PRECISION - STREAM_SCALE =>
            {
                Self::Decimal { whole, scale: STREAM_SCALE }
            }
            other => other,
        }
    }

    /// Whether a column of this type can hold values of `other`.
    pub(super) fn holds(self, other: Self) -> bool {
        self.join(other).data_type() == self.data_type()
    }

    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::Plain(LogicalType::Bool) => DataType::Boolean,
            Self::Plain(LogicalType::Int) => DataType::Int64,
            Self::Plain(LogicalType::Float) => DataType::Float64,
            Self::Plain(LogicalType::Date) => DataType::Date32,
            Self::Plain(LogicalType::LocalTime) => DataType::Time64(TimeUnit::Nanosecond),
            Self::Instant { zoned, reach, .. } => {
                DataType::Timestamp(reach.time_unit(), zoned.then(|| "UTC".into()))
            }
            Self::Decimal { scale, .. } => {
                DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale.cast_signed())
            }
            Self::Plain(_) | Self::Spelled(_) | Self::Text | Self::Unknown => DataType::Utf8,
        }
    }

    /// For messages.
    pub(super) fn name(self) -> String {
        match self {
            Self::Plain(ty) => ty.name().to_owned(),
            Self::Decimal { scale, .. } => format!("DECIMAL with {scale} digits behind the point"),
            Self::Instant { zoned, reach, .. } => {
                let unit = reach.time_unit().to_string();
                let ty = if zoned { LogicalType::DateTime } else { LogicalType::LocalDateTime };
                format!("{} in Arrow's {unit}", ty.name())
            }
            Self::Spelled(ty) => format!("{} as text", ty.name()),
            Self::Text | Self::Unknown => "other values".to_owned(),
        }
    }
}
