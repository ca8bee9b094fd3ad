//! Values in, a typed column out; and keys of floats.

use trimorph_store::bulk::{ColumnBatch, ColumnData};
use trimorph_types::{LogicalType, Value, Zone};

use crate::column::{empty_data, null_column};
use crate::plan::Parse;

/// The values of a column, as typed as they are. Those that no property can hold make their rows bad.
pub(super) fn typed(mut values: Vec<Value>, name: &str, bad: &mut [Option<String>]) -> (Parse, ColumnBatch) {
    for (row, value) in values.iter_mut().enumerate() {
        if let Some(kind) = no_property(value) {
            if let Some(reason) = bad.get_mut(row) {
                reason.get_or_insert_with(|| {
                    let hint = if kind == LogicalType::Map { " (give its parts as columns)" } else { "" };
                    format!("column \"{name}\": a property cannot hold a {kind}{hint}")
                });
            }
            *value = Value::Null;
        }
    }
    let mut kind = None;
    for value in values.iter().filter(|v| !v.is_null()) {
        let own = value.logical_type();
        kind = Some(match kind {
            None => own,
            Some(before) if before == own => own,
            Some(LogicalType::Int | LogicalType::Float) if is_number(own) => LogicalType::Float,
            Some(_) => {
                kind = Some(LogicalType::Any);
                break;
            }
        });
    }
    let Some(kind) = kind else {
        return (Parse::Skip, ColumnBatch { data: ColumnData::Values(values), nulls: None });
    };
    let nulls: Vec<bool> = values.iter().map(Value::is_null).collect();
    let nulls = Some(nulls).filter(|nulls| nulls.contains(&true));
    let parse = if kind == LogicalType::List { Parse::List(LogicalType::Any, 0) } else { Parse::One(kind) };
    (parse, ColumnBatch { data: packed(values, kind), nulls })
}

fn is_number(kind: LogicalType) -> bool {
    matches!(kind, LogicalType::Int | LogicalType::Float)
}

/// What the value is, where no property can hold it.
fn no_property(value: &Value) -> Option<LogicalType> {
    let is_wrong = |v: &Value| {
        let kind = v.logical_type();
        matches!(kind, LogicalType::Map | LogicalType::Node | LogicalType::Relationship | LogicalType::Path)
            .then_some(kind)
    };
    match value {
        Value::List(items) => items.iter().find_map(is_wrong),
        other => is_wrong(other),
    }
}

/// The column's numbers or texts; the values themselves where some do not fit.
fn packed(values: Vec<Value>, kind: LogicalType) -> ColumnData {
    let mut data = empty_data(kind);
    let fits = values.iter().all(|value| push(&mut data, value));
    if fits && !matches!(data, ColumnData::Values(_)) { data } else { ColumnData::Values(values) }
}

fn push(data: &mut ColumnData, value: &Value) -> bool {
    match (data, value) {
        (ColumnData::Bool(v), Value::Bool(x)) => v.push(*x),
        (ColumnData::Bool(v), Value::Null) => v.push(false),
        (ColumnData::Int(v), Value::Int(x)) => v.push(*x),
        (ColumnData::Float(v), Value::Float(x)) => v.push(*x),
        #[expect(clippy::cast_precision_loss, reason = "what stands among floats is one")]
        (ColumnData::Float(v), Value::Int(x)) => v.push(*x as f64),
        (ColumnData::Float(v), Value::Null) => v.push(0.0),
        (ColumnData::Date(v), Value::Date(x)) => match i32::try_from(x.days) {
            Ok(days) => v.push(days),
            Err(_) => return false,
        },
        (ColumnData::Date(v), Value::Null) => v.push(0),
        (ColumnData::LocalTime(v), Value::LocalTime(x)) => v.push(x.nanos),
        (ColumnData::LocalDateTime(v), Value::LocalDateTime(x)) => match nanos(x.seconds, x.nanos) {
            Some(nanos) => v.push(nanos),
            None => return false,
        },
        (ColumnData::DateTime(v), Value::DateTime(x)) => match (nanos(x.seconds, x.nanos), &x.zone) {
            (Some(nanos), Zone::Offset(0)) => v.push(nanos),
            _ => return false,
        },
        (
            ColumnData::Int(v)
            | ColumnData::LocalTime(v)
            | ColumnData::LocalDateTime(v)
            | ColumnData::DateTime(v),
            Value::Null,
        ) => v.push(0),
        (ColumnData::String { bytes, ends }, value) => {
            if let Value::String(text) = value {
                bytes.extend_from_slice(text.as_bytes());
            }
            match u32::try_from(bytes.len()) {
                Ok(end) => ends.push(end),
                Err(_) => return false,
            }
        }
        _ => return false,
    }
    true
}

fn nanos(seconds: i64, nanos: u32) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())
}

/// Makes a column of values one of keys of type `kind`: whole floats become integers.
pub(super) fn as_keys(column: &mut ColumnBatch, kind: LogicalType, name: &str, bad: &mut [Option<String>]) {
    let rows = column.data.len();
    let ColumnData::Float(floats) = &column.data else {
        *column = null_column(kind, rows);
        return;
    };
    let is_null = |row: usize| column.nulls.as_ref().is_some_and(|nulls| nulls[row]);
    let mut keys = Vec::with_capacity(rows);
    for (row, value) in floats.iter().enumerate() {
        let is_whole = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
        if !is_whole && !is_null(row) {
            bad[row].get_or_insert_with(|| format!("column \"{name}\": {value} is not an integer"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53, or not used")]
        keys.push(*value as i64);
    }
    column.data = ColumnData::Int(keys);
}
