//! The general value: one cell of any type.
//!
//! Cloning is cheap: everything of variable size is shared. Nodes, relationships and paths are ids only;
//! labels and properties are read through the snapshot they belong to.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId};

use crate::{Decimal, Entries, Literal, LogicalType, Nested};

/// A map value, ordered by key.
pub type Map = Entries<Value>;

/// One cell of any type. Equality, equivalence, order and hashing are in `compare`; `PartialEq` is not
/// derived, because openCypher has three different ones.
///
/// It may be matched without a wildcard: a version that adds a kind of value is a breaking one, so that the
/// compiler tells whoever converts values.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Decimal(Decimal),
    String(Arc<str>),
    /// An IRI, without the angle brackets.
    Iri(Arc<str>),
    Literal(Arc<Literal>),
    Bytes(Arc<[u8]>),
    List(Arc<Nested<Vec<Value>>>),
    Map(Arc<Nested<Map>>),
    Date(Date),
    LocalTime(LocalTime),
    Time(Time),
    LocalDateTime(LocalDateTime),
    DateTime(DateTime),
    Duration(Duration),
    Node(NodeId),
    Relationship(Relationship),
    Path(Arc<Path>),
}

/// A day: days since 1970-01-01 in the proleptic Gregorian calendar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Date {
    /// Days since 1970-01-01, of a year from -999,999,999 to 999,999,999. Columns and vectors hold those of
    /// 32 bits, others as general values.
    pub days: i64,
}

/// A time of day without zone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalTime {
    /// Nanoseconds since midnight, below 86,400,000,000,000.
    pub nanos: i64,
}

/// A time of day with an offset from UTC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Time {
    /// Local nanoseconds since midnight.
    pub nanos: i64,
    /// Seconds east of UTC.
    pub offset_seconds: i32,
}

/// A date and time of day without zone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalDateTime {
    /// Seconds since 1970-01-01T00:00:00 on the local clock.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

/// An instant and the zone it is shown in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DateTime {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
    /// The zone it is shown in.
    pub zone: Zone,
}

/// A time zone: a fixed offset, or a named zone with the offset it has at that instant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Zone {
    /// Seconds east of UTC.
    Offset(i32),
    /// A zone of the IANA database and its offset at the instant it belongs to.
    Named {
        /// Such as `Europe/Stockholm`.
        name: Arc<str>,
        /// Seconds east of UTC.
        offset_seconds: i32,
    },
}

/// A duration: months, days and seconds are kept apart, as ISO 8601 and openCypher do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Duration {
    /// Months.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds, 0 ≤ nanos < 1,000,000,000.
    pub nanos: i32,
}

/// A relationship: the edge and its two ends. Its type is that of its edge table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Relationship {
    /// The edge.
    pub id: EdgeId,
    /// The node it leaves.
    pub start: NodeId,
    /// The node it enters.
    pub end: NodeId,
}

/// A path: `nodes.len() == relationships.len() + 1`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    /// Nodes in walking order.
    pub nodes: Vec<NodeId>,
    /// Relationships in walking order, each kept in its stored direction.
    pub relationships: Vec<Relationship>,
}

impl Value {
    /// The type of this value; `Any` for null.
    pub fn logical_type(&self) -> LogicalType {
        match self {
            Self::Null => LogicalType::Any,
            Self::Bool(_) => LogicalType::Bool,
            Self::Int(_) => LogicalType::Int,
            Self::Float(_) => LogicalType::Float,
            Self::String(_) => LogicalType::String,
            Self::Decimal(_) => LogicalType::Decimal,
            Self::Iri(_) => LogicalType::Iri,
            Self::Literal(_) => LogicalType::Literal,
            Self::Bytes(_) => LogicalType::Bytes,
            Self::List(_) => LogicalType::List,
            Self::Map(_) => LogicalType::Map,
            Self::Date(_) => LogicalType::Date,
            Self::LocalTime(_) => LogicalType::LocalTime,
            Self::Time(_) => LogicalType::Time,
            Self::LocalDateTime(_) => LogicalType::LocalDateTime,
            Self::DateTime(_) => LogicalType::DateTime,
            Self::Duration(_) => LogicalType::Duration,
            Self::Node(_) => LogicalType::Node,
            Self::Relationship(_) => LogicalType::Relationship,
            Self::Path(_) => LogicalType::Path,
        }
    }

    /// Whether this is null.
    #[inline]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A string value.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// An IRI value.
    pub fn iri(iri: impl Into<Arc<str>>) -> Self {
        Self::Iri(iri.into())
    }

    /// A list value.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(items.into()))
    }

    /// A map value.
    pub fn map(entries: Map) -> Self {
        Self::Map(Arc::new(entries.into()))
    }
}
