//! A column of one batch, and what becomes of it when the type of the whole column is known.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, StringArray,
    Time64NanosecondArray, TimestampNanosecondArray, new_null_array,
};
use arrow_buffer::NullBuffer;
use trimorph_types::{Decimal, LogicalType, Value};
use trimorph_vector::{Values, Vector};

pub(super) use super::column_type::ColumnType;
use super::column_type::Keys;
use super::maker::Maker;
use crate::Error;

/// One column of one batch, before its Arrow type is settled.
pub(super) struct Column {
    /// The type that holds all its values; instants that are an array already are taken to need no fraction
    /// of a second.
    pub(super) ty: ColumnType,
    data: Data,
}

enum Data {
    Array(ArrayRef),
    /// So many nulls.
    Nulls(usize),
    /// Where lists begin and the last ends, which are null, and their elements.
    Lists(Vec<i32>, Option<NullBuffer>, Box<Column>),
    /// The keys of maps, which are null, what they have under each key, and how many there are.
    Structs(Arc<[Arc<str>]>, Option<NullBuffer>, Vec<Column>, usize),
    Values(Vec<Value>),
}

impl Column {
    pub(super) fn of_array(ty: ColumnType, array: ArrayRef) -> Self {
        Self { ty, data: Data::Array(array) }
    }

    /// Nothing but nulls.
    pub(super) fn of_nulls(len: usize) -> Self {
        Self { ty: ColumnType::Unknown, data: Data::Nulls(len) }
    }

    /// Lists of elements that are a column themselves. Its own type is exact.
    pub(super) fn of_lists(ends: Vec<i32>, nulls: Option<NullBuffer>, child: Self) -> Self {
        let ty = ColumnType::List(Box::new(child.exact_type()));
        Self { ty, data: Data::Lists(ends, nulls, Box::new(child)) }
    }

    /// Maps of the same keys, of columns for each. Its own type is exact.
    pub(super) fn of_structs(
        keys: Arc<[Arc<str>]>,
        nulls: Option<NullBuffer>,
        fields: Vec<Self>,
        len: usize,
    ) -> Self {
        let types = keys.iter().cloned().zip(fields.iter().map(Self::exact_type)).collect();
        let ty = ColumnType::Struct(Box::new(Keys { fields: types, most: keys.len() }));
        Self { ty, data: Data::Structs(keys, nulls, fields, len) }
    }

    /// Values that are so many levels within a column.
    pub(super) fn of_values(values: Vec<Value>, depth: usize, maker: &Maker<'_>) -> Result<Self, Error> {
        Ok(Self { ty: ColumnType::of_values(&values, depth, maker)?, data: Data::Values(values) })
    }

    /// The type that holds all its values, their fractions of a second looked at: for columns that cannot be
    /// in nanoseconds.
    pub(super) fn exact_type(&self) -> ColumnType {
        match (&self.data, &self.ty) {
            (Data::Array(array), ColumnType::Instant { zoned, .. }) => {
                match array.as_any().downcast_ref::<TimestampNanosecondArray>() {
                    Some(array) => ColumnType::of_nanos(*zoned, array.iter().flatten()),
                    None => self.ty.clone(),
                }
            }
            _ => self.ty.clone(),
        }
    }

    /// The name of the first type in it that a column settled as `ty` cannot hold.
    pub(super) fn misfit(&self, ty: &ColumnType, maker: &Maker<'_>) -> Result<Option<String>, Error> {
        let own = if ty.is_in_nanos() { self.ty.clone() } else { self.exact_type() };
        if ty.holds(&own) {
            return Ok(None);
        }
        let Data::Values(values) = &self.data else { return Ok(Some(own.name())) };
        for value in values {
            let one = ColumnType::of_values(std::slice::from_ref(value), 0, maker)?;
            if !ty.holds(&one) {
                return Ok(Some(match one {
                    ColumnType::Decimal { .. } => one.type_name(),
                    _ => one.name(),
                }));
            }
        }
        // Each by itself would fit.
        Ok(Some(own.name()))
    }

    /// General values as an array already, a third of their size, where no later value can ask for more than
    /// the array tells.
    pub(super) fn packed(self, maker: &Maker<'_>) -> Result<Self, Error> {
        let data = match self.data {
            Data::Lists(ends, nulls, child) => Data::Lists(ends, nulls, Box::new(child.packed(maker)?)),
            Data::Structs(keys, nulls, fields, len) => {
                // What is of several types may yet be shown with them in the text of the whole.
                let pack = |field: Self| match field.ty {
                    ColumnType::Text => Ok(field),
                    _ => field.packed(maker),
                };
                let fields = fields.into_iter().map(pack);
                Data::Structs(keys, nulls, fields.collect::<Result<_, _>>()?, len)
            }
            data => data,
        };
        let packed = Self { ty: self.ty, data };
        packed.packed_values(maker)
    }

    fn packed_values(self, maker: &Maker<'_>) -> Result<Self, Error> {
        let Data::Values(values) = &self.data else { return Ok(self) };
        let is_exact = match &self.ty {
            ColumnType::Text | ColumnType::Spelled(_) => true,
            ty => is_exact(ty, &mut values.iter()),
        };
        if is_exact {
            let array = self.settle(&self.ty, maker)?;
            Ok(Self { data: Data::Array(array), ..self })
        } else {
            Ok(self)
        }
    }

    /// The Arrow array of a column whose type is settled: one that holds all its values.
    pub(super) fn settle(&self, ty: &ColumnType, maker: &Maker<'_>) -> Result<ArrayRef, Error> {
        match &self.data {
            Data::Lists(ends, nulls, child) => match ty {
                ColumnType::List(of) => {
                    Maker::list_array(of, ends.clone(), child.settle(of, maker)?, nulls.clone())
                }
                _ => maker.array(&self.values().iter().collect::<Vec<_>>(), ty),
            },
            Data::Structs(own, nulls, columns, len) => match ty {
                ColumnType::Struct(keys) => maker.struct_array(ty, keys, nulls.clone(), *len, |key, of| {
                    let place = own.binary_search_by(|own| (**own).cmp(key)).ok();
                    match place.and_then(|place| columns.get(place)) {
                        Some(column) => column.settle(of, maker),
                        None => Ok(new_null_array(&of.data_type(), *len)),
                    }
                }),
                _ => maker.array(&self.values().iter().collect::<Vec<_>>(), ty),
            },
            Data::Array(array) if *array.data_type() == ty.data_type() => Ok(Arc::clone(array)),
            Data::Nulls(len) => Ok(new_null_array(&ty.data_type(), *len)),
            Data::Array(array) => maker.array(&values_of(array).iter().collect::<Vec<_>>(), ty),
            Data::Values(values) => maker.array(&values.iter().collect::<Vec<_>>(), ty),
        }
    }
}

impl Column {
    /// Its values, for the rare column whose batches differ in type.
    fn values(&self) -> Vec<Value> {
        let is_null = |nulls: &Option<NullBuffer>, i| nulls.as_ref().is_some_and(|nulls| nulls.is_null(i));
        match &self.data {
            Data::Array(array) => values_of(array),
            Data::Nulls(len) => vec![Value::Null; *len],
            Data::Values(values) => values.clone(),
            Data::Lists(ends, nulls, child) => {
                let elements = child.values();
                let ends = ends.windows(2).map(|pair| [pair[0], pair[1]].map(|n| n.unsigned_abs() as usize));
                let list = |(i, [start, end]): (usize, [usize; 2])| match elements.get(start..end) {
                    Some(elements) if !is_null(nulls, i) => Value::list(elements.to_vec()),
                    _ => Value::Null,
                };
                ends.enumerate().map(list).collect()
            }
            Data::Structs(keys, nulls, columns, len) => {
                let columns: Vec<Vec<Value>> = columns.iter().map(Self::values).collect();
                let map = |i: usize| {
                    let values = columns.iter().map(|column| column.get(i).cloned().unwrap_or_default());
                    Value::map(keys.iter().cloned().zip(values).collect())
                };
                (0..*len).map(|i| if is_null(nulls, i) { Value::Null } else { map(i) }).collect()
            }
        }
    }
}

/// Whether an array of this type tells these values as they are.
fn is_exact<'v>(ty: &ColumnType, mut values: &mut dyn Iterator<Item = &'v Value>) -> bool {
    match ty {
        ColumnType::Decimal { .. } => true,
        // An integer among them would be a float for good, though text may still be wanted.
        ColumnType::Plain(LogicalType::Float) => Iterator::all(&mut values, |v| !matches!(v, Value::Int(_))),
        ColumnType::Plain(ty) => matches!(ty, LogicalType::Bool | LogicalType::Int | LogicalType::String),
        ColumnType::List(of) => {
            let items = |v: &'v Value| if let Value::List(items) = v { items.as_slice() } else { &[] };
            is_exact(of, &mut values.flat_map(items))
        }
        // Of dates and instants an array has not all, such as the zones.
        _ => false,
    }
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
        } else if let Some(a) = array.as_list_opt::<i32>() {
            Value::list(values_of(&a.value(i)))
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
