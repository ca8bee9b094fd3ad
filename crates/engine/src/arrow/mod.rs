//! Results as Arrow record batches: rows in, batches of one schema out.
//!
//! The way of a column: `builder` gathers vectors, `column` is what it gives, `column_type` says what all
//! batches of it have in common, and `column` makes arrays of that. `stream` does the same without all rows
//! at hand.

mod builder;
mod column;
mod column_type;
mod stream;
mod text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::{LogicalType, Value};

use self::builder::{Batch, BatchBuilder};
use self::column::{Column, ColumnType};
use self::text::TooLong;
use crate::{Entities, Error, Notice, QueryResult};

pub use self::stream::{ArrowCursor, ArrowStream};

/// Rows of a batch: consumers pay for each batch and column again. With a batch for each vector of 2,048 rows
/// pandas took 2.2 times as long to make a frame of three columns, and `arrow()` itself 1.04 times (205,000
/// rows, two runs in turns).
const BATCH_ROWS: usize = 1 << 16;

impl QueryResult {
    /// All rows not fetched yet as record batches of one schema. A column whose type the query does not say
    /// takes the one that all its values have: integers and floats together are floats, decimals are
    /// `Decimal128` where one scale fits them all. Instants are nanoseconds, or where some lie outside the
    /// years 1677 to 2262 the coarser unit in which none loses anything; where there is none they are text,
    /// with a notice. Where the types differ otherwise, and for lists, maps, nodes, relationships, paths and
    /// durations, their openCypher text form.
    ///
    /// **Cost**: each value is copied once out of the executor's vectors, never again by a consumer of the C
    /// interface; memory for the arrays, and for general values of the batch that is being filled.
    pub fn arrow(&mut self) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
        let entities = self.entities().clone();
        let mut batches = Vec::from_iter(self.early_columns());
        let mut open: Option<BatchBuilder> = None;
        loop {
            let mut closed = None;
            let more = self.next_batch(|vectors, positions, cx| {
                closed = open.take_if(|batch| batch.len() >= BATCH_ROWS || !batch.takes(vectors));
                let room = if closed.is_some() { BATCH_ROWS } else { 0 };
                let batch = open.get_or_insert_with(|| BatchBuilder::like(vectors, room));
                batch.append(vectors, positions, &|id| cx.edge_value(id))
            })?;
            let has_ended = more.is_none();
            more.transpose()?;
            if has_ended {
                closed = open.take();
            }
            if let Some(batch) = closed {
                batches.push(batch.finish().packed(&entities)?);
            }
            if has_ended {
                break;
            }
        }
        let types: Vec<ColumnType> = (self.types().iter().enumerate())
            .map(|(column, declared)| match common_type(&batches, column) {
                ColumnType::Unknown => ColumnType::declared(*declared),
                found => found,
            })
            .collect();
        let schema = schema_of(self.columns(), &types);
        self.notice_spelled(&types);
        let settled = batches.into_iter().map(|batch| record_batch(&schema, &batch, &types, &entities));
        let settled = settled.collect::<Result<_, _>>()?;
        Ok((schema, settled))
    }

    /// A notice for each column of dates or instants that is text because Arrow has no type for them.
    fn notice_spelled(&mut self, types: &[ColumnType]) {
        for (at, ty) in types.iter().enumerate() {
            let ColumnType::Spelled(of) = ty else { continue };
            let (name, of_name) = (&self.columns()[at], of.name());
            let text = format!("column \"{name}\" is text: no Arrow type holds all its {of_name} values");
            let hint = match of {
                LogicalType::Date => "choose dates within 5 million years of 1970",
                _ => "cut their fractions of a second, as with datetime.truncate('microsecond', t)",
            };
            self.push_notice(Notice::of_result("ColumnAsText", text, hint));
        }
    }

    /// Rows that were computed and not fetched, as columns.
    fn early_columns(&mut self) -> Option<Batch> {
        let early = self.drain_rows();
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); self.columns().len()];
        let len = early.len();
        for row in early {
            columns.iter_mut().zip(row).for_each(|(c, v)| c.push(v));
        }
        (len > 0).then(|| Batch { len, columns: columns.into_iter().map(Column::General).collect() })
    }

    /// What the executor computes next, as columns.
    fn next_columns(&mut self) -> Result<Option<Batch>, Error> {
        let batch = self.next_batch(|vectors, positions, cx| {
            let mut batch = BatchBuilder::like(vectors, positions.len());
            batch.append(vectors, positions, &|id| cx.edge_value(id))?;
            Ok::<_, TooLong>(batch.finish())
        })?;
        Ok(batch.transpose()?)
    }
}

impl Batch {
    fn packed(self, entities: &Entities) -> Result<Self, TooLong> {
        let columns = self.columns.into_iter().map(|c| c.packed(entities)).collect::<Result<_, _>>()?;
        Ok(Self { len: self.len, columns })
    }
}

impl From<TooLong> for Error {
    fn from(_: TooLong) -> Self {
        failed("a batch has more than 2 GiB of text in one column".into())
    }
}

fn failed(text: String) -> Error {
    Error::query(Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text), "")
}

/// The type of a column over all batches.
fn common_type(batches: &[Batch], column: usize) -> ColumnType {
    let over = |of: fn(&Column) -> ColumnType| {
        batches.iter().fold(ColumnType::Unknown, |ty, batch| ty.join(of(&batch.columns[column])))
    };
    match over(Column::column_type) {
        ty @ ColumnType::Instant { .. } if !ty.is_in_nanos() => over(Column::exact_type),
        ty => ty,
    }
}

fn schema_of(names: &[String], types: &[ColumnType]) -> SchemaRef {
    let field = |(name, ty): (&String, &ColumnType)| Field::new(name, ty.data_type(), true);
    Arc::new(Schema::new(names.iter().zip(types).map(field).collect::<Vec<_>>()))
}

fn record_batch(
    schema: &SchemaRef,
    batch: &Batch,
    types: &[ColumnType],
    entities: &Entities,
) -> Result<RecordBatch, Error> {
    let arrays = batch.columns.iter().zip(types).map(|(column, ty)| column.settle(*ty, entities));
    let arrays = arrays.collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.len));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options).map_err(|e| failed(e.to_string()))
}
