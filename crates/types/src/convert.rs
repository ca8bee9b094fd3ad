//! Rust's own types in and out of values: `Value::from(7)`, `String::from_value(&value)`,
//! `i64::try_from(value)`.

use std::collections::BTreeMap;
use std::fmt;
use std::num::TryFromIntError;
use std::sync::Arc;

use trimorph_base::NodeId;

use crate::{
    Date, DateTime, Decimal, Duration, LocalDateTime, LocalTime, LogicalType, Map, Path, Relationship, Time,
    Value,
};

macro_rules! from {
    ($($ty:ty => $make:expr),* $(,)?) => {
        $(impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                let make: fn($ty) -> Self = $make;
                make(value)
            }
        })*
    };
}

from! {
    bool => Value::Bool,
    i64 => Value::Int,
    i32 => |x| Value::Int(x.into()),
    i16 => |x| Value::Int(x.into()),
    u32 => |x| Value::Int(x.into()),
    u16 => |x| Value::Int(x.into()),
    u8 => |x| Value::Int(x.into()),
    f64 => Value::Float,
    f32 => |x| Value::Float(x.into()),
    String => Value::string,
    Arc<str> => Value::String,
    Decimal => Value::Decimal,
    Date => Value::Date,
    LocalTime => Value::LocalTime,
    Time => Value::Time,
    LocalDateTime => Value::LocalDateTime,
    DateTime => Value::DateTime,
    Duration => Value::Duration,
    Map => Value::map,
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

/// No value is null.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::list(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Clone + Into<Self>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        Self::list(items.iter().cloned().map(Into::into).collect())
    }
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        Self::list(items.into_iter().map(Into::into).collect())
    }
}

/// Larger than a value's integers are, it is refused.
impl TryFrom<u64> for Value {
    type Error = TryFromIntError;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        i64::try_from(number).map(Self::Int)
    }
}

/// Larger than a value's integers are, it is refused.
impl TryFrom<usize> for Value {
    type Error = TryFromIntError;

    fn try_from(number: usize) -> Result<Self, Self::Error> {
        i64::try_from(number).map(Self::Int)
    }
}

impl<T: Into<Self>> From<BTreeMap<String, T>> for Value {
    fn from(entries: BTreeMap<String, T>) -> Self {
        Self::map(entries.into_iter().map(|(key, value)| (Arc::from(key), value.into())).collect())
    }
}

/// A value is of another type than was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongType {
    /// What was asked for.
    pub wanted: &'static str,
    /// What there is.
    pub found: LogicalType,
    /// Whether it is null.
    pub is_null: bool,
}

impl fmt::Display for WrongType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_null {
            true => write!(f, "null where {} was expected; an Option takes it", self.wanted),
            false => write!(f, "{} where {} was expected", self.found, self.wanted),
        }
    }
}

impl std::error::Error for WrongType {}

/// What a value can be turned into. `Option` takes null, `Vec` a list of such values, `BTreeMap` a map.
pub trait FromValue: Sized {
    /// The value as this type.
    ///
    /// **Errors**: a value of another type, null, a number out of its range.
    fn from_value(value: &Value) -> Result<Self, WrongType>;
}

fn wrong<T>(wanted: &'static str, value: &Value) -> Result<T, WrongType> {
    Err(WrongType { wanted, found: value.logical_type(), is_null: value.is_null() })
}

macro_rules! from_value {
    ($($ty:ty, $wanted:literal, $pattern:pat => $make:expr;)*) => {
        $(impl FromValue for $ty {
            fn from_value(value: &Value) -> Result<Self, WrongType> {
                match value {
                    $pattern => Ok($make),
                    other => wrong($wanted, other),
                }
            }
        })*
    };
}

from_value! {
    bool, "a boolean", Value::Bool(x) => *x;
    i64, "an integer", Value::Int(x) => *x;
    String, "a text", Value::String(x) => x.to_string();
    Arc<str>, "a text", Value::String(x) => Arc::clone(x);
    Decimal, "a decimal", Value::Decimal(x) => *x;
    Date, "a date", Value::Date(x) => *x;
    LocalTime, "a local time", Value::LocalTime(x) => *x;
    Time, "a time", Value::Time(x) => *x;
    LocalDateTime, "a local date-time", Value::LocalDateTime(x) => *x;
    DateTime, "a date-time", Value::DateTime(x) => x.clone();
    Duration, "a duration", Value::Duration(x) => *x;
    NodeId, "a node", Value::Node(x) => *x;
    Relationship, "a relationship", Value::Relationship(x) => *x;
    Arc<Path>, "a path", Value::Path(x) => Arc::clone(x);
    Arc<[u8]>, "bytes", Value::Bytes(x) => Arc::clone(x);
}

macro_rules! integers {
    ($($ty:ty, $wanted:literal;)*) => {
        $(impl FromValue for $ty {
            fn from_value(value: &Value) -> Result<Self, WrongType> {
                let fitting = if let Value::Int(x) = value { Self::try_from(*x).ok() } else { None };
                fitting.map_or_else(|| wrong($wanted, value), Ok)
            }
        })*
    };
}

integers! {
    i32, "an integer of 32 bits";
    i16, "an integer of 16 bits";
    u64, "an integer from 0 on";
    u32, "an integer from 0 on, of 32 bits";
    u16, "an integer from 0 on, of 16 bits";
    u8, "an integer from 0 to 255";
    usize, "an integer from 0 on";
}

/// Integers are floats, too, as far as these have the digits.
impl FromValue for f64 {
    #[expect(clippy::cast_precision_loss, reason = "as openCypher's toFloat does")]
    fn from_value(value: &Value) -> Result<Self, WrongType> {
        match value {
            Value::Float(x) => Ok(*x),
            Value::Int(x) => Ok(*x as Self),
            other => wrong("a number", other),
        }
    }
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self, WrongType> {
        Ok(value.clone())
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Self, WrongType> {
        if value.is_null() { Ok(None) } else { T::from_value(value).map(Some) }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Value) -> Result<Self, WrongType> {
        match value {
            Value::List(items) => items.iter().map(T::from_value).collect(),
            other => wrong("a list", other),
        }
    }
}

impl<T: FromValue> FromValue for BTreeMap<String, T> {
    fn from_value(value: &Value) -> Result<Self, WrongType> {
        match value {
            Value::Map(entries) => {
                entries.iter().map(|(key, item)| Ok((key.to_string(), T::from_value(item)?))).collect()
            }
            other => wrong("a map", other),
        }
    }
}

/// What [`FromValue`] does, under the standard library's name. Not for `Option`, which that has another use
/// for.
macro_rules! try_from {
    ($([$($of:ident)?] $ty:ty;)*) => {
        $(impl$(<$of: FromValue>)? TryFrom<&Value> for $ty {
            type Error = WrongType;

            fn try_from(value: &Value) -> Result<Self, WrongType> {
                Self::from_value(value)
            }
        }

        impl$(<$of: FromValue>)? TryFrom<Value> for $ty {
            type Error = WrongType;

            fn try_from(value: Value) -> Result<Self, WrongType> {
                Self::from_value(&value)
            }
        })*
    };
}

try_from! {
    [] bool;
    [] i64;
    [] i32;
    [] i16;
    [] u64;
    [] u32;
    [] u16;
    [] u8;
    [] usize;
    [] f64;
    [] String;
    [] Arc<str>;
    [] Decimal;
    [] Date;
    [] LocalTime;
    [] Time;
    [] LocalDateTime;
    [] DateTime;
    [] Duration;
    [] NodeId;
    [] Relationship;
    [] Arc<Path>;
    [] Arc<[u8]>;
    [T] Vec<T>;
    [T] BTreeMap<String, T>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_was_put_in() {
        assert_eq!(i64::from_value(&7_i32.into()), Ok(7));
        assert_eq!(u8::from_value(&255_i64.into()), Ok(255));
        assert_eq!(f64::from_value(&2.into()), Ok(2.0));
        assert_eq!(String::from_value(&"a".into()), Ok("a".to_owned()));
        assert_eq!(Vec::<i64>::from_value(&vec![1_i64, 2].into()), Ok(vec![1, 2]));
        assert_eq!(Vec::<Option<bool>>::from_value(&[Some(true), None].into()), Ok(vec![Some(true), None]));
        assert_eq!(Option::<String>::from_value(&Value::Null), Ok(None));
        assert!(Value::from(None::<i64>).is_null());
        let map = BTreeMap::from([("a".to_owned(), 1_i64)]);
        assert_eq!(BTreeMap::try_from(Value::from(map.clone())), Ok(map));
        assert_eq!(Vec::<u8>::try_from(&Value::from([1_i64, 2])), Ok(vec![1, 2]));
        assert_eq!(Value::try_from(7_usize).map(i64::try_from), Ok(Ok(7)));
        assert!(Value::try_from(u64::MAX).is_err() && u8::try_from(Value::from(256)).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let text = |result: Result<String, WrongType>| result.unwrap_err().to_string();
        assert_eq!(text(String::from_value(&7.into())), "INTEGER where a text was expected");
        assert_eq!(
            text(String::from_value(&Value::Null)),
            "null where a text was expected; an Option takes it"
        );
        assert!(u8::from_value(&256_i64.into()).is_err() && u32::from_value(&(-1_i64).into()).is_err());
        assert!(i64::from_value(&1.0.into()).is_err() && Vec::<i64>::from_value(&["x"].into()).is_err());
    }
}
