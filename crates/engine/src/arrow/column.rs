//! A column of one batch, and what becomes of it when the type of the whole column is known.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, PrimitiveArray,
    StringArray, Time64NanosecondArray, TimestampNanosecondArray,
};
use trimorph_types::{Decimal, LogicalType, Value};
use trimorph_vector::{Values, Vector};

pub(super) use super::column_type::ColumnType;
use super::column_type::Unit;
use super::text::{TooLong, push_text};
use crate::Entities;

/// One column of one batch, before its Arrow type is settled.
pub(super) enum Column {
    Typed(ColumnType, ArrayRef),
    General(Vec<Value>),
}

impl Column {
    /// The type that holds all its values; instants that are an array already are taken to need no fraction
    /// of a second.
    pub(super) fn column_type(&self) -> ColumnType {
        match self {
            Self::Typed(ty, _) => *ty,
            Self::General(values) => {
                values.iter().fold(ColumnType::Unknown, |ty, v| ty.join(ColumnType::of(v)))
            }
        }
    }

    /// The type that holds all its values, their fractions of a second looked at: for columns that cannot be
    /// in nanoseconds.
    pub(super) fn exact_type(&self) -> ColumnType {
        match self {
            Self::Typed(ColumnType::Instant { zoned, .. }, array) => {
                match array.as_any().downcast_ref::<TimestampNanosecondArray>() {
                    Some(array) => ColumnType::of_nanos(*zoned, array.iter().flatten()),
                    None => self.column_type(),
                }
            }
            _ => self.column_type(),
        }
    }

    /// The name of the first type in it that a column settled as `ty` cannot hold.
    pub(super) fn misfit(&self, ty: ColumnType) -> Option<String> {
        match self {
            Self::Typed(own, _) => {
                let own = if ty.is_in_nanos() { *own } else { self.exact_type() };
                (!ty.holds(own)).then(|| own.name())
            }
            Self::General(values) => {
                let value = values.iter().find(|v| !ty.holds(ColumnType::of(v)))?;
                Some(match ColumnType::of(value) {
                    instant @ ColumnType::Instant { .. } => instant.name(),
                    _ => value.logical_type().to_string(),
                })
            }
        }
    }

    /// General values as an array already, a third of their size, where no later value can ask for more than
    /// the array tells.
    pub(super) fn packed(self, entities: &Entities) -> Result<Self, TooLong> {
        let Self::General(values) = &self else { return Ok(self) };
        let ty = self.column_type();
        let is_exact = match ty {
            ColumnType::Unknown => false,
            ColumnType::Decimal { .. } | ColumnType::Text | ColumnType::Spelled(_) => true,
            // An integer among them would be a float for good, though text may still be wanted.
            ColumnType::Plain(LogicalType::Float) => values.iter().all(|v| !matches!(v, Value::Int(_))),
            // Of dates and instants an array has not all, such as the zones.
            ColumnType::Instant { .. } => false,
            ColumnType::Plain(ty) => {
                matches!(ty, LogicalType::Bool | LogicalType::Int | LogicalType::String)
            }
        };
        if is_exact { Ok(Self::Typed(ty, self.settle(ty, entities)?)) } else { Ok(self) }
    }

    /// The Arrow array of a column whose type is settled: one that holds all its values.
    pub(super) fn settle(&self, ty: ColumnType, entities: &Entities) -> Result<ArrayRef, TooLong> {
        match self {
            Self::Typed(_, array) if *array.data_type() == ty.data_type() => Ok(Arc::clone(array)),
            Self::Typed(_, array) => from_values(&values_of(array), ty, entities),
            Self::General(values) => from_values(values, ty, entities),
        }
    }
}

/// Instants in a unit that all of them fit.
fn instants<T: ArrowTimestampType>(values: &[Value], zoned: bool, unit: Unit) -> ArrayRef {
    let picked = values.iter().map(|v| match v {
        Value::LocalDateTime(t) => unit.count(t.seconds, t.nanos),
        Value::DateTime(t) => unit.count(t.seconds, t.nanos),
        _ => None,
    });
    let array: PrimitiveArray<T> = picked.collect();
    Arc::new(if zoned { array.with_timezone("UTC") } else { array })
}

/// The integer that stands for a number in decimals of `scale` digits behind the point.
fn unscaled(value: &Value, scale: u8) -> Option<i128> {
    let number = match value {
        Value::Decimal(number) => *number,
        Value::Int(i) => Decimal::from(*i),
        _ => return None,
    };
    number.unscaled().checked_mul(10_i128.checked_pow(scale.checked_sub(number.scale())?.into())?)
}

fn from_values(values: &[Value], ty: ColumnType, entities: &Entities) -> Result<ArrayRef, TooLong> {
    /// An array of what `pick` finds in the values.
    fn array<T, A: FromIterator<Option<T>> + Array + 'static>(
        values: &[Value],
        pick: impl Fn(&Value) -> Option<T>,
    ) -> ArrayRef {
        Arc::new(values.iter().map(pick).collect::<A>())
    }
    Ok(match ty {
        ColumnType::Plain(LogicalType::Bool) => array::<_, BooleanArray>(values, |v| match v {
            Value::Bool(b) => Some(*b),
            _ => None,
        }),
        ColumnType::Plain(LogicalType::Int) => array::<_, Int64Array>(values, |v| match v {
            Value::Int(i) => Some(*i),
            _ => None,
        }),
        ColumnType::Plain(LogicalType::Float) => array::<_, Float64Array>(values, |v| match v {
            Value::Float(f) => Some(*f),
            Value::Int(i) => Some(*i as f64),
            _ => None,
        }),
        ColumnType::Plain(LogicalType::Date) => array::<_, Date32Array>(values, |v| match v {
            Value::Date(d) => i32::try_from(d.days).ok(),
            _ => None,
        }),
        ColumnType::Plain(LogicalType::LocalTime) => array::<_, Time64NanosecondArray>(values, |v| match v {
            Value::LocalTime(t) => Some(t.nanos),
            _ => None,
        }),
        ColumnType::Instant { zoned, reach, .. } => match reach {
            Unit::Milli => instants::<TimestampMillisecondType>(values, zoned, reach),
            Unit::Micro => instants::<TimestampMicrosecondType>(values, zoned, reach),
            Unit::Nano => instants::<TimestampNanosecondType>(values, zoned, reach),
        },
        ColumnType::Decimal { scale, .. } => Arc::new(
            (values.iter().map(|v| unscaled(v, scale)).collect::<Decimal128Array>())
                .with_data_type(ty.data_type()),
        ),
        ColumnType::Plain(_) | ColumnType::Spelled(_) | ColumnType::Text | ColumnType::Unknown => {
            texts(values, entities)?
        }
    })
}

fn texts(values: &[Value], entities: &Entities) -> Result<ArrayRef, TooLong> {
    let mut out = StringBuilder::with_capacity(values.len(), 0);
    for value in values {
        match value {
            Value::Null => push_text(&mut out, None)?,
            Value::String(text) => push_text(&mut out, Some(text))?,
            other => push_text(&mut out, Some(&trimorph_types::format_value(other, entities)))?,
        }
    }
    Ok(Arc::new(out.finish()))
}

/// The values of an array, for the rare column whose batches differ in type.
fn values_of(array: &ArrayRef) -> Vec<Value> {
    let any = array.as_any();
    let one = |values| Vector::new(values).value(0, &|_| Value::Null);
    let value = |i: usize| {
        if let Some(a) = any.downcast_ref::<Int64Array>() {
            Value::Int(a.value(i))
        } else if let Some(a) = any.downcast_ref::<Float64Array>() {
            Value::Float(a.value(i))
        } else if let Some(a) = any.downcast_ref::<BooleanArray>() {
            Value::Bool(a.value(i))
        } else if let Some(a) = any.downcast_ref::<StringArray>() {
            Value::string(a.value(i))
        } else if let Some(a) = any.downcast_ref::<Decimal128Array>() {
            Decimal::new(a.value(i), a.scale().unsigned_abs()).map_or(Value::Null, Value::Decimal)
        } else if let Some(a) = any.downcast_ref::<Date32Array>() {
            one(Values::Date(vec![a.value(i)]))
        } else if let Some(a) = any.downcast_ref::<Time64NanosecondArray>() {
            one(Values::LocalTime(vec![a.value(i)]))
        } else if let Some(a) = any.downcast_ref::<TimestampNanosecondArray>() {
            let nanos = vec![a.value(i)];
            one(if a.timezone().is_some() { Values::DateTime(nanos) } else { Values::LocalDateTime(nanos) })
        } else {
            Value::Null
        }
    };
    (0..array.len()).map(|i| if array.is_null(i) { Value::Null } else { value(i) }).collect()
}
