//! Values of a settled type in, Arrow arrays out; and what that needs of a result.
//!
//! An array of lists is made of the array of all their elements, one of structs of an array for each field:
//! values are references all the way down, and copied once, at the leaves.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{
    ArrowTimestampType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, Date32Array, Decimal128Array,
    Float64Array, Int64Array, ListArray, MapArray, PrimitiveArray, StringArray, StructArray,
    Time64NanosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType};
use trimorph_base::CancelToken;
use trimorph_store::Reader;
use trimorph_types::{Decimal, LogicalType, Value};

use super::column_type::ColumnType;
use super::column_type::{Keys, seconds_of};
use super::failure::{TooLong, failed};
use super::shape::{entries, entry, item};
use super::text::push_text;
use super::unit::Unit;
use crate::{Entities, Error};

/// Values looked at between two looks at the flag that cancels.
pub(super) const UNCHECKED: usize = 1 << 12;

/// Makes arrays of the values of one result.
pub(super) struct Maker<'e> {
    pub(super) entities: &'e Entities,
    pub(super) reader: Reader<'e>,
    cancel: CancelToken,
}

static NULL: Value = Value::Null;

impl<'e> Maker<'e> {
    pub(super) fn new(entities: &'e Entities, cancel: CancelToken) -> Self {
        Self { entities, reader: Reader::new(entities.snapshot()), cancel }
    }

    /// Stops if somebody asked.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// What was made, unless something could not be read; lets go of what was read for it.
    pub(super) fn settle<T>(&self, made: Result<T, Error>) -> Result<T, Error> {
        if let Some(error) = self.reader.failure() {
            return Err(error.into());
        }
        self.reader.let_go();
        made
    }

    /// The array of values that a type holds.
    pub(super) fn array(&self, values: &[&Value], ty: &ColumnType) -> Result<ArrayRef, Error> {
        self.check()?;
        Ok(match ty {
            ColumnType::List(of) => self.lists(values, of)?,
            ColumnType::Struct(keys) => self.structs(values, keys, ty)?,
            ColumnType::Map(of) => self.maps(values, of)?,
            ColumnType::Node(entity) => {
                let id = |v: &&Value| if let Value::Node(id) = v { Some(*id) } else { None };
                self.nodes(&values.iter().map(id).collect::<Vec<_>>(), entity)?
            }
            ColumnType::Relationship(entity) => {
                let id = |v: &&Value| if let Value::Relationship(r) = v { Some(*r) } else { None };
                self.relationships(&values.iter().map(id).collect::<Vec<_>>(), entity)?
            }
            ColumnType::Path(path) => self.paths(values, &path.0, &path.1)?,
            _ => self.plain(values, ty)?,
        })
    }

    /// Lists of what is given as offsets into an array.
    pub(super) fn list_array(
        of: &ColumnType,
        offsets: Vec<i32>,
        items: ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        let offsets = OffsetBuffer::new(offsets.into());
        Ok(Arc::new(ListArray::try_new(item(of), offsets, items, nulls).map_err(wrong)?))
    }

    fn lists(&self, values: &[&Value], of: &ColumnType) -> Result<ArrayRef, Error> {
        let len = |v: &Value| if let Value::List(items) = v { items.len() } else { 0 };
        let offsets = offsets(values.iter().map(|v| len(v)))?;
        let lists = values.iter().filter_map(|v| if let Value::List(items) = v { Some(items) } else { None });
        let mut items = Vec::with_capacity(lists.clone().map(|items| items.len()).sum());
        lists.for_each(|list| items.extend(list.iter()));
        Self::list_array(of, offsets, self.array(&items, of)?, nulls_of(values))
    }

    fn structs(&self, values: &[&Value], keys: &Keys, ty: &ColumnType) -> Result<ArrayRef, Error> {
        self.struct_array(ty, keys, nulls_of(values), values.len(), |key, ty| {
            let picked: Vec<&Value> = values.iter().map(|v| get(v, key)).collect();
            self.array(&picked, ty)
        })
    }

    /// The array of structs of a type with these keys, of an array for each.
    pub(super) fn struct_array(
        &self,
        ty: &ColumnType,
        keys: &Keys,
        nulls: Option<NullBuffer>,
        len: usize,
        array: impl Fn(&str, &ColumnType) -> Result<ArrayRef, Error>,
    ) -> Result<ArrayRef, Error> {
        self.check()?;
        let DataType::Struct(fields) = ty.data_type() else { return Err(failed("no struct".into())) };
        let arrays = keys.fields.iter().map(|(key, ty)| array(key, ty)).collect::<Result<_, _>>()?;
        struct_array(fields, arrays, nulls, len)
    }

    fn maps(&self, values: &[&Value], of: &ColumnType) -> Result<ArrayRef, Error> {
        let len = |v: &Value| if let Value::Map(entries) = v { entries.len() } else { 0 };
        let offsets = offsets(values.iter().map(|v| len(v)))?;
        let maps = values.iter().filter_map(|v| if let Value::Map(map) = v { Some(map) } else { None });
        let mut keys = StringBuilder::new();
        maps.clone().flat_map(|map| map.keys()).try_for_each(|key| push_text(&mut keys, Some(key)))?;
        let all: Vec<&Value> = maps.flat_map(|map| map.values()).collect();
        let parts: Vec<ArrayRef> = vec![Arc::new(keys.finish()), self.array(&all, of)?];
        let pairs = StructArray::try_new(entry(of), parts, None).map_err(wrong)?;
        let offsets = OffsetBuffer::new(offsets.into());
        let maps = MapArray::try_new(entries(of), offsets, pairs, nulls_of(values), false).map_err(wrong)?;
        Ok(Arc::new(maps))
    }

    fn plain(&self, values: &[&Value], ty: &ColumnType) -> Result<ArrayRef, Error> {
        /// An array of what `pick` finds in the values.
        fn array<T, A: FromIterator<Option<T>> + Array + 'static>(
            values: &[&Value],
            pick: impl Fn(&Value) -> Option<T>,
        ) -> ArrayRef {
            Arc::new(values.iter().map(|v| pick(v)).collect::<A>())
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
            ColumnType::Plain(LogicalType::LocalTime) => {
                array::<_, Time64NanosecondArray>(values, |v| match v {
                    Value::LocalTime(t) => Some(t.nanos),
                    _ => None,
                })
            }
            ColumnType::Plain(LogicalType::Bytes) => Arc::new(bytes(values)?),
            ColumnType::Instant { zoned, reach, .. } => match reach {
                Unit::Milli => instants::<TimestampMillisecondType>(values, *zoned, *reach),
                Unit::Micro => instants::<TimestampMicrosecondType>(values, *zoned, *reach),
                Unit::Nano => instants::<TimestampNanosecondType>(values, *zoned, *reach),
            },
            ColumnType::Length { reach, .. } => match reach {
                Unit::Milli => lengths::<DurationMillisecondType>(values, *reach),
                Unit::Micro => lengths::<DurationMicrosecondType>(values, *reach),
                Unit::Nano => lengths::<DurationNanosecondType>(values, *reach),
            },
            ColumnType::Decimal { scale, .. } => Arc::new(
                (values.iter().map(|v| unscaled(v, *scale)).collect::<Decimal128Array>())
                    .with_data_type(ty.data_type()),
            ),
            _ => Arc::new(self.texts(values)?),
        })
    }

    fn texts(&self, values: &[&Value]) -> Result<StringArray, Error> {
        let mut out = StringBuilder::with_capacity(values.len(), 0);
        for some in values.chunks(UNCHECKED) {
            self.check()?;
            for value in some {
                match value {
                    Value::Null => push_text(&mut out, None)?,
                    Value::String(text) => push_text(&mut out, Some(text))?,
                    other => push_text(&mut out, Some(&trimorph_types::format_value(other, self.entities)))?,
                }
            }
        }
        Ok(out.finish())
    }
}

/// The value of a key; null if there is none.
fn get<'v>(value: &'v Value, key: &str) -> &'v Value {
    match value {
        Value::Map(entries) => entries.get(key).unwrap_or(&NULL),
        _ => &NULL,
    }
}

pub(super) fn wrong(error: ArrowError) -> Error {
    failed(error.to_string())
}

/// Where lists of these lengths begin, and the last ends.
pub(super) fn offsets(lengths: impl Iterator<Item = usize>) -> Result<Vec<i32>, TooLong> {
    let (mut out, mut end) = (vec![0], 0usize);
    for len in lengths {
        end = end.saturating_add(len);
        out.push(i32::try_from(end).map_err(|_| TooLong)?);
    }
    Ok(out)
}

fn nulls_of(values: &[&Value]) -> Option<NullBuffer> {
    let nulls = NullBuffer::from_iter(values.iter().map(|v| !v.is_null()));
    (nulls.null_count() > 0).then_some(nulls)
}

/// An array of structs, also of none or without fields.
pub(super) fn struct_array(
    fields: arrow_schema::Fields,
    arrays: Vec<ArrayRef>,
    nulls: Option<NullBuffer>,
    len: usize,
) -> Result<ArrayRef, Error> {
    Ok(Arc::new(StructArray::try_new_with_length(fields, arrays, nulls, len).map_err(wrong)?))
}

fn bytes(values: &[&Value]) -> Result<BinaryArray, TooLong> {
    let len = |v: &&Value| if let Value::Bytes(bytes) = v { bytes.len() } else { 0 };
    // Looks whether the offsets reach so far.
    offsets(values.iter().map(len))?;
    let picked = values.iter().map(|v| if let Value::Bytes(bytes) = v { Some(&**bytes) } else { None });
    Ok(picked.collect())
}

/// Instants in a unit that all of them fit.
fn instants<T: ArrowTimestampType>(values: &[&Value], zoned: bool, unit: Unit) -> ArrayRef {
    let picked = values.iter().map(|v| match v {
        Value::LocalDateTime(t) => unit.count(t.seconds, t.nanos),
        Value::DateTime(t) => unit.count(t.seconds, t.nanos),
        _ => None,
    });
    let array: PrimitiveArray<T> = picked.collect();
    Arc::new(if zoned { array.with_timezone("UTC") } else { array })
}

/// Durations in a unit that all of them fit.
fn lengths<T: ArrowPrimitiveType<Native = i64>>(values: &[&Value], unit: Unit) -> ArrayRef {
    let picked = values.iter().map(|v| match v {
        Value::Duration(length) => unit.count(seconds_of(*length)?, length.nanos.unsigned_abs()),
        _ => None,
    });
    Arc::new(picked.collect::<PrimitiveArray<T>>())
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
