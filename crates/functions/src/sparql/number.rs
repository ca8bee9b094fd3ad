//! Numbers of XML Schema's types: a literal in, its number and type out, and back.
//!
//! Types are promoted from integer to decimal to float to double, as XPath does; but an integer and a double
//! are compared as exact numbers, as the engine's own comparisons do.

use std::cmp::Ordering;

use trimorph_types::number::compare_int_float;
use trimorph_types::rdf::names::{XSD, xsd};
use trimorph_types::rdf::{lexical, shared_datatype, write_float};
use trimorph_types::{Decimal, Literal, LiteralKind, Value};

/// A number and its type. A derived integer type counts as integer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    Int(i64),
    /// An integer beyond 64 bits, without digits behind the point.
    Big(Decimal),
    Decimal(Decimal),
    Float(f32),
    Double(f64),
}

/// Two numbers of one type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Pair {
    Integers(Decimal, Decimal),
    Decimals(Decimal, Decimal),
    Floats(f32, f32),
    Doubles(f64, f64),
}

impl Number {
    /// The number that a literal means, if it is of a numeric type and well formed.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(n) => Some(Self::Int(*n)),
            Value::Float(x) => Some(Self::Double(*x)),
            Value::Decimal(x) => Some(Self::Decimal(*x)),
            Value::Literal(literal) => match &literal.kind {
                LiteralKind::Datatype(iri) => Self::read(&literal.lexical, iri.strip_prefix(XSD)?),
                LiteralKind::Language(_) => None,
            },
            _ => None,
        }
    }

    /// The number that a text writes in one of XML Schema's types.
    pub(super) fn read(text: &str, datatype: &str) -> Option<Self> {
        match datatype {
            "decimal" => lexical::decimal(text).map(Self::Decimal),
            "double" => lexical::double(text).map(Self::Double),
            "float" => lexical::float(text).map(Self::Float),
            _ => {
                let (min, max) = integer_range(datatype)?;
                let number = lexical::integer(text)?;
                (min..=max).contains(&number.unscaled()).then(|| Self::integer(number))
            }
        }
    }

    /// An integer; the number must have no digits behind the point.
    pub(super) fn integer(number: Decimal) -> Self {
        number.exact_int().map_or(Self::Big(number), Self::Int)
    }

    /// The literal of this number and type.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Int(n) => Value::Int(n),
            Self::Double(x) => Value::Float(x),
            Self::Decimal(x) => Value::Decimal(x),
            Self::Big(n) => of_datatype(n.to_string(), xsd::INTEGER),
            Self::Float(x) => {
                let mut text = String::new();
                // A string takes all that is written.
                _ = write_float(&mut text, x);
                of_datatype(text, xsd::FLOAT)
            }
        }
    }

    /// The exact number, unless it is a float or a double.
    pub(super) fn exact(self) -> Option<Decimal> {
        match self {
            Self::Int(n) => Some(n.into()),
            Self::Big(n) | Self::Decimal(n) => Some(n),
            Self::Float(_) | Self::Double(_) => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "rounding is what promotion means")]
    pub(super) fn to_double(self) -> f64 {
        match self {
            Self::Int(n) => n as f64,
            Self::Big(n) | Self::Decimal(n) => n.to_float(),
            Self::Float(x) => x.into(),
            Self::Double(x) => x,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "rounding is what promotion means"
    )]
    pub(super) fn to_float(self) -> f32 {
        match self {
            Self::Int(n) => n as f32,
            // By its text, which is rounded once.
            Self::Big(n) | Self::Decimal(n) => n.to_string().parse().unwrap_or(f32::NAN),
            Self::Float(x) => x,
            Self::Double(x) => x as f32,
        }
    }

    /// Both numbers in the wider of their types.
    pub(super) fn promoted(self, other: Self) -> Pair {
        match (self, other) {
            (Self::Double(_), _) | (_, Self::Double(_)) => Pair::Doubles(self.to_double(), other.to_double()),
            (Self::Float(_), _) | (_, Self::Float(_)) => Pair::Floats(self.to_float(), other.to_float()),
            _ => {
                let (a, b) = (self.exact().unwrap_or_default(), other.exact().unwrap_or_default());
                if matches!(self, Self::Decimal(_)) || matches!(other, Self::Decimal(_)) {
                    Pair::Decimals(a, b)
                } else {
                    Pair::Integers(a, b)
                }
            }
        }
    }

    /// How the numbers compare; `None` if one of them is NaN.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => return Some(a.cmp(&b)),
            (Self::Int(a), Self::Double(b)) => return compare_int_float(a, b),
            (Self::Double(a), Self::Int(b)) => return compare_int_float(b, a).map(Ordering::reverse),
            _ => {}
        }
        match self.promoted(other) {
            Pair::Integers(a, b) | Pair::Decimals(a, b) => Some(a.cmp(&b)),
            Pair::Floats(a, b) => a.partial_cmp(&b),
            Pair::Doubles(a, b) => a.partial_cmp(&b),
        }
    }
}

/// A literal of a datatype that no other value stands for.
pub(super) fn of_datatype(text: String, datatype: &str) -> Value {
    Value::Literal(Literal::of_datatype(text, shared_datatype(datatype)).into())
}

/// Smallest and largest number of `xsd:integer` and of what is derived from it, by name.
pub(super) fn integer_range(name: &str) -> Option<(i128, i128)> {
    Some(match name {
        "integer" => (i128::MIN, i128::MAX),
        "long" => (i64::MIN.into(), i64::MAX.into()),
        "int" => (i32::MIN.into(), i32::MAX.into()),
        "short" => (i16::MIN.into(), i16::MAX.into()),
        "byte" => (i8::MIN.into(), i8::MAX.into()),
        "unsignedLong" => (0, u64::MAX.into()),
        "unsignedInt" => (0, u32::MAX.into()),
        "unsignedShort" => (0, u16::MAX.into()),
        "unsignedByte" => (0, u8::MAX.into()),
        "nonNegativeInteger" => (0, i128::MAX),
        "positiveInteger" => (1, i128::MAX),
        "nonPositiveInteger" => (i128::MIN, 0),
        "negativeInteger" => (i128::MIN, -1),
        _ => return None,
    })
}
