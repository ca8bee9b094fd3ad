//! Results as Arrow record batches one after the other, without holding more than the first few.
//!
//! A stream needs its schema before its last row. A column's type is settled so:
//! 1. the type that the query says, where it says one, but for the unit of instants and what is in lists,
//!    maps, nodes, relationships and paths;
//! 2. else the common type of its values in the first batches (see `column_type`), where decimals get 18
//!    digits behind the point if 20 before it are enough: batches are held until each column, and each part
//!    of one, had a value, at most [`SETTLE_ROWS`] rows;
//! 3. else, if there are no more rows, as `expected` says; if it was null so far, text, or nanoseconds if the
//!    query says that it has instants.
//!
//! After that instants have to fit the unit of the first, a float column takes integers, a decimal column
//! integers and decimals that fit, a struct maps that miss keys, and a text column everything, in its
//! openCypher text form; parts of columns do likewise. Any other value, such as a map with a key or a node
//! with a property that no earlier one had, is an error of the stream that names the column;
//! [`QueryResult::arrow`] looks at all rows first and has no such error.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use trimorph_base::{CancelToken, Diagnostic, ErrorKind};

use super::builder::Batch;
use super::column::ColumnType;
use super::maker::Maker;
use super::{common_type, record_batch, schema_of};
use crate::{Error, QueryResult};

/// Rows held at most while columns without a value are waited for.
const SETTLE_ROWS: usize = 1 << 16;

/// Where a stream stands: kept apart from its result, for callers that cannot borrow that.
///
/// A cursor belongs to the result it was made of; what else is fetched from that meanwhile is missing in the
/// stream.
pub struct ArrowCursor {
    schema: SchemaRef,
    types: Vec<ColumnType>,
    held: VecDeque<Batch>,
    ended: bool,
    /// A row came whose values the types do not hold.
    misfit: bool,
}

/// The types that hold all rows of a result.
pub(crate) struct AllTypes(Vec<ColumnType>);

/// A result as record batches of one schema, computed as they are taken.
pub struct ArrowStream<'r> {
    result: &'r mut QueryResult,
    cursor: ArrowCursor,
}

impl fmt::Debug for ArrowCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowCursor").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl fmt::Debug for ArrowStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowStream").field("schema", &self.schema()).finish_non_exhaustive()
    }
}

impl QueryResult {
    /// The rows not fetched yet as a stream of record batches. See the module for how its schema comes to be.
    ///
    /// **Cost**: memory for one batch at a time, after the first few. **Errors**: those of the query in the
    /// first batches; later ones come from the stream.
    pub fn arrow_stream(&mut self) -> Result<ArrowStream<'_>, Error> {
        let cursor = ArrowCursor::new(self)?;
        Ok(ArrowStream { result: self, cursor })
    }
}

impl ArrowCursor {
    /// Settles the schema of the rows not fetched yet, for which the first few batches may have to be
    /// computed.
    pub fn new(result: &mut QueryResult) -> Result<Self, Error> {
        let declared: Vec<ColumnType> = result.types().iter().map(|t| ColumnType::declared(*t)).collect();
        let entities = result.entities().clone();
        let maker = Maker::new(&entities, result.cancel_token());
        let mut held = Vec::from_iter(result.early_columns(&maker)?);
        let mut rows: usize = held.iter().map(|batch| batch.len).sum();
        let found = |held: &[Batch], column: usize| match &declared[column] {
            open if open.is_open() => common_type(held, column),
            known => known.clone(),
        };
        let is_settled =
            |held: &[Batch]| (0..declared.len()).all(|column| !found(held, column).has_unknown());
        let mut ended = false;
        while held.is_empty() || (rows < SETTLE_ROWS && !is_settled(&held)) {
            match result.next_columns(&maker)? {
                Some(batch) => {
                    rows += batch.len;
                    held.push(batch);
                }
                None => {
                    ended = true;
                    break;
                }
            }
        }
        let seen: Vec<ColumnType> = (0..declared.len()).map(|column| found(&held, column)).collect();
        // Of what is there, not of what there is room for.
        result.notice_texts(&seen.iter().cloned().map(ColumnType::settled).collect::<Vec<_>>());
        let types: Vec<ColumnType> = (seen.into_iter().zip(&declared).enumerate())
            .map(|(column, (seen, declared))| match seen {
                ColumnType::Unknown if ended => result.expected_type(column).settled(),
                ColumnType::Unknown => declared.clone().with_room().settled(),
                known => known.with_room().settled(),
            })
            .collect();
        let schema = schema_of(result.columns(), &types);
        result.name_types(&types);
        Ok(Self { schema, types, held: held.into(), ended, misfit: false })
    }

    /// Looks at all rows of a result, and forgets them: the types of which [`AllTypes::over`] makes a cursor
    /// that meets no row that does not fit.
    pub(crate) fn of_all(result: &mut QueryResult, cancel: &CancelToken) -> Result<AllTypes, Error> {
        let entities = result.entities().clone();
        let maker = Maker::new(&entities, result.cancel_token());
        let columns = result.types().len();
        let mut seen = vec![(ColumnType::Unknown, ColumnType::Unknown); columns];
        let mut batch = result.early_columns(&maker)?;
        loop {
            for ((ty, exact), column) in seen.iter_mut().zip(batch.iter().flat_map(|b| &b.columns)) {
                let join = |known: &mut ColumnType, more| {
                    *known = std::mem::replace(known, ColumnType::Unknown).join(more);
                };
                join(ty, column.ty.clone());
                join(exact, column.exact_type());
            }
            if cancel.is_cancelled() {
                return Err(Error::Cancelled.stopped_by(cancel));
            }
            batch = result.next_columns(&maker)?;
            if batch.is_none() {
                break;
            }
        }
        let types = seen.into_iter().enumerate().map(|(column, (ty, exact))| match ty {
            ColumnType::Unknown => result.expected_type(column).settled(),
            ColumnType::Instant { .. } if !ty.is_in_nanos() => exact.settled(),
            ty => ty.settled(),
        });
        Ok(AllTypes(types.collect()))
    }

    /// Whether a row came that the types do not hold.
    pub(crate) fn has_misfit(&self) -> bool {
        self.misfit
    }

    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Whether there are no more batches, because the last was taken or an error came.
    pub fn has_ended(&self) -> bool {
        self.ended && self.held.is_empty()
    }

    /// The next batch of `result`, which must be the one the cursor was made of. An error ends it.
    pub fn next_batch(&mut self, result: &mut QueryResult) -> Result<Option<RecordBatch>, Error> {
        let entities = result.entities().clone();
        let maker = Maker::new(&entities, result.cancel_token());
        let batch = match self.held.pop_front() {
            Some(batch) => Ok(Some(batch)),
            None if self.ended => Ok(None),
            None => result.next_columns(&maker),
        };
        let taken = batch.and_then(|b| b.map(|b| self.settle_batch(&b, &maker)).transpose());
        match &taken {
            Ok(Some(_)) => {}
            Ok(None) => self.ended = true,
            Err(_) => {
                self.ended = true;
                self.held.clear();
            }
        }
        taken
    }

    fn settle_batch(&mut self, batch: &Batch, maker: &Maker<'_>) -> Result<RecordBatch, Error> {
        for ((column, ty), field) in batch.columns.iter().zip(&self.types).zip(self.schema.fields()) {
            if let Some(other) = column.misfit(ty, maker)? {
                self.misfit = true;
                let text =
                    format!("column \"{}\" began with {} and goes on with {other}", field.name(), ty.name());
                let hint = "convert it in the query, such as with toString(), or fetch the result as a whole";
                let diagnostic = Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text);
                return Err(Error::query(diagnostic.hint(hint), ""));
            }
        }
        record_batch(&self.schema, batch, &self.types, maker)
    }
}

impl AllTypes {
    /// A cursor over a result of the same rows.
    pub(crate) fn over(self, result: &QueryResult) -> ArrowCursor {
        let schema = schema_of(result.columns(), &self.0);
        ArrowCursor { schema, types: self.0, held: VecDeque::new(), ended: false, misfit: false }
    }
}

impl ArrowStream<'_> {
    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        self.cursor.schema()
    }
}

impl Iterator for ArrowStream<'_> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.next_batch(self.result).transpose()
    }
}
