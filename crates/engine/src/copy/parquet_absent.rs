//! Stands for Parquet in a build without it: says so.

use trimorph_base::{CancelToken, MemoryBudget};

use super::options::Options;
use super::place::Place;
use crate::result::Origin;
use crate::{Error, LoadError, QueryResult};

/// Refuses.
pub(super) fn write(
    _: QueryResult,
    _: &dyn Fn(&Origin) -> Result<QueryResult, Error>,
    _: &Options,
    place: Place,
    _: &MemoryBudget,
    _: &CancelToken,
) -> Result<u64, Error> {
    let reason = "this build of Trimorph writes no Parquet".to_owned();
    let hint = Some("build it with the feature \"parquet\", or write CSV".to_owned());
    Err(Error::Load(LoadError::Format { path: Some(place.path().to_owned()), reason, hint }))
}
