//! Types of values in, the Arrow type that holds all of them out.
//!
//! Types are joined as values are seen; the order in which they are seen does not matter:
//! 1. null has no type and joins anything;
//! 2. integers and floats are floats; integers and decimals are decimals;
//! 3. decimals are `Decimal128` of all 38 digits, with as many behind the point as the longest has, where all fit that;
//! 4. anything else together is text, and so are lists, maps, nodes, relationships, paths, durations, zoned times and RDF terms.

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
    /// The openCypher text form.
    Text,
}

/// Digits of the largest `i64`.
const INT_DIGITS: u8 = 19;

/// Digits behind the point that a stream leaves room for, because the ones to come may have more than the first: as many as a
/// quotient has.
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
            | LogicalType::LocalTime
            | LogicalType::LocalDateTime
            | LogicalType::DateTime => Self::Plain(ty),
            _ => Self::Text,
        }
    }

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Decimal(number) => Self::of_decimal(*number),
            other => Self::declared(other.logical_type()),
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
            _ => Self::Text,
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
            Self::Plain(LogicalType::LocalDateTime) => DataType::Timestamp(TimeUnit::Nanosecond, None),
            Self::Plain(LogicalType::DateTime) => {
                DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()))
            }
            Self::Decimal { scale, .. } => {
                DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale.cast_signed())
            }
            Self::Plain(_) | Self::Text | Self::Unknown => DataType::Utf8,
        }
    }

    /// For messages.
    pub(super) fn name(self) -> String {
        match self {
            Self::Plain(ty) => ty.name().to_owned(),
            Self::Decimal { scale, .. } => format!("DECIMAL with {scale} digits behind the point"),
            Self::Text | Self::Unknown => "other values".to_owned(),
        }
    }
}
