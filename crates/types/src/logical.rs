//! Logical types: what a column or an expression is known to hold.

use std::fmt;

/// The type of a column, a vector or an expression.
///
/// `Any` is the type of what is not known before it is looked at (Virtuoso's run-time typed `any`, design
/// §8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the field's")]
pub enum LogicalType {
    Any,
    Bool,
    Int,
    Float,
    Decimal,
    String,
    Iri,
    Literal,
    Bytes,
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
    Duration,
    List,
    Map,
    Node,
    Relationship,
    Path,
}

impl LogicalType {
    /// The name users see, as openCypher writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "ANY",
            Self::Bool => "BOOLEAN",
            Self::Int => "INTEGER",
            Self::Float => "FLOAT",
            Self::Decimal => "DECIMAL",
            Self::String => "STRING",
            Self::Iri => "IRI",
            Self::Literal => "LITERAL",
            Self::Bytes => "BYTES",
            Self::Date => "DATE",
            Self::LocalTime => "LOCAL TIME",
            Self::Time => "TIME",
            Self::LocalDateTime => "LOCAL DATETIME",
            Self::DateTime => "DATETIME",
            Self::Duration => "DURATION",
            Self::List => "LIST",
            Self::Map => "MAP",
            Self::Node => "NODE",
            Self::Relationship => "RELATIONSHIP",
            Self::Path => "PATH",
        }
    }
}

impl fmt::Display for LogicalType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
