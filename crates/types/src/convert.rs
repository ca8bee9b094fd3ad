//! Rust's own types in and out of values: `Value::from(7)`, `String::from_value(&value)`,
//! `i64::try_from(value)`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
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
    i8 => |x| Value::Int(x.into()),
    isize => |x| Value::Int(x as i64), // at most 64 bits on every processor that Rust knows
    u32 => |x| Value::Int(x.into()),
    u16 => |x| Value::Int(x.into()),
    u8 => |x| Value::Int(x.into()),
    f64 => Value::Float,
    f32 => |x| Value::Float(x.into()),
    String => Value::string,
    Arc<str> => Value::String,
    Box<str> => Value::string,
    char => |x| Value::string(x.encode_utf8(&mut [0; 4])),
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

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::string(text.as_str())
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
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
    type Error = WrongType;

    fn try_from(number: u64) -> Result<Self, WrongType> {
        let refused = |_| WrongType {
            wanted: "an integer of 64 bits with a sign",
            found: LogicalType::Int,
            is_null: false,
            number: Some(number.to_string().into()),
        };
        i64::try_from(number).map(Self::Int).map_err(refused)
    }
}

/// Larger than a value's integers are, it is refused.
impl TryFrom<usize> for Value {
    type Error = WrongType;

    fn try_from(number: usize) -> Result<Self, WrongType> {
        Self::try_from(number as u64)
    }
}

impl<K: Into<Arc<str>>, T: Into<Self>> From<BTreeMap<K, T>> for Value {
    fn from(entries: BTreeMap<K, T>) -> Self {
        Self::map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// A map is ordered by its keys, whatever the order of the table.
impl<K: Into<Arc<str>>, T: Into<Self>, S> From<HashMap<K, T, S>> for Value {
    fn from(entries: HashMap<K, T, S>) -> Self {
        Self::map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// A value is of another type than was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrongType {
    /// What was asked for.
    pub wanted: &'static str,
    /// What there is.
    pub found: LogicalType,
    /// Whether it is null.
    pub is_null: bool,
    /// The number, where it is one that is outside of the type's range.
    pub number: Option<Box<str>>,
}

impl fmt::Display for WrongType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.number {
            _ if self.is_null => write!(f, "null where {} was expected; an Option takes it", self.wanted),
            Some(number) => write!(f, "{number} where {} was expected", self.wanted),
            None => write!(f, "{} where {} was expected", self.found, self.wanted),
        }
    }
}

impl std::error::Error for WrongType {}

/// What a value can be turned into. `Option` takes null, `Vec` a list of such values, `BTreeMap` and
/// `HashMap` a map.
pub trait FromValue: Sized {
    /// The value as this type.
    ///
    /// **Errors**: a value of another type, null, a number out of its range.
    fn from_value(value: &Value) -> Result<Self, WrongType>;
}

fn wrong<T>(wanted: &'static str, value: &Value) -> Result<T, WrongType> {
    Err(WrongType { wanted, found: value.logical_type(), is_null: value.is_null(), number: None })
}

/// A number that is too large or too small for the type.
fn outside<T>(wanted: &'static str, value: &Value, number: impl fmt::Display) -> Result<T, WrongType> {
    let number = Some(number.to_string().into());
    Err(WrongType { wanted, found: value.logical_type(), is_null: false, number })
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
                match value {
                    Value::Int(x) => Self::try_from(*x).or_else(|_| outside($wanted, value, x)),
                    other => wrong($wanted, other),
                }
            }
        })*
    };
}

integers! {
    i32, "an integer of 32 bits";
    i16, "an integer of 16 bits";
    i8, "an integer from -128 to 127";
    isize, "an integer of a machine word";
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

/// As [`f64`], with the digits that it has; what is beyond its range is refused.
impl FromValue for f32 {
    #[expect(clippy::cast_possible_truncation, reason = "digits are lost as was asked for, the range is not")]
    fn from_value(value: &Value) -> Result<Self, WrongType> {
        let whole = f64::from_value(value)?;
        let short = whole as Self;
        if short.is_infinite() && whole.is_finite() {
            return outside("a float of 32 bits", value, format_args!("{whole:e}"));
        }
        Ok(short)
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

impl<T: FromValue, S: BuildHasher + Default> FromValue for HashMap<String, T, S> {
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
    [] i8;
    [] isize;
    [] u64;
    [] u32;
    [] u16;
    [] u8;
    [] usize;
    [] f64;
    [] f32;
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
    [T] HashMap<String, T>;
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
        let table = HashMap::from([("b".to_owned(), 2_i64), ("a".to_owned(), 1)]);
        assert_eq!(HashMap::try_from(Value::from(table.clone())), Ok(table));
        let Value::Map(sorted) = Value::from(HashMap::from([("b", 2), ("a", 1)])) else { panic!("a map") };
        assert_eq!(sorted.keys().map(|key| &**key).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            (i8::from_value(&(-128_i8).into()), isize::try_from(Value::from(-7_isize))),
            (Ok(-128), Ok(-7))
        );
        assert_eq!((f32::from_value(&0.5_f32.into()), f32::from_value(&3.into())), (Ok(0.5), Ok(3.0)));
        assert_eq!(f32::try_from(Value::from(f64::INFINITY)), Ok(f32::INFINITY));
        for text in [Value::from('ä'), "ä".to_owned().into(), (&"ä".to_owned()).into(), Cow::from("ä").into()]
        {
            assert_eq!(String::try_from(text), Ok("ä".to_owned()));
        }
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
        let number = |error: Option<WrongType>| error.unwrap().to_string();
        assert_eq!(
            number(u8::from_value(&256.into()).err()),
            "256 where an integer from 0 to 255 was expected"
        );
        assert_eq!(
            number(i8::from_value(&128.into()).err()),
            "128 where an integer from -128 to 127 was expected"
        );
        assert_eq!(number(u64::from_value(&(-1).into()).err()), "-1 where an integer from 0 on was expected");
        assert_eq!(
            number(f32::from_value(&1e300.into()).err()),
            "1e300 where a float of 32 bits was expected"
        );
        assert_eq!(
            number(Value::try_from(u64::MAX).err()),
            "18446744073709551615 where an integer of 64 bits with a sign was expected"
        );
        assert!(u32::from_value(&(-1_i64).into()).is_err());
        assert!(i64::from_value(&1.0.into()).is_err() && Vec::<i64>::from_value(&["x"].into()).is_err());
    }
}
