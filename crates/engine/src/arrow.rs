//! Results as Arrow record batches: typed vectors without nulls hand over their buffers as they are.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, RecordBatchOptions,
    StringArray, Time64NanosecondArray, TimestampNanosecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use trimorph_base::Diagnostic;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Nulls, Values, Vector};

use crate::{Entities, Error, QueryResult};

/// One column of one batch, before its Arrow type is settled.
pub(crate) enum Column {
    Typed(LogicalType, ArrayRef),
    General(Vec<Value>),
}

impl QueryResult {
    /// All rows not fetched yet as record batches of one schema. Columns of general values take the type that all their values
    /// have; where they differ, and for lists, maps, nodes, relationships, paths and durations, their openCypher text form.
    ///
    /// **Cost**: vectors of numbers without a selection are handed over; others and strings are copied once.
    pub fn arrow(&mut self) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
        let width = self.columns().len();
        let mut batches = Vec::from_iter(self.early_columns());
        while let Some(batch) = self.next_columns()? {
            batches.push(batch);
        }
        let types: Vec<LogicalType> =
            (0..width).map(|c| common_type(&batches, c).unwrap_or(self.types()[c])).collect();
        let fields: Vec<Field> =
            self.columns().iter().zip(&types).map(|(n, t)| Field::new(n, data_type(*t), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let entities = self.entities().clone();
        let batches = batches
            .into_iter()
            .map(|(len, columns)| {
                let arrays = columns.into_iter().zip(&types).map(|(c, t)| settle(c, *t, &entities)).collect();
                let options = RecordBatchOptions::new().with_row_count(Some(len));
                RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
            })
            .collect::<Result<Vec<_>, ArrowError>>()
            .map_err(|e| {
                let d = Diagnostic::runtime(
                    trimorph_base::ErrorKind::TypeError,
                    "InvalidArgumentType",
                    e.to_string(),
                );
                Error::query(d, "")
            })?;
        Ok((schema, batches))
    }

    /// Rows that were computed and not fetched, as columns.
    pub(crate) fn early_columns(&mut self) -> Option<(usize, Vec<Column>)> {
        let early = self.drain_rows();
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); self.columns().len()];
        let len = early.len();
        for row in early {
            columns.iter_mut().zip(row).for_each(|(c, v)| c.push(v));
        }
        (len > 0).then(|| (len, columns.into_iter().map(Column::General).collect()))
    }

    /// The next batch as columns.
    pub(crate) fn next_columns(&mut self) -> Result<Option<(usize, Vec<Column>)>, Error> {
        self.next_batch(|columns, positions, cx| {
            let columns = columns.iter().map(|v| convert(v, positions, &|id| cx.edge_value(id))).collect();
            (positions.len(), columns)
        })
    }
}

impl Column {
    /// The type of the first value that a column settled as `ty` cannot hold.
    pub(crate) fn misfit(&self, ty: LogicalType) -> Option<LogicalType> {
        let misfits = |other: LogicalType| {
            let is_text = data_type(ty) == DataType::Utf8;
            let is_wider = ty == LogicalType::Float && other == LogicalType::Int;
            other != ty && other != LogicalType::Any && !is_text && !is_wider
        };
        match self {
            Self::Typed(own, _) => Some(*own).filter(|own| misfits(*own)),
            Self::General(values) => values.iter().map(Value::logical_type).find(|own| misfits(*own)),
        }
    }
}

fn null_buffer(nulls: &Nulls, positions: &[u32]) -> Option<NullBuffer> {
    (!nulls.is_none())
        .then(|| positions.iter().map(|p| !nulls.get(*p as usize)).collect::<Vec<bool>>().into())
}

fn convert(vector: &Vector<'_>, positions: &[u32], edge: &dyn Fn(trimorph_base::EdgeId) -> Value) -> Column {
    fn pick<T: Copy>(v: &[T], positions: &[u32]) -> Vec<T> {
        let whole = positions.len() == v.len() && positions.iter().enumerate().all(|(i, p)| i == *p as usize);
        if whole { v.to_vec() } else { positions.iter().map(|p| v[*p as usize]).collect() }
    }
    let nulls = null_buffer(&vector.nulls, positions);
    let array: ArrayRef = match &vector.values {
        Values::Bool(v) => Arc::new(BooleanArray::new(pick(v, positions).into(), nulls)),
        Values::Int(v) => Arc::new(Int64Array::new(pick(v, positions).into(), nulls)),
        Values::Float(v) => Arc::new(Float64Array::new(pick(v, positions).into(), nulls)),
        Values::Date(v) => Arc::new(Date32Array::new(pick(v, positions).into(), nulls)),
        Values::LocalTime(v) => Arc::new(Time64NanosecondArray::new(pick(v, positions).into(), nulls)),
        Values::LocalDateTime(v) => Arc::new(TimestampNanosecondArray::new(pick(v, positions).into(), nulls)),
        Values::DateTime(v) => {
            Arc::new(TimestampNanosecondArray::new(pick(v, positions).into(), nulls).with_timezone("UTC"))
        }
        Values::String(v) => Arc::new(StringArray::from_iter(
            positions.iter().map(|p| (!vector.nulls.get(*p as usize)).then(|| v[*p as usize].as_str())),
        )),
        Values::Node(_) | Values::Edge(_) | Values::Any(_) => {
            return Column::General(positions.iter().map(|p| vector.value(*p as usize, edge)).collect());
        }
    };
    Column::Typed(vector.logical_type(), array)
}

/// The type of a column over all batches: the one that all its values have, `Any` (text) where they differ, `None` without values.
pub(crate) fn common_type(batches: &[(usize, Vec<Column>)], column: usize) -> Option<LogicalType> {
    let mut found: Option<LogicalType> = None;
    let mut see = |ty: LogicalType| match (found, ty) {
        (_, LogicalType::Any) => {}
        (None, ty) => found = Some(ty),
        (Some(LogicalType::Int), LogicalType::Float) | (Some(LogicalType::Float), LogicalType::Int) => {
            found = Some(LogicalType::Float);
        }
        (Some(a), b) if a != b => found = Some(LogicalType::Any),
        _ => {}
    };
    for (_, columns) in batches {
        match &columns[column] {
            Column::Typed(ty, _) => see(*ty),
            Column::General(values) => values.iter().for_each(|v| see(v.logical_type())),
        }
    }
    found
}

pub(crate) fn data_type(ty: LogicalType) -> DataType {
    match ty {
        LogicalType::Bool => DataType::Boolean,
        LogicalType::Int => DataType::Int64,
        LogicalType::Float => DataType::Float64,
        LogicalType::Date => DataType::Date32,
        LogicalType::LocalTime => DataType::Time64(TimeUnit::Nanosecond),
        LogicalType::LocalDateTime => DataType::Timestamp(TimeUnit::Nanosecond, None),
        LogicalType::DateTime => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        _ => DataType::Utf8,
    }
}

fn nanos(seconds: i64, nanos: u32) -> Option<i64> {
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())
}

/// The Arrow array of a column whose type is settled. Instants beyond the years 1677 to 2262 become null: Arrow's nanoseconds do not
/// reach them; so do dates some 5.8 million years away, whose days do not fit 32 bits.
pub(crate) fn settle(column: Column, ty: LogicalType, entities: &Entities) -> ArrayRef {
    let values = match column {
        Column::Typed(own, array) if own == ty => return array,
        Column::Typed(_, array) => from_array(&array),
        Column::General(values) => values,
    };
    match ty {
        LogicalType::Bool => Arc::new(
            values
                .iter()
                .map(|v| if let Value::Bool(b) = v { Some(*b) } else { None })
                .collect::<BooleanArray>(),
        ),
        LogicalType::Int => Arc::new(
            values
                .iter()
                .map(|v| if let Value::Int(i) = v { Some(*i) } else { None })
                .collect::<Int64Array>(),
        ),
        LogicalType::Float => Arc::new(
            (values.iter())
                .map(|v| match v {
                    Value::Float(f) => Some(*f),
                    Value::Int(i) => Some(*i as f64),
                    _ => None,
                })
                .collect::<Float64Array>(),
        ),
        LogicalType::Date => Arc::new(
            values
                .iter()
                .map(|v| if let Value::Date(d) = v { i32::try_from(d.days).ok() } else { None })
                .collect::<Date32Array>(),
        ),
        LogicalType::LocalTime => Arc::new(
            values
                .iter()
                .map(|v| if let Value::LocalTime(t) = v { Some(t.nanos) } else { None })
                .collect::<Time64NanosecondArray>(),
        ),
        LogicalType::LocalDateTime => Arc::new(
            (values.iter())
                .map(|v| if let Value::LocalDateTime(t) = v { nanos(t.seconds, t.nanos) } else { None })
                .collect::<TimestampNanosecondArray>(),
        ),
        LogicalType::DateTime => Arc::new(
            (values.iter())
                .map(|v| if let Value::DateTime(t) = v { nanos(t.seconds, t.nanos) } else { None })
                .collect::<TimestampNanosecondArray>()
                .with_timezone("UTC"),
        ),
        _ => Arc::new(StringArray::from_iter(
            values.iter().map(|v| (!v.is_null()).then(|| trimorph_types::format_value(v, entities))),
        )),
    }
}

/// The values of a typed array, for the rare column whose batches differ in type.
fn from_array(array: &ArrayRef) -> Vec<Value> {
    use arrow_array::Array;
    let any = array.as_any();
    (0..array.len())
        .map(|i| {
            if array.is_null(i) {
                return Value::Null;
            }
            let vector = |values| Vector::new(values).value(0, &|_| Value::Null);
            if let Some(a) = any.downcast_ref::<Int64Array>() {
                Value::Int(a.value(i))
            } else if let Some(a) = any.downcast_ref::<Float64Array>() {
                Value::Float(a.value(i))
            } else if let Some(a) = any.downcast_ref::<BooleanArray>() {
                Value::Bool(a.value(i))
            } else if let Some(a) = any.downcast_ref::<StringArray>() {
                Value::string(a.value(i))
            } else if let Some(a) = any.downcast_ref::<Date32Array>() {
                vector(Values::Date(vec![a.value(i)]))
            } else if let Some(a) = any.downcast_ref::<Time64NanosecondArray>() {
                vector(Values::LocalTime(vec![a.value(i)]))
            } else if let Some(a) = any.downcast_ref::<TimestampNanosecondArray>() {
                let nanos = vec![a.value(i)];
                vector(if a.timezone().is_some() {
                    Values::DateTime(nanos)
                } else {
                    Values::LocalDateTime(nanos)
                })
            } else {
                Value::Null
            }
        })
        .collect()
}
