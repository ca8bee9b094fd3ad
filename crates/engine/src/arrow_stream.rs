//! Results as Arrow record batches one after the other, without holding more than the first few.
//!
//! A stream needs its schema before its last row. A column's type is settled so:
//! 1. the type that the query says, where it says one;
//! 2. else the common type of its values in the first batches: batches are held until each column had a value, at most
//!    [`SETTLE_ROWS`] rows; integers and floats together are floats, anything else together is text;
//! 3. else, if it was null so far, text.
//!
//! After that a float column takes integers and a text column takes everything, in its openCypher text form. Any other value is
//! an error of the stream that names the column; [`QueryResult::arrow`] looks at all rows first and has no such error.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use trimorph_base::{Diagnostic, ErrorKind};
use trimorph_types::LogicalType;

use crate::arrow::{Column, common_type, data_type, settle};
use crate::{Entities, Error, QueryResult};

/// Rows held at most while columns without a value are waited for.
const SETTLE_ROWS: usize = 1 << 16;

/// Where a stream stands: kept apart from its result, for callers that cannot borrow that.
///
/// A cursor belongs to the result it was made of; what else is fetched from that meanwhile is missing in the stream.
pub struct ArrowCursor {
    schema: SchemaRef,
    types: Vec<LogicalType>,
    held: VecDeque<(usize, Vec<Column>)>,
    ended: bool,
}

/// A result as record batches of one schema, computed as they are taken.
pub struct ArrowStream<'r> {
    result: &'r mut QueryResult,
    cursor: ArrowCursor,
}

impl QueryResult {
    /// The rows not fetched yet as a stream of record batches. See the module for how its schema comes to be.
    ///
    /// **Cost**: memory for one batch at a time, after the first few. **Errors**: those of the query in the first batches; later ones
    /// come from the stream.
    pub fn arrow_stream(&mut self) -> Result<ArrowStream<'_>, Error> {
        let cursor = ArrowCursor::new(self)?;
        Ok(ArrowStream { result: self, cursor })
    }
}

impl ArrowCursor {
    /// Settles the schema of the rows not fetched yet, for which the first few batches may have to be computed.
    pub fn new(result: &mut QueryResult) -> Result<Self, Error> {
        let declared = result.types().to_vec();
        let mut held = Vec::from_iter(result.early_columns());
        let mut rows: usize = held.iter().map(|(len, _)| len).sum();
        let is_settled = |held: &[(usize, Vec<Column>)], column: usize| {
            declared[column] != LogicalType::Any || common_type(held, column).is_some()
        };
        let mut ended = false;
        while held.is_empty() || (rows < SETTLE_ROWS && !(0..declared.len()).all(|c| is_settled(&held, c))) {
            match result.next_columns()? {
                Some(batch) => {
                    rows += batch.0;
                    held.push(batch);
                }
                None => {
                    ended = true;
                    break;
                }
            }
        }
        let settled = |column: usize| match declared[column] {
            LogicalType::Any => common_type(&held, column).unwrap_or(LogicalType::Any),
            known => known,
        };
        let types: Vec<LogicalType> = (0..declared.len()).map(settled).collect();
        let fields: Vec<Field> =
            result.columns().iter().zip(&types).map(|(n, t)| Field::new(n, data_type(*t), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        Ok(Self { schema, types, held: held.into(), ended })
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
        let batch = match self.held.pop_front() {
            Some(batch) => Ok(Some(batch)),
            None if self.ended => Ok(None),
            None => result.next_columns(),
        };
        let taken = batch.and_then(|b| {
            b.map(|(len, columns)| self.settle_batch(len, columns, result.entities())).transpose()
        });
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

    fn settle_batch(
        &self,
        len: usize,
        columns: Vec<Column>,
        entities: &Entities,
    ) -> Result<RecordBatch, Error> {
        let mut arrays = Vec::with_capacity(columns.len());
        for ((column, ty), field) in columns.into_iter().zip(&self.types).zip(self.schema.fields()) {
            if let Some(other) = column.misfit(*ty) {
                let text = format!("column \"{}\" began with {ty} and goes on with {other}", field.name());
                let hint = "convert it in the query, such as with toString(), or fetch the result as a whole";
                let diagnostic = Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text);
                return Err(Error::query(diagnostic.hint(hint), ""));
            }
            arrays.push(settle(column, *ty, entities));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(len));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map_err(|e| {
            let text = e.to_string();
            Error::query(Diagnostic::runtime(ErrorKind::TypeError, "InvalidArgumentType", text), "")
        })
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

#[cfg(test)]
mod tests {
    use crate::{Config, Database};

    fn stream(text: &str) -> (String, usize, Result<usize, String>) {
        let db = Database::in_memory(Config::default());
        let mut result = db.connect().query(text, &[]).unwrap();
        let stream = result.arrow_stream().unwrap();
        let types = stream.schema().fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>();
        let (mut batches, mut rows) = (0, 0);
        for batch in stream {
            match batch {
                Ok(batch) => (batches, rows) = (batches + 1, rows + batch.num_rows()),
                Err(error) => return (types.join(" "), batches, Err(error.to_string())),
            }
        }
        (types.join(" "), batches, Ok(rows))
    }

    #[test]
    fn batches_come_one_by_one_with_one_schema() {
        let (types, batches, rows) =
            stream("UNWIND range(1, 50000) AS x RETURN x, x * 0.5 AS y, 'a' + x AS z");
        assert_eq!((types.as_str(), rows), ("Int64 Float64 Utf8", Ok(50_000)));
        assert!(batches > 4, "{batches}");
        assert_eq!(stream("UNWIND [] AS x RETURN x, 1 AS y").2, Ok(0));
        // Null at first, a value later.
        let text = "UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN [1.5, x][0] END AS y";
        assert_eq!(stream(text), ("Float64".into(), stream(text).1, Ok(20_000)));
    }

    #[test]
    fn a_column_that_changes_its_type_is_an_error_or_text() {
        let late = "UNWIND range(1, 20000) AS x RETURN CASE WHEN x > 15000 THEN 'late' ELSE [x][0] END AS y";
        let (types, _, rows) = stream(late);
        assert_eq!(types, "Int64");
        assert!(rows.unwrap_err().contains("column \"y\" began with INTEGER and goes on with STRING"));
        let early = "UNWIND [1, 'early', 2.5, null, [1]] AS y RETURN y";
        assert_eq!(stream(early), ("Utf8".into(), 1, Ok(5)));
    }
}
