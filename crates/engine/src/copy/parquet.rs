//! A query in, a Parquet file out, a row group in memory at a time.
//!
//! 1. The types of columns are settled by what the query says and by its first rows, as those of a stream of
//!    Arrow batches are.
//! 2. Where a later row does not fit them, the file begun is thrown away; the query is run again to its end,
//!    to find the types that hold all rows, and once more to write them, each time on the same snapshot. What
//!    then does not fit, because the query draws lots, is an error.
//! 3. The row group in the making is charged to the memory limit; where that is not enough it ends earlier.

use std::path::Path;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, GzipLevel, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use trimorph_base::{CancelToken, MemoryBudget};

use super::options::{Codec, Options};
use super::place::Place;
use crate::arrow::ArrowCursor;
use crate::result::Origin;
use crate::{Error, LoadError, QueryResult};

/// Encoded bytes after which a row group ends, whatever its rows.
const ROW_GROUP_BYTES: usize = 128 << 20;

/// Writes the rows of `result` into a place; gives their number. `again` runs it again.
pub(super) fn write(
    mut result: QueryResult,
    again: &dyn Fn(&Origin) -> Result<QueryResult, Error>,
    options: &Options,
    place: Place,
    budget: &MemoryBudget,
    cancel: &CancelToken,
) -> Result<u64, Error> {
    let path = place.path().to_owned();
    let mut cursor = ArrowCursor::new(&mut result)?;
    let written = write_batches(&mut result, &mut cursor, options, &place, budget, cancel);
    let (rows, place) = match written {
        Err(_) if cursor.has_misfit() => {
            let origin = result.origin();
            drop(result);
            drop(place);
            let types = ArrowCursor::of_all(&mut again(&origin)?, cancel)?;
            let place = Place::beside(&path)?;
            let mut result = again(&origin)?;
            let mut cursor = types.over(&result);
            (write_batches(&mut result, &mut cursor, options, &place, budget, cancel)?, place)
        }
        written => (written?, place),
    };
    place.keep()?;
    Ok(rows)
}

fn write_batches(
    result: &mut QueryResult,
    cursor: &mut ArrowCursor,
    options: &Options,
    place: &Place,
    budget: &MemoryBudget,
    cancel: &CancelToken,
) -> Result<u64, Error> {
    let path = place.path();
    let mut held = budget.reservation();
    let sink = place.sink(options.compression).map_err(|error| LoadError::io(path, "write", error))?;
    let properties = WriterProperties::builder()
        .set_compression(codec(options.codec))
        .set_max_row_group_row_count(Some(options.row_group_rows))
        .build();
    let failed = |error| failed(path, error);
    let mut writer = ArrowWriter::try_new(sink, cursor.schema(), Some(properties)).map_err(failed)?;
    let mut rows = 0;
    while let Some(batch) = cursor.next_batch(result)? {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled.stopped_by(cancel));
        }
        rows += batch.num_rows() as u64;
        writer.write(&batch).map_err(failed)?;
        if writer.in_progress_size() > ROW_GROUP_BYTES || held.resize(writer.memory_size()).is_err() {
            writer.flush().map_err(failed)?;
            held.resize(writer.memory_size()).map_err(Error::Memory)?;
        }
    }
    let sink = writer.into_inner().map_err(failed)?;
    sink.finish().map_err(|error| LoadError::io(path, "write", error))?;
    Ok(rows)
}

fn codec(codec: Codec) -> Compression {
    match codec {
        Codec::None => Compression::UNCOMPRESSED,
        Codec::Snappy => Compression::SNAPPY,
        Codec::Gzip => Compression::GZIP(GzipLevel::default()),
        Codec::Lz4 => Compression::LZ4_RAW,
        Codec::Zstd => Compression::ZSTD(ZstdLevel::default()),
    }
}

/// What the writer failed with: the system, as a rule.
fn failed(path: &Path, error: ParquetError) -> Error {
    let error = match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(io) => *io,
            Err(other) => std::io::Error::other(other.to_string()),
        },
        other => std::io::Error::other(other.to_string()),
    };
    Error::Load(LoadError::io(path, "write", error))
}
