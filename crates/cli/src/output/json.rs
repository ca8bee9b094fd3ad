//! JSON: the engine's, with failures of the command line.

use std::io::Write;

use trimorph::QueryResult;

use crate::failure::Failure;

pub(super) fn write_array(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, Failure> {
    result.write_json(out).map_err(Failure::from)
}

pub(super) fn write_lines(result: &mut QueryResult, out: &mut dyn Write) -> Result<u64, Failure> {
    result.write_json_lines(out).map_err(Failure::from)
}
