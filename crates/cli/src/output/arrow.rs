//! Arrow IPC and Parquet: record batches in, bytes out. The result is computed as a whole first, because a
//! column's type is settled by all its values.

use std::error::Error;
use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use trimorph::QueryResult;

use crate::failure::Failure;

pub(super) fn write_file(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, Failure> {
    let (schema, batches) = result.arrow()?;
    let mut writer = FileWriter::try_new(out, &schema).map_err(failed)?;
    let rows = write_batches(&batches, |batch| writer.write(batch).map_err(failed))?;
    writer.finish().map_err(failed)?;
    Ok(rows)
}

pub(super) fn write_stream(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, Failure> {
    let (schema, batches) = result.arrow()?;
    let mut writer = StreamWriter::try_new(out, &schema).map_err(failed)?;
    let rows = write_batches(&batches, |batch| writer.write(batch).map_err(failed))?;
    writer.finish().map_err(failed)?;
    Ok(rows)
}

pub(super) fn write_parquet(result: &mut QueryResult, out: &mut (dyn Write + Send)) -> Result<u64, Failure> {
    let (schema, batches) = result.arrow()?;
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(failed)?;
    let rows = write_batches(&batches, |batch| writer.write(batch).map_err(failed))?;
    writer.close().map_err(failed)?;
    Ok(rows)
}

/// Hands over all batches; gives how many rows they have.
fn write_batches(
    batches: &[RecordBatch],
    mut write: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    batches.iter().map(|batch| write(batch).map(|()| batch.num_rows() as u64)).sum()
}

fn failed(error: impl Error + 'static) -> Failure {
    let mut inner: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(cause) = inner {
        let io = cause.downcast_ref::<io::Error>();
        if io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) {
            return Failure::NoReader;
        }
        inner = cause.source();
    }
    Failure::message(format!("could not write the result: {error}"))
}
