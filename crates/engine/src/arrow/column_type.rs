//! Types of values in, the type that holds all of them out.
//!
//! Types are joined as values are seen; the order in which they are seen does not matter:
//! 1. null has no type and joins anything;
//! 2. integers and floats are floats; integers and decimals are decimals;
//! 3. decimals are `Decimal128` of all 38 digits, with as many behind the point as the longest has, where all
//!    fit that;
//! 4. instants are nanoseconds where they fit that, else the coarser unit that all fit and none loses
//!    anything in; where there is none they are text, and so are dates whose days do not fit 32 bits;
//! 5. lists join their elements, maps their values key by key, nodes and relationships their properties; how
//!    many keys and levels may be is told in `nested`;
//! 6. durations without months are lengths of time, in units as for instants; where some have months they are
//!    text, and so are times with an offset and anything else together. RDF terms are text too.
//!
//! What is text that is none, alone or within lists and maps, has a notice (`notices`), but for RDF terms.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::DECIMAL128_MAX_PRECISION;
use trimorph_types::{Decimal, Duration, LogicalType, Value};

use super::unit::Unit;

/// The type of a column of a result, as far as its values were seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ColumnType {
    /// Nothing but nulls.
    Unknown,
    /// One of the types that Arrow has too, strings and RDF terms among them.
    Plain(LogicalType),
    /// At most so many digits before and behind the point.
    Decimal { whole: u8, scale: u8 },
    /// Dates and times of day, zoned or not: the unit that the finest needs, and the finest that the furthest
    /// fits in.
    Instant { zoned: bool, needs: Unit, reach: Unit },
    /// Durations without months, a day being 24 hours: units as for instants.
    Length { needs: Unit, reach: Unit },
    /// The text form of values of a type for which there is no Arrow type that holds them, or none that what
    /// reads Arrow takes; of several types, lists or maps or graph elements among them, where it is `Any`.
    Spelled(LogicalType),
    /// The text form of plain values of several types.
    Text,
    /// Lists, and the type of their elements.
    List(Box<Self>),
    /// Maps, and the types of their values key by key.
    Struct(Box<Keys>),
    /// Maps of many keys, and the type of all their values.
    Map(Box<Self>),
    /// Nodes, and their properties.
    Node(Box<Entity>),
    /// Relationships, and their properties.
    Relationship(Box<Entity>),
    /// Paths: nodes and relationships.
    Path(Box<(Entity, Entity)>),
}

/// Types by key.
pub(super) type Fields = BTreeMap<Arc<str>, ColumnType>;

/// The keys of maps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Keys {
    pub(super) fields: Fields,
    /// Keys of the largest.
    pub(super) most: usize,
}

/// What nodes, or relationships, have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entity {
    /// Ids of those whose properties were not looked at yet.
    pub(super) ids: Vec<u64>,
    /// A struct or a map.
    pub(super) properties: ColumnType,
}

impl Default for Entity {
    fn default() -> Self {
        Self { ids: Vec::new(), properties: ColumnType::Struct(Box::default()) }
    }
}

/// The seconds of a duration, of which those below are its nanoseconds; none where it has months.
pub(super) fn seconds_of(length: Duration) -> Option<i64> {
    let whole = length.days.checked_mul(86_400)?.checked_add(length.seconds)?;
    (length.months == 0).then_some(whole)
}

/// Digits of the largest `i64`.
const INT_DIGITS: u8 = 19;

/// Digits behind the point that a stream leaves room for, because the ones to come may have more than the
/// first: as many as a quotient has.
const STREAM_SCALE: u8 = 18;

impl ColumnType {
    /// What a query says of its column; that of decimals is settled by its values, and so is what is within
    /// lists, maps and graph elements.
    pub(super) fn declared(ty: LogicalType) -> Self {
        match ty {
            LogicalType::Any | LogicalType::Decimal => Self::Unknown,
            LogicalType::LocalDateTime => Self::in_nanos(false),
            LogicalType::DateTime => Self::in_nanos(true),
            LogicalType::Duration => Self::Length { needs: Unit::Milli, reach: Unit::Nano },
            LogicalType::Time => Self::Spelled(ty),
            LogicalType::List => Self::List(Box::new(Self::Unknown)),
            LogicalType::Map => Self::Struct(Box::default()),
            LogicalType::Node => Self::Node(Box::default()),
            LogicalType::Relationship => Self::Relationship(Box::default()),
            LogicalType::Path => Self::Path(Box::default()),
            _ => Self::Plain(ty),
        }
    }

    /// Instants that fit nanoseconds.
    pub(super) const fn in_nanos(zoned: bool) -> Self {
        Self::Instant { zoned, needs: Unit::Milli, reach: Unit::Nano }
    }

    /// Whether this is the type of instants in nanoseconds.
    pub(super) fn is_in_nanos(&self) -> bool {
        matches!(self, Self::Instant { reach: Unit::Nano, .. })
    }

    /// Whether values of this type, of which a query says no more, may turn out to be of another.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Unknown | Self::Instant { .. } | Self::Length { .. }) || self.is_nested()
    }

    /// The type of one value; of what is nested, without what is in it.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Decimal(number) => Self::of_decimal(*number),
            Value::LocalDateTime(t) => Self::of_instant(false, t.seconds, t.nanos),
            Value::DateTime(t) => Self::of_instant(true, t.seconds, t.nanos),
            Value::Duration(length) => Self::of_length(*length),
            Value::Date(date) if i32::try_from(date.days).is_err() => Self::Spelled(LogicalType::Date),
            other => Self::declared(other.logical_type()),
        }
    }

    fn of_instant(zoned: bool, seconds: i64, nanos: u32) -> Self {
        let reach = Unit::ALL.into_iter().find(|unit| unit.count(seconds, nanos).is_some());
        let needs = Unit::needed(nanos.into());
        reach.map_or(Self::spelled(zoned), |reach| Self::instant(zoned, needs, reach))
    }

    fn of_length(length: Duration) -> Self {
        let nanos = length.nanos.unsigned_abs();
        let reach = seconds_of(length)
            .and_then(|seconds| Unit::ALL.into_iter().find(|unit| unit.count(seconds, nanos).is_some()));
        let needs = Unit::needed(nanos.into());
        reach.map_or(Self::Spelled(LogicalType::Duration), |reach| Self::length(needs, reach))
    }

    fn length(needs: Unit, reach: Unit) -> Self {
        if needs <= reach { Self::Length { needs, reach } } else { Self::Spelled(LogicalType::Duration) }
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
    fn spells(&self) -> Option<LogicalType> {
        match self {
            Self::Spelled(ty) | Self::Plain(ty @ LogicalType::Date) => Some(*ty),
            Self::Length { .. } => Some(LogicalType::Duration),
            Self::Decimal { .. } => Some(LogicalType::Decimal),
            Self::Instant { zoned: true, .. } => Some(LogicalType::DateTime),
            Self::Instant { zoned: false, .. } => Some(LogicalType::LocalDateTime),
            other => other.nested(),
        }
    }

    fn of_decimal(number: Decimal) -> Self {
        let digits = number.unscaled().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
        let digits = u8::try_from(digits).unwrap_or(Decimal::DIGITS_MAX);
        Self::Decimal { whole: digits.saturating_sub(number.scale()), scale: number.scale() }
    }

    /// The type that holds values of both.
    pub(super) fn join(self, other: Self) -> Self {
        use LogicalType::{Any, Float, Int};
        match (self, other) {
            (Self::Unknown, ty) | (ty, Self::Unknown) => ty,
            (Self::Plain(a), Self::Plain(b)) if a == b => Self::Plain(a),
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
            (Self::Length { needs: a, reach: s }, Self::Length { needs: b, reach: t }) => {
                Self::length(a.max(b), s.min(t))
            }
            (Self::List(a), Self::List(b)) => Self::List(Box::new(a.join(*b))),
            (Self::Map(a), Self::Map(b)) => Self::Map(Box::new(a.join(*b))),
            (Self::Map(all), Self::Struct(keys)) | (Self::Struct(keys), Self::Map(all)) => {
                Self::Map(Box::new(all.join(keys.join_all())))
            }
            (Self::Struct(a), Self::Struct(b)) => a.join(*b),
            (Self::Node(a), Self::Node(b)) => Self::Node(Box::new(a.join(*b))),
            (Self::Relationship(a), Self::Relationship(b)) => Self::Relationship(Box::new(a.join(*b))),
            (Self::Path(a), Self::Path(b)) => Self::Path(Box::new((a.0.join(b.0), a.1.join(b.1)))),
            (a, b) => match (a.spells(), b.spells()) {
                (Some(x), Some(y)) if x == y => Self::Spelled(x),
                _ if a.is_nested() || b.is_nested() => Self::Spelled(Any),
                _ => Self::Text,
            },
        }
    }

    fn decimal(whole: u8, scale: u8) -> Self {
        if whole + scale <= DECIMAL128_MAX_PRECISION {
            Self::Decimal { whole, scale }
        } else {
            Self::Spelled(LogicalType::Decimal)
        }
    }

    /// The type for a column of which only the first values were seen: what was null so far is text.
    pub(super) fn with_room(self) -> Self {
        match self {
            Self::Unknown => Self::Text,
            Self::Decimal { whole, scale }
                if scale <= STREAM_SCALE && whole <= DECIMAL128_MAX_PRECISION - STREAM_SCALE =>
            {
                Self::Decimal { whole, scale: STREAM_SCALE }
            }
            other => other.map_parts(&Self::with_room),
        }
    }

    /// Whether a column of this type, which is settled, can hold values of `other`.
    pub(super) fn holds(&self, other: &Self) -> bool {
        use LogicalType::{Any, Float, Int};
        match (self, other) {
            (_, Self::Unknown) | (Self::Text | Self::Spelled(Any), _) => true,
            (Self::Plain(Float), Self::Plain(Int)) => true,
            (Self::Plain(a), Self::Plain(b)) => a == b,
            (Self::Decimal { .. } | Self::Instant { .. } | Self::Length { .. }, _) => {
                !other.is_nested() && self.clone().join(other.clone()).data_type() == self.data_type()
            }
            (Self::List(a), Self::List(b)) | (Self::Map(a), Self::Map(b)) => a.holds(b),
            (Self::Struct(a), Self::Struct(b)) => a.hold(b),
            (Self::Map(all), Self::Struct(keys)) => keys.fields.values().all(|ty| all.holds(ty)),
            (Self::Node(a), Self::Node(b)) | (Self::Relationship(a), Self::Relationship(b)) => a.holds(b),
            (Self::Path(a), Self::Path(b)) => a.0.holds(&b.0) && a.1.holds(&b.1),
            (Self::Spelled(of), _) => other.spells() == Some(*of),
            _ => false,
        }
    }
}
