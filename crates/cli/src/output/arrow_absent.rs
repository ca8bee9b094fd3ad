//! Stands for Arrow IPC and Parquet in a build without them: says so.

use std::io::Write;

use trimorph::QueryResult;

use crate::failure::Failure;

fn absent() -> Result<u64, Failure> {
    Err(Failure::message(
        "this build of trimorph has no Arrow and no Parquet; build it with the feature \"parquet\", \
         or write CSV or JSON",
    ))
}

pub(super) fn write_file(_: &mut QueryResult, _: &mut dyn Write) -> Result<u64, Failure> {
    absent()
}

pub(super) fn write_stream(_: &mut QueryResult, _: &mut dyn Write) -> Result<u64, Failure> {
    absent()
}

pub(super) fn write_parquet(_: &mut QueryResult, _: &mut (dyn Write + Send)) -> Result<u64, Failure> {
    absent()
}
