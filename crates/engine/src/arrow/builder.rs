//! Vectors in, columns of a record batch out: many vectors are one batch, so that a consumer is not given
//! 100,000 small ones.
//!
//! Each value is copied once, from the executor's vector, which the next one overwrites, to the buffer that
//! is handed over.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, Time64NanosecondArray,
    TimestampNanosecondArray,
};
use arrow_buffer::{NullBuffer, NullBufferBuilder};
use trimorph_base::EdgeId;
use trimorph_types::format::IdsOnly;
use trimorph_types::{LogicalType, Value, format_value};
use trimorph_vector::{Texts, Values, Vector};

use super::bits::{is_from_the_first_on, packed, present};
use super::column::{Column, ColumnType};
use super::failure::TooLong;
use super::literal::number_of;
use super::maker::Maker;
use super::nested::{DEPTH_MAX, FIELDS_MAX};
use super::text::push_text;
use crate::Error;

/// Text of one column after which a batch is closed, far below the 2 GiB that Arrow's offsets reach.
const TEXT_BYTES_MAX: usize = 1 << 28;

/// Text that a batch has room for before it comes.
const ROOM_BYTES_MAX: usize = 8 << 20;

/// Bytes of general values of one column, shared ones counted wherever they are, after which a batch is
/// closed, and those that no batch has: a list that many rows share is copied for each of them.
const VALUE_BYTES_MAX: u64 = 1 << 28;
const VALUE_BYTES_END: u64 = 1 << 32;

/// A batch that grows.
pub(super) struct BatchBuilder {
    columns: Vec<ColumnBuilder>,
    len: usize,
}

/// A batch whose columns may still change their Arrow type.
pub(super) struct Batch {
    pub(super) len: usize,
    pub(super) columns: Vec<Column>,
}

struct ColumnBuilder {
    values: Buffer,
    nulls: NullBufferBuilder,
    /// Bytes of general values.
    bytes: u64,
    /// Levels that it is within a column of the result.
    depth: usize,
    /// How many values there are.
    len: usize,
}

/// Like `Values`, with what Arrow has no vector of as general values.
enum Buffer {
    /// Nothing but nulls, of whatever type the column will be.
    Null,
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Float(Vec<f64>),
    String(StringBuilder),
    Date(Vec<i32>),
    LocalTime(Vec<i64>),
    LocalDateTime(Vec<i64>),
    DateTime(Vec<i64>),
    /// The text form of values of a type.
    Spelled(LogicalType, StringBuilder),
    /// Where lists end, and their elements.
    List(Vec<i32>, Box<ColumnBuilder>),
    /// Maps of the same keys, and what they have under each.
    Struct(Arc<[Arc<str>]>, Vec<ColumnBuilder>),
    General(Vec<Value>),
}

/// Elements of lists after which a batch is closed.
const ELEMENTS_MAX: i32 = 1 << 26;

/// The end of the last list.
fn end_of(offsets: &[i32]) -> i32 {
    offsets.last().copied().unwrap_or(0)
}

impl BatchBuilder {
    /// An empty batch for vectors like these, with room for `rows`.
    pub(super) fn like(vectors: &[&Vector<'_>], rows: usize) -> Self {
        Self { columns: vectors.iter().map(|v| ColumnBuilder::like(v, rows, 0)).collect(), len: 0 }
    }

    /// Whether vectors like these can be appended.
    pub(super) fn takes(&self, vectors: &[&Vector<'_>]) -> bool {
        self.columns.iter().zip(vectors).all(|(column, vector)| column.takes(vector))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Appends the values at `positions`.
    pub(super) fn append(
        &mut self,
        vectors: &[&Vector<'_>],
        positions: &[u32],
        edge: &dyn Fn(EdgeId) -> Value,
    ) -> Result<(), TooLong> {
        self.len += positions.len();
        for (column, vector) in self.columns.iter_mut().zip(vectors) {
            column.append(vector, positions, edge)?;
        }
        Ok(())
    }

    pub(super) fn finish(self, maker: &Maker<'_>) -> Result<Batch, Error> {
        let columns = self.columns.into_iter().map(|column| column.finish(maker));
        Ok(Batch { len: self.len, columns: columns.collect::<Result<_, _>>()? })
    }
}

impl ColumnBuilder {
    /// For vectors like this one, which is so many levels within its column.
    fn like(vector: &Vector<'_>, rows: usize, depth: usize) -> Self {
        let values = match &vector.values {
            Values::Any(values) if are_nulls(values) => Buffer::Null,
            Values::Bool(_) => Buffer::Bool(Vec::with_capacity(rows)),
            Values::Int(_) => Buffer::Int(Vec::with_capacity(rows)),
            Values::Float(_) => Buffer::Float(Vec::with_capacity(rows)),
            Values::String(texts) => {
                Buffer::String(StringBuilder::with_capacity(rows, letters_of(texts, rows)))
            }
            Values::Date(_) => Buffer::Date(Vec::with_capacity(rows)),
            Values::LocalTime(_) => Buffer::LocalTime(Vec::with_capacity(rows)),
            Values::LocalDateTime(_) => Buffer::LocalDateTime(Vec::with_capacity(rows)),
            Values::DateTime(_) => Buffer::DateTime(Vec::with_capacity(rows)),
            Values::List(lists) if depth < DEPTH_MAX => {
                let mut ends = Vec::with_capacity(rows + 1);
                ends.push(0);
                Buffer::List(ends, Box::new(Self::like(lists.child(), 0, depth + 1)))
            }
            Values::Map(maps) if depth < DEPTH_MAX && (1..=FIELDS_MAX).contains(&maps.keys().len()) => {
                let fields = maps.fields().iter().map(|field| Self::like(field, rows, depth + 1));
                Buffer::Struct(maps.keys().into(), fields.collect())
            }
            // What may yet be shown within another text keeps its type.
            Values::Time(_) | Values::Iri(_) if depth == 0 => {
                Buffer::Spelled(vector.logical_type(), StringBuilder::with_capacity(rows, 0))
            }
            _ => Buffer::General(Vec::with_capacity(rows)),
        };
        Self { values, nulls: NullBufferBuilder::new(rows), bytes: 0, depth, len: 0 }
    }

    fn takes(&self, vector: &Vector<'_>) -> bool {
        match (&self.values, &vector.values) {
            (Buffer::Null, Values::Any(values)) => are_nulls(values),
            (Buffer::String(texts), Values::String(_)) => texts.values_slice().len() < TEXT_BYTES_MAX,
            (Buffer::Spelled(ty, texts), _) => {
                vector.logical_type() == *ty && texts.values_slice().len() < TEXT_BYTES_MAX
            }
            (Buffer::Bool(_), Values::Bool(_))
            | (Buffer::Int(_), Values::Int(_))
            | (Buffer::Float(_), Values::Float(_))
            | (Buffer::Date(_), Values::Date(_))
            | (Buffer::LocalTime(_), Values::LocalTime(_))
            | (Buffer::LocalDateTime(_), Values::LocalDateTime(_))
            | (Buffer::DateTime(_), Values::DateTime(_)) => true,
            (Buffer::List(ends, child), Values::List(lists)) => {
                end_of(ends) < ELEMENTS_MAX && child.takes(lists.child())
            }
            (Buffer::Struct(keys, fields), Values::Map(maps)) => {
                **keys == *maps.keys()
                    && fields.iter().zip(maps.fields()).all(|(own, field)| own.takes(field))
            }
            // Nulls of whatever type; what has fields would have to have them in each.
            (
                Buffer::Bool(_)
                | Buffer::Int(_)
                | Buffer::Float(_)
                | Buffer::String(_)
                | Buffer::Date(_)
                | Buffer::LocalTime(_)
                | Buffer::LocalDateTime(_)
                | Buffer::DateTime(_),
                Values::Any(values),
            ) => are_nulls(values),
            // What goes with no other buffer.
            (Buffer::General(_), _) => {
                let own = Self::like(vector, 0, self.depth);
                matches!(own.values, Buffer::General(_) | Buffer::Null) && self.bytes < VALUE_BYTES_MAX
            }
            _ => false,
        }
    }

    /// Appends values of a vector that [`Self::takes`] said yes to.
    fn append(
        &mut self,
        vector: &Vector<'_>,
        positions: &[u32],
        edge: &dyn Fn(EdgeId) -> Value,
    ) -> Result<(), TooLong> {
        self.len += positions.len();
        if let Values::Any(_) = vector.values
            && !matches!(self.values, Buffer::General(_) | Buffer::Spelled(..))
        {
            return self.append_nulls(positions.len());
        }
        match (&mut self.values, &vector.values) {
            (Buffer::Bool(out), Values::Bool(v)) => extend(out, v, positions),
            (Buffer::Int(out), Values::Int(v))
            | (Buffer::LocalTime(out), Values::LocalTime(v))
            | (Buffer::LocalDateTime(out), Values::LocalDateTime(v))
            | (Buffer::DateTime(out), Values::DateTime(v)) => extend(out, v, positions),
            (Buffer::Float(out), Values::Float(v)) => extend(out, v, positions),
            (Buffer::Date(out), Values::Date(v)) => extend(out, v, positions),
            (Buffer::String(out), Values::String(v)) => {
                for p in positions.iter().map(|p| *p as usize) {
                    push_text(out, (!vector.nulls.get(p)).then(|| v.get(p)))?;
                }
                return Ok(());
            }
            (Buffer::Spelled(_, out), _) => {
                for p in positions.iter().map(|p| *p as usize) {
                    let text = (!vector.nulls.get(p)).then(|| format_value(&vector.value(p, edge), &IdsOnly));
                    push_text(out, text.as_deref())?;
                }
                return Ok(());
            }
            (Buffer::List(ends, child), Values::List(lists)) => {
                let mut elements = Vec::new();
                let first = end_of(ends);
                for p in positions.iter().map(|p| *p as usize) {
                    if !vector.nulls.get(p) {
                        elements.extend(lists.elements(p));
                    }
                    let end = i32::try_from(elements.len()).ok().and_then(|len| first.checked_add(len));
                    ends.push(end.ok_or(TooLong)?);
                }
                child.append(lists.child(), &elements, edge)?;
            }
            (Buffer::Struct(keys, fields), Values::Map(maps)) => {
                for ((key, own), field) in keys.iter().zip(fields).zip(maps.fields()) {
                    if vector.nulls.is_none() {
                        own.append(field, positions, edge)?;
                    } else {
                        // What a null map has is arbitrary.
                        own.append(&maps.under(key, &vector.nulls), positions, edge)?;
                    }
                }
            }
            (Buffer::General(out), _) => {
                for p in positions {
                    let value = number_of(vector.value(*p as usize, edge));
                    self.bytes = self.bytes.saturating_add(value.extent().bytes);
                    if self.bytes > VALUE_BYTES_END {
                        return Err(TooLong);
                    }
                    out.push(value);
                }
                return Ok(());
            }
            _ => return Ok(()),
        }
        if vector.nulls.is_none() {
            self.nulls.append_n_non_nulls(positions.len());
        } else {
            self.nulls.append_buffer(&present(&vector.nulls, positions));
        }
        Ok(())
    }

    /// Appends so many nulls to what [`Self::takes`] them.
    fn append_nulls(&mut self, count: usize) -> Result<(), TooLong> {
        /// Values that nobody looks at.
        fn more<T: Copy + Default>(out: &mut Vec<T>, count: usize) {
            out.resize(out.len() + count, T::default());
        }
        match &mut self.values {
            Buffer::Bool(out) => more(out, count),
            Buffer::Int(out)
            | Buffer::LocalTime(out)
            | Buffer::LocalDateTime(out)
            | Buffer::DateTime(out) => more(out, count),
            Buffer::Float(out) => more(out, count),
            Buffer::Date(out) => more(out, count),
            Buffer::String(out) => {
                out.append_nulls(count);
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.nulls.append_n_nulls(count);
        Ok(())
    }

    fn finish(self, maker: &Maker<'_>) -> Result<Column, Error> {
        let nulls = self.nulls.build();
        let (ty, array): (_, ArrayRef) = match self.values {
            Buffer::Null => return Ok(Column::of_nulls(self.len)),
            Buffer::Bool(v) => (LogicalType::Bool, Arc::new(BooleanArray::new(packed(&v), nulls))),
            Buffer::Int(v) => (LogicalType::Int, Arc::new(Int64Array::new(fitted(v).into(), nulls))),
            Buffer::Float(v) => (LogicalType::Float, Arc::new(Float64Array::new(fitted(v).into(), nulls))),
            Buffer::Date(v) => (LogicalType::Date, Arc::new(Date32Array::new(fitted(v).into(), nulls))),
            Buffer::LocalTime(v) => {
                (LogicalType::LocalTime, Arc::new(Time64NanosecondArray::new(fitted(v).into(), nulls)))
            }
            Buffer::LocalDateTime(v) => {
                return Ok(Column::of_array(ColumnType::in_nanos(false), Arc::new(instants(v, nulls))));
            }
            Buffer::DateTime(v) => {
                let array = Arc::new(instants(v, nulls).with_timezone("UTC"));
                return Ok(Column::of_array(ColumnType::in_nanos(true), array));
            }
            Buffer::String(mut texts) => {
                let mut array = texts.finish();
                if array.value_data().len() < array.values().capacity() / 2 {
                    array.shrink_to_fit();
                }
                (LogicalType::String, Arc::new(array))
            }
            Buffer::List(ends, child) => return Ok(Column::of_lists(ends, nulls, child.finish(maker)?)),
            Buffer::Spelled(ty, mut texts) => {
                return Ok(Column::of_array(ColumnType::declared(ty), Arc::new(texts.finish())));
            }
            Buffer::Struct(keys, fields) => {
                let fields = fields.into_iter().map(|field| field.finish(maker)).collect::<Result<_, _>>()?;
                return Ok(Column::of_structs(keys, nulls, fields, self.len));
            }
            Buffer::General(values) => return Column::of_values(values, self.depth, maker),
        };
        Ok(Column::of_array(ColumnType::Plain(ty), array))
    }
}

/// Bytes to make room for where a batch of so many rows begins with these texts, so that they are not moved
/// again and again while it grows; no more than a batch of names may need.
fn letters_of(texts: &Texts<'_>, rows: usize) -> usize {
    const SAMPLE: usize = 64;
    let sample = texts.len().min(SAMPLE);
    let letters: usize = (0..sample).map(|i| texts.get(i).len()).sum();
    // An eighth more: numbers within names grow.
    let expected = letters.saturating_mul(rows) / sample.max(1);
    (expected + expected / 8).min(ROOM_BYTES_MAX)
}

/// Whether nothing else is among values.
fn are_nulls(values: &[Value]) -> bool {
    values.iter().all(Value::is_null)
}

fn instants(nanos: Vec<i64>, nulls: Option<NullBuffer>) -> TimestampNanosecondArray {
    TimestampNanosecondArray::new(fitted(nanos).into(), nulls)
}

/// Without the room that the last batch of a result does not fill.
fn fitted<T>(mut values: Vec<T>) -> Vec<T> {
    if values.len() < values.capacity() / 2 {
        values.shrink_to_fit();
    }
    values
}

fn extend<T: Copy>(out: &mut Vec<T>, values: &[T], positions: &[u32]) {
    if positions.len() == values.len() && is_from_the_first_on(positions) {
        out.extend_from_slice(values);
    } else {
        out.extend(positions.iter().map(|p| values[*p as usize]));
    }
}
