//! Arrow arrays in, columns out: of row groups of Parquet files, and of frames that callers hand over.
//!
//! 1. [`parse_of`] says how a column of an Arrow type is taken.
//! 2. [`convert`] makes a column of an array: numbers are copied as they are, texts end to end; what storage
//!    has no column type for becomes general values.
//! 3. [`values_of`] makes general values of all.

mod moments;
mod numbers;
mod texts;
mod unencoded;
mod values;

use arrow_array::cast::AsArray;
use arrow_array::types::Date32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use trimorph_store::bulk::{ColumnBatch, ColumnData};
use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, LogicalType, Value, Zone};

pub use values::values_of;

use crate::column::null_column;
use crate::plan::Parse;

/// Deepest nesting of lists that is taken.
const DEPTH_MAX: usize = 24;

/// How a column of this type is taken; `None` if no property can hold it.
pub(crate) fn parse_of(kind: &DataType) -> Option<Parse> {
    parse_within(kind, 0)
}

fn parse_within(kind: &DataType, depth: usize) -> Option<Parse> {
    use DataType as D;
    if depth > DEPTH_MAX {
        return None;
    }
    Some(Parse::One(match kind {
        // Nothing but nulls: no property.
        D::Null => return Some(Parse::Skip),
        D::Boolean => LogicalType::Bool,
        D::Int8 | D::Int16 | D::Int32 | D::Int64 | D::UInt8 | D::UInt16 | D::UInt32 | D::UInt64 => {
            LogicalType::Int
        }
        D::Float16 | D::Float32 | D::Float64 => LogicalType::Float,
        D::Decimal32(_, 0..) | D::Decimal64(_, 0..) | D::Decimal128(_, 0..) | D::Decimal256(_, 0..) => {
            LogicalType::Decimal
        }
        D::Utf8 | D::LargeUtf8 | D::Utf8View => LogicalType::String,
        D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_) => LogicalType::Bytes,
        D::Date32 | D::Date64 => LogicalType::Date,
        D::Time32(_) | D::Time64(_) => LogicalType::LocalTime,
        D::Timestamp(_, None) => LogicalType::LocalDateTime,
        D::Timestamp(_, Some(_)) => LogicalType::DateTime,
        D::Duration(_) | D::Interval(_) => LogicalType::Duration,
        D::Dictionary(_, values) => return parse_within(values, depth + 1),
        D::RunEndEncoded(_, values) => return parse_within(values.data_type(), depth + 1),
        D::List(item) | D::LargeList(item) | D::FixedSizeList(item, _) => {
            return match parse_within(item.data_type(), depth + 1)? {
                Parse::One(kind) => Some(Parse::List(kind, 0)),
                Parse::List(..) => Some(Parse::List(LogicalType::List, 0)),
                Parse::Skip => Some(Parse::List(LogicalType::Any, 0)),
            };
        }
        _ => return None,
    }))
}

/// Memory of an array, as a measure of bytes read.
pub(crate) fn value_bytes(array: &dyn Array) -> u64 {
    array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size()) as u64
}

/// A column. Values that no property can hold (too large an unsigned integer, a text that is no IRI) make
/// their row bad.
///
/// **Errors**: the array is not of the type that was promised.
pub(crate) fn convert(
    array: &dyn Array,
    parse: Parse,
    name: &str,
    bad: &mut [Option<String>],
) -> Result<ColumnBatch, String> {
    let mut plain: Option<ArrayRef> = None;
    while let Some(next) = unencoded::of(plain.as_deref().unwrap_or(array))? {
        plain = Some(next);
    }
    let array = plain.as_deref().unwrap_or(array);
    if array.data_type() == &DataType::Null {
        return Ok(null_column(parse.logical_type(), array.len()));
    }
    let nulls = (array.null_count() > 0).then(|| (0..array.len()).map(|row| array.is_null(row)).collect());
    let mut fail = |row: usize, why: &str| {
        if let Some(slot) = bad.get_mut(row) {
            slot.get_or_insert_with(|| format!("column \"{name}\": {why}"));
        }
    };
    let data = match parse {
        Parse::One(LogicalType::Bool) => {
            let values = array.as_boolean_opt().ok_or("column is not boolean")?;
            ColumnData::Bool(values.values().iter().collect())
        }
        Parse::One(LogicalType::Float) => ColumnData::Float(numbers::floats(array)?),
        Parse::One(LogicalType::String) => texts::strings(array)?,
        Parse::One(LogicalType::Bytes) => ColumnData::Values(texts::bytes(array)?),
        Parse::One(LogicalType::Decimal) => ColumnData::Values(numbers::decimals(array, &mut fail)?),
        Parse::One(LogicalType::Iri) => ColumnData::Values(texts::iris(array, &mut fail)?),
        Parse::One(LogicalType::Duration) => ColumnData::Values(moments::durations(array, &mut fail)?),
        Parse::One(LogicalType::Date) => match array.as_primitive_opt::<Date32Type>() {
            Some(days) => ColumnData::Date(days.values().to_vec()),
            None => moments::dates(array, &mut fail)?,
        },
        Parse::One(kind @ (LogicalType::LocalDateTime | LogicalType::DateTime)) => {
            moments::instants(array, kind)?
        }
        Parse::One(LogicalType::LocalTime) => ColumnData::LocalTime(numbers::integers(array, &mut fail)?),
        Parse::One(_) => ColumnData::Int(numbers::integers(array, &mut fail)?),
        Parse::List(..) => ColumnData::Values(lists(array, name, &mut fail)?),
        Parse::Skip => ColumnData::Values(vec![Value::Null; array.len()]),
    };
    Ok(ColumnBatch { data, nulls })
}

/// Lists of what their items are.
fn lists(array: &dyn Array, name: &str, fail: &mut dyn FnMut(usize, &str)) -> Result<Vec<Value>, String> {
    let (items, ends) = items_of(array).ok_or("column is not a list")?;
    let parse = parse_of(items.data_type()).ok_or("its lists hold what no property holds")?;
    let mut item_bad = vec![None; items.len()];
    let column = convert(items.as_ref(), parse, name, &mut item_bad)?;
    let prefix = format!("column \"{name}\": ");
    let mut values = Vec::with_capacity(array.len());
    let mut start = 0;
    for (row, end) in ends.into_iter().enumerate() {
        if array.is_null(row) {
            values.push(Value::Null);
        } else {
            if let Some(why) = item_bad.get(start..end).and_then(|of| of.iter().flatten().next()) {
                fail(row, why.strip_prefix(&prefix).unwrap_or(why));
            }
            values.push(Value::list((start..end).map(|i| value_at(&column, i)).collect()));
        }
        start = end;
    }
    Ok(values)
}

/// The items of all rows, one after the other, and where each row's end.
fn items_of(array: &dyn Array) -> Option<(ArrayRef, Vec<usize>)> {
    if let Some(lists) = array.as_fixed_size_list_opt() {
        let length = usize::try_from(lists.value_length()).ok()?;
        return Some((lists.values().clone(), (1..=lists.len()).map(|row| row * length).collect()));
    }
    let (values, offsets): (&ArrayRef, Vec<usize>) = match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list_opt::<i32>()?;
            (lists.values(), lists.value_offsets().iter().filter_map(|o| usize::try_from(*o).ok()).collect())
        }
        _ => {
            let lists = array.as_list_opt::<i64>()?;
            (lists.values(), lists.value_offsets().iter().filter_map(|o| usize::try_from(*o).ok()).collect())
        }
    };
    let (first, last) = (*offsets.first()?, *offsets.last()?);
    let ends = offsets.iter().skip(1).map(|end| end - first).collect();
    Some((values.slice(first, last - first), ends))
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
