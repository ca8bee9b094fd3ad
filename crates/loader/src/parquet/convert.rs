//! Arrow arrays in, columns out.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use trimorph_store::bulk::{ColumnBatch, ColumnData};
use trimorph_types::{Date, DateTime, Decimal, LocalDateTime, LocalTime, LogicalType, Value, Zone};

use crate::csv::table::shown;
use crate::parse::parse_iri;
use crate::plan::Parse;

/// How a column of this type is taken; `None` if no property can hold it.
pub(super) fn parse_of(kind: &DataType) -> Option<Parse> {
    use DataType as D;
    Some(Parse::One(match kind {
        D::Boolean => LogicalType::Bool,
        D::Int8 | D::Int16 | D::Int32 | D::Int64 | D::UInt8 | D::UInt16 | D::UInt32 | D::UInt64 => {
            LogicalType::Int
        }
        D::Float32 | D::Float64 => LogicalType::Float,
        D::Decimal128(_, 0..) => LogicalType::Decimal,
        D::Utf8 => LogicalType::String,
        D::Date32 => LogicalType::Date,
        D::Time32(TimeUnit::Millisecond) | D::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond) => {
            LogicalType::LocalTime
        }
        D::Timestamp(unit, None) if *unit != TimeUnit::Second => LogicalType::LocalDateTime,
        // Parquet knows UTC only.
        D::Timestamp(unit, Some(_)) if *unit != TimeUnit::Second => LogicalType::DateTime,
        D::List(item) => match parse_of(item.data_type())? {
            Parse::One(kind) => return Some(Parse::List(kind, 0)),
            _ => return None,
        },
        _ => return None,
    }))
}

/// Memory of an array, as a measure of bytes read.
pub(super) fn value_bytes(array: &dyn Array) -> u64 {
    array.get_array_memory_size() as u64
}

/// A column. Values that no property can hold (too large an unsigned integer, a text that is no IRI) make
/// their row bad.
///
/// **Errors**: the array is not of the type that the footer promised.
pub(super) fn convert(
    array: &dyn Array,
    parse: Parse,
    name: &str,
    bad: &mut [Option<String>],
) -> Result<ColumnBatch, String> {
    let nulls = (array.null_count() > 0).then(|| (0..array.len()).map(|row| array.is_null(row)).collect());
    let mut fail = |row: usize, why: &str| {
        if let Some(slot) = bad.get_mut(row) {
            slot.get_or_insert_with(|| format!("column \"{name}\": {why}"));
        }
    };
    let data = match parse {
        Parse::One(LogicalType::Bool) => {
            let values = array.as_boolean_opt().ok_or("column is not boolean")?;
            ColumnData::Bool((0..values.len()).map(|row| values.value(row)).collect())
        }
        Parse::One(LogicalType::Float) => ColumnData::Float(floats(array)?),
        Parse::One(LogicalType::String) => {
            let values = array.as_string_opt::<i32>().ok_or("column is not text")?;
            let mut bytes = Vec::with_capacity(values.value_data().len());
            let mut ends = Vec::with_capacity(values.len());
            for row in 0..values.len() {
                if values.is_valid(row) {
                    bytes.extend_from_slice(values.value(row).as_bytes());
                }
                ends.push(u32::try_from(bytes.len()).map_err(|_| "more than 4 GiB of text in a row group")?);
            }
            ColumnData::String { bytes, ends }
        }
        Parse::One(LogicalType::Decimal) => ColumnData::Values(decimals(array, &mut fail)?),
        Parse::One(LogicalType::Iri) => ColumnData::Values(iris(array, &mut fail)?),
        Parse::One(LogicalType::Date) => ColumnData::Date(primitive::<Date32Type>(array)?.values().to_vec()),
        Parse::One(kind @ (LogicalType::LocalDateTime | LogicalType::DateTime)) => instants(array, kind)?,
        Parse::One(kind) => {
            let wide = integers(array)?;
            let mut narrow = Vec::with_capacity(wide.len());
            for (row, value) in wide.into_iter().enumerate() {
                narrow.push(value.unwrap_or_else(|| {
                    fail(row, "value does not fit 64 bits");
                    0
                }));
            }
            match kind {
                LogicalType::LocalTime => ColumnData::LocalTime(narrow),
                _ => ColumnData::Int(narrow),
            }
        }
        Parse::List(kind, _) => {
            let lists = array.as_list_opt::<i32>().ok_or("column is not a list")?;
            let mut values = Vec::with_capacity(lists.len());
            for row in 0..lists.len() {
                if lists.is_null(row) {
                    values.push(Value::Null);
                    continue;
                }
                let items = lists.value(row);
                let mut item_bad = vec![None; items.len()];
                let column = convert(items.as_ref(), Parse::One(kind), name, &mut item_bad)?;
                if let Some(why) = item_bad.into_iter().flatten().next() {
                    fail(row, &why);
                }
                values.push(Value::list((0..items.len()).map(|i| value_at(&column, i)).collect()));
            }
            ColumnData::Values(values)
        }
        Parse::Skip => ColumnData::Values(vec![Value::Null; array.len()]),
    };
    Ok(ColumnBatch { data, nulls })
}

/// Instants in nanoseconds; general values where some are beyond those.
fn instants(array: &dyn Array, kind: LogicalType) -> Result<ColumnData, String> {
    let nanos: Option<Vec<i64>> = integers(array)?.into_iter().collect();
    match nanos {
        Some(nanos) if kind == LogicalType::DateTime => return Ok(ColumnData::DateTime(nanos)),
        Some(nanos) => return Ok(ColumnData::LocalDateTime(nanos)),
        None => {}
    }
    let (counts, per_second) = match array.data_type() {
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            (primitive::<TimestampMillisecondType>(array)?.values(), 1_000)
        }
        _ => (primitive::<TimestampMicrosecondType>(array)?.values(), 1_000_000),
    };
    let value = |(row, count): (usize, &i64)| {
        let nanos = u32::try_from(count.rem_euclid(per_second) * (1_000_000_000 / per_second)).unwrap_or(0);
        let seconds = count.div_euclid(per_second);
        match kind {
            _ if array.is_null(row) => Value::Null,
            LogicalType::DateTime => Value::DateTime(DateTime { seconds, nanos, zone: Zone::Offset(0) }),
            _ => Value::LocalDateTime(LocalDateTime { seconds, nanos }),
        }
    };
    Ok(ColumnData::Values(counts.iter().enumerate().map(value).collect()))
}

fn decimals(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<Value>, String> {
    let numbers = primitive::<Decimal128Type>(array)?;
    let scale = numbers.scale().unsigned_abs();
    let values = numbers.iter().enumerate().map(|(row, number)| {
        let number = number?;
        let value = Decimal::new(number, scale);
        if value.is_none() {
            fail(row, "value has more than 38 digits");
        }
        value
    });
    Ok(values.map(|v| v.map_or(Value::Null, Value::Decimal)).collect())
}

fn iris(array: &dyn Array, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<Value>, String> {
    let texts = array.as_string_opt::<i32>().ok_or("column is not text")?;
    let values = texts.iter().enumerate().map(|(row, text)| {
        let text = text?;
        let value = parse_iri(text.as_bytes());
        if value.is_none() {
            fail(row, &format!("\"{}\" is not a valid IRI", shown(text.as_bytes())));
        }
        value
    });
    Ok(values.map(|v| v.map_or(Value::Null, |iri| Value::Iri(iri.into()))).collect())
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Result<&PrimitiveArray<T>, String> {
    array.as_primitive_opt::<T>().ok_or_else(|| format!("column holds {}", array.data_type()))
}

fn floats(array: &dyn Array) -> Result<Vec<f64>, String> {
    match array.data_type() {
        DataType::Float32 => {
            Ok(primitive::<Float32Type>(array)?.values().iter().map(|v| f64::from(*v)).collect())
        }
        _ => Ok(primitive::<Float64Type>(array)?.values().to_vec()),
    }
}

/// Integers, and times in nanoseconds; `None` where they do not fit. At null rows, 0.
fn integers(array: &dyn Array) -> Result<Vec<Option<i64>>, String> {
    use DataType as D;
    fn all<T: ArrowPrimitiveType>(array: &dyn Array, scale: i64) -> Result<Vec<Option<i64>>, String>
    where
        T::Native: TryInto<i64>,
    {
        let values = primitive::<T>(array)?;
        let one = |row: usize| match values.is_null(row) {
            true => Some(0),
            false => values.value(row).try_into().ok().and_then(|v: i64| v.checked_mul(scale)),
        };
        Ok((0..values.len()).map(one).collect())
    }
    match array.data_type() {
        D::Int8 => all::<Int8Type>(array, 1),
        D::Int16 => all::<Int16Type>(array, 1),
        D::Int32 => all::<Int32Type>(array, 1),
        D::UInt8 => all::<UInt8Type>(array, 1),
        D::UInt16 => all::<UInt16Type>(array, 1),
        D::UInt32 => all::<UInt32Type>(array, 1),
        D::UInt64 => all::<UInt64Type>(array, 1),
        D::Time32(_) => all::<Time32MillisecondType>(array, 1_000_000),
        D::Time64(TimeUnit::Microsecond) => all::<Time64MicrosecondType>(array, 1_000),
        D::Time64(_) => all::<Time64NanosecondType>(array, 1),
        D::Timestamp(TimeUnit::Millisecond, _) => all::<TimestampMillisecondType>(array, 1_000_000),
        D::Timestamp(TimeUnit::Microsecond, _) => all::<TimestampMicrosecondType>(array, 1_000),
        D::Timestamp(_, _) => all::<TimestampNanosecondType>(array, 1),
        _ => all::<Int64Type>(array, 1),
    }
}

fn value_at(column: &ColumnBatch, row: usize) -> Value {
    if column.nulls.as_ref().is_some_and(|nulls| nulls[row]) {
        return Value::Null;
    }
    let split = |nanos: i64| {
        let rest = u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0);
        (nanos.div_euclid(1_000_000_000), rest)
    };
    match &column.data {
        ColumnData::Bool(v) => Value::Bool(v[row]),
        ColumnData::Int(v) => Value::Int(v[row]),
        ColumnData::Float(v) => Value::Float(v[row]),
        ColumnData::Date(v) => Value::Date(Date { days: v[row].into() }),
        ColumnData::LocalTime(v) => Value::LocalTime(LocalTime { nanos: v[row] }),
        ColumnData::LocalDateTime(v) => {
            let (seconds, nanos) = split(v[row]);
            Value::LocalDateTime(LocalDateTime { seconds, nanos })
        }
        ColumnData::DateTime(v) => {
            let (seconds, nanos) = split(v[row]);
            Value::DateTime(DateTime { seconds, nanos, zone: Zone::Offset(0) })
        }
        ColumnData::String { bytes, ends } => {
            let start = if row == 0 { 0 } else { ends[row - 1] as usize };
            let text = bytes.get(start..ends[row] as usize).unwrap_or(&[]);
            Value::string(String::from_utf8_lossy(text).as_ref())
        }
        ColumnData::Values(v) => v[row].clone(),
    }
}
