//! Results as Arrow record batches: rows in, batches of one schema out.
//!
//! The way of a column: `builder` gathers vectors, `column` is what it gives, `seen` finds the type that its
//! values have together, `expected` that of a column without any, `column_type` and `nested` say what all
//! batches have in common, `shape` what that is in Arrow, and `maker` makes arrays of it, `graph` those of
//! nodes, relationships and paths. Literals of RDF that write numbers are numbers (`literal`). `notices`
//! tells what had to become text. `stream` does the same without all rows at hand.

mod bits;
mod builder;
mod column;
mod column_type;
mod expected;
mod failure;
mod graph;
mod literal;
mod maker;
mod nested;
mod notices;
mod seen;
mod shape;
mod stream;
mod text;
mod unit;

#[cfg(test)]
mod nested_tests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use trimorph_exec::Context;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Vector;

use self::builder::{Batch, BatchBuilder};
use self::column::{Column, ColumnType};
use self::expected::expected;
use self::failure::{TooLong, failed};
use self::literal::number_of;
use self::maker::Maker;
use crate::{Error, QueryResult};

pub use self::stream::{ArrowCursor, ArrowStream};

/// Rows of a batch: consumers pay for each batch and column again. With a batch for each vector of 2,048 rows
/// pandas took 2.2 times as long to make a frame of three columns, and `arrow()` itself 1.04 times (205,000
/// rows, two runs in turns).
const BATCH_ROWS: usize = 1 << 16;

impl QueryResult {
    /// All rows not fetched yet as record batches of one schema. A column whose type the query does not say
    /// takes the one that all its values have, and without any value that of the property it shows: integers
    /// and floats together are floats, decimals are `Decimal128` where one scale fits them all. Instants are
    /// nanoseconds, or where some lie outside the years 1677 to 2262 the coarser unit in which none loses
    /// anything; where there is none they are text, with a notice.
    ///
    /// Lists are lists of the type that their elements have together; maps are structs of all keys there are,
    /// or Arrow's maps where these are many. Nodes are structs of `id`, `labels` and `properties`,
    /// relationships of `id`, `type`, `start`, `end` and `properties`, paths of `nodes` and `relationships`.
    /// Durations without months are Arrow's, a day being 24 hours; in a unit as instants are.
    ///
    /// Where the types differ otherwise, and for times with an offset and columns in which some duration has
    /// months, the openCypher text form; a notice tells.
    ///
    /// **Cost**: each value is copied once out of the executor's vectors, never again by a consumer of the C
    /// interface; memory for the arrays, and for general values of the batch that is being filled.
    pub fn arrow(&mut self) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
        let entities = self.entities().clone();
        let maker = Maker::new(&entities, self.cancel_token());
        let mut batches = Vec::from_iter(self.early_columns(&maker)?);
        batches.append(&mut if self.threads() > 1 { self.built_by_all()? } else { self.built(&maker)? });
        let seen: Vec<ColumnType> =
            (0..self.types().len()).map(|column| common_type(&batches, column).settled()).collect();
        self.notice_texts(&seen);
        let types: Vec<ColumnType> = (seen.into_iter().enumerate())
            .map(|(column, seen)| match seen {
                ColumnType::Unknown => self.expected_type(column).settled(),
                found => found,
            })
            .collect();
        let schema = schema_of(self.columns(), &types);
        self.name_types(&types);
        let cancel = self.cancel_token();
        let settled = self.on_each(batches, |batch| {
            record_batch(&schema, &batch, &types, &Maker::new(&entities, cancel.clone()))
        })?;
        Ok((schema, settled.into_iter().collect::<Result<_, _>>()?))
    }

    /// The rows that are left, built by the caller as they are computed.
    fn built(&mut self, maker: &Maker<'_>) -> Result<Vec<Batch>, Error> {
        let mut building = Building::default();
        loop {
            let more = self.next_batch(|vectors, positions, cx| building.append(vectors, positions, cx))?;
            let has_ended = more.is_none();
            more.transpose()?;
            building.close(has_ended, maker)?;
            if has_ended {
                return Ok(building.made);
            }
        }
    }

    /// The same, built by all threads of the query: copying texts takes as long as decoding them.
    fn built_by_all(&mut self) -> Result<Vec<Batch>, Error> {
        let (entities, cancel) = (self.entities().clone(), self.cancel_token());
        let (mut batches, mut open) = (Vec::new(), None);
        loop {
            let round = self.next_round(BATCH_ROWS, &mut open, |open: Option<BatchBuilder>, run, cx| {
                let maker = Maker::new(&entities, cancel.clone());
                let mut building = Building { open, room: run.rows(), ..Building::default() };
                let is_last = run.is_last();
                run.each(|vectors, positions| {
                    building.append(vectors, positions, cx)?;
                    building.close(false, &maker)
                })?;
                // What comes next goes on with the last, unless that is long enough.
                if !is_last || building.open.as_ref().is_some_and(|open| open.len() >= BATCH_ROWS) {
                    building.close(true, &maker)?;
                }
                Ok::<_, Error>((building.made, building.open))
            })?;
            let Some(round) = round else { break };
            for made in round {
                let (mut made, left) = made?;
                batches.append(&mut made);
                open = left;
            }
        }
        let mut last = Building { open, ..Building::default() };
        last.close(true, &Maker::new(&entities, cancel))?;
        batches.append(&mut last.made);
        Ok(batches)
    }

    /// The type of a column of which no value was seen.
    fn expected_type(&self, column: usize) -> ColumnType {
        let schema = self.entities().snapshot().schema();
        ColumnType::declared(expected(self.query(), column, schema))
    }

    /// A notice for what is text because Arrow has no type for it.
    fn notice_texts(&mut self, types: &[ColumnType]) {
        let columns = self.columns().iter().zip(types);
        let notices: Vec<_> =
            columns.flat_map(|(name, ty)| notices::notices(name, ty, self.has_terms())).collect();
        notices.into_iter().for_each(|notice| self.push_notice(notice));
    }

    /// Notes what columns have turned out to be.
    fn name_types(&mut self, types: &[ColumnType]) {
        let declared = self.types().to_vec();
        let name = |(ty, declared): (&ColumnType, LogicalType)| match ty {
            ColumnType::Unknown | ColumnType::Text => declared.name().to_owned(),
            ty => ty.type_name(),
        };
        self.set_type_names(types.iter().zip(declared).map(name).collect());
    }

    /// Rows that were computed and not fetched, as columns.
    fn early_columns(&mut self, maker: &Maker<'_>) -> Result<Option<Batch>, Error> {
        let early = self.drain_rows();
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); self.columns().len()];
        let len = early.len();
        for row in early {
            columns.iter_mut().zip(row).for_each(|(c, v)| c.push(number_of(v)));
        }
        if len == 0 {
            return Ok(None);
        }
        let columns = columns.into_iter().map(|values| Column::of_values(values, 0, maker));
        let columns = maker.settle(columns.collect::<Result<_, _>>())?;
        Ok(Some(Batch { len, columns }))
    }

    /// What the executor computes next, as columns.
    fn next_columns(&mut self, maker: &Maker<'_>) -> Result<Option<Batch>, Error> {
        let batch = self.next_batch(|vectors, positions, cx| {
            let mut batch = BatchBuilder::like(vectors, positions.len());
            batch.append(vectors, positions, &|id| cx.edge_value(id))?;
            Ok::<_, TooLong>(batch)
        })?;
        let batch = batch.transpose()?.map(|batch| batch.finish(maker)).transpose();
        maker.settle(batch)
    }
}

/// Batches in the making.
#[derive(Default)]
struct Building {
    open: Option<BatchBuilder>,
    /// Rows that the next batch is made with room for.
    room: usize,
    full: Vec<BatchBuilder>,
    made: Vec<Batch>,
}

impl Building {
    fn append(
        &mut self,
        vectors: &[&Vector<'_>],
        positions: &[u32],
        cx: &Context<'_>,
    ) -> Result<(), TooLong> {
        if let Some(closed) = self.open.take_if(|batch| batch.len() >= BATCH_ROWS || !batch.takes(vectors)) {
            self.full.push(closed);
            self.room = BATCH_ROWS;
        }
        let batch = self.open.get_or_insert_with(|| BatchBuilder::like(vectors, self.room));
        batch.append(vectors, positions, &|id| cx.edge_value(id))
    }

    /// Makes columns of what is full, and at the end of what is not.
    fn close(&mut self, has_ended: bool, maker: &Maker<'_>) -> Result<(), Error> {
        maker.check()?;
        let open = if has_ended { self.open.take() } else { None };
        for batch in self.full.drain(..).chain(open) {
            let packed = batch.finish(maker).and_then(|batch| batch.packed(maker));
            self.made.push(maker.settle(packed)?);
        }
        Ok(())
    }
}

impl Batch {
    fn packed(self, maker: &Maker<'_>) -> Result<Self, Error> {
        let columns = self.columns.into_iter().map(|c| c.packed(maker)).collect::<Result<_, _>>()?;
        Ok(Self { len: self.len, columns })
    }
}

/// The type of a column over all batches.
fn common_type(batches: &[Batch], column: usize) -> ColumnType {
    let over = |of: fn(&Column) -> ColumnType| {
        batches.iter().fold(ColumnType::Unknown, |ty, batch| ty.join(of(&batch.columns[column])))
    };
    match over(|column| column.ty.clone()) {
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
    maker: &Maker<'_>,
) -> Result<RecordBatch, Error> {
    let arrays = batch.columns.iter().zip(types).map(|(column, ty)| column.settle(ty, maker));
    let arrays = maker.settle(arrays.collect::<Result<_, _>>())?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.len));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options).map_err(|e| failed(e.to_string()))
}
