//! Arrow's numbers in; integers, floats and decimals out. Times of day are integers of nanoseconds.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use trimorph_types::{Decimal, Value};

pub(super) fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Result<&PrimitiveArray<T>, String> {
    array.as_primitive_opt::<T>().ok_or_else(|| format!("column holds {}", array.data_type()))
}

pub(super) fn floats(array: &dyn Array) -> Result<Vec<f64>, String> {
    Ok(match array.data_type() {
        DataType::Float16 => primitive::<Float16Type>(array)?.values().iter().map(|v| v.to_f64()).collect(),
        DataType::Float32 => {
            primitive::<Float32Type>(array)?.values().iter().map(|v| f64::from(*v)).collect()
        }
        _ => primitive::<Float64Type>(array)?.values().to_vec(),
    })
}

/// Integers, and times of day in nanoseconds; rows fail where they do not fit. At null rows, any.
///
/// Floats are taken where each is a whole number: keys that pandas made floats of, because others are
/// missing.
pub(super) fn integers(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<i64>, String> {
    use DataType as D;
    fn small<T: ArrowPrimitiveType>(array: &dyn Array, scale: i64) -> Result<Vec<i64>, String>
    where
        T::Native: Into<i64>,
    {
        // At null rows there may be anything.
        Ok(primitive::<T>(array)?.values().iter().map(|v| (*v).into().wrapping_mul(scale)).collect())
    }
    match array.data_type() {
        D::Int8 => small::<Int8Type>(array, 1),
        D::Int16 => small::<Int16Type>(array, 1),
        D::Int32 => small::<Int32Type>(array, 1),
        D::UInt8 => small::<UInt8Type>(array, 1),
        D::UInt16 => small::<UInt16Type>(array, 1),
        D::UInt32 => small::<UInt32Type>(array, 1),
        D::UInt64 => {
            let values = primitive::<UInt64Type>(array)?;
            let one = |(row, value): (usize, &u64)| {
                i64::try_from(*value).unwrap_or_else(|_| {
                    if values.is_valid(row) {
                        fail(row, "value does not fit 64 bits");
                    }
                    0
                })
            };
            Ok(values.values().iter().enumerate().map(one).collect())
        }
        D::Float16 | D::Float32 | D::Float64 => {
            let one = |(row, value): (usize, f64)| {
                // Beyond 2^53 floats do not hold all integers.
                if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
                    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
                    return value as i64;
                }
                if array.is_valid(row) {
                    fail(row, &format!("{value} is not an integer"));
                }
                0
            };
            Ok(floats(array)?.into_iter().enumerate().map(one).collect())
        }
        D::Time32(TimeUnit::Second) => small::<Time32SecondType>(array, 1_000_000_000),
        D::Time32(_) => small::<Time32MillisecondType>(array, 1_000_000),
        D::Time64(TimeUnit::Microsecond) => small::<Time64MicrosecondType>(array, 1_000),
        D::Time64(_) => small::<Time64NanosecondType>(array, 1),
        _ => Ok(primitive::<Int64Type>(array)?.values().to_vec()),
    }
}

/// Decimals, exactly; rows fail where one has more digits than we hold.
pub(super) fn decimals(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<Value>, String> {
    let (numbers, scale): (Vec<Option<i128>>, i8) = match array.data_type() {
        DataType::Decimal32(_, scale) => {
            (primitive::<Decimal32Type>(array)?.values().iter().map(|n| Some((*n).into())).collect(), *scale)
        }
        DataType::Decimal64(_, scale) => {
            (primitive::<Decimal64Type>(array)?.values().iter().map(|n| Some((*n).into())).collect(), *scale)
        }
        DataType::Decimal256(_, scale) => {
            (primitive::<Decimal256Type>(array)?.values().iter().map(|n| n.to_i128()).collect(), *scale)
        }
        other => {
            let scale = if let DataType::Decimal128(_, scale) = other { *scale } else { 0 };
            (primitive::<Decimal128Type>(array)?.values().iter().map(|n| Some(*n)).collect(), scale)
        }
    };
    let mut values = Vec::with_capacity(numbers.len());
    for (row, number) in numbers.into_iter().enumerate() {
        let value = number.and_then(|number| Decimal::new(number, scale.unsigned_abs()));
        values.push(match value {
            _ if array.is_null(row) => Value::Null,
            Some(value) => Value::Decimal(value),
            None => {
                fail(row, "value has more than 38 digits");
                Value::Null
            }
        });
    }
    Ok(values)
}
